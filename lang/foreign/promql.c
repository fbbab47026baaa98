/* promql.c - an expression of PromQL as a query of this language: query.h.
 *
 * A metric such as read_bytes_total is a source and a field here, known by the words in its name.
 * Labels are fields. A range is a window. Operators between two vectors need one source. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "lang/foreign/promql.h"

/* A function or an aggregation, and the aggregate here: of events, and of a field. NULL: there is
 * none. */
static const struct {
	const char *word, *of_events, *of_field;
	bool ranges; /* over a range; else over series */
} functions[] = {
	{"rate", "rate", "rate", true},       {"irate", "rate", "rate", true},
	{"increase", "count", "sum", true},   {"count_over_time", "count", "count", true},
	{"sum_over_time", NULL, "sum", true}, {"avg_over_time", NULL, "avg", true},
	{"min_over_time", NULL, "min", true}, {"max_over_time", NULL, "max", true},
	{"sum", "count", "sum", false},       {"count", "count", "count", false},
	{"avg", NULL, "avg", false},          {"min", NULL, "min", false},
	{"max", NULL, "max", false},          {"stddev", NULL, "stddev", false},
};

static struct rn_vector expression(struct rn_reading *f, struct rn_phrase *r);

/* ---- functions and aggregations ---- */

static void labels(struct rn_reading *f, struct rn_phrase *r, struct rn_foreign_list *by)
{
	struct rn_phrase in;

	if (!rn_phrase_take(r, "by"))
		return;
	in = rn_phrase_take_inside(r);
	while (!rn_phrase_empty(in) && !f->failed) {
		const char *name = rn_vector_label(f, &in);

		if (strcmp(name, "le") != 0) /* the bucket of a histogram */
			rn_foreign_add(f, by, name, "");
		f->failed |= !rn_phrase_take(&in, ",") && !rn_phrase_empty(in);
	}
}

static struct rn_vector applied(struct rn_reading *f, unsigned i, struct rn_vector v)
{
	const char *ours = *v.field ? functions[i].of_field : functions[i].of_events;

	v.over_series |= !functions[i].ranges;
	f->failed |= *v.top || *v.least;
	if (*v.expr) { /* the sum of rates is a rate; other numbers about rates are not there */
		f->failed |= functions[i].ranges || strcmp(functions[i].word, "sum") != 0;
		return v;
	}
	if (!ours || functions[i].ranges != (*v.range != '\0')) {
		f->failed = true;
		return v;
	}
	if (!strcmp(functions[i].word, "count") && !rn_foreign_is_table(v.source))
		rn_foreign_remark(f, "`count` counts events, not series");
	v.expr = *v.field && strcmp(ours, "count") != 0
			 ? rn_arena_printf(f->arena, "%s(%s)", ours, v.field)
			 : ours;
	if (*v.range)
		v.windows = rn_arena_printf(f->arena, "every %s", v.range);
	v.range = "";
	return v;
}

static struct rn_vector quantile(struct rn_reading *f, const char *q, struct rn_vector v)
{
	const char *field = *v.field ? v.field : "latency";
	double percent = strtod(q, NULL) * 100;
	int whole = (int)(percent + 0.5);

	if (percent - whole < 1e-6 && whole - percent < 1e-6 && whole >= 10 && whole < 100)
		v.expr = rn_arena_printf(f->arena, "p%d(%s)", whole, field);
	else
		v.expr = rn_arena_printf(f->arena, "quantile(%s, %s)", field, q);
	return v;
}

static struct rn_vector call(struct rn_reading *f, struct rn_phrase *r, struct rn_vector v)
{
	const char *name = rn_phrase_take_name(f->arena, r), *parameter = "";
	bool top = !strcasecmp(name, "topk"), least = !strcasecmp(name, "bottomk"),
	     quantiles = !strcasecmp(name, "histogram_quantile");
	struct rn_foreign_list by = {.n = 0};
	struct rn_phrase in;
	unsigned i = 0;

	labels(f, r, &by);
	in = rn_phrase_take_inside(r);
	labels(f, r, &by);
	if (top || least || quantiles) {
		struct rn_phrase first = rn_phrase_take_to(&in, ",");

		f->failed |= first.end - first.w != 1 || first.w->kind != RN_WORD_NUMBER;
		parameter = rn_phrase_text(f->arena, first);
	}
	if (f->failed || rn_phrase_empty(in)) {
		f->failed = true;
		return v;
	}
	v = expression(f, &in);
	f->failed |= !rn_phrase_empty(in);
	if (f->failed)
		return v;
	if (top || least) {
		f->failed |= by.n || *v.top || *v.least; /* the greatest of each group */
		*(top ? &v.top : &v.least) = parameter;
		return v;
	}
	if (quantiles)
		return quantile(f, parameter, v);
	while (i < sizeof(functions) / sizeof(*functions) &&
	       strcasecmp(functions[i].word, name) != 0)
		i++;
	if (i == sizeof(functions) / sizeof(*functions)) {
		f->failed = true;
		return v;
	}
	if (!functions[i].ranges)
		v.by = by;
	return applied(f, i, v);
}

/* ---- operators ---- */

static struct rn_vector operand(struct rn_reading *f, struct rn_phrase *r)
{
	struct rn_vector v = {.expr = "",
			      .source = "",
			      .field = "",
			      .where = "",
			      .range = "",
			      .windows = "",
			      .top = "",
			      .least = ""};
	struct rn_phrase in;

	if (rn_phrase_begin(*r, "(")) {
		in = rn_phrase_take_inside(r);
		v = expression(f, &in);
		f->failed |= !rn_phrase_empty(in);
		return v;
	}
	if (rn_phrase_name(*r) && (rn_phrase_then(*r, "(") || rn_phrase_then(*r, "by")))
		return call(f, r, v);
	return rn_vector_select(f, r, v);
}

/* An aggregate of a part of the events: count(where c). */
static const char *partly(struct rn_reading *f, const struct rn_vector *v)
{
	size_t n = strlen(v->expr);

	if (!*v->where)
		return v->expr;
	if (n && v->expr[n - 1] == ')')
		return rn_arena_printf(f->arena, "%.*s where %s)", (int)n - 1, v->expr, v->where);
	return rn_arena_printf(f->arena, "%s(where %s)", v->expr, v->where);
}

static const char *or_count(const struct rn_vector *v)
{
	return *v->expr || *v->field || *v->range ? v->expr : "count";
}

static bool same_keys(const struct rn_foreign_list *a, const struct rn_foreign_list *b)
{
	for (unsigned i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->item[i].expr, b->item[i].expr) != 0)
			return false;
	return a->n == b->n;
}

static struct rn_vector combined(struct rn_reading *f, struct rn_vector a, const char *sign,
				 struct rn_vector b)
{
	a.expr = or_count(&a);
	b.expr = or_count(&b);
	if (!*a.expr && !*b.expr && *a.field && *b.field && !*a.where && !*b.where) {
		a.field = rn_arena_printf(f->arena, "%s %s %s", a.field, sign, b.field);
		f->failed |= strcmp(a.source, b.source) != 0;
		return a;
	}
	f->failed |= *a.range || *b.range || *a.top || *b.top || *a.least || *b.least;
	f->failed |= !*a.expr || !*b.expr || strcmp(a.source, b.source) != 0 ||
		     strcmp(a.windows, b.windows) != 0 || !same_keys(&a.by, &b.by);
	a.expr = rn_arena_printf(f->arena, "(%s) %s (%s)", partly(f, &a), sign, partly(f, &b));
	a.where = "";
	a.over_series &= b.over_series;
	return a;
}

static const char *operator_of(const struct rn_phrase *r)
{
	static const char *const signs[] = {"+", "-", "*", "/", NULL};

	for (unsigned i = 0; signs[i]; i++)
		if (rn_phrase_begin(*r, signs[i]))
			return signs[i];
	return NULL;
}

static struct rn_vector expression(struct rn_reading *f, struct rn_phrase *r)
{
	struct rn_vector v;
	const char *sign;
	bool sums = false; /* a + b * c: the second binds first, which is not read here */

	if (f->depth == RN_FOREIGN_DEPTH)
		f->failed = true;
	f->depth++;
	v = f->failed ? (struct rn_vector){.expr = ""} : operand(f, r);
	while (!f->failed && (sign = operator_of(r))) {
		r->w++;
		f->failed |= sums && strchr("*/", *sign);
		sums |= strchr("+-", *sign) != NULL;
		if (rn_phrase_take(r, "ignoring") || rn_phrase_take(r, "on"))
			rn_phrase_take_inside(r);
		if (rn_phrase_empty(*r)) {
			f->failed = true;
		} else if (r->w->kind == RN_WORD_NUMBER) {
			v.expr = rn_arena_printf(f->arena, "(%s) %s %s", or_count(&v), sign,
						 rn_foreign_number(f->arena, r->w++));
		} else {
			v = combined(f, v, sign, operand(f, r));
		}
	}
	f->depth--;
	return v;
}

/* ---- the whole ---- */

/* A selector alone: its value now, or the values of a range. */
static void select_alone(struct rn_reading *f, struct rn_vector *v)
{
	bool table = rn_foreign_is_table(v->source);

	if (table)
		v->expr = *v->field ? v->field : "*";
	else
		v->expr = *v->field ? rn_arena_printf(f->arena, "sum(%s)", v->field) : "count";
	if (*v->range)
		v->windows = rn_arena_printf(f->arena, "every 1s for %s", v->range);
}

/* `> 5` at the end keeps some of the groups. */
static void compared(struct rn_reading *f, struct rn_phrase *r)
{
	if (r->end - r->w == 2 && r->w[1].kind == RN_WORD_NUMBER && strchr("<>=!", *r->w->s)) {
		f->query.having = rn_foreign_expr(f, *r);
		f->query.having = rn_arena_printf(f->arena, "%s %s", f->query.list.item[0].expr,
						  f->query.having);
		r->w = r->end;
	}
}

bool rn_foreign_promql(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_foreign_query *q = &f->query;
	struct rn_vector v;

	if (!rn_phrase_name(r) || !(rn_phrase_then(r, "{") || rn_phrase_then(r, "[") ||
				    rn_phrase_then(r, "(") || rn_phrase_then(r, "by")))
		return false;
	v = expression(f, &r);
	if (f->failed)
		return false;
	if (!*v.expr)
		select_alone(f, &v);
	rn_foreign_add(f, &q->list, v.expr, "");
	q->source = v.source;
	q->where = v.where;
	q->by = v.by;
	q->top = v.top;
	if (*v.least) {
		q->order = v.expr;
		q->limit = v.least;
	}
	q->windows = v.windows;
	if (!v.over_series && !v.by.n && !rn_foreign_is_table(v.source))
		rn_foreign_remark(f,
				  "It is one number for all series: `by proc` would make one for "
				  "each process");
	compared(f, &r);
	return !f->failed && rn_phrase_empty(r);
}
