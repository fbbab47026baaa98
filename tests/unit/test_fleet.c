/* test_fleet.c - a query over nodes that are scripted here, over wires in memory: what counts of what they say, what the ledger says of
 * nodes that are lost, come back, come late, are behind, or send what they must not. Times are those of the script, but for when a lost
 * node is tried again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/codec.h"
#include "exec/fleet.h"
#include "exec/groups.h"
#include "exec/stage.h"
#include "lang/parse.h"
#include "tests/fake_catalog.h"
#include "tests/fake_wire.h"

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
	int64_t now_ns;                /* begin of a window, a minute ago */
	/* what came out */
	int64_t events[64];            /* of windows from now_ns on, by their number */
	int64_t rows, peeked;
	struct rn_ledger l[NODES * 2]; unsigned nl;
	char why[NODES * 2][200];
};

static void say(struct peer *p, enum rn_lane lane, uint32_t query, struct rn_frame f)
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

static void say_ledger(struct peer *p, const char *node, bool answered, int64_t joined_ns)
{
	struct rn_frame f = {.kind = RN_FRAME_LEDGER, .ledger = {.node = node, .answered = answered, .why = answered ? NULL : "its own reason",
				.joined_ns = joined_ns, .begin_ns = p->begin_ns, .end_ns = p->lab->now_ns + 60 * SECOND, .place = place}};

	say(p, RN_LANE_DATA, p->query, f);
}

static void say_end(struct peer *p)
{
	say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_END});
}

/* n events of one group in window number `at`. */
static void say_events(struct peer *p, int at, int64_t n, uint32_t peek)
{
	const struct rn_agg_call *c = p->lab->p->frag.aggs;
	struct rn_value key = rn_int(7);
	struct rn_state s;
	struct rn_partial one = {.key = &key, .events = n, .state = &s};

	memset(&s, 0, sizeof(s));
	rn_state_init(c, &s);
	for (int64_t i = 0; i < n; i++)
		rn_state_update(c, &s, NULL, i, !i);
	say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_PARTIALS, .peek = peek,
		.partials = {.window_ns = p->lab->now_ns + at * SECOND, .n = 1, .p = &one}});
}

/* All before window number `at` has been said. */
static void say_mark(struct peer *p, int at, unsigned whole)
{
	say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_WATERMARK, .watermark_ns = p->lab->now_ns + at * SECOND, .seen = 1,
		.answering = p->below, .whole = whole,
		.ledger.n = {[RN_L_SEEN] = 1, [RN_L_LOST_RING] = 2}});
}

static void hear(struct peer *p, const struct rn_message *m)
{
	static char below[] = "x, y\033";
	struct rn_frame in;
	struct rn_err err = {0};
	struct rn_arena *a = rn_arena_create(16 << 20);

	if (rn_frame_decode(a, m->bytes, m->n, NULL, 0, 0, &in, &err))
		fail_msg("%s", err.text);
	switch (in.kind) {
	case RN_FRAME_HELLO:
		say(p, RN_LANE_CONTROL, 0, (struct rn_frame){.kind = RN_FRAME_HELLO, .hello = {.program = "t", .kind = p->kind, .name = "peer", .asker = "", .place = place}});
		break;
	case RN_FRAME_PING:
		say(p, RN_LANE_CONTROL, 0, (struct rn_frame){.kind = RN_FRAME_PONG, .sent_ns = in.sent_ns, .node_ns = in.sent_ns});
		break;
	case RN_FRAME_FRAGMENT:
		p->query = m->query;
		if (p->refuses)
			say(p, RN_LANE_CONTROL, m->query, (struct rn_frame){.kind = RN_FRAME_ERROR, .error = {.code = -EPERM, .text = "its policy says no"}});
		else
			say(p, RN_LANE_CONTROL, m->query, (struct rn_frame){.kind = RN_FRAME_ACCEPTED, .nodes = p->below, .names = p->below > 1 ? below : NULL});
		break;
	case RN_FRAME_START:
		say(p, RN_LANE_CONTROL, m->query, (struct rn_frame){.kind = RN_FRAME_STARTED, .node_ns = p->begin_ns});
		break;
	case RN_FRAME_PEEK:
		p->peeked = in.peek;
		say_events(p, 0, 5, in.peek);
		say(p, RN_LANE_DATA, m->query, (struct rn_frame){.kind = RN_FRAME_PEEKED, .peek = in.peek});
		break;
	case RN_FRAME_STOP:
		if (!strcmp(p->kind, "agent"))
			say_ledger(p, "peer", true, 0);
		say_end(p);
		break;
	default:
		fail_msg("a node gets a frame of kind %d", in.kind);
	}
	rn_arena_destroy(a);
}

static void take_turn(void *self)
{
	struct peer *p = self;
	struct rn_err err = {0};
	struct rn_message m;

	while (!p->dead && rn_link_next(p->l, &m, &err) > 0)
		hear(p, &m);
}

static struct rn_transport *dial(void *self, const struct rn_host_entry *h, struct rn_err *err)
{
	struct lab *l = self;
	unsigned i = (unsigned)(h - l->entry);
	struct peer *p = &l->peer[i][l->dials[i]];

	if (l->unreachable >> i & 1 || l->dials[i] == DIALS) {
		rn_err_set(err, -EHOSTUNREACH, "nobody answers there");
		return NULL;
	}
	l->dials[i]++;
	*p = (struct peer){.lab = l, .kind = l->kind, .below = strcmp(l->kind, "relay") ? 1 : 2, .begin_ns = l->now_ns + SECOND / 10, .refuses = l->refuses[i]};
	p->w.turn = take_turn;
	p->w.self = p;
	p->l = rn_link_create(rn_wire_end(&p->w, 1), RN_FRAME_MAX);
	return rn_wire_end(&p->w, 0);
}

static int take_rows(void *self, const struct rn_rows *r)
{
	((struct lab *)self)->rows += r->nrows;
	return 0;
}

static int take_partials(void *self, const struct rn_partials *p)
{
	struct lab *l = self;
	int64_t at = (p->window_ns - l->now_ns) / SECOND;

	for (uint32_t i = 0; i < p->n && at >= 0 && at < 64; i++)
		l->events[at] += p->p[i].events;
	return 0;
}

static int take_peek(void *self, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		((struct lab *)self)->peeked += p->p[i].events;
	return 0;
}

static void take_ledger(void *self, const struct rn_ledger *from)
{
	struct lab *l = self;

	l->l[l->nl] = *from;
	l->l[l->nl].node = rn_arena_strdup(l->a, from->node);
	snprintf(l->why[l->nl], sizeof(l->why[0]), "%s", from->why ? from->why : "");
	l->nl++;
}

static struct lab *lab_new(const char *text, const char *kind)
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
		l->entry[i] = (struct rn_host_entry){.name = names[i], .kind = strcmp(kind, "relay") ? RN_HOST_EXEC : RN_HOST_RELAY, .command = ""};
	l->hosts = (struct rn_hosts){.path = "test.hosts", .e = l->entry, .n = NODES};
	l->kind = kind;
	l->f = rn_fleet_create(&(struct rn_fleet_opts){.hosts = &l->hosts, .program = "t", .asker = "t", .place = place, .lease_ns = 600 * SECOND,
						       .late_ns = 600 * SECOND, .dial = dial, .dial_self = l});
	l->now_ns = rn_window_start(rn_fleet_now(l->f), SECOND) - 60 * SECOND;
	return l;
}

static void lab_free(struct lab *l)
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

static struct peer *now(struct lab *l, int i)
{
	return &l->peer[i][l->dials[i] - 1];
}

static int open_all(struct lab *l, struct rn_err *err)
{
	struct rn_sink sink = {.self = l, .rows = take_rows, .partials = take_partials};

	return rn_fleet_open(l->f, &l->p->frag, NULL, &sink, NULL, NULL, err);
}

static struct lab *running(const char *text, const char *kind)
{
	struct lab *l = lab_new(text, kind);
	struct rn_err err = {0};

	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	return l;
}

static void step(struct lab *l)
{
	struct rn_err err = {0};

	assert_true(rn_fleet_step(l->f, 0, &err) >= 0);
}

static void kill_peer(struct peer *p)
{
	p->dead = p->w.cut = true;
}

/* Until node i has been dialled n times and runs. */
static void await(struct lab *l, int i, unsigned n)
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

static void finish(struct lab *l)
{
	struct rn_err err = {0};

	assert_int_equal(rn_fleet_finish(l->f, take_ledger, l, &err), 0);
	rn_fleet_close(l->f);
}

#define AT(l, k) ((l)->now_ns + (k) * SECOND)

/* What is said of a window counts once the window is whole. */
static void staged(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	say_events(now(l, 0), 0, 3, 0);
	say_events(now(l, 0), 0, 4, 0);
	say_events(now(l, 1), 0, 10, 0);
	step(l);
	assert_int_equal(l->events[0], 0);
	assert_true(rn_fleet_watermark(l->f) == INT64_MIN);
	say_mark(now(l, 0), 1, 1);
	step(l);
	assert_int_equal(l->events[0], 7);
	assert_true(rn_fleet_watermark(l->f) == INT64_MIN);
	say_mark(now(l, 1), 1, 1);
	say_mark(now(l, 2), 2, 1);
	step(l);
	assert_int_equal(l->events[0], 17);
	assert_true(rn_fleet_watermark(l->f) == AT(l, 1));
	rn_fleet_so_far(l->f, take_ledger, l);
	assert_int_equal(l->nl, NODES);
	for (int i = 0; i < NODES; i++)
		assert_true(l->l[i].answered && l->l[i].n[RN_L_SEEN] == 1 && l->l[i].n[RN_L_LOST_RING] == 2);
	l->nl = 0;
	say_events(now(l, 2), 2, 1, 0); /* the end makes it whole */
	finish(l);
	assert_int_equal(l->events[2], 1);
	assert_int_equal(l->nl, NODES);
	for (int i = 0; i < NODES; i++)
		assert_true(l->l[i].answered && !l->l[i].until_ns && !l->l[i].joined_ns);
	lab_free(l);
}

static void add_whole(void *self, const struct rn_window_node *n)
{
	char *text = self;

	sprintf(text + strlen(text), "%s %u/%u%s ", n->name, n->whole, n->nodes, n->why ? "!" : "");
}

/* Who is in the window that ends there: "a 0/1! b 1/1 ", ! where there is a reason. */
static void in_window(struct lab *l, int64_t mark_ns, const char *want)
{
	char text[256] = "";

	rn_fleet_window(l->f, mark_ns, add_whole, text);
	assert_string_equal(text, want);
}

/* Of a node that dies, whole windows count and nothing else; it is asked again, and the ledger tells both. */
static void lost(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	say_events(now(l, 0), 0, 3, 0);
	say_mark(now(l, 0), 1, 1);
	say_events(now(l, 0), 1, 100, 0);
	step(l);
	kill_peer(now(l, 0));
	step(l);
	l->unreachable = 1;
	say_events(now(l, 1), 0, 1, 0);
	say_mark(now(l, 1), 5, 1);
	say_mark(now(l, 2), 5, 1);
	step(l);
	assert_true(rn_fleet_watermark(l->f) == AT(l, 5)); /* nobody waits for it */
	in_window(l, AT(l, 1), "a 1/1 b 1/1 c 1/1 ");
	in_window(l, AT(l, 5), "a 0/1! b 1/1 c 1/1 ");
	finish(l);
	assert_int_equal(l->events[0], 4);
	assert_int_equal(l->events[1], 0);
	assert_false(ledger(l, "a")->answered);
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "a")->joined_ns == 0);
	assert_true(ledger(l, "a")->begin_ns == l->now_ns + SECOND / 10);
	assert_true(ledger(l, "b")->answered);
	lab_free(l);
}

static void back(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	say_mark(now(l, 0), 1, 1);
	step(l);
	kill_peer(now(l, 0));
	await(l, 0, 2);
	say_events(now(l, 0), 7, 6, 0);
	say_mark(now(l, 0), 8, 1);
	step(l);
	in_window(l, AT(l, 8), "a 1/1 b 0/1! c 0/1! "); /* the others have not said so much */
	in_window(l, AT(l, 1), "a 0/1! b 0/1! c 0/1! "); /* it came back in the middle of it */
	kill_peer(now(l, 0)); /* and again: what was between is not told apart */
	await(l, 0, 3);
	now(l, 0)->begin_ns = 0;
	finish(l);
	assert_int_equal(l->events[7], 6);
	assert_false(ledger(l, "a")->answered);
	assert_string_equal(l->why[0], "the connection to it was lost, and it answers again");
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "a")->joined_ns == l->now_ns + SECOND / 10); /* what the script says of the last connection */
	lab_free(l);
}

/* All are lost: windows stay open for whom comes back. */
static void all_lost(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	for (int i = 0; i < NODES; i++)
		say_mark(now(l, i), 1, 1);
	step(l);
	for (int i = 0; i < NODES; i++)
		kill_peer(now(l, i));
	step(l);
	assert_true(rn_fleet_watermark(l->f) < AT(l, 1)); /* late_ns is long here */
	await(l, 0, 2);
	await(l, 1, 2);
	await(l, 2, 2);
	say_events(now(l, 1), 2, 9, 0);
	finish(l);
	assert_int_equal(l->events[2], 9);
	for (int i = 0; i < NODES; i++)
		assert_true(l->l[i].until_ns == AT(l, 1) && l->l[i].n[RN_L_LATE] == 0);
	lab_free(l);
}

static void comes_late(void **state)
{
	struct lab *l = lab_new("count of io by pid every 1s", "agent");
	struct rn_err err = {0};

	(void)state;
	l->unreachable = 2;
	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	l->unreachable = 0;
	await(l, 1, 1);
	say_events(now(l, 1), 3, 2, 0);
	finish(l);
	assert_int_equal(l->events[3], 2);
	assert_false(ledger(l, "b")->answered);
	assert_true(ledger(l, "b")->until_ns == 0);
	assert_true(ledger(l, "b")->joined_ns == l->now_ns + SECOND / 10);
	lab_free(l);
}

/* Windows that were delivered without a node, as it was behind: what comes for them is counted, and the ledger says which they are. */
static void behind(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	for (int i = 0; i < NODES; i++)
		say_mark(now(l, i), 3, 1);
	step(l);
	assert_true(rn_fleet_watermark(l->f) == AT(l, 3));
	say_events(now(l, 0), 1, 20, 0); /* against what it said */
	say_events(now(l, 0), 2, 2, 0);
	say_events(now(l, 0), 3, 1, 0);
	say_mark(now(l, 0), 4, 1);
	step(l);
	finish(l);
	assert_int_equal(l->events[1] + l->events[2], 0);
	assert_int_equal(l->events[3], 1);
	assert_int_equal(ledger(l, "a")->n[RN_L_LATE], 22);
	assert_false(ledger(l, "a")->answered);
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "a")->joined_ns == AT(l, 3));
	assert_true(ledger(l, "b")->answered);
	lab_free(l);
}

static void peeks(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");
	struct rn_sink sink = {.self = l, .rows = take_rows, .partials = take_peek};
	struct rn_err err = {0};

	(void)state;
	assert_int_equal(rn_fleet_peek(l->f, &sink, &err), 0);
	assert_int_equal(l->peeked, 15);
	say_events(now(l, 0), 0, 50, now(l, 0)->peeked); /* an answer that comes too late is nobody's */
	say_mark(now(l, 0), 1, 1);
	step(l);
	assert_int_equal(l->peeked, 15);
	assert_int_equal(l->events[0], 0);
	finish(l);
	lab_free(l);
}

/* What a node must not send costs it its link, and nobody else anything. */
static void misbehaviour(struct peer *p, int how)
{
	struct rn_value v[2] = {rn_int(1), rn_strn("x", 1)};
	int64_t time_ns = 1;
	struct rn_state s;
	struct rn_partial one = {.key = &v[1], .events = 1, .state = &s}; /* a text, where the key is a number */
	struct rn_frame rows = {.kind = RN_FRAME_ROWS, .rows = {.nrows = 1, .ncols = 2, .v = v, .time_ns = &time_ns}};

	memset(&s, 0, sizeof(s));
	rn_state_init(p->lab->p->frag.aggs, &s);
	switch (how) {
	case 0: say(p, RN_LANE_DATA, p->query, rows); break;
	case 1: say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_PARTIALS, .partials = {.window_ns = AT(p->lab, 0), .n = 1, .p = &one}}); break;
	case 2: one.key = &v[0]; say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_PARTIALS, .partials = {.window_ns = 5, .n = 1, .p = &one}}); break;
	case 3: say(p, RN_LANE_CONTROL, p->query, (struct rn_frame){.kind = RN_FRAME_STARTED}); break;
	case 4: say(p, RN_LANE_CONTROL, p->query, (struct rn_frame){.kind = RN_FRAME_ACCEPTED}); break;
	case 5: say(p, RN_LANE_CONTROL, 0, (struct rn_frame){.kind = RN_FRAME_HELLO, .hello = {.kind = "agent", .program = "", .name = "", .asker = "", .place = ""}}); break;
	case 6: say(p, RN_LANE_CONTROL, p->query, (struct rn_frame){.kind = RN_FRAME_STOP}); break;
	case 7: say_ledger(p, "x", true, 0); say_ledger(p, "x", true, 0); break;
	case 8: say_end(p); say_events(p, 0, 1, 0); break;
	case 9: rn_link_send(p->l, RN_LANE_DATA, p->query, "\xff\xff\xff", 3); rn_link_pump(p->l, &(struct rn_err){0}); break;
	default: rn_link_send(p->l, RN_LANE_DATA, p->query, "", 0); rn_link_pump(p->l, &(struct rn_err){0}); break;
	}
}

static void misbehaves(void **state)
{
	(void)state;
	for (int how = 0; how <= 10; how++) {
		struct lab *l = running("count of io by pid every 1s", "agent");
		struct rn_fleet_status s;

		l->unreachable = 7;
		misbehaviour(now(l, 1), how);
		say_events(now(l, 0), 0, 3, 0);
		step(l);
		rn_fleet_status(l->f, &s);
		if (s.attached != NODES - 1 && how != 8)
			fail_msg("%d: %u nodes are attached", how, s.attached);
		finish(l);
		assert_int_equal(l->events[0], 3);
		assert_true(ledger(l, "a")->answered);
		assert_true(ledger(l, "c")->answered);
		if (how != 8 && (ledger(l, "b")->answered || !l->why[1][0]))
			fail_msg("%d: the ledger says nothing", how);
		lab_free(l);
	}
}

static void refused(void **state)
{
	struct lab *l = lab_new("count of io by pid every 1s", "agent");
	struct rn_err err = {0};

	(void)state;
	l->refuses[0] = l->refuses[1] = true;
	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	finish(l);
	assert_string_equal(l->why[0], "its policy says no");
	assert_true(ledger(l, "c")->answered);
	lab_free(l);
	l = lab_new("count of io by pid every 1s", "agent");
	l->refuses[0] = l->refuses[1] = l->refuses[2] = true;
	assert_true(open_all(l, &err) < 0);
	assert_string_equal(err.text, "none of 3 nodes answers; node a: its policy says no");
	rn_fleet_close(l->f);
	lab_free(l);
}

/* Nodes below a relay: the relay tells of each; once one has missed something, no later window of the relay is whole. */
static void relays(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "relay");
	struct rn_fleet_status s;

	(void)state;
	rn_fleet_status(l->f, &s);
	assert_int_equal(s.nodes, 2 * NODES);
	say_mark(now(l, 0), 1, 2);
	say_mark(now(l, 0), 2, 1);
	say_mark(now(l, 0), 3, 2);
	say_mark(now(l, 1), 4, 2);
	step(l);
	kill_peer(now(l, 0));
	kill_peer(now(l, 1));
	l->unreachable = 3;
	step(l);
	say_ledger(now(l, 2), "x", true, 0);
	say_ledger(now(l, 2), "y", false, AT(l, 5));
	finish(l);
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "b")->until_ns == AT(l, 4));
	assert_true(ledger(l, "x")->answered);
	assert_false(ledger(l, "y")->answered);
	assert_true(ledger(l, "y")->joined_ns == AT(l, 5));
	lab_free(l);
}

static void take_why(void *self, const struct rn_window_node *n)
{
	if (!strcmp(n->name, "a"))
		snprintf(self, 256, "%u/%u %s", n->whole, n->nodes, n->why ? n->why : "");
}

/* What a relay says of those below it has their names, in the window and until now; so has what is said of a relay that is lost. */
static void relays_names(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "relay");
	struct peer *p = now(l, 0);
	char why[256] = "";

	(void)state;
	say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_WATERMARK, .watermark_ns = AT(l, 1), .answering = 1, .whole = 1, .in_window = 1,
		.ledger.n = {[RN_L_SEEN] = 1}, .names = (char[]){"y (killed\033[2J)"}});
	say_mark(now(l, 1), 1, 2);
	say_mark(now(l, 2), 1, 2);
	step(l);
	rn_fleet_window(l->f, AT(l, 1), take_why, why);
	assert_string_equal(why, "1/2 not all nodes below it answer: y (killed?[2J)");
	rn_fleet_so_far(l->f, take_ledger, l);
	assert_false(ledger(l, "a")->answered);
	assert_string_equal(ledger(l, "a")->why, "not all nodes below it answer: y (killed?[2J)");
	assert_true(ledger(l, "b")->answered);
	l->nl = 0;
	say(p, RN_LANE_DATA, p->query, (struct rn_frame){.kind = RN_FRAME_WATERMARK, .watermark_ns = AT(l, 2), .answering = 2, .whole = 1, .in_window = 2,
		.ledger.n = {[RN_L_SEEN] = 1}}); /* and now all are */
	step(l);
	rn_fleet_window(l->f, AT(l, 2), take_why, why);
	assert_string_equal(why, "2/2 ");
	kill_peer(p);
	l->unreachable = 1;
	step(l);
	finish(l);
	assert_string_equal(strstr(ledger(l, "a")->why, "; below"), "; below it: x, y?");
	lab_free(l);
}

/* The relay itself was lost: what its nodes say of their own losses holds as well. */
static void relay_back(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "relay");

	(void)state;
	say_mark(now(l, 0), 2, 2);
	step(l);
	kill_peer(now(l, 0));
	await(l, 0, 2);
	say_ledger(now(l, 0), "x", true, 0);
	say_ledger(now(l, 0), "y", false, 0);        /* it did not come back there: nothing is whole after the loss */
	say_ledger(now(l, 0), "z", false, AT(l, 9));
	finish(l);
	assert_true(ledger(l, "x")->until_ns == AT(l, 2) && ledger(l, "x")->joined_ns == l->now_ns + SECOND / 10);
	assert_true(ledger(l, "y")->until_ns == AT(l, 2) && ledger(l, "y")->joined_ns == 0);
	assert_string_equal(ledger(l, "y")->node, "y");
	assert_true(ledger(l, "z")->joined_ns == AT(l, 9));
	assert_false(ledger(l, "x")->answered || ledger(l, "y")->answered || ledger(l, "z")->answered);
	lab_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(staged), cmocka_unit_test(lost), cmocka_unit_test(back), cmocka_unit_test(all_lost), cmocka_unit_test(comes_late),
		cmocka_unit_test(behind), cmocka_unit_test(peeks), cmocka_unit_test(misbehaves), cmocka_unit_test(refused), cmocka_unit_test(relays),
		cmocka_unit_test(relay_back), cmocka_unit_test(relays_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
