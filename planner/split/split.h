/* split.h - decides what runs where: the last step of planning. */
#ifndef RN_PLANNER_SPLIT_SPLIT_H
#define RN_PLANNER_SPLIT_SPLIT_H
#include "planner/plan/plan.h"

/* Places every conjunct, the groups and the row of plan and of all plans below it. Call it once for
 * a plan. */
void rn_split(struct rn_arena *arena, struct rn_plan *plan, const struct rn_plan_opts *opts);
#endif
