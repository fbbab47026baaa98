/* users.h - conditions that name a user whom this node does not have: no event there can match
 * them. */
#ifndef RN_EXEC_NODE_USERS_H
#define RN_EXEC_NODE_USERS_H
#include "planner/plan/plan.h"

/* Counts the comparisons of `user`, in the fragment's conditions, with a text that is shown for no
 * user of this machine. */
int64_t rn_users_missing(const struct rn_fragment *fragment);
#endif
