/* coord.c - runs a plan: sets first, then the nested query, then the fragment over its nodes; merges and hands to the answer.
 *
 * The way of a row or a partial state: agent -> [hop] -> [relay -> [hop]] -> in_rows/in_partials -> stage (if the plan keeps
 * predicates or groups for the coordinator) -> answer or groups. A window is delivered once the watermark of every agent is
 * behind it. One thread: agents are stepped in turn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "exec/agent.h"
#include "exec/coord_impl.h"
#include "exec/fleet.h"
#include "exec/relay.h"
#include "exec/reorder.h"
#include "exec/stage.h"
#include "exec/trace.h"

enum { WAIT_MS = 100, SHARED_WAIT_MS = 5, PROGRESS_NS = 500 * 1000 * 1000 };

struct member { /* one node's agent and its way up */
	const char *name;
	struct rn_agent *agent;
	struct rn_hop *hop;
	bool ended;
	bool failed;
	struct rn_err err; /* if failed */
	int64_t begin_ns;
};

struct branch { struct rn_relay *relay; struct rn_hop *hop; };

struct rn_leaf { /* a plan's own fragment that runs */
	struct rn_arena *a;
	struct rn_plan *p;
	const struct rn_run_opts *o;
	struct rn_err *err;
	bool live;
	struct rn_fleet *fleet;    /* NULL: the agents in m */
	struct rn_ledgers *all;    /* while ledgers come in */
	struct rn_span_ns *span;
	struct member *m; unsigned n;
	struct branch *b; unsigned nb;
	struct rn_reorder *reorder; /* rows of a fleet that are shown as they come */
	struct rn_stage *stage;    /* raw fragments */
	struct rn_groups *groups, *peek; /* peek: while a snapshot is taken */
	struct rn_answer *answer;
	bool snapshots;
	int refused;               /* negative errno of a consumer */
	int64_t begin_ns, mark_ns, other, late;
};

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ---- what comes in ---------------------------------------------------------------------------------------------------- */

static int out_rows(void *self, const struct rn_rows *r)
{
	struct rn_leaf *c = self;
	int s = rn_answer_rows(c->answer, r);

	if (s < 0)
		c->refused = s;
	return s;
}

/* The window is delivered already: what comes now is told, not shown. */
static void count_late(struct rn_leaf *c, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		c->late += p->p[i].events;
}

static int out_partials(void *self, const struct rn_partials *p)
{
	struct rn_leaf *c = self;

	if (c->peek)
		rn_groups_merge(c->peek, p);
	else if (!c->p->frag.every_ns || p->window_ns >= c->mark_ns)
		c->other += rn_groups_merge(c->groups, p);
	else
		count_late(c, p);
	return 0;
}

static int ordered_rows(void *self, const struct rn_rows *r)
{
	struct rn_leaf *c = self;
	int s = c->stage ? rn_stage_rows(c->stage, r) : out_rows(c, r);

	return s < 0 ? s : 0;
}

static int in_rows(void *self, const struct rn_rows *r)
{
	struct rn_leaf *c = self;

	return c->reorder ? rn_reorder_rows(c->reorder, r) : ordered_rows(c, r);
}

static struct rn_sink sink_in(struct rn_leaf *c)
{
	return (struct rn_sink){.self = c, .rows = in_rows, .partials = out_partials};
}

/* ---- setting up ------------------------------------------------------------------------------------------------------- */

static struct rn_sink through_hop(struct rn_leaf *c, const char *name, struct rn_sink next, struct rn_hop **hop)
{
	if (!c->o->frames)
		return next;
	*hop = rn_hop_create(name, &c->p->frag, &next, c->err);
	return *hop ? rn_hop_sink(*hop) : next;
}

static struct rn_sink way_up(struct rn_leaf *c, unsigned i)
{
	unsigned fanout = c->o->fanout;
	struct branch *b;

	if (fanout < 2)
		return through_hop(c, c->m[i].name, sink_in(c), &c->m[i].hop);
	b = &c->b[i / fanout];
	if (!b->relay) {
		struct rn_sink up = through_hop(c, "relay", sink_in(c), &b->hop);

		b->relay = rn_relay_create(&c->p->frag, &up);
		c->nb = i / fanout + 1;
	}
	return through_hop(c, c->m[i].name, b->relay ? rn_relay_sink(b->relay) : sink_in(c), &c->m[i].hop);
}

static int open_member(struct rn_leaf *c, unsigned i, const struct rn_node *node)
{
	struct rn_fragment *f = &c->p->frag;
	struct rn_sink up;

	c->m[i].name = node->name;
	up = way_up(c, i);
	if (c->o->frames && !c->p->child) {
		const struct rn_catalog *cat = c->o->catalog;
		char why[256] = "";

		if (c->p->from)
			cat = rn_trace_catalog(NULL, c->p->from, cat, why, sizeof(why));
		if (!cat)
			return rn_err_set(c->err, -EINVAL, "%s", why[0] ? why : "frames need a catalogue");
		f = rn_hop_fragment(c->a, f, cat, c->err);
		if (!f)
			return c->err->code ? c->err->code : -EBADMSG;
	}
	return rn_agent_open(node->name, node->provider, f, c->o->scope, NULL, &up, &c->m[i].agent, c->err);
}

static int open_all(struct rn_leaf *c, const struct rn_node *nodes, const struct rn_answer_to *to, bool by_time)
{
	struct rn_fragment *f = &c->p->frag;
	struct rn_sink own = {.self = c, .rows = out_rows, .partials = out_partials};
	int r = rn_answer_create(c->p, to, by_time, &c->answer, c->err);

	if (!r && rn_fragment_raw(f))
		r = rn_stage_create(f, 1u << RN_AT_COORDINATOR, true, &own, &c->stage, c->err);
	if (f->grouped)
		c->groups = rn_groups_create(f->aggs, f->naggs, f->nkeys, f->max_groups);
	for (unsigned i = 0; i < c->n && !r; i++)
		r = open_member(c, i, &nodes[i]);
	if (c->fleet && !r) {
		struct rn_sink in = sink_in(c), ordered = {.self = c, .rows = ordered_rows};

		if (c->p->kind == RN_PLAN_ROWS)
			c->reorder = rn_reorder_create(&ordered);

		rn_fleet_align_rows(c->fleet, c->p->kind != RN_PLAN_FLOW);
		r = rn_fleet_open(c->fleet, f, c->p->nodes, &in, c->o->progress, c->o->started_self, c->err);
	}
	return r;
}

static void close_all(struct rn_leaf *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		rn_agent_close(c->m[i].agent);
		rn_hop_destroy(c->m[i].hop);
	}
	for (unsigned i = 0; i < c->nb; i++) {
		rn_relay_destroy(c->b[i].relay);
		rn_hop_destroy(c->b[i].hop);
	}
	if (c->fleet)
		rn_fleet_close(c->fleet);
	rn_reorder_destroy(c->reorder);
	rn_stage_destroy(c->stage);
	if (c->groups)
		rn_groups_destroy(c->groups);
	rn_answer_destroy(c->answer);
}

/* Nothing runs before every node has accepted its part; then the command of -c may go. */
static int start_all(struct rn_leaf *c)
{
	int r = 0;

	c->begin_ns = clock_ns(CLOCK_REALTIME);
	for (unsigned i = 0; i < c->n && !r; i++) {
		c->m[i].begin_ns = clock_ns(CLOCK_REALTIME);
		r = rn_agent_start(c->m[i].agent, c->err);
	}
	if (!r)
		r = rn_answer_begin(c->answer);
	if (c->fleet && r >= 0) /* rows of the first node come before the last one has begun */
		r = rn_fleet_start(c->fleet, c->err);
	if (!r && c->live && c->o->started)
		r = c->o->started(c->o->started_self);
	return r < 0 ? r : 0;
}

/* ---- running ---------------------------------------------------------------------------------------------------------- */

/* A consumer that refuses ends the query; a node that fails leaves the others to go on, unless it is the only one. */
static int step(struct rn_leaf *c, struct member *m, int wait_ms)
{
	int r = rn_agent_step(m->agent, wait_ms, &m->err);

	if (c->refused)
		return c->refused;
	if (r >= 0) {
		m->ended = r > 0;
		return 0;
	}
	m->ended = m->failed = true;
	if (c->n > 1)
		return 0;
	*c->err = m->err;
	return r;
}

static int deliver_windows(struct rn_leaf *c, int64_t mark_ns)
{
	int r = 0;

	if (mark_ns <= c->mark_ns)
		return 0;
	for (unsigned i = 0; i < c->nb && r >= 0; i++)
		r = rn_relay_flush(c->b[i].relay, mark_ns);
	if (c->stage && r >= 0)
		r = rn_stage_flush(c->stage, mark_ns);
	if (r >= 0)
		r = rn_answer_groups(c->answer, c->groups, mark_ns, false, false, 0);
	c->mark_ns = mark_ns;
	return r;
}

static int64_t watermark(const struct rn_leaf *c)
{
	int64_t mark = c->fleet ? rn_fleet_watermark(c->fleet) : INT64_MAX;

	for (unsigned i = 0; i < c->n; i++) {
		int64_t m = rn_agent_watermark(c->m[i].agent);

		if (!c->m[i].ended && m < mark)
			mark = m;
	}
	return mark;
}

static int snapshot(struct rn_leaf *c)
{
	struct rn_fragment *f = &c->p->frag;
	struct rn_sink own = {.self = c, .rows = out_rows, .partials = out_partials};
	int r = 0;

	c->peek = rn_groups_create(f->aggs, f->naggs, f->nkeys, f->max_groups);
	for (unsigned i = 0; i < c->n && r >= 0; i++)
		r = rn_agent_peek(c->m[i].agent, &own, c->err);
	if (c->fleet && r >= 0)
		r = rn_fleet_peek(c->fleet, &own, c->err);
	if (c->stage && r >= 0)
		r = rn_stage_peek(c->stage, &own);
	if (r >= 0)
		r = rn_answer_groups(c->answer, c->peek, INT64_MAX, true, true, clock_ns(CLOCK_REALTIME) - c->begin_ns);
	rn_groups_destroy(c->peek);
	c->peek = NULL;
	return r;
}

static bool asked_to_end(const struct rn_leaf *c)
{
	bool stop = c->o->stop && *c->o->stop;

	if (!c->live) /* a long recording can be left; the rows of a nested query are few, and are the answer */
		return stop && c->p->from;
	return stop || (c->o->done && c->o->done(c->o->started_self));
}

static int shorter(int wait_ms, int64_t until_ns, int64_t now_ns)
{
	int64_t left = until_ns > now_ns ? (until_ns - now_ns) / 1000000 + 1 : 0;

	return left < wait_ms ? (int)left : wait_ms;
}

/* One turn over all agents. 1: all have ended. */
static int turn(struct rn_leaf *c, int wait_ms)
{
	unsigned ended = 0;
	bool over;
	int r = 0;

	for (unsigned i = 0; i < c->n && !r; i++) {
		if (!c->m[i].ended)
			r = step(c, &c->m[i], c->n == 1 ? wait_ms : wait_ms < SHARED_WAIT_MS ? wait_ms : SHARED_WAIT_MS);
		ended += c->m[i].ended;
	}
	over = ended == c->n;
	if (c->fleet && !r) {
		r = rn_fleet_step(c->fleet, wait_ms, c->err);
		over = r > 0;
		if (c->reorder && r >= 0)
			r = rn_reorder_release(c->reorder, rn_fleet_now(c->fleet) - RN_REORDER_NS);
		r = c->refused ? c->refused : r;
	}
	if (r < 0)
		return r;
	if (c->p->frag.every_ns && !over)
		r = deliver_windows(c, watermark(c));
	return r < 0 ? r : over;
}

static void tell_progress(const struct rn_leaf *c)
{
	struct rn_fleet_status s = {0};

	if (c->fleet)
		rn_fleet_status(c->fleet, &s);
	for (unsigned i = 0; i < c->n; i++)
		s.seen += rn_agent_seen(c->m[i].agent);
	c->o->progress(c->o->started_self, &s);
}

static int run(struct rn_leaf *c)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC), end = c->live && c->p->for_ns ? now + c->p->for_ns : INT64_MAX;
	int64_t every = c->snapshots ? c->o->refresh_ns : 0, next = every ? now + every : INT64_MAX;
	int64_t tell = c->o->progress && (c->live || c->p->from) ? now + PROGRESS_NS : INT64_MAX;
	int r = 0;

	while (!r && now < end && !asked_to_end(c) && !rn_answer_full(c->answer)) {
		r = turn(c, shorter(shorter(WAIT_MS, end, now), next, now));
		now = clock_ns(CLOCK_MONOTONIC);
		if (!r && now >= next) {
			r = snapshot(c);
			next = clock_ns(CLOCK_MONOTONIC) + every;
		}
		if (!r && now >= tell) {
			tell_progress(c);
			tell = now + PROGRESS_NS;
		}
	}
	return r < 0 ? r : 0;
}

/* ---- the end ---------------------------------------------------------------------------------------------------------- */

static void keep_ledger(struct rn_leaf *c, struct rn_ledgers *all, struct rn_ledger *l)
{
	struct rn_ledger *more;

	l->node = rn_arena_strdup(c->a, l->node ? l->node : "");
	if (l->why)
		l->why = rn_arena_strdup(c->a, l->why);
	if (l->place)
		l->place = rn_arena_strdup(c->a, l->place);
	for (unsigned i = 0; i < all->n; i++)
		if (!strcmp(all->l[i].node, l->node)) {
			rn_ledger_add(&all->l[i], l);
			return;
		}
	more = RN_NEWN(c->a, struct rn_ledger, all->n + 1);
	if (all->n)
		memcpy(more, all->l, all->n * sizeof(*more));
	more[all->n++] = *l;
	all->l = more;
}

/* What a node's ledger says of the whole. */
static void count_in(struct rn_leaf *c, struct rn_ledger *l)
{
	if (l->begin_ns && (!c->span->begin || l->begin_ns < c->span->begin))
		c->span->begin = l->begin_ns;
	if (l->end_ns > c->span->end)
		c->span->end = l->end_ns;
	if (c->stage && rn_stage_tests(c->stage)) /* told in own_ledger: rows of all nodes are tested here together */
		l->n[RN_L_MATCHED] = 0;
}

static void remote_ledger(void *self, const struct rn_ledger *from)
{
	struct rn_leaf *c = self;
	struct rn_ledger l = *from;

	count_in(c, &l);
	keep_ledger(c, c->all, &l);
}

static int finish_member(struct rn_leaf *c, struct member *m, struct rn_ledgers *all)
{
	struct rn_ledger l = {0};
	struct rn_err err = {0};
	int r = rn_agent_finish(m->agent, &l, &err);

	if (r < 0 && (c->n == 1 || c->refused)) {
		*c->err = err;
		return r;
	}
	if (m->failed) {
		l.answered = false;
		l.why = m->err.text;
	} else if (r < 0) {
		l.why = err.text;
	} else if (c->p->from && !m->ended && c->o->stop && *c->o->stop) {
		l.answered = false;
		l.why = "interrupted before the end of the recording";
	}
	if (c->p->child)
		return 0;
	if (!l.begin_ns) {
		l.begin_ns = m->begin_ns;
		l.end_ns = clock_ns(CLOCK_REALTIME);
	}
	count_in(c, &l);
	if (c->o->frames) {
		r = rn_hop_ledger(c->a, &l, c->err);
		if (r < 0)
			return r;
	}
	keep_ledger(c, all, &l);
	return 0;
}

/* Groups that did not fit at a relay or here, and rows that passed what is tested here, belong to no node: they are shown
 * with the first. */
static void own_ledger(struct rn_leaf *c, struct rn_ledgers *all)
{
	struct rn_ledger l = {.node = all->n ? all->l[0].node : "coordinator", .answered = true};

	l.n[RN_L_LOST_MAP] = c->other;
	l.n[RN_L_LATE] = c->late;
	for (unsigned i = 0; i < c->nb; i++)
		rn_relay_ledger(c->b[i].relay, &l);
	if (c->stage)
		rn_stage_ledger(c->stage, &l);
	if (l.n[RN_L_LOST_MAP] || l.n[RN_L_LATE] || l.n[RN_L_MATCHED])
		keep_ledger(c, all, &l);
}

static int finish(struct rn_leaf *c, struct rn_ledgers *all, struct rn_span_ns *span)
{
	int r = 0;

	c->all = all;
	c->span = span;
	for (unsigned i = 0; i < c->n; i++) {
		int s = finish_member(c, &c->m[i], all);

		if (!r)
			r = s;
	}
	if (c->fleet && !r)
		r = rn_fleet_finish(c->fleet, remote_ledger, c, c->err);
	if (c->reorder && r >= 0)
		r = rn_reorder_release(c->reorder, INT64_MAX);
	for (unsigned i = 0; i < c->nb && r >= 0; i++)
		r = rn_relay_flush(c->b[i].relay, INT64_MAX);
	if (c->stage && r >= 0)
		r = rn_stage_flush(c->stage, INT64_MAX);
	if (c->groups && r >= 0)
		r = rn_answer_groups(c->answer, c->groups, INT64_MAX, true, false, span->end - span->begin);
	own_ledger(c, all);
	if (r >= 0)
		r = rn_answer_end(c->answer, c->fleet);
	return r < 0 ? r : 0;
}

static void init(struct rn_leaf *c, struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o, unsigned nnodes,
		 struct rn_err *err)
{
	*c = (struct rn_leaf){.a = a, .p = p, .o = o, .err = err, .n = nnodes, .mark_ns = INT64_MIN};
	c->m = RN_NEWN(a, struct member, nnodes);
	c->b = RN_NEWN(a, struct branch, nnodes);
}

int rn_coord_leaf(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o, const struct rn_node *nodes, unsigned nnodes,
		  bool live, const struct rn_answer_to *to, struct rn_ledgers *l, struct rn_span_ns *span, struct rn_err *err)
{
	struct rn_leaf c;
	int r;

	init(&c, a, p, o, nnodes, err);
	c.live = live;
	c.fleet = nodes ? NULL : o->fleet;
	c.snapshots = live && to->snapshot && o->refresh_ns && p->frag.grouped && !p->frag.every_ns;
	r = open_all(&c, nodes, to, p->from && nnodes > 1);
	if (!r)
		r = start_all(&c);
	if (!r)
		r = run(&c);
	if (!r)
		r = finish(&c, l, span);
	if (r < 0 && c.refused)
		r = c.refused;
	if (r < 0 && err && !err->code)
		rn_err_set(err, r, "the answer could not be delivered: %s", strerror(-r));
	close_all(&c);
	return r;
}

/* ---- a leaf that is fed ----------------------------------------------------------------------------------------------- */

int rn_leaf_open(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o, const struct rn_node *node,
		 const struct rn_answer_to *to, struct rn_leaf **out, struct rn_err *err)
{
	struct rn_leaf *c = RN_NEW(a, struct rn_leaf);
	int r;

	init(c, a, p, o, 1, err);
	r = open_all(c, node, to, false);
	if (r)
		close_all(c);
	else
		*out = c;
	return r;
}

int rn_leaf_start(struct rn_leaf *c)
{
	return start_all(c);
}

int rn_leaf_feed(struct rn_leaf *c, size_t rows, int64_t mark_ns)
{
	struct member *m = &c->m[0];
	int r = 0;

	for (size_t got; rows && !r && !m->ended; rows -= got < rows ? got : rows) { /* a turn reads a batch, at most */
		r = turn(c, 0);
		got = rn_agent_got(m->agent);
	}
	if (r < 0 || mark_ns == INT64_MIN || mark_ns == INT64_MAX) /* at the end, finish delivers */
		return r < 0 ? r : 0;
	if (!c->p->frag.every_ns)
		return rn_answer_mark(c->answer, mark_ns);
	r = rn_agent_advance(m->agent, mark_ns);
	return r < 0 ? r : deliver_windows(c, watermark(c));
}

bool rn_leaf_full(const struct rn_leaf *c)
{
	return rn_answer_full(c->answer);
}

int rn_leaf_finish(struct rn_leaf *c, struct rn_ledgers *l, struct rn_span_ns *span)
{
	int r = finish(c, l, span);

	return r < 0 && c->refused ? c->refused : r;
}

void rn_leaf_close(struct rn_leaf *c)
{
	if (c)
		close_all(c);
}
