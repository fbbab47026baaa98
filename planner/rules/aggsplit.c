/* aggsplit.c - decides where the partial states of a grouped query form: in the kernel if it knows
 * every predicate, key and argument, else at the node. Merging and finishing stay in their places,
 * so the answer cannot change. */
#include "planner/split/place.h"
#include "planner/rules/rules.h"

/* Why this fragment's groups cannot be formed in the kernel; NULL if they can. */
static const char *why_not(struct rn_arena *a, const struct rn_plan *p)
{
	const struct rn_fragment *f = &p->frag;
	const char *why = rn_place_source(p);
	unsigned nodes = 0;

	for (unsigned i = 0; i < f->nwhere && !why; i++)
		if (rn_place_predicate(a, f->where[i].expr, &nodes))
			why = "a predicate before it runs at the node";
	if (!why)
		why = rn_place_key_set(f);
	if (!why && f->naggs > RN_KERNEL_AGGS)
		why = "more than 64 aggregates: not in the kernel";
	for (unsigned i = 0; i < f->nkeys && !why; i++) {
		const char *key = rn_place_key(a, f->keys[i]);

		if (key)
			why = rn_arena_printf(a, "one key needs the node (%s)", key);
	}
	for (unsigned i = 0; i < f->naggs && !why; i++)
		why = rn_place_agg(a, &f->aggs[i]);
	return why;
}

void rn_rule_aggsplit(struct rn_arena *a, struct rn_plan *p)
{
	const char *why;

	if (p->kind != RN_PLAN_GROUPS)
		return;
	why = why_not(a, p);
	p->frag.agg_place = why ? RN_AT_NODE : RN_AT_KERNEL;
	p->frag.agg_reason = why ? why : "every predicate, key and argument is known to the kernel";
}
