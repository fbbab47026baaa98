/* loop_jumps.h - loops in a form that every kernel takes. */
#ifndef RN_PROBES_INTRINSICS_LOOP_JUMPS_H
#define RN_PROBES_INTRINSICS_LOOP_JUMPS_H
#include <linux/bpf.h>
#include <stdint.h>

/* Verifiers before 6.8 let a loop go back only by a jump; compilers also lay a loop out so that its
 * last instruction stands before its first, and runs into it. Returns the same code (malloc) with a
 * jump to the next instruction between two such: the kernel takes it out again when it has verified
 * the program. to: n entries, where each instruction now is. NULL: out of memory, or a jump became
 * too long. */
struct bpf_insn *rn_backedge_mend(const struct bpf_insn *in, unsigned n, uint32_t *to,
				  unsigned *nout);
#endif
