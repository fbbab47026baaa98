/* sim_nodes.c - see sim_nodes.h.
 *
 * Chunks of the data lane carry no name of the node, only the query and a running number. So nodes
 * that send the same send the same bytes. A `stream` holds them, made by a link of its own. A node
 * is a link for control and a place in its stream. Relays have a stream each, because their ledgers
 * name nodes. */
#include "tests/support/sim_nodes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "exec/wire/codec.h"
#include "exec/fleet/fleet.h"
#include "exec/groups/groups.h"
#include "exec/serve/serve.h"
#include "exec/groups/stage.h"
#include "tests/support/sim_nats.h"
#include "lang/base/clock.h"

enum { VARIANTS = 16, MAX_EVENTS = 8, BATCH = 256, LISTENER = -1, TIMER = -2 };

struct chunk {
	size_t n;
	unsigned char *bytes;
};
struct stream {
	struct rn_transport base; /* takes the chunks that `l` makes */
	struct rn_link *l;
	struct chunk *c;
	unsigned n, cap;
	unsigned due;   /* chunks that may be sent */
	unsigned first; /* the relay's number, if it is one */
	struct rn_groups *g;
	int64_t events;
};
struct node {
	struct rn_link *l;
	struct rn_transport *t; /* of l */
	struct stream *s;
	unsigned number, at; /* at: chunks of the stream that are sent */
	bool greeted, running, stopping, blocked;
};
struct sim {
	const struct sim_opts *o;
	struct rn_arena *a, *scratch;
	const char *place;
	struct node *n;
	unsigned connected, running;
	struct stream *s;
	unsigned ns;
	struct rn_groups *variant[VARIANTS];
	int64_t variant_events[VARIANTS];
	struct rn_fragment *f; /* the query; NULL: none yet */
	uint32_t query;
	int64_t base_ns, window_ns; /* window: that is prepared; 0: none */
	struct sim_nats *nats;
	int listener, timer, poll; /* listener: of NATS an eventfd */
	unsigned char *buf;
	size_t cap;
	bool stopping;
	int failed;
};

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

static int64_t now_ns(const struct sim *s)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec + s->base_ns;
}

/* ---- the same bytes for many ---- */

static int keep_chunk(struct rn_transport *t, const void *bytes, size_t n, struct rn_err *err)
{
	struct stream *s = (struct stream *)t;

	(void)err;
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		s->c = need(realloc(s->c, s->cap * sizeof(*s->c)));
	}
	s->c[s->n++] = (struct chunk){n, memcpy(need(malloc(n)), bytes, n)};
	return 1;
}
static int no_chunk(struct rn_transport *t, const unsigned char **chunk, size_t *n,
		    struct rn_err *err)
{
	(void)t, (void)chunk, (void)n, (void)err;
	return 0;
}
static int flushed(struct rn_transport *t, struct rn_err *err)
{
	(void)t, (void)err;
	return 1;
}
static unsigned no_polls(struct rn_transport *t, int fd[2], short events[2])
{
	(void)t, (void)fd, (void)events;
	return 0;
}
static void no_close(struct rn_transport *t)
{
	(void)t;
}
static const struct rn_transport_ops keep_ops = {
	.name = "kept",
	.send = keep_chunk,
	.recv = no_chunk,
	.flush = flushed,
	.polls = no_polls,
	.close = no_close,
};

static void add_frame(struct sim *s, struct stream *to, struct rn_frame *f)
{
	const struct rn_fragment *g = s->f;
	struct rn_err err = {0};
	size_t n = 0;

	f->node = "simulated";
	if (rn_frame_encode(f, g->aggs, g->naggs, g->nkeys, &s->buf, &n, &s->cap) < 0)
		abort();
	rn_link_send(to->l, RN_LANE_DATA, s->query, s->buf + 4, n - 4);
	rn_link_pump(to->l, &err);
}

static void free_chunks(struct stream *s)
{
	for (unsigned i = 0; i < s->n; i++)
		free(s->c[i].bytes);
	free(s->c);
}

/* ---- what they answer ---- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* One to eight events of each key; numbers are spread over five powers of ten, like latencies. */
static struct rn_groups *make_variant(struct sim *s, unsigned v)
{
	const struct rn_fragment *f = s->f;
	struct rn_groups *g = rn_groups_create(f->aggs, f->naggs, f->nkeys, 0);
	struct rn_value *key = RN_NEWN(s->a, struct rn_value, f->nkeys + 1),
			*arg = RN_NEWN(s->a, struct rn_value, f->naggs + 1);

	for (unsigned k = 0; k < s->o->keys; k++) {
		unsigned events = 1 + (unsigned)(mix(v * 1000003u + k) % MAX_EVENTS);
		const char *text = rn_arena_printf(s->a, "/srv/data/part-%04u/segment", k);

		for (unsigned i = 0; i < f->nkeys; i++)
			key[i] = f->keys[i]->ty.type == RN_T_STR ? rn_strn(text, strlen(text))
								 : rn_int(k);
		for (unsigned e = 0; e < events; e++) {
			uint64_t r = mix((uint64_t)v << 40 | (uint64_t)k << 8 | e);

			for (unsigned i = 0; i < f->naggs; i++)
				arg[i] = rn_int((int64_t)((1000 + r % 9000) << (r >> 32) % 14));
			rn_groups_update(g, 0, key, arg, 0);
		}
		s->variant_events[v] += events;
	}
	return g;
}

static int merge_into(void *self, const struct rn_partials *p)
{
	rn_groups_merge(self, p);
	return 0;
}

static void make_streams(struct sim *s)
{
	unsigned below = s->o->below;

	for (unsigned v = 0; v < VARIANTS; v++)
		s->variant[v] = make_variant(s, v);
	for (unsigned i = 0; i < s->ns; i++) {
		struct stream *to = &s->s[i];

		if (!below) {
			to->g = s->variant[i];
			to->events = s->variant_events[i];
			continue;
		}
		to->first = i * below;
		to->g = rn_groups_create(s->f->aggs, s->f->naggs, s->f->nkeys, 0);
		for (unsigned k = 0; k < below; k++) {
			rn_groups_visit(s->variant[(to->first + k) % VARIANTS], INT64_MAX, false,
					merge_into, to->g);
			to->events += s->variant_events[(to->first + k) % VARIANTS];
		}
	}
}

struct place {
	struct sim *s;
	struct stream *to;
};

static int add_partials(void *self, const struct rn_partials *p)
{
	struct place *x = self;
	struct rn_frame f = {.kind = RN_FRAME_PARTIALS, .partials = *p};

	f.partials.window_ns = x->s->window_ns;
	add_frame(x->s, x->to, &f);
	return 0;
}

static void arm(struct sim *s, int64_t at_ns)
{
	int64_t t = at_ns - s->base_ns;
	struct itimerspec when = {
		.it_value = {.tv_sec = t / 1000000000, .tv_nsec = t % 1000000000}};

	timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Everything about the next window but the sending. One that would end before it is ready is left
 * out. */
static void prepare(struct sim *s)
{
	int64_t every = s->f->every_ns, next = rn_window_start(now_ns(s), every);

	s->window_ns = s->window_ns && next <= s->window_ns ? s->window_ns + every : next;
	for (unsigned i = 0; i < s->ns; i++) {
		struct place x = {s, &s->s[i]};
		struct rn_frame mark = {.kind = RN_FRAME_WATERMARK,
					.watermark_ns = s->window_ns + every,
					.seen = s->s[i].events,
					.answering = s->o->below ? s->o->below : 1,
					.whole = s->o->below ? s->o->below : 1};

		rn_groups_visit(s->s[i].g, INT64_MAX, false, add_partials, &x);
		add_frame(s, &s->s[i], &mark);
	}
	arm(s, s->window_ns + every);
}

static void tell_expected(struct sim *s)
{
	int64_t events = 0;
	size_t bytes = 0;

	prepare(s);
	for (unsigned i = 0; i < s->o->nodes; i++) {
		const struct stream *from = s->n[i].s;

		events += from->events;
		for (unsigned k = from->due; k < from->n; k++)
			bytes += from->c[k].n;
	}
	fprintf(s->o->report, "expects %lld %zu\n", (long long)events, bytes);
	fflush(s->o->report);
}

static void add_ends(struct sim *s)
{
	s->stopping = true;
	for (unsigned i = 0; i < s->ns; i++) {
		struct rn_frame end = {.kind = RN_FRAME_END};
		unsigned n = s->o->below ? s->o->below : 1;

		for (unsigned k = 0; k < n; k++) {
			struct rn_frame l = {
				.kind = RN_FRAME_LEDGER,
				.ledger = {.answered = true,
					   .begin_ns = s->window_ns,
					   .end_ns = now_ns(s),
					   .place = rn_arena_printf(s->a, "%s simulated %u",
								    s->place, s->s[i].first + k)}};

			l.ledger.node = rn_arena_printf(s->a, "n%u", s->s[i].first + k);
			add_frame(s, &s->s[i], &l);
		}
		add_frame(s, &s->s[i], &end);
		s->s[i].due = s->s[i].n;
	}
}

/* ---- one node ---- */

static void watch(struct sim *s, struct node *n, bool out)
{
	struct epoll_event e = {.events = out ? EPOLLIN | EPOLLOUT : EPOLLIN,
				.data.u64 = (uint64_t)(n - s->n)};
	int fd[2];
	short ev[2];

	n->blocked = out;
	if (rn_link_polls(n->l, fd, ev))
		epoll_ctl(s->poll, EPOLL_CTL_MOD, fd[0], &e);
}

static void drop(struct sim *s, struct node *n, const char *why)
{
	if (!s->stopping && s->o->report)
		fprintf(s->o->report, "lost %u: %s\n", n->number, why);
	rn_link_destroy(n->l);
	n->l = NULL;
	s->running -= n->running;
}

static void give(struct sim *s, struct node *n)
{
	struct rn_err err = {0};
	int r = rn_link_pump(n->l, &err);

	while (r >= 0 && n->running && n->at < n->s->due) {
		const struct chunk *c = &n->s->c[n->at];

		r = n->t->ops->send(n->t, c->bytes, c->n, &err);
		if (r <= 0)
			break;
		n->at++;
	}
	if (r >= 0)
		r = n->t->ops->flush(n->t, &err);
	if (r < 0)
		drop(s, n, err.text);
	else if (n->blocked != (!r || rn_link_waiting(n->l) > 0))
		watch(s, n, !n->blocked);
}

static void say(struct sim *s, struct node *n, uint32_t query, struct rn_frame *f)
{
	size_t len = 0;

	f->node = "simulated";
	if (rn_frame_encode(f, NULL, 0, 0, &s->buf, &len, &s->cap) < 0)
		abort();
	rn_link_send(n->l, RN_LANE_CONTROL, query, s->buf + 4, len - 4);
}

static int greet(struct sim *s, struct node *n, const struct rn_frame *in)
{
	bool relay = s->o->below;
	struct rn_frame f = {.kind = RN_FRAME_HELLO};

	n->number = (unsigned)atoi(in->hello.name + 1);
	n->s = &s->s[n->number % s->ns];
	f.hello = (struct rn_hello){.program = "simulated",
				    .kind = relay ? "relay" : "agent",
				    .name = in->hello.name,
				    .asker = "",
				    .place = s->place,
				    .nodes = s->o->below};
	say(s, n, 0, &f);
	return 0;
}

static int accept_query(struct sim *s, struct node *n, const struct rn_message *m,
			struct rn_err *err)
{
	struct rn_frame in,
		out = {.kind = RN_FRAME_ACCEPTED, .nodes = s->o->below ? s->o->below : 1};
	int r = 0;

	if (!s->f) {
		r = rn_frame_decode(s->a, memcpy(rn_arena_alloc(s->a, m->n), m->bytes, m->n), m->n,
				    NULL, 0, 0, &in, err);
		if (!r)
			r = rn_fragment_bind_aggs(in.fragment, err);
		if (r)
			return r;
		if (!in.fragment->grouped || !in.fragment->every_ns)
			return rn_err_set(
				err, -EINVAL,
				"simulated nodes answer queries with groups and windows only");
		s->f = in.fragment;
		s->query = m->query;
		make_streams(s);
	}
	if (m->query != s->query || n->running)
		return rn_err_set(err, -EINVAL, "simulated nodes take one query");
	say(s, n, m->query, &out);
	return 0;
}

static int take(struct sim *s, struct node *n, const struct rn_message *m, struct rn_err *err)
{
	struct rn_frame in, out = {.kind = RN_FRAME_PONG};
	int r;

	rn_arena_reset(s->scratch);
	r = rn_frame_decode(s->scratch, m->bytes, m->n, NULL, 0, 0, &in, err);
	if (r)
		return r;
	switch (in.kind) {
	case RN_FRAME_HELLO: return greet(s, n, &in);
	case RN_FRAME_PING:
		out.sent_ns = in.sent_ns;
		out.node_ns = now_ns(s);
		say(s, n, 0, &out);
		return 0;
	case RN_FRAME_FRAGMENT: return accept_query(s, n, m, err);
	case RN_FRAME_START:
		out.kind = RN_FRAME_STARTED;
		out.node_ns = now_ns(s);
		say(s, n, m->query, &out);
		n->running = true;
		if (++s->running == s->o->nodes)
			tell_expected(s);
		return 0;
	case RN_FRAME_STOP:
		if (!s->stopping)
			add_ends(s);
		return 0;
	default: return 0;
	}
}

static void serve(struct sim *s, struct node *n)
{
	struct rn_message m;
	struct rn_err err = {0};
	int r;

	while ((r = rn_link_next(n->l, &m, &err)) > 0 && (r = take(s, n, &m, &err)) >= 0)
		;
	if (r < 0)
		drop(s, n, err.text);
	else
		give(s, n);
}

/* ---- all of them ---- */

static void add_nodes(struct sim *s)
{
	int fd;

	while ((fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct epoll_event e = {.events = EPOLLIN, .data.u64 = s->connected};
		struct node *n = &s->n[s->connected];

		if (s->connected == s->o->nodes) {
			close(fd);
			continue;
		}
		s->connected++;
		n->t = rn_stream_transport(fd, fd, 0);
		n->l = rn_link_create(n->t, RN_FRAME_MAX);
		epoll_ctl(s->poll, EPOLL_CTL_ADD, fd, &e);
	}
}

static void hear_nats(struct sim *s)
{
	struct rn_transport *dialed;
	uint64_t count;
	unsigned i;

	if (read(s->listener, &count, sizeof(count)) < 0)
		return;
	while (sim_nats_next(s->nats, &i, &dialed)) {
		if (dialed && !s->n[i].l) {
			s->n[i].t = dialed;
			s->n[i].l = rn_link_create(dialed, RN_FRAME_MAX);
		} else if (!dialed && s->n[i].l) {
			serve(s, &s->n[i]);
		}
	}
}

static void window_ends(struct sim *s)
{
	int64_t end = s->window_ns + s->f->every_ns;
	uint64_t count;

	if (read(s->timer, &count, sizeof(count)) < 0 || s->stopping)
		return;
	for (unsigned i = 0; i < s->ns; i++)
		s->s[i].due = s->s[i].n;
	for (unsigned i = 0; i < s->o->nodes; i++)
		if (s->n[i].l)
			give(s, &s->n[i]);
	fprintf(s->o->report, "sent %lld %.1f\n", (long long)s->window_ns,
		(double)(now_ns(s) - end) / 1e6);
	fflush(s->o->report);
	prepare(s);
}

static int listen_there(struct sim *s)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct rn_err err = {0};

	if (strstr(s->o->path, "://")) {
		s->listener = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		s->nats = sim_nats_open(s->o->path, s->o->nodes, s->listener, &err);
		return err.code;
	}
	strncpy(at.sun_path, s->o->path, sizeof(at.sun_path) - 1);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	return s->listener < 0 || bind(s->listener, (struct sockaddr *)&at, sizeof(at)) ||
			       listen(s->listener, 4096)
		       ? -errno
		       : 0;
}

static int start(struct sim *s)
{
	int r = listen_there(s);
	struct epoll_event listens = {.events = EPOLLIN, .data.u64 = (uint64_t)LISTENER},
			   ticks = {.events = EPOLLIN, .data.u64 = (uint64_t)TIMER};

	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	s->poll = epoll_create1(EPOLL_CLOEXEC);
	if (r < 0)
		return r;
	if (s->timer < 0 || s->poll < 0 ||
	    epoll_ctl(s->poll, EPOLL_CTL_ADD, s->listener, &listens) ||
	    epoll_ctl(s->poll, EPOLL_CTL_ADD, s->timer, &ticks))
		return -errno;
	fprintf(s->o->report, "listening\n");
	fflush(s->o->report);
	return 0;
}

static void turn(struct sim *s)
{
	struct epoll_event e[BATCH];
	int n = epoll_wait(s->poll, e, BATCH, 200);

	for (int i = 0; i < n; i++) {
		if (e[i].data.u64 == (uint64_t)LISTENER)
			s->nats ? hear_nats(s) : add_nodes(s);
		else if (e[i].data.u64 == (uint64_t)TIMER)
			window_ends(s);
		else if (s->n[e[i].data.u64].l)
			serve(s, &s->n[e[i].data.u64]);
	}
}

int sim_run(const struct sim_opts *o)
{
	struct sim s = {.o = o,
			.a = rn_arena_create(1 << 30),
			.scratch = rn_arena_create(64 << 20),
			.base_ns = rn_event_clock_base(),
			.ns = o->below ? o->nodes : VARIANTS};
	int r;

	s.place = rn_place_here(s.a);
	s.n = need(calloc(o->nodes, sizeof(*s.n)));
	s.s = need(calloc(s.ns, sizeof(*s.s)));
	for (unsigned i = 0; i < s.ns; i++) {
		s.s[i].base.ops = &keep_ops;
		s.s[i].l = rn_link_create(&s.s[i].base, RN_FRAME_MAX);
	}
	r = start(&s);
	while (!r && !*o->stop)
		turn(&s);
	for (unsigned i = 0; i < o->nodes; i++)
		rn_link_destroy(s.n[i].l);
	if (s.nats)
		sim_nats_close(s.nats);
	for (unsigned i = 0; i < s.ns; i++) {
		rn_link_destroy(s.s[i].l);
		free_chunks(&s.s[i]);
		if (o->below)
			rn_groups_destroy(s.s[i].g);
	}
	for (unsigned v = 0; v < VARIANTS; v++)
		rn_groups_destroy(s.variant[v]);
	unlink(o->path);
	free(s.n);
	free(s.s);
	free(s.buf);
	rn_arena_destroy(s.scratch);
	rn_arena_destroy(s.a);
	return r;
}

struct rn_transport *sim_dial(void *path, const struct rn_host_entry *h, struct rn_err *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(at.sun_path, path, sizeof(at.sun_path) - 1);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof(at)))
		return rn_stream_transport(fd, fd, 0);
	rn_err_set(err, -errno, "%s: no connection to the simulated nodes: %s", h->name,
		   strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}
