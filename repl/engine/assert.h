/* assert.h - does an assertion hold? Its query gives a row for each thing that it is about. Each
 * condition is a column, which must be true in all rows. Further columns hold what the conditions
 * compare, to explain a failure. */
#ifndef RN_REPL_ENGINE_ASSERT_H
#define RN_REPL_ENGINE_ASSERT_H
#include "exec/coord/coord.h"
#include "repl/engine/script.h"

struct rn_assertion {
	struct rn_arena *arena;
	/* the columns that are conditions, in the answer as its consumer gets it */
	unsigned first, n;
	const struct rn_ast_expr **cond; /* each condition as it was written */
	/* the result */
	struct rn_column *cols;
	unsigned ncols;
	unsigned window;
	int64_t window_ns; /* as in rn_answer_shape */
	/* the next row's window was covered in part */
	bool partial;
	struct rn_extent covered;
	int64_t rows, failed;
	unsigned which; /* the condition that failed, in the first row that failed */
	/* that row's other columns: "file = /x, p99(latency) = 12 ms"; "": there are none */
	const char *values;
};

/* Call it after the query was resolved; adds columns to the query. False, and reported: it is no
 * assertion. */
bool rn_assert_prepare(struct rn_script *script, const struct rn_ast_stmt *st,
		       struct rn_statement *job);
/* The output for its rows. Forgets the result of an earlier run. */
struct rn_output rn_assert_output(struct rn_assertion *as);
/* Call it after the last row: true if the assertion holds. Else *diag is a diag with an error that
 * points at the condition. */
bool rn_assert_holds(struct rn_script *script, const struct rn_statement *job,
		     struct rn_diag **diag);
/* It holds, but only for what was seen: returns a diag with the warning. */
struct rn_diag *rn_assert_doubt(struct rn_script *script, const struct rn_statement *job);
#endif
