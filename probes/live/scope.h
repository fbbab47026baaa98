/* scope.h - the processes that a query watches, and those that a node consists of: see struct
 * rn_scope. */
#ifndef RN_PROBES_LIVE_SCOPE_H
#define RN_PROBES_LIVE_SCOPE_H
#include <stdint.h>
#include "planner/plan/source.h"

/* Sets the bit of every named process; bits: RN_SCOPE_PIDS of them. -EINVAL: no process id; -ESRCH:
 * the tree's root has ended. */
int rn_scope_fill(uint64_t *bits, const struct rn_scope *scope, struct rn_err *err);
/* Sets the bits of the descendants that scope->tree already has. Call it once the kernel marks new
 * ones, before events are taken. */
void rn_scope_fill_tree(uint64_t *bits, const struct rn_scope *scope);
/* Sets the bits of n processes and of their descendants, leaving out those that have ended. Call it
 * once the kernel marks new ones. */
void rn_scope_mark(uint64_t *bits, const int64_t *pids, unsigned n);
/* Puts the scope's cgroup into the map that programs read. Negative errno if it is gone, or if its
 * path leads to another one. */
int rn_scope_cgroup(int map_fd, const struct rn_scope *scope, struct rn_err *err);

/* For the table: where the scope's cgroup lies below the root of its hierarchy. */
struct rn_scope_path {
	char *whole /* to be freed */, *below /* part of it; "": the root; NULL: no cgroup */;
};
void rn_scope_paths(struct rn_scope_path *list, const struct rn_scope *scope);
/* Is this process in scope? dir: its directory in /proc; cgroup: its path as in /proc/PID/cgroup,
 * read only if the scope has one. */
bool rn_scope_holds(const struct rn_scope *scope, const struct rn_scope_path *path, int32_t pid,
		    int dir, const char *cgroup);
#endif
