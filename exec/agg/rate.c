/* rate.c - rate, rate(x): events, or the sum of x, per second of the window (of the whole query without `every`).
 *
 * Its SUM slot adds 1 for each event where the call has no argument. */
#include "exec/agg/aggs.h"

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s, const struct rn_finish_ctx *f,
			      struct rn_arena *a)
{
	(void)a;
	if (!f || f->window_ns <= 0)
		return rn_null();
	double sum = s->words ? rn_agg_scaled(c, rn_agg_total(s->words)) : 0;
	return rn_float(sum * 1e9 / (double)f->window_ns);
}

const struct rn_agg rn_agg_rate = {
	.sig = {.name = "rate", .arg = RN_ARG_AMOUNT, .arg_optional = true, .result = RN_RES_RATE,
		.doc = "rate, rate(x): events, or the sum of x, per second"},
	.nslots = 1,
	.slot = {RN_SLOT_SUM},
	.finish = finish,
};
