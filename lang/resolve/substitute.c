/* substitute.c - $name: values come from the command line (name=value) or from the arguments of a
 * view. Substitution runs over a whole query before all other steps, so that no other code meets a
 * parameter. */
#include <errno.h>
#include <stdlib.h>
#include "lang/resolve/resolve_impl.h"
#include "lang/base/nearest.h"
#include "lang/syntax/parse.h"

struct rn_ast_expr *rn_resolve_copy_expr(struct rn_arena *arena, const struct rn_ast_expr *expr)
{
	struct rn_ast_expr *c = RN_NEW(arena, struct rn_ast_expr), **tail = &c->args;

	*c = *expr;
	c->args = NULL;
	c->next = NULL;
	for (const struct rn_ast_expr *arg = expr->args; arg; arg = arg->next) {
		*tail = rn_resolve_copy_expr(arena, arg);
		tail = &(*tail)->next;
	}
	return c;
}

static struct rn_ast_expr *text_value(struct rn_arena *a, const char *text)
{
	struct rn_ast_expr *e = RN_NEW(a, struct rn_ast_expr);

	make_literal(e, rn_strn(text, strlen(text)), ty(RN_T_STR, RN_U_NONE), NULL);
	e->quoted = true;
	return e;
}

/* Reads a value of the command line: a number, a number with a unit, or else a string. */
static struct rn_ast_expr *parse_value(struct rn_arena *arena, const char *text)
{
	struct rn_ast_expr *expr = RN_NEW(arena, struct rn_ast_expr);
	enum rn_unit unit = RN_U_NONE;
	int64_t i;
	char *end;
	double f;

	errno = 0;
	i = strtoll(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	if (*text && !*end && !errno) {
		make_literal(expr, rn_int(i), ty(RN_T_INT, RN_U_NONE), text);
		return expr;
	}
	if (rn_unit_parse(text, strlen(text), &i, &unit)) {
		make_literal(expr, rn_int(i), ty(RN_T_INT, unit), text);
		return expr;
	}
	errno = 0;
	f = strtod(text, &end);
	if (strchr("0123456789.-", text[0]) && *text && !*end && !errno) {
		make_literal(expr, rn_float(f), ty(RN_T_FLOAT, RN_U_NONE), text);
		return expr;
	}
	return text_value(arena, text);
}

struct rn_binding *rn_resolve_bind_param(struct rn_resolver *resolver)
{
	struct rn_binding *all = NULL;

	for (const struct rn_param *p = resolver->names->declared; p; p = p->next) {
		struct rn_binding *b = RN_NEW(resolver->arena, struct rn_binding);

		*b = (struct rn_binding){.name = p->name, .value = p->value, .next = all};
		/* reported: errors that follow from it are not */
		if (!b->value) {
			b->value = RN_NEW(resolver->arena, struct rn_ast_expr);
			make_literal(b->value, rn_null(), ty_error(),
				     rn_arena_printf(resolver->arena, "$%s", p->name));
		}
		all = b;
	}
	for (const char *const *p = resolver->names->params; p && *p; p++) {
		const char *eq = strchr(*p, '=');
		struct rn_binding *b;
		bool text;

		if (!eq || rn_params_find(resolver->names->declared, *p, strcspn(*p, ":=")))
			continue;
		b = RN_NEW(resolver->arena, struct rn_binding);
		text = eq > *p && eq[-1] == ':';
		b->name = rn_arena_strndup(resolver->arena, *p, (size_t)(eq - *p) - text);
		b->value = text ? text_value(resolver->arena, eq + 1)
				: parse_value(resolver->arena, eq + 1);
		b->next = all;
		all = b;
	}
	return all;
}

/* Finds the value of $name; NULL, and reported, if it has none. */
static const struct rn_ast_expr *find_value(struct rn_resolver *resolver, const char *name,
					    struct rn_span span, struct rn_binding *binding)
{
	const char *from = rn_diag_name(resolver->diag, span.src);
	struct rn_diag_item *it;
	const char **known;
	const char *near;
	size_t n = 0;

	for (const struct rn_binding *x = binding; x; x = x->next, n++)
		if (!strcmp(x->name, name))
			return x->value;
	it = rn_diag_add(resolver->diag, RN_ERROR, "E-NAME-PARAM", span, "`$%s` has no value",
			 name);
	known = RN_NEWN(resolver->arena, const char *, n + 1);
	n = 0;
	for (const struct rn_binding *x = binding; x; x = x->next)
		known[n++] = x->name;
	near = rn_nearest(name, known);
	if (near)
		rn_diag_hint(resolver->diag, it, "did you mean `$%s`?", near);
	else if (resolver->nviews)
		rn_diag_hint(resolver->diag, it, "the view `%s` has no parameter of that name",
			     resolver->view_stack[resolver->nviews - 1]);
	else
		rn_diag_hint(resolver->diag, it, "%s", rn_params_way(resolver->arena, from, name));
	return NULL;
}

static void substitute(struct rn_resolver *resolver, struct rn_ast_expr *expr,
		       struct rn_binding *binding)
{
	if (expr->kind == RN_AST_PARAM) {
		const struct rn_ast_expr *value =
			find_value(resolver, expr->name, expr->span, binding);

		if (value) {
			struct rn_ast_expr *next = expr->next;
			struct rn_span span = expr->span;

			*expr = *rn_resolve_copy_expr(resolver->arena, value);
			expr->next = next;
			/* A value of the command line has no place in a text: point at the place
			 * that uses it. */
			if (expr->span.start == expr->span.end)
				expr->span = span;
		} else {
			make_literal(expr, rn_null(), ty_error(),
				     rn_arena_printf(resolver->arena, "$%s", expr->name));
		}
		return;
	}
	for (struct rn_ast_expr *arg = expr->args; arg; arg = arg->next)
		substitute(resolver, arg, binding);
	if (expr->query)
		rn_resolve_substitute_params(resolver, expr->query, binding);
}

static void substitute_items(struct rn_resolver *r, struct rn_ast_item *items, struct rn_binding *b)
{
	for (struct rn_ast_item *it = items; it; it = it->next)
		substitute(r, it->expr, b);
}

/* Handles names that are not expressions: tags, arguments of a class, nodes. */
void rn_resolve_substitute_words(struct rn_resolver *resolver, struct rn_ast_name *words,
				 struct rn_binding *binding)
{
	for (struct rn_ast_name *name = words; name; name = name->next) {
		const struct rn_ast_expr *value =
			name->param ? find_value(resolver, name->text, name->span, binding) : NULL;

		if (!value)
			continue;
		name->param = false;
		name->quoted = true;
		if (value->value.kind == RN_STR && value->ty.type == RN_T_STR) {
			name->text =
				rn_arena_strndup(resolver->arena, value->value.s, value->value.len);
			name->len = value->value.len;
		} else { /* a time or an address is in quotes */
			const char *text = value->text ? value->text : "";
			size_t quotes = text[0] == '"', n = strlen(text) - 2 * quotes;

			name->text = rn_arena_strndup(resolver->arena, text + quotes, n);
			name->len = (uint32_t)n;
		}
	}
}

/* Handles clauses whose value is a constant: limit $n, for $time. */
static void substitute_clauses(struct rn_resolver *r, struct rn_ast_query *q, struct rn_binding *b)
{
	for (unsigned c = 0; c < sizeof(q->value) / sizeof(q->value[0]); c++) {
		struct rn_ast_expr *v = q->value[c];

		if (!v || v->kind != RN_AST_PARAM)
			continue;
		substitute(r, v, b);
		if (v->value.kind != RN_NULL)
			rn_clause_set(r->diag, q, (enum rn_clause)c, v);
	}
}

/* A query is one tree: it can be resolved in one place. Returns true if it stands somewhere else.
 */
static bool place_once(struct rn_binding *binding, const char *name)
{
	bool before;

	while (strcmp(binding->name, name) != 0)
		binding = binding->next;
	before = binding->placed;
	binding->placed = true;
	return before;
}

/* Puts a class, a view or a query in the place of $name. A value, as of the command line, is none
 * of them. */
static void put_source(struct rn_resolver *r, struct rn_ast_source *src, struct rn_binding *binding)
{
	const struct rn_ast_expr *value = find_value(r, src->name, src->span, binding);

	if (!value || (value->kind == RN_AST_LITERAL && value->ty.type == RN_T_ERROR))
		return;
	switch (value->kind) {
	case RN_AST_CALL:
		src->view_args = rn_resolve_copy_expr(r->arena, value)->args;
		/* fall through */
	case RN_AST_NAME:
		src->name = value->name;
		src->name_span = src->span = value->span;
		src->param = false;
		break;
	case RN_AST_ASKED:
		if (place_once(binding, src->name)) {
			rn_diag_add(r->diag, RN_ERROR, "E-NAME-PARAM", src->span,
				    "a query can stand for `$%s` in one place only", src->name);
			return;
		}
		src->kind = RN_SRC_QUERY;
		src->query = value->query;
		src->name_span = src->span = value->span;
		src->param = false;
		break;
	default:
		rn_diag_hint(
			r->diag,
			rn_diag_add(r->diag, RN_ERROR, "E-NAME-PARAM", src->span,
				    "`$%s` is a value, and a source is a word of the query",
				    src->name),
			"a view takes a source from the text that calls it: view busy(what) := "
			"count of $what");
	}
}

static void substitute_source(struct rn_resolver *r, struct rn_ast_source *src,
			      struct rn_binding *b)
{
	if (!src)
		return;
	substitute_source(r, src->next, b);
	if (src->param) {
		put_source(r, src, b);
		return;
	}
	for (struct rn_ast_expr *arg = src->view_args; arg; arg = arg->next)
		substitute(r, arg, b);
	if (src->query)
		rn_resolve_substitute_params(r, src->query, b);
	rn_resolve_substitute_words(r, src->args, b);
	substitute_source(r, src->from, b);
	substitute_source(r, src->to, b);
}

void rn_resolve_substitute_params(struct rn_resolver *resolver, struct rn_ast_query *query,
				  struct rn_binding *binding)
{
	substitute_source(resolver, query->source, binding);
	substitute_clauses(resolver, query, binding);
	rn_resolve_substitute_words(resolver, query->on, binding);
	substitute_items(resolver, query->items, binding);
	substitute_items(resolver, query->by, binding);
	substitute_items(resolver, query->order, binding);
	if (query->where)
		substitute(resolver, query->where, binding);
	for (unsigned i = 0; i < RN_FLOW_IFS; i++)
		if (query->flow_if[i])
			substitute(resolver, query->flow_if[i], binding);
	if (query->having)
		substitute(resolver, query->having, binding);
	if (query->top_by)
		substitute(resolver, query->top_by, binding);
}
