/* assert.h - does an assertion hold? Its query gives a row for each thing that it is about, with a
 * column for each condition, which must be true in all rows, and columns for what the conditions
 * compare, which tell a failure. */
#ifndef RN_REPL_ENGINE_ASSERT_H
#define RN_REPL_ENGINE_ASSERT_H
#include "exec/coord/coord.h"
#include "repl/engine/script.h"

struct rn_assertion {
	struct rn_arena *arena;
	/* the columns that are conditions, in the answer as its consumer gets it */
	unsigned first, n;
	const struct rn_ast_expr **cond; /* what was written, for each */
	/* what came of it */
	struct rn_column *cols;
	unsigned ncols;
	unsigned window;
	int64_t window_ns; /* as in rn_result */
	/* of the row that comes: its window was covered in part */
	bool partial;
	struct rn_extent covered;
	int64_t rows, failed;
	unsigned which; /* the condition that failed in the first row that does */
	/* that row's other columns: "file = /x, p99(latency) = 12 ms"; "": there are none */
	const char *values;
};

/* After its query was resolved; adds columns to it. False, and reported: it is none. */
bool rn_assert_prepare(struct rn_script *u, const struct rn_ast_stmt *st, struct rn_statement *job);
/* Where its rows go. What came of an earlier run is forgotten. */
struct rn_output rn_assert_output(struct rn_assertion *as);
/* After the last row: true if it holds. Else *d is a diag with the error, which points at the
 * condition. */
bool rn_assert_holds(struct rn_script *u, const struct rn_statement *job, struct rn_diag **d);
/* It holds, but of what was seen only: a diag with the warning. */
struct rn_diag *rn_assert_doubt(struct rn_script *u, const struct rn_statement *job);
#endif
