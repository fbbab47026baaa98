/* scope.h - which processes a query is about, beyond its text. */
#ifndef RN_PLANNER_PLAN_SCOPE_H
#define RN_PLANNER_PLAN_SCOPE_H
#include <stdbool.h>
#include <stdint.h>

/* Which processes the query is about, beyond its text: -c and -p, and the node's own scope, if the
 * node is less than the machine. All conditions given must hold.
 *
 * An event belongs to the task that runs when it happens. The kernel tests that task before it
 * looks at or counts anything. For a fork it is the parent. For an io_uring operation or a page
 * fault it is the process that it is done for, or its worker thread. A tracepoint hit in an
 * interrupt (the completion of a disk's request, an incoming packet) belongs to the task that
 * happened to run on that CPU. An exiting task that has left its namespaces is in none. Rows of the
 * table `processes` are in scope by what /proc says of the process. A descendant whose ancestors
 * have ended is then not recognised; its events are, if it was born while the query ran. */
struct rn_scope {
	const int32_t *pids;
	unsigned npids; /* process ids; none: all processes */
	bool follow;    /* and all their descendants, from now on */
	/* For a node that shares its kernel with others. Pointers stay valid as long as the source.
	 * exec/node/scope.h makes these from text. */
	/* processes in the network namespace with this inode; 0: any */
	uint64_t netns_ino;
	/* processes in the cgroup (v2) with this id, and those below it; 0: any */
	uint64_t cgroup_id;
	/* the directory of that cgroup; NULL if cgroup_id is 0 */
	const char *cgroup;
	/* this process and its descendants, also those born before; 0: any */
	int32_t tree;
	/* Processes that ask and answer (coordinator, agents, carriers of their frames). Their
	 * events are left out, as those of the watching process always are. */
	const int32_t *askers;
	unsigned naskers; /* at most RN_ASKERS_MAX */
};
enum { RN_ASKERS_MAX = 64 };
#endif
