/* range.h - the range of an integer expression, from what is known of fields (rn_field.bits). It
 * tells arithmetic whose results always fit in 64 bits from arithmetic that must be checked. Pure
 * functions. */
#ifndef RN_PLANNER_SPLIT_RANGE_H
#define RN_PLANNER_SPLIT_RANGE_H
#include "planner/plan/expr.h"

struct rn_range {
	__int128 low, high;
};
/* Returns the least and the greatest value of an integer or boolean expression. For others, and if
 * an intermediate result may have more than 64 bits, returns all 64-bit integers. */
struct rn_range rn_range_of(const struct rn_expr *expr);
/* True if an intermediate result may have more than 64 bits. User space must then calculate,
 * because it notices. */
bool rn_range_beyond(const struct rn_expr *expr);
#endif
