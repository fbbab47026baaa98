/* quantile.c - quantile(x, q) and its short forms, as p99: the value of rank ceil(q *
 * n), given as the midpoint of its log-linear bucket: exact below 128, within 1/128 (0.79 %) above.
 * Nothing is interpolated.
 *
 * The state also keeps the least and the greatest value. A midpoint beyond one of them becomes that
 * one, and the first and the last rank are these values themselves. So no quantile is outside the
 * values that were counted, and those of 0 and 1 are exact. */
#include "planner/agg/agg_impl.h"

#include <math.h>

/* The least or the greatest value. */
static struct rn_value kept(const struct rn_agg_call *c, int64_t word)
{
	return c->fixed ? rn_agg_kept(c, word) : rn_int(word);
}

static struct rn_value held(const struct rn_agg_call *c, const struct rn_state *s,
			    struct rn_value v)
{
	struct rn_value least = kept(c, s->words[0]), greatest = kept(c, s->words[1]);

	return rn_value_cmp(&v, &least) < 0      ? least
	       : rn_value_cmp(&v, &greatest) > 0 ? greatest
						 : v;
}

static struct rn_value finish(const struct rn_agg_call *call, const struct rn_state *state,
			      const struct rn_finish_ctx *ctx, struct rn_arena *arena)
{
	uint64_t n = 0, seen = 0;
	double rank;
	uint64_t want;
	uint32_t i;
	struct rn_value mid;

	(void)ctx, (void)arena;
	for (i = 0; i < state->ncells; i++)
		n += (uint64_t)state->cells[i].value;
	if (!n)
		return rn_null();
	/* Products such as 0.07 * 100 end slightly above the whole number. Without the allowance
	 * their rank would be one more. */
	rank = ceil(call->param[0] * (double)n - 1e-9 * (double)n);
	want = rank < 1 ? 1 : rank >= (double)n ? n : (uint64_t)rank;
	if (state->words && (want == 1 || want == n))
		return kept(call, state->words[want > 1 || n == 1]);
	for (i = 0; i + 1 < state->ncells; i++) {
		seen += (uint64_t)state->cells[i].value;
		if (seen >= want)
			break;
	}
	mid = rn_agg_bound(call, rn_bucket_loglin_mid(state->cells[i].bucket));
	return state->words ? held(call, state, mid)
			    : mid; /* without words, a peer sent the state */
}

const struct rn_agg rn_agg_quantile = {
	.sig = {.name = "quantile",
		.arg = RN_ARG_AMOUNT,
		.min_params = 1,
		.max_params = 1,
		.result = RN_RES_ARG,
		.doc = "quantile(x, q): the value that a fraction q does not exceed; relative "
		       "error at most 1 %"},
	.nslots = 2,
	.slot = {RN_SLOT_MIN, RN_SLOT_MAX},
	.cell = RN_CELL_LOGLIN,
	.finish = finish,
	.preset = 0.5,
};

#define SHORT_FORM(nm, q, what) \
	const struct rn_agg rn_agg_##nm = { \
		.sig = {.name = #nm, \
			.arg = RN_ARG_AMOUNT, \
			.result = RN_RES_ARG, \
			.doc = #nm "(x): " what "; relative error at most 1 %"}, \
		.nslots = 2, \
		.slot = {RN_SLOT_MIN, RN_SLOT_MAX}, \
		.cell = RN_CELL_LOGLIN, \
		.finish = finish, \
		.preset = (q), \
	}
SHORT_FORM(p50, 0.5, "the median");
SHORT_FORM(p90, 0.9, "the 90th percentile");
SHORT_FORM(p95, 0.95, "the 95th percentile");
SHORT_FORM(p99, 0.99, "the 99th percentile");
SHORT_FORM(p999, 0.999, "the 99.9th percentile");
/* its parameter comes from the name that was written */
SHORT_FORM(pNN, 0.5, "with two to four digits, as p05 or p9999: the quantile 0.NN");
