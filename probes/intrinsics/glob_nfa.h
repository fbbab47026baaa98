/* glob_nfa.h - compiles globs into the tables of rn_match and rn_glob, and runs them in user space
 * by the same rules. */
#ifndef RN_PROBES_INTRINSICS_GLOB_NFA_H
#define RN_PROBES_INTRINSICS_GLOB_NFA_H
#include <stdbool.h>
#include "probes/abi/abi.h"

/* `*` any bytes, `?` one byte, `\x` x itself; no brackets. False: longer than RN_PATTERN_BYTES -
 * 1. */
bool rn_glob_compile(struct rn_bpf_pattern *out, const char *pattern);
bool rn_glob_run(const struct rn_bpf_pattern *pattern, const char *text, unsigned len);
#endif
