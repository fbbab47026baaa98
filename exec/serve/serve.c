/* serve.c - see serve.h. Invariants: a peer says hello before all else. A query's number is new on
 * its link. A job's messages are put on its link only while the link has room, so that the job
 * bounds what waits.
 *
 * Before the policy is asked, a peer costs little: messages of HELLO_MAX bytes until it has said
 * hello, then a query's bytes as they came. The job decodes these after the policy has let them in.
 * All else that a peer may send is short. */
#include "exec/serve/serve.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_LINKS = 4096,
	ARENA = 1 << 20,
	TURN_MS = 500,
	HELLO_MAX = 64 << 10,
	SHORT_MAX = 4 << 10
};

struct peer {
	struct peer *next;
	struct rn_link *link;
	struct query {
		struct query *next;
		struct rn_job *job;
	} * queries;
	char *name, *asker;
	int32_t *pids;
	unsigned npids;
	bool greeted, dead;
	unsigned depth;
	int64_t heard_ns;
	uint64_t seq;
	struct rn_err err; /* if dead */
};
struct server {
	const struct rn_serve_opts *opts;
	struct peer *peers;
	struct query *orphans;  /* of links that are gone: they end as soon as possible */
	struct rn_arena *arena; /* for one message */
	int wake_fd;
	int64_t base_ns;
	unsigned char *buf;
	size_t cap;
};

static void reply(struct server *s, struct peer *p, uint32_t query, struct rn_frame *f)
{
	size_t n = 0;

	f->node = p->name ? p->name : "";
	f->seq = p->seq++;
	if (rn_frame_encode(f, NULL, 0, 0, &s->buf, &n, &s->cap) >= 0)
		rn_link_send(p->link, RN_LANE_CONTROL, query, s->buf + 4, n - 4);
}

static void refuse(struct server *s, struct peer *p, uint32_t query, const struct rn_err *err)
{
	struct rn_frame f = {.kind = RN_FRAME_ERROR, .error = *err};

	reply(s, p, query, &f);
}

static struct query *find(struct peer *p, uint32_t query)
{
	for (struct query *q = p->queries; q; q = q->next)
		if (rn_job_query(q->job) == query)
			return q;
	return NULL;
}

static unsigned running(const struct server *s)
{
	unsigned n = 0;

	for (const struct peer *p = s->peers; p; p = p->next)
		for (const struct query *q = p->queries; q; q = q->next)
			n++;
	for (const struct query *q = s->orphans; q; q = q->next)
		n++;
	return n;
}

static int greet(struct server *s, struct peer *p, const struct rn_frame *in)
{
	const struct rn_serve_opts *opts = s->opts;
	struct rn_frame frame = {.kind = RN_FRAME_HELLO};

	if (p->greeted)
		return rn_err_set(&p->err, -EPROTO, "the peer says hello twice");
	if (in->hello.depth > RN_DEPTH_MAX)
		return rn_err_set(
			&p->err, -EPROTO,
			"more than %d relays one below another: does a hosts file name itself?",
			RN_DEPTH_MAX);
	p->greeted = true;
	rn_link_allow(p->link, RN_FRAME_MAX);
	p->depth = in->hello.depth;
	p->name = rn_strdup(opts->node ? opts->node : in->hello.name);
	p->asker = rn_strdup(in->hello.asker);
	/* ids of another place mean nothing here */
	p->npids = strcmp(in->hello.place, opts->place ? opts->place : "") ? 0 : in->hello.npids;
	p->pids = rn_calloc(p->npids + 1, sizeof(*p->pids));
	if (p->npids)
		memcpy(p->pids, in->hello.pids, p->npids * sizeof(*p->pids));
	frame.hello = (struct rn_hello){.program = opts->program,
					.kind = opts->kind,
					.name = p->name,
					.asker = "",
					.place = opts->place,
					.nodes = opts->nodes,
					.clock_base_ns = s->base_ns};
	reply(s, p, 0, &frame);
	return 0;
}

static int take_fragment(struct server *s, struct peer *p, const struct rn_message *message)
{
	struct rn_job_from from = {.query = message->query,
				   .name = p->name,
				   .asker = p->asker,
				   .pids = p->pids,
				   .npids = p->npids,
				   .depth = p->depth,
				   .clock_ns = s->base_ns,
				   .fragment = message->bytes,
				   .n = message->n};
	struct rn_err err = {0};
	struct query *q;

	if (find(p, message->query))
		return rn_err_set(&p->err, -EPROTO, "query %u was asked twice", message->query);
	if (s->opts->ask && s->opts->ask(s->opts->body_self, p->asker, &err)) {
		refuse(s, p, message->query, &err);
		return 0;
	}
	if (s->opts->room && s->opts->room(s->opts->body_self, running(s), &err)) {
		refuse(s, p, message->query, &err);
		return 0;
	}
	q = rn_calloc(1, sizeof(*q));
	q->job = rn_job_create(&from, s->opts->body, s->opts->body_self, s->wake_fd);
	q->next = p->queries;
	p->queries = q;
	return 0;
}

static int take(struct server *s, struct peer *p, const struct rn_message *message)
{
	struct rn_frame in, out = {.kind = RN_FRAME_PONG};
	struct query *q;
	int r, kind = rn_frame_kind(message->bytes, message->n);

	if (!p->greeted && kind != RN_FRAME_HELLO)
		return rn_err_set(&p->err, -EPROTO, "the peer does not say hello first");
	if (kind == RN_FRAME_FRAGMENT)
		return take_fragment(s, p, message);
	if (message->n > (kind == RN_FRAME_HELLO ? HELLO_MAX : SHORT_MAX))
		return rn_err_set(&p->err, -EPROTO,
				  "the peer sent %zu bytes instead of a short message", message->n);
	rn_arena_reset(s->arena);
	r = rn_frame_decode(s->arena, message->bytes, message->n, NULL, 0, 0, &in, &p->err);
	if (r)
		return r;
	q = find(p, message->query);
	switch (in.kind) {
	case RN_FRAME_HELLO: return greet(s, p, &in);
	case RN_FRAME_PING:
		out.sent_ns = in.sent_ns;
		out.node_ns = rn_mono_ns() + s->base_ns;
		reply(s, p, 0, &out);
		return 0;
	case RN_FRAME_START:
		if (q) /* else it has ended by itself */
			rn_job_start(q->job, in.first_ns, in.until_ns);
		return 0;
	case RN_FRAME_STOP:
		if (q)
			rn_job_stop(q->job, in.wait_ns);
		return 0;
	case RN_FRAME_PEEK:
		if (q)
			rn_job_command(q->job, RN_JOB_PEEK, in.peek);
		return 0;
	default: return rn_err_set(&p->err, -EPROTO, "the peer sends what only a node sends");
	}
}

static int take_all(struct server *s, struct peer *p)
{
	struct rn_message m;
	int r;

	while ((r = rn_link_next(p->link, &m, &p->err)) > 0) {
		p->heard_ns = rn_mono_ns();
		if (rn_link_waiting(p->link) > RN_LINK_MAX + RN_JOB_ROOM_PARTIALS)
			return rn_err_set(&p->err, -EPROTO,
					  "the peer asks, and does not read the answers");
		if ((r = take(s, p, &m)) < 0)
			break;
	}
	return r;
}

/* Sends the messages of a peer's jobs, as far as the link has room. */
static int give_all(struct peer *p)
{
	for (struct query **at = &p->queries, *q; (q = *at);) {
		struct rn_job_message *m;

		while (rn_link_room(p->link) && (m = rn_job_take(q->job))) {
			rn_link_send(p->link, m->lane, rn_job_query(q->job), m->bytes, m->n);
			free(m);
		}
		if (!rn_job_done(q->job)) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		rn_job_destroy(q->job);
		free(q);
		malloc_trim(0); /* compiling a query takes much memory, running it little */
	}
	return rn_link_pump(p->link, &p->err);
}

static struct peer *add_peer(struct server *s, struct rn_transport *t)
{
	struct peer *p = rn_calloc(1, sizeof(*p));

	p->link = rn_link_create(t, HELLO_MAX);
	p->heard_ns = rn_mono_ns();
	p->next = s->peers;
	return s->peers = p;
}

static void free_peer(struct server *s, struct peer *p)
{
	for (struct query *q = p->queries, *next; q; q = next) {
		next = q->next;
		rn_job_command(q->job, RN_JOB_ABORT, 0);
		q->next = s->orphans;
		s->orphans = q;
	}
	rn_link_destroy(p->link);
	free(p->name);
	free(p->asker);
	free(p->pids);
	free(p);
}

static void bury_orphans(struct server *s, bool wait)
{
	for (struct query **at = &s->orphans, *q; (q = *at);) {
		for (struct rn_job_message *m; (m = rn_job_take(q->job));)
			free(m);
		if (!wait && !rn_job_done(q->job)) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		rn_job_destroy(q->job);
		free(q);
	}
}

static unsigned polls(struct server *s, struct pollfd *fds, unsigned max)
{
	unsigned n = 0;
	int fd[2];
	short ev[2];

	fds[n++] = (struct pollfd){.fd = s->wake_fd, .events = POLLIN};
	if (s->opts->polls)
		for (unsigned i = 0, k = s->opts->polls(s->opts->accept_self, fd, ev); i < k; i++)
			fds[n++] = (struct pollfd){.fd = fd[i], .events = ev[i]};
	for (struct peer *p = s->peers; p && n + 2 < max; p = p->next)
		for (unsigned i = 0, k = rn_link_polls(p->link, fd, ev); i < k; i++)
			fds[n++] = (struct pollfd){.fd = fd[i], .events = ev[i]};
	return n;
}

static void wait_for_work(struct server *s)
{
	struct pollfd fds[2 * MAX_LINKS + 4];
	uint64_t count;

	poll(fds, polls(s, fds, 2 * MAX_LINKS), TURN_MS);
	if (read(s->wake_fd, &count, sizeof(count)) < 0) /* nothing was there: no error */
		return;
}

/* Makes one turn over all links. err gets the reason of the last one that died. */
static int turn(struct server *s, struct rn_err *err)
{
	int64_t now = rn_mono_ns();
	int r = 0;

	for (struct rn_transport *transport;
	     s->opts->accept && (transport = s->opts->accept(s->opts->accept_self));)
		add_peer(s, transport);
	for (struct peer **at = &s->peers, *p; (p = *at);) {
		int one = take_all(s, p), two = give_all(p);

		if (!one && !two && now - p->heard_ns > s->opts->lease_ns)
			one = rn_err_set(&p->err, -ETIMEDOUT,
					 "nothing came from the coordinator for %lld s: its "
					 "queries are ended",
					 (long long)(s->opts->lease_ns / 1000000000));
		if (!one && !two) {
			at = &p->next;
			continue;
		}
		if (one == -EBADMSG || one == -EPROTO) { /* tell the peer, as far as possible */
			refuse(s, p, 0, &p->err);
			rn_link_pump(p->link, &(struct rn_err){0});
		}
		*err = p->err;
		r = one ? one : two;
		*at = p->next;
		free_peer(s, p);
	}
	return r;
}

int rn_serve(const struct rn_serve_opts *opts, struct rn_transport *first, struct rn_err *err)
{
	struct server s = {
		.opts = opts, .arena = rn_arena_create(ARENA), .base_ns = rn_event_clock_base()};
	int r = 0;

	s.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (s.wake_fd < 0)
		return rn_err_set(err, -errno, "no eventfd: %s", strerror(errno));
	if (first)
		add_peer(&s, first);
	while (!*opts->stop) {
		wait_for_work(&s);
		r = turn(&s, err);
		if (!s.peers && !opts->accept)
			break;
		bury_orphans(&s, false);
		r = 0;
	}
	for (struct peer *p = s.peers, *next; p; p = next) {
		next = p->next;
		free_peer(&s, p);
	}
	if (!opts->quit || !s.orphans) {
		bury_orphans(&s, true);
		close(s.wake_fd);
		rn_arena_destroy(s.arena);
		free(s.buf);
	}
	return r;
}
