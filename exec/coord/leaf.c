/* leaf.c - a plan's own fragment over its nodes: opens it, and runs it to its end or feeds it.
 *
 * A row or a partial state goes this way: agent -> [loopback] -> [relay -> [loopback]], or node ->
 * fleet -> [reorder]; then leaf_sink.c: stage (if the plan keeps predicates or groups for the
 * coordinator) -> answer or groups. Calls go down: leaf.c -> leaf_run.c -> leaf_ledger.c ->
 * leaf_sink.c -> leaf_windows.c -> exec/answer/answer.c. One thread: agents are stepped in turn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/coord/leaf_impl.h"
#include "exec/trace/file.h"
#include "lang/base/hash.h"
#include "lang/base/clock.h"
#include "exec/wire/loopback.h"
#include "exec/trace/trace.h"

#define FLEET_ATTACHES_NS (500LL * 1000 * 1000)

/* ---- setting up ---- */

static struct rn_sink through_hop(struct rn_leaf *c, const char *name, struct rn_sink next,
				  struct rn_loopback **hop)
{
	if (!c->o->frames)
		return next;
	*hop = rn_loopback_create(name, &c->p->frag, &next, c->err);
	return *hop ? rn_loopback_sink(*hop) : next;
}

static struct rn_sink way_up(struct rn_leaf *c, unsigned i)
{
	unsigned fanout = rn_fragment_raw(c->frag) ? 0 : c->o->fanout;
	struct branch *b;

	if (fanout < 2)
		return through_hop(c, c->m[i].name, rn_leaf_sink_in(&c->m[i]), &c->m[i].hop);
	b = &c->b[i / fanout];
	if (!b->relay) {
		struct rn_sink up = through_hop(c, "relay", rn_leaf_sink_in(&c->m[i]), &b->hop);

		b->relay = rn_relay_create(&c->p->frag, &up);
		c->nb = i / fanout + 1;
	}
	return through_hop(c, c->m[i].name,
			   b->relay ? rn_relay_sink(b->relay) : rn_leaf_sink_in(&c->m[i]),
			   &c->m[i].hop);
}

static int open_member(struct rn_leaf *c, unsigned i, const struct rn_node *node)
{
	struct rn_fragment *f = c->frag;
	struct rn_sink up;

	c->m[i].name = node->name;
	up = way_up(c, i);
	if (c->o->frames && !rn_plan_is_local(c->p)) {
		const struct rn_catalog *cat = c->o->catalog;
		char why[256] = "";

		if (c->p->from)
			cat = rn_trace_catalog(c->o->traces, c->p->from, cat, why, sizeof(why));
		if (!cat)
			return rn_err_set(c->err, -EINVAL, "%s",
					  why[0] ? why : "frames need a catalogue");
		f = rn_loopback_fragment(c->a, f, cat, c->err);
		if (!f)
			return c->err->code ? c->err->code : -EBADMSG;
	}
	return rn_agent_open(node->name, node->provider, f, c->o->scope, NULL, &up, &c->m[i].agent,
			     c->err);
}

static int open_all(struct rn_leaf *c, const struct rn_node *nodes, const struct rn_answer_to *to,
		    bool by_time)
{
	struct rn_fragment *f = c->frag;
	uint64_t seed = rn_hash_seed();
	int r;

	for (unsigned i = 0; i < f->naggs; i++)
		f->aggs[i].seed = seed;
	r = rn_answer_create(c->p, to, by_time || c->p->rows_every_ns, &c->answer, c->err);
	c->to = *to;
	if (!r && c->fleet) {
		c->room = rn_room_create(RN_ROOM_BYTES, NULL);
		rn_answer_room(c->answer, c->room, c->fleet);
	}
	if (!r)
		r = rn_leaf_open_stages(c);
	if (f->grouped)
		c->groups = rn_groups_create(f->aggs, f->naggs, f->nkeys, f->max_groups);
	for (unsigned i = 0; i < c->n && !r; i++)
		r = open_member(c, i, &nodes[i]);
	if (c->fleet && !r) {
		struct rn_sink in = rn_leaf_sink_in(&c->m[c->n]),
			       ordered = rn_leaf_sink_ordered(&c->m[c->n]);

		/* else they are ordered later */
		bool flowing = c->p->kind == RN_PLAN_ROWS && !c->p->rows_every_ns;

		if (flowing && !c->p->norder)
			c->reorder = rn_reorder_create(&ordered);
		/* windows go by the times of the nodes */
		rn_fleet_align_rows(c->fleet, flowing && !c->p->every_ns);
		r = rn_fleet_open(c->fleet, f, c->p->nodes, &in, c->o->progress, c->o->started_self,
				  c->err);
	}
	return r;
}

static void close_all(struct rn_leaf *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		rn_agent_close(c->m[i].agent);
		rn_loopback_destroy(c->m[i].hop);
	}
	for (unsigned i = 0; i < c->nb; i++) {
		rn_relay_destroy(c->b[i].relay);
		rn_loopback_destroy(c->b[i].hop);
	}
	if (c->fleet)
		rn_fleet_close(c->fleet);
	rn_reorder_destroy(c->reorder);
	for (unsigned i = 0; i <= c->n; i++) {
		rn_stage_destroy(c->m[i].stage);
		rn_covered_release(&c->m[i].covered);
	}
	if (c->groups)
		rn_groups_destroy(c->groups);
	rn_leaf_window_close(c);
	rn_answer_destroy(c->answer);
	rn_room_destroy(c->room);
	free(c->part);
}

/* The first node that begins also begins the query. */
static void begun(struct rn_leaf *c, int64_t begin_ns)
{
	if (!rn_plan_is_local(c->p) && begin_ns > 0 &&
	    (!c->span->begin || begin_ns < c->span->begin))
		c->span->begin = begin_ns;
}

static void note_begin(struct rn_leaf *c, struct member *m)
{
	const struct rn_cover *cover = rn_agent_cover(m->agent);

	m->covered.cover = cover;
	begun(c, cover->n ? cover->span[0].begin : 0);
}

/* A query that is held counts from the next window on. The coordinator tells the nodes of a fleet
 * before they attach, and gives them a moment for that. */
static void choose_first(struct rn_leaf *c)
{
	int64_t now = c->fleet ? rn_fleet_now(c->fleet) + FLEET_ATTACHES_NS : rn_epoch_ns(),
		align = c->p->align_ns;

	if (!c->frag->held)
		return;
	c->span->first = rn_window_start(now, align) + align;
	c->until_ns = c->span->first + c->p->for_ns;
	for (unsigned i = 0; i < c->n; i++)
		rn_agent_hold(c->m[i].agent, c->span->first, c->until_ns);
	if (c->fleet)
		rn_fleet_hold(c->fleet, c->span->first, c->until_ns);
	if (c->o->first)
		c->o->first(c->o->started_self, c->span->first);
}

/* No node starts before every node has accepted its part; then the command of -c may start. */
static int start_all(struct rn_leaf *c)
{
	int r = 0;

	c->begin_ns = rn_epoch_ns();
	for (unsigned i = 0; i < c->n && !r; i++) {
		c->m[i].begin_ns = rn_epoch_ns();
		r = rn_agent_start(c->m[i].agent, c->err);
	}
	if (!r)
		choose_first(c);
	for (unsigned i = 0; i < c->n && !r; i++)
		note_begin(c, &c->m[i]);
	if (!r)
		r = rn_answer_begin(c->answer);
	if (c->fleet && r >= 0) /* rows of the first node arrive before the last node has begun */
		r = rn_fleet_start(c->fleet, c->err);
	if (c->fleet && !r)
		begun(c, rn_fleet_begin(c->fleet));
	if (!r && rn_leaf_by_clock(c))
		rn_answer_since(c->answer, c->span->first ? c->span->first : rn_epoch_ns());
	if (!r && c->live && c->o->started)
		r = c->o->started(c->o->started_self);
	return r < 0 ? r : 0;
}
/* ---- a leaf that runs to its end ---- */

static void init(struct rn_leaf *c, struct rn_arena *a, struct rn_plan *p,
		 const struct rn_run_opts *o, unsigned nnodes, struct rn_err *err)
{
	bool held;

	*c = (struct rn_leaf){.a = a,
			      .p = p,
			      .o = o,
			      .err = err,
			      .n = nnodes,
			      .mark_ns = INT64_MIN,
			      .told_ns = INT64_MIN};
	/* named processes, and commands, are seen from their beginning on */
	held = p->align_ns && !(o->scope && o->scope->npids);

	c->frag = &p->frag;
	if ((p->every_ns && !p->frag.every_ns) || held) {
		c->frag = RN_NEW(a, struct rn_fragment);
		*c->frag = p->frag;
		c->frag->every_ns = p->every_ns ? p->every_ns : p->frag.grouped ? 0 : p->align_ns;
		c->frag->held = held;
	}
	c->m = RN_NEWN(a, struct member, nnodes + 1);
	for (unsigned i = 0; i <= nnodes; i++)
		c->m[i].c = c;
	c->b = RN_NEWN(a, struct branch, nnodes);
}

int rn_coord_leaf(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		  const struct rn_node *nodes, unsigned nnodes, bool live,
		  const struct rn_answer_to *to, struct rn_ledgers *l, struct rn_ran *span,
		  struct rn_err *err)
{
	struct rn_leaf c;
	int r;

	init(&c, a, p, o, nnodes, err);
	c.live = live;
	c.span = span;
	c.fleet = nodes ? NULL : o->fleet;
	c.all = l;
	c.snapshots = live && to->snapshot && o->refresh_ns && p->frag.grouped && !p->frag.every_ns;
	r = open_all(&c, nodes, to, p->from && nnodes > 1);
	if (!r)
		r = start_all(&c);
	if (!r)
		r = rn_leaf_run(&c);
	if (!r)
		r = rn_leaf_end(&c, l);
	if (r < 0 && c.refused)
		r = c.refused;
	if (r < 0 && err && !err->code)
		rn_err_set(err, r, "the answer could not be delivered: %s", strerror(-r));
	close_all(&c);
	return r;
}

/* ---- a leaf that is fed ---- */

int rn_leaf_open(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		 const struct rn_node *node, const struct rn_answer_to *to, struct rn_ran *span,
		 struct rn_leaf **out, struct rn_err *err)
{
	struct rn_leaf *c = RN_NEW(a, struct rn_leaf);
	int r;

	init(c, a, p, o, 1, err);
	c->span = span;
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

	/* a turn reads at most one batch */
	for (size_t got; rows && !r && !m->ended; rows -= got < rows ? got : rows) {
		r = rn_leaf_turn(c, 0);
		got = rn_agent_got(m->agent);
	}
	if (r < 0 || mark_ns == INT64_MIN || mark_ns == INT64_MAX) /* at the end, finish delivers */
		return r < 0 ? r : 0;
	if (!c->frag->every_ns)
		return rn_answer_mark(c->answer, mark_ns);
	r = rn_agent_advance(m->agent, mark_ns);
	return r < 0 ? r : rn_leaf_deliver(c, rn_leaf_watermark(c));
}

bool rn_leaf_full(const struct rn_leaf *c)
{
	return rn_answer_full(c->answer);
}

int rn_leaf_finish(struct rn_leaf *c, struct rn_ledgers *l)
{
	int r = rn_leaf_end(c, l);

	return r < 0 && c->refused ? c->refused : r;
}

void rn_leaf_close(struct rn_leaf *c)
{
	if (c)
		close_all(c);
}
