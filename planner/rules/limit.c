/* limit.c - `limit N` of rows without an order: no node needs to send more than N, and each can
 * then stop. It does not apply to N in each window, which are the earliest of all nodes, nor if the
 * coordinator leaves some rows out. */
#include "planner/rules/rules.h"

void rn_rule_limit(struct rn_arena *a, struct rn_plan *p)
{
	(void)a;
	for (unsigned i = 0; i < p->nout; i++)
		if (p->out[i].known)
			return;
	if (p->kind == RN_PLAN_ROWS && !p->norder && p->limit >= 0 && !p->every_ns)
		p->frag.limit = p->limit;
}
