/* fleet_lab.h - for tests of fleets: nodes that are scripted here, over wires in memory. Times are
 * those of the script, except for when a lost node is tried again. Static functions, as they fail
 * the test that includes them. */
#ifndef RN_TESTS_UNIT_EXEC_FLEET_FLEET_LAB_H
#define RN_TESTS_UNIT_EXEC_FLEET_FLEET_LAB_H
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/wire/codec.h"
#include "exec/fleet/fleet.h"
#include "exec/groups/groups.h"
#include "planner/agg/state.h"
#include "exec/groups/stage.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/fake_wire.h"

#define SECOND 1000000000ll
enum { NODES = 3, DIALS = 8, TURNS = 20000 };
static const char place[] = "boot pid:[1] machine";

struct peer { /* a node's end of one connection */
	struct rn_wire w;
	struct rn_link *l;
	struct lab *lab;
	const char *kind;
	uint32_t query, peeked;
	bool refuses, dead;
	bool stopped;    /* the coordinator has ended it */
	int64_t wait_ns; /* and how long that may take */
	unsigned below;
	int64_t begin_ns;
};
struct lab {
	struct rn_arena *a;
	struct rn_plan *p;
	struct rn_host_entry entry[NODES];
	struct rn_hosts hosts;
	struct rn_fleet *f;
	struct peer peer[NODES][DIALS];
	unsigned dials[NODES], unreachable; /* bits: of nodes that cannot be dialled now */
	const char *kind;
	bool refuses[NODES];
	/* bits: of nodes that do not end, but say that they live at every turn */
	unsigned endless;
	int stop;        /* the client's flag */
	bool stop_twice; /* it is raised once the coordinator has ended an endless node */
	int64_t now_ns;  /* begin of a window, a minute ago */
	/* what came out */
	int64_t events[64]; /* of windows from now_ns on, by their number */
	int64_t rows, peeked;
	struct rn_ledger l[NODES * 2];
	unsigned nl;
	char why[NODES * 2][200];
};

static inline void say(struct peer *p, enum rn_lane lane, uint32_t query, struct rn_frame f)
{
	const struct rn_fragment *g = &p->lab->p->frag;
	unsigned char *buf = NULL;
	size_t n = 0, cap = 0;
	struct rn_err err = {0};

	f.node = "peer";
	assert_int_equal(rn_frame_encode(&f, g->aggs, g->naggs, g->nkeys, &buf, &n, &cap), 0);
	rn_link_send(p->l, lane, query, buf + 4, n - 4);
	rn_link_pump(p->l, &err);
	free(buf);
}

static inline void say_ledger(struct peer *p, const char *node, bool answered, int64_t joined_ns)
{
	struct rn_frame f = {.kind = RN_FRAME_LEDGER,
			     .ledger = {.node = node,
					.answered = answered,
					.why = answered ? NULL : "its own reason",
					.joined_ns = joined_ns,
					.begin_ns = p->begin_ns,
					.end_ns = p->lab->now_ns + 60 * SECOND,
					.place = place}};

	say(p, RN_LANE_DATA, p->query, f);
}

static inline void say_end(struct peer *p)
{
	say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_END});
}

/* n events of one group in window number `at`. */
static inline void say_events(struct peer *p, int at, int64_t n, uint32_t peek)
{
	const struct rn_agg_call *c = p->lab->p->frag.aggs;
	struct rn_value key = rn_int(7);
	struct rn_state s;
	struct rn_partial one = {.key = &key, .events = n, .state = &s};

	memset(&s, 0, sizeof(s));
	rn_state_init(c, &s);
	for (int64_t i = 0; i < n; i++)
		rn_state_update(c, &s, NULL, i, !i);
	say(p, RN_LANE_DATA, p->query,
	    (struct rn_frame){.kind = RN_FRAME_PARTIALS,
			      .peek = peek,
			      .partials = {.window_ns = p->lab->now_ns + at * SECOND,
					   .n = 1,
					   .parts = &one}});
}

/* All before window number `at` has been said. */
static inline void say_mark(struct peer *p, int at, unsigned whole)
{
	say(p, RN_LANE_DATA, p->query,
	    (struct rn_frame){.kind = RN_FRAME_WATERMARK,
			      .watermark_ns = p->lab->now_ns + at * SECOND,
			      .seen = 1,
			      .answering = p->below,
			      .whole = whole,
			      .ledger.n = {[RN_L_SEEN] = 1, [RN_L_LOST_RING] = 2}});
}

static inline bool is_endless(const struct peer *p)
{
	return p->lab->endless >> ((size_t)(p - p->lab->peer[0]) / DIALS) & 1;
}

static inline void answer_fragment(struct peer *p)
{
	static char below[] = "x, y\033";
	struct rn_frame no = {.kind = RN_FRAME_ERROR,
			      .error = {.code = -EPERM, .text = "its policy says no"}},
			yes = {.kind = RN_FRAME_ACCEPTED,
			       .nodes = p->below,
			       .names = p->below > 1 ? below : NULL};

	say(p, RN_LANE_CONTROL, p->query, p->refuses ? no : yes);
}

static inline void hear(struct peer *p, const struct rn_message *m)
{
	struct rn_frame in;
	struct rn_err err = {0};
	struct rn_arena *a = rn_arena_create(16 << 20);

	if (rn_frame_decode(a, m->bytes, m->n, NULL, 0, 0, &in, &err))
		fail_msg("%s", err.text);
	switch (in.kind) {
	case RN_FRAME_HELLO:
		say(p, RN_LANE_CONTROL, 0,
		    (struct rn_frame){.kind = RN_FRAME_HELLO,
				      .hello = {.program = "t",
						.kind = p->kind,
						.name = "peer",
						.asker = "",
						.place = place}});
		break;
	case RN_FRAME_PING:
		say(p, RN_LANE_CONTROL, 0,
		    (struct rn_frame){
			    .kind = RN_FRAME_PONG, .sent_ns = in.sent_ns, .node_ns = in.sent_ns});
		break;
	case RN_FRAME_FRAGMENT:
		p->query = m->query;
		answer_fragment(p);
		break;
	case RN_FRAME_START:
		say(p, RN_LANE_CONTROL, m->query,
		    (struct rn_frame){.kind = RN_FRAME_STARTED, .node_ns = p->begin_ns});
		break;
	case RN_FRAME_PEEK:
		p->peeked = in.peek;
		say_events(p, 0, 5, in.peek);
		say(p, RN_LANE_DATA, m->query,
		    (struct rn_frame){.kind = RN_FRAME_PEEKED, .peek = in.peek});
		break;
	case RN_FRAME_STOP:
		p->stopped = true;
		p->wait_ns = in.wait_ns;
		if (is_endless(p)) {
			p->lab->stop += p->lab->stop_twice;
			break;
		}
		if (!strcmp(p->kind, "agent"))
			say_ledger(p, "peer", true, 0);
		say_end(p);
		break;
	default: fail_msg("a node gets a frame of kind %d", in.kind);
	}
	rn_arena_destroy(a);
}

static inline void take_turn(void *self)
{
	struct peer *p = self;
	struct rn_err err = {0};
	struct rn_message m;

	while (!p->dead && rn_link_next(p->l, &m, &err) > 0)
		hear(p, &m);
	if (p->query && p->stopped && !p->dead && is_endless(p))
		say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_PEEKED});
}

static inline struct rn_transport *dial(void *self, const struct rn_host_entry *h,
					struct rn_err *err)
{
	struct lab *l = self;
	unsigned i = (unsigned)(h - l->entry);
	struct peer *p = &l->peer[i][l->dials[i]];

	if (l->unreachable >> i & 1 || l->dials[i] == DIALS) {
		rn_err_set(err, -EHOSTUNREACH, "nobody answers there");
		return NULL;
	}
	l->dials[i]++;
	*p = (struct peer){.lab = l,
			   .kind = l->kind,
			   .below = strcmp(l->kind, "relay") ? 1 : 2,
			   .begin_ns = l->now_ns + SECOND / 10,
			   .refuses = l->refuses[i]};
	p->w.turn = take_turn;
	p->w.self = p;
	p->l = rn_link_create(rn_wire_end(&p->w, 1), RN_FRAME_MAX);
	return rn_wire_end(&p->w, 0);
}

static inline int take_rows(void *self, const struct rn_rows *r)
{
	((struct lab *)self)->rows += r->nrows;
	return 0;
}

static inline int take_partials(void *self, const struct rn_partials *p)
{
	struct lab *l = self;
	int64_t at = (p->window_ns - l->now_ns) / SECOND;

	for (uint32_t i = 0; i < p->n && at >= 0 && at < 64; i++)
		l->events[at] += p->parts[i].events;
	return 0;
}

static inline int take_peek(void *self, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		((struct lab *)self)->peeked += p->parts[i].events;
	return 0;
}

static inline void take_ledger(void *self, const struct rn_ledger *from)
{
	struct lab *l = self;

	l->l[l->nl] = *from;
	l->l[l->nl].node = rn_arena_strdup(l->a, from->node);
	snprintf(l->why[l->nl], sizeof(l->why[0]), "%s", from->why ? from->why : "");
	l->nl++;
}

static inline struct lab *lab_new(const char *text, const char *kind)
{
	static const char *const names[NODES] = {"a", "b", "c"};
	struct lab *l = calloc(1, sizeof(*l));
	struct rn_names scope = {.catalog = rn_fake_catalog()};
	struct rn_diag *d;
	struct rn_ast_file *f;

	l->a = rn_arena_create(RN_ARENA_CAP);
	d = rn_diag_new(l->a);
	f = rn_parse(l->a, d, rn_diag_source(d, "query", text, strlen(text)));
	if (!rn_diag_errors(d) && rn_resolve(l->a, d, f->stmts->query, &scope))
		l->p = rn_plan_query(l->a, d, f->stmts->query, &scope, &(struct rn_plan_opts){0});
	assert_non_null(l->p);
	for (int i = 0; i < NODES; i++)
		l->entry[i] = (struct rn_host_entry){.name = names[i],
						     .kind = strcmp(kind, "relay") ? RN_HOST_EXEC
										   : RN_HOST_RELAY,
						     .command = ""};
	l->hosts = (struct rn_hosts){.path = "test.hosts", .entries = l->entry, .n = NODES};
	l->kind = kind;
	l->f = rn_fleet_create(&(struct rn_fleet_opts){.hosts = &l->hosts,
						       .program = "t",
						       .asker = "t",
						       .place = place,
						       .lease_ns = 600 * SECOND,
						       .late_ns = 600 * SECOND,
						       .stop = &l->stop,
						       .dial = dial,
						       .dial_self = l});
	l->now_ns = rn_window_start(rn_fleet_now(l->f), SECOND) - 60 * SECOND;
	return l;
}

static inline void lab_free(struct lab *l)
{
	rn_fleet_destroy(l->f);
	for (int i = 0; i < NODES; i++)
		for (unsigned k = 0; k < l->dials[i]; k++) {
			if (l->peer[i][k].l)
				rn_link_destroy(l->peer[i][k].l);
			assert_int_equal(l->peer[i][k].w.open, 0);
			rn_wire_clear(&l->peer[i][k].w);
		}
	rn_arena_destroy(l->a);
	free(l);
}

static inline struct peer *now(struct lab *l, int i)
{
	return &l->peer[i][l->dials[i] - 1];
}

static inline int open_all(struct lab *l, struct rn_err *err)
{
	struct rn_sink sink = {.self = l, .rows = take_rows, .partials = take_partials};

	return rn_fleet_open(l->f, &l->p->frag, NULL, &sink, err);
}

static inline struct lab *running(const char *text, const char *kind)
{
	struct lab *l = lab_new(text, kind);
	struct rn_err err = {0};

	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	return l;
}

static inline void step(struct lab *l)
{
	struct rn_err err = {0};

	assert_true(rn_fleet_step(l->f, 0, &err) >= 0);
}

static inline void kill_peer(struct peer *p)
{
	p->dead = p->w.cut = true;
}

/* Until node i has been dialled n times and runs. */
static inline void await(struct lab *l, int i, unsigned n)
{
	struct rn_fleet_status s;
	struct rn_err err = {0};
	unsigned all;

	for (int t = 0; t < TURNS; t++) {
		rn_fleet_step(l->f, 10, &err);
		rn_fleet_status(l->f, &s);
		all = s.nodes;
		if (l->dials[i] >= n && s.attached == all)
			return;
	}
	fail_msg("node %d does not come back", i);
}

static const struct rn_ledger *ledger(struct lab *l, const char *node)
{
	for (unsigned i = 0; i < l->nl; i++)
		if (!strcmp(l->l[i].node, node))
			return &l->l[i];
	fail_msg("the ledger does not name %s", node);
	return NULL;
}

static inline void finish(struct lab *l)
{
	struct rn_err err = {0};

	assert_int_equal(rn_fleet_finish(l->f, take_ledger, l, &err), 0);
	rn_fleet_close(l->f);
}

#define AT(l, k) ((l)->now_ns + (k)*SECOND)
#endif
