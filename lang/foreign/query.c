/* query.c - see query.h. */
#include "lang/foreign/query.h"
#include <string.h>
#include "lang/base/str.h"
#include "lang/foreign/words.h"

static const struct rn_foreign_query empty = {.source = "",
					      .where = "",
					      .having = "",
					      .order = "",
					      .limit = "",
					      .top = "",
					      .top_by = "",
					      .windows = ""};

void rn_foreign_begin(struct rn_reading *f, struct rn_arena *arena)
{
	*f = (struct rn_reading){.arena = arena,
				 .row = "",
				 .other = "",
				 .group = "",
				 .key = "",
				 .remarks = "",
				 .query = empty};
}

void rn_foreign_remark(struct rn_reading *f, const char *sentence)
{
	if (!strstr(f->remarks, sentence))
		f->remarks = rn_arena_printf(f->arena, "%s%s. ", f->remarks, sentence);
}

void rn_foreign_add(struct rn_reading *f, struct rn_foreign_list *list, const char *expr,
		    const char *name)
{
	if (list->n == RN_FOREIGN_LIST) {
		f->failed = true;
		return;
	}
	list->item[list->n++] = (struct rn_foreign_item){expr, strcmp(expr, name) != 0 ? name : ""};
}

void rn_foreign_name_as(struct rn_reading *f, const char *name, const char *expr)
{
	if (f->names.n == RN_FOREIGN_LIST)
		f->failed = true;
	else
		f->names.item[f->names.n++] = (struct rn_foreign_item){expr, name};
}

bool rn_foreign_is_table(const char *source)
{
	return !strcmp(source, "processes") || !strcmp(source, "clocks");
}

/* ---- text ---- */

static void put_clause(struct rn_strbuf *out, const char *word, const char *text)
{
	if (*text)
		rn_strbuf_printf(out, " %s %s", word, text);
}

static void put_list(struct rn_strbuf *out, const struct rn_foreign_list *list)
{
	for (unsigned i = 0; i < list->n; i++) {
		const struct rn_foreign_item *it = &list->item[i];

		rn_strbuf_printf(out, "%s%s%s%s", i ? ", " : "", it->expr, *it->name ? " as " : "",
				 it->name);
	}
}

const char *rn_foreign_text(struct rn_reading *f)
{
	const struct rn_foreign_query *q = &f->query;
	struct rn_strbuf out;

	rn_strbuf_init(&out, f->arena);
	if (q->list.n)
		put_list(&out, &q->list);
	else
		rn_strbuf_put(&out, "*");
	rn_strbuf_printf(&out, " of %s", q->source);
	put_clause(&out, "where", q->where);
	if (q->by.n) {
		rn_strbuf_put(&out, " by ");
		put_list(&out, &q->by);
	}
	put_clause(&out, "having", q->having);
	put_clause(&out, "order by", q->order);
	put_clause(&out, "top", q->top);
	put_clause(&out, "by", q->top_by);
	put_clause(&out, "limit", q->limit);
	if (*q->windows)
		rn_strbuf_printf(&out, " %s", q->windows);
	return rn_strbuf_cstr(&out);
}

/* ---- clauses ---- */

void rn_foreign_nest(struct rn_reading *f)
{
	const char *text = rn_foreign_text(f);

	f->query = empty;
	f->query.source = rn_arena_printf(f->arena, "(%s)", text);
	f->names.n = f->lets;
}

void rn_foreign_from(struct rn_reading *f, const char *name)
{
	const char *ours = rn_foreign_name(RN_FOREIGN_SOURCE, name);

	f->query.source = ours ? ours : name;
}

static bool is_cut(const struct rn_foreign_query *q)
{
	return *q->limit || *q->top;
}

void rn_foreign_where(struct rn_reading *f, const char *condition)
{
	const char **to;

	if (is_cut(&f->query) || (f->query.list.n && !f->query.grouped))
		rn_foreign_nest(f);
	to = f->query.grouped ? &f->query.having : &f->query.where;
	*to = **to ? rn_arena_printf(f->arena, "(%s) and (%s)", *to, condition) : condition;
}

/* A key shows under its name, if it has one. */
void rn_foreign_group(struct rn_reading *f, const struct rn_foreign_list *by,
		      const struct rn_foreign_list *list)
{
	if (is_cut(&f->query) || f->query.list.n)
		rn_foreign_nest(f);
	f->query.order = ""; /* groups have an order of their own */
	f->query.grouped = true;
	for (unsigned i = 0; i < by->n; i++) {
		const struct rn_foreign_item *key = &by->item[i];

		rn_foreign_add(f, &f->query.by, *key->name ? key->name : key->expr, "");
		rn_foreign_add(f, &f->query.list, key->expr, key->name);
	}
	for (unsigned i = 0; i < list->n; i++)
		rn_foreign_add(f, &f->query.list, list->item[i].expr, list->item[i].name);
}

/* The list must show every key, or the key comes back in front of it. */
static bool shows_keys(const struct rn_foreign_query *q, const struct rn_foreign_list *list)
{
	for (unsigned i = 0; i < q->by.n; i++) {
		bool shown = false;

		for (unsigned k = 0; k < list->n; k++)
			shown |= !strcmp(q->by.item[i].expr, list->item[k].expr) ||
				 !strcmp(q->by.item[i].expr, list->item[k].name);
		if (!shown)
			return false;
	}
	return true;
}

void rn_foreign_columns(struct rn_reading *f, const struct rn_foreign_list *list)
{
	if (f->query.grouped ? !shows_keys(&f->query, list) : f->query.list.n > 0)
		rn_foreign_nest(f);
	f->query.list = *list;
}

void rn_foreign_distinct(struct rn_reading *f)
{
	struct rn_foreign_list keys = f->query.list, no_list = {.n = 0};

	if (f->query.grouped || is_cut(&f->query) || !keys.n) {
		f->failed |= !keys.n;
		rn_foreign_nest(f);
		for (unsigned i = 0; i < keys.n; i++)
			if (*keys.item[i].name)
				keys.item[i] = (struct rn_foreign_item){keys.item[i].name, ""};
	}
	f->query.list.n = 0;
	rn_foreign_group(f, &keys, &no_list);
}

void rn_foreign_total(struct rn_reading *f, const char *aggregate)
{
	if (f->query.grouped || is_cut(&f->query))
		rn_foreign_nest(f);
	f->query.list.n = 0;
	f->query.order = "";
	f->query.grouped = true;
	rn_foreign_add(f, &f->query.list, aggregate, "");
}

void rn_foreign_order(struct rn_reading *f, const char *expr, bool descending)
{
	if (is_cut(&f->query))
		rn_foreign_nest(f);
	f->query.order =
		rn_arena_printf(f->arena, "%s%s%s%s", f->query.order, *f->query.order ? ", " : "",
				expr, descending ? " desc" : "");
}

void rn_foreign_limit(struct rn_reading *f, const char *n)
{
	if (is_cut(&f->query))
		rn_foreign_nest(f);
	f->query.limit = n;
}

void rn_foreign_top(struct rn_reading *f, const char *n, const char *expr, bool greatest)
{
	if (is_cut(&f->query))
		rn_foreign_nest(f);
	f->query.order = "";
	if (!greatest) {
		f->query.order = expr;
		f->query.limit = n;
		return;
	}
	f->query.top = n;
	f->query.top_by = expr;
}

static void join_table(struct rn_reading *f, const char *source, const struct rn_foreign_item *key)
{
	rn_foreign_remark(f, rn_arena_printf(f->arena,
					     "A query has one source: this one asks for the rows "
					     "whose `%s` is in `%s`, and shows none of its columns",
					     key->expr, source));
	rn_foreign_where(f, rn_arena_printf(f->arena, "%s in (%s of %s)", key->expr,
					    *key->name ? key->name : key->expr, source));
}

void rn_foreign_join(struct rn_reading *f, const char *source, const struct rn_foreign_list *keys)
{
	struct rn_foreign_query *q = &f->query;
	bool of_process = false;
	const char *on = "";

	if (f->failed || !keys->n || rn_foreign_is_table(q->source)) {
		f->failed = true;
		return;
	}
	if (rn_foreign_is_table(source)) {
		f->failed |= keys->n > 1;
		join_table(f, source, &keys->item[0]);
		return;
	}
	f->failed |= *q->where || q->list.n;
	for (unsigned i = 0; i < keys->n; i++) {
		const struct rn_foreign_item *key = &keys->item[i];

		on = rn_arena_printf(f->arena, "%s%s%s%s%s", on, i ? ", " : "", key->expr,
				     *key->name ? " = " : "", key->name);
		of_process |= !strcmp(key->expr, "pid");
	}
	rn_foreign_remark(
		f, "A pair is an event and the next one of the other class with the same keys");
	if (!of_process)
		rn_foreign_remark(
			f,
			rn_arena_printf(f->arena, "`on pid, %s` would tell processes apart", on));
	q->source = rn_arena_printf(f->arena, "between %s and %s on %s", q->source, source, on);
}

const char *rn_foreign_ended(struct rn_reading *f, const char *source, const char *query)
{
	if (rn_foreign_is_table(source))
		return rn_arena_printf(f->arena, "(%s)", query);
	return rn_arena_printf(f->arena, "(%s for 5s)", query);
}
