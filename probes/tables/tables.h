/* tables.h - snapshot tables as sources: `proc`. */
#ifndef RN_PROBES_TABLES_TABLES_H
#define RN_PROBES_TABLES_TABLES_H
#include "planner/plan/source.h"

/* Does the fragment read one of these tables? */
bool rn_table_is(const struct rn_fragment *f);
/* A source of its rows; node: the node's name, which outlives the source. Without `every` there is
 * one snapshot: the first poll delivers all rows, and poll then returns 1. With it there is one
 * snapshot a window, by the poll that finds a new one due, and poll never returns 1. Rows hold the
 * fragment's fields; the caller applies the where clause. */
int rn_table_open(const char *node, const struct rn_fragment *f, const struct rn_scope *scope,
		  struct rn_source **out, struct rn_err *err);
#endif
