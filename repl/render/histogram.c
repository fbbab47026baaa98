/* histogram.c - see histogram.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "repl/render/histogram.h"

/* Read the next number, also as an integer if it is one; false: there is none. */
static bool number(const char **at, const char *end, double *v, int64_t *whole, bool *fraction)
{
	char *stop;

	while (*at < end && !strchr("-0123456789]", **at))
		++*at;
	if (*at >= end || **at == ']')
		return false;
	*whole = strtoll(*at, &stop, 10);
	if (stop == *at)
		return false;
	*v = (double)*whole;
	if (stop < end && (*stop == '.' || *stop == 'e')) {
		*v = strtod(*at, &stop);
		*fraction = true;
	}
	*at = stop;
	return true;
}

/* Infinity if a bound is open; the greatest fraction is 2^62. */
static double bound(double v, int64_t whole)
{
	bool fraction = v != (double)whole;

	if (whole == INT64_MAX || (fraction && v >= 0x1p62))
		return INFINITY;
	return whole == INT64_MIN || (fraction && v <= -0x1p62) ? -INFINITY : v;
}

bool rn_hist_next(const char **at, const char *end, struct rn_bucket *bucket)
{
	double count;
	bool unused = false;

	while (*at < end && !strchr("-0123456789", **at))
		++*at;
	bucket->fraction = false;
	if (!number(at, end, &bucket->low, &bucket->ilow, &bucket->fraction) ||
	    !number(at, end, &bucket->high, &bucket->ihigh, &bucket->fraction) ||
	    !number(at, end, &count, &bucket->count, &unused))
		return false;
	bucket->low = bound(bucket->low, bucket->ilow);
	bucket->high = bound(bucket->high, bucket->ihigh);
	return true;
}

size_t rn_hist_most(const char *text, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most += text[i] == '[';
	return most;
}
