/* let_result.h - the rows of a query that are kept for later queries: the result of a `let`.
 *
 * Filled once, by rn_coord_run (rn_run_opts.keep), then read by any number of queries, in any
 * threads, as the source of plans whose `given` leads to it. Rows keep the time of their event (of
 * groups: of their window). What comes with them is the ledger of the query that made them, which
 * becomes part of that of each query that reads them. Filled by one thread. */
#ifndef RN_EXEC_COORD_LET_RESULT_H
#define RN_EXEC_COORD_LET_RESULT_H
#include "exec/coord/coord.h"
#include "planner/plan/ledger.h"

/* the most that is kept, unless asked otherwise */
enum { RN_KEPT_ROWS = 1000000, RN_KEPT_BYTES = 256 << 20 };

/* Room for rows of ncols columns, at most so many rows and about so many bytes. Never NULL. */
struct rn_let_result *rn_let_result_create(unsigned ncols, size_t rows, size_t bytes);
void rn_let_result_destroy(struct rn_let_result *k); /* NULL is allowed */
size_t rn_let_result_rows(const struct rn_let_result *k);
const struct rn_ledgers *rn_let_result_ledgers(const struct rn_let_result *k); /* as long as k */
#endif
