/* columns.c - the columns of the answer: the list, keys and labels, and what having, order and top
 * can refer to. Afterwards q->items is the whole output (except `window`), first the keys that the
 * list does not show. */
#include <limits.h>
#include "lang/catalog/flow_schema.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"

/* ---- lists that the user does not write ---- */

static struct rn_ast_item *name_item(struct rn_resolve_scope *s, const char *name, struct rn_ty t,
				     const struct rn_field *f, int column)
{
	struct rn_ast_item *it = RN_NEW(s->resolver->arena, struct rn_ast_item);
	struct rn_ast_expr *e = RN_NEW(s->resolver->arena, struct rn_ast_expr);

	e->kind = RN_AST_NAME;
	e->name = name;
	e->span = s->query->source ? s->query->source->span : s->query->span;
	e->ty = t;
	e->field = f;
	e->column = column;
	it->expr = e;
	it->label = name;
	it->span = e->span;
	return it;
}

/* Is the field beside the core of `events of`? A class without errors has its outcome in `ret`. */
static bool is_extra(const struct rn_class *cls, const struct rn_field *field)
{
	return (field->show & RN_SHOW_TURN) >= RN_SHOW_CORE &&
	       (strcmp(field->name, "ret") || rn_class_field(cls, "error"));
}

/* `events of`, `spans of`, `top N of`: every column of the source. */
static void list_all(struct rn_resolve_scope *scope)
{
	struct rn_ast_item **tail = &scope->query->items;
	int i = 0;

	if (scope->cls) {
		for (unsigned k = 0; k < scope->cls->nfields; k++) {
			const struct rn_field *field = scope->cls->fields[k];

			if (!(scope->query->into ? rn_field_in_recording(field)
						 : rn_field_in_events(field)))
				continue;
			*tail = name_item(scope, field->name, field->ty, field, -1);
			(*tail)->extra = !scope->query->all && is_extra(scope->cls, field);
			tail = &(*tail)->next;
		}
	} else if (scope->inner) {
		if (scope->inner->every_ns && !scope->query->every_ns) {
			*tail = name_item(scope, "window", ty(RN_T_INT, RN_U_EPOCH), NULL,
					  RN_COLUMN_WINDOW);
			tail = &(*tail)->next;
		}
		for (const struct rn_ast_item *in = scope->inner->items; in; in = in->next, i++) {
			if (scope->query->every_ns && !strcmp(in->label, "window") &&
			    rn_ast_is_window(scope->inner, in))
				continue; /* the query shows its own windows */
			*tail = name_item(scope, in->label, in->expr->ty, NULL, i);
			(*tail)->extra = !scope->query->all && in->extra;
			tail = &(*tail)->next;
		}
	}
}

static void list_flow(struct rn_resolve_scope *scope)
{
	static const struct {
		const char *name;
		enum rn_type type;
		enum rn_unit unit;
		unsigned show;
	} columns[] = {
#define X(id, name, type, unit, show) {name, RN_T_##type, RN_U_##unit, show},
		RN_FLOW_SHOWS(X)
#undef X
	};
	struct rn_ast_item **tail = &scope->query->items;
	struct rn_ast_source *src = scope->query->source;

	if (src && !scope->lost && !(scope->cls && !strcmp(scope->cls->name, "tag")))
		scope_hint(scope,
			   scope_error(scope, "E-FLOW-SOURCE", src->span,
				       "a flow follows tags, and %s is not `tag`",
				       rn_resolve_source_text(scope)),
			   "write flow of tag fix283");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		*tail = name_item(scope, columns[i].name, ty(columns[i].type, columns[i].unit),
				  NULL, (int)i);
		(*tail)->extra = columns[i].show & RN_SHOW_EXTRA;
		tail = &(*tail)->next;
	}
}

/* ---- labels ---- */

static void label_list(struct rn_resolve_scope *s, struct rn_ast_item *items)
{
	for (struct rn_ast_item *it = items; it; it = it->next)
		it->label = it->alias ? it->alias : rn_print_expr(s->resolver->arena, it->expr);
}

/* Before resolution: a label is the user's text, in canonical form. */
void rn_resolve_label_columns(struct rn_resolve_scope *scope)
{
	label_list(scope, scope->query->items);
	label_list(scope, scope->query->by);
	label_list(scope, scope->query->order);
}

static const char **texts(struct rn_resolve_scope *s, const struct rn_ast_item *items, unsigned *n)
{
	const char **text;

	*n = 0;
	for (const struct rn_ast_item *it = items; it; it = it->next)
		++*n;
	text = RN_NEWN(s->resolver->arena, const char *, *n + 1);
	for (unsigned i = 0; i < *n; i++, items = items->next)
		text[i] = rn_print_expr(s->resolver->arena, items->expr);
	return text;
}

static void check_labels(struct rn_resolve_scope *scope)
{
	unsigned i = 0;

	for (const struct rn_ast_item *a = scope->query->items; a; a = a->next, i++) {
		unsigned j = 0;

		for (const struct rn_ast_item *b = scope->query->items; b != a; b = b->next, j++) {
			struct rn_diag_item *it;

			if (strcmp(a->label, b->label))
				continue;
			it = scope_error(scope, "E-NAME-DUP", a->span,
					 "two columns are called `%s`", a->label);
			it->also = b->span;
			if (strcmp(scope->item_text[i], scope->item_text[j]))
				scope_hint(scope, it, "name one of them: %s as other",
					   scope->item_text[i]);
			else
				scope_hint(
					scope, it,
					"they are the same: leave one out, or name it: %s as other",
					scope->item_text[i]);
			break;
		}
	}
}

/* Does each row say which window it is of? The window can be the query's own, or a nested
 * query's. */
static bool shows_window(const struct rn_resolve_scope *s)
{
	unsigned i = 0;

	for (const struct rn_ast_item *it = s->query->items; it; it = it->next, i++)
		if (!strcmp(s->item_text[i], "window"))
			return true;
	for (const struct rn_ast_item *k = s->query->by; k; k = k->next)
		if (!strcmp(rn_print_expr(s->resolver->arena, k->expr), "window"))
			return true;
	return s->query->every_ns;
}

/* With `every` the first column is `window`, and `partial` marks a window that is covered in part.
 * Readers find both by name. */
static void check_window(struct rn_resolve_scope *scope)
{
	static const char *const what[][2] = {
		{"window", "the start of each window is one"},
		{"partial", "the mark of a window that is not covered whole is one"},
	};
	bool marked = shows_window(scope);
	unsigned i = 0;

	for (const struct rn_ast_item *it = scope->query->items; it; it = it->next, i++) {
		bool mark = !strcmp(it->label, "partial");
		const char *const *w = what[mark];
		struct rn_diag_item *d;

		if (mark ? !marked : !scope->query->every_ns || strcmp(it->label, "window"))
			continue;
		d = scope_error(scope, "E-NAME-DUP", it->span, "two columns are called `%s`: %s",
				w[0], w[1]);
		if (scope->query->what == RN_WHAT_LIST)
			scope_hint(scope, d, "name this one otherwise: %s as other",
				   scope->item_text[i]);
		else
			scope_hint(scope, d,
				   "give the column another name with `as`: ... as other");
	}
}

/* ---- constants where a column is wanted ---- */

static bool is_constant(const struct rn_ast_expr *e)
{
	if (e->kind == RN_AST_LITERAL)
		return true;
	if (e->agg || !e->args || e->query)
		return false;
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		if (!is_constant(x))
			return false;
	return true;
}

static bool is_parameter(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	size_t len;
	const char *text = rn_diag_text(s->resolver->diag, e->span.src, &len);

	return e->span.start < len && text[e->span.start] == '$';
}

/* SQL's ordinals: if there is an item of that number, it is the way out of `order by 2`. */
static void hint_column(struct rn_resolve_scope *scope, struct rn_diag_item *it,
			const struct rn_ast_expr *expr, const char *lead, const char *tail,
			const struct rn_ast_item *items, const char *fallback)
{
	static const char *const ordinal[] = {"first", "second", "third", "fourth", "fifth"};
	const struct rn_ast_item *at = items;
	int64_t number = expr->value.kind == RN_INT && !expr->ty.unit ? expr->value.i : 0;

	for (int64_t i = 1; at && number > 0 && i < number; i++)
		at = at->next;
	if (is_parameter(scope, expr))
		scope_hint(scope, it, "a parameter is a value, it cannot name a column");
	else if (number > 0 && at && number <= 5)
		scope_hint(scope, it, "the %s column is `%s`: %s %s%s", ordinal[number - 1],
			   at->label, lead, at->label, tail);
	else if (number > 0 && at)
		scope_hint(scope, it, "column %d is `%s`: %s %s%s", (int)number, at->label, lead,
			   at->label, tail);
	else
		scope_hint(scope, it, "%s", fallback);
}

/* True, and reported, for order by 2, top 3 by 1. */
static bool refuse_constant_order(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
				  const char *lead, bool desc)
{
	const struct rn_ast_item *last = scope->query->items;
	const char *text = rn_print_expr(scope->resolver->arena, expr), *fallback = "name a column";
	struct rn_diag_item *it;

	if (is_error(expr) || !is_constant(expr))
		return false;
	it = scope_error(scope, "E-TYPE", expr->span, "`%s %s` orders nothing: %s is a constant",
			 lead, text, text);
	while (last && last->next)
		last = last->next;
	if (is_string_literal(expr) &&
	    rn_resolve_is_label(scope, rn_arena_strndup(scope->resolver->arena, expr->value.s,
							expr->value.len)))
		fallback = rn_arena_printf(
			scope->resolver->arena, "a column stands without quotes: %s %.*s%s", lead,
			(int)expr->value.len, expr->value.s, desc ? " desc" : "");
	else if (last && last->label)
		fallback = rn_arena_printf(scope->resolver->arena, "name a column, as in `%s %s%s`",
					   lead, last->label, desc ? " desc" : "");
	hint_column(scope, it, expr, lead, desc ? " desc" : "", scope->query->items, fallback);
	return true;
}

/* True, and reported, for by 1, which groups nothing. The hint names the list's item at that place
 * as the key, if it is not an aggregate. */
static bool refuse_constant_key(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	const struct rn_ast_item *nth = scope->query->items;
	const char *text = rn_print_expr(scope->resolver->arena, expr),
		   *fallback = "name a field or a column to group by";
	struct rn_diag_item *it;

	if (is_error(expr) || !is_constant(expr))
		return false;
	it = scope_error(scope, "E-TYPE", expr->span, "`by %s` makes no groups: %s is a constant",
			 text, text);
	for (int64_t i = 1; nth && expr->value.kind == RN_INT && i < expr->value.i; i++)
		nth = nth->next;
	if (is_string_literal(expr) && scope->cls &&
	    rn_class_field(scope->cls, rn_arena_strndup(scope->resolver->arena, expr->value.s,
							expr->value.len)))
		fallback = rn_arena_printf(scope->resolver->arena,
					   "a field stands without quotes: by %.*s",
					   (int)expr->value.len, expr->value.s);
	hint_column(scope, it, expr, "by", "",
		    nth && !rn_resolve_has_agg(scope, nth->expr) ? scope->query->items : NULL,
		    fallback);
	return true;
}

/* ---- groups ---- */

static int find_text(const char *const *list, unsigned n, const char *text)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(list[i], text))
			return (int)i;
	return -1;
}

static void report_not_key(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	const char *text = rn_print_expr(s->resolver->arena, e);
	struct rn_diag_item *it = scope_error(
		s, "E-GROUP-KEY", e->span,
		"`%s` has many values in a group: it is neither a key nor an aggregate", text);

	if (s->query->by && (e->ty.type == RN_T_HIST || e->ty.type == RN_T_LIST))
		scope_hint(s, it, "add a key to `by`, or ask an outer query");
	else if (s->query->by)
		scope_hint(s, it, "add `%s` to `by`, or take one value: %s(%s)", text,
			   is_number(e->ty) && e->ty.unit != RN_U_HEX ? "max" : "first", text);
	else
		scope_hint(s, it, "add `by %s`", text);
}

/* Everything plain in a grouped expression must be made of keys. */
static void check_grouped(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	if (is_error(e) || e->kind == RN_AST_LITERAL || e->agg)
		return;
	if (find_text(s->key_text, s->nkeys, rn_print_expr(s->resolver->arena, e)) >= 0)
		return;
	if (e->kind == RN_AST_NAME) {
		report_not_key(s, e);
		return;
	}
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		check_grouped(s, x);
}

/* Does the i-th key, k, repeat an earlier one? Under another name it is a column of its own. */
static bool is_again(const struct rn_resolve_scope *s, const struct rn_ast_item *k, unsigned i)
{
	const struct rn_ast_item *before = s->query->by;

	for (unsigned j = 0; j < i; j++, before = before->next)
		if (!strcmp(s->key_text[j], s->key_text[i]) && !strcmp(before->label, k->label))
			return true;
	return false;
}

/* Makes the keys that the list does not show its first columns. */
static void prepend_keys(struct rn_resolve_scope *scope)
{
	struct rn_ast_item *first = NULL, **tail = &first;
	unsigned i = 0;

	for (const struct rn_ast_item *k = scope->query->by; k; k = k->next, i++) {
		struct rn_ast_item *it;

		if (is_error(k->expr) ||
		    find_text(scope->item_text, scope->nitems, scope->key_text[i]) >= 0 ||
		    is_again(scope, k, i))
			continue;
		it = RN_NEW(scope->resolver->arena, struct rn_ast_item);
		*it = *k;
		it->next = NULL;
		it->desc = false;
		*tail = it;
		tail = &it->next;
	}
	*tail = scope->query->items;
	scope->query->items = first;
}

/* Returns false if a key was refused. It may stand for another key, so it is unknown which
 * expressions are not keys. */
static bool resolve_keys(struct rn_resolve_scope *scope)
{
	bool known = true;

	for (struct rn_ast_item *k = scope->query->by; k; k = k->next) {
		rn_resolve_expr(scope, k->expr, IN_KEY);
		if (refuse_constant_key(scope, k->expr)) {
			k->expr->ty = ty_error();
			known = false;
		}
		if (k->expr->ty.type == RN_T_HIST || k->expr->ty.type == RN_T_LIST ||
		    k->expr->ty.type == RN_T_BYTES || k->expr->ty.type == RN_T_SKETCH) {
			scope_error(scope, "E-TYPE", k->expr->span, "%s cannot be a key",
				    rn_resolve_type_phrase(k->expr->ty));
			k->expr->ty = ty_error();
		}
	}
	scope->key_text = texts(scope, scope->query->by, &scope->nkeys);
	return known;
}

/* True if `count` alone is the nested query's column: in a list of plain columns, without `by`. */
static bool count_means_column(const struct rn_resolve_scope *s)
{
	bool plain = false;

	if (!s->inner || s->query->by)
		return false;
	for (const struct rn_ast_item *it = s->query->items; it; it = it->next) {
		if (it->expr->kind == RN_AST_CALL && it->expr->bare)
			continue;
		if (rn_resolve_has_agg(s, it->expr))
			return false;
		plain = true;
	}
	return plain;
}

/* A recording shows for each event when and where it happened and what it was, even if the list
 * does not name that. Later queries use it to choose windows, pairs and single calls. */
static void prepend_identity(struct rn_resolve_scope *s)
{
	static const char *const names[] = {"name", "node", "time"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct rn_field *f = rn_class_field(s->cls, names[i]);
		struct rn_ast_item *it = s->query->items;

		while (f && it && (strcmp(it->label, f->name) || it->expr->field != f))
			it = it->next;
		if (!f || it)
			continue;
		it = name_item(s, f->name, f->ty, f, -1);
		it->next = s->query->items;
		s->query->items = it;
	}
}

static void resolve_list(struct rn_resolve_scope *scope)
{
	struct rn_ast_query *query = scope->query;
	bool keys_known;

	scope->bare_count_is_column = count_means_column(scope);
	query->grouped = query->by != NULL;
	for (struct rn_ast_item *it = query->items; it && !query->grouped; it = it->next)
		query->grouped = rn_resolve_has_agg(scope, it->expr);
	scope->before = UINT_MAX; /* any alias */
	keys_known = resolve_keys(scope);
	scope->before = 0;
	for (struct rn_ast_item *it = query->items; it; it = it->next, scope->before++) {
		rn_resolve_expr(scope, it->expr, IN_ITEM);
		if (query->grouped && keys_known)
			check_grouped(scope, it->expr);
	}
	scope->before = 0;
	if (query->into && scope->cls && !query->grouped)
		prepend_identity(scope);
	scope->item_text = texts(scope, query->items, &scope->nitems);
	if (query->grouped)
		prepend_keys(scope);
	scope->item_text = texts(scope, query->items, &scope->nitems);
	check_labels(scope);
}

/* ---- references to the output ---- */

/* Gives every part that is a column of the output its index. In a grouped query the rest must be
 * made of such parts, aggregates and keys. */
static void bind_output(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	int column;

	if (is_error(expr) || expr->kind == RN_AST_LITERAL)
		return;
	if (expr->kind == RN_AST_NAME && expr->column == RN_COLUMN_WINDOW)
		return;
	column = find_text(scope->item_text, scope->nitems,
			   rn_print_expr(scope->resolver->arena, expr));
	if (expr->kind == RN_AST_NAME && rn_resolve_is_label(scope, expr->name)) {
		return;
	} else if (column >= 0) {
		expr->column = column;
	} else if (expr->kind == RN_AST_NAME && scope->query->grouped) {
		report_not_key(scope, expr);
	} else if (!expr->agg) {
		for (struct rn_ast_expr *x = expr->args; x; x = x->next)
			bind_output(scope, x);
	}
}

static void check_orderable(struct rn_resolve_scope *s, struct rn_ast_expr *e, const char *clause)
{
	struct rn_diag_item *it;

	if (!is_error(e) && rn_resolve_refuse_hex(s, e))
		return;
	if (is_error(e) || (e->ty.type != RN_T_HIST && e->ty.type != RN_T_LIST &&
			    e->ty.type != RN_T_STACK && e->ty.type != RN_T_SKETCH))
		return;
	it = scope_error(s, "E-TYPE", e->span, "`%s` needs something with an order, and this is %s",
			 clause, rn_resolve_type_phrase(e->ty));
	if (e->ty.type == RN_T_HIST && e->args)
		scope_hint(s, it, "order by a number of it: p99(%s)",
			   rn_print_expr(s->resolver->arena, e->args));
}

/* In a query without groups an aggregate would be one number for all rows. */
static bool aggregate_without_groups(struct rn_resolve_scope *s, const struct rn_ast_expr *e,
				     const char *clause)
{
	struct rn_diag_item *it;

	if (s->query->grouped || !rn_resolve_has_agg(s, e))
		return false;
	it = scope_error(s, "E-GROUP-KEY", e->span,
			 "`%s` is an aggregate, and this query makes no groups",
			 rn_print_expr(s->resolver->arena, e));
	scope_hint(s, it, "`%s` may use the columns of the list", clause);
	return true;
}

/* lead: the words before e, for messages. */
static void resolve_output(struct rn_resolve_scope *s, struct rn_ast_expr *e, const char *clause,
			   const char *lead, bool desc)
{
	if (aggregate_without_groups(s, e, clause))
		return;
	rn_resolve_expr(s, e, IN_OUTPUT);
	if (refuse_constant_order(s, e, lead, desc))
		return;
	bind_output(s, e);
	check_orderable(s, e, clause);
}

static void resolve_having(struct rn_resolve_scope *s)
{
	struct rn_ast_query *q = s->query;

	if (!q->grouped) {
		scope_hint(s,
			   scope_error(s, "E-GROUP-KEY", q->clause[RN_C_HAVING],
				       "`having` filters groups, and this query makes none"),
			   "rows are filtered by `where`");
		return;
	}
	rn_resolve_condition(s, q->having, IN_OUTPUT, "having");
	bind_output(s, q->having);
}

static void report_by(struct rn_resolve_scope *s, const char *what)
{
	struct rn_diag_item *it = scope_error(s, "E-GROUP-KEY", s->query->clause[RN_C_BY],
					      "`%s` shows every event: it makes no groups", what);

	scope_hint(s, it, "for groups list aggregates: count of ... by %s", s->query->by->label);
}

/* A column that a clause names belongs to the core of this query. */
static void keep_named(struct rn_ast_query *q, const struct rn_ast_expr *e)
{
	for (; e; e = e->next) {
		for (struct rn_ast_item *it = q->items; e->kind == RN_AST_NAME && it; it = it->next)
			it->extra &= strcmp(it->label, e->name) != 0;
		keep_named(q, e->args);
	}
}

static void choose_core(struct rn_ast_query *q)
{
	keep_named(q, q->where);
	keep_named(q, q->top_by);
	for (const struct rn_ast_item *it = q->order; it; it = it->next)
		keep_named(q, it->expr);
}

static const char *source_as_written(const struct rn_resolve_scope *s)
{
	struct rn_span at = s->query->source->span;
	size_t len;
	const char *text = rn_diag_text(s->resolver->diag, at.src, &len);

	return at.end <= len
		       ? rn_arena_strndup(s->resolver->arena, text + at.start, at.end - at.start)
		       : "...";
}

/* top 3 of io by proc: the writer means groups. */
static void check_greatest(struct rn_resolve_scope *scope, const struct rn_ast_expr *by)
{
	const struct rn_ast_query *query = scope->query;
	const struct rn_ast_expr *n = query->value[RN_C_WHAT_TOP];
	const char *text = rn_print_expr(scope->resolver->arena, by);
	struct rn_diag_item *it;

	/* what has no order is reported as such */
	if (!is_text(by->ty) && by->ty.type != RN_T_BOOL && by->ty.type != RN_T_IP)
		return;
	it = scope_error(
		scope, "E-TYPE", by->span,
		"`top ... of ... by` shows the rows with the greatest numbers, and `%s` is "
		"%s",
		text, rn_resolve_type_phrase(by->ty));
	scope_hint(scope, it, "the groups with most events: count of %s by %s top %s",
		   source_as_written(scope), text,
		   n ? rn_print_expr(scope->resolver->arena, n) : "10");
}

void rn_resolve_columns(struct rn_resolve_scope *scope)
{
	struct rn_ast_query *query = scope->query;

	switch (query->what) {
	case RN_WHAT_LIST: resolve_list(scope); break;
	case RN_WHAT_FLOW: list_flow(scope); break;
	case RN_WHAT_TOP:
		/* top 10 of write by bytes: nothing is grouped, so `by` tells which rows are
		 * greatest. */
		if (query->by && !query->by->next && !query->top_by) {
			query->top_by = query->by->expr;
			query->by = NULL;
		}
		list_all(scope);
		break;
	case RN_WHAT_EVENTS:
	case RN_WHAT_SPANS: list_all(scope); break;
	}
	scope->bare_count_is_column |= !query->grouped; /* without groups nothing else fits */
	if (query->what != RN_WHAT_LIST) {
		if (query->by)
			report_by(scope, query->what == RN_WHAT_TOP ? "top" : "events");
		scope->item_text = texts(scope, query->items, &scope->nitems);
	}
	check_window(scope);
	if (query->having)
		resolve_having(scope);
	for (struct rn_ast_item *item = query->order; item; item = item->next)
		resolve_output(scope, item->expr, "order by", "order by", item->desc);
	if (query->top_by)
		resolve_output(scope, query->top_by, "top",
			       query->has_top && query->value[RN_C_TOP]
				       ? rn_arena_printf(scope->resolver->arena, "top %s by",
							 rn_print_expr(scope->resolver->arena,
								       query->value[RN_C_TOP]))
				       : "by",
			       false);
	if (query->what == RN_WHAT_TOP && query->top_by)
		check_greatest(scope, query->top_by);
	if (query->what != RN_WHAT_LIST)
		choose_core(query);
}
