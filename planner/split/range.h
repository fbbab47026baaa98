/* range.h - between which numbers an integer expression can lie, from what is known of fields
 * (rn_field.bits), so that arithmetic whose results always have 64 bits is told from arithmetic
 * that must be watched. Pure functions. */
#ifndef RN_PLANNER_SPLIT_RANGE_H
#define RN_PLANNER_SPLIT_RANGE_H
#include "planner/plan/expr.h"

struct rn_range {
	__int128 low, high;
};
/* The least and the greatest value of an integer or boolean expression; of anything else, and where
 * a result on the way may have more than 64 bits, all 64-bit integers. */
struct rn_range rn_range_of(const struct rn_expr *e);
/* True if some result on the way may have more than 64 bits: then user space has to calculate,
 * which notices. */
bool rn_range_beyond(const struct rn_expr *e);
#endif
