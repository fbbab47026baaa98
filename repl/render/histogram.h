/* histogram.h - reading what hist() and lhist() finish to: JSON, [[low, high, count], ...],
 * ascending. */
#ifndef RN_REPL_RENDER_HISTOGRAM_H
#define RN_REPL_RENDER_HISTOGRAM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_bucket {
	/* [low, high); -INFINITY, INFINITY: no bound, which is what the least and the greatest that
	 * an argument can be stand for */
	double low, high;
	int64_t ilow, ihigh; /* the same, exactly, of integers */
	int64_t count;
	bool fraction; /* a bound is no integer: values are not */
};
/* The next bucket of the text from *at to end; false: there is none. *at is moved on. */
bool rn_hist_next(const char **at, const char *end, struct rn_bucket *b);
/* No more buckets than that. */
size_t rn_hist_most(const char *text, size_t n);
#endif
