/* flow.h - puts the hops of a tag's flow in order and links each to the hop that its data came
 * from.
 *
 * Sends (writes and the like) are ordered by their entry, receives by their return, so that what
 * was sent precedes what was received from it, whether or not the calls blocked. Nodes' clocks need
 * not agree: what one node did keeps the order of its own clock, and a receive that is paired with
 * a send of another node by its place in the stream stands behind that send (order.c). */
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

struct rn_flow; /* in the arena that it was made in */
/* cols: the fragment's columns, found by label: those of RN_FLOW_NEEDS. What a recording does not
 * have may be missing: then there are fewer links, and fewer exact ones. */
struct rn_flow *rn_flow_new(struct rn_arena *a, const struct rn_column *cols, unsigned ncols);
void rn_flow_add(struct rn_flow *f, const struct rn_rows *r); /* copies what it keeps */

/* When the query was attached to the node, by the clock of its rows: then a hop of it began whose
 * beginning was not seen. node NULL: to every node of which this is not said. If it is not known at
 * all, such a hop began when the first one of its node did. */
void rn_flow_attached(struct rn_flow *f, const char *node, int64_t time_ns);

/* A message from one node to another one, both ends seen and paired without regard to any clock:
 * `sent` is when the call that sent it began, which was seen, by the clock of `from`; `received`
 * when the call that received it returned, by that of `to`. */
struct rn_flow_message {
	const char *from, *to;
	int64_t sent_ns, received_ns;
};
/* Once all rows are there: the messages, in no order. Stops at the first negative return, and
 * returns it; -ENOMEM. */
int rn_flow_messages(struct rn_flow *f, int (*each)(void *self, const struct rn_flow_message *m),
		     void *self);
/* From now on times are what `align` makes of them: it must not exchange two times of one node. */
typedef int64_t rn_flow_align_fn(void *self, const char *node, int64_t time_ns);
void rn_flow_align(struct rn_flow *f, rn_flow_align_fn *align, void *self);

/* Bytes that may be spent on what links within processes are found by, 64 MiB unless told. */
void rn_flow_bound(struct rn_flow *f, uint64_t bytes);
/* Orders and links all hops; then visits them in order, each as RN_FLOW_COLUMNS values: once for
 * each hop that its data came from. */
int rn_flow_visit(struct rn_flow *f,
		  int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self);
/* How many hops were forgotten meanwhile, least recently used first, to keep to the bound. */
int64_t rn_flow_forgotten(const struct rn_flow *f);
#endif
