/* ledger.h - what an answer did not cover. As text: one short line if the answer is complete, else
 * the causes and advice. As JSON: one line {"ledger": {...}} with the totals of all items, then the
 * same for each node. */
#ifndef RN_REPL_RENDER_LEDGER_H
#define RN_REPL_RENDER_LEDGER_H
#include <stdio.h>
#include "planner/plan/ledger.h"

/* verbose: writes all items of each node too */
void rn_ledger_write(FILE *f, const struct rn_ledgers *ledgers, bool verbose);
void rn_ledger_write_json(FILE *f, const struct rn_ledgers *ledgers);
struct rn_ledger rn_ledger_total(
	const struct rn_ledgers *ledgers); /* of all nodes; no node, no why */
/* the value of `lost`: the sum of what found no room */
int64_t rn_ledger_lost(const struct rn_ledger *ledger);
#endif
