/* sum.c - sum(x): in the argument's unit. A sum of integers with more than 64 bits is NULL, and is
 * counted. */
#include "planner/agg/agg_impl.h"

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	rn_wide sum;

	(void)a;
	sum = s->words ? rn_agg_total(s->words) : 0;

	if (c->fixed)
		return rn_float(rn_agg_scaled(c, sum));
	if (sum == (int64_t)sum)
		return rn_int((int64_t)sum);
	if (f && f->overflow)
		++*f->overflow;
	return rn_null();
}

const struct rn_agg rn_agg_sum = {
	.sig = {.name = "sum",
		.arg = RN_ARG_AMOUNT,
		.result = RN_RES_ARG,
		.doc = "sum(x): the sum, in the unit of x"},
	.nslots = 1,
	.slot = {RN_SLOT_SUM},
	.finish = finish,
};
