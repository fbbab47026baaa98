/* share.h - inside probes/: how much costly work each user's processes may cause.
 *
 * A share is used up and comes back with time. So a query that runs for months does not suffer from
 * its first minute. Root has eight shares; all other users together have two, since one person may
 * hold thousands of user ids by namespaces. A hash of 64 places tells users apart: two in one place
 * have one share. Not for several threads. */
#ifndef RN_PROBES_PROCESS_SHARE_H
#define RN_PROBES_PROCESS_SHARE_H
#include <stdint.h>

struct rn_share_of {
	int64_t used, ns;
};
struct rn_share {
	int64_t most, per_second; /* a share; the part of it that comes back */
	struct rn_share_of of[64], rest, root;
};
/* Returns what is left for a user; 0 or less: nothing. */
int64_t rn_share_left(struct rn_share *share, uint32_t uid, int64_t now_ns);
void rn_share_take(struct rn_share *share, uint32_t uid, int64_t n, int64_t now_ns);
/* Returns the user who started a process: its real user id, as programs with another effective one
 * belong to the user who runs them. A process that is gone counts as nobody's: UINT32_MAX. */
uint32_t rn_share_user(int pid);
#endif
