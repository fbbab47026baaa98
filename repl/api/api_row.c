/* api_row.c - librunnel: the values of the row that runnel_step gave. See runnel.h and api.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "repl/api/api.h"
#include "repl/render/histogram.h"
#include "repl/render/json.h"

/* Value i of the row; NULL: there is none. */
static const struct rn_value *value(const struct runnel_query *q, unsigned i)
{
	return q && q->row && i < q->ncols ? &q->row->v[i] : NULL;
}

int runnel_is_null(const struct runnel_query *q, unsigned i)
{
	const struct rn_value *v = value(q, i);

	return v && v->kind == RN_NULL;
}

int64_t runnel_get_int64(const struct runnel_query *q, unsigned i)
{
	const struct rn_value *v = value(q, i);

	if (!v || (v->kind != RN_INT && v->kind != RN_BOOL && v->kind != RN_FLOAT))
		return 0;
	if (v->kind != RN_FLOAT)
		return v->i;
	/* 2^63 as a double; values beyond become the nearest integer, NaN becomes 0 */
	return v->f != v->f                     ? 0
	       : v->f >= 9223372036854775808.0  ? INT64_MAX
	       : v->f <= -9223372036854775808.0 ? INT64_MIN
						: (int64_t)v->f;
}

double runnel_get_double(const struct runnel_query *q, unsigned i)
{
	const struct rn_value *v = value(q, i);

	if (!v || (v->kind != RN_INT && v->kind != RN_BOOL && v->kind != RN_FLOAT))
		return 0;
	return v->kind == RN_FLOAT ? v->f : (double)v->i;
}

/* A number as the JSON output has it, without quotes. */
static const char *number(struct rn_arena *a, struct rn_ty ty, const struct rn_value *v)
{
	char buf[40];

	if (v->kind == RN_FLOAT) {
		rn_float_text(buf, sizeof(buf), v->f);
		return rn_arena_strdup(a, buf);
	}
	if (v->kind == RN_BOOL || ty.type == RN_T_BOOL)
		return v->i ? "true" : "false";
	if (ty.unit == RN_U_ERRNO) {
		const char *name = v->i ? rn_errno_name((int)v->i) : "";

		if (name)
			return name;
	}
	if (ty.unit == RN_U_DEV || ty.unit == RN_U_HEX)
		return rn_value_show(a, ty, v);
	return rn_arena_printf(a, "%lld", (long long)v->i);
}

const char *runnel_get_text(struct runnel_query *q, unsigned i, size_t *len)
{
	const struct rn_value *v = value(q, i);
	const char *s = "";

	if (v && v->kind == RN_STR && q->ty[i].type != RN_T_IP) {
		if (len)
			*len = v->len;
		return v->s;
	}
	if (v && v->kind != RN_NULL) {
		struct api_was was = rn_api_enter(q->r);

		s = v->kind == RN_STR ? rn_value_show(q->scratch, q->ty[i], v)
				      : number(q->scratch, q->ty[i], v);
		rn_api_leave(was);
	}
	if (len)
		*len = strlen(s);
	return s;
}

const char *runnel_get_shown(struct runnel_query *q, unsigned i)
{
	const struct rn_value *v = value(q, i);
	struct api_was was;
	const char *s;

	if (!v)
		return "";
	was = rn_api_enter(q->r);
	s = v->kind == RN_NULL ? "-" : rn_value_show(q->scratch, q->ty[i], v);
	rn_api_leave(was);
	return s;
}

/* [[low,high,count],...] as planner/agg writes it: integers without a space. */
const struct runnel_bucket *runnel_get_hist(struct runnel_query *q, unsigned i, size_t *n)
{
	const struct rn_value *v = value(q, i);
	size_t own;
	const char *at;
	struct rn_bucket from;
	struct api_was was;
	struct runnel_bucket *b;

	if (!n)
		n = &own;
	*n = 0;
	if (!v || v->kind != RN_STR || q->ty[i].type != RN_T_HIST)
		return NULL;
	at = v->s;
	was = rn_api_enter(q->r);
	b = RN_NEWN(q->scratch, struct runnel_bucket, rn_hist_most(v->s, v->len) + 1);
	rn_api_leave(was);
	while (rn_hist_next(&at, v->s + v->len, &from))
		b[(*n)++] = (struct runnel_bucket){from.low, from.high, from.count};
	return *n ? b : NULL;
}

int64_t runnel_window(const struct runnel_query *q)
{
	return q && q->row && q->ncols && q->cols[0].role == RUNNEL_WINDOW ? q->row->v[0].i : 0;
}

int runnel_partial(const struct runnel_query *q, int64_t *from, int64_t *until)
{
	bool partial = q && q->row && q->row->partial;

	if (from)
		*from = partial ? q->row->covered.hull.begin : 0;
	if (until)
		*until = partial ? q->row->covered.hull.end : 0;
	return partial;
}

int runnel_is_other(const struct runnel_query *q)
{
	return q && q->row && q->row->other;
}

unsigned runnel_snapshot(const struct runnel_query *q)
{
	return q && q->row ? q->row->snapshot : 0;
}
