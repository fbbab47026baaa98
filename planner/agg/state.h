/* state.h - the partial state of one aggregate in one group: init, update, merge, free.
 *
 * An aggregate's description (planner/plan/agg.h) names words and cells. They are updated and
 * merged here, on a node, a relay and the coordinator alike; blobs by the aggregate's own
 * functions. Memory is from rn_malloc. Not thread-safe. */
#ifndef RN_PLANNER_AGG_STATE_H
#define RN_PLANNER_AGG_STATE_H
#include "planner/plan/agg.h"

void rn_state_init(const struct rn_agg_call *call, struct rn_state *state);
/* Adds one event. first: it is the group's first. Returns false if the argument is too great for
 * the aggregate, and was left out. */
bool rn_state_update(const struct rn_agg_call *call, struct rn_state *state,
		     const struct rn_value *arg, int64_t time_ns, bool first);
/* Adds another state of the same call. s_empty: drops what state holds before. */
void rn_state_merge(const struct rn_agg_call *call, struct rn_state *state, bool s_empty,
		    const struct rn_state *other);
void rn_state_free(const struct rn_agg_call *call, struct rn_state *state);
/* Merges the words of one slot into w, both of a state that saw an event. Returns the number of
 * words. */
unsigned rn_slot_merge(enum rn_slot_op op, int64_t *w, const int64_t *o);
#endif
