/* sql_functions.c - the evaluator inside SQLite. The code that runs at a node also computes what
 * SQL lacks or does differently.
 *
 * Each SQLite function builds an expression over its arguments (as fields of a row) and evaluates
 * it. A constant second argument, such as the pattern of a regular expression, is compiled once per
 * statement and kept as SQLite's auxiliary data. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/answer/sql_impl.h"
#include "exec/eval/eval.h"
#include "lang/values/minhash.h"
#include "lang/catalog/funcs.h"
#include "lang/base/memory.h"

enum { MAX_ARGS = RN_FUNC_ARGS, SCRATCH = 1 << 20 };

struct expr_of { /* one expression with its arguments */
	struct rn_expr expr, arg[MAX_ARGS], *argp[MAX_ARGS];
	struct rn_arena *arena; /* of the compiled pattern */
};

static const struct {
	const char *name;
	enum rn_op op;
	int narg;
} operators[] = {
	{"glob_match", RN_OP_GLOB, 2},   {"glob_differ", RN_OP_NGLOB, 2},
	{"regex_match", RN_OP_REGEX, 2}, {"int_add", RN_OP_ADD, 2},
	{"int_sub", RN_OP_SUB, 2},       {"int_mul", RN_OP_MUL, 2},
	{"int_div", RN_OP_DIV, 2},       {"int_neg", RN_OP_NEG, 1},
	{"float_mod", RN_OP_MOD, 2},     {"bit_xor", RN_OP_BITXOR, 2},
	{"shift_left", RN_OP_SHL, 2},    {"shift_right", RN_OP_SHR, 2},
};

struct meaning {                    /* what a SQLite function is */
	enum rn_op op;              /* for an operator */
	const struct rn_func *func; /* for a scalar function */
	uint64_t *overflow;         /* counts results of more than 64 bits */
};

static struct rn_value from_sql(sqlite3_value *v)
{
	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER: return rn_int(sqlite3_value_int64(v));
	case SQLITE_FLOAT: return rn_float(sqlite3_value_double(v));
	case SQLITE_NULL: return rn_null();
	default: {
		const void *s = sqlite3_value_blob(v);

		return rn_strn(s ? s : "", (size_t)sqlite3_value_bytes(v));
	}
	}
}

static void to_sql(sqlite3_context *ctx, const struct rn_value *v, bool blob)
{
	switch (v->kind) {
	case RN_BOOL:
	case RN_INT: sqlite3_result_int64(ctx, v->i); break;
	case RN_FLOAT: sqlite3_result_double(ctx, v->f); break;
	case RN_NULL: sqlite3_result_null(ctx); break;
	default:
		if (blob)
			sqlite3_result_blob(ctx, v->s, (int)v->len, SQLITE_TRANSIENT);
		else
			sqlite3_result_text(ctx, v->s, (int)v->len, SQLITE_TRANSIENT);
	}
}

static void wire(struct expr_of *x, int argc)
{
	for (int i = 0; i < argc; i++) {
		x->arg[i].kind = RN_E_FIELD;
		x->arg[i].index = i;
		x->argp[i] = &x->arg[i];
	}
	x->expr.arg = x->argp;
	x->expr.narg = (unsigned)argc;
}

static void evaluate(sqlite3_context *ctx, struct expr_of *x, int argc, sqlite3_value **argv)
{
	struct rn_arena *scratch = rn_arena_create(SCRATCH);
	struct rn_value row[MAX_ARGS] = {0}, v;
	bool blob = argc && sqlite3_value_type(argv[0]) == SQLITE_BLOB;

	for (int i = 0; i < argc; i++)
		row[i] = from_sql(argv[i]);
	v = rn_eval(&x->expr, row, scratch);
	if (x->expr.kind == RN_E_CALL && x->expr.func->result.type != RN_T_ERROR)
		blob = x->expr.func->result.type == RN_T_IP;
	to_sql(ctx, &v, blob);
	rn_arena_destroy(scratch);
}

static void free_pattern(void *p)
{
	struct expr_of *x = p;

	rn_eval_release(&x->expr);
	rn_arena_destroy(x->arena);
	free(x);
}

/* An expression over arguments of which the second is a regular expression: x =~ y, extract(x, y).
 */
static struct expr_of *compile(const struct meaning *m, sqlite3_value *pattern)
{
	struct expr_of *x = rn_calloc(1, sizeof(*x));
	struct rn_value v = from_sql(pattern);

	x->arena = rn_arena_create(SCRATCH);
	x->expr.kind = m->func ? RN_E_CALL : RN_E_OP;
	x->expr.op = m->op;
	x->expr.func = m->func;
	wire(x, 2);
	x->arg[1].kind = RN_E_CONST;
	x->arg[1].value =
		v.kind == RN_STR ? rn_strn(rn_arena_strndup(x->arena, v.s, v.len), v.len) : v;
	if (rn_eval_prepare(x->arena, &x->expr, NULL, NULL)) {
		free_pattern(x);
		return NULL;
	}
	return x;
}

static void regex_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct expr_of *x = sqlite3_get_auxdata(ctx, 1);

	if (!x) {
		x = compile(sqlite3_user_data(ctx), argv[1]);
		if (!x) {
			sqlite3_result_int(ctx, 0);
			return;
		}
		evaluate(ctx, x, argc, argv);
		sqlite3_set_auxdata(ctx, 1, x, free_pattern);
		return;
	}
	evaluate(ctx, x, argc, argv);
}

static void function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct meaning *m = sqlite3_user_data(ctx);
	struct expr_of x = {.expr = {.kind = m->func ? RN_E_CALL : RN_E_OP,
				     .op = m->op,
				     .func = m->func,
				     .overflow = m->overflow}};

	wire(&x, argc);
	evaluate(ctx, &x, argc, argv);
}

/* Returns the address without its port. */
static void address_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	if (sqlite3_value_bytes(argv[0]) == RN_IP_BYTES)
		sqlite3_result_blob(ctx, sqlite3_value_blob(argv[0]), RN_IP_BYTES - 2,
				    SQLITE_TRANSIENT);
	else
		sqlite3_result_value(ctx, argv[0]);
}

static void sketch_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct rn_value v = from_sql(argv[0]);
	unsigned char bytes[RN_SKETCH_BYTES];
	struct rn_sketch s;

	(void)argc;
	if (v.kind != RN_STR) {
		sqlite3_result_null(ctx);
		return;
	}
	rn_sketch_make(&s, v.s, v.len);
	rn_sketch_write(&s, bytes);
	sqlite3_result_blob(ctx, bytes, sizeof(bytes), SQLITE_TRANSIENT);
}

static int add(sqlite3 *db, const char *name, int narg, const struct meaning *m,
	       void (*fn)(sqlite3_context *, int, sqlite3_value **))
{
	struct meaning *own = rn_malloc(sizeof(*own));

	*own = *m;
	return sqlite3_create_function_v2(db, name, narg, SQLITE_UTF8 | SQLITE_DETERMINISTIC, own,
					  fn, NULL, NULL, free);
}

int rn_sql_functions(sqlite3 *db, uint64_t *overflow)
{
	struct meaning m = {.overflow = overflow};
	int r = add(db, "address", 1, &m, address_function);

	if (r == SQLITE_OK)
		r = add(db, "sketch_of", 1, &m, sketch_function);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators) && r == SQLITE_OK; i++) {
		m.op = operators[i].op;
		r = add(db, operators[i].name, operators[i].narg, &m,
			m.op == RN_OP_REGEX ? regex_function : function);
	}
	for (m.func = rn_funcs; m.func->name && r == SQLITE_OK; m.func++)
		for (int n = m.func->min_args;
		     n <= m.func->max_args && n <= MAX_ARGS && r == SQLITE_OK; n++)
			r = add(db, m.func->name, n, &m,
				m.func->arg[1] == RN_ARG_REGEX ? regex_function : function);
	return r == SQLITE_OK ? 0 : -EIO;
}
