/* tables.h - snapshot tables as sources: `processes`. */
#ifndef RN_PROBES_TABLES_TABLES_H
#define RN_PROBES_TABLES_TABLES_H
#include "planner/plan/source.h"

/* ---- proc_table.c ---- */

/* Does the fragment read one of these tables? */
bool rn_table_is(const struct rn_fragment *fragment);
/* Opens a source of its rows. node: the node's name, which outlives the source. Without `every`
 * there is one snapshot: the first poll delivers all rows and returns 1. With `every` there is one
 * snapshot a window: the first poll that finds it due delivers it, and no poll returns 1. Rows hold
 * the fragment's fields; the caller applies the where clause. */
int rn_table_open(const char *node, const struct rn_fragment *fragment,
		  const struct rn_scope *scope, struct rn_source **out, struct rn_err *err);
#endif
