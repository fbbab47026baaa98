/* substitute.c - $name: values come from the command line (name=value) or from the arguments of a
 * view. Substitution runs over a whole query before all other steps, so that no other code meets a
 * parameter. */
#include <errno.h>
#include <stdlib.h>
#include "lang/resolve/resolve_impl.h"
#include "lang/base/nearest.h"
#include "lang/syntax/parse.h"

struct rn_ast_expr *copy_expr(struct rn_arena *a, const struct rn_ast_expr *e)
{
	struct rn_ast_expr *c = RN_NEW(a, struct rn_ast_expr), **tail = &c->args;

	*c = *e;
	c->args = NULL;
	c->next = NULL;
	for (const struct rn_ast_expr *arg = e->args; arg; arg = arg->next) {
		*tail = copy_expr(a, arg);
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
static struct rn_ast_expr *parse_value(struct rn_arena *a, const char *text)
{
	struct rn_ast_expr *e = RN_NEW(a, struct rn_ast_expr);
	enum rn_unit unit = RN_U_NONE;
	int64_t i;
	char *end;
	double f;

	errno = 0;
	i = strtoll(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	if (*text && !*end && !errno) {
		make_literal(e, rn_int(i), ty(RN_T_INT, RN_U_NONE), text);
		return e;
	}
	if (rn_unit_parse(text, strlen(text), &i, &unit)) {
		make_literal(e, rn_int(i), ty(RN_T_INT, unit), text);
		return e;
	}
	errno = 0;
	f = strtod(text, &end);
	if (strchr("0123456789.-", text[0]) && *text && !*end && !errno) {
		make_literal(e, rn_float(f), ty(RN_T_FLOAT, RN_U_NONE), text);
		return e;
	}
	return text_value(a, text);
}

struct binding *bind_command_line(struct resolver *r)
{
	struct binding *all = NULL;

	for (const struct rn_param *p = r->names->declared; p; p = p->next) {
		struct binding *b = RN_NEW(r->a, struct binding);

		*b = (struct binding){.name = p->name, .value = p->value, .next = all};
		/* reported: errors that follow from it are not */
		if (!b->value) {
			b->value = RN_NEW(r->a, struct rn_ast_expr);
			make_literal(b->value, rn_null(), ty_error(),
				     rn_arena_printf(r->a, "$%s", p->name));
		}
		all = b;
	}
	for (const char *const *p = r->names->params; p && *p; p++) {
		const char *eq = strchr(*p, '=');
		struct binding *b;
		bool text;

		if (!eq || rn_params_find(r->names->declared, *p, strcspn(*p, ":=")))
			continue;
		b = RN_NEW(r->a, struct binding);
		text = eq > *p && eq[-1] == ':';
		b->name = rn_arena_strndup(r->a, *p, (size_t)(eq - *p) - text);
		b->value = text ? text_value(r->a, eq + 1) : parse_value(r->a, eq + 1);
		b->next = all;
		all = b;
	}
	return all;
}

/* Finds the value of $name; NULL, and reported, if it has none. */
static const struct rn_ast_expr *find_value(struct resolver *r, const char *name,
					    struct rn_span span, const struct binding *b)
{
	const char *from = rn_diag_name(r->d, span.src);
	struct rn_diag_item *it;
	const char **known;
	const char *near;
	size_t n = 0;

	for (const struct binding *x = b; x; x = x->next, n++)
		if (!strcmp(x->name, name))
			return x->value;
	it = rn_diag_add(r->d, RN_ERROR, "E-NAME-PARAM", span, "`$%s` has no value", name);
	known = RN_NEWN(r->a, const char *, n + 1);
	n = 0;
	for (const struct binding *x = b; x; x = x->next)
		known[n++] = x->name;
	near = rn_nearest(name, known);
	if (near)
		rn_diag_hint(r->d, it, "did you mean `$%s`?", near);
	else if (r->nviews)
		rn_diag_hint(r->d, it, "the view `%s` has no parameter of that name",
			     r->view_stack[r->nviews - 1]);
	else
		rn_diag_hint(r->d, it, "%s", rn_params_way(r->a, from, name));
	return NULL;
}

static void substitute(struct resolver *r, struct rn_ast_expr *e, const struct binding *b)
{
	if (e->kind == RN_AST_PARAM) {
		const struct rn_ast_expr *value = find_value(r, e->name, e->span, b);

		if (value) {
			struct rn_ast_expr *next = e->next;
			struct rn_span span = e->span;

			*e = *copy_expr(r->a, value);
			e->next = next;
			/* A value of the command line has no place in a text: point at the place
			 * that uses it. */
			if (e->span.start == e->span.end)
				e->span = span;
		} else {
			make_literal(e, rn_null(), ty_error(),
				     rn_arena_printf(r->a, "$%s", e->name));
		}
		return;
	}
	for (struct rn_ast_expr *arg = e->args; arg; arg = arg->next)
		substitute(r, arg, b);
	if (e->query)
		substitute_params(r, e->query, b);
}

static void substitute_items(struct resolver *r, struct rn_ast_item *items, const struct binding *b)
{
	for (struct rn_ast_item *it = items; it; it = it->next)
		substitute(r, it->expr, b);
}

/* Handles names that are not expressions: tags, arguments of a class, nodes. */
void substitute_words(struct resolver *r, struct rn_ast_name *words, const struct binding *b)
{
	for (struct rn_ast_name *w = words; w; w = w->next) {
		const struct rn_ast_expr *value =
			w->param ? find_value(r, w->text, w->span, b) : NULL;

		if (!value)
			continue;
		w->param = false;
		w->quoted = true;
		if (value->value.kind == RN_STR && value->ty.type == RN_T_STR) {
			w->text = rn_arena_strndup(r->a, value->value.s, value->value.len);
			w->len = value->value.len;
		} else { /* a time or an address is in quotes */
			const char *text = value->text ? value->text : "";
			size_t quotes = text[0] == '"', n = strlen(text) - 2 * quotes;

			w->text = rn_arena_strndup(r->a, text + quotes, n);
			w->len = (uint32_t)n;
		}
	}
}

/* Handles clauses whose value is a constant: limit $n, for $time. */
static void substitute_clauses(struct resolver *r, struct rn_ast_query *q, const struct binding *b)
{
	for (unsigned c = 0; c < sizeof(q->value) / sizeof(q->value[0]); c++) {
		struct rn_ast_expr *v = q->value[c];

		if (!v || v->kind != RN_AST_PARAM)
			continue;
		substitute(r, v, b);
		if (v->value.kind != RN_NULL)
			rn_clause_set(r->d, q, (enum rn_clause)c, v);
	}
}

static void substitute_source(struct resolver *r, struct rn_ast_source *src,
			      const struct binding *b)
{
	if (!src)
		return;
	for (struct rn_ast_expr *arg = src->view_args; arg; arg = arg->next)
		substitute(r, arg, b);
	if (src->query)
		substitute_params(r, src->query, b);
	substitute_words(r, src->args, b);
	substitute_source(r, src->from, b);
	substitute_source(r, src->to, b);
}

void substitute_params(struct resolver *r, struct rn_ast_query *q, const struct binding *b)
{
	substitute_source(r, q->source, b);
	substitute_clauses(r, q, b);
	substitute_words(r, q->on, b);
	substitute_items(r, q->items, b);
	substitute_items(r, q->by, b);
	substitute_items(r, q->order, b);
	if (q->where)
		substitute(r, q->where, b);
	if (q->having)
		substitute(r, q->having, b);
	if (q->top_by)
		substitute(r, q->top_by, b);
}
