/* sql_impl.h - the statements that order, filter and cut an answer, and our functions in
 * them. */
#ifndef RN_EXEC_ANSWER_SQL_IMPL_H
#define RN_EXEC_ANSWER_SQL_IMPL_H
#include <sqlite3.h>
#include "planner/plan/plan.h"

/* the table that rn_sql_insert fills */
const char *rn_sql_create(struct rn_arena *a, const struct rn_plan *p);
const char *rn_sql_insert(struct rn_arena *a, const struct rn_plan *p);
/* of rows: forgets those beyond a number of them */
const char *rn_sql_prune(struct rn_arena *a, const struct rn_plan *p, bool by_time);
/* how many rows there are, and the bytes of their values */
const char *rn_sql_size(struct rn_arena *a, const struct rn_plan *p);
/* Columns: `window` if there are windows, plan.out with the hidden ones, and for rows x_time, for
 * groups x_other. */
const char *rn_sql_query(struct rn_arena *a, const struct rn_plan *p, bool by_time);

/* The evaluator's operators and functions as SQLite functions; *overflow counts
 * results of more than 64 bits. */
int rn_sql_functions(sqlite3 *db, uint64_t *overflow);
#endif
