/* guard.h - ends a query that takes more than the node's policy allows (exec/node/limits.h). A
 * separate thread looks at the query's own thread twenty times a second.
 *
 * The watching thread itself reads how long the query runs, the CPU time of its thread, and what
 * that thread has allocated. The query's thread tells it what only that thread can ask its source
 * for (events, cost in the kernel). When a limit is passed:
 *
 *  - The account is marked as ended (lang/base/memory.h). Loops over rows stop. A regular
 *    expression that is being compiled or matched gets no more memory and gives up.
 *  - The watching thread calls `over` once, to wake the query if it waits.
 *
 * The agent and its other queries go on. A thread that is in the kernel, or in code that does
 * neither, is not interrupted: its query ends when it comes back from there. */
#ifndef RN_EXEC_NODE_GUARD_H
#define RN_EXEC_NODE_GUARD_H
#include "exec/node/limits.h"
#include "lang/base/memory.h"
#include "planner/plan/source.h"

struct rn_guard;
/* From now on, watches the calling thread, which must be the query's; max_seconds counts from here.
 * Copies policy. account: the thread's, which lives longer. Returns 0 or a negative errno. If the
 * policy has no limit, *out is NULL: there is nothing to watch. */
int rn_guard_create(const struct rn_policy *policy, struct rn_account *account,
		    void (*over)(void *self), void *self, struct rn_guard **out,
		    struct rn_err *err);
/* The query's thread calls it before the account, or what `over` uses, goes. Here and below, NULL
 * is allowed: nothing is watched. */
void rn_guard_destroy(struct rn_guard *guard);
/* The query begins to run: max_seconds counts from now. */
void rn_guard_begin(struct rn_guard *guard);
/* Tells the events so far, and the cost of the source without the CPU time of this thread. */
void rn_guard_tell(struct rn_guard *guard, int64_t seen, const struct rn_cost *source);
/* Must the query end? Then err says why. */
bool rn_guard_over(struct rn_guard *guard, struct rn_err *err);
#endif
