/* flow_align.c - tells a flow what is known of its nodes: when the query was attached to them, what
 * they lost. Gives its hops the coordinator's time: the messages between hops tell about the clocks
 * of their nodes; then all hops are aligned. Without a fleet there is one clock. */
#include <errno.h>
#include <stdlib.h>
#include "exec/answer/answer.h"
#include "exec/answer/flow_align_impl.h"
#include "exec/fleet/fleet.h"
#include "exec/flow/flow.h"
#include "exec/trace/file.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "planner/plan/ledger.h"

struct messages {
	struct rn_fleet *fleet;
	struct rn_clock_message *list;
	size_t n, cap;
};

static int take(void *self, const struct rn_flow_message *in)
{
	struct messages *all = self;

	rn_vec_room(all->list, all->n, all->cap);
	all->n += rn_fleet_message(all->fleet, in->from, in->sent_ns, in->to, in->received_ns,
				   &all->list[all->n]);
	return 0;
}

static int64_t align(void *self, const char *node, int64_t time_ns, int64_t *bound_ns)
{
	return rn_fleet_align(self, node, time_ns, bound_ns);
}

static void attached(void *self, const char *node, int64_t begin_ns)
{
	rn_flow_attached(self, node, begin_ns);
}

void rn_answer_flow_attached(struct rn_flow *flow, const struct rn_plan *plan,
			     const struct rn_fleet *fleet, int64_t begin_ns)
{
	if (plan->from)
		rn_trace_begins(plan->from, attached, flow);
	else if (fleet)
		rn_fleet_attached(fleet, attached, flow);
	else
		rn_flow_attached(flow, NULL, begin_ns);
}

void rn_answer_flow_lost(struct rn_flow *flow, const struct rn_fleet *fleet,
			 const struct rn_ledgers *ledgers)
{
	for (unsigned i = 0; ledgers && i < ledgers->n; i++) {
		const struct rn_ledger *l = &ledgers->nodes[i];

		/* a queue on the way may have had rows of any node */
		if (l->n[RN_L_SHED])
			rn_flow_lost(flow, NULL);
		else if (l->n[RN_L_LOST_RING] || l->n[RN_L_LOST_SCRATCH] || l->n[RN_L_LATE])
			rn_flow_lost(flow, fleet ? l->node : NULL);
	}
}

int rn_answer_align_flow(struct rn_flow *flow, struct rn_fleet *fleet)
{
	struct messages all = {.fleet = fleet};
	int r;

	if (!fleet)
		return 0;
	r = rn_flow_messages(flow, take, &all);
	if (!r)
		rn_clocks_settle(rn_fleet_clocks(fleet), all.list, all.n);
	free(all.list);
	rn_flow_align(flow, align, fleet);
	return r;
}
