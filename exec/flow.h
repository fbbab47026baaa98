/* flow.h - puts the hops of a tag's flow in order and links each to the hop that its data came from.
 *
 * Sends (writes and the like) are ordered by their entry, receives by their return, so that what was sent precedes what was
 * received from it, whether or not the calls blocked. */
#ifndef RN_EXEC_FLOW_H
#define RN_EXEC_FLOW_H
#include "lang/arena.h"
#include "planner/source.h"

enum { RN_FLOW_HOP, RN_FLOW_TIME, RN_FLOW_NODE, RN_FLOW_PROC, RN_FLOW_PID, RN_FLOW_NAME, RN_FLOW_DIR, RN_FLOW_OBJECT,
       RN_FLOW_BYTES, RN_FLOW_LATENCY, RN_FLOW_TAGS, RN_FLOW_FROM, RN_FLOW_COLUMNS };

struct rn_flow; /* in the arena that it was made in */
/* cols: the fragment's columns, found by label: time, node, proc, pid, name, file, dev, ino, local, peer,
 * source, bytes, latency, tags. */
struct rn_flow *rn_flow_new(struct rn_arena *a, const struct rn_column *cols, unsigned ncols);
void rn_flow_add(struct rn_flow *f, const struct rn_rows *r); /* copies what it keeps */
/* Orders and links all hops; then visits them in order, each as RN_FLOW_COLUMNS values. */
int rn_flow_visit(struct rn_flow *f, int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self);
#endif
