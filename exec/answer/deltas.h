/* deltas.h - how the numbers of a table's rows change from one window to the next:
 * delta(utime) of processes every 1s. */
#ifndef RN_EXEC_ANSWER_DELTAS_H
#define RN_EXEC_ANSWER_DELTAS_H
#include "planner/plan/plan.h"
#include "planner/plan/source.h"

struct rn_deltas;

/* plan: of rows, with nrow_key columns that tell rows apart; it outlives the result. */
struct rn_deltas *rn_deltas_new(const struct rn_plan *plan);
/* May be NULL. */
void rn_deltas_free(struct rn_deltas *deltas);
unsigned rn_deltas_kept(const struct rn_deltas *deltas); /* how many rows it remembers */
/* Returns the rows with deltas in place of the numbers. They are in the arena, and their texts are
 * those of `rows`. NULL: in the first window; if the number fell; or if the row was there before,
 * but not in the window before. A row that is new counts from 0. */
const struct rn_rows *rn_deltas_of(struct rn_deltas *deltas, const struct rn_rows *rows,
				   struct rn_arena *arena);
#endif
