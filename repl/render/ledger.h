/* ledger.h - what an answer did not cover, as text: one short line if that is nothing, else
 * the causes and the way out. As JSON one line {"ledger": {...}}: totals of all items, then the
 * same for each node. */
#ifndef RN_REPL_RENDER_LEDGER_H
#define RN_REPL_RENDER_LEDGER_H
#include <stdio.h>
#include "planner/plan/ledger.h"

/* verbose: all items of each node too */
void rn_ledger_write(FILE *f, const struct rn_ledgers *l, bool verbose);
void rn_ledger_write_json(FILE *f, const struct rn_ledgers *l);
struct rn_ledger rn_ledger_total(const struct rn_ledgers *l); /* of all nodes; no node, no why */
/* what `lost` is: the sum of what found no room */
int64_t rn_ledger_lost(const struct rn_ledger *l);
#endif
