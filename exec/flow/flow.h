/* flow.h - orders the hops of a tag's flow, and links each to the hop that its data came from.
 *
 * Sends (writes and the like) are ordered by their entry, receives by their return. So a send
 * precedes the receive of its data, whether or not the calls blocked. Nodes' clocks need not agree:
 * the hops of one node keep the order of its own clock. A receive that is paired with another
 * node's send, by its place in the stream, comes after that send (order.c). */
#ifndef RN_EXEC_FLOW_FLOW_H
#define RN_EXEC_FLOW_FLOW_H
#include "lang/base/arena.h"
#include "lang/catalog/flow_schema.h"
#include "planner/plan/source.h"

enum { /* RN_FLOW_HOP, ...: lang/catalog/flow_schema.h */
#define X(id, ...) RN_FLOW_##id,
       RN_FLOW_SHOWS(X)
#undef X
	       RN_FLOW_COLUMNS
};

struct rn_flow; /* in the arena that it was created in */
/* cols: the fragment's columns, found by label: those of RN_FLOW_NEEDS. A recording may lack some:
 * then there are fewer links, and fewer exact ones. */
struct rn_flow *rn_flow_new(struct rn_arena *arena, const struct rn_column *cols, unsigned ncols);
void rn_flow_add(struct rn_flow *flow, const struct rn_rows *rows); /* copies what it keeps */

/* Tells when the query was attached to the node, by the clock of its rows. A hop whose beginning
 * was not seen began then. node NULL: for every node without a time of its own. If no time is
 * known, such a hop began when the first hop of its node did. */
void rn_flow_attached(struct rn_flow *flow, const char *node, int64_t time_ns);

/* Tells that some events of the node were lost; node NULL: of any node. Data may have come from
 * them: they are one more choice of each link there, except of links by numbers of bytes. */
void rn_flow_lost(struct rn_flow *flow, const char *node);

/* A message between two nodes, both ends seen and paired without any clock. `sent`: when the call
 * that sent it began (which was seen), by the clock of `from`. `received`: when the call that
 * received it returned, by the clock of `to`. */
struct rn_flow_message {
	const char *from, *to;
	int64_t sent_ns, received_ns;
};
/* Visits the messages, in no order, once all rows are there. Stops at the first negative return,
 * and returns it; -ENOMEM. */
int rn_flow_messages(struct rn_flow *flow,
		     int (*each)(void *self, const struct rn_flow_message *message), void *self);
/* From now on `align` converts all times. It must not exchange two times of one node. *bound_ns: by
 * how much the result may be wrong; below 0: that is not known. Without it, the times of one node
 * are right, and those of several have no known bound. */
typedef int64_t rn_flow_align_fn(void *self, const char *node, int64_t time_ns, int64_t *bound_ns);
void rn_flow_align(struct rn_flow *flow, rn_flow_align_fn *align, void *self);

/* All hops of the tags are there, as no `where` leaves some out: an end without another side has
 * none. Otherwise it is `outside`: its other side may be a hop that was left out. */
void rn_flow_whole(struct rn_flow *flow);
/* Bounds the bytes of all hops together; RN_FLOW_ROOM by default. */
void rn_flow_room(struct rn_flow *flow, uint64_t bytes);
#define RN_FLOW_ROOM (1ULL << 30)
/* How many hops were not taken, to keep to that bound. */
int64_t rn_flow_shed(const struct rn_flow *flow);

/* Bounds the bytes that may be spent on finding links within processes; 64 MiB by default. */
void rn_flow_bound(struct rn_flow *flow, uint64_t bytes);
/* Orders and links all hops, then visits them in order, each as RN_FLOW_COLUMNS values: once for
 * each hop that its data came from. If the fragment has the column of `through`, only flows with
 * a hop of which that is true: a flow is what hangs together by `from`. With the columns of
 * `starting where` and `ending where` only hops on paths that begin and end with such hops; a row
 * names no hop that is left out. */
int rn_flow_visit(struct rn_flow *flow,
		  int (*visit)(void *self, const struct rn_value *value, int64_t time_ns),
		  void *self);
/* How many hops were forgotten to keep to the bound, least recently used first. */
int64_t rn_flow_forgotten(const struct rn_flow *flow);
#endif
