/* expr_text.c - expressions as canonical text, with the fewest parentheses.
 *
 * The text is for people and goldens. It reads as the language writes it, but strings are always
 * quoted, so that none looks like a name. */
#include <inttypes.h>
#include <string.h>
#include "lang/base/str.h"
#include "lang/values/named.h"
#include "planner/plan/expr.h"

struct writer {
	struct rn_strbuf out;
	struct rn_arena *arena;
	const char *(*name)(void *self, const struct rn_expr *e);
	void *self;
};

static int precedence(const struct rn_expr *e)
{
	if (e->kind == RN_E_IN || (e->kind == RN_E_CALL && e->func == &rn_func_is_null))
		return 4;
	if (e->kind != RN_E_OP)
		return 12;
	switch (e->op) {
	case RN_OP_OR: return 1;
	case RN_OP_AND: return 2;
	case RN_OP_NOT: return 3;
	case RN_OP_BITOR: return 5;
	case RN_OP_BITXOR: return 6;
	case RN_OP_BITAND: return 7;
	case RN_OP_SHL:
	case RN_OP_SHR: return 8;
	case RN_OP_ADD:
	case RN_OP_SUB: return 9;
	case RN_OP_MUL:
	case RN_OP_DIV:
	case RN_OP_MOD: return 10;
	case RN_OP_NEG: return 11;
	default: return 4; /* comparisons: not associative */
	}
}

static void put_scaled(struct rn_strbuf *out, int64_t v, const char *const *names,
		       const int64_t *scales, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (i == n - 1 || (v && v % scales[i] == 0)) {
			rn_strbuf_printf(out, "%" PRId64 "%s", v / scales[i], names[i]);
			return;
		}
}

static void put_int(struct writer *w, struct rn_ty ty, const struct rn_value *value)
{
	static const char *const times[] = {"d", "h", "m", "s", "ms", "us", "ns"};
	static const int64_t time_ns[] = {
		86400000000000, 3600000000000, 60000000000, 1000000000, 1000000, 1000, 1};
	static const char *const sizes[] = {"TiB", "GiB", "MiB", "KiB", "B"};
	static const int64_t size_bytes[] = {1LL << 40, 1LL << 30, 1LL << 20, 1LL << 10, 1};
	const char *name;

	switch (ty.unit) {
	case RN_U_NS: put_scaled(&w->out, value->i, times, time_ns, 7); return;
	case RN_U_BYTE: put_scaled(&w->out, value->i, sizes, size_bytes, 5); return;
	case RN_U_ERRNO:
		name = value->i > 0 && value->i < RN_ERRNO_END ? rn_errno_name((int)value->i)
							       : NULL;
		if (name)
			rn_strbuf_put(&w->out, name);
		else
			rn_strbuf_printf(&w->out, "%" PRId64, value->i);
		return;
	case RN_U_PER_S: rn_strbuf_printf(&w->out, "%" PRId64 "/s", value->i); return;
	case RN_U_BYTE_PER_S: rn_strbuf_printf(&w->out, "%" PRId64 "B/s", value->i); return;
	case RN_U_HEX: rn_strbuf_put(&w->out, rn_value_show(w->arena, ty, value)); return;
	case RN_U_EPOCH:
	case RN_U_DEV:
		rn_strbuf_printf(&w->out, "\"%s\"", rn_value_show(w->arena, ty, value));
		return;
	default:
		if (ty.unit >= RN_U_OPEN)
			rn_strbuf_put(&w->out,
				      rn_named_constant(w->arena, (enum rn_unit)ty.unit, value->i));
		else
			rn_strbuf_printf(&w->out, "%" PRId64, value->i);
	}
}

static void put_const(struct writer *w, const struct rn_expr *expr)
{
	const struct rn_value *value = &expr->value;
	char ip[80];

	switch (value->kind) {
	case RN_NULL: rn_strbuf_put(&w->out, "null"); break;
	case RN_BOOL: rn_strbuf_put(&w->out, value->i ? "true" : "false"); break;
	case RN_INT: put_int(w, expr->ty, value); break;
	case RN_FLOAT: rn_strbuf_printf(&w->out, "%.15g", value->f); break;
	default:
		if (expr->ty.type == RN_T_IP && value->len == RN_IP_BYTES) {
			rn_ip_show((const unsigned char *)value->s, ip, sizeof(ip));
			rn_strbuf_printf(&w->out, "\"%s\"", ip);
		} else if (expr->ty.type == RN_T_BYTES || expr->ty.type == RN_T_SKETCH) {
			bool readable;
			const char *bytes =
				rn_bytes_text(w->arena, value->s, value->len, &readable);

			if (readable)
				rn_strbuf_quote(&w->out, value->s, value->len);
			else
				rn_strbuf_put(&w->out, bytes);
		} else {
			rn_strbuf_quote(&w->out, value->s, value->len);
		}
	}
}

static void put(struct writer *w, const struct rn_expr *e, int above);

static void put_list(struct writer *w, const struct rn_expr *e, unsigned from, unsigned to)
{
	rn_strbuf_putc(&w->out, '(');
	for (unsigned i = from; i < e->narg && i < to; i++) {
		if (i > from)
			rn_strbuf_put(&w->out, ", ");
		put(w, e->arg[i], 0);
	}
	rn_strbuf_putc(&w->out, ')');
}

static void put_op(struct writer *w, const struct rn_expr *e)
{
	int p = precedence(e);

	if (e->narg == 1) {
		rn_strbuf_put(&w->out, e->op == RN_OP_NOT ? "not " : "-");
		put(w, e->arg[0], p);
		return;
	}
	/* Left-associative: the right operand of the same level needs parentheses; in a comparison
	 * both do. But `and` and `or` are associative, so that a rewritten chain reads like a
	 * written one. */
	put(w, e->arg[0], p == 4 ? p + 1 : p);
	rn_strbuf_printf(&w->out, " %s ", rn_op_text(e->op));
	put(w, e->arg[1], p <= 2 ? p : p + 1);
}

static void put_ref(struct writer *w, const struct rn_expr *e, const char *what)
{
	const char *s = w->name ? w->name(w->self, e) : NULL;

	if (s)
		rn_strbuf_put(&w->out, s);
	else
		rn_strbuf_printf(&w->out, "%s#%d", what, e->index);
}

/* O_CREAT|O_EXCL: several names joined */
static bool is_joined(struct writer *w, const struct rn_expr *e)
{
	return e->kind == RN_E_CONST && e->value.kind == RN_INT && e->ty.unit >= RN_U_OPEN &&
	       strchr(rn_named_constant(w->arena, (enum rn_unit)e->ty.unit, e->value.i), '|');
}

static void put(struct writer *w, const struct rn_expr *expr, int above)
{
	bool paren = precedence(expr) < above || (above > 5 && is_joined(w, expr));

	if (paren)
		rn_strbuf_putc(&w->out, '(');
	switch (expr->kind) {
	case RN_E_CONST: put_const(w, expr); break;
	case RN_E_FIELD: rn_strbuf_put(&w->out, expr->name); break;
	case RN_E_KEY: put_ref(w, expr, "key"); break;
	case RN_E_AGG: put_ref(w, expr, "agg"); break;
	case RN_E_COLUMN: put_ref(w, expr, "column"); break;
	case RN_E_OP: put_op(w, expr); break;
	case RN_E_ASKED: rn_strbuf_printf(&w->out, "(query %d)", expr->index); break;
	case RN_E_IN:
		put(w, expr->arg[0], 5);
		rn_strbuf_put(&w->out, " in ");
		if (expr->index)
			rn_strbuf_printf(&w->out, "(query %d)", expr->index);
		else
			put_list(w, expr, 1, expr->narg);
		break;
	case RN_E_CALL:
		if (expr->func == &rn_func_is_null) {
			put(w, expr->arg[0], 5);
			rn_strbuf_put(&w->out, " is null");
			break;
		}
		if (expr->func == &rn_func_in_live) {
			rn_strbuf_put(&w->out, expr->name);
			break;
		}
		rn_strbuf_put(&w->out, expr->func ? expr->func->name : "?");
		put_list(w, expr, 0,
			 expr->func && expr->func->max_args ? rn_func_written(expr->func)
							    : expr->narg);
		break;
	}
	if (paren)
		rn_strbuf_putc(&w->out, ')');
}

const char *rn_expr_text_named(struct rn_arena *arena, const struct rn_expr *expr,
			       const char *(*name)(void *self, const struct rn_expr *e), void *self)
{
	struct writer w = {.arena = arena, .name = name, .self = self};

	rn_strbuf_init(&w.out, arena);
	put(&w, expr, 0);
	return rn_strbuf_cstr(&w.out);
}

const char *rn_expr_text(struct rn_arena *arena, const struct rn_expr *expr)
{
	return rn_expr_text_named(arena, expr, NULL, NULL);
}
