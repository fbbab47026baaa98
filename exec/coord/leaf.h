/* leaf.h - runs one fragment of a plan over its nodes, from its beginning to its answer. */
#ifndef RN_EXEC_COORD_LEAF_H
#define RN_EXEC_COORD_LEAF_H
#include "exec/coord/coord_impl.h"

/* Runs only plan's own fragment over these nodes (NULL: over the fleet of opts). live: stop, done,
 * started and refresh of opts apply. */
int rn_leaf_execute(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		    const struct rn_node *nodes, unsigned nnodes, bool live,
		    const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		    struct rn_ran *span, struct rn_err *err);

/* The same in steps, over one node that the caller feeds: a table that another query fills. */
struct rn_leaf;
int rn_leaf_open(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		 const struct rn_node *node, const struct rn_answer_sink *to, struct rn_ran *span,
		 struct rn_leaf **out, struct rn_err *err);
int rn_leaf_start(struct rn_leaf *leaf);
/* Reads the rows that wait. Delivers windows that end before mark_ns; nothing follows before it
 * (INT64_MIN: not known). */
int rn_leaf_feed(struct rn_leaf *leaf, size_t rows, int64_t mark_ns);
bool rn_leaf_full(const struct rn_leaf *leaf); /* more rows do not matter */
int rn_leaf_finish(struct rn_leaf *leaf, struct rn_ledgers *ledgers);
void rn_leaf_close(struct rn_leaf *leaf);
#endif
