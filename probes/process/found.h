/* found.h - inside probes/: opens files that a process has mapped, and never waits for their owner.
 *
 * A file system in user space (FUSE) answers when its owner likes, or never; then nothing ends the
 * wait, not even SIGKILL. The kernel keeps root away from another user's file system of this kind.
 * But it does not if an overlay lies above it: that asks with the rights of the user who mounted
 * it. So a file is first opened only as a path, which asks no server; its file system is checked;
 * and a file system that may belong to a user is refused. Anything but a regular file is refused
 * too: FIFOs wait, devices do something.
 *
 * Allowed: file systems of disks and of memory; network file systems and overlays if they are
 * mounted where this process sees them, since only root mounts there. Not allowed: FUSE, and
 * overlays of other mount namespaces that only their own user namespace sees. */
#ifndef RN_PROBES_PROCESS_FOUND_H
#define RN_PROBES_PROCESS_FOUND_H
#include <stdbool.h>
#include <stdint.h>

/* The target of a descriptor that was opened as a path (O_PATH). mode: its type, as in a stat.
 * allowed: starts as 0; the caller may keep it for files beside this one, which then cost less to
 * check. */
struct rn_found_kind {
	uint32_t mode, allowed;
};
/* Checks if the file may be touched: opened, or asked by stat. dev: of its file system as in
 * /proc/PID/maps, major << 20 | minor; 0: not known. Returns 0, or negative errno: -EREMOTE if its
 * file system is refused. */
int rn_found_look(int at, uint32_t dev, struct rn_found_kind *kind);
/* Opens a file by its magic link in /proc/PID/map_files. Returns a descriptor for reading, or
 * negative errno: -EREMOTE if its file system is refused. */
int rn_found_open(const char *link, uint32_t dev);
/* Opens a file by a path under /proc/PID/root, if map_files is not permitted. Only if the process
 * is in our user namespace, whose mounts are root's; else -EREMOTE. */
int rn_found_path(int pid, const char *path, uint32_t dev);
#endif
