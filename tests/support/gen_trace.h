/* gen_trace.h - a seeded generator of a recorded trace: the same bytes of rows for the same seed on
 * every machine.
 *
 * A day in the life of five nodes, in small: a few kinds of processes with their own files,
 * sockets, sizes and errors, skewed as real ones are. The recording is of class `syscall` with
 * every field that a query of the tests uses. */
#ifndef RN_TESTS_SUPPORT_GEN_TRACE_H
#define RN_TESTS_SUPPORT_GEN_TRACE_H
#include <stdint.h>
#include "lang/base/err.h"

/* Overwrites path. About 1 ms between events, times strictly increasing. */
int rn_gen_trace(const char *path, unsigned events, uint64_t seed, struct rn_err *err);
#endif
