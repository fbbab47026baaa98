/* scope.h - whom a query is about, beyond its text. */
#ifndef RN_PLANNER_PLAN_SCOPE_H
#define RN_PLANNER_PLAN_SCOPE_H
#include <stdbool.h>
#include <stdint.h>

/* Whom the query is about, beyond its text: -c and -p, and what the node is, if it is less than the
 * machine. All that is given must hold.
 *
 * An event belongs to the task that runs when it happens: that task is tested, in the kernel,
 * before anything is looked at or counted. So of a fork it is the parent; of an io_uring operation
 * or a page fault the process it is done for, or its worker thread; of a tracepoint that is hit in
 * an interrupt (the completion of a disk's request, a packet that comes in) whoever happened to run
 * on that CPU. A task on its way out that has left its namespaces is in none. Rows of the table
 * `proc` are in scope by what /proc says of the process; a descendant whose ancestors have ended is
 * then not known as one, while events of it are if it was born while the query ran. */
struct rn_scope {
	const int32_t *pids;
	unsigned npids; /* process ids; none: everybody */
	bool follow;    /* and all their descendants, from now on */
	/* A node of several on one kernel. What is pointed to lives as long as the source.
	 * exec/node/scope.h makes these out of text. */
	/* processes in the network namespace with this inode; 0: any */
	uint64_t netns_ino;
	/* processes in the cgroup (v2) with this id, and those below it; 0: any */
	uint64_t cgroup_id;
	/* the directory of that cgroup; NULL if cgroup_id is 0 */
	const char *cgroup;
	/* this process and its descendants, those born before included; 0: any */
	int32_t tree;
	/* Processes that ask and answer (coordinator, agents, what carries their frames): their
	 * events are left out, as those of the process that watches always are. */
	const int32_t *askers;
	unsigned naskers; /* at most RN_ASKERS_MAX */
};
enum { RN_ASKERS_MAX = 64 };
#endif
