/* leaf_run.c - runs a leaf: steps its agents in turn, or its fleet. Delivers windows once the
 * watermark of every node has passed them. A table that refreshes gets the groups so far. */
#include <errno.h>
#include <stdlib.h>
#include "exec/coord/leaf_impl.h"
#include "lang/base/clock.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

enum { WAIT_MS = 100, SHARED_WAIT_MS = 5, PROGRESS_NS = 500 * 1000 * 1000 };
#define HELD_LATE_NS (500LL * 1000 * 1000)

/* If a consumer refuses, the query ends. If a node fails, the others go on, unless it is the only
 * one. */
static int step(struct rn_leaf *c, struct rn_leaf_member *m, int wait_ms)
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

static void add_part(void *self, const struct rn_window_node *n)
{
	struct rn_leaf *c = self;

	rn_vec_room(c->part, c->nparts, c->cap_parts);
	c->part[c->nparts++] = *n;
}

static void add_counts(void *self, const struct rn_ledger *l)
{
	rn_ledger_add(self, l);
}

static int tell_window(struct rn_leaf *leaf)
{
	bool reads_table = leaf->frag->cls->kind == RN_CLASS_TABLE;
	struct rn_ledger sum = {.answered = true};

	leaf->nparts = 0;
	for (unsigned i = 0; i < leaf->n; i++) {
		struct rn_ledger ledger = {.answered = true};

		rn_agent_ledger(leaf->members[i].agent, &ledger);
		rn_ledger_add(&sum, &ledger);
		add_part(leaf, &(struct rn_window_node){
				       leaf->members[i].name, 1, !leaf->members[i].failed,
				       leaf->members[i].failed ? leaf->members[i].err.text : NULL});
	}
	if (leaf->fleet) {
		rn_fleet_window(leaf->fleet, leaf->mark_ns, add_part, leaf);
		rn_fleet_so_far(leaf->fleet, add_counts, &sum);
	}
	rn_leaf_own_counts(leaf, &sum);
	return leaf->opts->window(
		leaf->opts->started_self,
		&(struct rn_window_end){leaf->mark_ns, &sum, leaf->part, leaf->nparts,
					.partial = leaf->mark_ns - leaf->frag->every_ns <
							   leaf->span->begin &&
						   !reads_table});
}

int64_t rn_leaf_watermark(const struct rn_leaf *leaf)
{
	int64_t mark = leaf->fleet ? rn_fleet_watermark(leaf->fleet) : INT64_MAX;

	for (unsigned i = 0; i < leaf->n; i++) {
		int64_t m = rn_agent_watermark(leaf->members[i].agent);

		if (!leaf->members[i].ended && m < mark)
			mark = m;
	}
	return mark;
}

static int snapshot(struct rn_leaf *c)
{
	struct rn_fragment *f = &c->plan->frag;
	struct rn_sink own = {.self = c, .rows = rn_leaf_rows, .partials = rn_leaf_partials};
	int r = 0;

	c->peek = rn_groups_create(f->aggs, f->naggs, f->nkeys, f->max_groups);
	for (unsigned i = 0; i < c->n && r >= 0; i++)
		r = rn_agent_peek(c->members[i].agent, &own, c->err);
	if (c->fleet && r >= 0)
		r = rn_fleet_peek(c->fleet, &own, c->err);
	if (r >= 0)
		r = rn_leaf_peek_stages(c, &own);
	if (r >= 0)
		r = rn_answer_groups(c->answer, c->peek, INT64_MAX, true, true);
	rn_groups_destroy(c->peek);
	c->peek = NULL;
	return r;
}

static bool asked_to_end(const struct rn_leaf *c)
{
	bool stop = rn_stopped(c->opts->stop);

	/* the user may leave a long recording; rows of a nested query are few, and are the
	 * answer */
	if (!c->live)
		return stop && c->plan->from;
	return stop || (c->opts->done && c->opts->done(c->opts->started_self));
}

static int shorter(int wait_ms, int64_t until_ns, int64_t now_ns)
{
	int64_t left = until_ns > now_ns ? (until_ns - now_ns) / 1000000 + 1 : 0;

	return left < wait_ms ? (int)left : wait_ms;
}

/* Makes one turn over all agents. 1: all have ended. */
int rn_leaf_turn(struct rn_leaf *leaf, int wait_ms)
{
	unsigned ended = 0;
	bool over;
	int r = 0;

	for (unsigned i = 0; i < leaf->n && !r; i++) {
		if (!leaf->members[i].ended)
			r = step(leaf, &leaf->members[i],
				 leaf->n == 1               ? wait_ms
				 : wait_ms < SHARED_WAIT_MS ? wait_ms
							    : SHARED_WAIT_MS);
		ended += leaf->members[i].ended;
	}
	over = ended == leaf->n;
	if (leaf->fleet && !r) {
		r = rn_fleet_step(leaf->fleet, wait_ms, leaf->err);
		over = r > 0;
		if (leaf->reorder && r >= 0)
			r = rn_reorder_release(leaf->reorder,
					       rn_fleet_now(leaf->fleet) - RN_REORDER_NS);
		r = leaf->refused ? leaf->refused : r;
	}
	if (r < 0)
		return r;
	if (leaf->frag->every_ns && !over) {
		int64_t mark = rn_leaf_watermark(leaf);

		/* the consumer of a window's rows finds its events in the ledger */
		if (mark > leaf->mark_ns)
			rn_leaf_so_far(leaf);
		r = rn_leaf_deliver(leaf, mark);
	}
	if (r >= 0 && leaf->live && leaf->opts->window && leaf->mark_ns > leaf->reported_until_ns) {
		leaf->reported_until_ns = leaf->mark_ns;
		r = tell_window(leaf);
	}
	return r < 0 ? r : over;
}

static void tell_progress(struct rn_leaf *c)
{
	struct rn_fleet_status s = {0};

	rn_leaf_so_far(c);
	if (!c->opts->progress)
		return;
	if (c->fleet)
		rn_fleet_status(c->fleet, &s);
	for (unsigned i = 0; i < c->n; i++)
		s.seen += rn_agent_seen(c->members[i].agent);
	c->opts->progress(c->opts->started_self, &s);
}

int rn_leaf_run(struct rn_leaf *leaf)
{
	int64_t now = rn_mono_ns(),
		end = leaf->live && leaf->plan->for_ns ? now + leaf->plan->for_ns : INT64_MAX;
	int64_t every = leaf->snapshots ? leaf->opts->refresh_ns : 0,
		next = every ? now + every : INT64_MAX;
	int64_t tell =
		(leaf->opts->progress || leaf->opts->so_far) && (leaf->live || leaf->plan->from)
			? now + PROGRESS_NS
			: INT64_MAX;
	int r = 0;

	/* nodes end by themselves; those that do not get a word to end a little later */
	if (leaf->until_ns)
		end = now + leaf->until_ns -
		      (leaf->fleet ? rn_fleet_now(leaf->fleet) : rn_epoch_ns()) + HELD_LATE_NS;
	if (leaf->until_ns)
		leaf->span->planned = leaf->until_ns;
	else if (leaf->live && leaf->plan->for_ns && leaf->span->begin)
		leaf->span->planned = leaf->span->begin + leaf->plan->for_ns;
	while (!r && now < end && !asked_to_end(leaf) && !rn_answer_full(leaf->answer)) {
		r = rn_leaf_turn(leaf, shorter(shorter(WAIT_MS, end, now), next, now));
		now = rn_mono_ns();
		if (!r && now >= next) {
			r = snapshot(leaf);
			next = rn_mono_ns() + every;
		}
		if (!r && now >= tell) {
			tell_progress(leaf);
			tell = now + PROGRESS_NS;
		}
	}
	return r < 0 ? r : 0;
}
