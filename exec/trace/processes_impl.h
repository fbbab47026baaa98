/* processes_impl.h - the processes that a recording has seen, one per node and process id. */
#ifndef RN_EXEC_TRACE_PROCESSES_IMPL_H
#define RN_EXEC_TRACE_PROCESSES_IMPL_H
#include <stdint.h>
#include "lang/values/value.h"

struct rn_trace_seen { /* one event, as far as it says something of its process */
	struct rn_value node, proc, name, file; /* "" if not recorded */
	int64_t pid, ppid, time_ns;             /* ppid < 0: not recorded */
};
/* exe: NULL if unknown */
struct rn_trace_process {
	const char *node, *proc, *exe;
	int64_t pid, ppid, start_ns;
};

struct rn_trace_procs;
struct rn_trace_procs *rn_trace_procs_create(void);
void rn_trace_procs_destroy(struct rn_trace_procs *procs);
void rn_trace_procs_seen(struct rn_trace_procs *procs, const struct rn_trace_seen *seen);
/* In the order in which they were first seen. A nonzero return of visit ends it and is returned. */
int rn_trace_procs_visit(const struct rn_trace_procs *procs,
			 int (*visit)(void *self, const struct rn_trace_process *process),
			 void *self);
#endif
