/* users.h - conditions that name a user whom this node does not have: no event there can fulfil
 * them. */
#ifndef RN_EXEC_NODE_USERS_H
#define RN_EXEC_NODE_USERS_H
#include "planner/plan/plan.h"

/* How many comparisons of `user` with a text that no user of this machine is shown by stand in the
 * fragment's conditions. */
int64_t rn_users_missing(const struct rn_fragment *f);
#endif
