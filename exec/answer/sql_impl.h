/* sql_impl.h - the statements that order, filter and cut an answer, and our functions in them. */
#ifndef RN_EXEC_ANSWER_SQL_IMPL_H
#define RN_EXEC_ANSWER_SQL_IMPL_H
#include <sqlite3.h>
#include "planner/plan/plan.h"

/* the table that rn_sql_insert fills */
const char *rn_sql_create(struct rn_arena *arena, const struct rn_plan *plan);
const char *rn_sql_insert(struct rn_arena *arena, const struct rn_plan *plan);
/* for rows: forgets those beyond the limit */
const char *rn_sql_prune(struct rn_arena *arena, const struct rn_plan *plan, bool by_time);
/* counts rows and the bytes of their values */
const char *rn_sql_size(struct rn_arena *arena, const struct rn_plan *plan);
/* Groups with a delta: a statement that takes the groups of g as those of the window before. */
extern const char rn_sql_keep_window[];
/* ?1, if there is a delta: the first window. Columns: `window` if there are windows; then plan.out
 * with the hidden ones; then x_time for rows, x_other for groups, and x_share if the plan has a
 * share. */
const char *rn_sql_query(struct rn_arena *arena, const struct rn_plan *plan, bool by_time);

/* ---- sql_functions.c ---- */

/* Registers the evaluator's operators and functions as SQLite functions. *overflow counts results
 * of more than 64 bits. */
int rn_sql_functions(sqlite3 *db, uint64_t *overflow);
#endif
