/* reorder.h - rows of several nodes in the order of their times: each is held for a moment, so that
 * one that is older may overtake it.
 *
 * A binary heap by (time, order of arrival). A row that comes later than what was released already
 * goes out at once, out of order. */
#ifndef RN_EXEC_COORD_REORDER_H
#define RN_EXEC_COORD_REORDER_H
#include "planner/plan/source.h"

#define RN_REORDER_NS (200LL * 1000 * 1000) /* how long rows are held, by their own time */
#define RN_REORDER_MAX 1000000u             /* rows held at most: beyond it the oldest go */
#define RN_REORDER_BYTES (64u << 20)        /* the same of what they take */

struct rn_reorder;
/* to: who gets them; its partials are not called */
struct rn_reorder *rn_reorder_create(const struct rn_sink *to);
void rn_reorder_destroy(struct rn_reorder *q);
/* copies; 0 or what the sink refused with */
int rn_reorder_rows(struct rn_reorder *q, const struct rn_rows *r);
/* all older ones go; INT64_MAX: all */
int rn_reorder_release(struct rn_reorder *q, int64_t before_ns);
#endif
