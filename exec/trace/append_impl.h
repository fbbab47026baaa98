/* append_impl.h - what write.c asks of append.c. */
#ifndef RN_EXEC_TRACE_APPEND_IMPL_H
#define RN_EXEC_TRACE_APPEND_IMPL_H
#include "exec/trace/place_impl.h"

/* Is target's class, are its tags and fields those of the recording? If not: -EINVAL, and err names
 * the first that differs. */
int rn_trace_same(sqlite3 *db, const struct rn_trace_target *target, struct rn_err *err);
/* rn_trace_allowed, of a place that is known. */
int rn_trace_allowed_at(const struct rn_trace_place *place, const struct rn_trace_target *target,
			bool *there, struct rn_err *err);
#endif
