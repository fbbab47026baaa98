/* coord_impl.h - what the parts of the coordinator share: how long a query ran. */
#ifndef RN_EXEC_COORD_COORD_IMPL_H
#define RN_EXEC_COORD_COORD_IMPL_H
#include "exec/answer/answer.h"
#include "exec/coord/coord.h"
#include "planner/plan/ledger.h"

/* How long the leaf of a query ran, or was recorded. begin is known from the start on, end at the
 * end (0: not yet). cover: for a recording, else NULL. */
struct rn_ran {
	int64_t begin, end, planned; /* planned: as the query says; 0: it does not say */
	int64_t first; /* for a query that is held: the first window that counts; else 0 */
	const struct rn_cover *cover;
};

/* Runs a plan, its sets and its children. Rows go to `to`, ledgers are added to ledgers, and span
 * is filled in on the way. Returns 0 or a negative errno. */
int rn_coord_execute(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		     const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		     struct rn_ran *span, struct rn_err *err);
#endif
