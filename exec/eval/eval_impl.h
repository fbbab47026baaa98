/* eval_impl.h - what the parts of the evaluator share: operators and constants (eval.c), regular
 * expressions (regexes.c), scalar functions (funcs.c). */
#ifndef RN_EXEC_EVAL_EVAL_IMPL_H
#define RN_EXEC_EVAL_EVAL_IMPL_H
#include "exec/eval/eval.h"

/* The constant, compiled by lang/values/regex.h, in the arena. NULL if it is not taken: err has its
 * span. */
const void *rn_eval_regex_new(struct rn_arena *a, const struct rn_expr *pattern,
			      struct rn_err *err);
bool rn_eval_regex(const void *regex, const struct rn_value *s);
void rn_eval_regex_free(const void *regex);

/* NULL for a result of e that has more than 64 bits, which is counted. */
struct rn_value rn_eval_overflow(const struct rn_expr *e);

/* The value of a call; a function that is not known, or arguments of other kinds, give NULL. */
struct rn_value rn_eval_call(const struct rn_expr *e, const struct rn_value *arg,
			     struct rn_arena *scratch);
/* The sketch of a constant, for rn_expr.compiled. */
const void *rn_eval_sketch_new(struct rn_arena *a, const struct rn_value *v);
/* Its number for rn_expr.compiled, so that the name is looked up once; NULL if there is no such
 * function. */
const void *rn_eval_call_find(const char *name);
#endif
