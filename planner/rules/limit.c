/* limit.c - `limit N` of rows without an order: no node needs to send more than N, and each can
 * then stop. It does not apply to N in each window, which are the earliest of all nodes, nor if the
 * coordinator leaves some rows out. */
#include "planner/rules/rules.h"

void rn_rule_limit(struct rn_arena *arena, struct rn_plan *plan)
{
	(void)arena;
	for (unsigned i = 0; i < plan->nout; i++)
		if (plan->out[i].known)
			return;
	if (plan->kind == RN_PLAN_ROWS && !plan->norder && plan->limit >= 0 && !plan->every_ns)
		plan->frag.limit = plan->limit;
}
