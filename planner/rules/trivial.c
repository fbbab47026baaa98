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

void rn_rule_trivial(struct rn_arena *a, struct rn_plan *p)
{
	struct rn_fragment *f = &p->frag;
	unsigned n = 0;

	(void)a;
	for (unsigned i = 0; i < f->nwhere; i++) {
		unsigned k;

		if (is_const(f->where[i].expr, false)) {
			f->where[0] = f->where[i];
			f->nwhere = 1;
			return;
		}
		for (k = 0; k < n && !rn_expr_equal(f->where[k].expr, f->where[i].expr); k++)
			;
		if (k == n && !is_const(f->where[i].expr, true))
			f->where[n++] = f->where[i];
	}
	f->nwhere = n;
	if (p->having && is_const(p->having, true))
		p->having = NULL;
}
