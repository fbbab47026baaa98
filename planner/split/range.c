/* range.c - see range.h: arithmetic on intervals, in 128 bits, so that sums and products of two
 * 64-bit numbers are exact. */
#include "planner/split/range.h"

static const struct rn_range all = {INT64_MIN, INT64_MAX};

static __int128 least(__int128 a, __int128 b)
{
	return a < b ? a : b;
}
static __int128 greatest(__int128 a, __int128 b)
{
	return a > b ? a : b;
}

static struct rn_range field(const struct rn_field *f)
{
	unsigned bits = f ? f->bits & ~RN_BITS_SIGNED : 0;

	if (!bits)
		return all;
	return (struct rn_range){f->bits & RN_BITS_SIGNED ? -((__int128)1 << bits) : 0,
				 ((__int128)1 << bits) - 1};
}

static struct rn_range product(struct rn_range x, struct rn_range y)
{
	__int128 a = x.low * y.low, b = x.low * y.high, c = x.high * y.low, d = x.high * y.high;

	return (struct rn_range){least(least(a, b), least(c, d)),
				 greatest(greatest(a, b), greatest(c, d))};
}

/* Division by anything except 0 moves no number away from 0. */
static struct rn_range quotient(struct rn_range x, struct rn_range y)
{
	__int128 far = greatest(-x.low, x.high);

	if (y.low > 0)
		return (struct rn_range){x.low < 0 ? x.low / y.low : x.low / y.high,
					 x.high > 0 ? x.high / y.low : x.high / y.high};
	return (struct rn_range){-far, far};
}

static struct rn_range rest(struct rn_range x, struct rn_range y)
{
	__int128 far = greatest(greatest(-y.low, y.high) - 1, 0);

	return (struct rn_range){x.low < 0 ? greatest(x.low, -far) : 0,
				 x.high > 0 ? least(x.high, far) : 0};
}

static struct rn_range either(struct rn_range x, struct rn_range y)
{
	return (struct rn_range){least(x.low, y.low), greatest(x.high, y.high)};
}

static struct rn_range operation(const struct rn_expr *expr, bool *beyond)
{
	struct rn_range x, y = {0, 0}, r;

	if (expr->op != RN_OP_NEG && expr->op < RN_OP_ADD)
		return (struct rn_range){0, 1};
	x = rn_range_of(expr->arg[0]);
	if (expr->narg > 1)
		y = rn_range_of(expr->arg[1]);
	switch (expr->op) {
	case RN_OP_NEG: r = (struct rn_range){-x.high, -x.low}; break;
	case RN_OP_ADD: r = (struct rn_range){x.low + y.low, x.high + y.high}; break;
	case RN_OP_SUB: r = (struct rn_range){x.low - y.high, x.high - y.low}; break;
	case RN_OP_MUL: r = product(x, y); break;
	case RN_OP_DIV: r = quotient(x, y); break;
	case RN_OP_MOD: r = rest(x, y); break;
	case RN_OP_BITAND:
		/* no bit is set that a side without a sign has not */
		if (x.low >= 0 || y.low >= 0)
			return (struct rn_range){0, x.low < 0   ? y.high
						    : y.low < 0 ? x.high
								: least(x.high, y.high)};
		return all;
	default: return all;
	}
	if (r.low < INT64_MIN || r.high > INT64_MAX) {
		*beyond = true;
		return all;
	}
	return r;
}

static struct rn_range range(const struct rn_expr *e, bool *beyond)
{
	switch (e->kind) {
	case RN_E_CONST:
		return e->value.kind == RN_INT || e->value.kind == RN_BOOL
			       ? (struct rn_range){e->value.i, e->value.i}
			       : all;
	case RN_E_FIELD: return field(e->field);
	case RN_E_OP:
		return e->ty.type == RN_T_FLOAT || e->ty.type == RN_T_STR ? all
									  : operation(e, beyond);
	case RN_E_IN: return (struct rn_range){0, 1};
	case RN_E_CALL:
		if (e->ty.type == RN_T_INT && e->narg == 2 && e->func->arg[1] == RN_ARG_DIVISOR)
			return quotient(rn_range_of(e->arg[0]), rn_range_of(e->arg[1]));
		if (e->ty.type == RN_T_INT && e->narg == 3 && rn_func_chooses(e->func))
			return either(rn_range_of(e->arg[1]), rn_range_of(e->arg[2]));
		if (e->narg == 1 && e->func->arg[0] == RN_ARG_IP && e->ty.type == RN_T_INT)
			return (struct rn_range){0, UINT16_MAX}; /* a port */
		return e->ty.type == RN_T_BOOL ? (struct rn_range){0, 1} : all;
	default: return e->ty.type == RN_T_BOOL ? (struct rn_range){0, 1} : all;
	}
}

struct rn_range rn_range_of(const struct rn_expr *expr)
{
	bool beyond = false;

	return range(expr, &beyond);
}

static void look(void *self, const struct rn_expr *e)
{
	if (e->kind == RN_E_OP)
		range(e, self);
}

bool rn_range_beyond(const struct rn_expr *expr)
{
	bool beyond = false;

	rn_expr_look(expr, look, &beyond);
	return beyond;
}
