/* nats.c - the connection to a cluster of NATS servers: queues what is sent, and hands each
 * incoming message to its session.
 *
 * libnats writes to the server in the thread that publishes, which may block. So one thread of ours
 * publishes, and all others only put messages into its queue. Threads of libnats deliver what comes
 * in: they put it into the queue of its session and wake poll. `lock` is never held while libnats
 * is called, since libnats calls us with locks of its own. */
#include "exec/nats/nats_impl.h"
#include "lang/base/memory.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { SUBSCRIBE_MS = 3000, LAST_MS = 1000, RETRY_NS = 20000000 };

void *rn_nats_need(void *p)
{
	if (!p)
		abort();
	return p;
}

void rn_nats_wake(int fd)
{
	uint64_t one = 1;

	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0)
		return; /* it is awake already */
}

void rn_nats_calm(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) < 0)
		return; /* nothing to read */
}

uint64_t rn_nats_random(void)
{
	uint64_t v;

	while (getrandom(&v, sizeof(v), 0) != sizeof(v))
		;
	return v;
}

void rn_nats_post(struct rn_nats *nats, struct rn_nats_session *session, const char *subject,
		  const char *suffix, const char *reply, const void *bytes, size_t len)
{
	size_t a = strlen(subject), b = strlen(suffix), c = reply ? strlen(reply) + 1 : 0;
	struct rn_nats_post *p = rn_malloc(sizeof(*p) + len + a + b + 1 + c);

	*p = (struct rn_nats_post){.session = session,
				   .n = len,
				   .subject = p->bytes + len,
				   .reply = c ? p->bytes + len + a + b + 1 : NULL};
	if (len)
		memcpy(p->bytes, bytes, len);
	memcpy(p->subject, subject, a);
	memcpy(p->subject + a, suffix, b + 1);
	if (c)
		memcpy(p->reply, reply, c);
	if (session) {
		session->refs++;
		session->posted++;
	}
	nats->waiting += len;
	*nats->last = p;
	nats->last = &p->next;
	pthread_cond_signal(&nats->work);
}

static void wake_session(struct rn_nats_session *s, void *self)
{
	(void)self;
	rn_nats_wake(s->fd);
}

/* The connection is dead. Each session and rn_nats_state report it. lock held. */
static void connection_dies(struct rn_nats *n, int code, const char *why, const char *hint)
{
	pthread_cond_broadcast(&n->ended);
	if (n->dead.code)
		return;
	rn_err_set(&n->dead, code, "%s", why);
	if (hint)
		rn_err_hint(&n->dead, "%s", hint);
	rn_nats_session_each(n, wake_session, NULL);
	rn_nats_wake(n->fd);
}

/* A message has been given to libnats, or failed. lock held. */
static void posted(struct rn_nats *nats, struct rn_nats_post *p, natsStatus st, const char *why)
{
	struct rn_nats_session *session = p->session;

	nats->waiting -= p->n;
	if (nats->full && nats->waiting <= RN_NATS_POSTS_MAX / 2) {
		nats->full = false;
		rn_nats_session_each(nats, wake_session, NULL);
	}
	if (st == NATS_CONNECTION_CLOSED)
		connection_dies(nats, -EPIPE, "the connection with NATS is closed", NULL);
	if (session) {
		session->posted--;
		if (st == NATS_MAX_PAYLOAD)
			rn_nats_session_dies(session, -EMSGSIZE,
					     "the NATS server takes no messages of %zu bytes: set "
					     "max_payload to %u in its configuration",
					     p->n, RN_CHUNK_MAX);
		else if (st != NATS_OK)
			rn_nats_session_dies(session, -EIO,
					     "what was sent did not reach the NATS server: %s",
					     why);
		if (!session->posted && session->flushing)
			rn_nats_wake(session->fd);
		rn_nats_session_unref(session);
	}
	free(p);
}

static bool try_later(natsStatus st)
{
	return st == NATS_INSUFFICIENT_BUFFER || st == NATS_CONNECTION_DISCONNECTED;
}

static void *send_all(void *arg)
{
	struct rn_nats *n = arg;

	pthread_mutex_lock(&n->lock);
	while (!n->stop || n->first) {
		struct rn_nats_post *p = n->first;
		natsStatus st = NATS_CONNECTION_CLOSED;
		const char *why = "";

		if (!p) {
			pthread_cond_wait(&n->work, &n->lock);
			continue;
		}
		n->first = p->next;
		if (!n->first)
			n->last = &n->first;
		pthread_mutex_unlock(&n->lock);
		for (;;) {
			st = p->reply ? rn_nats_lib.natsConnection_PublishRequest(
						n->nc, p->subject, p->reply, p->bytes, (int)p->n)
				      : rn_nats_lib.natsConnection_Publish(n->nc, p->subject,
									   p->bytes, (int)p->n);
			if (!try_later(st) || __atomic_load_n(&n->stop, __ATOMIC_RELAXED))
				break;
			/* libnats is reconnecting */
			nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
		}
		if (st != NATS_OK)
			why = rn_nats_lib.natsStatus_GetText(st);
		pthread_mutex_lock(&n->lock);
		posted(n, p, st, why);
	}
	pthread_mutex_unlock(&n->lock);
	rn_nats_lib.nats_ReleaseThreadMemory();
	return NULL;
}

/* Reads the hexadecimal digits of a number up to a dot. False: it is no number. */
static bool read_id(const char **p, uint64_t *id)
{
	char *end;

	if (strspn(*p, "0123456789abcdef") != 16)
		return false;
	*id = strtoull(*p, &end, 16);
	*p = end;
	return true;
}

/* For a subject under `base`.INSTANCE: passes SESSION.X or SESSION to its session, or to the name
 * that was asked with that number. Takes the message. lock held. */
static void to_session(struct rn_nats *n, const char *rest, natsMsg *msg)
{
	struct rn_nats_session *s = NULL;
	uint64_t id = 0;

	if (read_id(&rest, &id) && (*rest == '.' || !*rest))
		s = rn_nats_session_find(n, id);
	if (s) {
		rn_nats_session_take(s, *rest ? rest + 1 : "", msg);
		return;
	}
	if (*rest == '.' || !*rest)
		rn_nats_name_answered(n, id, *rest ? rest + 1 : "", msg);
	rn_nats_lib.natsMsg_Destroy(msg);
}

static const char *behind(const char *subject, const char *prefix)
{
	size_t k = strlen(prefix);

	return strncmp(subject, prefix, k) || subject[k] != '.' ? NULL : subject + k + 1;
}

/* Answers go only to coordinators, whatever reply a message names. */
static bool is_asker(const struct rn_nats *n, const char *reply)
{
	const char *rest = reply ? behind(reply, n->prefix) : NULL;

	return rest && !strncmp(rest, "asks.", 5) && strlen(reply) < 400 &&
	       !strpbrk(reply, "*> \t\r\n");
}

static void comes(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct rn_nats *n = arg;
	const char *subject = rn_nats_lib.natsMsg_GetSubject(msg),
		   *reply = rn_nats_lib.natsMsg_GetReply(msg), *rest, *own = NULL;

	(void)nc;
	(void)sub;
	pthread_mutex_lock(&n->lock);
	if (n->listen && (rest = behind(subject, n->listen))) {
		if (!strcmp(rest, "dial") && is_asker(n, reply)) {
			rn_nats_session_dialed(n, msg);
			rn_nats_lib.natsMsg_Destroy(msg);
		} else if ((own = behind(rest, n->instance)))
			to_session(n, own, msg);
		else
			rn_nats_lib.natsMsg_Destroy(msg);
	} else if ((rest = behind(subject, n->prefix)) && !strncmp(rest, "asks.", 5) &&
		   (own = behind(rest + 5, n->instance)) && strncmp(own, "who.", 4)) {
		to_session(n, own, msg);
	} else {
		if (rest && !strcmp(rest, "who") && n->listen && is_asker(n, reply))
			rn_nats_post(n, NULL, reply, "", NULL, n->card, strlen(n->card));
		else if (rest && rn_nats_lib.natsMsg_IsNoResponders(msg))
			n->nobody = true;
		else if (rest && !strncmp(rest, "asks.", 5) && own)
			rn_nats_card_heard(n, (unsigned)strtoul(own + 4, NULL, 10),
					   rn_nats_lib.natsMsg_GetData(msg),
					   (size_t)rn_nats_lib.natsMsg_GetDataLength(msg));
		rn_nats_lib.natsMsg_Destroy(msg);
	}
	pthread_mutex_unlock(&n->lock);
}

static void closed(natsConnection *nc, void *arg)
{
	struct rn_nats *n = arg;
	const char *said = NULL;
	char *why;

	/* our own closing comes here too: destroy waits for it */
	rn_nats_lib.natsConnection_GetLastError(nc, &said);
	why = rn_asprintf("the connection with NATS at %s is closed: %s", n->servers,
			  said && *said ? said : "it was refused again and again");
	pthread_mutex_lock(&n->lock);
	connection_dies(n, -EPIPE, why, NULL);
	n->closed = true; /* the waiting thread has been woken, and gets the lock next */
	pthread_mutex_unlock(&n->lock);
	free(why);
}

static void no_more(void *arg)
{
	struct rn_nats *n = arg;

	pthread_mutex_lock(&n->lock);
	n->delivering--;
	pthread_cond_broadcast(&n->ended);
	pthread_mutex_unlock(&n->lock);
}

static void one_reconnected(struct rn_nats_session *s, void *self)
{
	(void)self;
	rn_nats_session_reconnected(s);
}

static void reconnected(natsConnection *nc, void *arg)
{
	struct rn_nats *n = arg;

	(void)nc;
	pthread_mutex_lock(&n->lock);
	rn_nats_session_each(n, one_reconnected, NULL);
	pthread_mutex_unlock(&n->lock);
}

static void one_denied(struct rn_nats_session *s, void *self)
{
	const char *said = self;

	if ((s->dial && strstr(said, s->dial)) || (s->to && strstr(said, s->to)))
		rn_nats_session_dies(
			s, -EACCES, "the NATS server does not permit what it takes to reach %s: %s",
			s->who, said);
}

static void one_slow(struct rn_nats_session *s, void *self)
{
	(void)self;
	rn_nats_session_dies(s, -ENOBUFS,
			     "so much came from NATS that libnats had to drop some of it");
}

/* A permission is missing. Ends the sessions that need it, or whatever needs a subscription for all
 * of them. The lock is held. */
static void denied(struct rn_nats *n, char *said)
{
	char *why;

	rn_nats_session_each(n, one_denied, said);
	if (!strcasestr(said, "subscription to"))
		return;
	why = rn_asprintf("the NATS server at %s does not permit this: %s", n->servers, said);
	connection_dies(
		n, -EACCES, why,
		"see docs/cluster.md for the subjects that agents, relays and coordinators use");
	free(why);
}

static void fails(natsConnection *nc, natsSubscription *sub, natsStatus st, void *arg)
{
	struct rn_nats *n = arg;
	char said[300];

	(void)nc;
	(void)sub;
	snprintf(said, sizeof(said), "%s",
		 rn_nats_lib.nats_GetLastError(NULL) ? rn_nats_lib.nats_GetLastError(NULL) : "");
	pthread_mutex_lock(&n->lock);
	if (st == NATS_SLOW_CONSUMER)
		rn_nats_session_each(n, one_slow, NULL);
	if (st == NATS_NOT_PERMITTED)
		denied(n, said);
	pthread_mutex_unlock(&n->lock);
}

/* libnats hands a refusal to another thread, which may run after the answer to the flush. By then
 * the connection has its text. */
static void look_for_refusal(struct rn_nats *n, const char *subject)
{
	const char *last = NULL;
	char said[300];

	if (rn_nats_lib.natsConnection_GetLastError(n->nc, &last) != NATS_NOT_PERMITTED || !last)
		return;
	snprintf(said, sizeof(said), "%s", last);
	if (!strcasestr(said, "subscription to") || !strstr(said, subject))
		return;
	pthread_mutex_lock(&n->lock);
	denied(n, said);
	pthread_mutex_unlock(&n->lock);
}

int rn_nats_subscribe(struct rn_nats *nats, const char *subject, struct rn_err *err)
{
	natsStatus st;

	if (nats->nsub == NATS_SUBSCRIPTIONS)
		return rn_err_set(err, -EALREADY, "NATS at %s: there are all subscriptions already",
				  nats->servers);
	st = rn_nats_lib.natsConnection_Subscribe(&nats->sub[nats->nsub], nats->nc, subject, comes,
						  nats);
	if (st == NATS_OK) {
		pthread_mutex_lock(&nats->lock);
		nats->delivering++;
		pthread_mutex_unlock(&nats->lock);
		rn_nats_lib.natsSubscription_SetOnCompleteCB(nats->sub[nats->nsub++], no_more,
							     nats);
		st = rn_nats_lib.natsSubscription_SetPendingLimits(nats->sub[nats->nsub - 1], -1,
								   (int)RN_NATS_HELD_MAX);
	}
	if (st == NATS_OK)
		/* a refusal arrives before the answer to this */
		st = rn_nats_lib.natsConnection_FlushTimeout(nats->nc, SUBSCRIBE_MS);
	if (st != NATS_OK)
		return rn_err_set(err, -EIO, "NATS at %s does not answer: %s", nats->servers,
				  rn_nats_lib.natsStatus_GetText(st));
	look_for_refusal(nats, subject);
	return rn_nats_state(nats, err);
}

int rn_nats_asking(struct rn_nats *nats, struct rn_err *err)
{
	unsigned had = nats->nsub;
	char *subject;
	int r;

	if (nats->asking)
		return rn_nats_state(nats, err);
	subject = rn_asprintf("%s.asks.%s.>", nats->prefix, nats->instance);
	r = rn_nats_subscribe(nats, subject, err);
	free(subject);
	/* libnats keeps it, and repeats it at each server, even if this one did not answer in
	 * time */
	nats->asking = nats->nsub > had;
	return r;
}

int rn_nats_state(struct rn_nats *nats, struct rn_err *err)
{
	int r;

	pthread_mutex_lock(&nats->lock);
	r = nats->dead.code;
	if (r && err)
		*err = nats->dead;
	pthread_mutex_unlock(&nats->lock);
	return r;
}

const char *rn_nats_servers(const struct rn_nats *nats)
{
	return nats->servers;
}

unsigned rn_nats_polls(struct rn_nats *nats, int fd[2], short events[2])
{
	fd[0] = nats->fd;
	events[0] = 1; /* POLLIN */
	return 1;
}

static char *servers_shown(const struct rn_nats_spec *s)
{
	char *all = rn_strdup("");

	for (unsigned i = 0; i < s->nurl; i++) {
		char *one = rn_nats_url_shown(s->url[i]),
		     *more = rn_asprintf("%s%s%s", all, *all ? "," : "", one);

		free(one);
		free(all);
		all = more;
	}
	return all;
}

static void destroy(struct rn_nats *nats)
{
	if (nats->nc) {
		rn_nats_lib.natsConnection_Close(nats->nc);
		pthread_mutex_lock(&nats->lock);
		while (!nats->closed ||
		       nats->delivering) /* until then libnats' threads may call us */
			pthread_cond_wait(&nats->ended, &nats->lock);
		pthread_mutex_unlock(&nats->lock);
	}
	for (unsigned i = 0; i < nats->nsub; i++)
		rn_nats_lib.natsSubscription_Destroy(nats->sub[i]);
	if (nats->nc)
		rn_nats_lib.natsConnection_Destroy(nats->nc);
	if (nats->opts)
		rn_nats_lib.natsOptions_Destroy(nats->opts);
	/* answers to the last messages */
	for (struct rn_nats_post *p = nats->first, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	rn_nats_names_forget(nats);
	free(nats->card);
	free(nats->listen);
	free(nats->prefix);
	free(nats->servers);
	if (nats->seed)
		explicit_bzero(nats->seed, strlen(nats->seed));
	free(nats->seed);
	if (nats->fd >= 0)
		close(nats->fd);
	pthread_cond_destroy(&nats->work);
	pthread_cond_destroy(&nats->ended);
	pthread_mutex_destroy(&nats->lock);
	free(nats);
}

static int check_payload(struct rn_nats *n, struct rn_err *err)
{
	int64_t max = rn_nats_lib.natsConnection_GetMaxPayload(n->nc);
	char url[256] = "?";
	char *shown;

	if (max >= RN_CHUNK_MAX)
		return 0;
	rn_nats_lib.natsConnection_GetConnectedUrl(n->nc, url, sizeof(url));
	shown = rn_nats_url_shown(url);
	rn_err_set(err, -EMSGSIZE,
		   "the NATS server %s takes messages of at most %lld bytes, these are up to %u",
		   shown, (long long)max, RN_CHUNK_MAX);
	rn_err_hint(err, "set max_payload: %u (its default) or more in its configuration",
		    RN_CHUNK_MAX);
	free(shown);
	return -EMSGSIZE;
}

static int start(struct rn_nats *n, const struct rn_nats_spec *s, struct rn_err *err)
{
	natsStatus st;
	int r = rn_nats_spec_options(s, -1, &n->seed, &n->opts, err);

	if (r)
		return r;
	if ((st = rn_nats_lib.natsOptions_SetClosedCB(n->opts, closed, n)) ||
	    (st = rn_nats_lib.natsOptions_SetReconnectedCB(n->opts, reconnected, n)) ||
	    (st = rn_nats_lib.natsOptions_SetErrorHandler(n->opts, fails, n)))
		return rn_err_set(err, -EINVAL, "NATS: %s", rn_nats_lib.natsStatus_GetText(st));
	if (rn_nats_lib.natsConnection_Connect(&n->nc, n->opts) != NATS_OK)
		return rn_nats_spec_why(s, err);
	r = check_payload(n, err);
	if (!r && (r = -pthread_create(&n->sender, NULL, send_all, n)))
		rn_err_set(err, r, "no thread for NATS: %s", strerror(-r));
	return r;
}

int rn_nats_open(const char *spec, struct rn_nats **out, struct rn_err *err)
{
	struct rn_nats *n = rn_calloc(1, sizeof(*n));
	struct rn_nats_spec parsed;
	sigset_t all, was;
	int r = rn_nats_spec_parse(spec, &parsed, err);

	if (!r && (r = rn_nats_lib_load(err)))
		rn_nats_spec_free(&parsed);
	*out = NULL;
	n->last = &n->first;
	n->accept_last = &n->accept;
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->work, NULL);
	pthread_cond_init(&n->ended, NULL);
	n->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!r && n->fd < 0)
		r = rn_err_set(err, -errno, "no descriptor for NATS: %s", strerror(errno));
	if (!r) {
		n->servers = servers_shown(&parsed);
		n->prefix = rn_strdup(parsed.subject);
		snprintf(n->instance, sizeof(n->instance), "%016llx",
			 (unsigned long long)rn_nats_random());
		sigfillset(&all);
		/* signals are for the caller's thread; libnats' threads inherit this */
		pthread_sigmask(SIG_SETMASK, &all, &was);
		r = start(n, &parsed, err);
		pthread_sigmask(SIG_SETMASK, &was, NULL);
		rn_nats_spec_free(&parsed);
	}
	if (r)
		destroy(n);
	else
		*out = n;
	return r;
}

void rn_nats_close(struct rn_nats *nats)
{
	if (!nats)
		return;
	pthread_mutex_lock(&nats->lock);
	__atomic_store_n(&nats->stop, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&nats->work);
	while (nats->accept) { /* dialed, but never taken: tell the peer */
		struct rn_nats_session *session = nats->accept;

		nats->accept = session->accept;
		pthread_mutex_unlock(&nats->lock);
		session->base.ops->close(&session->base);
		pthread_mutex_lock(&nats->lock);
	}
	pthread_mutex_unlock(&nats->lock);
	pthread_join(nats->sender, NULL);
	rn_nats_lib.natsConnection_FlushTimeout(nats->nc, LAST_MS);
	destroy(nats);
}
