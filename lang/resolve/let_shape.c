/* let_shape.c - what statements derive from a query's answer: the shape of the result of `let`, and
 * the columns of an `assert`.
 *
 * Both work on a resolved query, and change nothing that was resolved. */
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"

static bool is_timeless(const struct rn_ast_query *q)
{
	while (!q->timeless && !q->grouped && q->source && q->source->kind == RN_SRC_QUERY)
		q = q->source->query;
	return q->timeless || (q->grouped && !q->every_ns);
}

/* A class that only says which comparisons can never hold. Nothing asks a kernel or machine about
 * it. */
static const struct rn_class *shape_class(struct rn_arena *a, const struct rn_class *of)
{
	struct rn_class *c = of ? RN_NEW(a, struct rn_class) : NULL;

	if (c)
		*c = (struct rn_class){.name = "",
				       .kind = of->kind,
				       .path_as_given = of->path_as_given,
				       .recorded = true};
	return c;
}

/* A copy of the field that a column shows, without anything of its catalogue; NULL: the column
 * shows something else. */
static const struct rn_field *shape_field(struct rn_arena *a, const struct rn_ast_query *q,
					  const struct rn_ast_expr *e)
{
	const struct rn_class *cls;
	const struct rn_field *of = rn_resolve_find_field(q, e, &cls);
	struct rn_field *f;

	if (!of)
		return NULL;
	f = RN_NEW(a, struct rn_field);
	*f = (struct rn_field){.name = rn_arena_strdup(a, of->name),
			       .ty = of->ty,
			       .doc = of->doc ? rn_arena_strdup(a, of->doc) : NULL,
			       .kind = of->kind,
			       .shown = shape_class(a, cls)};
	return f;
}

struct rn_ast_query *rn_let_shape(struct rn_arena *arena, const struct rn_ast_query *query)
{
	struct rn_ast_query *shape = RN_NEW(arena, struct rn_ast_query);
	struct rn_ast_item **tail = &shape->items;

	shape->every_ns = query->every_ns;
	shape->grouped = query->grouped;
	shape->timeless = is_timeless(query);
	for (const struct rn_ast_item *it = query->items; it; it = it->next) {
		struct rn_ast_item *column = RN_NEW(arena, struct rn_ast_item);

		column->label = rn_arena_strdup(arena, it->label);
		column->extra = it->extra;
		column->expr = RN_NEW(arena, struct rn_ast_expr);
		column->expr->kind = RN_AST_NAME;
		column->expr->name = column->label;
		column->expr->ty = it->expr->ty;
		column->expr->agg = rn_ast_agg(it->expr);
		column->expr->field = shape_field(arena, query, it->expr);
		column->expr->column = -1;
		*tail = column;
		tail = &column->next;
	}
	return shape;
}

const struct rn_agg_sig *rn_ast_agg(const struct rn_ast_expr *expr)
{
	const struct rn_agg_sig *found = expr->agg;

	for (const struct rn_ast_expr *x = expr->args; x && !found; x = x->next)
		found = rn_ast_agg(x);
	return found;
}

const struct rn_ast_item *rn_ast_column(const struct rn_ast_query *query, const char *label)
{
	const struct rn_ast_item *it = query->items;

	while (it && strcmp(it->label, label))
		it = it->next;
	return it;
}

bool rn_ast_is_window(const struct rn_ast_query *query, const struct rn_ast_item *it)
{
	while (it && it->expr->kind == RN_AST_NAME && it->expr->column != RN_COLUMN_WINDOW) {
		query = query->source && query->source->kind == RN_SRC_QUERY ? query->source->query
									     : NULL;
		it = query ? rn_ast_column(query, it->expr->name) : NULL;
	}
	return it && it->expr->kind == RN_AST_NAME;
}

/* ---- assert ---- */

struct columns {
	struct rn_arena *arena;
	struct rn_ast_query *query;
	struct rn_ast_item *last;
};

/* Adds a column, unless one already shows the same. */
static void show(struct columns *c, const struct rn_ast_expr *e)
{
	const char *text = rn_print_expr(c->arena, e);
	struct rn_ast_item *item;

	if (e->kind == RN_AST_LITERAL)
		return;
	for (const struct rn_ast_item *it = c->query->items; it; it = it->next)
		if (!strcmp(it->label, text) || !strcmp(rn_print_expr(c->arena, it->expr), text))
			return;
	item = RN_NEW(c->arena, struct rn_ast_item);
	item->expr = rn_resolve_copy_expr(c->arena, e);
	item->label = text;
	item->span = e->span;
	*(c->last ? &c->last->next : &c->query->items) = item;
	c->last = item;
}

/* Shows what a condition compares. */
static void operands(struct columns *c, const struct rn_ast_expr *e, bool whole)
{
	bool logic = e->op == RN_OP_AND || e->op == RN_OP_OR || e->op == RN_OP_NOT;

	if (e->ty.type == RN_T_BOOL && !e->agg &&
	    (e->kind == RN_AST_UNARY || e->kind == RN_AST_BINARY || e->kind == RN_AST_IN ||
	     e->kind == RN_AST_BETWEEN || e->kind == RN_AST_CALL)) {
		for (const struct rn_ast_expr *x = e->args; x; x = x->next) {
			if (logic)
				operands(c, x, false);
			else if (e->kind != RN_AST_IN || x == e->args)
				show(c, x);
		}
	} else if (!whole) {
		show(c, e);
	}
}

/* Adds the other columns of a result, a view or a nested query: they say what its row is about. */
static void source_columns(struct columns *c)
{
	const struct rn_ast_query *inner =
		c->query->source->kind == RN_SRC_QUERY ? c->query->source->query : NULL;
	int i = 0;

	for (const struct rn_ast_item *it = inner && !c->query->grouped ? inner->items : NULL; it;
	     it = it->next, i++) {
		struct rn_ast_expr name = {.kind = RN_AST_NAME,
					   .name = it->label,
					   .ty = it->expr->ty,
					   .column = i,
					   .span = c->query->source->span};

		if (it->expr->ty.type != RN_T_HIST && it->expr->ty.type != RN_T_LIST)
			show(c, &name);
	}
}

static bool check_condition(struct rn_diag *d, const struct rn_ast_item *it)
{
	struct rn_diag_item *wrong;

	if (it->expr->ty.type == RN_T_BOOL || is_error(it->expr)) /* an error has been reported */
		return it->expr->ty.type == RN_T_BOOL;
	wrong = rn_diag_add(d, RN_ERROR, "E-TYPE", it->expr->span,
			    "an assertion is made of conditions, and this is %s",
			    rn_resolve_type_phrase(it->expr->ty));
	rn_diag_hint(d, wrong, "compare it with something, as in `assert count = 0 of ...`");
	return false;
}

bool rn_assert_columns(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_query *query,
		       unsigned *first, unsigned *conditions)
{
	struct columns c = {.arena = arena, .query = query};
	unsigned written = 0, n = 0, i = 0;
	bool ok = true;

	if (query->what != RN_WHAT_LIST) {
		rn_diag_hint(diag,
			     rn_diag_add(diag, RN_ERROR, "E-TYPE", query->span,
					 "an assertion is made of conditions"),
			     "name what must hold, as in `assert count = 0 of ...`");
		return false;
	}
	/* unwritten keys come first; their span is that of the text after `by` */
	for (struct rn_ast_item *it = query->items; it; it = it->next, n++)
		c.last = it;
	for (const struct rn_ast_item *it = query->items; it; it = it->next)
		written += it->span.start < query->source->span.start;
	*first = n - written;
	*conditions = written;
	for (struct rn_ast_item *it = query->items; it; it = it->next, i++)
		if (i >= *first) {
			ok &= check_condition(diag, it);
			it->asserted = true;
		}
	if (ok)
		source_columns(&c);
	i = 0;
	for (const struct rn_ast_item *it = query->items; it && ok && i < n; it = it->next, i++)
		if (i >= *first)
			operands(&c, it->expr, true);
	return ok;
}
