/* coord_impl.h - what the parts of the coordinator share: how long a query ran. */
#ifndef RN_EXEC_COORD_COORD_IMPL_H
#define RN_EXEC_COORD_COORD_IMPL_H
#include "exec/answer/answer.h"
#include "exec/coord/coord.h"
#include "planner/plan/ledger.h"

/* How long the leaf of a query ran, or was recorded: begin is known from the start on, end at the
 * end (0: not yet). cover: of a recording, else NULL. */
struct rn_ran {
	int64_t begin, end, planned; /* planned: of a query that says how long; 0: it does not */
	int64_t first;               /* of one that is held: the first window that counts; else 0 */
	const struct rn_cover *cover;
};

/* Runs a plan, its sets and its children: rows go to `to`, ledgers are added to l, and span becomes
 * known on the way. 0, or a negative errno. */
int rn_coord_execute(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		     const struct rn_answer_to *to, struct rn_ledgers *l, struct rn_ran *span,
		     struct rn_err *err);
#endif
