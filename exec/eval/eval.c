/* eval.c - evaluates typed expressions by walking the tree.
 *
 * Invariants: every operator accepts every kind of value, as fragments come from the network;
 * rn_expr.compiled holds what rn_eval_prepare made for REGEX (the regex), long IN lists (a sorted
 * list), CALL (the function) and texts compared by similarity (the sketch). It is optional, except
 * for regexes. */
#include "exec/eval/eval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/eval/eval_impl.h"
#include "lang/catalog/numbering.h"
#include "lang/values/glob.h"

enum { SORT_FROM = 8 };

struct in_list {
	unsigned n;
	struct rn_value values[];
};

static int cmp_values(const void *a, const void *b)
{
	return rn_value_cmp(a, b);
}

/* Sorts the constants of an IN if there are many. */
static const void *in_list_new(struct rn_arena *a, const struct rn_expr *e)
{
	struct in_list *l;

	if (e->narg <= SORT_FROM)
		return NULL;
	l = rn_arena_alloc(a, sizeof(*l) + (e->narg - 1) * sizeof(*l->values));
	for (unsigned i = 1; i < e->narg; i++) {
		if (e->arg[i]->kind != RN_E_CONST)
			return NULL;
		l->values[l->n++] = e->arg[i]->value;
	}
	qsort(l->values, l->n, sizeof(*l->values), cmp_values);
	return l;
}

/* Sketches once a text that every event is compared with, and compiles the regular expression. */
static int prepare_constants(struct rn_arena *a, struct rn_expr *e, struct rn_err *err)
{
	for (unsigned i = 0; i < e->narg && i < e->func->max_args; i++) {
		struct rn_expr *x = e->arg[i];

		if (e->func->arg[i] == RN_ARG_SKETCH && x->kind == RN_E_CONST &&
		    x->value.kind == RN_STR && x->ty.type != RN_T_SKETCH)
			x->compiled = rn_eval_sketch_new(a, &x->value);
		if (e->func->arg[i] == RN_ARG_REGEX && x->kind == RN_E_CONST &&
		    x->value.kind == RN_STR && !x->compiled) {
			x->compiled = rn_eval_regex_new(a, x, true, err);
			if (!x->compiled)
				return err && err->code ? err->code : -EINVAL;
		}
	}
	return 0;
}

int rn_eval_prepare(struct rn_arena *arena, struct rn_expr *expr, uint64_t *overflow,
		    struct rn_err *err)
{
	expr->overflow = overflow;
	expr->unsure = rn_expr_unsure(expr);
	for (unsigned i = 0; i < expr->narg; i++)
		if (expr->kind != RN_E_IN || i == 0) {
			int bad = rn_eval_prepare(arena, expr->arg[i], overflow, err);

			if (bad)
				return bad;
		}
	if (expr->compiled)
		return 0;
	if (expr->kind == RN_E_OP && expr->op == RN_OP_REGEX) {
		const struct rn_expr *pattern = expr->narg > 1 ? expr->arg[1] : NULL;

		if (!pattern || pattern->kind != RN_E_CONST || pattern->value.kind != RN_STR)
			return rn_err_set(err, -EINVAL,
					  "the pattern of `=~` must be a constant string");
		expr->compiled = rn_eval_regex_new(arena, pattern, false, err);
		return expr->compiled ? 0 : err && err->code ? err->code : -EINVAL;
	}
	if (expr->kind == RN_E_IN)
		expr->compiled = in_list_new(arena, expr);
	if (expr->kind == RN_E_CALL && expr->func) {
		expr->compiled = rn_eval_call_find(expr->func->name);
		return prepare_constants(arena, expr, err);
	}
	return 0;
}

static void release_constants(struct rn_expr *e)
{
	for (unsigned i = 0; i < e->narg && i < e->func->max_args; i++)
		if (e->func->arg[i] == RN_ARG_REGEX && e->arg[i]->compiled) {
			rn_eval_regex_free(e->arg[i]->compiled);
			e->arg[i]->compiled = NULL;
		}
}

void rn_eval_release(struct rn_expr *expr)
{
	if (expr->kind == RN_E_CALL && expr->func)
		release_constants(expr);
	for (unsigned i = 0; i < expr->narg; i++)
		if (expr->kind != RN_E_IN || i == 0)
			rn_eval_release(expr->arg[i]);
	if (expr->kind == RN_E_OP && expr->op == RN_OP_REGEX && expr->compiled)
		rn_eval_regex_free(expr->compiled);
	expr->compiled = NULL;
}

static inline bool truth(const struct rn_value *v)
{
	switch (v->kind) {
	case RN_BOOL:
	case RN_INT: return v->i != 0;
	case RN_FLOAT: return v->f != 0;
	default: return false;
	}
}

static inline bool is_whole(const struct rn_value *v)
{
	return v->kind == RN_INT || v->kind == RN_BOOL;
}
static inline bool is_number(const struct rn_value *v)
{
	return is_whole(v) || v->kind == RN_FLOAT;
}
static inline double as_float(const struct rn_value *v)
{
	return v->kind == RN_FLOAT ? v->f : (double)v->i;
}

/* True if e is a constant address without a port: it equals that address with any port. */
static bool any_port(const struct rn_expr *e)
{
	return e->kind == RN_E_CONST && e->ty.type == RN_T_IP && e->value.kind == RN_STR &&
	       e->value.len == RN_IP_BYTES && !e->value.s[16] && !e->value.s[17];
}

static bool same_address(const struct rn_value *a, const struct rn_value *b)
{
	return a->kind == RN_STR && b->kind == RN_STR && a->len == RN_IP_BYTES &&
	       b->len == RN_IP_BYTES && !memcmp(a->s, b->s, 16);
}

static bool equal(const struct rn_expr *ea, const struct rn_value *a, const struct rn_expr *eb,
		  const struct rn_value *b)
{
	if (is_whole(a) && is_whole(b))
		return a->i == b->i;
	if (any_port(ea) || any_port(eb))
		return same_address(a, b);
	return !rn_value_cmp(a, b);
}

static struct rn_value compare(const struct rn_expr *expr, const struct rn_value *a,
			       const struct rn_value *b)
{
	bool comparable =
		(is_number(a) && is_number(b)) || (a->kind == RN_STR && b->kind == RN_STR);
	int cmp;

	if (!comparable || (a->kind == RN_FLOAT && isnan(a->f)) ||
	    (b->kind == RN_FLOAT && isnan(b->f)))
		return rn_bool(false);
	if (expr->op == RN_OP_EQ || expr->op == RN_OP_NE)
		return rn_bool(equal(expr->arg[0], a, expr->arg[1], b) == (expr->op == RN_OP_EQ));
	cmp = is_whole(a) && is_whole(b) ? (a->i > b->i) - (a->i < b->i) : rn_value_cmp(a, b);
	switch (expr->op) {
	case RN_OP_LT: return rn_bool(cmp < 0);
	case RN_OP_LE: return rn_bool(cmp <= 0);
	case RN_OP_GT: return rn_bool(cmp > 0);
	default: return rn_bool(cmp >= 0);
	}
}

static struct rn_value float_arith(enum rn_op op, double a, double b)
{
	switch (op) {
	case RN_OP_ADD: return rn_float(a + b);
	case RN_OP_SUB: return rn_float(a - b);
	case RN_OP_MUL: return rn_float(a * b);
	case RN_OP_DIV: return b == 0 ? rn_null() : rn_float(a / b);
	case RN_OP_MOD: return b == 0 ? rn_null() : rn_float(fmod(a, b));
	default: return rn_null();
	}
}

struct rn_value rn_eval_overflow(const struct rn_expr *expr)
{
	if (expr->overflow)
		++*expr->overflow;
	return rn_null();
}

static struct rn_value arith(const struct rn_expr *expr, const struct rn_value *a,
			     const struct rn_value *b)
{
	bool beyond = false;
	int64_t r = 0;

	if (!is_number(a) || !is_number(b))
		return rn_null();
	if (a->kind == RN_FLOAT || b->kind == RN_FLOAT ||
	    (expr->op == RN_OP_DIV && expr->ty.type == RN_T_FLOAT))
		return float_arith(expr->op, as_float(a), as_float(b));
	if ((expr->op == RN_OP_DIV || expr->op == RN_OP_MOD) && !b->i)
		return rn_null();
	switch (expr->op) {
	case RN_OP_ADD: beyond = __builtin_add_overflow(a->i, b->i, &r); break;
	case RN_OP_SUB: beyond = __builtin_sub_overflow(a->i, b->i, &r); break;
	case RN_OP_MUL: beyond = __builtin_mul_overflow(a->i, b->i, &r); break;
	case RN_OP_DIV:
		beyond = b->i == -1 && __builtin_sub_overflow((int64_t)0, a->i, &r);
		if (b->i != -1)
			r = a->i / b->i;
		break;
	case RN_OP_MOD: r = b->i == -1 ? 0 : a->i % b->i; break;
	case RN_OP_BITOR: return rn_int(a->i | b->i);
	case RN_OP_BITXOR: return rn_int(a->i ^ b->i);
	case RN_OP_BITAND: return rn_int(a->i & b->i);
	case RN_OP_SHL:
		return b->i < 0 || b->i > 63 ? rn_null()
					     : rn_int((int64_t)((uint64_t)a->i << b->i));
	case RN_OP_SHR: return b->i < 0 || b->i > 63 ? rn_null() : rn_int(a->i >> b->i);
	default: return rn_null();
	}
	return beyond ? rn_eval_overflow(expr) : rn_int(r);
}

/* gfp_flags & "__GFP_IO|__GFP_FS": of names that the kernel lacks there are no bits. */
static struct rn_value flags_and(const struct rn_expr *expr, const struct rn_value *a,
				 const struct rn_value *b, struct rn_arena *scratch)
{
	const struct rn_field *f = rn_expr_numbered(expr);
	const char *text;
	int64_t x, y;

	if (!f || a->kind != RN_STR || b->kind != RN_STR)
		return rn_null();
	rn_numbering_bits(f->numbering, a->s, a->len, &x);
	rn_numbering_bits(f->numbering, b->s, b->len, &y);
	text = rn_numbering_text(scratch, f->numbering, x & y);
	return rn_strn(text, strlen(text));
}

static struct rn_value in(const struct rn_expr *expr, const struct rn_value *row,
			  struct rn_arena *scratch)
{
	struct rn_value value = rn_eval(expr->arg[0], row, scratch);
	const struct in_list *l = expr->compiled;
	char ip[RN_IP_BYTES] = {0};
	struct rn_value bare;

	if (value.kind == RN_NULL)
		return rn_bool(false);
	if (!l) {
		for (unsigned i = 1; i < expr->narg; i++)
			if (expr->arg[i]->value.kind != RN_NULL &&
			    equal(expr->arg[0], &value, expr->arg[i], &expr->arg[i]->value))
				return rn_bool(true);
		return rn_bool(false);
	}
	if (bsearch(&value, l->values, l->n, sizeof(value), cmp_values))
		return rn_bool(true);
	if (expr->arg[0]->ty.type != RN_T_IP || value.kind != RN_STR || value.len != RN_IP_BYTES)
		return rn_bool(false);
	/* an address without a port in the list matches any port */
	memcpy(ip, value.s, 16);
	bare = rn_strn(ip, RN_IP_BYTES);
	return rn_bool(bsearch(&bare, l->values, l->n, sizeof(bare), cmp_values) != NULL);
}

static struct rn_value match(const struct rn_expr *e, const struct rn_value *a,
			     const struct rn_value *b)
{
	if (a->kind != RN_STR || b->kind != RN_STR)
		return rn_bool(false);
	if (e->op == RN_OP_REGEX)
		return rn_bool(e->compiled && rn_eval_regex(e->compiled, a));
	return rn_bool(rn_glob(b->s, b->len, a->s, a->len) == (e->op == RN_OP_GLOB));
}

static struct rn_value operate(const struct rn_expr *expr, const struct rn_value *row,
			       struct rn_arena *scratch)
{
	struct rn_value a = rn_eval(expr->arg[0], row, scratch), b;

	switch (expr->op) {
	case RN_OP_NOT: return rn_bool(!truth(&a));
	case RN_OP_NEG:
		if (!is_whole(&a))
			return a.kind == RN_FLOAT ? rn_float(-a.f) : rn_null();
		return a.i == INT64_MIN ? rn_eval_overflow(expr) : rn_int(-a.i);
	case RN_OP_AND: return rn_bool(truth(&a) && rn_eval_true(expr->arg[1], row, scratch));
	case RN_OP_OR: return rn_bool(truth(&a) || rn_eval_true(expr->arg[1], row, scratch));
	default: break;
	}
	b = rn_eval(expr->arg[1], row, scratch);
	switch (expr->op) {
	case RN_OP_EQ:
	case RN_OP_NE:
	case RN_OP_LT:
	case RN_OP_LE:
	case RN_OP_GT:
	case RN_OP_GE: return compare(expr, &a, &b);
	case RN_OP_GLOB:
	case RN_OP_NGLOB:
	case RN_OP_REGEX: return match(expr, &a, &b);
	case RN_OP_BITAND:
		return expr->ty.type == RN_T_STR ? flags_and(expr, &a, &b, scratch)
						 : arith(expr, &a, &b);
	default: return arith(expr, &a, &b);
	}
}

/* if(c, a, b) looks at no more than it has to: what the other branch cannot compute is not
 * counted. */
static struct rn_value choose(const struct rn_expr *e, const struct rn_value *row,
			      struct rn_arena *scratch)
{
	return rn_eval(e->arg[rn_eval_true(e->arg[0], row, scratch) ? 1 : 2], row, scratch);
}

static struct rn_value call(const struct rn_expr *e, const struct rn_value *row,
			    struct rn_arena *scratch)
{
	struct rn_value arg[RN_FUNC_ARGS] = {0}, v;

	if (e->func && rn_func_chooses(e->func) && e->narg == 3) {
		v = choose(e, row, scratch);
	} else {
		for (unsigned i = 0; i < e->narg && i < RN_FUNC_ARGS; i++)
			arg[i] = rn_eval(e->arg[i], row, scratch);
		v = rn_eval_call(e, arg, scratch);
	}
	/* one of several arguments, of which another has a fraction */
	if (e->ty.type == RN_T_FLOAT && is_whole(&v))
		v = rn_float((double)v.i);
	return v;
}

struct rn_value rn_eval(const struct rn_expr *expr, const struct rn_value *row,
			struct rn_arena *scratch)
{
	switch (expr->kind) {
	case RN_E_CONST: return expr->value;
	case RN_E_FIELD:
	case RN_E_KEY:
	case RN_E_AGG:
	case RN_E_COLUMN: return row[expr->index];
	case RN_E_OP: return operate(expr, row, scratch);
	case RN_E_IN: return in(expr, row, scratch);
	case RN_E_CALL: return call(expr, row, scratch);
	case RN_E_ASKED: break; /* it was not asked */
	}
	return rn_null();
}

bool rn_eval_unknown(const struct rn_expr *expr, const struct rn_value *row,
		     struct rn_arena *scratch)
{
	if (!expr->unsure)
		return false;
	if (expr->kind == RN_E_FIELD)
		return rn_is_unknown(&row[expr->index]);
	if (expr->kind == RN_E_CALL && expr->func && rn_func_chooses(expr->func))
		return rn_eval_unknown(expr->arg[rn_eval_true(expr->arg[0], row, scratch) ? 1 : 2],
				       row, scratch);
	for (unsigned i = 0; i < expr->narg; i++)
		if (rn_eval_unknown(expr->arg[i], row, scratch))
			return true;
	return false;
}

bool rn_eval_true(const struct rn_expr *expr, const struct rn_value *row, struct rn_arena *scratch)
{
	struct rn_value v = rn_eval(expr, row, scratch);

	return truth(&v);
}
