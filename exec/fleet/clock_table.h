/* clock_table.h - the table `clocks` as a source: a row for each node of the fleet. */
#ifndef RN_EXEC_FLEET_CLOCK_TABLE_H
#define RN_EXEC_FLEET_CLOCK_TABLE_H
#include "planner/plan/source.h"

struct rn_fleet;
struct rn_clock_table {           /* set with these operations in a provider */
	struct rn_fleet *fleet;   /* NULL: this machine is the only node */
	const char *node;         /* this machine's name */
	const char *const *nodes; /* `on NODES`; NULL: all */
};
extern const struct rn_provider_ops rn_clock_table_ops;
#endif
