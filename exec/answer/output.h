/* output.h - what a consumer of an answer implements: a printer, a recording, a client of the
 * library. */
#ifndef RN_EXEC_ANSWER_OUTPUT_H
#define RN_EXEC_ANSWER_OUTPUT_H
#include "planner/plan/source.h"

struct rn_answer_shape { /* what a consumer gets; strings live until the call returns */
	/* with types; a windowed answer has `window` first */
	struct rn_column *cols;
	unsigned ncols;
	int64_t every_ns; /* how long those windows are; 0: no windows */
	/* The column with the window of a row, the row's own or a nested query's, and that window's
	 * length. 0: no such column, or its windows cannot be covered in part (a table is read at
	 * one moment). */
	unsigned window;
	int64_t window_ns;
	bool shares; /* rn_output.share is called before each row */
};
struct rn_output {
	void *self;
	int (*begin)(void *self, const struct rn_answer_shape *result);
	int (*row)(void *self, const struct rn_value *value); /* a final row */
	/* The row that follows is (other), whose keys have no value. column: of its first key; -1:
	 * it shows none. NULL: not wanted. */
	void (*other)(void *self, int column);
	/* The row that follows, of a query with `top`, has this part of what all groups have
	 * together: 0 to 1; below 0: not known. NULL: not wanted. */
	void (*share)(void *self, double share);
	/* The row that follows belongs to a window (rn_answer_shape.window) that was covered only
	 * this much. NULL: not wanted. */
	void (*partial)(void *self, const struct rn_extent *covered);
	/* The groups so far. Between these two calls, rows replace those of the last snapshot.
	 * NULL: not wanted. */
	int (*snapshot)(void *self, bool begin);
	int (*end)(void *self);
};
#endif
