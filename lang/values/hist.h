/* hist.h - the value of hist() and lhist(): buckets, ascending. It is a string of struct rn_bucket,
 * which may lie at any address, so buckets are copied out of it. Shown as JSON:
 * [[low,high,count],...]. */
#ifndef RN_LANG_VALUES_HIST_H
#define RN_LANG_VALUES_HIST_H
#include "lang/base/str.h"
#include "lang/values/value.h"

/* [low, high). Without padding. */
struct rn_bucket {
	double low, high;    /* -INFINITY, INFINITY: no bound */
	int64_t ilow, ihigh; /* the same, exact for integers; INT64_MIN, INT64_MAX: no bound */
	int64_t count;
	int64_t fraction; /* a bound has a fraction, or an exponent, in text: values are floats */
};

/* Appends a bucket to a value that is being made. low and high are RN_INT or RN_FLOAT; the least
 * and the greatest possible argument mean that there is no bound. */
void rn_hist_put(struct rn_strbuf *out, const struct rn_value *low, const struct rn_value *high,
		 int64_t count);
unsigned rn_hist_count(const struct rn_value *hist); /* of buckets; 0 if it is no RN_STR */
struct rn_bucket rn_hist_bucket(const struct rn_value *hist, unsigned i);
/* The value as JSON, in the arena. */
const char *rn_hist_text(struct rn_arena *arena, const struct rn_value *hist);
#endif
