/* let_result_impl.h - how the coordinator fills and reads the rows of a `let`. */
#ifndef RN_EXEC_COORD_LET_RESULT_IMPL_H
#define RN_EXEC_COORD_LET_RESULT_IMPL_H
#include "exec/coord/coord_impl.h"
#include "exec/coord/let_result.h"

/* Takes a row of a whole query's answer into result. A row too many sets err. */
int rn_let_result_row(struct rn_let_result *result, const struct rn_value *value, int64_t time_ns,
		      struct rn_err *err);
/* All rows are there. Copies ledgers and span. */
void rn_let_result_close(struct rn_let_result *result, const struct rn_ledgers *ledgers,
			 const struct rn_ran *span);
int rn_let_result_leaf(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		       const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		       struct rn_ran *span, struct rn_err *err);
/* Adds the ledgers of all results that plan reads, each once. */
void rn_let_result_account(struct rn_arena *arena, const struct rn_plan *plan,
			   struct rn_ledgers *ledgers);
#endif
