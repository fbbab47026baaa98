/* having.c - moves conditions of `having` on keys alone to `where`: such a condition holds for all
 * events of a group or for none.
 *
 * Unwanted groups are then never made. The rule needs keys: a query without keys has one group even
 * without events. */
#include "planner/rules/rules.h"
#include "lang/base/limits.h"

struct keys {
	struct rn_arena *arena;
	const struct rn_plan *plan;
};

static struct rn_expr *key_value(void *self, struct rn_expr *e)
{
	struct keys *k = self;

	if (e->kind == RN_E_KEY)
		return rn_expr_clone(k->arena, k->plan->frag.keys[e->index]);
	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = key_value(self, e->arg[i]);
	return e;
}

static void append(struct rn_arena *a, struct rn_fragment *f, struct rn_expr *e)
{
	struct rn_conjunct *w = RN_NEWN(a, struct rn_conjunct, f->nwhere + 1);

	for (unsigned i = 0; i < f->nwhere; i++)
		w[i] = f->where[i];
	w[f->nwhere++] = (struct rn_conjunct){.expr = e, .place = RN_AT_NODE, .reason = ""};
	f->where = w;
}

/* A condition over keys that are long expressions could exceed the limits of a fragment. */
static bool fits(const struct rn_plan *p, const struct rn_expr *e)
{
	uint64_t nodes = 0;
	unsigned depth = 0, key = 0;

	rn_expr_measure(e, &nodes, &depth);
	for (unsigned k = 0; k < p->frag.nkeys; k++)
		rn_expr_measure(p->frag.keys[k], &nodes, &key);
	return depth + key <= RN_MAX_DEPTH && nodes <= RN_MAX_NODES && p->frag.nwhere < RN_MAX_LIST;
}

/* Returns what must stay in `having`, NULL if nothing. */
static struct rn_expr *move(struct keys *k, struct rn_plan *p, struct rn_expr *e)
{
	struct rn_expr *x, *y;

	if (e->kind == RN_E_OP && e->op == RN_OP_AND) {
		x = move(k, p, e->arg[0]);
		y = move(k, p, e->arg[1]);
		return x && y ? rn_expr_op(k->arena, RN_OP_AND, e->ty, x, y) : x ? x : y;
	}
	if (!rn_expr_has(e, RN_E_KEY) || rn_expr_has(e, RN_E_AGG) || !fits(p, e))
		return e;
	append(k->arena, &p->frag, key_value(k, e));
	return NULL;
}

void rn_rule_having(struct rn_arena *arena, struct rn_plan *plan)
{
	struct keys k = {.arena = arena, .plan = plan};

	/* a share is of all groups, those that `having` leaves out included */
	if (plan->having && plan->frag.nkeys && !rn_plan_calls(plan, &rn_func_share))
		plan->having = move(&k, plan, plan->having);
}
