/* validate.h - checks that what a peer sends has the form that the query asks for. Frames are
 * decoded without knowing the query's columns, but the receiver uses values by their types. */
#ifndef RN_EXEC_WIRE_VALIDATE_H
#define RN_EXEC_WIRE_VALIDATE_H
#include "planner/plan/source.h"

/* Rows of the fragment's columns, or of its fields if the coordinator needs those. */
bool rn_shape_rows(const struct rn_fragment *fragment, const struct rn_rows *rows);
/* Partial states of one of the fragment's windows. */
bool rn_shape_partials(const struct rn_fragment *fragment, const struct rn_partials *partials);
#endif
