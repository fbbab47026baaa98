/* final_impl.h - the rows of a whole plan on their way to the consumer. */
#ifndef RN_EXEC_COORD_FINAL_IMPL_H
#define RN_EXEC_COORD_FINAL_IMPL_H
#include "exec/coord/coord_impl.h"

/* The rows of the whole plan on their way to the consumer. final.c puts `window` in front of them
 * if it is wanted. */
struct rn_finisher {
	const struct rn_output *out;
	const struct rn_run_opts *opts;
	struct rn_arena *arena;
	struct rn_err *err;
	struct rn_value *row;
	unsigned ncols;
	bool prefix;
	const struct rn_ran *span; /* the query's, filled in as it becomes known */
	unsigned window;
	int64_t window_ns; /* as in rn_answer_shape */
};
int rn_finisher_begin(struct rn_finisher *final, const struct rn_answer_shape *result);
int rn_finisher_row(struct rn_finisher *final, const struct rn_value *value);
#endif
