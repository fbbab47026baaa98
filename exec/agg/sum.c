/* sum.c - sum(x): in the argument's unit; wraps at 64 bits. */
#include "exec/agg/aggs.h"

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s, const struct rn_finish_ctx *f,
			      struct rn_arena *a)
{
	(void)f, (void)a;
	int64_t sum = s->words ? s->words[0] : 0;
	return c->arg && c->arg->ty.type == RN_T_BOOL ? rn_int(sum) : rn_agg_result(c, sum);
}

const struct rn_agg rn_agg_sum = {
	.sig = {.name = "sum", .arg = RN_ARG_AMOUNT, .result = RN_RES_ARG, .doc = "sum(x): the sum, in the unit of x"},
	.nslots = 1,
	.slot = {RN_SLOT_SUM},
	.finish = finish,
};
