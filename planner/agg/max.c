/* max.c - max(x): the greatest value. */
#include "planner/agg/agg_impl.h"

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	(void)f, (void)a;
	return s->words ? rn_agg_kept(c, s->words[0]) : rn_null();
}

const struct rn_agg rn_agg_max = {
	.sig = {.name = "max",
		.arg = RN_ARG_NUMBER,
		.result = RN_RES_ARG,
		.doc = "max(x): the greatest value"},
	.nslots = 1,
	.slot = {RN_SLOT_MAX},
	.finish = finish,
};
