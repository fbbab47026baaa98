/* count.c - count: the number of events. */
#include "planner/agg/agg_impl.h"

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	(void)c, (void)f, (void)a;
	return rn_int(s->words ? s->words[0] : 0);
}

const struct rn_agg rn_agg_count = {
	.sig = {.name = "count",
		.arg = RN_ARG_NONE,
		.arg_optional = true,
		.result = RN_RES_INT,
		.doc = "count: the number of events"},
	.nslots = 1,
	.slot = {RN_SLOT_COUNT},
	.finish = finish,
};
