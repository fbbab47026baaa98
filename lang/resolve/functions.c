/* functions.c - scalar functions: their arguments, by the kinds of lang/catalog/funcs.c, and their
 * type. */
#include <math.h>
#include "lang/catalog/funcs.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/foreign/words.h"
#include "lang/syntax/print.h"
#include "lang/values/minhash.h"
#include "lang/values/regex.h"

unsigned rn_resolve_count_args(const struct rn_ast_expr *e)
{
	unsigned n = 0;

	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		n++;
	return n - e->partial;
}

void rn_resolve_report_arity(struct rn_resolve_scope *s, const struct rn_ast_expr *e, unsigned min,
			     unsigned max, const char *doc)
{
	unsigned n = rn_resolve_count_args(e);
	struct rn_diag_item *it;

	if (max == 0)
		it = scope_error(s, "E-TYPE", e->span, "`%s` takes no argument", e->name);
	else if (min == max)
		it = scope_error(s, "E-TYPE", e->span, "`%s` takes %u argument%s, and this has %u",
				 e->name, min, min == 1 ? "" : "s", n);
	else
		it = scope_error(s, "E-TYPE", e->span,
				 "`%s` takes %u to %u arguments, and this has %u", e->name, min,
				 max, n);
	if (doc && doc[0])
		scope_hint(s, it, "%s", doc);
}

static bool check_network(struct rn_resolve_scope *s, const struct rn_ast_expr *x)
{
	unsigned char net[RN_IP_BYTES];
	unsigned bits;

	if (is_string_literal(x) && rn_ip_parse_net(x->value.s, x->value.len, net, &bits))
		return true;
	scope_hint(s, scope_error(s, "E-TYPE", x->span, "this is not a network"),
		   "write it like \"10.0.0.0/8\"");
	return false;
}

static bool check_step(struct rn_resolve_scope *scope, const struct rn_ast_expr *of,
		       const struct rn_ast_expr *step)
{
	double width;

	if (rn_unit_is_code(of->ty.unit)) {
		scope_hint(scope,
			   scope_error(scope, "E-UNIT", of->span,
				       "a `bucket` of %s would mean nothing",
				       of->ty.unit == RN_U_ERRNO ? "errors"
				       : of->ty.unit == RN_U_DEV ? "devices"
								 : "names"),
			   "group by it as it is: by %s",
			   rn_print_expr(scope->resolver->arena, of));
		return false;
	}
	if (!rn_resolve_constant_number(step, &width) || width <= 0 || width != rint(width)) {
		scope_error(scope, "E-TYPE", step->span,
			    "the step of a bucket is a whole constant greater than 0");
		return false;
	}
	if (rn_resolve_units_agree(of, step) ||
	    (of->ty.unit == RN_U_EPOCH && step->ty.unit == RN_U_NS))
		return true;
	rn_resolve_report_units(scope, of, step);
	return false;
}

/* The result is whole, so it has to be a number, or of the unit of what is divided. */
static bool check_divisor(struct rn_resolve_scope *scope, const struct rn_ast_expr *of,
			  const struct rn_ast_expr *by)
{
	struct rn_diag_item *it;

	if (is_error(of) || !by->ty.unit || by->ty.unit == of->ty.unit)
		return !is_error(of);
	it = scope_error(scope, "E-UNIT", by->span, "%s has no whole part by %s",
			 rn_resolve_type_phrase(of->ty), rn_resolve_type_phrase(by->ty));
	it->also = of->span;
	scope_hint(scope, it, "`/` gives what there is of one for each of the other");
	return false;
}

/* The words for the argument that a kind requires. */
static const char *wanted(enum rn_arg_kind k)
{
	switch (k) {
	case RN_ARG_TEXT:
	case RN_ARG_REGEX:
	case RN_ARG_NETWORK: return "a string";
	case RN_ARG_CONDITION: return "a condition";
	case RN_ARG_TIME: return "a time";
	case RN_ARG_PRINTED: return "text, a plain number or a size";
	case RN_ARG_NOT_NEGATIVE: return "a plain number";
	case RN_ARG_NTH:
	case RN_ARG_IP: return "an ip";
	case RN_ARG_SKETCH: return "payload, a text or a sketch";
	case RN_ARG_INT:
	case RN_ARG_WHOLE: return "an integer";
	default: return "a number";
	}
}

static bool check_nth(struct rn_resolve_scope *scope, const struct rn_ast_expr *x)
{
	double n;

	if (!rn_resolve_constant_number(x, &n) || n != 0)
		return true;
	scope_error(scope, "E-TYPE", x->span, "parts are counted from 1, and from the end by -1");
	return false;
}

static bool check_regex(struct rn_resolve_scope *scope, const struct rn_ast_expr *x)
{
	if (is_string_literal(x))
		return rn_resolve_check_regex(scope, x);
	scope_error(scope, "E-TYPE", x->span, "the regular expression of `extract` is a constant");
	return false;
}

/* Checks one argument, whose type is known, against its kind. */
static bool check_argument(struct rn_resolve_scope *scope, const struct rn_func *func,
			   struct rn_ast_expr *e, unsigned i, struct rn_ast_expr *x)
{
	enum rn_arg_kind kind = i < func->max_args ? (enum rn_arg_kind)func->arg[i] : RN_ARG_ANY;
	struct rn_diag_item *it;

	if (is_error(x))
		return false;
	if (kind == RN_ARG_NETWORK)
		return check_network(scope, x);
	if (kind != RN_ARG_ANY && kind != RN_ARG_LIKE && rn_resolve_refuse_hex(scope, x))
		return false;
	if (kind != RN_ARG_ANY && !rn_func_takes(func, i, x->ty)) {
		if (kind == RN_ARG_STEP)
			/* this says more than that it is no number */
			return check_step(scope, e->args, x);
		it = scope_error(scope, "E-TYPE", x->span, "`%s` needs %s, and this is %s",
				 func->name, wanted(kind),
				 kind == RN_ARG_WHOLE && is_number(x->ty)
					 ? "a float"
					 : rn_resolve_type_phrase(x->ty));

		if (kind == RN_ARG_WHOLE && is_number(x->ty))
			rn_resolve_hint_whole(scope, it, x);
		else if (kind == RN_ARG_NOT_NEGATIVE && x->ty.unit == RN_U_NS)
			scope_hint(scope, it, "first make it a number: %s(%s / 1ms)", func->name,
				   rn_print_expr(scope->resolver->arena, x));
		return false;
	}
	if (kind == RN_ARG_DIVISOR)
		return check_divisor(scope, e->args, x);
	if (kind == RN_ARG_NTH)
		return check_nth(scope, x);
	if (kind == RN_ARG_REGEX)
		return check_regex(scope, x);
	return kind != RN_ARG_STEP || is_error(e->args) || !is_number(e->args->ty) ||
	       check_step(scope, e->args, x);
}

/* If expr is `data`, takes the field `sketch` instead. Its maker sees the whole payload, and no
 * payload leaves the kernel. */
static bool check_sketch(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const struct rn_field *sketch;
	struct rn_diag_item *it;

	if (is_error(expr))
		return false;
	if (expr->kind == RN_AST_LITERAL && expr->value.kind == RN_STR &&
	    expr->value.len < RN_SHINGLE_BYTES) {
		it = scope_error(scope, "E-TYPE", expr->span,
				 "`similar` compares sequences of %d bytes, and this has %u",
				 RN_SHINGLE_BYTES, expr->value.len);
		scope_hint(scope, it, "for a short text search it: `data ~ \"*abc*\"`, or `tag`");
		return false;
	}
	if (expr->kind != RN_AST_NAME || !expr->field || expr->field->ty.type != RN_T_BYTES ||
	    !scope->cls)
		return true;
	sketch = rn_class_field(scope->cls, "sketch");
	if (!sketch) {
		it = scope_error(scope, "E-NAME-FIELD", expr->span,
				 "%s has no field `sketch`, which `similar` takes of `%s`",
				 rn_resolve_source_text(scope), expr->name);
		scope_hint(scope, it,
			   scope->query->from ? "record it: time, sketch of ... into"
					      : "system calls that move data have one");
		return false;
	}
	expr->name = sketch->name;
	expr->field = sketch;
	expr->ty = sketch->ty;
	return true;
}

/* proc is null: of an event, only its beginning may be missing. */
static void note_never_null(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	const struct rn_ast_expr *x = expr->args;
	bool text = is_text(x->ty);

	if (x->kind != RN_AST_NAME || !x->field || x->field->unsure || scope->inner ||
	    scope->query->from)
		return;
	scope_hint(scope,
		   rn_diag_add(scope->resolver->diag, RN_NOTE, "N-NEVER", expr->span,
			       "`%s` is never null", x->name),
		   text ? "if an event has none, it is empty: %s = \"\""
			: "if an event has none, it is 0, or -1 for a descriptor: %s = 0",
		   x->name);
}

/* The next argument that has to be like the others, from x on; *i is the number of x. */
static struct rn_ast_expr *next_like(const struct rn_func *func, struct rn_ast_expr *x, unsigned *i)
{
	for (; x; x = x->next, ++*i)
		if (*i < func->max_args && func->arg[*i] == RN_ARG_LIKE)
			return x;
	return NULL;
}

/* What the others have to be like: the first that says what it is. */
static struct rn_ast_expr *model(struct rn_resolve_scope *scope, const struct rn_func *func,
				 struct rn_ast_expr *args)
{
	unsigned i = 0;
	struct rn_ast_expr *first = next_like(func, args, &i), *x = first, *literal = NULL;

	for (; x; i++, x = next_like(func, x->next, &i)) {
		if (x->kind == RN_AST_NAME && !rn_resolve_knows_name(scope, x))
			continue;
		if (x->kind != RN_AST_LITERAL)
			return x;
		if (!literal)
			literal = x;
	}
	return literal ? literal : first;
}

/* if(error = 0, ok, 3) */
static void report_word(struct rn_resolve_scope *scope, struct rn_ast_expr *x)
{
	scope_hint(scope,
		   scope_error(scope, "E-NAME-FIELD", x->span, "`%s` is not a field of %s", x->name,
			       rn_resolve_source_text(scope)),
		   "as text it stands in quotes: \"%s\"", x->name);
	x->ty = ty_error();
}

/* A word beside text is text, beside an error the name of one. */
static void adopt_word(struct rn_resolve_scope *scope, struct rn_ast_expr *x,
		       const struct rn_ast_expr *like)
{
	if (is_text(like->ty) || rn_unit_is_code(like->ty.unit) || is_error(like))
		rn_resolve_adopt_bareword(scope, x, like);
	else
		report_word(scope, x);
}

/* Types all arguments. A bareword among those that are alike is what the others are. */
static void resolve_args(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			 const struct rn_func *func)
{
	struct rn_ast_expr *like = model(scope, func, expr->args);
	unsigned i = 0;

	if (like && like->kind == RN_AST_NAME && !rn_resolve_knows_name(scope, like))
		report_word(scope, like);
	else if (like)
		rn_resolve_expr(scope, like, scope->place);
	for (struct rn_ast_expr *x = expr->args; x; x = x->next, i++) {
		bool alike = i < func->max_args && func->arg[i] == RN_ARG_LIKE && x != like;

		if (alike && x->kind == RN_AST_NAME && !rn_resolve_knows_name(scope, x))
			adopt_word(scope, x, like);
		else if (x != like)
			rn_resolve_expr(scope, x, scope->place);
		if (alike) {
			rn_resolve_coerce_literal(scope, x, like);
			rn_resolve_coerce_literal(scope, like, x);
		}
		if (i < func->max_args && func->arg[i] == RN_ARG_IP)
			rn_resolve_coerce_literal(
				scope, x, &(struct rn_ast_expr){.ty = ty(RN_T_IP, RN_U_NONE)});
	}
}

/* if(c, bytes, 0), least(latency, 1s): are they of one type and unit? */
static bool check_alike(struct rn_resolve_scope *scope, const struct rn_func *func,
			struct rn_ast_expr *args)
{
	unsigned i = 0;
	struct rn_ast_expr *first = next_like(func, args, &i), *x = first;

	while (x) {
		i++;
		x = next_like(func, x->next, &i);
		if (!x)
			break;
		if (is_error(first) || is_error(x))
			return false;
		if (is_number(first->ty) && is_number(x->ty)) {
			if (rn_resolve_units_agree(first, x))
				continue;
			rn_resolve_report_units(scope, first, x);
			return false;
		}
		if ((is_text(first->ty) && is_text(x->ty)) || first->ty.type == x->ty.type)
			continue;
		scope_error(scope, "E-TYPE", x->span,
			    "`%s` gives one of its arguments, and these differ: %s and %s",
			    func->name, rn_resolve_type_phrase(first->ty),
			    rn_resolve_type_phrase(x->ty))
			->also = first->span;
		return false;
	}
	return true;
}

/* A float if one of them is; the unit of those that have one; payload if one of them is. */
static struct rn_ty common_type(const struct rn_func *func, struct rn_ast_expr *args)
{
	unsigned i = 0;
	struct rn_ast_expr *x = next_like(func, args, &i);
	struct rn_ty r = x->ty;

	for (; x; i++, x = next_like(func, x->next, &i)) {
		if (x->ty.type == RN_T_FLOAT || x->ty.type == RN_T_BYTES)
			r.type = x->ty.type;
		else if (is_text(r) && r.type != RN_T_BYTES && x->ty.type != r.type)
			r.type = RN_T_STR;
		if (!r.unit)
			r.unit = x->ty.unit;
	}
	return r;
}

static struct rn_ty function_result(const struct rn_func *func, struct rn_ast_expr *first)
{
	const struct rn_ast_expr *second = first ? first->next : NULL;
	struct rn_ty r = func->result;

	if (func->arg[1] == RN_ARG_LIKE)
		return common_type(func, first);
	if (r.type == RN_T_ERROR && first)
		return first->ty;
	if (r.unit != RN_UNIT_OF_FIRST || !first)
		return r;
	r.unit = first->ty.unit;
	if (rn_unit_is_code(r.unit) ||
	    (second && func->arg[1] == RN_ARG_DIVISOR && second->ty.unit == r.unit))
		r.unit = RN_U_NONE;
	return r;
}

/* len(file where fd > 3) */
static void refuse_condition(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	const struct rn_ast_expr *x = expr->args;

	while (x->next)
		x = x->next;
	scope_hint(scope,
		   scope_error(scope, "E-TYPE", x->span,
			       "`where` stands in an aggregate, and `%s` is none", expr->name),
		   "of one value it is if(%s, ...)", rn_print_expr(scope->resolver->arena, x));
}

/* ---- text(arg0) ---- */

/* The field that is the text at an argument; NULL, and reported: there is none. */
static const struct rn_field *text_field(struct rn_resolve_scope *scope,
					 const struct rn_ast_expr *call)
{
	struct rn_arena *arena = scope->resolver->arena;
	const struct rn_ast_expr *of = call->args;
	const struct rn_field *field = NULL;
	struct rn_diag_item *it;

	if (of->kind == RN_AST_NAME && scope->cls)
		field = rn_class_field(scope->cls, rn_arena_printf(arena, "text(%s)", of->name));
	if (field)
		return field;
	if (scope->cls && rn_class_field(scope->cls, "text(arg0)")) {
		bool ret = rn_class_field(scope->cls, "text(ret)");

		it = scope_error(scope, "E-NAME-FIELD", of->span,
				 "`text` takes an argument of %s as it is, and this is `%s`",
				 rn_resolve_source_text(scope), rn_print_expr(arena, of));
		scope_hint(scope, it, "write text(arg0), text(arg1), ...%s",
			   ret ? ", or text(ret)" : "");
		return NULL;
	}
	it = scope_error(scope, "E-NAME-FIELD", call->span, "%s has no addresses for `text`",
			 scope->cls ? rn_resolve_source_text(scope) : "this source");
	scope_hint(scope, it,
		   scope->query->from
			   ? "record it: time, text(arg0) of ... into"
			   : "it reads what arguments of functions and of static probes point to: "
			     "count of user \"libc:getenv\" by text(arg0)");
	return NULL;
}

/* Is n, in text(arg0, n), a number of bytes that there may be? Reports it if not. */
static bool check_text_bytes(struct rn_resolve_scope *scope, struct rn_ast_expr *n)
{
	double bytes;

	rn_resolve_expr(scope, n, IN_CONSTANT);
	if (is_error(n))
		return false;
	if (n->ty.type == RN_T_INT && !n->ty.unit && rn_resolve_constant_number(n, &bytes) &&
	    bytes >= 1 && bytes <= RN_TEXT_BYTES)
		return true;
	scope_hint(scope,
		   scope_error(scope, "E-TYPE", n->span, "`text` has 1 to %d bytes", RN_TEXT_BYTES),
		   "write a number of bytes: text(arg0, 16)");
	return false;
}

/* The field; or a part of it, if the number of bytes is given: substr(text(arg0), 0, n). */
static void resolve_text(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	struct rn_ast_expr *n = expr->args ? expr->args->next : NULL, *name = expr, *zero;
	const struct rn_field *field;

	if (!expr->args || (n && n->next)) {
		rn_resolve_report_arity(scope, expr, 1, 2, rn_func_text.doc);
		return;
	}
	field = text_field(scope, expr);
	if (!field || (n && !check_text_bytes(scope, n)))
		return;
	if (n) {
		name = RN_NEW(scope->resolver->arena, struct rn_ast_expr);
		zero = RN_NEW(scope->resolver->arena, struct rn_ast_expr);
		*name = *zero = *expr;
		make_literal(zero, rn_int(0), ty(RN_T_INT, RN_U_NONE), "0");
		name->next = zero;
		zero->next = n;
		expr->args = name;
		expr->name = "substr";
	}
	name->kind = RN_AST_NAME;
	name->name = field->name;
	name->args = NULL;
	name->func = NULL;
	name->bare = false;
	rn_resolve_name(scope, name);
	if (n)
		rn_resolve_function(scope, expr, rn_func_find("substr"));
}

void rn_resolve_function(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			 const struct rn_func *func)
{
	unsigned n = rn_resolve_count_args(expr), i = 0;
	bool ok = true;

	expr->func = func;
	expr->ty = ty_error();
	if (expr->partial) {
		refuse_condition(scope, expr);
		return;
	}
	if (func == &rn_func_text) {
		resolve_text(scope, expr);
		return;
	}
	resolve_args(scope, expr, func);
	for (struct rn_ast_expr *x = expr->args; x; x = x->next, i++) {
		ok &= i >= func->max_args || func->arg[i] != RN_ARG_SKETCH ||
		      check_sketch(scope, x);
		ok &= check_argument(scope, func, expr, i, x);
	}
	if (n < func->min_args || n > rn_func_written(func)) {
		rn_resolve_report_arity(scope, expr, func->min_args, rn_func_written(func),
					func->doc);
		return;
	}
	ok = ok && check_alike(scope, func, expr->args);
	if (ok)
		expr->ty = function_result(func, expr->args);
	if (ok && func == &rn_func_is_null)
		note_never_null(scope, expr);
}

void rn_resolve_report_function(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	/* the name, without its arguments */
	struct rn_span span = {expr->span.start, expr->span.start + (uint32_t)strlen(expr->name),
			       expr->span.src};
	struct rn_diag_item *it =
		scope_error(scope, "E-NAME-FUNC", span, "there is no function `%s`", expr->name);
	const char **known;
	size_t n = 0;

	for (const struct rn_agg_sig *const *a = scope->catalog->aggs; a && *a; a++)
		n++;
	for (unsigned i = 0; rn_func_at(i); i++)
		n++;
	known = RN_NEWN(scope->resolver->arena, const char *, n + 1);
	n = 0;
	for (const struct rn_agg_sig *const *a = scope->catalog->aggs; a && *a; a++)
		known[n++] = (*a)->name;
	for (unsigned i = 0; rn_func_at(i); i++)
		known[n++] = rn_func_at(i)->name;
	if (rn_foreign_name(RN_FOREIGN_FUNC, expr->name))
		scope_hint(scope, it, "did you mean `%s`?",
			   rn_foreign_name(RN_FOREIGN_FUNC, expr->name));
	else if (rn_quantile_hint(scope->resolver->arena, expr->name))
		scope_hint(scope, it, "%s", rn_quantile_hint(scope->resolver->arena, expr->name));
	else if (rn_foreign_call(expr->name))
		scope_hint(scope, it, "%s", rn_foreign_call(expr->name));
	else if (rn_foreign_syntax(expr->name))
		scope_hint(scope, it, "%s", rn_foreign_syntax(expr->name));
	else
		rn_resolve_hint_nearest(scope, it, expr->name, known,
					"`runnel list` shows them all");
	expr->ty = ty_error();
}
