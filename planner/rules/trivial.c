/* trivial.c - drops conditions that need no event to be decided, and repeated ones.
 *
 * `true` goes. One `false` makes the rest pointless, so it alone stays: the query then has its
 * shape of answer without any event. Comparing bytes is exact, so a repeated condition is one
 * condition. */
#include "planner/rules/rules.h"

static bool is_const(const struct rn_expr *e, bool v)
{
	return e->kind == RN_E_CONST && e->value.kind == RN_BOOL && (e->value.i != 0) == v;
}

void rn_rule_trivial(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_fragment *fragment = &plan->frag;
	unsigned n = 0;

	(void)arena;
	for (unsigned i = 0; i < fragment->nwhere; i++) {
		unsigned k;

		if (is_const(fragment->where[i].expr, false)) {
			fragment->where[0] = fragment->where[i];
			fragment->nwhere = 1;
			return;
		}
		for (k = 0;
		     k < n && !rn_expr_equal(fragment->where[k].expr, fragment->where[i].expr); k++)
			;
		if (k == n && !is_const(fragment->where[i].expr, true))
			fragment->where[n++] = fragment->where[i];
	}
	fragment->nwhere = n;
	if (plan->having && is_const(plan->having, true))
		plan->having = NULL;
}
