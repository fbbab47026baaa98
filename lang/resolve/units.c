/* units.c - the algebra of types and units: what can be compared, added and multiplied, and the
 * unit of the result.
 *
 * A size is a number of bytes, an error a number, a device a number: these accept plain numbers. A
 * duration and a time do not, because the unit would be unclear; but 0 is 0 in any unit. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"

bool constant_number(const struct rn_ast_expr *e, double *out)
{
	if (e->kind == RN_AST_UNARY && e->op == RN_OP_NEG && constant_number(e->args, out)) {
		*out = -*out;
		return true;
	}
	if (e->kind != RN_AST_LITERAL || (e->value.kind != RN_INT && e->value.kind != RN_FLOAT))
		return false;
	*out = e->value.kind == RN_INT ? (double)e->value.i : e->value.f;
	return true;
}

static bool is_zero(const struct rn_ast_expr *e)
{
	double v;

	return constant_number(e, &v) && v == 0;
}

static bool accepts_plain(enum rn_unit u)
{
	return u != RN_U_NS && u != RN_U_EPOCH;
}

bool units_agree(const struct rn_ast_expr *l, const struct rn_ast_expr *r)
{
	enum rn_unit a = l->ty.unit, b = r->ty.unit;

	if (a == b || is_zero(l) || is_zero(r))
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
	case RN_U_BYTE_PER_S: return "a size per second";
	case RN_U_HEX: return "a hex value";
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

const char *type_phrase(struct rn_ty t)
{
	return a_type(t);
}

/* Hints "write 10ms, not 10: `latency` is a duration" if one side is a plain literal. */
static void hint_units(struct scope *s, struct rn_diag_item *it, const struct rn_ast_expr *l,
		       const struct rn_ast_expr *r)
{
	const struct rn_ast_expr *plain = r->kind == RN_AST_LITERAL && !r->ty.unit   ? r
					  : l->kind == RN_AST_LITERAL && !l->ty.unit ? l
										     : NULL;
	const struct rn_ast_expr *other = plain == r ? l : r;
	const char *number = plain ? rn_print_expr(s->r->a, plain) : NULL,
		   *what = rn_print_expr(s->r->a, other);

	if (plain && other->ty.unit == RN_U_NS)
		hint(s, it, "write %sms, not %s: `%s` is a duration", number, number, what);
	else if (plain && other->ty.unit == RN_U_EPOCH)
		hint(s, it, "write a time like \"2026-11-20 10:00:00\": `%s` is a time", what);
	else
		hint(s, it, "`%s` is %s, `%s` is %s", rn_print_expr(s->r->a, l), a_unit(l->ty.unit),
		     rn_print_expr(s->r->a, r), a_unit(r->ty.unit));
}

/* Reports two sides that disagree; neither is wrong alone. The right one is underlined as the
 * error, the left one as what it disagrees with. */
void report_units(struct scope *s, const struct rn_ast_expr *l, const struct rn_ast_expr *r)
{
	struct rn_diag_item *it = report(s, "E-UNIT", r->span, "units differ: %s and %s",
					 a_unit(l->ty.unit), a_unit(r->ty.unit));

	it->also = l->span;
	hint_units(s, it, l, r);
}

static bool quoted_number(const struct rn_ast_expr *e)
{
	return is_string_literal(e) && e->value.len && isdigit((unsigned char)e->value.s[0]);
}

/* The name of the parameter whose value stands here; NULL: no parameter. */
static const char *parameter(struct scope *s, const struct rn_ast_expr *e)
{
	size_t len;
	const char *text = rn_diag_text(s->r->d, e->span.src, &len);

	if (e->span.start >= len || e->span.end > len || text[e->span.start] != '$')
		return NULL;
	return rn_arena_strndup(s->r->a, text + e->span.start + 1, e->span.end - e->span.start - 1);
}

static void report_types(struct scope *s, const struct rn_ast_expr *l, const struct rn_ast_expr *r)
{
	struct rn_diag_item *it = report(s, "E-TYPE", r->span, "%s cannot be compared with %s",
					 a_type(l->ty), a_type(r->ty));

	it->also = l->span;
	if (l->ty.type == RN_T_STACK && is_string_literal(r))
		hint(s, it, "match its text: %s ~ \"*%.*s*\"", rn_print_expr(s->r->a, l),
		     (int)r->value.len, r->value.s);
	else if (is_number(l->ty) && quoted_number(r))
		hint(s, it, "a number stands without quotes: %.*s", (int)r->value.len, r->value.s);
	else if (is_text(l->ty) && r->kind == RN_AST_NAME)
		hint(s, it, "for the string write \"%s\"", r->name);
	else if (is_text(l->ty) && r->kind == RN_AST_LITERAL && is_number(r->ty) && parameter(s, r))
		hint(s, it, "that its value is text says `param %s string;` before the query",
		     parameter(s, r));
	else if (is_text(l->ty) && r->kind == RN_AST_LITERAL && is_number(r->ty))
		hint(s, it, "for the string write \"%s\"", rn_print_expr(s->r->a, r));
	else
		hint(s, it, "`%s` is %s", rn_print_expr(s->r->a, l), a_type(l->ty));
}

/* ---- literals take the type of their neighbour ---- */

static void bad_literal(struct scope *s, struct rn_ast_expr *lit, const char *what,
			const char *like)
{
	struct rn_diag_item *it = report(s, "E-TYPE", lit->span, "\"%.*s\" is not %s",
					 (int)lit->value.len, lit->value.s, what);

	hint(s, it, "write it like %s", like);
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

void coerce_literal(struct scope *s, struct rn_ast_expr *lit, const struct rn_ast_expr *other)
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
		lit->text = rn_print_expr(s->r->a, lit);
		lit->ty.type = RN_T_STR;
	}
	if (!is_string_literal(lit) || is_error(other))
		return;
	if (other->ty.type == RN_T_BYTES) {
		lit->text = rn_print_expr(s->r->a, lit);
		lit->ty.type = RN_T_BYTES;
		return;
	}
	text = rn_arena_strndup(s->r->a, lit->value.s, lit->value.len);
	quoted = rn_arena_printf(s->r->a, "\"%s\"", text);
	if (other->ty.type == RN_T_IP) {
		if (rn_ip_parse(text, lit->value.len, ip))
			make_literal(lit,
				     rn_strn(rn_arena_strndup(s->r->a, (char *)ip, RN_IP_BYTES),
					     RN_IP_BYTES),
				     ty(RN_T_IP, RN_U_NONE), quoted);
		else
			bad_literal(s, lit, "an address",
				    "\"10.0.0.1\", \"10.0.0.1:80\" or \"[::1]:80\"");
	} else if (other->ty.unit == RN_U_EPOCH) {
		if (rn_time_parse(text, lit->value.len, &i))
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_EPOCH), quoted);
		else
			bad_literal(s, lit, "a time", "\"2026-11-20 10:00:00\"");
	} else if (other->ty.unit == RN_U_ERRNO) {
		i = rn_errno_parse(text, lit->value.len);
		if (i > 0)
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_ERRNO), text);
		else
			bad_literal(s, lit, "the name of an error", "ENOENT");
	} else if (other->ty.unit == RN_U_DEV) {
		if (parse_dev(text, &i))
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_DEV), quoted);
		else
			bad_literal(s, lit, "a device", "\"8:1\"");
	} else if (other->ty.unit == RN_U_HEX) {
		if (parse_hex(text, &i))
			make_literal(lit, rn_int(i), ty(RN_T_INT, RN_U_HEX), quoted);
		else
			bad_literal(s, lit, "a hex value", "\"0x5bd1e995\"");
	}
}

bool refuse_hex(struct scope *s, const struct rn_ast_expr *e)
{
	if (e->ty.unit != RN_U_HEX)
		return false;
	hint(s,
	     report(s, "E-UNIT", e->span,
		    "a hex value (a hash, a pointer) has no order, and cannot be calculated with"),
	     "what it is for: =, !=, in, by, set(), distinct() and count");
	return true;
}

/* ---- operators ---- */

bool check_comparable(struct scope *s, const struct rn_ast_expr *e, const struct rn_ast_expr *l,
		      const struct rn_ast_expr *r)
{
	bool ordered = e->op == RN_OP_LT || e->op == RN_OP_LE || e->op == RN_OP_GT ||
		       e->op == RN_OP_GE || e->kind == RN_AST_BETWEEN;

	if (is_error(l) || is_error(r))
		return false;
	if (ordered && (refuse_hex(s, l) || refuse_hex(s, r)))
		return false;
	if (is_number(l->ty) && is_number(r->ty)) {
		if (units_agree(l, r))
			return true;
		report_units(s, l, r);
		return false;
	}
	if (is_text(l->ty) && is_text(r->ty))
		return true;
	if (l->ty.type == r->ty.type && (l->ty.type == RN_T_BOOL || l->ty.type == RN_T_IP)) {
		if (!ordered)
			return true;
		report(s, "E-TYPE", e->span, "%s has no order", a_type(l->ty));
		return false;
	}
	report_types(s, l, r);
	return false;
}

/* The unit of l + r or l - r; false if there is none. */
static bool add_units(enum rn_op op, const struct rn_ast_expr *l, const struct rn_ast_expr *r,
		      enum rn_unit *out)
{
	enum rn_unit a = l->ty.unit, b = r->ty.unit;

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
	return units_agree(l, r);
}

static bool multiply_units(enum rn_op op, enum rn_unit a, enum rn_unit b, enum rn_unit *out)
{
	*out = a;
	/* A time cannot be halved. The rest after its last full second is a duration. */
	if (a == RN_U_EPOCH || b == RN_U_EPOCH) {
		*out = a == b ? RN_U_NONE : RN_U_NS;
		return (op == RN_OP_DIV && a == b) || (op == RN_OP_MOD && b == RN_U_NS);
	}
	if (op == RN_OP_MUL) {
		*out = a ? a : b;
		return !a || !b;
	}
	if (op == RN_OP_DIV) {
		if (a == b)
			*out = RN_U_NONE;
		return a == b || !b;
	}
	return a == b || !b; /* % keeps the unit of the remainder */
}

void type_arithmetic(struct scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *l = e->args, *r = l->next;
	enum rn_unit unit;
	bool fits;

	e->ty = ty_error();
	if (is_error(l) || is_error(r))
		return;
	for (struct rn_ast_expr *x = l; x; x = x->next) {
		if (is_number(x->ty))
			continue;
		report(s, "E-TYPE", x->span, "`%s` needs numbers, and this is %s",
		       rn_op_text(e->op), a_type(x->ty));
		return;
	}
	if (refuse_hex(s, l) || refuse_hex(s, r))
		return;
	if (e->op == RN_OP_MOD && (l->ty.type == RN_T_FLOAT || r->ty.type == RN_T_FLOAT)) {
		report(s, "E-TYPE", e->span, "`%%` needs integers");
		return;
	}
	if (e->op == RN_OP_ADD || e->op == RN_OP_SUB)
		fits = add_units(e->op, l, r, &unit);
	else
		fits = multiply_units(e->op, l->ty.unit, r->ty.unit, &unit);
	if (!fits) {
		struct rn_diag_item *it =
			report(s, "E-UNIT", r->span, "`%s` has no meaning between %s and %s",
			       rn_op_text(e->op), a_unit(l->ty.unit), a_unit(r->ty.unit));

		it->also = l->span;
		hint_units(s, it, l, r);
		return;
	}
	if (unit == RN_U_ERRNO || unit == RN_U_DEV)
		unit = RN_U_NONE; /* arithmetic on codes gives no code */
	e->ty = ty(l->ty.type == RN_T_FLOAT || r->ty.type == RN_T_FLOAT ? RN_T_FLOAT : RN_T_INT,
		   unit);
}
