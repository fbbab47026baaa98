/* quotient.c - a comparison of a quotient with a constant becomes one of whole numbers.
 *
 * `bytes / 1KiB > 4` has a fraction, which the kernel cannot compute; `bytes >= 4097B` says the
 * same. The evaluator's quotient never falls while x grows, rounding included. So the whole numbers
 * for which it is less than the constant end at one of them, which is found by halving. The answer
 * is that of the evaluator, to the bit. */
#include "planner/rules/rules.h"

/* Is the evaluator's x / c above k, or (even) at it? */
static bool reaches(int64_t x, int64_t c, const struct rn_value *k, bool above)
{
	struct rn_value q = rn_float((double)x / (double)c);
	int cmp = rn_value_cmp(&q, k);

	return above ? cmp > 0 : cmp >= 0;
}

/* The least such x. false: there is none. */
static bool least(int64_t c, const struct rn_value *k, bool above, int64_t *out)
{
	int64_t low = INT64_MIN, high = INT64_MAX;

	if (!reaches(high, c, k, above))
		return false;
	while (low < high) {
		int64_t mid = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

		if (reaches(mid, c, k, above))
			high = mid;
		else
			low = mid + 1;
	}
	*out = low;
	return true;
}

static struct rn_expr *compare(struct rn_arena *a, enum rn_op op, const struct rn_ty ty,
			       struct rn_expr *x, int64_t with)
{
	struct rn_expr *c = rn_expr_new(a, RN_E_CONST, x->ty, x->span);

	c->value = rn_int(with);
	return rn_expr_op(a, op, ty, x, c);
}

/* x at or above (or below) the least number that reaches k. Each is a comparison, since a value
 * that is not there meets neither. */
static struct rn_expr *side(struct rn_arena *a, const struct rn_expr *e, const struct rn_expr *k,
			    bool above, bool below)
{
	struct rn_expr *x = rn_expr_clone(a, e->arg[0]);
	int64_t from;

	if (!least(e->arg[1]->value.i, &k->value, above, &from))
		return below ? compare(a, RN_OP_LE, (struct rn_ty){RN_T_BOOL, 0}, x, INT64_MAX)
			     : compare(a, RN_OP_LT, (struct rn_ty){RN_T_BOOL, 0}, x, INT64_MIN);
	return compare(a, below ? RN_OP_LT : RN_OP_GE, (struct rn_ty){RN_T_BOOL, 0}, x, from);
}

static struct rn_expr *both(struct rn_arena *a, enum rn_op op, struct rn_expr *l, struct rn_expr *r)
{
	return rn_expr_op(a, op, (struct rn_ty){RN_T_BOOL, 0}, l, r);
}

static bool is_quotient(const struct rn_expr *e)
{
	return e->kind == RN_E_OP && e->op == RN_OP_DIV && e->ty.type == RN_T_FLOAT &&
	       e->arg[0]->ty.type == RN_T_INT && e->arg[1]->kind == RN_E_CONST &&
	       e->arg[1]->value.kind == RN_INT && e->arg[1]->value.i > 0;
}

static bool is_number(const struct rn_expr *e)
{
	return e->kind == RN_E_CONST && (e->value.kind == RN_INT || e->value.kind == RN_FLOAT) &&
	       !(e->value.kind == RN_FLOAT && e->value.f != e->value.f);
}

static struct rn_expr *whole(struct rn_arena *a, struct rn_expr *e)
{
	struct rn_expr *q = e->arg[0], *k = e->arg[1];
	enum rn_op op = e->op;

	if (is_quotient(k)) {
		q = e->arg[1];
		k = e->arg[0];
		op = rn_op_mirrored(op);
	}
	if (!is_quotient(q) || !is_number(k))
		return e;
	switch (op) {
	case RN_OP_LT: return side(a, q, k, false, true);
	case RN_OP_GE: return side(a, q, k, false, false);
	case RN_OP_LE: return side(a, q, k, true, true);
	case RN_OP_GT: return side(a, q, k, true, false);
	case RN_OP_EQ:
		return both(a, RN_OP_AND, side(a, q, k, false, false), side(a, q, k, true, true));
	case RN_OP_NE:
		return both(a, RN_OP_OR, side(a, q, k, false, true), side(a, q, k, true, false));
	default: return e;
	}
}

static struct rn_expr *rewrite(void *arena, struct rn_expr *e)
{
	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = rewrite(arena, e->arg[i]);
	if (e->kind != RN_E_OP || e->op < RN_OP_EQ || e->op > RN_OP_GE)
		return e;
	return whole(arena, e);
}

void rn_rule_quotient(struct rn_arena *arena, struct rn_plan *plan)
{
	rn_plan_rewrite(plan, rewrite, arena);
}
