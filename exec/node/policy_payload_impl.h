/* policy_payload_impl.h - between policy.c, which reads the file, and policy_payload.c, which
 * withholds payload. */
#ifndef RN_EXEC_NODE_POLICY_PAYLOAD_IMPL_H
#define RN_EXEC_NODE_POLICY_PAYLOAD_IMPL_H
#include "exec/node/policy.h"

/* ---- policy.c ---- */

bool rn_policy_admits(const struct rn_policy *policy, struct rn_tag tag);

/* ---- policy_payload.c ---- */

/* Returns 0, or -EPERM: the fragment asks for payload, or for something that reveals it. err->span
 * has where. */
int rn_policy_check_payload(const struct rn_policy *policy, const struct rn_fragment *fragment,
			    struct rn_err *err);
/* Sets what the source must withhold. Returns 0, or a negative errno: there is no key. */
int rn_policy_withhold(const struct rn_policy *policy, struct rn_fragment *fragment,
		       struct rn_err *err);
#endif
