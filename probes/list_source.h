/* list_source.h - events of several kinds as one source: count of read, exit, tracepoint "irq:*".
 */
#ifndef RN_PROBES_LIST_SOURCE_H
#define RN_PROBES_LIST_SOURCE_H
#include "planner/plan/source.h"

/* The fragment of each kind in a list of classes: the system calls together, each other class
 * alone. */
struct rn_list_parts {
	struct rn_fragment *part;
	unsigned n;
};
/* Takes the fragment apart, in the arena. n is 1 if one source can have all of its events. */
struct rn_list_parts rn_list_take_apart(struct rn_arena *arena, const struct rn_fragment *fragment);

/* Opens one source of all these. open: opens one of the parts, as rn_provider_ops.open. */
int rn_list_open(const struct rn_fragment *fragment,
		 int (*open)(void *self, const struct rn_fragment *part,
			     const struct rn_scope *scope, struct rn_source **out,
			     struct rn_err *err),
		 void *self, const struct rn_scope *scope, struct rn_source **out,
		 struct rn_err *err);
#endif
