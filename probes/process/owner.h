/* owner.h - whose a process or a mount namespace is, for limits that each user has alone.
 *
 * The answer cannot be chosen by the process. Its effective user counts, as /proc/PID/status has
 * it: the owner of /proc/PID is root's for any process that wants it. In a user namespace it is the
 * user who made the outermost one, whatever ids that has; such a namespace that root made, for a
 * container, is a user of its own. */
#ifndef RN_PROBES_PROCESS_OWNER_H
#define RN_PROBES_PROCESS_OWNER_H
#include <stdbool.h>
#include <stdint.h>

enum { RN_OWNER_ROOT = 0 }; /* others: a user id, or the inode of a user namespace | 1 << 32 */
struct rn_owners {          /* what is known of namespaces; begins as {0} */
	uint64_t self;      /* the user namespace of this process */
	struct {
		uint64_t ino, owner;
	} * v;
	unsigned n, cap;
};

/* Of the process with this directory in /proc. False: it is gone, or may not be asked. */
bool rn_owner_of_process(struct rn_owners *o, int proc, uint64_t *owner);
/* Who made the mount namespace of that process, and so decides what is mounted there. */
bool rn_owner_of_mounts(struct rn_owners *o, int proc, uint64_t *owner);
/* Is the process in the user namespace of this one? Others may have changed their root without
 * anybody's leave. */
bool rn_owner_is_plain(struct rn_owners *o, int proc);
void rn_owners_free(struct rn_owners *o);
#endif
