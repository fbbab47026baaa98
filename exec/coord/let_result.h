/* let_result.h - the rows of a query that are kept for later queries: the result of a `let`.
 *
 * rn_coord_run fills a result once (rn_run_opts.keep), in one thread. Then any number of queries,
 * in any threads, read it as the source of plans whose `given` leads to it. Rows keep the time of
 * their event (groups: of their window). The ledger of the query that made the rows comes with
 * them, and becomes part of the ledger of each query that reads them. */
#ifndef RN_EXEC_COORD_LET_RESULT_H
#define RN_EXEC_COORD_LET_RESULT_H
#include "exec/coord/coord.h"
#include "planner/plan/ledger.h"

/* the most that is kept by default */
enum { RN_KEPT_ROWS = 1000000, RN_KEPT_BYTES = 256 << 20 };

/* Makes room for rows of ncols columns: at most so many rows and about so many bytes. Never
 * NULL. */
struct rn_let_result *rn_let_result_create(unsigned ncols, size_t rows, size_t bytes);
void rn_let_result_destroy(struct rn_let_result *result); /* NULL is allowed */
size_t rn_let_result_rows(const struct rn_let_result *result);
/* valid as long as result */
const struct rn_ledgers *rn_let_result_ledgers(const struct rn_let_result *result);
#endif
