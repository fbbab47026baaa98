/* validate.h - is what a peer sends of the form that the query asks for? Frames are decoded without
 * knowing the query's columns; what is handed on is used by their types. */
#ifndef RN_EXEC_WIRE_VALIDATE_H
#define RN_EXEC_WIRE_VALIDATE_H
#include "planner/plan/source.h"

/* Rows of the fragment's columns, or of its fields where the coordinator needs those. */
bool rn_shape_rows(const struct rn_fragment *f, const struct rn_rows *r);
/* Partial states of one of its windows. */
bool rn_shape_partials(const struct rn_fragment *f, const struct rn_partials *p);
#endif
