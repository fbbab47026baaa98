/* leaf_ledger.c - the ledger of a leaf: what it has covered so far, and at its end, when the rest
 * is delivered. */
#include <errno.h>
#include <string.h>
#include "exec/coord/leaf_impl.h"
#include "lang/base/clock.h"
#include "exec/wire/loopback.h"

enum { SO_FAR_ARENA = 256 << 20 };

static void keep_ledger(struct rn_leaf *leaf, struct rn_ledgers *all, struct rn_ledger *ledger)
{
	struct rn_ledger *more;

	ledger->node = rn_arena_strdup(leaf->arena, ledger->node ? ledger->node : "");
	if (ledger->why)
		ledger->why = rn_arena_strdup(leaf->arena, ledger->why);
	if (ledger->place)
		ledger->place = rn_arena_strdup(leaf->arena, ledger->place);
	for (unsigned i = 0; i < all->n; i++)
		if (!strcmp(all->nodes[i].node, ledger->node)) {
			rn_ledger_add(&all->nodes[i], ledger);
			return;
		}
	if (!(all->n & (all->n - 1))) { /* full: its room is doubled */
		more = RN_NEWN(leaf->arena, struct rn_ledger, all->n ? 2 * all->n : 1);
		if (all->n)
			memcpy(more, all->nodes, all->n * sizeof(*more));
		all->nodes = more;
	}
	all->nodes[all->n++] = *ledger;
}

/* Adds a node's ledger to the whole. */
static void count_in(struct rn_leaf *c, struct rn_ledger *l)
{
	if (l->begin_ns && (!c->span->begin || l->begin_ns < c->span->begin))
		c->span->begin = l->begin_ns;
	if (l->end_ns > c->span->end)
		c->span->end = l->end_ns;
	if (rn_leaf_tests(c)) /* own_ledger tells it: rows of all nodes are tested here together */
		l->n[RN_L_MATCHED] = 0;
}

static void remote_ledger(void *self, const struct rn_ledger *from)
{
	struct rn_leaf *c = self;
	struct rn_ledger l = *from;

	count_in(c, &l);
	keep_ledger(c, c->all, &l);
}

/* ---- until now ---- */

struct so_far {
	struct rn_leaf *leaf;
	struct rn_ledgers ledgers;
};

static void put(void *self, const struct rn_ledger *from)
{
	struct so_far *s = self;
	/* its pointers are valid while the node takes it */
	struct rn_ledger *ledger = &s->ledgers.nodes[s->ledgers.n], own = *from;

	if (rn_leaf_tests(s->leaf))
		own.n[RN_L_MATCHED] = 0;

	/* of queries before this one: sets */
	for (unsigned i = 0; i < (s->leaf->all ? s->leaf->all->n : 0); i++)
		if (!strcmp(s->ledgers.nodes[i].node, from->node))
			ledger = &s->ledgers.nodes[i];
	if (ledger < &s->ledgers.nodes[s->ledgers.n]) {
		rn_ledger_add(ledger, &own);
	} else {
		*ledger = own;
		s->ledgers.n++;
	}
}

void rn_leaf_so_far(struct rn_leaf *leaf)
{
	const struct rn_ledgers *before = leaf->all;
	unsigned n = before ? before->n : 0;
	struct rn_fleet_status status = {0};
	struct so_far s = {.leaf = leaf};
	struct rn_arena *arena;

	if (!leaf->opts->so_far || rn_plan_is_local(leaf->plan))
		return;
	if (leaf->fleet)
		rn_fleet_status(leaf->fleet, &status);
	arena = rn_arena_create(SO_FAR_ARENA);
	s.ledgers = (struct rn_ledgers){
		.nodes = RN_NEWN(arena, struct rn_ledger, n + leaf->n + status.nodes + 1),
		.n = n,
		.so_far = true,
		.trace_note = before ? before->trace_note : NULL};
	if (n)
		memcpy(s.ledgers.nodes, before->nodes, n * sizeof(*before->nodes));
	for (unsigned i = 0; i < leaf->n; i++) {
		struct rn_ledger ledger = {.answered = true,
					   .begin_ns = leaf->members[i].begin_ns,
					   .end_ns = rn_epoch_ns()};

		rn_agent_ledger(leaf->members[i].agent, &ledger);
		ledger.node = leaf->members[i].name;
		ledger.answered &= !leaf->members[i].failed;
		ledger.why = leaf->members[i].failed ? leaf->members[i].err.text : ledger.why;
		put(&s, &ledger);
	}
	if (leaf->fleet)
		rn_fleet_so_far(leaf->fleet, put, &s);
	if (s.ledgers.n)
		rn_leaf_own_counts(leaf, &s.ledgers.nodes[0]);
	leaf->opts->so_far(leaf->opts->started_self, &s.ledgers);
	rn_arena_destroy(arena);
}

/* ---- the end ---- */

static int finish_member(struct rn_leaf *leaf, struct rn_leaf_member *member,
			 struct rn_ledgers *all)
{
	struct rn_ledger ledger = {0};
	struct rn_err err = {0};
	int r = rn_agent_finish(member->agent, &ledger, &err);

	if (r < 0 && (leaf->n == 1 || leaf->refused)) {
		*leaf->err = err;
		return r;
	}
	if (member->failed) {
		ledger.answered = false;
		ledger.why = member->err.text;
	} else if (r < 0) {
		ledger.why = err.text;
	} else if (leaf->plan->from && !member->ended && rn_stopped(leaf->opts->stop)) {
		ledger.answered = false;
		ledger.why = "interrupted before the end of the recording";
	}
	if (rn_plan_is_local(leaf->plan)) {
		leaf->overflow += ledger.n[RN_L_OVERFLOW];
		leaf->unpaired += ledger.n[RN_L_UNPAIRED];
		return 0;
	}
	if (!ledger.begin_ns) {
		ledger.begin_ns = member->begin_ns;
		ledger.end_ns = rn_epoch_ns();
	}
	count_in(leaf, &ledger);
	if (leaf->opts->frames) {
		r = rn_loopback_ledger(leaf->arena, &ledger, leaf->err);
		if (r < 0)
			return r;
	}
	keep_ledger(leaf, all, &ledger);
	return 0;
}

void rn_leaf_own_counts(struct rn_leaf *leaf, struct rn_ledger *sum)
{
	sum->n[RN_L_LOST_MAP] += leaf->other + rn_answer_other(leaf->answer);
	sum->n[RN_L_LATE] += leaf->late;
	sum->n[RN_L_OVERFLOW] += rn_answer_overflow(leaf->answer) + leaf->given_overflow;
	sum->n[RN_L_UNPAIRED] += rn_answer_unpaired(leaf->answer) + leaf->given_unpaired;
	sum->n[RN_L_SHED] += leaf->shed + rn_answer_shed(leaf->answer);
	sum->n[RN_L_FORGOTTEN] += rn_answer_forgotten(leaf->answer) + leaf->given_forgotten;
	for (unsigned i = 0; i < leaf->nb; i++)
		rn_relay_ledger(leaf->branches[i].relay, sum);
	if (rn_leaf_tests(leaf)) /* only this side knows what matched */
		sum->n[RN_L_MATCHED] = 0;
	for (unsigned i = 0; i <= leaf->n; i++) {
		struct rn_ledger one = {.answered = true};

		if (leaf->members[i].stage)
			rn_stage_ledger(leaf->members[i].stage, &one);
		rn_ledger_add(sum, &one);
	}
}

/* Adds to the first node's ledger what belongs to no node. That is groups that did not fit at a
 * relay or here, results of more than 64 bits, events left out here, and rows that passed what is
 * tested here. The answer is complete by now. */
static void own_ledger(struct rn_leaf *c, struct rn_ledgers *all)
{
	struct rn_ledger l = {.node = all->n ? all->nodes[0].node : "coordinator",
			      .answered = true};

	rn_leaf_own_counts(c, &l);
	l.n[RN_L_OVERFLOW] += c->overflow;
	l.n[RN_L_UNPAIRED] += c->unpaired;
	if (l.n[RN_L_LOST_MAP] || l.n[RN_L_LATE] || l.n[RN_L_SHED] || l.n[RN_L_OVERFLOW] ||
	    l.n[RN_L_UNPAIRED] || l.n[RN_L_FORGOTTEN] || l.n[RN_L_MATCHED])
		keep_ledger(c, all, &l);
}

struct rn_nulls *rn_leaf_nulls(struct rn_leaf *leaf)
{
	const struct rn_plan *p = leaf->plan;
	unsigned n = p->nout;

	leaf->nulls = RN_NEWN(leaf->arena, struct rn_nulls, n + p->frag.naggs + 1);
	for (unsigned i = 0; i < n; i++)
		leaf->nulls[i].column = p->out[i].label;
	for (unsigned i = 0; i < p->frag.naggs; i++)
		leaf->nulls[n + i].column = p->frag.aggs[i].nulls_of;
	return leaf->nulls;
}

/* Adds the columns that have some to the whole. */
static void keep_nulls(struct rn_leaf *leaf, struct rn_ledgers *all)
{
	unsigned n = leaf->nulls ? leaf->plan->nout + leaf->plan->frag.naggs : 0;
	struct rn_nulls *list = RN_NEWN(leaf->arena, struct rn_nulls, all->nnulls + n);

	if (all->nnulls)
		memcpy(list, all->nulls, all->nnulls * sizeof(*list));
	for (unsigned i = 0; i < n; i++)
		if (leaf->nulls[i].n)
			list[all->nnulls++] = (struct rn_nulls){
				rn_arena_strdup(leaf->arena, leaf->nulls[i].column),
				leaf->nulls[i].n};
	all->nulls = list;
}

/* The query's end is in the last window. INT64_MIN: that window needs no end, as it is the last one
 * with groups. A recording ends with its last event, also if that does not pass: windows that
 * overlap go on after the last one that does. */
static int64_t last_ns(const struct rn_leaf *leaf)
{
	int64_t last = INT64_MIN;

	if (rn_leaf_by_clock(leaf))
		return leaf->span->end ? leaf->span->end - 1 : INT64_MIN;
	for (unsigned i = 0; leaf->plan->over_ns && i < leaf->n; i++)
		if (rn_agent_newest(leaf->members[i].agent) > last)
			last = rn_agent_newest(leaf->members[i].agent);
	return last;
}

int rn_leaf_end(struct rn_leaf *leaf, struct rn_ledgers *all)
{
	int r = 0;

	leaf->all = all;
	for (unsigned i = 0; i < leaf->n; i++) {
		int s = finish_member(leaf, &leaf->members[i], all);

		if (!r)
			r = s;
	}
	if (leaf->fleet && !r)
		r = rn_fleet_finish(leaf->fleet, remote_ledger, leaf, leaf->err);
	if (leaf->reorder && r >= 0)
		r = rn_reorder_release(leaf->reorder, INT64_MAX);
	for (unsigned i = 0; i < leaf->nb && r >= 0; i++)
		r = rn_relay_flush(leaf->branches[i].relay, INT64_MAX);
	if (r >= 0)
		r = rn_leaf_flush_stages(leaf, INT64_MAX);
	/* also the last windows come after their counts */
	if (leaf->opts->so_far && r >= 0 && !rn_plan_is_local(leaf->plan)) {
		struct rn_ledgers known = *all;

		known.so_far = true;
		leaf->opts->so_far(leaf->opts->started_self, &known);
	}
	if (leaf->groups && r >= 0 && last_ns(leaf) != INT64_MIN)
		r = rn_answer_groups(leaf->answer, leaf->groups,
				     rn_window_start(last_ns(leaf), leaf->frag->every_ns) +
					     leaf->frag->every_ns,
				     false, false);
	if (leaf->groups && r >= 0)
		r = rn_answer_groups(leaf->answer, leaf->groups, INT64_MAX, true, false);
	if (leaf->plan->rows_every_ns && r >= 0)
		r = rn_leaf_window_deliver(leaf, INT64_MAX);
	if (r >= 0)
		r = rn_answer_end(leaf->answer, leaf->fleet, all, leaf->begin_ns);
	own_ledger(leaf, all);
	keep_nulls(leaf, all);
	return r < 0 ? r : 0;
}
