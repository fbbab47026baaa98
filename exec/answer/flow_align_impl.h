/* flow_align_impl.h - aligns the clocks of nodes for a flow. */
#ifndef RN_EXEC_ANSWER_FLOW_ALIGN_IMPL_H
#define RN_EXEC_ANSWER_FLOW_ALIGN_IMPL_H
#include "planner/plan/plan.h"

/* Tells a flow when the query was attached to the nodes. For a recording: when it was recorded;
 * without a fleet: begin_ns. */
struct rn_flow;
struct rn_fleet;
void rn_answer_flow_attached(struct rn_flow *flow, const struct rn_plan *plan,
			     const struct rn_fleet *fleet, int64_t begin_ns);
/* Tells a flow of which nodes events were lost: without a fleet, of any node. ledgers NULL: not
 * known. */
struct rn_ledgers;
void rn_answer_flow_lost(struct rn_flow *flow, const struct rn_fleet *fleet,
			 const struct rn_ledgers *ledgers);
/* Aligns the times of a flow's hops. Returns 0 or -ENOMEM. */
int rn_answer_align_flow(struct rn_flow *flow, struct rn_fleet *fleet);
#endif
