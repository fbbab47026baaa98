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

/* The field of flags: gfp_flags, gfp_flags & (__GFP_IO | __GFP_FS). A mask needs the numbers, which
 * the rows of a nested query lack. */
static const struct rn_field *flags_of(const struct rn_resolve_scope *scope,
				       const struct rn_ast_expr *expr)
{
	const struct rn_field *f = NULL;

	if (expr->kind == RN_AST_NAME && scope->cls)
		f = rn_class_field(scope->cls, expr->name);
	for (const struct rn_ast_expr *x = joins_bits(expr) ? expr->args : NULL; x && !f;
	     x = x->next)
		f = flags_of(scope, x);
	return f && f->numbering && f->numbering->flags ? f : NULL;
}

static const char *const *names_of(struct rn_arena *arena, const struct rn_numbering *numbering)
{
	const char **all = RN_NEWN(arena, const char *, numbering->n + 1);

	for (unsigned i = 0; i < numbering->n; i++)
		all[i] = numbering->of[i].name;
	return all;
}

static void no_such_flag(struct rn_resolve_scope *scope, struct rn_ast_expr *word,
			 const struct rn_field *field)
{
	struct rn_arena *arena = scope->resolver->arena;
	struct rn_diag_item *it =
		scope_error(scope, "E-NAME-FIELD", word->span,
			    "`%s` is neither a field of %s nor a name of `%s`", word->name,
			    rn_resolve_source_text(scope), field->name);

	rn_resolve_hint_nearest(
		scope, it, word->name, names_of(arena, field->numbering),
		rn_arena_printf(arena, "such names are like %s", field->numbering->of[0].name));
	make_literal(word, rn_null(), ty_error(), NULL);
}

/* Adds the bits of words joined by `|`, and of 0. False: it is no such expression, or a word is no
 * name, which is reported. */
static bool bits_of_words(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			  const struct rn_field *field, int64_t *bits)
{
	int64_t more = 0;

	if (expr->kind == RN_AST_BINARY && expr->op == RN_OP_BITOR) {
		bool left = bits_of_words(scope, expr->args, field, bits),
		     right = bits_of_words(scope, expr->args->next, field, bits);

		return left && right;
	}
	if (is_string_literal(expr)) {
		if (!rn_numbering_bits(field->numbering, expr->value.s, expr->value.len, &more))
			return false;
	} else if (expr->kind == RN_AST_NAME) {
		if (!rn_numbering_bits(field->numbering, expr->name, strlen(expr->name), &more)) {
			if (!rn_resolve_knows_name(scope, expr))
				no_such_flag(scope, expr, field);
			return false;
		}
	} else if (expr->kind != RN_AST_LITERAL || expr->value.kind != RN_INT || expr->value.i) {
		return false;
	}
	*bits |= more;
	return true;
}

static bool has_error(const struct rn_ast_expr *e)
{
	bool has = e->kind == RN_AST_LITERAL && is_error(e);

	for (const struct rn_ast_expr *x = e->args; x && !has; x = x->next)
		has = has_error(x);
	return has;
}

static void adopt_flags(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			const struct rn_field *field)
{
	struct rn_arena *arena = scope->resolver->arena;
	int64_t bits = 0;
	const char *text;

	if (!bits_of_words(scope, expr, field, &bits)) {
		if (has_error(expr))
			make_literal(expr, rn_null(), ty_error(), NULL);
		return;
	}
	text = rn_numbering_text(arena, field->numbering, bits);
	make_literal(expr, rn_strn(text, strlen(text)), ty(RN_T_STR, RN_U_NONE), NULL);
}

bool rn_resolve_mask(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const struct rn_field *f = flags_of(scope, expr);
	struct rn_ast_expr *x = expr->args, *y = x->next;

	if (!f)
		return false;
	if (flags_of(scope, y)) { /* __GFP_IO & gfp_flags */
		expr->args = y;
		y->next = x;
		x->next = NULL;
		x = y;
		y = x->next;
	}
	adopt_flags(scope, y, f);
	return true;
}

void rn_resolve_adopt_numbered(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			       const struct rn_ast_expr *beside)
{
	const struct rn_field *f = flags_of(scope, beside);
	const char *word, *name;

	if (f) {
		adopt_flags(scope, expr, f);
		return;
	}
	f = field_of_name(scope, beside);
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
