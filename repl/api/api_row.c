/* api_row.c - librunnel: the values of the row that runnel_step gave. See runnel.h and api.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "repl/api/api.h"
#include "lang/values/hist.h"
#include "repl/render/json.h"

/* Value i of the row; NULL: there is none. */
static const struct rn_value *value(const struct runnel_query *q, unsigned i)
{
	return q && q->row && i < q->ncols ? &q->row->values[i] : NULL;
}

int runnel_is_null(const struct runnel_query *query, unsigned i)
{
	const struct rn_value *v = value(query, i);

	return v && v->kind == RN_NULL;
}

int64_t runnel_get_int64(const struct runnel_query *query, unsigned i)
{
	const struct rn_value *v = value(query, i);

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

double runnel_get_double(const struct runnel_query *query, unsigned i)
{
	const struct rn_value *v = value(query, i);

	if (!v || (v->kind != RN_INT && v->kind != RN_BOOL && v->kind != RN_FLOAT))
		return 0;
	return v->kind == RN_FLOAT ? v->f : (double)v->i;
}

/* A number as the JSON output has it, without quotes. */
static const char *number(struct rn_arena *arena, struct rn_ty ty, const struct rn_value *value)
{
	char buf[40];

	if (value->kind == RN_FLOAT) {
		rn_float_text(buf, sizeof(buf), value->f);
		return rn_arena_strdup(arena, buf);
	}
	if (value->kind == RN_BOOL || ty.type == RN_T_BOOL)
		return value->i ? "true" : "false";
	if (ty.unit == RN_U_ERRNO) {
		const char *name = value->i ? rn_errno_name((int)value->i) : "";

		if (name)
			return name;
	}
	if (rn_unit_is_code(ty.unit) || ty.unit == RN_U_HEX)
		return rn_value_show(arena, ty, value);
	return rn_arena_printf(arena, "%lld", (long long)value->i);
}

const char *runnel_get_text(struct runnel_query *query, unsigned i, size_t *len)
{
	const struct rn_value *cell = value(query, i);
	const char *s = "";

	if (cell && cell->kind == RN_STR && query->ty[i].type != RN_T_IP &&
	    query->ty[i].type != RN_T_HIST) {
		if (len)
			*len = cell->len;
		return cell->s;
	}
	if (cell && cell->kind != RN_NULL) {
		struct rn_api_was was = rn_api_enter(query->session);

		s = cell->kind == RN_STR ? rn_value_show(query->scratch, query->ty[i], cell)
					 : number(query->scratch, query->ty[i], cell);
		rn_api_leave(was);
	}
	if (len)
		*len = strlen(s);
	return s;
}

const char *runnel_get_shown(struct runnel_query *query, unsigned i)
{
	const struct rn_value *v = value(query, i);
	struct rn_api_was was;
	const char *s;

	if (!v)
		return "";
	was = rn_api_enter(query->session);
	s = v->kind == RN_NULL ? "-" : rn_value_show(query->scratch, query->ty[i], v);
	rn_api_leave(was);
	return s;
}

const struct runnel_bucket *runnel_get_hist(struct runnel_query *query, unsigned i, size_t *n)
{
	const struct rn_value *cell = value(query, i);
	size_t own;
	struct rn_api_was was;
	struct runnel_bucket *b;

	if (!n)
		n = &own;
	*n = 0;
	if (!cell || cell->kind != RN_STR || query->ty[i].type != RN_T_HIST)
		return NULL;
	*n = rn_hist_count(cell);
	was = rn_api_enter(query->session);
	b = RN_NEWN(query->scratch, struct runnel_bucket, *n + 1);
	rn_api_leave(was);
	for (unsigned k = 0; k < *n; k++) {
		struct rn_bucket from = rn_hist_bucket(cell, k);

		b[k] = (struct runnel_bucket){from.low, from.high, from.count};
	}
	return *n ? b : NULL;
}

int64_t runnel_window(const struct runnel_query *query)
{
	return query && query->row && query->ncols && query->cols[0].role == RUNNEL_WINDOW
		       ? query->row->values[0].i
		       : 0;
}

int runnel_partial(const struct runnel_query *query, int64_t *from, int64_t *until)
{
	bool partial = query && query->row && query->row->partial;

	if (from)
		*from = partial ? query->row->covered.hull.begin : 0;
	if (until)
		*until = partial ? query->row->covered.hull.end : 0;
	return partial;
}

int runnel_is_other(const struct runnel_query *query)
{
	return query && query->row && query->row->other;
}

unsigned runnel_snapshot(const struct runnel_query *query)
{
	return query && query->row ? query->row->snapshot : 0;
}
