/* tables.h - inside probes/: snapshot tables as sources. provider.c dispatches fragments whose
 * class is a table here. */
#ifndef RN_PROBES_TABLES_H
#define RN_PROBES_TABLES_H
#include "planner/plan/source.h"

/* The operations of the snapshot table with this class id (RN_CLS_PROC); NULL if there is none. The
 * source it opens is its own kind: all later calls must go to the same ops. provider: pass a `const
 * char *` with the node's name. One snapshot per query: the first poll delivers all rows and poll
 * then returns 1; with `every`, one snapshot per window (a poll that finds a new one due), and poll
 * never returns 1. Rows hold the fragment's fields; the where clause is not applied (the agent
 * does). */
const struct rn_source_ops *rn_table_ops(uint16_t class_id);
#endif
