/* limit.c - `limit N` of rows without an order: no node needs to send more than N, and each may stop then. Not of N in each window, which
 * are the earliest of all nodes. */
#include "planner/rules.h"

void rn_rule_limit(struct rn_arena *a, struct rn_plan *p)
{
	(void)a;
	if (p->kind == RN_PLAN_ROWS && !p->norder && p->limit >= 0 && !p->every_ns)
		p->frag.limit = p->limit;
}
