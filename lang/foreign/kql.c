/* kql.c - a pipe of KQL as a query of this language: query.h.
 *
 * [let NAME = toscalar(PIPE);] SOURCE | OPERATOR ... | OPERATOR .... Each operator has a function
 * in a table. */
#include <string.h>
#include "lang/base/str.h"
#include "lang/foreign/query.h"

enum { PIPES_MAX = 32 };

/* NAME = x, or x: an item of project, extend and summarize. */
static const char *name_of(struct rn_reading *f, struct rn_phrase *one)
{
	const char *name = "";

	if (rn_phrase_name(*one) && rn_phrase_then(*one, "=")) {
		name = rn_word_text(f->arena, one->w);
		one->w += 2;
	}
	return name;
}

/* N / TOTAL is a share if TOTAL is the count of all and N that of a group. */
static const char *as_share(struct rn_reading *f, const char *expr)
{
	const struct rn_foreign_query *q = &f->query;
	const char *total = rn_arena_printf(f->arena, "/ (count of %s for 5s)", q->source),
		   *at = strstr(expr, total);
	size_t skip = strspn(expr, " ("), n = strcspn(expr + skip, " )");

	if (!at || *q->where || !q->grouped || expr + skip + n > at ||
	    expr + skip + n + strspn(expr + skip + n, " )") != at)
		return expr;
	for (unsigned i = 0; i < q->list.n; i++) {
		const char *name = *q->list.item[i].name ? q->list.item[i].name : "count";

		if (!strcmp(q->list.item[i].expr, "count") && strlen(name) == n &&
		    !strncmp(name, expr + skip, n))
			return rn_arena_printf(f->arena, "share(count)%s", at + strlen(total));
	}
	return expr;
}

static void read_list(struct rn_reading *f, struct rn_phrase r, struct rn_foreign_list *list)
{
	while (!rn_phrase_empty(r) && !f->failed) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");
		const char *name = name_of(f, &one);

		rn_foreign_add(f, list, as_share(f, rn_foreign_expr(f, one)), name);
	}
}

/* ---- operators: r is what follows their name ---- */

static void where(struct rn_reading *f, struct rn_phrase r)
{
	rn_foreign_where(f, rn_foreign_expr(f, r));
}

static void limit(struct rn_reading *f, struct rn_phrase r)
{
	rn_foreign_limit(f, rn_foreign_expr(f, r));
}

static void count(struct rn_reading *f, struct rn_phrase r)
{
	f->failed |= !rn_phrase_empty(r);
	rn_foreign_total(f, "count");
}

/* Does it show every column so far, by its name? Then they can stay where they are. */
static bool keeps_all(const struct rn_foreign_list *columns, struct rn_phrase r)
{
	unsigned kept = 0;

	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");

		for (unsigned i = 0; one.end - one.w == 1 && i < columns->n; i++)
			kept += rn_word_is(one.w, *columns->item[i].name ? columns->item[i].name
									 : columns->item[i].expr);
	}
	return kept == columns->n;
}

static void project(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_foreign_list list = {.n = 0}, before = f->query.list;

	if (!keeps_all(&before, r)) {
		rn_foreign_nest(f);
		before.n = 0;
	}
	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");
		bool is_column = false;

		for (unsigned i = 0; one.end - one.w == 1 && i < before.n; i++) {
			if (!rn_word_is(one.w, before.item[i].name))
				continue;
			rn_foreign_add(f, &list, before.item[i].expr, before.item[i].name);
			is_column = true;
		}
		if (!is_column)
			read_list(f, one, &list);
	}
	f->query.list.n = f->query.grouped ? f->query.list.n : 0;
	rn_foreign_columns(f, &list);
}

/* Beside the columns so far. Without any they are all, which a list here must name. */
static void extend(struct rn_reading *f, struct rn_phrase r)
{
	static const char *const some[] = {"time", "proc", "file", "bytes"};
	struct rn_foreign_list list = f->query.list, added = {.n = 0};

	read_list(f, r, &added);
	if (!f->query.list.n) {
		rn_foreign_remark(f, "A list names all its columns: add those that you want");
		for (unsigned i = 0; i < sizeof(some) / sizeof(*some); i++)
			rn_foreign_add(f, &list, some[i], "");
	}
	for (unsigned i = 0; i < added.n; i++)
		rn_foreign_add(f, &list, added.item[i].expr, added.item[i].name);
	f->query.list = list;
}

/* count_ and sum_bytes are names that KQL gives to columns without one. */
static void name_aggregate(struct rn_reading *f, const struct rn_foreign_item *it)
{
	const char *paren = strchr(it->expr, '(');
	size_t word = paren ? (size_t)(paren - it->expr) : strlen(it->expr);

	if (*it->name)
		return;
	rn_foreign_name_as(f,
			   rn_arena_printf(f->arena, "%.*s_%.*s", (int)word, it->expr,
					   paren ? (int)strcspn(paren + 1, " )") : 0,
					   paren ? paren + 1 : ""),
			   it->expr);
}

static void summarize(struct rn_reading *f, struct rn_phrase r)
{
	static const char *const stops[] = {"by", NULL};
	struct rn_phrase aggregates = rn_phrase_take_until(&r, stops);
	struct rn_foreign_list list = {.n = 0}, by = {.n = 0};

	read_list(f, aggregates, &list);
	if (rn_phrase_take(&r, "by"))
		read_list(f, r, &by);
	rn_foreign_group(f, &by, &list);
	for (unsigned i = 0; i < list.n; i++)
		name_aggregate(f, &list.item[i]);
}

static void distinct(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_foreign_list list = {.n = 0};

	read_list(f, r, &list);
	rn_foreign_columns(f, &list);
	rn_foreign_distinct(f);
}

/* Sets are ordered by how many values they have. */
static const char *order_key(struct rn_reading *f, struct rn_phrase r)
{
	const char *text, *set = NULL;

	if (!rn_phrase_begin(r, "array_length") || !rn_phrase_then(r, "("))
		return rn_foreign_expr(f, r);
	r.w++;
	text = rn_phrase_text(f->arena, rn_phrase_take_inside(&r));
	for (unsigned i = 0; i < f->query.list.n; i++)
		if (!strcmp(f->query.list.item[i].name, text))
			set = f->query.list.item[i].expr;
	if (!set || strncmp(set, "set(", 4) != 0)
		f->failed = true;
	return set ? rn_arena_printf(f->arena, "distinct%s", set + 3) : "";
}

static bool descends(struct rn_phrase *one)
{
	bool up = !rn_phrase_empty(*one) && rn_word_is(one->end - 1, "asc");

	if (up || (!rn_phrase_empty(*one) && rn_word_is(one->end - 1, "desc")))
		one->end--;
	return !up;
}

static void sort(struct rn_reading *f, struct rn_phrase r)
{
	f->failed |= !rn_phrase_take(&r, "by");
	f->query.order = *f->query.limit || *f->query.top ? f->query.order : "";
	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");
		bool desc = descends(&one);

		rn_foreign_order(f, order_key(f, one), desc);
	}
}

static void top(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_phrase n = rn_phrase_take_to(&r, "by");
	bool desc = descends(&r);

	rn_foreign_top(f, rn_foreign_expr(f, n), order_key(f, r), desc);
}

static void render(struct rn_reading *f, struct rn_phrase r)
{
	(void)r;
	rn_foreign_remark(f,
			  "An answer is a table: `--format csv` and `json` are for programs that "
			  "draw charts");
}

/* join kind=inner SOURCE on KEY: only keys that the other source has. The operators that follow may
 * use its columns, so they are left out. */
static void join(struct rn_reading *f, struct rn_phrase r)
{
	const char *source, *key;
	struct rn_foreign_list keys = {.n = 0};

	if (rn_phrase_take(&r, "kind")) {
		rn_phrase_take(&r, "=");
		f->failed |= !rn_phrase_take(&r, "innerunique") && !rn_phrase_take(&r, "inner");
	}
	source = rn_phrase_take_name(f->arena, &r);
	f->failed |= !rn_phrase_take(&r, "on");
	key = rn_phrase_take_name(f->arena, &r);
	if (!source || !key || !rn_phrase_empty(r) || !rn_foreign_is_table(source)) {
		f->failed = true;
		return;
	}
	rn_foreign_add(f, &keys, key, "");
	rn_foreign_join(f, source, &keys);
}

static const struct {
	const char *word, *second;
	void (*read)(struct rn_reading *f, struct rn_phrase r);
} operators[] = {
	{"where", NULL, where},   {"filter", NULL, where},        {"take", NULL, limit},
	{"limit", NULL, limit},   {"count", NULL, count},         {"project", NULL, project},
	{"extend", NULL, extend}, {"summarize", NULL, summarize}, {"distinct", NULL, distinct},
	{"sort", NULL, sort},     {"order", NULL, sort},          {"top", NULL, top},
	{"render", NULL, render}, {"join", NULL, join},
};

/* ---- the pipe ---- */

static void read_pipe(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_phrase source = rn_phrase_take_to(&r, "|");
	bool joined = false;

	f->failed |= source.end - source.w != 1 || !rn_phrase_name(source) || rn_phrase_empty(r);
	rn_foreign_from(f, rn_phrase_text(f->arena, source));
	for (unsigned n = 0; !rn_phrase_empty(r) && !f->failed; n++) {
		struct rn_phrase one = rn_phrase_take_to(&r, "|");
		unsigned i = 0;

		while (i < sizeof(operators) / sizeof(*operators) &&
		       !rn_phrase_begin(one, operators[i].word))
			i++;
		if (n == PIPES_MAX || i == sizeof(operators) / sizeof(*operators)) {
			f->failed = true;
			return;
		}
		one.w++;
		if (joined)
			rn_foreign_remark(f, "What follows `join` is left out");
		else
			operators[i].read(f, one);
		joined |= operators[i].read == join;
	}
}

/* let NAME = toscalar(PIPE); */
static void read_let(struct rn_reading *f, struct rn_phrase r)
{
	struct rn_reading inner;
	const char *name = rn_phrase_take_name(f->arena, &r), *text;
	struct rn_phrase in;

	if (!name || !rn_phrase_take(&r, "=") || !rn_phrase_take(&r, "toscalar")) {
		f->failed = true;
		return;
	}
	in = rn_phrase_take_inside(&r);
	rn_foreign_begin(&inner, f->arena);
	read_pipe(&inner, in);
	f->failed |= inner.failed || !rn_phrase_empty(r);
	text = rn_foreign_text(&inner);
	rn_foreign_name_as(f, name, rn_foreign_ended(f, inner.query.source, text));
	f->lets = f->names.n;
}

bool rn_foreign_kql(struct rn_reading *f, struct rn_phrase r)
{
	/* `=~` and `!~` compare without capitals there */
	if (!rn_phrase_find(r, "|") || rn_phrase_holds(r, "=~") || rn_phrase_holds(r, "!~"))
		return false;
	while (!f->failed && rn_phrase_take(&r, "let"))
		read_let(f, rn_phrase_take_to(&r, ";"));
	if (!rn_phrase_empty(r) && rn_word_is(r.end - 1, ";"))
		r.end--;
	if (!f->failed)
		read_pipe(f, r);
	return !f->failed;
}
