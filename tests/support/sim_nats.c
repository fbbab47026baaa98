/* sim_nats.c - see sim_nats.h. One session a node; what is sent is far below the window, so that
 * the receiver need not say what it took. libnats calls `comes` in a thread of its own: the mutex
 * guards the queues. */
#include "tests/support/sim_nats.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/nats/nats.h"
#include "exec/nats/lib_impl.h"

struct item {
	struct item *next;
	natsMsg *msg;
};
struct session {
	struct rn_transport base;
	struct sim_nats *s;
	unsigned node;
	char *to, *in; /* subjects of chunks, that way and this */
	struct item *first, **last;
	natsMsg *given;
};
struct event {
	struct event *next;
	unsigned node;
	struct session *dialed;
};
struct sim_nats {
	natsConnection *nc;
	natsSubscription *sub[3];
	pthread_mutex_t lock;
	struct session **node;
	unsigned nodes;
	struct event *first, **last;
	int wake;
};

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

static char *text(const char *a, const char *b)
{
	char *s;

	if (asprintf(&s, "%s%s", a, b) < 0)
		abort();
	return s;
}

static int nats_send(struct rn_transport *t, const void *chunk, size_t n, struct rn_err *err)
{
	struct session *x = (struct session *)t;
	natsStatus st =
		rn_nats_lib.natsConnection_PublishRequest(x->s->nc, x->to, x->in, chunk, (int)n);

	return st == NATS_OK
		       ? 1
		       : rn_err_set(err, -EPIPE, "NATS: %s", rn_nats_lib.natsStatus_GetText(st));
}
static int nats_recv(struct rn_transport *t, const unsigned char **chunk, size_t *n,
		     struct rn_err *err)
{
	struct session *x = (struct session *)t;
	struct item *i;

	(void)err;
	rn_nats_lib.natsMsg_Destroy(x->given);
	x->given = NULL;
	pthread_mutex_lock(&x->s->lock);
	i = x->first;
	if (i && !(x->first = i->next))
		x->last = &x->first;
	pthread_mutex_unlock(&x->s->lock);
	if (!i)
		return 0;
	x->given = i->msg;
	free(i);
	*chunk = (const unsigned char *)rn_nats_lib.natsMsg_GetData(x->given);
	*n = (size_t)rn_nats_lib.natsMsg_GetDataLength(x->given);
	return 1;
}
static int nats_flush(struct rn_transport *t, struct rn_err *err)
{
	(void)t, (void)err;
	return 1;
}
static unsigned nats_polls(struct rn_transport *t, int fd[2], short events[2])
{
	(void)t, (void)fd, (void)events;
	return 0;
}
static void nats_close(struct rn_transport *t)
{
	struct session *x = (struct session *)t;

	pthread_mutex_lock(&x->s->lock);
	x->s->node[x->node] = NULL;
	pthread_mutex_unlock(&x->s->lock);
	rn_nats_lib.natsMsg_Destroy(x->given);
	for (struct item *i = x->first, *next; i; i = next) {
		next = i->next;
		rn_nats_lib.natsMsg_Destroy(i->msg);
		free(i);
	}
	free(x->to);
	free(x->in);
	free(x);
}
static const struct rn_transport_ops ops = {
	.name = "nats",
	.send = nats_send,
	.recv = nats_recv,
	.flush = nats_flush,
	.polls = nats_polls,
	.close = nats_close,
};

/* lock held */
static void tell(struct sim_nats *s, unsigned node, struct session *dialed)
{
	struct event *e = need(malloc(sizeof(*e)));
	uint64_t one = 1;

	*e = (struct event){.node = node, .dialed = dialed};
	*s->last = e;
	s->last = &e->next;
	if (write(s->wake, &one, sizeof(one)) < 0)
		return; /* it is awake */
}

static char *card(unsigned node)
{
	char *c;

	if (asprintf(&c, "runnel\n%d\nnode\n%016x\n0\nsimulated, process %d\nn%u\n",
		     RN_NATS_PROTOCOL, node + 1, (int)getpid(), node) < 0)
		abort();
	return c;
}

static void who(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct sim_nats *s = arg;

	(void)sub;
	for (unsigned i = 0; i < s->nodes; i++) {
		char *c = card(i);

		rn_nats_lib.natsConnection_PublishString(nc, rn_nats_lib.natsMsg_GetReply(msg), c);
		free(c);
	}
	rn_nats_lib.natsMsg_Destroy(msg);
}

/* PREFIX.node.nN.dial, to be answered at PREFIX.asks.INSTANCE.SESSION */
static void dialed(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct sim_nats *s = arg;
	const char *subject = rn_nats_lib.natsMsg_GetSubject(msg),
		   *reply = rn_nats_lib.natsMsg_GetReply(msg),
		   *name = strchr(strchr(subject, '.') + 1, '.') + 2;
	unsigned node = (unsigned)atoi(name);
	char *opened, *c;

	(void)sub;
	/* who is there? */
	if (node < s->nodes && reply && rn_nats_lib.natsMsg_GetDataLength(msg) == 1) {
		opened = text(reply, ".o");
		c = card(node);
		rn_nats_lib.natsConnection_PublishString(nc, opened, c);
		free(opened);
		free(c);
	} else if (node < s->nodes && reply) {
		struct session *x = need(calloc(1, sizeof(*x)));

		*x = (struct session){.base.ops = &ops,
				      .s = s,
				      .node = node,
				      .to = text(reply, ".c"),
				      .last = &x->first};
		if (asprintf(&x->in, "runnel.node.n%u.%016x%s", node, node + 1,
			     strrchr(reply, '.')) < 0)
			abort();
		pthread_mutex_lock(&s->lock);
		s->node[node] = x;
		tell(s, node, x);
		pthread_mutex_unlock(&s->lock);
		opened = text(reply, ".o");
		c = card(node);
		rn_nats_lib.natsConnection_PublishRequest(nc, opened, x->in, c, (int)strlen(c));
		free(opened);
		free(c);
	}
	rn_nats_lib.natsMsg_Destroy(msg);
}

/* PREFIX.node.nN.INSTANCE.SESSION.X */
static void comes(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct sim_nats *s = arg;
	const char *subject = rn_nats_lib.natsMsg_GetSubject(msg), *kind = strrchr(subject, '.');
	unsigned node = (unsigned)atoi(strchr(strchr(subject, '.') + 1, '.') + 2);
	struct session *x;
	struct item *i;

	(void)nc, (void)sub;
	pthread_mutex_lock(&s->lock);
	x = node < s->nodes && !strcmp(kind, ".c") ? s->node[node] : NULL;
	if (x) {
		i = need(malloc(sizeof(*i)));
		*i = (struct item){.msg = msg};
		*x->last = i;
		x->last = &i->next;
		tell(s, node, NULL);
	}
	pthread_mutex_unlock(&s->lock);
	if (!x)
		rn_nats_lib.natsMsg_Destroy(msg);
}

struct sim_nats *sim_nats_open(const char *url, unsigned nodes, int wake, struct rn_err *err)
{
	struct sim_nats *s = need(calloc(1, sizeof(*s)));
	natsStatus st = rn_nats_lib_load(err) ? NATS_ERR
					      : rn_nats_lib.natsConnection_ConnectTo(&s->nc, url);

	s->node = need(calloc(nodes, sizeof(struct session *)));
	s->nodes = nodes;
	s->wake = wake;
	s->last = &s->first;
	pthread_mutex_init(&s->lock, NULL);
	if (!st &&
	    !(st = rn_nats_lib.natsConnection_Subscribe(&s->sub[0], s->nc, "runnel.node.*.dial",
							dialed, s)) &&
	    !(st = rn_nats_lib.natsConnection_Subscribe(&s->sub[1], s->nc, "runnel.node.*.*.>",
							comes, s)) &&
	    !(st = rn_nats_lib.natsConnection_Subscribe(&s->sub[2], s->nc, "runnel.who", who, s)))
		st = rn_nats_lib.natsConnection_Flush(s->nc);
	for (int i = 0; i < 3 && !st; i++)
		rn_nats_lib.natsSubscription_SetPendingLimits(s->sub[i], -1, -1);
	if (!st)
		return s;
	rn_err_set(err, -EIO, "NATS at %s: %s", url, rn_nats_lib.natsStatus_GetText(st));
	sim_nats_close(s);
	return NULL;
}

void sim_nats_close(struct sim_nats *s)
{
	for (int i = 0; i < 3; i++)
		rn_nats_lib.natsSubscription_Destroy(s->sub[i]);
	rn_nats_lib.natsConnection_Destroy(s->nc);
	for (struct event *e = s->first, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	/* what libnats may still call for a moment needs the rest, which ends with the process */
}

bool sim_nats_next(struct sim_nats *s, unsigned *node, struct rn_transport **opened)
{
	struct event *e;

	pthread_mutex_lock(&s->lock);
	e = s->first;
	if (e && !(s->first = e->next))
		s->last = &s->first;
	pthread_mutex_unlock(&s->lock);
	if (!e)
		return false;
	*node = e->node;
	*opened = e->dialed ? &e->dialed->base : NULL;
	free(e);
	return true;
}
