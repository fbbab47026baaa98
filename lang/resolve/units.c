/* units.c - the algebra of types and units: what can be compared, added and multiplied, and the
 * unit of the result.
 *
 * A size is a number of bytes, an error a number, a device a number: these accept plain numbers. A
 * duration and a time do not, because the unit would be unclear; but 0 is 0 in any unit. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "lang/catalog/numbering.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"
#include "lang/values/units.h"

bool rn_resolve_constant_number(const struct rn_ast_expr *expr, double *out)
{
	if (expr->kind == RN_AST_UNARY && expr->op == RN_OP_NEG &&
	    rn_resolve_constant_number(expr->args, out)) {
		*out = -*out;
		return true;
	}
	if (expr->kind != RN_AST_LITERAL ||
	    (expr->value.kind != RN_INT && expr->value.kind != RN_FLOAT))
		return false;
	*out = expr->value.kind == RN_INT ? (double)expr->value.i : expr->value.f;
	return true;
}

static bool is_zero(const struct rn_ast_expr *e)
{
	double v;

	return rn_resolve_constant_number(e, &v) && v == 0;
}

static bool accepts_plain(enum rn_unit u)
{
	return u != RN_U_NS && u != RN_U_EPOCH;
}

bool rn_resolve_units_agree(const struct rn_ast_expr *left, const struct rn_ast_expr *right)
{
	enum rn_unit a = left->ty.unit, b = right->ty.unit;

	if (a == b || is_zero(left) || is_zero(right))
		return true;
	return (a == RN_U_NONE && accepts_plain(b)) || (b == RN_U_NONE && accepts_plain(a));
}

static const char *a_unit(enum rn_unit u)
{
	switch (u) {
	case RN_U_NS: return "a duration";
	case RN_U_BYTE: return "a size";
	case RN_U_EPOCH: return "a time";
	case RN_U_ERRNO: return "an error";
	case RN_U_DEV: return "a device";
	case RN_U_PER_S: return "a rate";
	case RN_U_BYTE_PER_S: return "a throughput";
	case RN_U_HEX: return "a hex value";
	case RN_U_PART: return "a share";
	case RN_U_OPEN: return "open flags";
	case RN_U_PROT: return "a protection";
	case RN_U_MAP: return "map flags";
	case RN_U_CLONE: return "clone flags";
	case RN_U_SIGNAL: return "a signal";
	case RN_U_FAMILY: return "an address family";
	case RN_U_TCP: return "a TCP state";
	case RN_U_PROTO: return "a protocol";
	case RN_U_TASK: return "the state of a task";
	case RN_U_FAULT: return "what a page fault was";
	case RN_U_ETHER: return "a protocol of Ethernet";
	case RN_U_SOFTIRQ: return "a deferred interrupt";
	case RN_U_WRITEBACK: return "a reason of writeback";
	default: return "a plain number";
	}
}

static const char *a_type(struct rn_ty t)
{
	const char *name = rn_type_name(t);

	if (is_number(t) && t.unit)
		return a_unit(t.unit);
	switch (t.type) {
	case RN_T_BOOL: return "a condition";
	case RN_T_STR: return "a string";
	case RN_T_IP: return "an address";
	case RN_T_TAGS: return "a set of tags";
	case RN_T_BYTES: return "payload";
	case RN_T_STACK: return "a stack";
	case RN_T_HIST: return "a histogram";
	case RN_T_LIST: return "a list";
	case RN_T_SKETCH: return "a sketch";
	case RN_T_INT:
	case RN_T_FLOAT: return "a number";
	default: return name;
	}
}

const char *rn_resolve_type_phrase(struct rn_ty t)
{
	return a_type(t);
}

/* Hints "write 10ms, not 10: `latency` is a duration" if one side is a plain literal. */
static void hint_units(struct rn_resolve_scope *scope, struct rn_diag_item *it,
		       const struct rn_ast_expr *left, const struct rn_ast_expr *right)
{
	const struct rn_ast_expr *plain = right->kind == RN_AST_LITERAL && !right->ty.unit ? right
					  : left->kind == RN_AST_LITERAL && !left->ty.unit ? left
											   : NULL;
	const struct rn_ast_expr *other = plain == right ? left : right;
	const char *number = plain ? rn_print_expr(scope->resolver->arena, plain) : NULL,
		   *what = rn_print_expr(scope->resolver->arena, other);

	if (plain && other->ty.unit == RN_U_NS)
		scope_hint(scope, it, "write %sms, not %s: `%s` is a duration", number, number,
			   what);
	else if (plain && other->ty.unit == RN_U_EPOCH)
		scope_hint(scope, it, "write a time like \"2026-11-20 10:00:00\": `%s` is a time",
			   what);
	else
		scope_hint(scope, it, "`%s` is %s, `%s` is %s",
			   rn_print_expr(scope->resolver->arena, left), a_unit(left->ty.unit),
			   rn_print_expr(scope->resolver->arena, right), a_unit(right->ty.unit));
}

/* Reports two sides that disagree; neither is wrong alone. The right one is underlined as the
 * error, the left one as what it disagrees with. */
void rn_resolve_report_units(struct rn_resolve_scope *scope, const struct rn_ast_expr *left,
			     const struct rn_ast_expr *right)
{
	struct rn_diag_item *it =
		scope_error(scope, "E-UNIT", right->span, "units differ: %s and %s",
			    a_unit(left->ty.unit), a_unit(right->ty.unit));

	it->also = left->span;
	hint_units(scope, it, left, right);
}

static bool quoted_number(const struct rn_ast_expr *e)
{
	return is_string_literal(e) && e->value.len && isdigit((unsigned char)e->value.s[0]);
}

/* The name of the parameter whose value stands here; NULL: no parameter. */
static const char *parameter(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	size_t len;
	const char *text = rn_diag_text(s->resolver->diag, e->span.src, &len);

	if (e->span.start >= len || e->span.end > len || text[e->span.start] != '$')
		return NULL;
	return rn_arena_strndup(s->resolver->arena, text + e->span.start + 1,
				e->span.end - e->span.start - 1);
}

static void report_types(struct rn_resolve_scope *scope, const struct rn_ast_expr *left,
			 const struct rn_ast_expr *right)
{
	struct rn_diag_item *it =
		scope_error(scope, "E-TYPE", right->span, "%s cannot be compared with %s",
			    a_type(left->ty), a_type(right->ty));

	it->also = left->span;
	if (left->ty.type == RN_T_STACK && is_string_literal(right))
		scope_hint(scope, it, "match its text: %s ~ \"*%.*s*\"",
			   rn_print_expr(scope->resolver->arena, left), (int)right->value.len,
			   right->value.s);
	else if (is_number(left->ty) && quoted_number(right))
		scope_hint(scope, it, "a number stands without quotes: %.*s", (int)right->value.len,
			   right->value.s);
	else if (is_text(left->ty) && right->kind == RN_AST_NAME)
		scope_hint(scope, it, "for the string write \"%s\"", right->name);
	else if (is_text(left->ty) && right->kind == RN_AST_LITERAL && is_number(right->ty) &&
		 parameter(scope, right))
		scope_hint(scope, it,
			   "that its value is text says `param %s string;` before the query",
			   parameter(scope, right));
	else if (left->field && !strcmp(left->field->name, "user") &&
		 right->kind == RN_AST_LITERAL && is_number(right->ty))
		scope_hint(scope, it, "a user's number is uid: uid = %s; a name: user = root",
			   rn_print_expr(scope->resolver->arena, right));
	else if (left->field && left->field->numbering && is_number(right->ty))
		scope_hint(scope, it, "each kernel numbers these for itself; by name: %s = %s",
			   left->field->name, left->field->numbering->of[0].name);
	else if (is_text(left->ty) && right->kind == RN_AST_LITERAL && is_number(right->ty))
		scope_hint(scope, it, "for the string write \"%s\"",
			   rn_print_expr(scope->resolver->arena, right));
	else
		scope_hint(scope, it, "`%s` is %s", rn_print_expr(scope->resolver->arena, left),
			   a_type(left->ty));
}

/* ---- literals take the type of their neighbour ---- */

static void bad_literal(struct rn_resolve_scope *s, struct rn_ast_expr *lit, const char *what,
			const char *like)
{
	struct rn_diag_item *it = scope_error(s, "E-TYPE", lit->span, "\"%.*s\" is not %s",
					      (int)lit->value.len, lit->value.s, what);

	scope_hint(s, it, "write it like %s", like);
	lit->ty = ty_error();
}

static bool parse_dev(const char *text, int64_t *out)
{
	unsigned long major, minor;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	major = strtoul(text, &end, 10);
	if (*end != ':' || !isdigit((unsigned char)end[1]))
		return false;
	minor = strtoul(end + 1, &end, 10);
	if (*end || major >= 1u << 12 || minor >= 1u << 20)
		return false;
	*out = (int64_t)major << 20 | (int64_t)minor;
	return true;
}

static bool parse_hex(const char *text, int64_t *out)
{
	char *end;

	if (strncmp(text, "0x", 2) || !isxdigit((unsigned char)text[2]) || strlen(text) > 2 + 16)
		return false;
	*out = (int64_t)strtoull(text + 2, &end, 16);
	return !*end;
}

void rn_resolve_coerce_literal(struct rn_resolve_scope *scope, struct rn_ast_expr *lit,
			       const struct rn_ast_expr *other)
{
	const char *text, *quoted;
	unsigned char ip[RN_IP_BYTES];
	int64_t i;

	if (lit->kind == RN_AST_LITERAL && lit->ty.type == RN_T_INT && other->ty.unit == RN_U_HEX &&
	    !lit->ty.unit)
		lit->ty.unit = RN_U_HEX;
	if (lit->kind == RN_AST_LITERAL && lit->value.kind == RN_STR &&
	    lit->ty.type == RN_T_BYTES && other->ty.type == RN_T_STR &&
	    !memchr(lit->value.s, 0,
		    lit->value.len)) { /* file = x"2f": no string holds a zero byte */
		lit->text = rn_print_expr(scope->resolver->arena, lit);
		lit->ty.type = RN_T_STR;
	}
	if (!is_string_literal(lit) || is_error(other))
		return;
	if (other->ty.type == RN_T_BYTES) {
		lit->text = rn_print_expr(scope->resolver->arena, lit);
		lit->ty.type = RN_T_BYTES;
		return;
	}
	text = rn_arena_strndup(scope->resolver->arena, lit->value.s, lit->value.len);
	quoted = rn_arena_printf(scope->resolver->arena, "\"%s\"", text);
	if (other->ty.type == RN_T_IP) {
		if (rn_ip_parse(text, lit->value.len, ip))
			make_literal(lit,
				     rn_strn(rn_arena_strndup(scope->resolver->arena, (char *)ip,
							      RN_IP_BYTES),
					     RN_IP_BYTES),
				     ty(RN_T_IP, RN_U_NONE), quoted);
		else
			bad_literal(scope, lit, "an address",
				    "\"10.0.0.1\", \"10.0.0.1:80\" or \"[::1]:80\"");
	} else if (other->ty.unit == RN_U_EPOCH) {
		if (rn_time_parse(text, lit->value.len, &i))
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_EPOCH), quoted);
		else
			bad_literal(scope, lit, "a time", "\"2026-11-20 10:00:00\"");
	} else if (other->ty.unit == RN_U_ERRNO) {
		i = rn_errno_parse(text, lit->value.len);
		if (i > 0)
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_ERRNO), text);
		else
			bad_literal(scope, lit, "the name of an error", "ENOENT");
	} else if (other->ty.unit == RN_U_DEV) {
		if (parse_dev(text, &i))
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_DEV), quoted);
		else
			bad_literal(scope, lit, "a device",
				    "\"8:1\": major and minor, as in /proc/partitions");
	} else if (other->ty.unit == RN_U_HEX) {
		if (parse_hex(text, &i))
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_HEX), quoted);
		else
			bad_literal(scope, lit, "a hex value", "\"0x5bd1e995\"");
	}
}

bool rn_resolve_refuse_hex(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	if (expr->ty.unit != RN_U_HEX)
		return false;
	scope_hint(scope,
		   scope_error(scope, "E-UNIT", expr->span,
			       "a hex value (a hash, a pointer) has no order, and cannot be "
			       "calculated with"),
		   "what it is for: =, !=, in, by, set(), distinct() and count");
	return true;
}

/* ---- operators ---- */

bool rn_resolve_check_comparable(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
				 const struct rn_ast_expr *left, const struct rn_ast_expr *right)
{
	bool ordered = expr->op == RN_OP_LT || expr->op == RN_OP_LE || expr->op == RN_OP_GT ||
		       expr->op == RN_OP_GE || expr->kind == RN_AST_BETWEEN;

	if (is_error(left) || is_error(right))
		return false;
	if (ordered && (rn_resolve_refuse_hex(scope, left) || rn_resolve_refuse_hex(scope, right)))
		return false;
	if (is_number(left->ty) && is_number(right->ty)) {
		if (rn_resolve_units_agree(left, right))
			return true;
		rn_resolve_report_units(scope, left, right);
		return false;
	}
	if (is_text(left->ty) && is_text(right->ty))
		return true;
	if (left->ty.type == right->ty.type &&
	    (left->ty.type == RN_T_BOOL || left->ty.type == RN_T_IP)) {
		if (!ordered)
			return true;
		scope_error(scope, "E-TYPE", expr->span, "%s has no order", a_type(left->ty));
		return false;
	}
	report_types(scope, left, right);
	return false;
}

/* The unit of left + right or left - right; false if there is none. */
static bool add_units(enum rn_op op, const struct rn_ast_expr *left,
		      const struct rn_ast_expr *right, enum rn_unit *out)
{
	enum rn_unit a = left->ty.unit, b = right->ty.unit;

	if (a == RN_U_EPOCH && b == RN_U_EPOCH) {
		*out = RN_U_NS;
		return op == RN_OP_SUB;
	}
	if (a == RN_U_EPOCH && b == RN_U_NS) {
		*out = RN_U_EPOCH;
		return true;
	}
	if (a == RN_U_NS && b == RN_U_EPOCH) {
		*out = RN_U_EPOCH;
		return op == RN_OP_ADD;
	}
	*out = a ? a : b;
	return rn_resolve_units_agree(left, right);
}

/* The type of left * right, left / right or left % right; false if it has no meaning. */
static bool multiply_types(enum rn_op op, struct rn_ty a, struct rn_ty b, struct rn_ty *out)
{
	bool whole = a.type != RN_T_FLOAT && b.type != RN_T_FLOAT;
	enum rn_unit unit = a.unit;
	int shift;

	/* A time cannot be halved. The rest after its last full second is a duration. */
	if (a.unit == RN_U_EPOCH || b.unit == RN_U_EPOCH) {
		*out = op == RN_OP_DIV ? ty(RN_T_FLOAT, RN_U_NONE) : ty(RN_T_INT, RN_U_NS);
		return (op == RN_OP_DIV && a.unit == b.unit) ||
		       (op == RN_OP_MOD && b.unit == RN_U_NS);
	}
	if (op == RN_OP_MOD) { /* the remainder has the unit of what is divided */
		*out = ty(RN_T_INT, unit);
		return a.unit == b.unit || !b.unit;
	}
	if (!rn_unit_product((enum rn_unit)a.unit, op == RN_OP_DIV, (enum rn_unit)b.unit, &unit,
			     &shift))
		return false;
	if (op == RN_OP_MUL && (!a.unit || !b.unit)) /* so many times the same */
		*out = ty(whole ? RN_T_INT : RN_T_FLOAT, unit);
	else /* a part of a duration or of a size is whole; a ratio or a rate is not */
		*out = ty(unit == RN_U_NS || unit == RN_U_BYTE ? RN_T_INT : RN_T_FLOAT, unit);
	return true;
}

void rn_resolve_hint_whole(struct rn_resolve_scope *scope, struct rn_diag_item *it,
			   const struct rn_ast_expr *expr)
{
	if (expr->kind == RN_AST_BINARY && expr->op == RN_OP_DIV)
		scope_hint(scope, it, "whole division is written div(%s, %s)",
			   rn_print_expr(scope->resolver->arena, expr->args),
			   rn_print_expr(scope->resolver->arena, expr->args->next));
	else
		scope_hint(scope, it, "div(%s, 1) is its whole part",
			   rn_print_expr(scope->resolver->arena, expr));
}

static bool has_bits(struct rn_ty t)
{
	return t.type == RN_T_INT && (t.unit == RN_U_NONE || t.unit == RN_U_BYTE ||
				      t.unit == RN_U_HEX || t.unit >= RN_U_OPEN);
}

static bool has_flags(const struct rn_ast_expr *e)
{
	return e->field && e->field->numbering && e->field->numbering->flags;
}

/* flags & 0x40, 1 << 3 */
void rn_resolve_type_bits(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	struct rn_ast_expr *l = expr->args, *r = l->next;
	double by;

	expr->ty = ty_error();
	if (is_error(l) || is_error(r))
		return;
	if (expr->op == RN_OP_BITAND && has_flags(l) && is_string_literal(r)) {
		expr->ty = ty(RN_T_STR, RN_U_NONE);
		return;
	}
	for (struct rn_ast_expr *x = l; x; x = x->next) {
		struct rn_diag_item *it;

		if (has_bits(x->ty))
			continue;
		it = scope_error(scope, "E-TYPE", x->span, "`%s` needs integers, and this is %s",
				 rn_op_text(expr->op),
				 x->ty.type == RN_T_FLOAT && !x->ty.unit
					 ? "a float"
					 : rn_resolve_type_phrase(x->ty));
		if (x->ty.type == RN_T_FLOAT && !x->ty.unit)
			rn_resolve_hint_whole(scope, it, x);
		else if (x->ty.type == RN_T_BOOL)
			scope_hint(scope, it, "conditions are joined by `and` and `or`");
		else if (has_flags(x))
			scope_hint(scope, it,
				   "each kernel numbers these for itself; by name: %s & %s != 0",
				   x->field->name, x->field->numbering->of[0].name);
		return;
	}
	if ((expr->op == RN_OP_SHL || expr->op == RN_OP_SHR) &&
	    rn_resolve_constant_number(r, &by) && (by < 0 || by > 63)) {
		scope_error(scope, "E-TYPE", r->span, "a shift is by 0 to 63 bits");
		return;
	}
	if (expr->op != RN_OP_SHL && expr->op != RN_OP_SHR && r->ty.unit >= RN_U_OPEN)
		l = r; /* 0x40 | flags */
	expr->ty = ty(RN_T_INT, l->ty.unit == RN_U_BYTE || l->ty.unit >= RN_U_OPEN
					? (enum rn_unit)l->ty.unit
					: RN_U_NONE);
	if ((expr->op == RN_OP_SHL || expr->op == RN_OP_SHR) && expr->ty.unit >= RN_U_OPEN)
		expr->ty.unit = RN_U_NONE;
}

void rn_resolve_type_arithmetic(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	struct rn_ast_expr *l = expr->args, *r = l->next;
	struct rn_ty result = {0};
	enum rn_unit unit;
	bool fits;

	expr->ty = ty_error();
	if (is_error(l) || is_error(r))
		return;
	for (struct rn_ast_expr *x = l; x; x = x->next) {
		if (is_number(x->ty))
			continue;
		scope_error(scope, "E-TYPE", x->span, "`%s` needs numbers, and this is %s",
			    rn_op_text(expr->op), a_type(x->ty));
		return;
	}
	if (rn_resolve_refuse_hex(scope, l) || rn_resolve_refuse_hex(scope, r))
		return;
	if (expr->op == RN_OP_MOD && (l->ty.type == RN_T_FLOAT || r->ty.type == RN_T_FLOAT)) {
		const struct rn_ast_expr *x = l->ty.type == RN_T_FLOAT ? l : r;

		rn_resolve_hint_whole(scope,
				      scope_error(scope, "E-TYPE", x->span,
						  "`%%` needs integers, sizes or durations, and "
						  "this is a float"),
				      x);
		return;
	}
	if (expr->op == RN_OP_ADD || expr->op == RN_OP_SUB) {
		fits = add_units(expr->op, l, r, &unit);
		result = ty(l->ty.type == RN_T_FLOAT || r->ty.type == RN_T_FLOAT ? RN_T_FLOAT
										 : RN_T_INT,
			    unit);
	} else {
		fits = multiply_types(expr->op, l->ty, r->ty, &result);
	}
	if (!fits) {
		struct rn_diag_item *it = scope_error(
			scope, "E-UNIT", r->span, "`%s` has no meaning between %s and %s",
			rn_op_text(expr->op), a_unit(l->ty.unit), a_unit(r->ty.unit));

		it->also = l->span;
		hint_units(scope, it, l, r);
		return;
	}
	if (rn_unit_is_code(result.unit))
		result.unit = RN_U_NONE; /* arithmetic on codes gives no code */
	expr->ty = result;
}
