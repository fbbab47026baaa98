/* times.c - functions of times, in the zone of the coordinator: it sends what its zone does. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "exec/eval/eval_impl.h"
#include "lang/values/zone.h"

/* Seconds since the epoch, as a clock on the wall shows them. */
static int64_t wall_s(const struct rn_value *v)
{
	const char *zone = v[1].kind == RN_STR ? v[1].s : "";
	int64_t s = v[0].i / 1000000000 - (v[0].i % 1000000000 < 0);

	return s + rn_zone_offset_s(zone, v[1].kind == RN_STR ? v[1].len : 0, v[0].i);
}

struct rn_value rn_eval_hour(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	int64_t s;

	(void)e, (void)a;
	if (v[0].kind != RN_INT)
		return rn_null();
	s = wall_s(v) % 86400;
	return rn_int((s < 0 ? s + 86400 : s) / 3600);
}

struct rn_value rn_eval_date(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	time_t s;
	struct tm tm;
	char text[32];

	(void)e;
	if (v[0].kind != RN_INT)
		return rn_null();
	s = (time_t)wall_s(v);
	if (!gmtime_r(&s, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d", &tm))
		return rn_null();
	return rn_strn(rn_arena_strdup(a, text), strlen(text));
}
