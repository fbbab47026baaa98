/* guard.h - ends a query that takes more than the node's policy allows (exec/node/limits.h), from
 * outside of its work: a thread that looks at the query's own thread twenty times a second.
 *
 * It reads by itself how long the query runs, the CPU time of its thread, and what that thread has
 * allocated. What only the query's thread can ask its source for (events, cost in the kernel) that
 * thread tells it. When a limit is passed
 *
 *   the account is marked as ended (lang/base/memory.h): loops over rows stop, and a regular
 * expression that is being compiled or matched gets no more memory and gives up; and `over` is
 * called once, in the watching thread, to wake the query if it waits.
 *
 * The agent and its other queries go on. A thread that is in the kernel, or in code that asks for
 * neither, is not interrupted: the query ends when it comes back from there. */
#ifndef RN_EXEC_NODE_GUARD_H
#define RN_EXEC_NODE_GUARD_H
#include "exec/node/limits.h"
#include "lang/base/memory.h"
#include "planner/plan/source.h"

struct rn_guard;
/* Watches the calling thread, which is to be the query's, from now on; max_seconds counts from
 * here. p is copied; account: the thread's, which lives longer. 0, or a negative errno. Where the
 * policy has no limit, *out is NULL: there is nothing to watch. */
int rn_guard_create(const struct rn_policy *p, struct rn_account *account, void (*over)(void *self),
		    void *self, struct rn_guard **out, struct rn_err *err);
/* By the query's thread, before the account or what `over` uses goes. NULL is allowed, also below:
 * nothing is watched. */
void rn_guard_destroy(struct rn_guard *w);
/* The query begins to run: max_seconds counts from now. */
void rn_guard_begin(struct rn_guard *w);
/* Events so far, and what the source costs without the CPU time of this thread. */
void rn_guard_tell(struct rn_guard *w, int64_t seen, const struct rn_cost *source);
/* Is it to end? Then err says why. */
bool rn_guard_over(struct rn_guard *w, struct rn_err *err);
#endif
