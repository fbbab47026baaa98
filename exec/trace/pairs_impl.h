/* pairs_impl.h - `between A and B on KEYS` over a recording: reads the events of both ends in
 * order of time, tests the conditions of the ends, and makes a row of each pair
 * (exec/trace/pairing.h says which events are pairs). It works for one source of a recorded trace.
 */
#ifndef RN_EXEC_TRACE_PAIRS_IMPL_H
#define RN_EXEC_TRACE_PAIRS_IMPL_H
#include "exec/trace/select_impl.h"

struct rn_trace_pairs;
/* fragment, from and db outlive it. fragment->ends is there; its conditions may be any that rn_eval
 * takes. A field that was not recorded is an error. */
int rn_trace_pairs_create(const struct rn_fragment *fragment, const struct rn_trace_from *from,
			  sqlite3 *db, const struct rn_scope *scope, struct rn_trace_pairs **out,
			  struct rn_err *err);
void rn_trace_pairs_destroy(struct rn_trace_pairs *pairs); /* NULL is allowed */
/* As poll of rn_source_ops: delivers the pairs of the next events; 1 if there are no more
 * events. */
int rn_trace_pairs_poll(struct rn_trace_pairs *pairs, const struct rn_sink *sink,
			struct rn_err *err);
/* Adds what has been seen so far, as the kernel would have counted it. */
void rn_trace_pairs_ledger(const struct rn_trace_pairs *pairs, struct rn_ledger *ledger);
#endif
