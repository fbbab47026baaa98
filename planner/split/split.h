/* split.h - decides what runs where: the last step of planning. */
#ifndef RN_PLANNER_SPLIT_SPLIT_H
#define RN_PLANNER_SPLIT_SPLIT_H
#include "planner/plan/plan.h"

/* Places every conjunct, the groups and the row of plan and of all plans below it. Call it once for
 * a plan. */
void rn_split(struct rn_arena *arena, struct rn_plan *plan, const struct rn_plan_opts *opts);

/* note_rows.c: adds the note N-ROWS, if it is due, for a plan that is split. */
void rn_split_note_rows(struct rn_arena *arena, struct rn_diag *diag, const struct rn_plan *plan);
#endif
