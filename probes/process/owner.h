/* owner.h - the owner of a process or a mount namespace, for limits that each user has alone.
 *
 * The process cannot choose the answer. Its effective user counts, as in /proc/PID/status; the
 * owner of /proc/PID is root for any process that wants it. In a user namespace the owner is the
 * user who made the outermost one, whatever ids that has. If root made such a namespace, for a
 * container, the namespace is a user of its own. */
#ifndef RN_PROBES_PROCESS_OWNER_H
#define RN_PROBES_PROCESS_OWNER_H
#include <stdbool.h>
#include <stdint.h>

enum { RN_OWNER_ROOT = 0 }; /* others: a user id, or the inode of a user namespace | 1 << 32 */
struct rn_owners {          /* what is known of namespaces; begins as {0} */
	uint64_t self;      /* the user namespace of this process */
	struct {
		uint64_t ino, owner;
	} * list;
	unsigned n, cap;
};

/* Finds the owner of the process with this directory in /proc. False: it is gone, or may not be
 * asked. */
bool rn_owner_of_process(struct rn_owners *owners, int proc, uint64_t *owner);
/* Finds the owner of the process's mount namespace, who decides what is mounted there. */
bool rn_owner_of_mounts(struct rn_owners *owners, int proc, uint64_t *owner);
/* Is the process in the user namespace of this one? Processes in others may have changed their root
 * without privileges. */
bool rn_owner_is_plain(struct rn_owners *owners, int proc);
void rn_owners_free(struct rn_owners *owners);
#endif
