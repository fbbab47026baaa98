/* points.h - where in a function a probe is cheap: at an instruction that the kernel emulates
 * instead of stepping over it.
 *
 * Stepping costs a second trap, several times the rest of a probe. At a branch there is none. If a
 * function begins with another instruction, its probe sits at the first branch, as long as nothing
 * before it touches the arguments. The probe of the return sits at the last branch before each
 * `ret`, that of the stack protector, when the result is in its place. Code that is not understood
 * completely is not used.
 *
 * The code of each processor is read by a file of its own, points_PROCESSOR.c. */
#ifndef RN_PROBES_UPROBE_POINTS_H
#define RN_PROBES_UPROBE_POINTS_H
#include <stdbool.h>
#include <stdint.h>

enum { RN_POINTS_RETURNS = 4, RN_POINTS_BYTES = 2048 };
struct rn_point {
	uint32_t off;     /* from the function's beginning */
	int32_t to_frame; /* the return address lies at sp + to_frame */
};
struct rn_points {
	struct rn_point entry, leave[RN_POINTS_RETURNS];
	unsigned nleave;
};

/* ---- points_x86.c ---- */

/* Finds the points of a function of n bytes of code. False: it has no such points, or is not
 * understood. */
bool rn_points_find(const uint8_t *code, unsigned n, struct rn_points *out);
/* May a probe sit at the instruction at code, of which n bytes are there? The kernel must do what
 * the instruction does: emulate it, or step over a copy of it. It tells instructions apart by one
 * byte (arch/x86/kernel/uprobes.c). So it takes some newer ones (VEX, EVEX) for branches, and the
 * program goes wrong: vpbroadcastb, with which memset of glibc begins, for a jump. Each round of a
 * repeated instruction is a hit. Some others are refused, without a word if the file is mapped
 * later. */
bool rn_points_probed(const uint8_t *code, unsigned n);
/* Does the kernel emulate the instruction at code? Otherwise it steps over a copy of it, which
 * costs a second trap: 1 us more, or 15 us on some virtual machines. */
bool rn_points_emulated(const uint8_t *code, unsigned n);
/* Looks for such an instruction in a function of n bytes of code. Nothing on the way to it may
 * touch the stack pointer, the registers of the six arguments, or memory that may not be there.
 * Returns how many bytes after the beginning it is; 0: there is none, or it is the first. */
unsigned rn_points_ahead(const uint8_t *code, unsigned n);
/* Length of the instruction at code, of which n bytes are there; 0: not understood. */
unsigned rn_points_length(const uint8_t *code, unsigned n);
/* Functions of Go begin with a test if their stack has room. If it has none, it is moved, and the
 * function begins again. Returns the length of that test; 0: there is none. */
unsigned rn_points_stack_test(const uint8_t *code, unsigned n);
#endif
