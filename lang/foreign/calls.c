/* calls.c - calls and members in expressions of other languages: COUNT(*), countif(x > 0),
 * r.bytes, g.Average(r => r.latency). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "lang/foreign/expr.h"
#include "lang/foreign/words.h"

/* How a call is written here. */
enum shape {
	COUNTS,   /* count(*), count(distinct x), count(x): only latency may have no value */
	WHERE,    /* f(c): ours(where c) */
	OF_WHERE, /* f(x, c): ours(x where c) */
	INNER,    /* f(x): (x) */
	TEXT,     /* f(arg0): text(arg0); of another x: (x), which is a text here */
	PERCENT,  /* f(x, 95): ours(x, 0.95) */
	CHOICE,   /* f(c, x, ..., y): if(c, x, ...) */
	AGO,      /* f(1h): now() - 1h */
	DATE,     /* f(2026-01-01): "2026-01-01" */
};
static const struct {
	const char *word;
	enum shape shape;
	const char *ours;
} calls[] = {
	{"count", COUNTS, "count"}, {"countif", WHERE, "count"},
	{"sumif", OF_WHERE, "sum"}, {"avgif", OF_WHERE, "avg"},
	{"minif", OF_WHERE, "min"}, {"maxif", OF_WHERE, "max"},
	{"todouble", INNER, ""},    {"toreal", INNER, ""},
	{"toint", INNER, ""},       {"tolong", INNER, ""},
	{"str", TEXT, ""},          {"percentile", PERCENT, "quantile"},
	{"case", CHOICE, ""},       {"iff", CHOICE, ""},
	{"iif", CHOICE, ""},        {"datetime", DATE, ""},
	{"ago", AGO, ""},
};
/* Names of functions of theirs that are not in words.c: they would mean something else
 * there. */
static const struct {
	const char *word, *ours;
} functions[] = {
	{"make_set", "set"}, {"makeset", "set"},    {"dcount", "distinct"},
	{"bin", "bucket"},   {"take_any", "first"},
};
/* Methods of a group, of a row's text, and of a group with a row's expression. */
static const struct {
	const char *word, *ours;
} methods[] = {
	{"Sum", "sum"},           {"Average", "avg"},           {"Min", "min"},
	{"Max", "max"},           {"StartsWith", "startswith"}, {"EndsWith", "endswith"},
	{"Contains", "contains"}, {"ToUpper", "upper"},         {"ToLower", "lower"},
	{"Trim", "trim"},
};

static const char *function_of(struct rn_arena *arena, const char *name)
{
	const char *ours = rn_foreign_name(RN_FOREIGN_FUNC, name);
	char *lower;

	for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcasecmp(functions[i].word, name))
			return functions[i].ours;
	if (ours)
		return ours;
	lower = rn_arena_strdup(arena, name);
	for (char *p = lower; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p | 0x20);
	return lower;
}

static const char *arguments(struct rn_reading *f, struct rn_phrase in)
{
	const char *out = "";

	while (!rn_phrase_empty(in) && !f->failed) {
		struct rn_phrase one = rn_phrase_take_to(&in, ",");

		out = rn_arena_printf(f->arena, "%s%s%s", out, *out ? ", " : "",
				      rn_foreign_expr(f, one));
	}
	return out;
}

static const char *choice(struct rn_reading *f, struct rn_phrase in)
{
	struct rn_phrase when = rn_phrase_take_to(&in, ","), then;

	if (rn_phrase_empty(in))
		return rn_foreign_expr(f, when);
	then = rn_phrase_take_to(&in, ",");
	if (rn_phrase_empty(in))
		f->failed = true;
	return f->failed ? ""
			 : rn_arena_printf(f->arena, "if(%s, %s, %s)", rn_foreign_expr(f, when),
					   rn_foreign_expr(f, then), choice(f, in));
}

static const char *count_of(struct rn_reading *f, struct rn_phrase in)
{
	const char *x;

	if (rn_phrase_take(&in, "distinct"))
		return rn_arena_printf(f->arena, "distinct(%s)", rn_foreign_expr(f, in));
	if (rn_phrase_empty(in) || rn_phrase_begin(in, "*"))
		return "count";
	x = rn_foreign_expr(f, in);
	if (!strcmp(x, "latency"))
		return "count(where latency is not null)";
	return "count";
}

/* Those of KQL are in UTC. */
static const char *date(struct rn_reading *f, struct rn_phrase in)
{
	const char *text = rn_phrase_text(f->arena, in);

	rn_foreign_remark(f, RN_FOREIGN_PAST);
	if (rn_phrase_empty(in) || in.w->kind != RN_WORD_NUMBER)
		f->failed = true;
	return rn_arena_printf(f->arena, "\"%s%s%s\"", text, strchr(text, ':') ? "" : " 00:00:00",
			       strchr(text, 'Z') ? "" : "Z");
}

/* An argument or a result is an address, whose text is read. Fields of calls are texts already. */
static const char *text_at(struct rn_reading *f, struct rn_phrase in)
{
	struct rn_phrase first = rn_phrase_take_to(&in, ",");
	const char *x = rn_foreign_expr(f, first),
		   *n = rn_phrase_empty(in) ? NULL : rn_foreign_expr(f, in);
	bool points = !strcmp(x, "ret") || (!strncmp(x, "arg", 3) && x[3] >= '0' && x[3] <= '9');

	if (!points)
		return rn_arena_printf(f->arena, "(%s)", x);
	return n ? rn_arena_printf(f->arena, "text(%s, %s)", x, n)
		 : rn_arena_printf(f->arena, "text(%s)", x);
}

static const char *shaped(struct rn_reading *f, unsigned call, struct rn_phrase in)
{
	const char *ours = calls[call].ours, *x;
	struct rn_phrase one;

	switch (calls[call].shape) {
	case COUNTS: return count_of(f, in);
	case WHERE: return rn_arena_printf(f->arena, "%s(where %s)", ours, rn_foreign_expr(f, in));
	case INNER: return rn_arena_printf(f->arena, "(%s)", rn_foreign_expr(f, in));
	case TEXT: return text_at(f, in);
	case CHOICE: return choice(f, in);
	case AGO:
		rn_foreign_remark(f, RN_FOREIGN_PAST);
		return rn_arena_printf(f->arena, "now() - (%s)", rn_foreign_expr(f, in));
	case DATE: return date(f, in);
	case OF_WHERE:
		one = rn_phrase_take_to(&in, ",");
		x = rn_foreign_expr(f, one);
		return rn_arena_printf(f->arena, "%s(%s where %s)", ours, x,
				       rn_foreign_expr(f, in));
	case PERCENT:
		one = rn_phrase_take_to(&in, ",");
		x = rn_foreign_expr(f, one);
		return rn_arena_printf(f->arena, "%s(%s, %g)", ours, x,
				       strtod(rn_phrase_text(f->arena, in), NULL) / 100);
	}
	return "";
}

/* max(bytes) FILTER (WHERE c) of SQL: max(bytes where c) */
static const char *filtered(struct rn_reading *f, const char *call, struct rn_phrase *r)
{
	struct rn_phrase in;
	size_t n = strlen(call);
	const char *condition;

	if (!rn_phrase_begin(*r, "filter") || !rn_phrase_then(*r, "("))
		return call;
	r->w++;
	in = rn_phrase_take_inside(r);
	if (!rn_phrase_take(&in, "where"))
		f->failed = true;
	condition = rn_foreign_expr(f, in);
	if (call[n - 1] != ')')
		return rn_arena_printf(f->arena, "%s(where %s)", call, condition);
	return rn_arena_printf(f->arena, "%.*s where %s)", (int)n - 1, call, condition);
}

bool rn_draft_call(struct rn_draft *e, struct rn_phrase *r)
{
	static const char *const no_calls[] = {"and", "or", "not", "in", "between", NULL};
	struct rn_reading *f = e->reading;
	const char *name, *text = NULL;
	struct rn_phrase in;

	if (!rn_phrase_name(*r) || !rn_phrase_then(*r, "(") || !r->w[1].partner)
		return false;
	for (unsigned i = 0; no_calls[i]; i++)
		if (rn_phrase_begin(*r, no_calls[i]))
			return false;
	name = rn_phrase_take_name(f->arena, r);
	in = rn_phrase_take_inside(r);
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcasecmp(calls[i].word, name))
			text = shaped(f, i, in);
	f->failed |= f->probes && !text; /* functions of bpftrace are others */
	if (!text)
		text = rn_arena_printf(f->arena, "%s(%s)", function_of(f->arena, name),
				       arguments(f, in));
	e->time |= strstr(text, "latency") != NULL;
	rn_draft_put(e, filtered(f, text, r));
	return true;
}

/* ---- members ---- */

static const char *method_of(struct rn_phrase r)
{
	for (unsigned i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (rn_phrase_begin(r, methods[i].word) && rn_phrase_then(r, "("))
			return methods[i].ours;
	return NULL;
}

/* g.Key, g.Count(), g.Sum(r => r.bytes); r is past the dot. */
static void put_of_group(struct rn_draft *e, struct rn_phrase *r)
{
	struct rn_reading *f = e->reading;
	const char *method = method_of(*r);
	struct rn_phrase in;

	if (rn_phrase_take(r, "Key")) {
		rn_draft_put(e, f->key);
		return;
	}
	if (!method && !(rn_phrase_begin(*r, "Count") && rn_phrase_then(*r, "("))) {
		f->failed = true;
		return;
	}
	r->w++;
	in = rn_phrase_take_inside(r);
	if (!method && rn_phrase_empty(in))
		rn_draft_put(e, "count");
	else
		rn_draft_put(e, rn_arena_printf(f->arena, "%s(%s%s)", method ? method : "count",
						method ? "" : "where ", rn_foreign_lambda(f, in)));
}

/* What follows a field of a row: .StartsWith("x"), .Length */
static const char *of_text(struct rn_reading *f, const char *field, struct rn_phrase *r)
{
	const char *method;
	struct rn_phrase in, rest = *r;

	if (!rn_phrase_take(&rest, "."))
		return field;
	method = method_of(rest);
	if (rn_phrase_take(&rest, "Length")) {
		r->w = rest.w;
		return rn_arena_printf(f->arena, "len(%s)", field);
	}
	if (!method) {
		f->failed = true;
		return field;
	}
	rest.w++;
	in = rn_phrase_take_inside(&rest);
	r->w = rest.w;
	return rn_arena_printf(f->arena, "%s(%s%s%s)", method, field,
			       rn_phrase_empty(in) ? "" : ", ", arguments(f, in));
}

/* The second event of a pair has fields of the same names: end_file. Its time is `end`. */
static const char *of_second(struct rn_reading *f, const char *field)
{
	return !strcmp(field, "time") ? "end" : rn_arena_printf(f->arena, "end_%s", field);
}

bool rn_draft_member(struct rn_draft *e, struct rn_phrase *r)
{
	struct rn_reading *f = e->reading;
	const char *object, *field;
	struct rn_phrase rest = *r;

	if (!rn_phrase_name(*r) ||
	    !(rn_phrase_then(*r, ".") || (f->probes && rn_phrase_then(*r, "->"))))
		return false;
	object = rn_phrase_take_name(f->arena, &rest);
	rest.w++;
	if (*f->group && !strcmp(object, f->group)) {
		r->w = rest.w;
		put_of_group(e, r);
		return true;
	}
	field = rn_phrase_take_name(f->arena, &rest);
	if (!field) {
		f->failed = true;
		return true;
	}
	r->w = rest.w;
	if (*f->other && !strcmp(object, f->other))
		field = of_second(f, field);
	else if (f->probes)
		field = rn_foreign_name(RN_FOREIGN_FIELD, field)
				? rn_foreign_name(RN_FOREIGN_FIELD, field)
				: field;
	else if (strcmp(object, f->row) != 0)
		f->failed = true;
	e->time |= !strcmp(field, "latency");
	rn_draft_put(e, of_text(f, field, r));
	return true;
}
