/* harness.h - runs one intrinsic at the return of one kind of system call of this very process,
 * spliced into a generated program, so that tests can compare what it finds with what user space
 * knows. */
#ifndef RN_TESTS_SUPPORT_HARNESS_H
#define RN_TESTS_SUPPORT_HARNESS_H
#include <stdint.h>
#include "probes/abi/abi.h"
#include "probes/intrinsics/splice.h"

struct harness;
/* A program for system call nr of the calling thread that calls i. `argument` describes what to
 * pass. 0..5: that system call argument. ARG_RET: the return value. ARG_CONST(x): a constant.
 * ARG_OUT: the result's memory. ARG_CALL: a struct rn_bpf_call of this call. ARG_END ends the list.
 * NULL with a reason in err. */
#define ARG_RET 6
#define ARG_OUT 7
#define ARG_END 8
#define ARG_CALL 9
#define ARG_CONST(x) (0x10000 + (x))
struct harness *harness_open(int nr, enum rn_intrinsic i, const int *arguments,
			     const struct rn_intrinsics_opts *o, struct rn_err *err);
void harness_close(struct harness *h);
/* How often the program ran since the last reset, what the intrinsic returned last, and its result
 * (256 bytes). */
uint64_t harness_runs(const struct harness *h);
uint64_t harness_value(const struct harness *h);
const void *harness_out(const struct harness *h);
void harness_reset(struct harness *h);
const struct rn_intrinsics *harness_intrinsics(const struct harness *h);
#endif
