/* scope.h - the set of processes that a query with -c or -p is about. */
#ifndef RN_PROBES_SCOPE_H
#define RN_PROBES_SCOPE_H
#include <stdint.h>
#include "planner/source.h"

/* Sets the bit of every process of the scope; bits: RN_SCOPE_PIDS of them. */
int rn_scope_fill(uint64_t *bits, const struct rn_scope *scope, struct rn_err *err);
#endif
