/* param_kinds.c - see param_kinds.h. A walk over the view's query that knows of each place what can
 * stand there. A place that takes several kinds, such as the argument of a function, says nothing.
 */
#include "lang/resolve/param_kinds.h"
#include <string.h>
#include "lang/base/str.h"
#include "lang/syntax/print.h"

struct look {
	struct rn_ast_stmt *view;
	const struct rn_ast_query *query; /* whose expressions are looked at; NULL: its source is */
	struct rn_diag *diag;
	bool agrees;
};

const char *rn_param_phrase(enum rn_param_kind kind)
{
	static const char *const phrases[] = {"anything", "a value", "a field", "a condition",
					      "a source"};

	return phrases[kind];
}

const char *rn_param_word(enum rn_param_kind kind)
{
	static const char *const words[] = {"", "", "field", "condition", "source"};

	return words[kind];
}

static void use(struct look *l, const char *name, enum rn_param_kind kind, struct rn_span span)
{
	struct rn_ast_param *p = l->view->params;

	while (p && strcmp(p->name, name))
		p = p->next;
	if (p && !p->user)
		p->user = l->query;
	if (!p || kind == RN_PARAM_ANY || p->kind == kind)
		return;
	if (p->kind == RN_PARAM_ANY) {
		p->kind = (uint8_t)kind;
		p->kind_span = span;
		return;
	}
	l->agrees = false;
	if (l->diag)
		rn_diag_add(l->diag, RN_ERROR, "E-NAME-PARAM", span,
			    "`$%s` is %s here, and %s in another place", name,
			    rn_param_phrase(kind), rn_param_phrase((enum rn_param_kind)p->kind))
			->also = p->kind_span;
}

static void look_query(struct look *l, const struct rn_ast_query *q);
static void look_expr(struct look *l, const struct rn_ast_expr *e, enum rn_param_kind here);

/* In a comparison with a constant, a parameter is what is compared; else it is a value. */
static void look_comparison(struct look *l, const struct rn_ast_expr *e)
{
	const struct rn_ast_expr *right = e->args->next;
	bool constant = !right || right->kind == RN_AST_LITERAL;

	look_expr(l, e->args, constant || e->kind == RN_AST_IN ? RN_PARAM_FIELD : RN_PARAM_VALUE);
	for (const struct rn_ast_expr *x = right; x; x = x->next)
		look_expr(l, x, RN_PARAM_VALUE);
}

static void look_call(struct look *l, const struct rn_ast_expr *e)
{
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		look_expr(l, x,
			  e->partial && !x->next                   ? RN_PARAM_CONDITION
			  : !strcmp(e->name, "if") && x == e->args ? RN_PARAM_CONDITION
								   : RN_PARAM_ANY);
}

/* here: what a parameter is that is the whole expression. */
static void look_expr(struct look *l, const struct rn_ast_expr *e, enum rn_param_kind here)
{
	enum rn_param_kind below = RN_PARAM_ANY;

	if (!e)
		return;
	if (e->query)
		look_query(l, e->query);
	switch (e->kind) {
	case RN_AST_PARAM: use(l, e->name, here, e->span); return;
	case RN_AST_CALL: look_call(l, e); return;
	case RN_AST_IN:
	case RN_AST_BETWEEN: look_comparison(l, e); return;
	case RN_AST_BINARY:
		if (e->op >= RN_OP_EQ && e->op <= RN_OP_REGEX) {
			look_comparison(l, e);
			return;
		}
		below = e->op == RN_OP_AND || e->op == RN_OP_OR ? RN_PARAM_CONDITION
								: RN_PARAM_VALUE;
		break;
	case RN_AST_UNARY: below = e->op == RN_OP_NOT ? RN_PARAM_CONDITION : RN_PARAM_VALUE; break;
	default: break;
	}
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		look_expr(l, x, below);
}

static void look_items(struct look *l, const struct rn_ast_item *it)
{
	for (; it; it = it->next)
		look_expr(l, it->expr, RN_PARAM_FIELD);
}

static void look_words(struct look *l, const struct rn_ast_name *n)
{
	for (; n; n = n->next)
		if (n->param)
			use(l, n->text, RN_PARAM_VALUE, n->span);
}

static void look_source(struct look *l, const struct rn_ast_source *src)
{
	if (!src)
		return;
	if (src->param)
		use(l, src->name, RN_PARAM_SOURCE, src->span);
	for (const struct rn_ast_expr *x = src->view_args; x; x = x->next)
		look_expr(l, x, RN_PARAM_ANY);
	look_words(l, src->args);
	look_query(l, src->query);
	look_source(l, src->from);
	look_source(l, src->to);
	look_source(l, src->next);
}

static void look_query(struct look *l, const struct rn_ast_query *q)
{
	const struct rn_ast_query *around = l->query;

	if (!q)
		return;
	l->query = NULL;
	look_source(l, q->source);
	l->query = q;
	look_words(l, q->on);
	for (unsigned c = 0; c < sizeof(q->value) / sizeof(q->value[0]); c++)
		look_expr(l, q->value[c], RN_PARAM_VALUE);
	look_items(l, q->items);
	look_items(l, q->by);
	look_items(l, q->order);
	look_expr(l, q->where, RN_PARAM_CONDITION);
	for (unsigned i = 0; i < RN_FLOW_IFS; i++)
		look_expr(l, q->flow_if[i], RN_PARAM_CONDITION);
	look_expr(l, q->having, RN_PARAM_CONDITION);
	look_expr(l, q->top_by, RN_PARAM_FIELD);
	l->query = around;
}

bool rn_param_kinds(struct rn_ast_stmt *view, struct rn_diag *diag)
{
	struct look l = {.view = view, .diag = diag, .agrees = true};

	for (struct rn_ast_param *p = view->params; p; p = p->next) {
		p->kind = RN_PARAM_ANY;
		p->user = NULL;
	}
	if (view->params)
		look_query(&l, view->query);
	return l.agrees;
}

const char *rn_param_signature(struct rn_arena *arena, struct rn_ast_stmt *view)
{
	struct rn_strbuf out;

	rn_strbuf_init(&out, arena);
	if (view)
		rn_param_kinds(view, NULL);
	for (const struct rn_ast_param *p = view ? view->params : NULL; p; p = p->next) {
		const char *word = rn_param_word((enum rn_param_kind)p->kind);

		rn_strbuf_printf(&out, "%s%s%s", p->name, *word ? " " : "", word);
		if (p->deflt)
			rn_strbuf_printf(&out, " = %s", rn_print_expr(arena, p->deflt));
		rn_strbuf_put(&out, p->next ? ", " : "");
	}
	return rn_strbuf_cstr(&out);
}
