/* named_words.c - words that are numbers: newstate = TCP_ESTABLISHED, flags & (O_CREAT | O_EXCL). A
 * word beside a field whose numbers have names, also across operators of bits, is such a name
 * first, and then a field; it is never a text. Names that each kernel numbers for itself stay
 * texts: reason = NO_SOCKET. */
#include "lang/catalog/numbering.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"
#include "lang/values/named.h"

static bool joins_bits(const struct rn_ast_expr *e)
{
	return e->kind == RN_AST_BINARY && rn_op_is_bits(e->op);
}

/* The unit of the field, or of the nested query's column, of that name. */
static enum rn_unit unit_of_name(const struct rn_resolve_scope *scope, const char *name)
{
	const struct rn_field *f = scope->cls ? rn_class_field(scope->cls, name) : NULL;

	if (f)
		return (enum rn_unit)f->ty.unit;
	for (const struct rn_ast_item *it = scope->inner ? scope->inner->items : NULL; it;
	     it = it->next)
		if (it->label && !strcmp(it->label, name))
			return (enum rn_unit)it->expr->ty.unit;
	return RN_U_NONE;
}

enum rn_unit rn_resolve_named_unit(const struct rn_resolve_scope *scope,
				   const struct rn_ast_expr *expr)
{
	enum rn_unit unit = RN_U_NONE;

	if (expr->kind == RN_AST_NAME) {
		unit = unit_of_name(scope, expr->name);
		return rn_named_set(unit) ? unit : RN_U_NONE;
	}
	for (const struct rn_ast_expr *x = joins_bits(expr) ? expr->args : NULL; x && !unit;
	     x = x->next)
		unit = rn_resolve_named_unit(scope, x);
	return unit;
}

static void report(struct rn_resolve_scope *scope, struct rn_ast_expr *e, enum rn_unit unit)
{
	struct rn_diag_item *it = scope_error(
		scope, "E-NAME-FIELD", e->span, "`%s` is neither a field of %s nor a name of %s",
		e->name, rn_resolve_source_text(scope), rn_resolve_type_phrase(ty(RN_T_INT, unit)));

	rn_resolve_hint_nearest(scope, it, e->name, rn_named_all(scope->resolver->arena, unit),
				rn_arena_printf(scope->resolver->arena,
						"such names are like %s; or write a number",
						rn_named_example(unit)));
	make_literal(e, rn_null(), ty_error(), NULL);
}

void rn_resolve_adopt_named(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			    enum rn_unit unit)
{
	int64_t number;

	if (expr->kind == RN_AST_NAME) {
		if (rn_named_parse(unit, expr->name, strlen(expr->name), &number))
			make_literal(expr, rn_int(number), ty(RN_T_INT, unit), expr->name);
		else if (!rn_resolve_knows_name(scope, expr))
			report(scope, expr, unit);
	}
	for (struct rn_ast_expr *x = joins_bits(expr) ? expr->args : NULL; x; x = x->next)
		rn_resolve_adopt_named(scope, x, unit);
}

/* ---- names that each kernel numbers for itself ---- */

/* The field that a name stands for, or that the nested query's column of that name shows. */
static const struct rn_field *field_of_name(const struct rn_resolve_scope *scope,
					    const struct rn_ast_expr *expr)
{
	const struct rn_class *cls;
	const struct rn_field *f = NULL;

	if (expr->kind != RN_AST_NAME)
		return NULL;
	if (scope->cls)
		f = rn_class_field(scope->cls, expr->name);
	for (const struct rn_ast_item *it = f || !scope->inner ? NULL : scope->inner->items; it;
	     it = it->next)
		if (it->label && !strcmp(it->label, expr->name))
			f = rn_resolve_find_field(scope->inner, it->expr, &cls);
	return f;
}

void rn_resolve_adopt_numbered(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			       const struct rn_ast_expr *beside)
{
	const struct rn_field *f = field_of_name(scope, beside);
	const char *word, *name;

	if (!f || (expr->kind != RN_AST_NAME && !is_string_literal(expr)))
		return;
	word = expr->kind == RN_AST_NAME
		       ? expr->name
		       : rn_arena_strndup(scope->resolver->arena, expr->value.s, expr->value.len);
	name = rn_numbering_short(f, word);
	/* no field is called as an enumeration in C is; a short name may be one that only other
	 * kernels have, and is then a text as any bareword is */
	if (name != word || (expr->kind == RN_AST_NAME && f->numbering &&
			     rn_numbering_knows(f->numbering, name, strlen(name))))
		make_literal(expr, rn_strn(name, strlen(name)), ty(RN_T_STR, RN_U_NONE), NULL);
}

/* ---- both ---- */

void rn_resolve_named_words(struct rn_resolve_scope *scope, struct rn_ast_expr *left,
			    struct rn_ast_expr *right)
{
	enum rn_unit unit = rn_resolve_named_unit(scope, left);

	if (!unit && right)
		unit = rn_resolve_named_unit(scope, right);
	if (!unit && right) {
		rn_resolve_adopt_numbered(scope, right, left);
		rn_resolve_adopt_numbered(scope, left, right);
	}
	if (!unit)
		return;
	rn_resolve_adopt_named(scope, left, unit);
	if (right)
		rn_resolve_adopt_named(scope, right, unit);
}

/* The value of an integer, or of constants joined by operators of bits. */
static bool constant_bits(const struct rn_ast_expr *e, int64_t *out)
{
	int64_t x, y;

	if (e->kind == RN_AST_LITERAL && e->value.kind == RN_INT) {
		*out = e->value.i;
		return true;
	}
	if (!joins_bits(e) || !constant_bits(e->args, &x) || !constant_bits(e->args->next, &y))
		return false;
	switch (e->op) {
	case RN_OP_BITOR: *out = x | y; return true;
	case RN_OP_BITXOR: *out = x ^ y; return true;
	case RN_OP_BITAND: *out = x & y; return true;
	case RN_OP_SHL: *out = y < 0 || y > 63 ? 0 : (int64_t)((uint64_t)x << y); break;
	default: *out = y < 0 || y > 63 ? 0 : x >> y; break;
	}
	return y >= 0 && y <= 63;
}

void rn_resolve_fold_bits(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	int64_t value;

	if (joins_bits(expr) && !is_error(expr) && constant_bits(expr, &value))
		make_literal(expr, rn_int(value), expr->ty,
			     rn_print_expr(scope->resolver->arena, expr));
}
