/* hist_text.h - a histogram from [[low,high,count],...], for tests. A number with a point or an
 * exponent is a float. */
#ifndef RN_TESTS_SUPPORT_HIST_TEXT_H
#define RN_TESTS_SUPPORT_HIST_TEXT_H
#include <stdlib.h>
#include <string.h>
#include "lang/values/hist.h"
#include "lang/values/json.h"

static inline struct rn_value hist_number(const char **at)
{
	char *stop, *whole;
	double f = strtod(*at, &stop);
	long long i = strtoll(*at, &whole, 10);
	struct rn_value v = whole == stop ? rn_int(i) : rn_float(f);

	*at = stop + 1; /* the comma, or the bracket */
	return v;
}

static inline struct rn_value hist_of(struct rn_arena *arena, const char *text)
{
	struct rn_strbuf out;

	rn_strbuf_init(&out, arena);
	for (const char *at = strchr(text + 1, '['); at; at = strchr(at, '[')) {
		struct rn_value low, high;

		at++;
		low = hist_number(&at);
		high = hist_number(&at);
		rn_hist_put(&out, &low, &high, hist_number(&at).i);
	}
	return rn_value_of_text(&out);
}
#endif
