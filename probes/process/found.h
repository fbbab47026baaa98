/* found.h - inside probes/: opens files that a process has mapped, and never waits for their owner.
 *
 * A file system in user space (FUSE) answers when its owner likes, or never, and then nothing ends
 * the wait, not even SIGKILL. The kernel keeps root away from such a file system of another user,
 * but not if an overlay lies above it: that asks with the rights of who mounted it. So a file is
 * first opened as a path only, which asks nobody; its file system is looked at; and what may belong
 * to a user is refused. Anything but a regular file is, too: FIFOs wait, devices do something.
 *
 * Allowed: file systems of disks and of memory; network file systems and overlays if they are
 * mounted where this process sees them, since only root mounts there. Not FUSE, and not overlays of
 * other mount namespaces that only their own user namespace sees. */
#ifndef RN_PROBES_PROCESS_FOUND_H
#define RN_PROBES_PROCESS_FOUND_H
#include <stdbool.h>
#include <stdint.h>

/* What a descriptor that was opened as a path (O_PATH) leads to. mode: its type, as in a stat.
 * allowed: begins as 0, and may be kept for what lies beside it, which then costs less to look
 * at. */
struct rn_found_kind {
	uint32_t mode, allowed;
};
/* May it be touched: opened, or asked by stat? dev: of its file system as /proc/PID/maps tells
 * it, major << 20 | minor; 0: not known. 0, or negative errno: -EREMOTE if its file system is
 * refused. */
int rn_found_look(int at, uint32_t dev, struct rn_found_kind *k);
/* A file by its magic link in /proc/PID/map_files. A descriptor for reading, or negative errno:
 * -EREMOTE if its file system is refused. */
int rn_found_open(const char *link, uint32_t dev);
/* By a path under /proc/PID/root, where map_files is not permitted: only if the process is in our
 * user namespace, whose mounts are root's; else -EREMOTE. */
int rn_found_path(int pid, const char *path, uint32_t dev);
#endif
