/* eval_impl.h - what the parts of the evaluator share: operators and constants (eval.c), regular
 * expressions (regexes.c), scalar functions (funcs.c). */
#ifndef RN_EXEC_EVAL_EVAL_IMPL_H
#define RN_EXEC_EVAL_EVAL_IMPL_H
#include "exec/eval/eval.h"

/* ---- regexes.c ---- */

/* Compiles the constant with lang/values/regex.h, in the arena; groups: for rn_eval_regex_find.
 * NULL: not accepted; err has its span. */
const void *rn_eval_regex_new(struct rn_arena *arena, const struct rn_expr *pattern, bool groups,
			      struct rn_err *err);
bool rn_eval_regex(const void *regex, const struct rn_value *value);
/* Returns what the first group matches in value, or the match; "" if it does not match. A part of
 * value. */
struct rn_value rn_eval_regex_find(const void *regex, const struct rn_value *value);
void rn_eval_regex_free(const void *regex);

/* ---- eval.c ---- */

/* Counts a result of expr that has more than 64 bits, and returns NULL for it. */
struct rn_value rn_eval_overflow(const struct rn_expr *expr);

/* A scalar function: the call, for its types and constants; the values of its arguments, as many as
 * it takes, of any kind, as fragments come from the network; and room for what it makes. */
typedef struct rn_value rn_eval_fn(const struct rn_expr *call, const struct rn_value *value,
				   struct rn_arena *scratch);

/* ---- texts.c, times.c ---- */

rn_eval_fn rn_eval_concat, rn_eval_contains, rn_eval_endswith, rn_eval_extract, rn_eval_replace,
	rn_eval_split_part, rn_eval_startswith, rn_eval_trim;
rn_eval_fn rn_eval_date, rn_eval_hour;

/* ---- funcs.c ---- */

/* Returns the value of a call. An unknown function, or arguments of other kinds, give NULL. */
struct rn_value rn_eval_call(const struct rn_expr *expr, const struct rn_value *arg,
			     struct rn_arena *scratch);
/* Returns the sketch of a constant, for rn_expr.compiled. */
const void *rn_eval_sketch_new(struct rn_arena *arena, const struct rn_value *value);
/* Returns the function's number for rn_expr.compiled, so that the name is looked up once; NULL: no
 * such function. */
const void *rn_eval_call_find(const char *name);
#endif
