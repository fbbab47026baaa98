/* missing.h - conditions that name what this node does not have, a user or a name of its kernel's:
 * no event there can match them. */
#ifndef RN_EXEC_NODE_MISSING_H
#define RN_EXEC_NODE_MISSING_H
#include "planner/plan/plan.h"

/* Counts the comparisons of `user`, in the fragment, with a text that is shown for no user of this
 * machine. */
int64_t rn_missing_users(const struct rn_fragment *fragment);
/* Counts the comparisons of fields whose names each kernel numbers for itself (lang/catalog/
 * numbering.h) with a text that this kernel shows for no number. */
int64_t rn_missing_names(const struct rn_fragment *fragment);
#endif
