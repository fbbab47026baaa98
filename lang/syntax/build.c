/* build.c - the grammar's actions: make nodes with exact spans, within the limits of
 * lang/base/limits.h.
 *
 * Depth is counted bottom-up, so that every later pass can recurse over the tree. If a node would
 * be too deep, a leaf replaces it and the statement is given up. No code outside this file ever
 * sees that leaf. */
#include "lang/syntax/build.h"
#include <string.h>
#include "lang/syntax/grammar.h"
#include "lang/base/limits.h"
#include "lang/syntax/print.h"

struct rn_span rn_span_join(struct rn_span a, struct rn_span b)
{
	return (struct rn_span){a.start < b.start ? a.start : b.start,
				a.end > b.end ? a.end : b.end, a.src};
}

struct rn_diag_item *rn_build_error(struct rn_builder *builder, const char *code,
				    struct rn_span span, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	if (builder->quiet) /* an item that no one sees */
		return RN_NEW(builder->arena, struct rn_diag_item);
	va_start(ap, fmt);
	text = rn_arena_vprintf(builder->arena, fmt, ap);
	va_end(ap);
	return rn_diag_add(builder->diag, RN_ERROR, code, span, "%s", text);
}

void rn_build_too_deep(struct rn_builder *builder, struct rn_span span)
{
	struct rn_diag_item *it;

	builder->stop = true;
	if (builder->limit_reported)
		return;
	builder->limit_reported = true;
	it = rn_build_error(builder, "E-LIMIT-DEPTH", span, "nested more than %d levels deep",
			    RN_MAX_DEPTH);
	rn_diag_hint(builder->diag, it,
		     "a long chain of `or` on one field is shorter as `in (...)`; a deep "
		     "expression as several queries");
}

static void too_many(struct rn_builder *b, unsigned n, struct rn_span span)
{
	if (n != RN_MAX_LIST + 1) /* the first one too many was reported */
		return;
	b->stop = true;
	rn_build_error(b, "E-LIMIT-LIST", span, "a list of more than %d elements", RN_MAX_LIST);
}

/* ---- expressions ---- */

static struct rn_ast_expr *node(struct rn_builder *b, enum rn_ast_kind kind, struct rn_span span)
{
	struct rn_ast_expr *e = RN_NEW(b->arena, struct rn_ast_expr);

	e->kind = kind;
	e->span = span;
	e->column = -1;
	e->depth = 1;
	return e;
}

/* Sets e's depth to that of its operands plus one. */
static struct rn_ast_expr *above(struct rn_builder *b, struct rn_ast_expr *e, unsigned depth)
{
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		if (x->depth > depth)
			depth = x->depth;
	if (depth >= RN_MAX_DEPTH) {
		rn_build_too_deep(b, e->span);
		e->kind = RN_AST_LITERAL;
		e->args = NULL;
		e->query = NULL;
		depth = 0;
	}
	e->depth = (uint16_t)(depth + 1);
	return e;
}

struct rn_ast_expr *rn_build_literal(struct rn_builder *builder, struct rn_token token)
{
	struct rn_ast_expr *expr = node(builder, RN_AST_LITERAL, token.span);

	expr->value = token.value;
	expr->text = token.text;
	switch (token.kind) {
	case RN_TOK_FLOAT: expr->ty.type = RN_T_FLOAT; break;
	case RN_TOK_STRING:
		expr->ty.type = RN_T_STR;
		expr->value = rn_strn(token.text, token.len);
		expr->text = NULL;
		expr->quoted = true;
		break;
	case RN_TOK_HEX:
		expr->ty.type = RN_T_BYTES;
		expr->value = rn_strn(token.text, token.len);
		expr->text = NULL;
		break;
	case RN_TOK_TRUE:
	case RN_TOK_FALSE:
		expr->ty.type = RN_T_BOOL;
		expr->value = rn_bool(token.kind == RN_TOK_TRUE);
		break;
	default:
		expr->ty.type = token.value.kind == RN_FLOAT ? RN_T_FLOAT : RN_T_INT;
		expr->ty.unit = token.unit;
	}
	return expr;
}

static bool bare_call(const char *name)
{
	return !strcmp(name, "count") || !strcmp(name, "rate");
}

/* A bareword or a $parameter. `count` and `rate` are calls even without parentheses. */
struct rn_ast_expr *rn_build_name(struct rn_builder *builder, struct rn_token token)
{
	bool call = token.kind != RN_TOK_PARAM && bare_call(token.text);
	struct rn_ast_expr *e = node(builder,
				     token.kind == RN_TOK_PARAM ? RN_AST_PARAM
				     : call                     ? RN_AST_CALL
								: RN_AST_NAME,
				     token.span);

	e->name = token.text;
	e->bare = call;
	return e;
}

struct rn_ast_expr *rn_build_call(struct rn_builder *builder, struct rn_token name,
				  struct rn_exprs args, struct rn_token close)
{
	struct rn_ast_expr *e = node(builder, RN_AST_CALL, rn_span_join(name.span, close.span));

	e->name = name.text;
	e->args = args.first;
	/* count() is count: one canonical form, one label */
	e->bare = !args.first && bare_call(name.text);
	return above(builder, e, 0);
}

/* The whole is a name: cast(arg0, "struct sock").sk_rcvbuf */
struct rn_ast_expr *rn_build_steps(struct rn_builder *builder, struct rn_ast_expr *call,
				   struct rn_token steps)
{
	struct rn_ast_expr *e = node(builder, RN_AST_NAME, rn_span_join(call->span, steps.span));

	e->name = rn_arena_printf(builder->arena, "%s%s", rn_print_expr(builder->arena, call),
				  steps.text);
	return above(builder, e, 0);
}

/* A minus before a number belongs to the number. */
static bool negate(struct rn_builder *b, struct rn_token t, struct rn_ast_expr *e)
{
	if (e->kind != RN_AST_LITERAL || !e->text || e->text[0] == '-')
		return false;
	if (e->value.kind == RN_INT)
		e->value.i = -e->value.i;
	else if (e->value.kind == RN_FLOAT)
		e->value.f = -e->value.f;
	else
		return false;
	e->text = rn_arena_printf(b->arena, "-%s", e->text);
	e->span = rn_span_join(t.span, e->span);
	return true;
}

struct rn_ast_expr *rn_build_unary(struct rn_builder *builder, enum rn_op op, struct rn_token token,
				   struct rn_ast_expr *expr)
{
	struct rn_ast_expr *e;

	if (op == RN_OP_NEG && negate(builder, token, expr))
		return expr;
	e = node(builder, RN_AST_UNARY, rn_span_join(token.span, expr->span));
	e->op = op;
	e->args = expr;
	return above(builder, e, 0);
}

struct rn_ast_expr *rn_build_binary(struct rn_builder *builder, enum rn_op op,
				    struct rn_ast_expr *left, struct rn_ast_expr *right)
{
	struct rn_ast_expr *e = node(builder, RN_AST_BINARY, rn_span_join(left->span, right->span));

	e->op = op;
	e->args = left;
	left->next = right;
	return above(builder, e, 0);
}

static struct rn_ast_expr *negated_if(struct rn_builder *b, struct rn_ast_expr *e, bool negated)
{
	struct rn_ast_expr *n;

	if (!negated)
		return e;
	n = node(b, RN_AST_UNARY, e->span);
	n->op = RN_OP_NOT;
	n->args = e;
	return above(b, n, 0);
}

/* Takes a list that was read as the items of a query, because `in (pid of ...)` starts like `in
 * (pid)`. */
struct rn_ast_expr *rn_build_in(struct rn_builder *builder, struct rn_ast_expr *expr,
				struct rn_items list, struct rn_token close, bool negated)
{
	struct rn_ast_expr *e = node(builder, RN_AST_IN, rn_span_join(expr->span, close.span));
	struct rn_ast_expr **tail = &expr->next;

	e->args = expr;
	for (struct rn_ast_item *i = list.first; i; i = i->next) {
		if (i->alias)
			rn_build_error(builder, "E-SYNTAX", i->span,
				       "an element of a list of `in` takes no `as`");
		*tail = i->expr;
		tail = &i->expr->next;
	}
	return negated_if(builder, above(builder, e, 0), negated);
}

struct rn_ast_expr *rn_build_in_query(struct rn_builder *builder, struct rn_ast_expr *expr,
				      struct rn_ast_query *query, struct rn_token close,
				      bool negated)
{
	struct rn_ast_expr *e = node(builder, RN_AST_IN, rn_span_join(expr->span, close.span));

	e->args = expr;
	e->query = query;
	return negated_if(builder, above(builder, e, query->depth), negated);
}

struct rn_ast_expr *rn_build_in_live(struct rn_builder *builder, struct rn_ast_expr *expr,
				     struct rn_token live, struct rn_ast_query *query,
				     struct rn_token close, bool negated)
{
	struct rn_ast_expr *e = node(builder, RN_AST_IN, rn_span_join(expr->span, close.span));

	e->args = expr;
	e->query = query;
	e->live = true;
	e->live_span = live.span;
	return negated_if(builder, above(builder, e, query->depth), negated);
}

struct rn_ast_expr *rn_build_asked(struct rn_builder *builder, struct rn_token open,
				   struct rn_ast_query *query, struct rn_token close)
{
	struct rn_ast_expr *e = node(builder, RN_AST_ASKED, rn_span_join(open.span, close.span));

	e->query = query;
	return above(builder, e, query->depth);
}

struct rn_ast_expr *rn_build_between(struct rn_builder *builder, struct rn_ast_expr *expr,
				     struct rn_ast_expr *lo, struct rn_ast_expr *hi, bool negated)
{
	struct rn_ast_expr *e = node(builder, RN_AST_BETWEEN, rn_span_join(expr->span, hi->span));

	e->args = expr;
	expr->next = lo;
	lo->next = hi;
	return negated_if(builder, above(builder, e, 0), negated);
}

struct rn_ast_expr *rn_build_is_null(struct rn_builder *builder, struct rn_ast_expr *expr,
				     struct rn_token null, bool negated)
{
	struct rn_ast_expr *e = node(builder, RN_AST_CALL, rn_span_join(expr->span, null.span));

	e->name = rn_func_is_null.name;
	e->args = expr;
	return negated_if(builder, above(builder, e, 0), negated);
}

/* Parentheses make no node. They only widen the span, so that a message underlines them, too. */
struct rn_ast_expr *rn_build_parens(struct rn_token open, struct rn_ast_expr *expr,
				    struct rn_token close)
{
	expr->span = rn_span_join(open.span, close.span);
	return expr;
}

/* ---- lists ---- */

struct rn_ast_item *rn_build_item(struct rn_builder *builder, struct rn_ast_expr *expr,
				  const struct rn_token *alias)
{
	struct rn_ast_item *i = RN_NEW(builder->arena, struct rn_ast_item);

	i->expr = expr;
	i->span = alias ? rn_span_join(expr->span, alias->span) : expr->span;
	i->alias = alias ? alias->text : NULL;
	return i;
}

struct rn_ast_name *rn_build_word(struct rn_builder *builder, struct rn_token token)
{
	struct rn_ast_name *n = RN_NEW(builder->arena, struct rn_ast_name);

	n->text = token.text;
	n->len = token.len;
	n->span = token.span;
	n->quoted = token.kind == RN_TOK_STRING;
	n->hex = token.kind == RN_TOK_HEX;
	n->param = token.kind == RN_TOK_PARAM;
	return n;
}

struct rn_ast_param *rn_build_param(struct rn_builder *builder, struct rn_token name,
				    struct rn_ast_expr *deflt)
{
	struct rn_ast_param *p = RN_NEW(builder->arena, struct rn_ast_param);

	p->name = name.text;
	p->deflt = deflt;
	p->name_span = name.span;
	p->span = deflt ? rn_span_join(name.span, deflt->span) : name.span;
	return p;
}

struct rn_ast_param *rn_build_declared(struct rn_builder *builder, struct rn_token name,
				       struct rn_token type, struct rn_ast_expr *deflt)
{
	struct rn_ast_param *p = rn_build_param(builder, name, deflt);

	p->type = type.text;
	p->type_span = type.span;
	p->span = rn_span_join(p->span, type.span);
	return p;
}

#define DEFINE_ADD(function, rn_list, element) \
	struct rn_list function(struct rn_builder *builder, struct rn_list list, \
				struct element *item) \
	{ \
		if (list.last) \
			list.last->next = item; \
		else \
			list.first = item; \
		list.last = item; \
		too_many(builder, ++list.n, item->span); \
		return list; \
	}
DEFINE_ADD(rn_exprs_add, rn_exprs, rn_ast_expr)
DEFINE_ADD(rn_items_add, rn_items, rn_ast_item)
DEFINE_ADD(rn_names_add, rn_namelist, rn_ast_name)
DEFINE_ADD(rn_params_add, rn_params, rn_ast_param)
static DEFINE_ADD(append_source, rn_sources, rn_ast_source)

	/* ---- sources ---- */

	static struct rn_ast_source *source(struct rn_builder *b, enum rn_ast_src kind,
					    struct rn_span span)
{
	struct rn_ast_source *s = RN_NEW(b->arena, struct rn_ast_source);

	s->kind = kind;
	s->span = span;
	return s;
}

struct rn_ast_source *rn_build_class(struct rn_builder *builder, struct rn_token name,
				     struct rn_namelist args)
{
	struct rn_ast_source *s =
		source(builder, RN_SRC_CLASS,
		       args.last ? rn_span_join(name.span, args.last->span) : name.span);

	s->name = name.text;
	s->name_span = name.span;
	s->args = args.first;
	return s;
}

struct rn_ast_source *rn_build_view(struct rn_builder *builder, struct rn_token name,
				    struct rn_exprs args, struct rn_token close)
{
	struct rn_ast_source *s = rn_build_class(builder, name, (struct rn_namelist){0});

	s->view_args = args.first;
	s->span = rn_span_join(name.span, close.span);
	return s;
}

struct rn_sources rn_sources_add(struct rn_builder *builder, struct rn_sources l,
				 struct rn_ast_source *cls)
{
	l = append_source(builder, l, cls);
	l.args = (struct rn_namelist){cls->args, cls->args, cls->args != NULL};
	return l;
}

struct rn_sources rn_sources_add_string(struct rn_builder *builder, struct rn_sources l,
					struct rn_ast_name *string)
{
	l.args = rn_names_add(builder, l.args, string);
	l.last->args = l.args.first;
	l.last->span = rn_span_join(l.last->span, string->span);
	return l;
}

struct rn_ast_source *rn_build_nested(struct rn_builder *builder, struct rn_token open,
				      struct rn_ast_query *query, struct rn_token close)
{
	struct rn_ast_source *s =
		source(builder, RN_SRC_QUERY, rn_span_join(open.span, close.span));

	s->query = query;
	s->name_span = s->span;
	return s;
}

struct rn_ast_source *rn_build_pair(struct rn_builder *builder, struct rn_token token,
				    struct rn_ast_source *from, struct rn_ast_source *to,
				    struct rn_namelist keys)
{
	struct rn_ast_source *s =
		source(builder, RN_SRC_BETWEEN, rn_span_join(token.span, keys.last->span));

	s->from = from;
	s->to = to;
	s->keys = keys.first;
	s->name_span = token.span;
	return s;
}

struct rn_ast_stmt *rn_build_stmt(struct rn_builder *builder, enum rn_ast_stmt_kind kind,
				  struct rn_span start, struct rn_span end)
{
	struct rn_ast_stmt *s = RN_NEW(builder->arena, struct rn_ast_stmt);

	s->kind = kind;
	s->span = rn_span_join(start, end);
	builder->stmt = s;
	return s;
}

void rn_build_formatted(struct rn_builder *builder, struct rn_ast_query *query,
			struct rn_token format, const struct rn_token *to)
{
	struct rn_ast_stmt *s =
		rn_build_stmt(builder, RN_STMT_QUERY, query->span, to ? to->span : format.span);

	s->query = query;
	s->format = format.text;
	s->format_span = format.span;
	s->format_to = to ? to->text : NULL;
	s->to_span = to ? to->span : (struct rn_span){0};
}

struct rn_ast_name *rn_names_except(struct rn_namelist l, struct rn_namelist m)
{
	for (struct rn_ast_name *n = m.first; n; n = n->next)
		n->except = true;
	if (!l.first)
		return m.first;
	l.last->next = m.first;
	return l.first;
}
