/* histogram.h - reads the results of hist() and lhist(): JSON, [[low, high, count], ...],
 * ascending. */
#ifndef RN_REPL_RENDER_HISTOGRAM_H
#define RN_REPL_RENDER_HISTOGRAM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_bucket {
	/* [low, high); -INFINITY, INFINITY: no bound; the text has the least or the greatest
	 * possible argument there */
	double low, high;
	int64_t ilow, ihigh; /* the same, exact for integers */
	int64_t count;
	bool fraction; /* a bound is no integer, so values are fractions */
};
/* Reads the next bucket of the text from *at to end and advances *at; false: there is none. */
bool rn_hist_next(const char **at, const char *end, struct rn_bucket *bucket);
/* At least the number of buckets. */
size_t rn_hist_most(const char *text, size_t n);
#endif
