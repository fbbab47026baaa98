/* cgroups.h - what the path of a cgroup says of containers, if it can be believed.
 *
 * Engines name a container's cgroup by its id, 64 hexadecimal digits. So may anybody to whom a part
 * of the tree was handed over, as a session's is to its user. Such a part belongs to that user, and
 * what its names say is not looked at. */
#ifndef RN_PROBES_KERNEL_CGROUPS_H
#define RN_PROBES_KERNEL_CGROUPS_H

enum { RN_CONTAINER_BYTES = 13 }; /* of its short id, with the NUL */
/* The short id of the innermost container in `path`, below the cgroup file system that is mounted
 * at `mount`: only cgroups count that belong to uid 0, as all above them do. Empty if there is
 * none, or if a cgroup is gone. Thread-safe. */
void rn_cgroup_container(const char *mount, const char *path, char id[RN_CONTAINER_BYTES]);
#endif
