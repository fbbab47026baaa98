/* rows_text.h - result rows as lines of text, so that two answers can be compared: tests only. */
#ifndef RN_TESTS_SUPPORT_ROWS_TEXT_H
#define RN_TESTS_SUPPORT_ROWS_TEXT_H
#include <sqlite3.h>
#include "exec/coord/coord.h"

struct rn_rows_text {
	char **line;             /* heap */
	unsigned n, cap, others; /* others: for tests that count rows of (other) */
	unsigned ncols;
	struct rn_ty *ty; /* heap */
};
/* An output that collects into r. Values are joined by '|'; NULL is empty; floats have 9
 * significant digits. */
struct rn_output rn_rows_text_output(struct rn_rows_text *r);
void rn_rows_text_sql(struct rn_rows_text *r, sqlite3_stmt *st); /* the current row of st */
void rn_rows_text_sort(struct rn_rows_text *r);
/* where: the first line that differs, for a message. */
bool rn_rows_text_equal(const struct rn_rows_text *a, const struct rn_rows_text *b, char *where,
			size_t n);
void rn_rows_text_free(struct rn_rows_text *r);
#endif
