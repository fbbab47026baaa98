/* lhist.c - lhist(x, lo, hi, step): a histogram in steps,
 * contiguous from the first non-empty bucket to the last (beyond MAX_ROWS buckets without the empty
 * ones). Values below lo share one bucket, and so do those not below hi. These two reach to the
 * least and the greatest possible argument. */
#include "lang/values/hist.h"
#include "planner/agg/agg_impl.h"

enum { MAX_ROWS = 4096 };

static void put_row(struct rn_strbuf *t, const struct rn_agg_call *c, int32_t b, int64_t n)
{
	rn_wide greatest = c->fixed ? (rn_wide)1 << (RN_FIXED_BITS + RN_FIXED_SHIFT) : INT64_MAX,
		least = c->fixed ? -greatest : INT64_MIN;
	bool above = b >= rn_agg_step_of(c, greatest);
	struct rn_value low = b < 0 ? rn_agg_bound(c, least) : rn_agg_step_begin(c, b),
			high = above ? rn_agg_bound(c, greatest) : rn_agg_step_begin(c, b + 1);

	rn_hist_put(t, &low, &high, n);
}

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	struct rn_strbuf t;

	(void)f;
	rn_strbuf_init(&t, a);
	for (uint32_t i = 0; i < s->ncells; i++) {
		int64_t first = s->cells[0].bucket, last = s->cells[s->ncells - 1].bucket;

		if (i && last - first < MAX_ROWS)
			for (int32_t b = s->cells[i - 1].bucket + 1; b < s->cells[i].bucket; b++)
				put_row(&t, c, b, 0);
		put_row(&t, c, s->cells[i].bucket, s->cells[i].value);
	}
	return rn_value_of_text(&t);
}

const struct rn_agg rn_agg_lhist = {
	.sig = {.name = "lhist",
		.arg = RN_ARG_NUMBER,
		.min_params = 3,
		.max_params = 3,
		.result = RN_RES_HIST,
		.doc = "lhist(x, lo, hi, step): a histogram in steps from lo to hi"},
	.cell = RN_CELL_LINEAR,
	.finish = finish,
};
