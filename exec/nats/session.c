/* session.c - one session through NATS: a transport of chunks between a coordinator and a member.
 *
 * Both sides count the bytes of the chunks that they have sent and received; `a` tells the other
 * side. NATS keeps the order of what one side sends. So if an `a` says that more was sent than has
 * come, something was lost. */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "exec/nats/nats_impl.h"
#include "lang/base/memory.h"

static const char busy[] = {'b', 'u', 's', 'y'}; /* with `x`: it was never opened */
enum { REASON_MAX = 500, ACK_BYTES = 16 };
static const struct rn_transport_ops nats_ops;

static struct nats_session *of(struct rn_transport *t)
{
	return (struct nats_session *)t;
}

static unsigned bucket(uint64_t id)
{
	return (unsigned)(id % NATS_BUCKETS);
}

struct nats_session *nats_session_find(struct rn_nats *n, uint64_t id)
{
	struct nats_session *s = n->bucket[bucket(id)];

	while (s && s->id != id)
		s = s->chain;
	return s;
}

void nats_session_each(struct rn_nats *n, void (*f)(struct nats_session *s, void *self), void *self)
{
	for (unsigned i = 0; i < NATS_BUCKETS; i++)
		for (struct nats_session *s = n->bucket[i]; s; s = s->chain)
			f(s, self);
}

/* Makes one descriptor for a session. Thousands exceed the usual limit, which the program raises,
 * and a host of the library may raise. */
static int new_eventfd(struct rn_err *err)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0) {
		rn_err_set(err, -errno, "no descriptor for a session: %s", strerror(errno));
		rn_err_hint(err, "each node takes one: raise the limit with ulimit -n");
	}
	return fd;
}

static struct nats_session *create(struct rn_nats *n, uint64_t id, const char *who,
				   struct rn_err *err)
{
	struct nats_session *s;
	int fd = new_eventfd(err);

	if (fd < 0)
		return NULL;
	s = rn_calloc(1, sizeof(*s));
	s->base.ops = &nats_ops;
	s->n = n;
	s->id = id;
	s->refs = 1;
	s->fd = fd;
	s->who = rn_strdup(who);
	s->chain = n->bucket[bucket(id)];
	n->bucket[bucket(id)] = s;
	return s;
}

void nats_session_unref(struct nats_session *s)
{
	if (--s->refs)
		return;
	close(s->fd);
	free(s->got);
	free(s->in);
	free(s->to);
	free(s->dial);
	free(s->who);
	free(s);
}

void nats_session_dies(struct nats_session *s, int code, const char *fmt, ...)
{
	char text[REASON_MAX];
	va_list ap;

	if (s->dead.code)
		return; /* the first reason counts */
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rn_err_set(&s->dead, code, "%s", text);
	nats_wake(s->fd);
}

/* Tells the other side how much was taken from it, and how much was sent to it. */
static void tell(struct nats_session *s, const char *kind)
{
	uint64_t v[2] = {htole64(s->taken), htole64(s->sent)};

	if (!s->to)
		return;
	nats_post(s->n, NULL, s->to, kind, s->in, v, ACK_BYTES);
	s->told = s->taken;
}

static void say_dial(struct nats_session *s)
{
	char text[32];

	snprintf(text, sizeof(text), "runnel\n%d\n", RN_NATS_PROTOCOL);
	nats_post(s->n, NULL, s->dial, "", s->in, text, strlen(text));
}

void nats_session_reconnected(struct nats_session *s)
{
	if (s->dead.code)
		return;
	if (s->dial && s->stage == NATS_DIALING)
		say_dial(s);
	else
		tell(s, ".q");
}

/* Takes an `a` or a `q`. */
static void told(struct nats_session *s, const char *bytes, size_t n)
{
	uint64_t v[2];

	if (n != ACK_BYTES) {
		nats_session_dies(s, -EBADMSG, "what came is no message of this protocol");
		return;
	}
	memcpy(v, bytes, sizeof(v));
	v[0] = le64toh(v[0]);
	v[1] = le64toh(v[1]);
	if (v[1] != s->received)
		nats_session_dies(s, -EPIPE,
				  "the connection ended: NATS has lost %llu bytes of what %s sent",
				  (unsigned long long)(v[1] - s->received), s->who);
	else if (v[0] > s->sent || v[0] < s->acked)
		nats_session_dies(
			s, -EBADMSG,
			"what came is no message of this protocol: more was taken than sent");
	s->acked = v[0];
	if (s->blocked)
		nats_wake(s->fd);
}

static void queue(struct nats_session *s, natsMsg *msg, size_t n)
{
	struct rn_nats *net = s->n;

	s->received += n;
	if (s->got_bytes + n > RN_NATS_WINDOW + RN_CHUNK_MAX || net->held + n > RN_NATS_HELD_MAX) {
		nats_session_dies(
			s, -ENOBUFS,
			net->held + n > RN_NATS_HELD_MAX
				? "more than %u MiB wait for being read: what %s sent is dropped"
				: "more than %u MiB came unasked: what %s sent is dropped",
			net->held + n > RN_NATS_HELD_MAX ? RN_NATS_HELD_MAX >> 20
							 : RN_NATS_WINDOW >> 20,
			s->who);
		nats_lib.natsMsg_Destroy(msg);
		return;
	}
	if (s->got_n == s->got_cap) {
		size_t cap = s->got_cap ? 2 * s->got_cap : 4;
		natsMsg **more = rn_malloc(cap * sizeof(natsMsg *));

		for (size_t i = 0; i < s->got_n; i++)
			more[i] = s->got[(s->got_first + i) % s->got_cap];
		free(s->got);
		s->got = more;
		s->got_first = 0;
		s->got_cap = cap;
	}
	s->got[(s->got_first + s->got_n++) % s->got_cap] = msg;
	s->got_bytes += n;
	net->held += n;
	nats_wake(s->fd);
}

/* A member has answered to what was dialed. */
static void opened(struct nats_session *s, const char *bytes, size_t n)
{
	struct nats_card c;

	if (!s->dial || !nats_card_read(&c, bytes, n)) {
		nats_session_dies(s, -EBADMSG, "what came is no message of this protocol");
		return;
	}
	if (s->stage == NATS_OPEN && strcmp(c.instance, s->instance))
		nats_session_dies(
			s, -EEXIST,
			"two %s are called %s: one at %s; give one another name with --node",
			c.kind == RN_NATS_AGENT ? "agents" : "relays", c.name, c.host);
	if (s->stage == NATS_OPEN)
		return;
	if (c.protocol != RN_NATS_PROTOCOL) {
		nats_session_dies(s, -EPROTO,
				  "%s runs Runnel %s, which speaks version %u of the protocol of "
				  "NATS, this side %d: upgrade the older one",
				  c.name, c.version, c.protocol, RN_NATS_PROTOCOL);
		return;
	}
	memcpy(s->instance, c.instance, sizeof(s->instance));
	s->to = nats_format("%.*s.%s.%016llx", (int)(strlen(s->dial) - strlen(".dial")), s->dial,
			    c.instance, (unsigned long long)s->id);
	s->stage = NATS_OPEN;
	if (s->blocked)
		nats_wake(s->fd);
}

static void nobody(struct nats_session *s)
{
	if (s->stage == NATS_DIALING)
		nats_session_dies(
			s, -EHOSTUNREACH,
			"%s is not there: nobody of that name listens on NATS at %s under `%s`",
			s->who, s->n->servers, s->n->prefix);
	else
		nats_session_dies(s, -EPIPE, "the connection ended: %s has gone", s->who);
}

void nats_session_take(struct nats_session *s, const char *kind, natsMsg *msg)
{
	const char *bytes = nats_lib.natsMsg_GetData(msg);
	size_t n = (size_t)nats_lib.natsMsg_GetDataLength(msg);

	if (!strcmp(kind, "c") && n && !s->dead.code) {
		queue(s, msg, n);
		return;
	}
	if (!*kind && nats_lib.natsMsg_IsNoResponders(msg))
		nobody(s);
	else if (!strcmp(kind, "a"))
		told(s, bytes, n);
	else if (!strcmp(kind, "q")) {
		told(s, bytes, n);
		tell(s, ".a");
	} else if (!strcmp(kind, "o"))
		opened(s, bytes, n);
	else if (!strcmp(kind, "x"))
		nats_session_dies(s, -EPIPE,
				  n == sizeof(busy) && !memcmp(bytes, busy, n)
					  ? "%s has no room for another session"
					  : "the connection ended: %s has closed it",
				  s->who);
	nats_lib.natsMsg_Destroy(msg);
}

/* Is there room for a chunk, at the other side and in the queue for the server? An empty one always
 * has room. */
static bool can_send(struct nats_session *s, size_t n)
{
	uint64_t away = s->sent - s->acked;

	if (s->stage != NATS_OPEN || (away && away + n > RN_NATS_WINDOW))
		return false;
	if (s->n->waiting && s->n->waiting + n > RN_NATS_POSTS_MAX) {
		s->n->full = true;
		return false;
	}
	return true;
}

static int dead(struct nats_session *s, struct rn_err *err)
{
	const struct rn_err *why = s->dead.code ? &s->dead : &s->n->dead;

	if (why->code && err)
		*err = *why;
	return why->code;
}

static int nats_send(struct rn_transport *t, const void *chunk, size_t n, struct rn_err *err)
{
	struct nats_session *s = of(t);
	int r;

	pthread_mutex_lock(&s->n->lock);
	r = dead(s, err);
	if (!r) {
		s->blocked = !can_send(s, n);
		if (!s->blocked) {
			s->sent += n;
			nats_post(s->n, s, s->to, ".c", s->in, chunk, n);
			r = 1;
		}
	}
	pthread_mutex_unlock(&s->n->lock);
	return r;
}

static int nats_recv(struct rn_transport *t, const unsigned char **chunk, size_t *n,
		     struct rn_err *err)
{
	struct nats_session *s = of(t);
	natsMsg *used = s->given;
	int r = 1;

	s->given = NULL;
	pthread_mutex_lock(&s->n->lock);
	if (s->got_n) {
		s->given = s->got[s->got_first];
		s->got_first = (s->got_first + 1) % s->got_cap;
		s->got_n--;
		*chunk = (const unsigned char *)nats_lib.natsMsg_GetData(s->given);
		*n = (size_t)nats_lib.natsMsg_GetDataLength(s->given);
		s->got_bytes -= *n;
		s->n->held -= *n;
		s->taken += *n;
		if (s->taken - s->told >= RN_NATS_WINDOW / 4)
			tell(s, ".a");
	} else if (!(r = dead(s, err)) && !(s->blocked && can_send(s, 1)) &&
		   !(s->flushing && !s->posted))
		nats_calm(s->fd);
	pthread_mutex_unlock(&s->n->lock);
	nats_lib.natsMsg_Destroy(used);
	return r;
}

static int nats_flush(struct rn_transport *t, struct rn_err *err)
{
	struct nats_session *s = of(t);
	int r;

	pthread_mutex_lock(&s->n->lock);
	r = dead(s, err);
	s->flushing = !r && s->posted;
	if (!r)
		r = !s->posted;
	pthread_mutex_unlock(&s->n->lock);
	return r;
}

static unsigned nats_polls(struct rn_transport *t, int fd[2], short events[2])
{
	fd[0] = of(t)->fd;
	events[0] = POLLIN;
	return 1;
}

static void nats_close(struct rn_transport *t)
{
	struct nats_session *s = of(t);
	struct rn_nats *n = s->n;
	struct nats_session **at = &n->bucket[bucket(s->id)];

	nats_lib.natsMsg_Destroy(s->given);
	pthread_mutex_lock(&n->lock);
	while (*at != s)
		at = &(*at)->chain;
	*at = s->chain;
	if (s->to)
		nats_post(n, NULL, s->to, ".x", NULL, "", 0);
	n->held -= s->got_bytes;
	for (; s->got_n; s->got_n--) {
		nats_lib.natsMsg_Destroy(s->got[s->got_first]);
		s->got_first = (s->got_first + 1) % s->got_cap;
	}
	nats_session_unref(s);
	pthread_mutex_unlock(&n->lock);
}

static const struct rn_transport_ops nats_ops = {
	.name = "nats",
	.send = nats_send,
	.recv = nats_recv,
	.flush = nats_flush,
	.polls = nats_polls,
	.close = nats_close,
};

struct rn_transport *rn_nats_dial(struct rn_nats *n, enum rn_nats_kind kind, const char *name,
				  struct rn_err *err)
{
	struct nats_session *s = NULL;
	char *token;

	if (nats_asking(n, err))
		return NULL;
	if (!*name || strlen(name) > RN_NATS_NAME_MAX) {
		rn_err_set(err, -EINVAL, "a node's name has 1 to %d letters", RN_NATS_NAME_MAX);
		return NULL;
	}
	token = nats_name_token(name);
	pthread_mutex_lock(&n->lock);
	s = create(n, nats_random(), name, err);
	if (s) {
		s->dial = nats_format("%s.%s.%s.dial", n->prefix, nats_kind_token[kind], token);
		s->in = nats_format("%s.asks.%s.%016llx", n->prefix, n->instance,
				    (unsigned long long)s->id);
		say_dial(s);
	}
	pthread_mutex_unlock(&n->lock);
	free(token);
	return s ? &s->base : NULL;
}

/* A coordinator dials: the last word of its reply subject is its session's number. */
void nats_session_dialed(struct rn_nats *n, natsMsg *msg)
{
	const char *reply = nats_lib.natsMsg_GetReply(msg), *last = strrchr(reply, '.') + 1;
	struct nats_session *s;
	char hello[32];
	uint64_t id;

	if (strspn(last, "0123456789abcdef") != 16 || last[16])
		return;
	snprintf(hello, sizeof(hello), "runnel\n%d\n", RN_NATS_PROTOCOL);
	if ((size_t)nats_lib.natsMsg_GetDataLength(msg) != strlen(hello) ||
	    memcmp(nats_lib.natsMsg_GetData(msg), hello, strlen(hello))) {
		/* it asks who is here, or has another version: the card answers */
		nats_post(n, NULL, reply, ".o", NULL, n->card, strlen(n->card));
		return;
	}
	id = strtoull(last, NULL, 16);
	s = nats_session_find(n, id);
	if (!s) {
		if (n->stop || n->naccept == NATS_ACCEPT_MAX ||
		    !(s = create(n, id, "the coordinator", NULL))) {
			nats_post(n, NULL, reply, ".x", NULL, busy, sizeof(busy));
			return;
		}
		s->in = nats_format("%s.%s.%016llx", n->listen, n->instance,
				    (unsigned long long)id);
		s->to = rn_strdup(reply);
		s->stage = NATS_OPEN;
		s->accept = NULL;
		*n->accept_last = s;
		n->accept_last = &s->accept;
		n->naccept++;
		nats_wake(n->fd);
	} else if (!s->to || strcmp(s->to, reply))
		return; /* the number of another session */
	nats_post(n, NULL, reply, ".o", s->in, n->card, strlen(n->card));
}

struct rn_transport *rn_nats_accept(struct rn_nats *n)
{
	struct nats_session *s;

	nats_calm(n->fd);
	pthread_mutex_lock(&n->lock);
	s = n->accept;
	if (s) {
		n->accept = s->accept;
		if (!n->accept)
			n->accept_last = &n->accept;
		n->naccept--;
		if (n->accept)
			nats_wake(n->fd);
	}
	pthread_mutex_unlock(&n->lock);
	return s ? &s->base : NULL;
}
