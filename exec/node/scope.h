/* scope.h - the limits of a node, if several live on one kernel: a network namespace, a cgroup, a
 * tree of processes.
 *
 *   netns         the network namespace of the process that calls this function
 *   cgroup=PATH   the cgroup (version 2) with that directory, and those below it
 *   pid=N         process N and its descendants, also those born before
 *
 * Several may be joined by commas, each kind once: then all must hold. Their meaning for events:
 * struct rn_scope in planner/plan/scope.h. */
#ifndef RN_EXEC_NODE_SCOPE_H
#define RN_EXEC_NODE_SCOPE_H
#include "planner/plan/source.h"

/* Fills in what the text says and leaves the rest of *out as it is: begin with zeros. out->cgroup
 * is allocated; rn_scope_free frees it. Returns 0 or a negative errno; then err quotes the wrong
 * part of the text and says what it may be. */
int rn_scope_parse(const char *text, struct rn_scope *out, struct rn_err *err);
void rn_scope_free(struct rn_scope *scope);
/* Does this process run in a network namespace of its own, not the machine's? True if that cannot
 * be known, as in a container of an older kernel: the process then sees less rather than more. */
bool rn_scope_own_netns(void);
#endif
