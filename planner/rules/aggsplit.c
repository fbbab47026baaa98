/* aggsplit.c - decides where the partial states of a grouped query form: in the kernel if it knows
 * every predicate, key and argument, else at the node. Merging and finishing stay in their places,
 * so the answer cannot change. */
#include "planner/split/place.h"
#include "planner/rules/rules.h"

/* Why this fragment's groups cannot be formed in the kernel; NULL if they can. */
static const char *why_not(struct rn_arena *arena, const struct rn_plan *plan)
{
	const struct rn_fragment *fragment = &plan->frag;
	const char *why = rn_place_source(plan);
	unsigned nodes = 0;

	for (unsigned i = 0; i < fragment->nwhere && !why; i++)
		if (rn_place_predicate(arena, fragment->where[i].expr, &nodes))
			why = "a predicate before it runs at the node";
	if (!why)
		why = rn_place_key_set(fragment);
	if (!why && fragment->naggs > RN_KERNEL_AGGS)
		why = "more than 64 aggregates: not in the kernel";
	for (unsigned i = 0; i < fragment->nkeys && !why; i++) {
		const char *key = rn_place_key(arena, fragment->keys[i]);

		if (key)
			why = rn_arena_printf(arena, "one key needs the node (%s)", key);
	}
	for (unsigned i = 0; i < fragment->naggs && !why; i++) {
		if (fragment->aggs[i].where)
			why = rn_place_predicate(arena, fragment->aggs[i].where, &nodes);
		if (!why)
			why = rn_place_agg(arena, &fragment->aggs[i]);
	}
	return why;
}

void rn_rule_aggsplit(struct rn_arena *arena, struct rn_plan *plan)
{
	const char *why;

	if (plan->kind != RN_PLAN_GROUPS)
		return;
	why = why_not(arena, plan);
	plan->frag.agg_place = why ? RN_AT_NODE : RN_AT_KERNEL;
	plan->frag.agg_reason =
		why ? why : "every predicate, key and argument is known to the kernel";
}
