/* eval.h - evaluates typed expressions over a row in user space: for what BPF cannot do, and as the
 * oracle for what it does.
 *
 * NULL (from a division by zero, or an integer of more than 64 bits) makes comparisons false and
 * arithmetic NULL. If a value of an event may be unknown, the caller asks rn_eval_unknown before.
 * Division truncates. String comparison is bytewise. Globs are fnmatch without FNM_PATHNAME: `*`
 * also matches `/`. */
#ifndef RN_EXEC_EVAL_EVAL_H
#define RN_EXEC_EVAL_EVAL_H
#include "lang/base/err.h"
#include "planner/plan/expr.h"

/* Prepares the constants of expr in the arena: compiles regexes, sorts IN lists. rn_eval_release
 * frees the regexes. Adds 1 to *overflow for each result of expr that became NULL because it has
 * more than 64 bits. *overflow lives as long as expr; NULL: not counted. */
int rn_eval_prepare(struct rn_arena *arena, struct rn_expr *expr, uint64_t *overflow,
		    struct rn_err *err);
void rn_eval_release(struct rn_expr *expr);
/* Evaluates expr. row: values of the fragment's fields (E_FIELD.index), or of columns/keys/aggs if
 * expr refers to those. Strings made on the way are in scratch. */
struct rn_value rn_eval(const struct rn_expr *expr, const struct rn_value *row,
			struct rn_arena *scratch);
/* Does expr use a field that is unknown in this row? Then its value is unknown too, whatever
 * rn_eval returns. */
bool rn_eval_unknown(const struct rn_expr *expr, const struct rn_value *row,
		     struct rn_arena *scratch);
bool rn_eval_true(const struct rn_expr *expr, const struct rn_value *row, struct rn_arena *scratch);
#endif
