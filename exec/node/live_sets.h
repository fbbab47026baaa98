/* live_sets.h - what is in a live set when its query begins. */
#ifndef RN_EXEC_NODE_LIVE_SETS_H
#define RN_EXEC_NODE_LIVE_SETS_H
#include "planner/plan/source.h"

/* Asks the table `processes` for the members of each live set that has `begin`, and gives them to
 * source, which has started. Returns 0 or a negative errno: then err says which table could not be
 * read. */
int rn_live_sets_begin(const struct rn_provider *provider, const struct rn_fragment *fragment,
		       const struct rn_scope *scope, struct rn_source *source, struct rn_err *err);
#endif
