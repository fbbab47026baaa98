/* groups.h - a table of groups and their partial states: update from rows, merge from partials,
 * finish to values.
 *
 * Used by the node (update), the relay (merge) and the coordinator (merge, finish). Keyed by window
 * and key values. It holds at most max_groups groups, and RN_GROUPS_TEXT bytes of text in their
 * keys. Events that do not fit go to the window's (other) group. Not thread-safe. */
#ifndef RN_EXEC_GROUPS_GROUPS_H
#define RN_EXEC_GROUPS_GROUPS_H
#include "planner/plan/source.h"

#define RN_GROUPS_TEXT (512ull << 20)
struct rn_groups;
struct rn_groups *rn_groups_create(const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys,
				   uint32_t max_groups);
void rn_groups_destroy(struct rn_groups *groups);
/* Adds one event: key[nkeys], arg[naggs] (ignored if the call has none), its time. Copies what it
 * keeps. Returns 1 if the event went to (other), else 0. */
int rn_groups_update(struct rn_groups *groups, int64_t window_ns, const struct rn_value *key,
		     const struct rn_value *arg, int64_t time_ns);
/* Merges partials. Returns the number of events that went to (other) and were not there before. */
int64_t rn_groups_merge(struct rn_groups *groups, const struct rn_partials *partials);
/* Visits all groups of windows that start before `before_ns` (INT64_MAX: all), window by window in
 * order of time, keys in rn_value_cmp order; (other) last. visit's argument lives until it returns.
 * If drop, visited windows are then dropped. */
int rn_groups_visit(struct rn_groups *groups, int64_t before_ns, bool drop,
		    int (*visit)(void *self, const struct rn_partials *partials), void *self);
uint32_t rn_groups_count(const struct rn_groups *groups);
/* How many wrong groups were looked at in searches: about one for each group that was made,
 * whatever the keys. */
uint64_t rn_groups_steps(const struct rn_groups *groups);
/* How many arguments of events were left out because they are too great. */
int64_t rn_groups_overflow(const struct rn_groups *groups);
#endif
