/* fold.c - constant folding.
 *
 * Computes what the evaluator would compute, to the bit. Whole division truncates, and strings
 * compare bytewise. A result that is NULL at run time (a division by zero, an integer of more than
 * 64 bits, which is counted there) stays unfolded. Addresses are not folded: their equality has
 * wildcards. `and`, `or` and `not` are simplified even with one constant operand. */
#include <string.h>
#include "planner/rules/rules.h"

static bool is_bool_const(const struct rn_expr *e, bool v)
{
	return e->kind == RN_E_CONST && e->value.kind == RN_BOOL && (e->value.i != 0) == v;
}

static bool is_number(const struct rn_value *v)
{
	return v->kind == RN_INT || v->kind == RN_FLOAT || v->kind == RN_BOOL;
}

static bool fold_int(enum rn_op op, int64_t x, int64_t y, int64_t *out)
{
	switch (op) {
	case RN_OP_ADD: return !__builtin_add_overflow(x, y, out);
	case RN_OP_SUB: return !__builtin_sub_overflow(x, y, out);
	case RN_OP_MUL: return !__builtin_mul_overflow(x, y, out);
	case RN_OP_DIV:
		if (!y || (y == -1 && x == INT64_MIN))
			return false;
		*out = x / y;
		return true;
	case RN_OP_MOD:
		if (!y || y == -1)
			return false;
		*out = x % y;
		return true;
	case RN_OP_BITOR: *out = x | y; return true;
	case RN_OP_BITXOR: *out = x ^ y; return true;
	case RN_OP_BITAND: *out = x & y; return true;
	case RN_OP_SHL:
	case RN_OP_SHR:
		if (y < 0 || y > 63)
			return false;
		*out = op == RN_OP_SHL ? (int64_t)((uint64_t)x << y) : x >> y;
		return true;
	default: return false;
	}
}

static bool fold_float(enum rn_op op, double x, double y, double *out)
{
	switch (op) {
	case RN_OP_ADD: *out = x + y; return true;
	case RN_OP_SUB: *out = x - y; return true;
	case RN_OP_MUL: *out = x * y; return true;
	case RN_OP_DIV: *out = y != 0 ? x / y : 0; return y != 0;
	default: return false;
	}
}

static bool fold_arith(const struct rn_expr *expr, struct rn_value *out)
{
	const struct rn_value *x = &expr->arg[0]->value, *y = &expr->arg[1]->value;
	int64_t i;
	double f;

	if (x->kind == RN_INT && y->kind == RN_INT && expr->ty.type == RN_T_INT) {
		if (!fold_int(expr->op, x->i, y->i, &i))
			return false;
		*out = rn_int(i);
		return true;
	}
	if (expr->ty.type != RN_T_FLOAT ||
	    (x->kind == RN_INT && y->kind == RN_INT && expr->op != RN_OP_DIV))
		return false;
	if (!fold_float(expr->op, x->kind == RN_FLOAT ? x->f : (double)x->i,
			y->kind == RN_FLOAT ? y->f : (double)y->i, &f))
		return false;
	*out = rn_float(f);
	return true;
}

static bool fold_compare(const struct rn_expr *expr, struct rn_value *out)
{
	const struct rn_value *x = &expr->arg[0]->value, *y = &expr->arg[1]->value;
	bool text = x->kind == RN_STR && y->kind == RN_STR && expr->arg[0]->ty.type == RN_T_STR &&
		    expr->arg[1]->ty.type == RN_T_STR;
	int c;

	if (!text && !(is_number(x) && is_number(y)))
		return false;
	c = rn_value_cmp(x, y);
	switch (expr->op) {
	case RN_OP_EQ: *out = rn_bool(c == 0); return true;
	case RN_OP_NE: *out = rn_bool(c != 0); return true;
	case RN_OP_LT: *out = rn_bool(c < 0); return true;
	case RN_OP_LE: *out = rn_bool(c <= 0); return true;
	case RN_OP_GT: *out = rn_bool(c > 0); return true;
	case RN_OP_GE: *out = rn_bool(c >= 0); return true;
	default: return false;
	}
}

static struct rn_expr *to_const(struct rn_expr *e, struct rn_value v)
{
	e->kind = RN_E_CONST;
	e->op = RN_OP_NONE;
	e->value = v;
	e->arg = NULL;
	e->narg = 0;
	return e;
}

static struct rn_expr *fold_logic(struct rn_expr *e)
{
	struct rn_expr *x = e->arg[0], *y;
	bool neutral = e->op == RN_OP_AND;

	if (e->op == RN_OP_NOT)
		return x->kind == RN_E_CONST && x->value.kind == RN_BOOL
			       ? to_const(e, rn_bool(!x->value.i))
			       : e;
	y = e->arg[1];
	/* if the operand can be unknown, so can this expression: keep the operand */
	if ((is_bool_const(x, !neutral) && !rn_expr_unsure(y)) ||
	    (is_bool_const(y, !neutral) && !rn_expr_unsure(x)))
		return to_const(e, rn_bool(!neutral));
	if (is_bool_const(x, neutral))
		return y;
	return is_bool_const(y, neutral) ? x : e;
}

static struct rn_expr *fold_op(struct rn_expr *e)
{
	struct rn_value v;

	if (e->op == RN_OP_NOT || e->op == RN_OP_AND || e->op == RN_OP_OR)
		return fold_logic(e);
	if (e->arg[0]->kind != RN_E_CONST || (e->narg > 1 && e->arg[1]->kind != RN_E_CONST))
		return e;
	if (e->op == RN_OP_NEG) {
		if (e->arg[0]->value.kind == RN_INT)
			return e->arg[0]->value.i == INT64_MIN
				       ? e
				       : to_const(e, rn_int(-e->arg[0]->value.i));
		return e->arg[0]->value.kind == RN_FLOAT
			       ? to_const(e, rn_float(-e->arg[0]->value.f))
			       : e;
	}
	return fold_arith(e, &v) || fold_compare(e, &v) ? to_const(e, v) : e;
}

/* div(7, 2) */
static struct rn_expr *fold_call(struct rn_expr *e)
{
	int64_t i;

	if (e->narg != 2 || e->func->arg[1] != RN_ARG_DIVISOR)
		return e;
	for (unsigned k = 0; k < 2; k++)
		if (e->arg[k]->kind != RN_E_CONST || e->arg[k]->value.kind != RN_INT)
			return e;
	if (!fold_int(RN_OP_DIV, e->arg[0]->value.i, e->arg[1]->value.i, &i))
		return e;
	e->func = NULL;
	return to_const(e, rn_int(i));
}

struct rn_expr *rn_fold_expr(struct rn_arena *arena, struct rn_expr *expr)
{
	for (unsigned i = 0; i < expr->narg; i++)
		expr->arg[i] = rn_fold_expr(arena, expr->arg[i]);
	return expr->kind == RN_E_OP     ? fold_op(expr)
	       : expr->kind == RN_E_CALL ? fold_call(expr)
					 : expr;
}

static struct rn_expr *fold(void *self, struct rn_expr *e)
{
	return rn_fold_expr(self, e);
}

void rn_rule_fold(struct rn_arena *arena, struct rn_plan *plan)
{
	rn_plan_rewrite(plan, fold, arena);
}
