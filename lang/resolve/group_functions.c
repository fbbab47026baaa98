/* group_functions.c - share(A) and delta(x), which compare a group with the others of its window,
 * or with itself in the window before. */
#include "lang/catalog/funcs.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"

static bool one_argument(struct rn_resolve_scope *scope, const struct rn_ast_expr *e,
			 const struct rn_func *func)
{
	if (e->args && !e->args->next && !e->partial)
		return true;
	rn_resolve_report_arity(scope, e, 1, 1, func->doc);
	return false;
}

/* May it stand here, in a list, `having` or an order? */
static bool among_groups(struct rn_resolve_scope *scope, const struct rn_ast_expr *e)
{
	struct rn_diag_item *it;

	if (scope->place == IN_ITEM || scope->place == IN_OUTPUT)
		return true;
	it = scope_error(scope, "E-AGG-WHERE", e->span,
			 "`%s` is of finished groups: it stands in the list, in `having` or in an "
			 "order",
			 e->name);
	scope_hint(scope, it,
		   "to compute with it, ask an outer query: ... of (%s as x of ... by ...)",
		   rn_print_expr(scope->resolver->arena, e));
	return false;
}

static void resolve_share(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const struct rn_ast_expr *a = expr->args;
	struct rn_diag_item *it;

	rn_resolve_expr(scope, expr->args, scope->place);
	if (is_error(a))
		return;
	if (a->kind == RN_AST_CALL && a->agg &&
	    (a->agg->result == RN_RES_INT || a->agg->result == RN_RES_RATE ||
	     !strcmp(a->agg->name, "sum")) &&
	    strcmp(a->agg->name, "distinct")) {
		expr->ty = rn_func_share.result;
		return;
	}
	it = scope_error(scope, "E-TYPE", a->span, "`share` is of a sum or a count");
	scope_hint(scope, it,
		   "write share(count), share(sum(bytes)) or share(count(where error != 0))");
}

/* delta(utime) of processes every 1s */
static bool of_table(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	struct rn_diag_item *it;

	if (!scope->cls || !rn_table_key(scope->cls)) {
		it = scope_error(scope, "E-TYPE", expr->args->span,
				 "`delta` is of an aggregate, or of the rows of a table");
		scope_hint(scope, it, "write delta(count), or delta(sum(bytes))");
		return false;
	}
	if (scope->place == IN_ITEM && !scope->within)
		return true;
	it = scope_error(scope, "E-TYPE", expr->span, "`delta` of a row stands alone in the list");
	scope_hint(scope, it, "compute with it in an outer query: ... of (%s as x of %s every 1s)",
		   rn_print_expr(scope->resolver->arena, expr), scope->cls->name);
	return false;
}

static void resolve_delta(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	struct rn_ast_expr *x = expr->args;
	bool groups = rn_resolve_has_agg(scope, x);
	struct rn_diag_item *it;

	rn_resolve_expr(scope, x, scope->place);
	if (is_error(x))
		return;
	if (!scope->windowed) {
		it = scope_error(scope, "E-TYPE", expr->span,
				 "`delta` compares a window with the one before, and there are no "
				 "windows");
		scope_hint(scope, it, "add `every 1s`");
		return;
	}
	if (!groups && !of_table(scope, expr))
		return;
	if (!is_number(x->ty) || rn_unit_is_code(x->ty.unit) || x->ty.unit == RN_U_HEX) {
		scope_error(scope, "E-TYPE", x->span, "`delta` needs an amount, and this is %s",
			    rn_resolve_type_phrase(x->ty));
		return;
	}
	expr->ty = x->ty.unit == RN_U_EPOCH ? ty((enum rn_type)x->ty.type, RN_U_NS) : x->ty;
}

void rn_resolve_group_function(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			       const struct rn_func *func)
{
	expr->func = func;
	expr->ty = ty_error();
	if (!among_groups(scope, expr) || !one_argument(scope, expr, func))
		return;
	if (func == &rn_func_share)
		resolve_share(scope, expr);
	else
		resolve_delta(scope, expr);
}
