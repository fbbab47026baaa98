/* policy.h - what this node lets a query have: a small file of its owner's.
 *
 *     # /etc/runnel/policy
 *     payload = allow
 *
 * One `key = value` a line; blank lines and lines that begin with `#` are left out. A key that is not known or a line that is
 * none is an error, and then no live query runs: a slip must not open what was to be closed. Without a file the defaults hold.
 *
 *   payload   allow or deny (the default): may a query have the field `data`, bytes of what programs read and write?
 *             Tags, hashes and sketches need no leave: they tell whether something is there, not what. */
#ifndef RN_EXEC_POLICY_H
#define RN_EXEC_POLICY_H
#include <stdbool.h>
#include "lang/err.h"
#include "planner/plan.h"

#define RN_POLICY_FILE "/etc/runnel/policy" /* unless RUNNEL_POLICY names another */

struct rn_policy {
	const char *path;
	bool payload;
	unsigned payload_line; /* where the file says so; 0: it does not */
};
/* Reads the file; 0, or a negative errno with file and line in err. path lives as long as the environment. */
int rn_policy_load(struct rn_policy *p, struct rn_err *err);
/* 0, or -EPERM: the fragment takes what the policy does not allow. */
int rn_policy_check(const struct rn_policy *p, const struct rn_fragment *f, struct rn_err *err);
#endif
