/* cheap_first.c - orders predicates by their cost, so that the expensive ones see few events.
 *
 * The sort is stable: among equals the written order stays, because the writer may know what is
 * rare. Costs are steps of the kernel's work, measured in orders of magnitude. In rising order: a
 * comparison of numbers, a list, a string, a glob, a path to walk, an address to look up in the
 * socket. Last comes everything that only user space can do. */
#include <string.h>
#include "planner/rules/rules.h"

static unsigned field_cost(const struct rn_expr *e)
{
	if (e->ty.type == RN_T_IP)
		return 400;
	if (!strcmp(e->name, "file"))
		return 200;
	return e->field->where & (RN_IN_KERNEL | RN_IN_GLOB) ? 0 : 1000;
}

static unsigned op_cost(const struct rn_expr *e)
{
	bool text = e->arg[0]->ty.type == RN_T_STR || e->arg[0]->ty.type == RN_T_TAGS;

	switch (e->op) {
	case RN_OP_EQ: return text ? 20 : 1;
	case RN_OP_NE: return text ? 20 : 2;
	case RN_OP_LT:
	case RN_OP_LE:
	case RN_OP_GT:
	case RN_OP_GE: return text ? 20 : 3;
	case RN_OP_GLOB:
	case RN_OP_NGLOB: return 50;
	case RN_OP_REGEX: return 5000;
	case RN_OP_DIV:
	case RN_OP_MOD: return 2;
	default: return 1;
	}
}

static unsigned cost(const struct rn_expr *e)
{
	unsigned c = 0;

	switch (e->kind) {
	case RN_E_FIELD: return field_cost(e);
	case RN_E_OP: c = op_cost(e); break;
	case RN_E_IN: c = e->index ? 1500 : 10; break;
	case RN_E_CALL: c = e->func->kernel ? 5 : 1000; break;
	default: return 0;
	}
	for (unsigned i = 0; i < e->narg && (i == 0 || e->kind != RN_E_IN); i++)
		c += cost(e->arg[i]);
	return c;
}

void rn_rule_cheap_first(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_conjunct *w = plan->frag.where;

	(void)arena;
	/* insertion sort: few elements, and stable */
	for (unsigned i = 1; i < plan->frag.nwhere; i++) {
		struct rn_conjunct x = w[i];
		unsigned c = cost(x.expr), k = i;

		for (; k > 0 && cost(w[k - 1].expr) > c; k--)
			w[k] = w[k - 1];
		w[k] = x;
	}
}
