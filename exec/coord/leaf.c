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
	if (!c->opts->frames)
		return next;
	*hop = rn_loopback_create(name, &c->plan->frag, &next, c->err);
	return rn_loopback_sink(*hop);
}

static struct rn_sink way_up(struct rn_leaf *leaf, unsigned i)
{
	unsigned fanout = rn_fragment_raw(leaf->frag) ? 0 : leaf->opts->fanout;
	struct rn_leaf_branch *b;

	if (fanout < 2)
		return through_hop(leaf, leaf->members[i].name, rn_leaf_sink_in(&leaf->members[i]),
				   &leaf->members[i].hop);
	b = &leaf->branches[i / fanout];
	if (!b->relay) {
		struct rn_sink up =
			through_hop(leaf, "relay", rn_leaf_sink_in(&leaf->members[i]), &b->hop);

		b->relay = rn_relay_create(&leaf->plan->frag, &up);
		leaf->nb = i / fanout + 1;
	}
	return through_hop(leaf, leaf->members[i].name,
			   b->relay ? rn_relay_sink(b->relay) : rn_leaf_sink_in(&leaf->members[i]),
			   &leaf->members[i].hop);
}

static int open_member(struct rn_leaf *leaf, unsigned i, const struct rn_node *node)
{
	struct rn_fragment *fragment = leaf->frag;
	struct rn_sink up;

	leaf->members[i].name = node->name;
	up = way_up(leaf, i);
	if (leaf->opts->frames && !rn_plan_is_local(leaf->plan)) {
		const struct rn_catalog *cat = leaf->opts->catalog;
		char why[256] = "";

		if (leaf->plan->from)
			cat = rn_trace_catalog(leaf->opts->traces, leaf->plan->from, cat, why,
					       sizeof(why));
		if (!cat)
			return rn_err_set(leaf->err, -EINVAL, "%s",
					  why[0] ? why : "frames need a catalogue");
		fragment = rn_loopback_fragment(leaf->arena, fragment, cat, leaf->err);
		if (!fragment)
			return leaf->err->code ? leaf->err->code : -EBADMSG;
	}
	return rn_agent_open(node->name, node->provider, fragment, leaf->opts->scope, NULL, &up,
			     &leaf->members[i].agent, leaf->err);
}

static int open_all(struct rn_leaf *leaf, const struct rn_node *nodes,
		    const struct rn_answer_sink *to, bool by_time)
{
	struct rn_fragment *fragment = leaf->frag;
	uint64_t seed = rn_hash_seed();
	int r;

	for (unsigned i = 0; i < fragment->naggs; i++)
		fragment->aggs[i].seed = seed;
	r = rn_answer_create(leaf->plan, to, by_time || leaf->plan->rows_every_ns, &leaf->answer,
			     leaf->err);
	leaf->to = *to;
	if (!r)
		rn_answer_nulls(leaf->answer, rn_leaf_nulls(leaf));
	if (!r && leaf->fleet) {
		leaf->room = rn_room_create(RN_ROOM_BYTES, NULL);
		rn_answer_room(leaf->answer, leaf->room, leaf->fleet);
	}
	if (!r)
		r = rn_leaf_open_stages(leaf);
	if (fragment->grouped)
		leaf->groups = rn_groups_create(fragment->aggs, fragment->naggs, fragment->nkeys,
						fragment->max_groups);
	for (unsigned i = 0; i < leaf->n && !r; i++)
		r = open_member(leaf, i, &nodes[i]);
	if (leaf->fleet && !r) {
		struct rn_sink in = rn_leaf_sink_in(&leaf->members[leaf->n]),
			       ordered = rn_leaf_sink_ordered(&leaf->members[leaf->n]);

		/* else they are ordered later */
		bool flowing = leaf->plan->kind == RN_PLAN_ROWS && !leaf->plan->rows_every_ns;

		if (flowing && !leaf->plan->norder)
			leaf->reorder = rn_reorder_create(&ordered);
		/* windows go by the times of the nodes */
		rn_fleet_align_rows(leaf->fleet, flowing && !leaf->plan->every_ns);
		rn_fleet_on_wait(leaf->fleet, leaf->opts->progress, leaf->opts->started_self);
		r = rn_fleet_open(leaf->fleet, fragment, leaf->plan->nodes, &in, leaf->err);
	}
	return r;
}

static void close_all(struct rn_leaf *leaf)
{
	for (unsigned i = 0; i < leaf->n; i++) {
		rn_agent_close(leaf->members[i].agent);
		rn_loopback_destroy(leaf->members[i].hop);
	}
	for (unsigned i = 0; i < leaf->nb; i++) {
		rn_relay_destroy(leaf->branches[i].relay);
		rn_loopback_destroy(leaf->branches[i].hop);
	}
	if (leaf->fleet) {
		rn_fleet_close(leaf->fleet);
		rn_fleet_on_wait(leaf->fleet, NULL, NULL);
	}
	rn_reorder_destroy(leaf->reorder);
	for (unsigned i = 0; i <= leaf->n; i++) {
		rn_stage_destroy(leaf->members[i].stage);
		rn_covered_release(&leaf->members[i].covered);
	}
	if (leaf->groups)
		rn_groups_destroy(leaf->groups);
	rn_leaf_window_close(leaf);
	rn_answer_destroy(leaf->answer);
	rn_room_destroy(leaf->room);
	free(leaf->part);
}

/* The first node that begins also begins the query. */
static void begun(struct rn_leaf *c, int64_t begin_ns)
{
	if (!rn_plan_is_local(c->plan) && begin_ns > 0 &&
	    (!c->span->begin || begin_ns < c->span->begin))
		c->span->begin = begin_ns;
}

static void note_begin(struct rn_leaf *c, struct rn_leaf_member *m)
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
		align = c->plan->align_ns;

	if (!c->frag->held)
		return;
	c->span->first = rn_window_start(now, align) + align;
	c->until_ns = c->span->first + c->plan->for_ns;
	for (unsigned i = 0; i < c->n; i++)
		rn_agent_hold(c->members[i].agent, c->span->first, c->until_ns);
	if (c->fleet)
		rn_fleet_hold(c->fleet, c->span->first, c->until_ns);
	if (c->opts->first)
		c->opts->first(c->opts->started_self, c->span->first);
}

/* No node starts before every node has accepted its part; then the command of -c may start. */
static int start_all(struct rn_leaf *leaf)
{
	int r = 0;

	leaf->begin_ns = rn_epoch_ns();
	for (unsigned i = 0; i < leaf->n && !r; i++) {
		leaf->members[i].begin_ns = rn_epoch_ns();
		r = rn_agent_start(leaf->members[i].agent, leaf->err);
	}
	if (!r)
		choose_first(leaf);
	for (unsigned i = 0; i < leaf->n && !r; i++)
		note_begin(leaf, &leaf->members[i]);
	if (!r)
		r = rn_answer_begin(leaf->answer);
	if (leaf->fleet &&
	    r >= 0) /* rows of the first node arrive before the last node has begun */
		r = rn_fleet_start(leaf->fleet, leaf->err);
	if (leaf->fleet && !r)
		begun(leaf, rn_fleet_begin(leaf->fleet));
	if (!r && rn_leaf_by_clock(leaf))
		rn_answer_since(leaf->answer,
				leaf->span->first ? leaf->span->first : rn_epoch_ns());
	if (!r && leaf->live && leaf->opts->started)
		r = leaf->opts->started(leaf->opts->started_self);
	return r < 0 ? r : 0;
}
/* ---- a leaf that runs to its end ---- */

static void init(struct rn_leaf *leaf, struct rn_arena *arena, struct rn_plan *plan,
		 const struct rn_run_opts *opts, unsigned nnodes, struct rn_err *err)
{
	bool held;

	*leaf = (struct rn_leaf){.arena = arena,
				 .plan = plan,
				 .opts = opts,
				 .err = err,
				 .n = nnodes,
				 .mark_ns = INT64_MIN,
				 .reported_until_ns = INT64_MIN};
	/* named processes, and commands, are seen from their beginning on */
	held = plan->align_ns && !(opts->scope && opts->scope->npids);

	leaf->frag = &plan->frag;
	if ((plan->every_ns && !plan->frag.every_ns) || held) {
		leaf->frag = RN_NEW(arena, struct rn_fragment);
		*leaf->frag = plan->frag;
		leaf->frag->every_ns = plan->every_ns       ? plan->every_ns
				       : plan->frag.grouped ? 0
							    : plan->align_ns;
		leaf->frag->held = held;
	}
	leaf->members = RN_NEWN(arena, struct rn_leaf_member, nnodes + 1);
	for (unsigned i = 0; i <= nnodes; i++)
		leaf->members[i].leaf = leaf;
	leaf->branches = RN_NEWN(arena, struct rn_leaf_branch, nnodes);
}

int rn_leaf_execute(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		    const struct rn_node *nodes, unsigned nnodes, bool live,
		    const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		    struct rn_ran *span, struct rn_err *err)
{
	struct rn_leaf leaf;
	int r;

	init(&leaf, arena, plan, opts, nnodes, err);
	leaf.live = live;
	leaf.span = span;
	leaf.fleet = nodes ? NULL : opts->fleet;
	leaf.all = ledgers;
	leaf.snapshots = live && to->snapshot && opts->refresh_ns && plan->frag.grouped &&
			 !plan->frag.every_ns;
	r = open_all(&leaf, nodes, to, plan->from && nnodes > 1);
	if (!r)
		r = start_all(&leaf);
	if (!r)
		r = rn_leaf_run(&leaf);
	if (!r)
		r = rn_leaf_end(&leaf, ledgers);
	if (r < 0 && leaf.refused)
		r = leaf.refused;
	if (r < 0 && err && !err->code)
		rn_err_set(err, r, "the answer could not be delivered: %s", strerror(-r));
	close_all(&leaf);
	return r;
}

/* ---- a leaf that is fed ---- */

int rn_leaf_open(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		 const struct rn_node *node, const struct rn_answer_sink *to, struct rn_ran *span,
		 struct rn_leaf **out, struct rn_err *err)
{
	struct rn_leaf *c = RN_NEW(arena, struct rn_leaf);
	int r;

	init(c, arena, plan, opts, 1, err);
	c->span = span;
	r = open_all(c, node, to, false);
	if (r)
		close_all(c);
	else
		*out = c;
	return r;
}

int rn_leaf_start(struct rn_leaf *leaf)
{
	return start_all(leaf);
}

int rn_leaf_feed(struct rn_leaf *leaf, size_t rows, int64_t mark_ns)
{
	struct rn_leaf_member *m = &leaf->members[0];
	int r = 0;

	/* a turn reads at most one batch */
	for (size_t got; rows && !r && !m->ended; rows -= got < rows ? got : rows) {
		r = rn_leaf_turn(leaf, 0);
		got = rn_agent_got(m->agent);
	}
	if (r < 0 || mark_ns == INT64_MIN || mark_ns == INT64_MAX) /* at the end, finish delivers */
		return r < 0 ? r : 0;
	if (!leaf->frag->every_ns)
		return rn_answer_mark(leaf->answer, mark_ns);
	r = rn_agent_advance(m->agent, mark_ns);
	return r < 0 ? r : rn_leaf_deliver(leaf, rn_leaf_watermark(leaf));
}

bool rn_leaf_full(const struct rn_leaf *leaf)
{
	return rn_answer_full(leaf->answer);
}

int rn_leaf_finish(struct rn_leaf *leaf, struct rn_ledgers *ledgers)
{
	int r = rn_leaf_end(leaf, ledgers);

	return r < 0 && leaf->refused ? leaf->refused : r;
}

void rn_leaf_close(struct rn_leaf *leaf)
{
	if (leaf)
		close_all(leaf);
}
