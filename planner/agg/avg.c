/* avg.c - avg(x): the arithmetic mean, a FLOAT in the argument's unit. */
#include "planner/agg/agg_impl.h"

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	(void)f, (void)a;
	if (!s->words || !s->words[0])
		return rn_null();
	return rn_float(rn_agg_scaled(c, rn_agg_total(s->words + 1)) / (double)s->words[0]);
}

const struct rn_agg rn_agg_avg = {
	.sig = {.name = "avg",
		.arg = RN_ARG_AMOUNT,
		.result = RN_RES_FLOAT_ARG_UNIT,
		.doc = "avg(x): the mean"},
	.nslots = 2,
	.slot = {RN_SLOT_COUNT, RN_SLOT_SUM},
	.finish = finish,
};
