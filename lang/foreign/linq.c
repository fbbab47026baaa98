/* linq.c - LINQ of C# as a query of this language: query.h.
 *
 * from ROW in SOURCE CLAUSE ... select ..., and chains SOURCE.Where(r => ...).OrderBy(...), also
 * one behind the other: (from ... select r).Count(). */
#include <string.h>
#include "lang/foreign/query.h"

/* ---- groups and columns ---- */

static const char *text_of_name(struct rn_reading *f, const char *name)
{
	for (unsigned i = f->names.n; i-- > 0;)
		if (!strcmp(f->names.item[i].name, name))
			return f->names.item[i].expr;
	return NULL;
}

/* name: "", or that of a `let` which the key is. */
static void group(struct rn_reading *f, const char *expr, const char *name)
{
	struct rn_foreign_list by = {.n = 0}, no_list = {.n = 0};

	rn_foreign_add(f, &by, expr, name);
	rn_foreign_group(f, &by, &no_list);
	f->key = *name ? name : expr;
	f->row = "";
}

/* A = x, A: x, x, of `new { ... }` or of a tuple. */
static void column(struct rn_reading *f, struct rn_phrase one, struct rn_foreign_list *list)
{
	const char *name = "", *expr;

	if (rn_phrase_name(one) && (rn_phrase_then(one, "=") || rn_phrase_then(one, ":"))) {
		name = rn_phrase_take_name(f->arena, &one);
		one.w++;
	}
	expr = rn_foreign_expr(f, one);
	if (!*name && *f->group && one.end - one.w == 3 && rn_word_is(one.w + 2, "Key"))
		name = "Key";
	/* a key that has a name keeps it: the other clauses use that */
	if (*f->key && !strcmp(expr, f->key) && f->query.by.n)
		for (unsigned i = 0; i < f->query.list.n; i++)
			if (!strcmp(f->query.list.item[i].name, expr)) {
				name = f->query.list.item[i].name;
				expr = f->query.list.item[i].expr;
			}
	rn_foreign_add(f, list, expr, name);
}

static void columns(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_foreign_list list = {.n = 0};
	struct rn_phrase in = r;

	if (r.end - r.w == 1 && *f->row && rn_word_is(r.w, f->row))
		return;
	if (r.end - r.w == 1 && *f->group && rn_word_is(r.w, f->group)) {
		rn_foreign_remark(f, "A group is one row here, with the number of its rows");
		rn_foreign_add(f, &f->query.list, "count", "");
		return;
	}
	rn_phrase_take(&in, "new");
	if (rn_phrase_begin(in, "{") || rn_phrase_begin(in, "("))
		r = rn_phrase_take_inside(&in);
	else
		in.w = in.end;
	f->failed |= !rn_phrase_empty(in);
	while (!rn_phrase_empty(r) && !f->failed)
		column(f, rn_phrase_take_to(&r, ","), &list);
	rn_foreign_columns(f, &list);
	f->key = ""; /* from now on a row has these columns */
}

/* ---- clauses of a query expression ---- */

static void orders(struct rn_reading *f, struct rn_phrase r)
{
	f->query.order = "";
	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");
		bool desc = !rn_phrase_empty(one) && rn_word_is(one.end - 1, "descending");

		if (desc || (!rn_phrase_empty(one) && rn_word_is(one.end - 1, "ascending")))
			one.end--;
		rn_foreign_order(f, rn_foreign_expr(f, one), desc);
	}
}

static void let(struct rn_reading *f, struct rn_phrase r)
{
	const char *name = rn_phrase_take_name(f->arena, &r);

	if (!name || !rn_phrase_take(&r, "="))
		f->failed = true;
	else
		rn_foreign_name_as(f, name,
				   rn_arena_printf(f->arena, "(%s)", rn_foreign_expr(f, r)));
}

/* ROW.FIELD */
static const char *key_of(struct rn_reading *f, struct rn_phrase r, const char *row)
{
	const char *object = rn_phrase_take_name(f->arena, &r), *field;

	if (!object || strcmp(object, row) != 0 || !rn_phrase_take(&r, "."))
		f->failed = true;
	field = rn_phrase_take_name(f->arena, &r);
	f->failed |= !field || !rn_phrase_empty(r);
	return field ? field : "";
}

/* c in SOURCE on o.fd equals c.fd */
static void join(struct rn_reading *f, struct rn_phrase r)
{
	const char *source, *key;
	struct rn_foreign_list keys = {.n = 0};
	struct rn_phrase left;

	f->other = rn_phrase_take_name(f->arena, &r);
	source = f->other && rn_phrase_take(&r, "in") ? rn_phrase_take_name(f->arena, &r) : NULL;
	if (!source || !rn_phrase_take(&r, "on")) {
		f->other = "";
		f->failed = true;
		return;
	}
	left = rn_phrase_take_to(&r, "equals");
	key = key_of(f, left, f->row);
	rn_foreign_add(f, &keys, key, key_of(f, r, f->other));
	rn_foreign_join(f, source, &keys);
}

static void group_clause(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_phrase row = rn_phrase_take_to(&r, "by"), key = rn_phrase_take_to(&r, "into");
	const char *let_name = key.end - key.w == 1 ? rn_phrase_text(f->arena, key) : "",
		   *expr = text_of_name(f, let_name);

	f->failed |= row.end - row.w != 1 || !rn_word_is(row.w, f->row);
	if (expr)
		group(f, expr, let_name);
	else
		group(f, rn_foreign_expr(f, key), "");
	f->group = rn_phrase_take_name(f->arena, &r);
	f->failed |= !rn_phrase_empty(r);
	if (!f->group) { /* the groups are what it is about */
		f->group = "";
		rn_foreign_remark(f, "A group is one row here, with the number of its rows");
		rn_foreign_add(f, &f->query.list, "count", "");
	}
}

static void where(struct rn_reading *f, struct rn_phrase r)
{
	rn_foreign_where(f, rn_foreign_expr(f, r));
}

static const struct {
	const char *word;
	void (*read)(struct rn_reading *f, struct rn_phrase r);
} clauses[] = {
	{"where", where}, {"orderby", orders},     {"let", let},
	{"join", join},   {"group", group_clause}, {"select", columns},
};

static void query_expression(struct rn_reading *f, struct rn_phrase r)
{
	static const char *const stops[] = {"where", "orderby", "let",  "join",
					    "group", "select",  "from", NULL};
	const char *source;

	rn_phrase_take(&r, "from");
	f->row = rn_phrase_take_name(f->arena, &r);
	source = f->row && rn_phrase_take(&r, "in") ? rn_phrase_take_name(f->arena, &r) : NULL;
	if (!source) {
		f->row = "";
		f->failed = true;
		return;
	}
	rn_foreign_from(f, source);
	while (!rn_phrase_empty(r) && !f->failed) {
		unsigned i = 0;

		while (i < sizeof(clauses) / sizeof(*clauses) &&
		       !rn_phrase_begin(r, clauses[i].word))
			i++;
		if (i == sizeof(clauses) / sizeof(*clauses)) {
			f->failed = true;
			return;
		}
		r.w++;
		clauses[i].read(f, rn_phrase_take_until(&r, stops));
	}
}

/* ---- methods: r is what stands in their parentheses ---- */

/* x => EXPRESSION, where x is a row, or a group once there are groups. */
static const char *lambda(struct rn_reading *f, struct rn_phrase r)
{
	if (!f->query.grouped || !*f->key)
		return rn_foreign_lambda(f, r);
	f->group = rn_phrase_take_name(f->arena, &r);
	if (!f->group || !rn_phrase_take(&r, "=>")) {
		f->group = "";
		f->failed = true;
	}
	return f->failed ? "" : rn_foreign_expr(f, r);
}

static void where_method(struct rn_reading *f, struct rn_phrase r)
{
	rn_foreign_where(f, lambda(f, r));
}

static void order_by(struct rn_reading *f, struct rn_phrase r)
{
	f->query.order = *f->query.limit ? f->query.order : "";
	rn_foreign_order(f, lambda(f, r), false);
}

static void order_by_descending(struct rn_reading *f, struct rn_phrase r)
{
	f->query.order = *f->query.limit ? f->query.order : "";
	rn_foreign_order(f, lambda(f, r), true);
}

static void then_by(struct rn_reading *f, struct rn_phrase r)
{
	rn_foreign_order(f, lambda(f, r), false);
}

static void then_by_descending(struct rn_reading *f, struct rn_phrase r)
{
	rn_foreign_order(f, lambda(f, r), true);
}

static void group_by(struct rn_reading *f, struct rn_phrase r)
{
	group(f, lambda(f, r), "");
	if (f->query.list.n == 1)
		rn_foreign_add(f, &f->query.list, "count", "");
}

static void select_method(struct rn_reading *f, struct rn_phrase r)
{
	const char *name = rn_phrase_take_name(f->arena, &r);

	f->failed |= !name || !rn_phrase_take(&r, "=>");
	if (f->failed)
		return;
	if (f->query.grouped)
		f->group = name;
	else
		f->row = name;
	columns(f, r);
}

static void take(struct rn_reading *f, struct rn_phrase r)
{
	rn_foreign_limit(f, rn_foreign_expr(f, r));
}

static void first(struct rn_reading *f, struct rn_phrase r)
{
	if (!rn_phrase_empty(r))
		where_method(f, r);
	rn_foreign_limit(f, "1");
}

static void skip(struct rn_reading *f, struct rn_phrase r)
{
	(void)r;
	rn_foreign_remark(f, "There is no offset: these are the first rows");
}

static void distinct(struct rn_reading *f, struct rn_phrase r)
{
	f->failed |= !rn_phrase_empty(r);
	rn_foreign_distinct(f);
}

static void count(struct rn_reading *f, struct rn_phrase r)
{
	if (!rn_phrase_empty(r))
		where_method(f, r);
	rn_foreign_total(f, "count");
}

static void nothing(struct rn_reading *f, struct rn_phrase r)
{
	f->failed |= !rn_phrase_empty(r);
}

static const struct {
	const char *word;
	void (*read)(struct rn_reading *f, struct rn_phrase r);
	const char *total; /* the aggregate of an expression */
} methods[] = {
	{"Where", where_method, NULL},
	{"OrderBy", order_by, NULL},
	{"OrderByDescending", order_by_descending, NULL},
	{"ThenBy", then_by, NULL},
	{"ThenByDescending", then_by_descending, NULL},
	{"GroupBy", group_by, NULL},
	{"Select", select_method, NULL},
	{"Take", take, NULL},
	{"First", first, NULL},
	{"FirstOrDefault", first, NULL},
	{"Skip", skip, NULL},
	{"Distinct", distinct, NULL},
	{"Count", count, NULL},
	{"ToList", nothing, NULL},
	{"ToArray", nothing, NULL},
	{"Sum", NULL, "sum"},
	{"Average", NULL, "avg"},
	{"Min", NULL, "min"},
	{"Max", NULL, "max"},
};

static void total(struct rn_reading *f, const char *aggregate, struct rn_phrase r)
{
	if (rn_phrase_empty(r) && f->query.list.n == 1 && !f->query.grouped)
		rn_foreign_total(f, rn_arena_printf(f->arena, "%s(%s)", aggregate,
						    f->query.list.item[0].expr));
	else
		rn_foreign_total(f, rn_arena_printf(f->arena, "%s(%s)", aggregate, lambda(f, r)));
}

static void chain(struct rn_reading *f, struct rn_phrase r)
{
	while (!rn_phrase_empty(r) && !f->failed) {
		unsigned i = 0;
		struct rn_phrase in;

		f->failed |= !rn_phrase_take(&r, ".") || !rn_phrase_then(r, "(");
		while (i < sizeof(methods) / sizeof(*methods) &&
		       !rn_phrase_begin(r, methods[i].word))
			i++;
		if (f->failed || i == sizeof(methods) / sizeof(*methods)) {
			f->failed = true;
			return;
		}
		r.w++;
		in = rn_phrase_take_inside(&r);
		if (methods[i].total)
			total(f, methods[i].total, in);
		else
			methods[i].read(f, in);
	}
}

/* ---- the whole ---- */

/* `var x =`, `IEnumerable<int> x =` */
static void skip_variable(struct rn_phrase *r)
{
	const struct rn_word *is = rn_phrase_find(*r, "=");

	if (is && !rn_phrase_begin(*r, "from") && !rn_phrase_begin(*r, "(") && is - r->w >= 2 &&
	    is[-1].kind == RN_WORD_NAME)
		r->w = is + 1;
}

bool rn_foreign_linq(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_phrase rest;

	if (!rn_phrase_empty(r) && rn_word_is(r.end - 1, ";"))
		r.end--;
	skip_variable(&r);
	if (rn_phrase_begin(r, "from")) {
		query_expression(f, r);
	} else if (rn_phrase_begin(r, "(") && rn_phrase_then(r, "from")) {
		rest = r;
		query_expression(f, rn_phrase_take_inside(&rest));
		chain(f, rest);
	} else if (rn_phrase_name(r) && rn_phrase_then(r, ".")) {
		rn_foreign_from(f, rn_phrase_take_name(f->arena, &r));
		chain(f, r);
	} else {
		return false;
	}
	return !f->failed;
}
