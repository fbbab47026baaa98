/* hist.c - hist(x): a histogram in powers of two: buckets [low, high), contiguous from the first
 * non-empty one to the last. Values below 0 share one bucket, whose low is the least possible
 * argument. */
#include "lang/values/hist.h"
#include "planner/agg/agg_impl.h"

static struct rn_value finish(const struct rn_agg_call *call, const struct rn_state *state,
			      const struct rn_finish_ctx *ctx, struct rn_arena *arena)
{
	rn_wide least = call->fixed ? -((rn_wide)1 << (RN_FIXED_BITS + RN_FIXED_SHIFT)) : INT64_MIN;
	struct rn_strbuf buf;
	uint32_t next = 0;

	(void)ctx;
	rn_strbuf_init(&buf, arena);
	for (int32_t b = state->ncells ? state->cells[0].bucket : 0; next < state->ncells; b++) {
		rn_wide low = b < 0 ? least
			      : b   ? (rn_wide)1 << (b - 1)
				    : 0,
			high = b < 0 ? 0 : (rn_wide)1 << b;
		struct rn_value bound[2] = {rn_agg_bound(call, low), rn_agg_bound(call, high)};
		int64_t n = 0;

		if (state->cells[next].bucket == b)
			n = state->cells[next++].value;
		rn_hist_put(&buf, &bound[0], &bound[1], n);
	}
	return rn_value_of_text(&buf);
}

const struct rn_agg rn_agg_hist = {
	.sig = {.name = "hist",
		.arg = RN_ARG_NUMBER,
		.result = RN_RES_HIST,
		.doc = "hist(x): a histogram in powers of two"},
	.cell = RN_CELL_LOG2,
	.finish = finish,
};
