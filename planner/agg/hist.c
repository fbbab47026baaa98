/* hist.c - hist(x): a histogram in powers of two, as JSON [[low,high,count],...] of the buckets
 * [low, high), contiguous from the first non-empty one to the last. Values below 0 share one
 * bucket, whose low is the least possible argument. */
#include "planner/agg/agg_impl.h"

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	rn_wide least = c->fixed ? -((rn_wide)1 << (RN_FIXED_BITS + RN_FIXED_SHIFT)) : INT64_MIN;
	struct rn_strbuf t;
	uint32_t next = 0;

	(void)f;
	rn_strbuf_init(&t, a);
	rn_strbuf_put(&t, "[");
	for (int32_t b = s->ncells ? s->cells[0].bucket : 0; next < s->ncells; b++) {
		rn_wide low = b < 0 ? least
			      : b   ? (rn_wide)1 << (b - 1)
				    : 0,
			high = b < 0 ? 0 : (rn_wide)1 << b;
		struct rn_value v[3];
		int64_t n = 0;

		if (s->cells[next].bucket == b)
			n = s->cells[next++].value;
		v[0] = rn_agg_bound(c, low);
		v[1] = rn_agg_bound(c, high);
		v[2] = rn_int(n);
		rn_strbuf_put(&t, t.len > 1 ? ",[" : "[");
		for (int i = 0; i < 3; i++) {
			if (i)
				rn_strbuf_put(&t, ",");
			rn_value_json(&t, (struct rn_ty){RN_T_INT}, &v[i]);
		}
		rn_strbuf_put(&t, "]");
	}
	rn_strbuf_put(&t, "]");
	return rn_value_of_text(&t);
}

const struct rn_agg rn_agg_hist = {
	.sig = {.name = "hist",
		.arg = RN_ARG_NUMBER,
		.result = RN_RES_HIST,
		.doc = "hist(x): a histogram in powers of two"},
	.cell = RN_CELL_LOG2,
	.finish = finish,
};
