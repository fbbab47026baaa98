/* reorder.h - puts the rows of several nodes in the order of their times. Each row is held for a
 * moment, so that an older one may overtake it.
 *
 * A binary heap by (time, order of arrival). A row that is older than one already released goes out
 * at once, out of order. */
#ifndef RN_EXEC_COORD_REORDER_H
#define RN_EXEC_COORD_REORDER_H
#include "planner/plan/source.h"

#define RN_REORDER_NS (200LL * 1000 * 1000) /* how long rows are held, by their own time */
#define RN_REORDER_MAX 1000000u             /* most rows held: beyond it the oldest go */
#define RN_REORDER_BYTES (64u << 20)        /* the same in bytes */

struct rn_reorder;
/* to: takes the rows; its partials are not called */
struct rn_reorder *rn_reorder_create(const struct rn_sink *to);
void rn_reorder_destroy(struct rn_reorder *reorder);
/* copies the rows; 0, or what the sink refused with */
int rn_reorder_rows(struct rn_reorder *reorder, const struct rn_rows *rows);
/* releases all older rows; INT64_MAX: all */
int rn_reorder_release(struct rn_reorder *reorder, int64_t before_ns);
#endif
