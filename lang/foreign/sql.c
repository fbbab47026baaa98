/* sql.c - a SELECT of SQL as a query of this language: query.h.
 *
 * SELECT [DISTINCT] list FROM source [JOIN ...] [WHERE] [GROUP BY] [HAVING] [ORDER BY] [LIMIT].
 * Each clause is read up to the word that begins the next one. Any other clause has no translation.
 */
#include <stdlib.h>
#include <string.h>
#include "lang/foreign/query.h"

static const char *const clauses[] = {
	"from",  "where", "group", "having", "order", "limit", "offset", "fetch",  "union", "join",
	"inner", "left",  "right", "full",   "cross", "on",    "for",    "window", NULL};

static struct rn_phrase clause(struct rn_phrase *r, const char *word, const char *second)
{
	if (!rn_phrase_begin(*r, word) || (second && !rn_phrase_then(*r, second)))
		return rn_phrase_none;
	r->w += second ? 2 : 1;
	return rn_phrase_take_until(r, clauses);
}

/* ---- the list ---- */

/* "x": a column to some, a string to others. */
static bool is_quoted(struct rn_phrase one)
{
	return one.end - one.w == 1 && *one.w->s == '"';
}

/* x, x AS name, x name. The name of CASE ... END follows its END. */
static void item(struct rn_reading *f, struct rn_phrase one, struct rn_foreign_list *list)
{
	const struct rn_word *as = rn_phrase_find(one, "as");
	const char *name = "";
	struct rn_phrase last = {one.end - 1, one.end};

	if (as && one.end - as == 2) {
		name = rn_word_text(f->arena, as + 1);
		one.end = as;
	} else if (one.end - one.w > 1 && rn_phrase_name(last) && !rn_word_is(last.w, "end") &&
		   (last.w[-1].kind != RN_WORD_SIGN || rn_word_is(last.w - 1, ")"))) {
		name = rn_word_text(f->arena, last.w);
		one.end--;
	}
	f->failed |= is_quoted(one);
	rn_foreign_add(f, list, rn_foreign_expr(f, one), name);
}

/* `*` and t.* are no columns of their own. */
static void items(struct rn_reading *f, struct rn_phrase r, struct rn_foreign_list *list)
{
	if (rn_phrase_begin(r, "*") && r.end - r.w == 1)
		return;
	do {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");

		if (rn_phrase_empty(one)) {
			f->failed = true;
			return;
		}
		item(f, one, list);
	} while (!rn_phrase_empty(r));
}

/* `2` in GROUP BY 2 is the second column. */
static const char *numbered(struct rn_reading *f, struct rn_phrase r,
			    const struct rn_foreign_list *list)
{
	unsigned i = 0;

	f->failed |= is_quoted(r);
	if (rn_phrase_empty(r) || r.end - r.w != 1 || r.w->kind != RN_WORD_NUMBER)
		return rn_foreign_expr(f, r);
	i = (unsigned)strtoul(rn_word_text(f->arena, r.w), NULL, 10);
	if (i < 1 || i > list->n) {
		f->failed = true;
		return "";
	}
	return *list->item[i - 1].name ? list->item[i - 1].name : list->item[i - 1].expr;
}

/* ---- joins ---- */

/* The name of a field, without that of its source. *of: the name of the source, "" if none. */
static const char *field_of(struct rn_reading *f, struct rn_phrase r, const char **of)
{
	const char *name = rn_phrase_take_name(f->arena, &r);

	*of = "";
	if (name && rn_phrase_take(&r, ".")) {
		*of = name;
		name = rn_phrase_take_name(f->arena, &r);
	}
	if (!name || !rn_phrase_empty(r)) {
		f->failed = true;
		return "";
	}
	return name;
}

/* a = b AND c = d: which fields are the same. */
static void join_keys(struct rn_reading *f, struct rn_phrase on, struct rn_foreign_list *keys)
{
	while (!rn_phrase_empty(on) && !f->failed) {
		struct rn_phrase right = rn_phrase_take_to(&on, "and"),
				 left = rn_phrase_take_to(&right, "=");
		const char *of, *ignored, *key = field_of(f, left, &of),
					  *other = field_of(f, right, &ignored);

		if (!strcmp(of, f->other))
			rn_foreign_add(f, keys, other, key);
		else
			rn_foreign_add(f, keys, key, other);
	}
}

/* [INNER] JOIN s [AS x] ON a = b */
static void join(struct rn_reading *f, struct rn_phrase *r)
{
	struct rn_foreign_list keys = {.n = 0};
	const char *source;

	rn_phrase_take(r, "inner");
	if (!rn_phrase_take(r, "join"))
		return;
	source = rn_phrase_take_name(f->arena, r);
	rn_phrase_take(r, "as");
	f->other = source ? source : "";
	if (rn_phrase_name(*r) && !rn_phrase_begin(*r, "on"))
		f->other = rn_phrase_take_name(f->arena, r);
	join_keys(f, clause(r, "on", NULL), &keys);
	if (source)
		rn_foreign_join(f, source, &keys);
	else
		f->failed = true;
}

/* Columns of a table that was joined are not there: they are left out. */
static void drop_joined(struct rn_reading *f, struct rn_phrase *list)
{
	struct rn_phrase r = *list, kept = {r.w, r.w};

	if (!*f->other || !rn_foreign_is_table(f->other))
		return;
	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");

		if (rn_phrase_begin(one, f->other))
			break;
		kept.end = one.end;
	}
	while (!rn_phrase_empty(r)) /* such columns stand last, or there is no translation */
		f->failed |= !rn_phrase_begin(rn_phrase_take_to(&r, ","), f->other);
	*list = kept;
	f->failed |= rn_phrase_empty(kept);
}

/* ---- clauses ---- */

static void from(struct rn_reading *f, struct rn_phrase *r)
{
	const char *source = rn_phrase_take(r, "from") ? rn_phrase_take_name(f->arena, r) : NULL;
	struct rn_phrase rest;

	f->row = source ? source : "";
	rn_foreign_from(f, f->row);
	f->failed |= !source;
	rn_phrase_take(r, "as");
	rest = *r;
	if (rn_phrase_name(*r) && !rn_phrase_empty(rn_phrase_take_until(&rest, clauses)))
		f->row = rn_phrase_take_name(f->arena, r);
	join(f, r);
}

static void order(struct rn_reading *f, struct rn_phrase r, const struct rn_foreign_list *list)
{
	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");
		bool desc = !rn_phrase_empty(one) && rn_word_is(one.end - 1, "desc");

		if (desc || (!rn_phrase_empty(one) && rn_word_is(one.end - 1, "asc")))
			one.end--;
		rn_foreign_order(f, numbered(f, one, list), desc);
	}
}

static void limit(struct rn_reading *f, struct rn_phrase *r)
{
	struct rn_phrase n = clause(r, "limit", NULL);

	if (rn_phrase_empty(n))
		return;
	f->failed |= n.end - n.w != 1;
	rn_foreign_limit(f, rn_phrase_text(f->arena, n));
	if (!rn_phrase_empty(clause(r, "offset", NULL)))
		rn_foreign_remark(f, "There is no offset: these are the first rows");
}

static void group(struct rn_reading *f, struct rn_phrase r, const struct rn_foreign_list *list)
{
	f->query.grouped = true;
	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");

		rn_foreign_add(f, &f->query.by, numbered(f, one, list), "");
	}
}

static void select_clauses(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_phrase list, part;
	bool distinct;
	const char *top = NULL;
	struct rn_foreign_list columns = {.n = 0};

	distinct = rn_phrase_take(&r, "distinct");
	if (rn_phrase_take(&r, "top") && !rn_phrase_empty(r) && r.w->kind == RN_WORD_NUMBER)
		top = rn_word_text(f->arena, r.w++);
	list = rn_phrase_take_until(&r, clauses);
	from(f, &r);
	drop_joined(f, &list);
	if (f->failed)
		return;
	items(f, list, &columns);
	part = clause(&r, "where", NULL);
	if (!rn_phrase_empty(part))
		rn_foreign_where(f, rn_foreign_expr(f, part));
	f->query.list = columns;
	group(f, clause(&r, "group", "by"), &columns);
	f->query.grouped = f->query.by.n > 0;
	if (distinct)
		rn_foreign_distinct(f);
	part = clause(&r, "having", NULL);
	if (!rn_phrase_empty(part))
		f->query.having = rn_foreign_expr(f, part);
	order(f, clause(&r, "order", "by"), &columns);
	if (top)
		rn_foreign_limit(f, top);
	limit(f, &r);
	f->failed |= !rn_phrase_empty(r);
}

bool rn_foreign_sql(struct rn_reading *f, struct rn_phrase r)
{
	if (!rn_phrase_take(&r, "select"))
		return false;
	if (!rn_phrase_empty(r) && rn_word_is(r.end - 1, ";"))
		r.end--;
	/* signs that mean something else here */
	if (rn_phrase_holds(r, "||") || rn_phrase_holds(r, "^"))
		return false;
	select_clauses(f, r);
	return !f->failed;
}

const char *rn_foreign_subquery(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_reading inner;
	const char *text;

	rn_foreign_begin(&inner, f->arena);
	inner.depth = f->depth + 1;
	inner.remarks = f->remarks;
	if (inner.depth >= RN_FOREIGN_DEPTH || !rn_foreign_sql(&inner, r)) {
		f->failed = true;
		return "";
	}
	text = rn_foreign_text(&inner);
	f->remarks = inner.remarks;
	return rn_foreign_ended(f, inner.query.source, text);
}
