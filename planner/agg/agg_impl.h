/* agg_impl.h - shared by the files of planner/agg: their descriptions and a few helpers.
 *
 * A state with NULL words, no cells and no blob saw nothing. For it, finish answers 0, NULL or an
 * empty list. */
#ifndef RN_PLANNER_AGG_AGG_IMPL_H
#define RN_PLANNER_AGG_AGG_IMPL_H
#include "lang/values/json.h"
#include "planner/plan/agg.h"

/* All aggregates, in the order of `runnel list`. Each is rn_agg_NAME in a file here. Add a new one
 * to this list. */
#define RN_AGGS(X) \
	X(count) \
	X(sum) \
	X(avg) \
	X(min) \
	X(max) \
	X(stddev) \
	X(first) \
	X(last) \
	X(hist) \
	X(lhist) \
	X(quantile) \
	X(p50) \
	X(p90) \
	X(p95) \
	X(p99) \
	X(p999) \
	X(pNN) \
	X(distinct) \
	X(set) \
	X(top) \
	X(rate)
#define RN_AGG_DECLARE(name) extern const struct rn_agg rn_agg_##name;
RN_AGGS(RN_AGG_DECLARE)

/* How a value fits as the integer that enters sums and cells, or words of MIN to LAST.
 * RN_ARG_IGNORED: it is NULL or NaN. RN_ARG_BEYOND: a fraction too great for the aggregate. */
enum rn_arg_fit { RN_ARG_TAKEN, RN_ARG_IGNORED, RN_ARG_BEYOND };

/* ---- table.c ---- */

enum rn_arg_fit rn_agg_number(const struct rn_agg_call *call, const struct rn_value *value,
			      rn_wide *out);
/* Converts a double to an integer of the same order, and back; both zeros are one. */
int64_t rn_agg_ordered(double x);
/* Returns a bucket's bound (integers are limited to 64 bits), or a word of MIN to LAST, as a value
 * of the call's type. */
struct rn_value rn_agg_bound(const struct rn_agg_call *call, rn_wide v);
struct rn_value rn_agg_kept(const struct rn_agg_call *call, int64_t word);
/* Returns the sum in two words, and as a double in the argument's scale. */
rn_wide rn_agg_total(const int64_t *w);
double rn_agg_scaled(const struct rn_agg_call *call, rn_wide v);
/* Returns the step of lhist that v, on the scale of the argument, falls into: -1 below lo, the
 * number of steps at hi or above. Then, where a step begins; the step after the last begins at
 * hi. */
int32_t rn_agg_step_of(const struct rn_agg_call *call, rn_wide v);
struct rn_value rn_agg_step_begin(const struct rn_agg_call *call, int32_t b);

/* ---- first_last_text.c ---- */

/* Shared by first and last of text, whose blob is {time, value}. */
struct rn_value rn_agg_edge_finish(const struct rn_agg_call *call, const struct rn_state *state,
				   const struct rn_finish_ctx *ctx, struct rn_arena *arena);
void *rn_agg_edge_new(const struct rn_agg_call *call);
void rn_agg_edge_update(const struct rn_agg_call *call, void *blob, const struct rn_value *value,
			int64_t time_ns);
void rn_agg_edge_merge(const struct rn_agg_call *call, void *blob, const void *other);
void rn_agg_edge_encode(const struct rn_agg_call *call, const void *blob,
			void (*put)(void *, const void *, size_t), void *to);
void *rn_agg_edge_decode(const struct rn_agg_call *call, const void *bytes, size_t n);
void rn_agg_edge_free(const struct rn_agg_call *call, void *blob);

/* ---- table.c ---- */

/* Values inside blobs: kind byte, u32 length, payload. Reading advances *p, points into the bytes,
 * and checks the end. */
void rn_blob_put_value(const struct rn_value *value, void (*put)(void *, const void *, size_t),
		       void *to);
bool rn_blob_get_value(const unsigned char **p, const unsigned char *end, struct rn_value *value);
bool rn_blob_get_i64(const unsigned char **p, const unsigned char *end, int64_t *v);
/* Returns a copy whose string is from malloc; free it with rn_blob_value_free. */
struct rn_value rn_blob_value_dup(const struct rn_value *value);
void rn_blob_value_free(struct rn_value *value);
#endif
