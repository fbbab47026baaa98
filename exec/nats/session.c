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

static struct rn_nats_session *of(struct rn_transport *t)
{
	return (struct rn_nats_session *)t;
}

struct rn_nats_session *rn_nats_session_find(struct rn_nats *nats, uint64_t id)
{
	struct rn_nats_session *s;

	HASH_FIND(by_id, nats->sessions, &id, sizeof(id), s);
	return s;
}

void rn_nats_session_each(struct rn_nats *nats, void (*f)(struct rn_nats_session *s, void *self),
			  void *self)
{
	for (struct rn_nats_session *s = nats->sessions; s; s = s->by_id.next)
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

static struct rn_nats_session *create(struct rn_nats *n, uint64_t id, const char *who,
				      struct rn_err *err)
{
	struct rn_nats_session *s;
	int fd = new_eventfd(err);

	if (fd < 0)
		return NULL;
	s = rn_calloc(1, sizeof(*s));
	s->base.ops = &nats_ops;
	s->nats = n;
	s->id = id;
	s->refs = 1;
	s->fd = fd;
	s->who = rn_strdup(who);
	HASH_ADD(by_id, n->sessions, id, sizeof(s->id), s);
	return s;
}

void rn_nats_session_unref(struct rn_nats_session *session)
{
	if (--session->refs)
		return;
	close(session->fd);
	free(session->got);
	free(session->in);
	free(session->to);
	free(session->dial);
	free(session->who);
	free(session);
}

void rn_nats_session_dies(struct rn_nats_session *session, int code, const char *fmt, ...)
{
	char text[REASON_MAX];
	va_list ap;

	if (session->dead.code)
		return; /* the first reason counts */
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rn_err_set(&session->dead, code, "%s", text);
	rn_nats_wake(session->fd);
}

/* Tells the other side how much was taken from it, and how much was sent to it. */
static void tell(struct rn_nats_session *s, const char *kind)
{
	uint64_t v[2] = {htole64(s->taken), htole64(s->sent)};

	if (!s->to)
		return;
	rn_nats_post(s->nats, NULL, s->to, kind, s->in, v, ACK_BYTES);
	s->told = s->taken;
}

static void say_dial(struct rn_nats_session *s)
{
	char text[32];

	snprintf(text, sizeof(text), "runnel\n%d\n", RN_NATS_PROTOCOL);
	rn_nats_post(s->nats, NULL, s->dial, "", s->in, text, strlen(text));
}

void rn_nats_session_reconnected(struct rn_nats_session *session)
{
	if (session->dead.code)
		return;
	if (session->dial && session->stage == RN_NATS_DIALING)
		say_dial(session);
	else
		tell(session, ".q");
}

/* Takes an `a` or a `q`. */
static void told(struct rn_nats_session *session, const char *bytes, size_t n)
{
	uint64_t v[2];

	if (n != ACK_BYTES) {
		rn_nats_session_dies(session, -EBADMSG, "what came is no message of this protocol");
		return;
	}
	memcpy(v, bytes, sizeof(v));
	v[0] = le64toh(v[0]);
	v[1] = le64toh(v[1]);
	if (v[1] != session->received)
		rn_nats_session_dies(
			session, -EPIPE,
			"the connection ended: NATS has lost %llu bytes of what %s sent",
			(unsigned long long)(v[1] - session->received), session->who);
	else if (v[0] > session->sent || v[0] < session->acked)
		rn_nats_session_dies(
			session, -EBADMSG,
			"what came is no message of this protocol: more was taken than sent");
	session->acked = v[0];
	if (session->blocked)
		rn_nats_wake(session->fd);
}

static void queue(struct rn_nats_session *session, natsMsg *msg, size_t n)
{
	struct rn_nats *net = session->nats;

	session->received += n;
	if (session->got_bytes + n > RN_NATS_WINDOW + RN_CHUNK_MAX ||
	    net->held + n > RN_NATS_HELD_MAX) {
		rn_nats_session_dies(
			session, -ENOBUFS,
			net->held + n > RN_NATS_HELD_MAX
				? "more than %u MiB wait to be read: what %s sent is dropped"
				: "more than %u MiB came unasked: what %s sent is dropped",
			net->held + n > RN_NATS_HELD_MAX ? RN_NATS_HELD_MAX >> 20
							 : RN_NATS_WINDOW >> 20,
			session->who);
		rn_nats_lib.natsMsg_Destroy(msg);
		return;
	}
	if (session->got_n == session->got_cap) {
		size_t cap = session->got_cap ? 2 * session->got_cap : 4;
		natsMsg **more = rn_malloc(cap * sizeof(natsMsg *));

		for (size_t i = 0; i < session->got_n; i++)
			more[i] = session->got[(session->got_first + i) % session->got_cap];
		free(session->got);
		session->got = more;
		session->got_first = 0;
		session->got_cap = cap;
	}
	session->got[(session->got_first + session->got_n++) % session->got_cap] = msg;
	session->got_bytes += n;
	net->held += n;
	rn_nats_wake(session->fd);
}

/* A member has answered to what was dialed. */
static void opened(struct rn_nats_session *session, const char *bytes, size_t n)
{
	struct rn_nats_card card;

	if (!session->dial || !rn_nats_card_read(&card, bytes, n)) {
		rn_nats_session_dies(session, -EBADMSG, "what came is no message of this protocol");
		return;
	}
	if (session->stage == RN_NATS_OPEN && strcmp(card.instance, session->instance))
		rn_nats_session_dies(
			session, -EEXIST,
			"two %s are called %s: one at %s; give one another name with --node",
			card.kind == RN_NATS_AGENT ? "agents" : "relays", card.name, card.host);
	if (session->stage == RN_NATS_OPEN)
		return;
	if (card.protocol != RN_NATS_PROTOCOL) {
		rn_nats_session_dies(
			session, -EPROTO,
			"%s runs Runnel %s, which speaks version %u of the protocol of "
			"NATS, this side %d: upgrade the older one",
			card.name, card.version, card.protocol, RN_NATS_PROTOCOL);
		return;
	}
	memcpy(session->instance, card.instance, sizeof(session->instance));
	session->to = rn_asprintf("%.*s.%s.%016llx", (int)(strlen(session->dial) - strlen(".dial")),
				  session->dial, card.instance, (unsigned long long)session->id);
	session->stage = RN_NATS_OPEN;
	if (session->blocked)
		rn_nats_wake(session->fd);
}

static void nobody(struct rn_nats_session *s)
{
	if (s->stage == RN_NATS_DIALING)
		rn_nats_session_dies(
			s, -EHOSTUNREACH,
			"%s is not there: nobody of that name listens on NATS at %s under `%s`",
			s->who, s->nats->servers, s->nats->prefix);
	else
		rn_nats_session_dies(s, -EPIPE, "the connection ended: %s has gone", s->who);
}

void rn_nats_session_take(struct rn_nats_session *session, const char *kind, natsMsg *msg)
{
	const char *bytes = rn_nats_lib.natsMsg_GetData(msg);
	size_t n = (size_t)rn_nats_lib.natsMsg_GetDataLength(msg);

	if (!strcmp(kind, "c") && n && !session->dead.code) {
		queue(session, msg, n);
		return;
	}
	if (!*kind && rn_nats_lib.natsMsg_IsNoResponders(msg))
		nobody(session);
	else if (!strcmp(kind, "a"))
		told(session, bytes, n);
	else if (!strcmp(kind, "q")) {
		told(session, bytes, n);
		tell(session, ".a");
	} else if (!strcmp(kind, "o"))
		opened(session, bytes, n);
	else if (!strcmp(kind, "x"))
		rn_nats_session_dies(session, -EPIPE,
				     n == sizeof(busy) && !memcmp(bytes, busy, n)
					     ? "%s has no room for another session"
					     : "the connection ended: %s has closed it",
				     session->who);
	rn_nats_lib.natsMsg_Destroy(msg);
}

/* Is there room for a chunk, at the other side and in the queue for the server? An empty one always
 * has room. */
static bool can_send(struct rn_nats_session *s, size_t n)
{
	uint64_t away = s->sent - s->acked;

	if (s->stage != RN_NATS_OPEN || (away && away + n > RN_NATS_WINDOW))
		return false;
	if (s->nats->waiting && s->nats->waiting + n > RN_NATS_POSTS_MAX) {
		s->nats->full = true;
		return false;
	}
	return true;
}

static int dead(struct rn_nats_session *s, struct rn_err *err)
{
	const struct rn_err *why = s->dead.code ? &s->dead : &s->nats->dead;

	if (why->code && err)
		*err = *why;
	return why->code;
}

static int nats_send(struct rn_transport *t, const void *chunk, size_t n, struct rn_err *err)
{
	struct rn_nats_session *s = of(t);
	int r;

	pthread_mutex_lock(&s->nats->lock);
	r = dead(s, err);
	if (!r) {
		s->blocked = !can_send(s, n);
		if (!s->blocked) {
			s->sent += n;
			rn_nats_post(s->nats, s, s->to, ".c", s->in, chunk, n);
			r = 1;
		}
	}
	pthread_mutex_unlock(&s->nats->lock);
	return r;
}

static int nats_recv(struct rn_transport *transport, const unsigned char **chunk, size_t *n,
		     struct rn_err *err)
{
	struct rn_nats_session *session = of(transport);
	natsMsg *used = session->given;
	int r = 1;

	session->given = NULL;
	pthread_mutex_lock(&session->nats->lock);
	if (session->got_n) {
		session->given = session->got[session->got_first];
		session->got_first = (session->got_first + 1) % session->got_cap;
		session->got_n--;
		*chunk = (const unsigned char *)rn_nats_lib.natsMsg_GetData(session->given);
		*n = (size_t)rn_nats_lib.natsMsg_GetDataLength(session->given);
		session->got_bytes -= *n;
		session->nats->held -= *n;
		session->taken += *n;
		if (session->taken - session->told >= RN_NATS_WINDOW / 4)
			tell(session, ".a");
	} else if (!(r = dead(session, err)) && !(session->blocked && can_send(session, 1)) &&
		   !(session->flushing && !session->posted))
		rn_nats_calm(session->fd);
	pthread_mutex_unlock(&session->nats->lock);
	rn_nats_lib.natsMsg_Destroy(used);
	return r;
}

static int nats_flush(struct rn_transport *t, struct rn_err *err)
{
	struct rn_nats_session *s = of(t);
	int r;

	pthread_mutex_lock(&s->nats->lock);
	r = dead(s, err);
	s->flushing = !r && s->posted;
	if (!r)
		r = !s->posted;
	pthread_mutex_unlock(&s->nats->lock);
	return r;
}

static unsigned nats_polls(struct rn_transport *t, int fd[2], short events[2])
{
	fd[0] = of(t)->fd;
	events[0] = POLLIN;
	return 1;
}

static void nats_close(struct rn_transport *transport)
{
	struct rn_nats_session *session = of(transport);
	struct rn_nats *n = session->nats;

	rn_nats_lib.natsMsg_Destroy(session->given);
	pthread_mutex_lock(&n->lock);
	HASH_DELETE(by_id, n->sessions, session);
	if (session->to)
		rn_nats_post(n, NULL, session->to, ".x", NULL, "", 0);
	n->held -= session->got_bytes;
	for (; session->got_n; session->got_n--) {
		rn_nats_lib.natsMsg_Destroy(session->got[session->got_first]);
		session->got_first = (session->got_first + 1) % session->got_cap;
	}
	rn_nats_session_unref(session);
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

struct rn_transport *rn_nats_dial(struct rn_nats *nats, enum rn_nats_kind kind, const char *name,
				  struct rn_err *err)
{
	struct rn_nats_session *session = NULL;
	char *token;

	if (rn_nats_asking(nats, err))
		return NULL;
	if (!*name || strlen(name) > RN_NATS_NAME_MAX) {
		rn_err_set(err, -EINVAL, "a node's name has 1 to %d letters", RN_NATS_NAME_MAX);
		return NULL;
	}
	token = rn_nats_name_token(name);
	pthread_mutex_lock(&nats->lock);
	session = create(nats, rn_nats_random(), name, err);
	if (session) {
		session->dial =
			rn_asprintf("%s.%s.%s.dial", nats->prefix, rn_nats_kind_token[kind], token);
		session->in = rn_asprintf("%s.asks.%s.%016llx", nats->prefix, nats->instance,
					  (unsigned long long)session->id);
		say_dial(session);
	}
	pthread_mutex_unlock(&nats->lock);
	free(token);
	return session ? &session->base : NULL;
}

/* A coordinator dials: the last word of its reply subject is its session's number. */
void rn_nats_session_dialed(struct rn_nats *nats, natsMsg *msg)
{
	const char *reply = rn_nats_lib.natsMsg_GetReply(msg), *last = strrchr(reply, '.') + 1;
	struct rn_nats_session *session;
	char hello[32];
	uint64_t id;

	if (strspn(last, "0123456789abcdef") != 16 || last[16])
		return;
	snprintf(hello, sizeof(hello), "runnel\n%d\n", RN_NATS_PROTOCOL);
	if ((size_t)rn_nats_lib.natsMsg_GetDataLength(msg) != strlen(hello) ||
	    memcmp(rn_nats_lib.natsMsg_GetData(msg), hello, strlen(hello))) {
		/* it asks who is here, or has another version: the card answers */
		rn_nats_post(nats, NULL, reply, ".o", NULL, nats->card, strlen(nats->card));
		return;
	}
	id = strtoull(last, NULL, 16);
	session = rn_nats_session_find(nats, id);
	if (!session) {
		if (nats->stop || nats->naccept == NATS_ACCEPT_MAX ||
		    !(session = create(nats, id, "the coordinator", NULL))) {
			rn_nats_post(nats, NULL, reply, ".x", NULL, busy, sizeof(busy));
			return;
		}
		session->in = rn_asprintf("%s.%s.%016llx", nats->listen, nats->instance,
					  (unsigned long long)id);
		session->to = rn_strdup(reply);
		session->stage = RN_NATS_OPEN;
		session->accept = NULL;
		*nats->accept_last = session;
		nats->accept_last = &session->accept;
		nats->naccept++;
		rn_nats_wake(nats->fd);
	} else if (!session->to || strcmp(session->to, reply))
		return; /* the number of another session */
	rn_nats_post(nats, NULL, reply, ".o", session->in, nats->card, strlen(nats->card));
}

struct rn_transport *rn_nats_accept(struct rn_nats *nats)
{
	struct rn_nats_session *s;

	rn_nats_calm(nats->fd);
	pthread_mutex_lock(&nats->lock);
	s = nats->accept;
	if (s) {
		nats->accept = s->accept;
		if (!nats->accept)
			nats->accept_last = &nats->accept;
		nats->naccept--;
		if (nats->accept)
			rn_nats_wake(nats->fd);
	}
	pthread_mutex_unlock(&nats->lock);
	return s ? &s->base : NULL;
}
