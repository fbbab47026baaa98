/* cgroups.h - the container that a cgroup's path names, if the path can be trusted.
 *
 * Engines name a container's cgroup by its id, 64 hexadecimal digits. So can any user who was given
 * a part of the tree, such as that of a login session. Such a part belongs to that user, and its
 * names are ignored. */
#ifndef RN_PROBES_KERNEL_CGROUPS_H
#define RN_PROBES_KERNEL_CGROUPS_H

enum { RN_CONTAINER_BYTES = 13 }; /* of its short id, with the NUL */
/* Set id to the short id of the innermost container in `path`, below the cgroup file system mounted
 * at `mount`. A cgroup counts only if uid 0 owns it and all above it. Empty if there is none, or if
 * a cgroup is gone. Thread-safe. */
void rn_cgroup_container(const char *mount, const char *path, char id[RN_CONTAINER_BYTES]);
#endif
