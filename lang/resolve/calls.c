/* calls.c - aggregates: which one a call means, its arguments, and its type. Scalar functions are
 * in functions.c. */
#include "lang/foreign/words.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/values/minhash.h"
#include "lang/syntax/print.h"
#include "lang/catalog/funcs.h"
#include <math.h>

const struct rn_agg_sig *rn_resolve_find_agg(const struct rn_resolve_scope *scope, const char *name)
{
	for (const struct rn_agg_sig *const *a = scope->catalog->aggs; a && *a; a++)
		if (!strcmp((*a)->name, name))
			return *a;
	return rn_quantile_of(name, NULL) ? rn_resolve_find_agg(scope, rn_quantile_form) : NULL;
}

/* `count` can mean the nested query's column of that name: always if no aggregate can stand there,
 * and in a list of plain columns. Any other call is a column if its text is a column's label. */
static bool means_column(const struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	if (!s->inner)
		return false;
	if (e->bare && (s->place == IN_ITEM || s->place == IN_OUTPUT) && !s->bare_count_is_column)
		return false;
	return rn_resolve_is_inner_column(s, e);
}

/* `rate` is a column of the table clocks. vfs_read of the kernel has an argument `count`: that is
 * meant only if no aggregate can stand there. */
static bool means_field(const struct rn_resolve_scope *s, const struct rn_ast_expr *e,
			bool may_be_agg)
{
	const struct rn_field *f = e->bare && s->cls ? rn_class_field(s->cls, e->name) : NULL;

	return f && (!f->own || !may_be_agg);
}

bool rn_resolve_has_agg(const struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	if (expr->kind == RN_AST_CALL && means_field(scope, expr, true))
		return false;
	if (expr->kind == RN_AST_CALL && rn_resolve_find_agg(scope, expr->name)) {
		bool column = scope->inner && (!expr->bare || scope->bare_count_is_column) &&
			      rn_resolve_is_inner_column(scope, expr);

		return !column;
	}
	for (const struct rn_ast_expr *x = expr->args; x; x = x->next)
		if (rn_resolve_has_agg(scope, x))
			return true;
	return false;
}

/* ---- constants after the first argument ---- */

/* Types a parameter. Returns false, and reports, unless it is a number in the unit of `like` (NULL:
 * a plain number). */
static bool constant_param(struct rn_resolve_scope *s, struct rn_ast_expr *e,
			   const struct rn_ast_expr *like, double *out)
{
	rn_resolve_expr(s, e, IN_CONSTANT);
	if (is_error(e))
		return false;
	if (!rn_resolve_constant_number(e, out)) {
		scope_error(s, "E-TYPE", e->span, "a constant number is needed here");
		return false;
	}
	if (like ? is_error(like) || rn_resolve_units_agree(like, e) : !e->ty.unit)
		return true;
	if (like)
		rn_resolve_report_units(s, like, e);
	else
		scope_error(s, "E-UNIT", e->span, "a plain number is needed here");
	return false;
}

static bool check_quantile(struct rn_resolve_scope *s, struct rn_ast_expr *arg)
{
	double q;

	if (!constant_param(s, arg->next, NULL, &q))
		return false;
	if (q >= 0 && q <= 1)
		return true;
	scope_hint(s, scope_error(s, "E-TYPE", arg->next->span, "a quantile lies between 0 and 1"),
		   "the median is quantile(%s, 0.5)", rn_print_expr(s->resolver->arena, arg));
	return false;
}

static bool check_lhist(struct rn_resolve_scope *scope, struct rn_ast_expr *arg)
{
	enum { MAX_BUCKETS = 1000 };
	struct rn_ast_expr *lo = arg->next, *hi = lo->next, *step = hi->next;
	double low = 0, high = 0, width = 0;
	bool ok = constant_param(scope, lo, arg, &low);

	ok &= constant_param(scope, hi, arg, &high);
	ok &= constant_param(scope, step, arg, &width);
	if (!ok)
		return false;
	if (width <= 0)
		scope_error(scope, "E-TYPE", step->span,
			    "the step of a histogram is greater than 0");
	else if (high <= low)
		scope_error(scope, "E-TYPE", hi->span,
			    "the upper end of a histogram is above its lower end");
	else if ((high - low) / width > MAX_BUCKETS)
		scope_error(scope, "E-TYPE", step->span,
			    "a histogram has at most %d steps, and this has %.0f", MAX_BUCKETS,
			    (high - low) / width);
	else if (arg->ty.type != RN_T_FLOAT &&
		 (low != rint(low) || high != rint(high) || width != rint(width)))
		scope_hint(scope,
			   scope_error(scope, "E-TYPE",
				       (low != rint(low)     ? lo
					: high != rint(high) ? hi
							     : step)
					       ->span,
				       "whole numbers are sorted into whole steps"),
			   "`%s * 1.0` takes any", rn_print_expr(scope->resolver->arena, arg));
	else
		return true;
	return false;
}

static bool check_how_many(struct rn_resolve_scope *s, struct rn_ast_expr *arg)
{
	enum { MOST = 1000 };
	double k;

	if (!arg->next)
		return true;
	if (!constant_param(s, arg->next, NULL, &k))
		return false;
	if (k >= 1 && k <= MOST && k == (double)(int)k)
		return true;
	scope_error(s, "E-TYPE", arg->next->span, "how many: an integer from 1 to %d", MOST);
	return false;
}

static const struct {
	const char *name;
	bool (*check)(struct rn_resolve_scope *s, struct rn_ast_expr *arg);
} param_checks[] = {
	{"quantile", check_quantile},
	{"lhist", check_lhist},
	{"top", check_how_many},
	{"set", check_how_many},
};

static bool check_params(struct rn_resolve_scope *s, struct rn_ast_expr *e)
{
	bool ok = true;
	double ignored;

	for (size_t i = 0; i < sizeof(param_checks) / sizeof(param_checks[0]); i++)
		if (!strcmp(param_checks[i].name, e->name))
			return param_checks[i].check(s, e->args);
	for (struct rn_ast_expr *x = e->args ? e->args->next : NULL; x; x = x->next)
		ok &= constant_param(s, x, NULL, &ignored);
	return ok;
}

/* ---- aggregates ---- */

static struct rn_ty agg_result(const struct rn_agg_sig *sig, const struct rn_ast_expr *arg)
{
	struct rn_ty t = arg ? arg->ty : ty(RN_T_INT, RN_U_NONE);
	/* the difference of two times is a duration */
	enum rn_unit difference = t.unit == RN_U_EPOCH ? RN_U_NS : (enum rn_unit)t.unit;

	switch (sig->result) {
	case RN_RES_INT: return ty(RN_T_INT, RN_U_NONE);
	/* a sum of conditions counts them */
	case RN_RES_ARG:
		return t.type == RN_T_BOOL && sig->arg == RN_ARG_AMOUNT ? ty(RN_T_INT, RN_U_NONE)
									: t;
	case RN_RES_DIFF:
		return ty(t.type == RN_T_BOOL ? RN_T_INT : (enum rn_type)t.type, difference);
	case RN_RES_FLOAT_ARG_UNIT: return ty(RN_T_FLOAT, t.unit);
	case RN_RES_FLOAT_DIFF: return ty(RN_T_FLOAT, difference);
	case RN_RES_HIST: return ty(RN_T_HIST, t.unit);
	case RN_RES_LIST: return ty(RN_T_LIST, RN_U_NONE);
	case RN_RES_RATE:
		return ty(RN_T_FLOAT, arg && t.unit == RN_U_BYTE ? RN_U_BYTE_PER_S : RN_U_PER_S);
	}
	return ty_error();
}

/* Returns false, and reports, if an aggregate cannot stand here. */
static bool may_aggregate(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	struct rn_diag_item *it;

	switch (scope->place) {
	case IN_WHERE:
		it = scope_error(scope, "E-AGG-WHERE", expr->span,
				 "`%s` is an aggregate, and `where` sees one event at a time",
				 expr->name);
		scope_hint(scope, it, "groups are filtered after they are made: use `having`");
		return false;
	case IN_KEY:
		it = scope_error(scope, "E-AGG-WHERE", expr->span,
				 "`%s` is an aggregate, and `by` makes the groups", expr->name);
		scope_hint(scope, it,
			   "to group by a result, take it from a nested query: ... of (%s of ...) "
			   "by ...",
			   expr->name);
		return false;
	case IN_AGG_ARG:
		it = scope_error(scope, "E-AGG-NESTED", expr->span,
				 "`%s` stands inside another aggregate", expr->name);
		scope_hint(scope, it,
			   "take it from a nested query: max(c) of (count as c of ... by ...)");
		return false;
	case IN_CONSTANT:
		scope_error(scope, "E-TYPE", expr->span, "a constant is needed here");
		return false;
	default: return true;
	}
}

/* Does the aggregate need amounts? For numbers that are codes (errors, devices) sums, values in
 * between and differences mean nothing. Times can lie between others. */
static bool is_of_amounts(const struct rn_agg_sig *sig, enum rn_unit unit)
{
	return sig->arg == RN_ARG_AMOUNT ||
	       (unit != RN_U_EPOCH && (sig->result == RN_RES_HIST || sig->result == RN_RES_DIFF ||
				       sig->result == RN_RES_FLOAT_DIFF));
}

/* True, and reported, if the argument is a code and the aggregate needs amounts. */
static bool refuse_name(struct rn_resolve_scope *scope, const struct rn_agg_sig *sig,
			const struct rn_ast_expr *arg)
{
	static const char *const names[] = {
		[RN_U_EPOCH] = "times", [RN_U_ERRNO] = "errors", [RN_U_DEV] = "devices"};
	const char *of = arg->ty.unit >= RN_U_OPEN                       ? "names"
			 : arg->ty.unit < sizeof(names) / sizeof(*names) ? names[arg->ty.unit]
									 : NULL,
		   *x = rn_print_expr(scope->resolver->arena, arg);
	struct rn_diag_item *it;

	if (!of || !is_of_amounts(sig, arg->ty.unit))
		return false;
	it = scope_error(scope, "E-UNIT", arg->span, "`%s` of %s would mean nothing", sig->name,
			 of);
	if (arg->ty.unit == RN_U_EPOCH)
		scope_hint(scope, it, "a time has min and max");
	else if (sig->result == RN_RES_HIST)
		scope_hint(scope, it, "count with `by %s` says how many there were of each", x);
	else if (arg->ty.unit == RN_U_ERRNO)
		scope_hint(scope, it, "sum(%s != 0) says how many there were, set(%s) which ones",
			   x, x);
	else
		scope_hint(scope, it, "set(%s) says which ones there are", x);
	return true;
}

/* Is the argument, whose type is known, one that the aggregate takes? Reports it if not. */
static bool check_arg(struct rn_resolve_scope *scope, const struct rn_agg_sig *sig,
		      const struct rn_ast_expr *arg)
{
	const char *x = rn_print_expr(scope->resolver->arena, arg);

	if (is_error(arg))
		return false;
	if (sig->arg != RN_ARG_ANY && !is_number(arg->ty) && arg->ty.type != RN_T_BOOL) {
		struct rn_diag_item *it = scope_error(scope, "E-TYPE", arg->span,
						      "`%s` needs a number, and this is %s",
						      sig->name, rn_resolve_type_phrase(arg->ty));

		if (is_text(arg->ty) || arg->ty.type == RN_T_IP)
			scope_hint(scope, it,
				   "for text there are first(%s), last(%s), set(%s) and "
				   "distinct(%s)",
				   x, x, x, x);
		return false;
	}
	if (arg->ty.type == RN_T_HIST || arg->ty.type == RN_T_LIST) {
		scope_error(scope, "E-TYPE", arg->span, "`%s` cannot take %s", sig->name,
			    rn_resolve_type_phrase(arg->ty));
		return false;
	}
	return !refuse_name(scope, sig, arg) &&
	       (sig->arg == RN_ARG_ANY || !rn_resolve_refuse_hex(scope, arg));
}

/* Takes the condition off the arguments; NULL: there is none. */
static struct rn_ast_expr *take_condition(struct rn_ast_expr *call)
{
	struct rn_ast_expr **x = &call->args, *condition;

	if (!call->partial)
		return NULL;
	while ((*x)->next)
		x = &(*x)->next;
	condition = *x;
	*x = NULL;
	return condition;
}

static void put_condition(struct rn_ast_expr *call, struct rn_ast_expr *condition)
{
	struct rn_ast_expr **x = &call->args;

	while (*x)
		x = &(*x)->next;
	*x = condition;
}

/* Types the condition of an aggregate of a part. */
static bool resolve_part(struct rn_resolve_scope *scope, struct rn_ast_expr *condition)
{
	if (!condition)
		return true;
	rn_resolve_condition(scope, condition, IN_AGG_ARG, "where");
	return !is_error(condition);
}

static void resolve_aggregate(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			      const struct rn_agg_sig *sig)
{
	struct rn_ast_expr *condition = take_condition(expr), *arg = expr->args;
	bool takes_arg = sig->arg != RN_ARG_NONE, ok;
	unsigned n = rn_resolve_count_args(expr) + expr->partial;
	unsigned min = (takes_arg && !sig->arg_optional ? 1u : 0u) + sig->min_params;
	unsigned max = (takes_arg ? 1u : 0u) + sig->max_params;

	expr->agg = sig;
	expr->ty = ty_error();
	ok = may_aggregate(scope, expr);
	if (n < min || n > max) {
		put_condition(expr, condition);
		rn_resolve_report_arity(scope, expr, min, max, sig->doc);
		return;
	}
	if (arg) {
		/* Even if no aggregate can stand here: the argument may be wrong, too. */
		rn_resolve_expr(scope, arg, IN_AGG_ARG);
		ok &= check_arg(scope, sig, arg);
		if (n > 1)
			ok &= check_params(scope, expr);
	}
	ok &= resolve_part(scope, condition);
	put_condition(expr, condition);
	if (ok)
		expr->ty = agg_result(sig, arg);
}

void rn_resolve_call(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const struct rn_agg_sig *sig = rn_resolve_find_agg(scope, expr->name);
	const struct rn_func *func = sig ? NULL : rn_func_find(expr->name);
	bool of_groups = func == &rn_func_share || func == &rn_func_delta;

	if (means_field(scope, expr, scope->place == IN_ITEM || scope->place == IN_OUTPUT)) {
		/* count of tracepoint "syscalls:sys_enter_read" */
		if (sig && scope->place == IN_ITEM && scope->cls &&
		    scope->cls->kind == RN_CLASS_EVENT)
			scope_hint(scope,
				   rn_diag_add(scope->resolver->diag, RN_NOTE, "N-BAREWORD",
					       expr->span,
					       "`%s` is a field of %s here, not the aggregate",
					       expr->name, rn_resolve_source_text(scope)),
				   "sum(1) counts events");
		expr->kind = RN_AST_NAME;
		expr->bare = false;
		rn_resolve_name(scope, expr);
		return;
	}
	if ((of_groups || func == &rn_func_text) && scope->inner &&
	    rn_resolve_is_inner_column(scope, expr)) {
		rn_resolve_as_column(scope, expr);
		return;
	}
	if (sig && means_column(scope, expr)) {
		if (expr->bare && scope->place == IN_ITEM) {
			struct rn_diag_item *it = rn_diag_add(
				scope->resolver->diag, RN_NOTE, "N-BAREWORD", expr->span,
				"`%s` is a column of %s here, not the aggregate", expr->name,
				rn_resolve_source_text(scope));

			scope_hint(scope, it,
				   "for the aggregate give the column another name: %s as n",
				   expr->name);
		}
		rn_resolve_as_column(scope, expr);
		return;
	}
	if (sig)
		resolve_aggregate(scope, expr, sig);
	else if (of_groups)
		rn_resolve_group_function(scope, expr, func);
	else if (func)
		rn_resolve_function(scope, expr, func);
	else
		rn_resolve_report_function(scope, expr);
}
