/* loop_jumps.h - loops in a form that every kernel takes. */
#ifndef RN_PROBES_INTRINSICS_LOOP_JUMPS_H
#define RN_PROBES_INTRINSICS_LOOP_JUMPS_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

/* Does the instruction name another function of its program, to call it or as a pointer? Then imm
 * is the way there. */
bool rn_calls_ours(const struct bpf_insn *insn);

/* Returns the same code (malloc) with loops that go back only by a jump, which verifiers before 6.8
 * require. Compilers also lay a loop out so that its last instruction stands before its first, and
 * runs into it. A jump to the next instruction goes between two such; the kernel removes it after
 * verifying the program. to: n entries, the new place of each instruction. NULL: a jump became too
 * long. */
struct bpf_insn *rn_backedge_mend(const struct bpf_insn *in, unsigned n, uint32_t *to,
				  unsigned *nout);
#endif
