/* zone.c - see zone.h. The C library knows the zone; it has no call that lists its changes. So they
 * are found by asking for one moment in a week, and then between two that differ. */
#include "lang/values/zone.h"
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include "lang/base/str.h"

enum { WEEK_S = 7 * 86400 };

static long offset_at(int64_t s)
{
	time_t t = (time_t)s;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

/* The first second after `from` that has another offset; `to` has one. */
static int64_t change_between(int64_t from, int64_t to)
{
	long before = offset_at(from);

	while (to - from > 1) {
		int64_t middle = from + (to - from) / 2;

		if (offset_at(middle) == before)
			from = middle;
		else
			to = middle;
	}
	return to;
}

const char *rn_zone_text(struct rn_arena *arena)
{
	int64_t end = (int64_t)time(NULL) + (int64_t)366 * 86400;
	struct rn_strbuf out;

	tzset();
	rn_strbuf_init(&out, arena);
	rn_strbuf_printf(&out, "%ld@0", offset_at(0));
	for (int64_t s = 0; s < end; s += WEEK_S)
		if (offset_at(s) != offset_at(s + WEEK_S))
			rn_strbuf_printf(&out, " %ld@%" PRId64, offset_at(s + WEEK_S),
					 change_between(s, s + WEEK_S));
	return rn_strbuf_cstr(&out);
}

/* Reads a number, and steps over it. It ends at the text's end at the latest. */
static int64_t number(const char **p, const char *end)
{
	bool negative = *p < end && **p == '-';
	int64_t v = 0;

	*p += negative;
	while (*p < end && **p >= '0' && **p <= '9' && v < INT64_MAX / 100)
		v = v * 10 + (*(*p)++ - '0');
	return negative ? -v : v;
}

int64_t rn_zone_offset_s(const char *text, size_t n, int64_t time_ns)
{
	const char *p = text, *end = text + n;
	int64_t s = time_ns / 1000000000, offset = 0;

	while (p < end) {
		int64_t here = number(&p, end);

		if (p == end || *p++ != '@')
			return offset;
		if (number(&p, end) > s)
			break;
		offset = here;
		if (p < end && *p++ != ' ')
			break;
	}
	return offset > -86400 && offset < 86400 ? offset : 0;
}
