/* leaves.h - where a function is left: at each `ret`, and at each jump to another function that
 * returns in its place.
 *
 * A probe there sees the end of a call without touching the stack of the program. The kernel's own
 * probes on returns put another return address there: an exception of C++, a panic of Rust or the
 * end of a thread that passes such a frame ends the program. A call that is left by these, or by
 * longjmp, has no end here, and the program does not notice.
 *
 * All of the function must be understood, or it has no leaves: a jump through a register may be a
 * switch, or a call in place of a return. */
#ifndef RN_PROBES_UPROBE_LEAVES_H
#define RN_PROBES_UPROBE_LEAVES_H
#include <stdbool.h>
#include <stdint.h>

enum rn_target { RN_TARGET_UNKNOWN, RN_TARGET_INSIDE, RN_TARGET_FUNCTION };
/* A piece of a function. */
struct rn_piece {
	uint64_t address, entry; /* entry: of the function's probe */
	const uint8_t *code;
	unsigned n;
	/* Says what an address outside of the piece is: inside of another piece of the function, or
	 * the beginning of a function. */
	enum rn_target (*target)(void *self, uint64_t address);
	/* An instruction that leaves the function; jump: to another one. False: no more. */
	bool (*leave)(void *self, uint64_t address, bool jump);
	void *self;
};

/* ---- leaves_x86.c ---- */

/* Returns NULL, or why it is not known where the function is left. */
const char *rn_leaves_find(const struct rn_piece *piece);
/* Does a jump in the piece lead to the entry? A loop that begins there would be a call each time.
 */
bool rn_leaves_loops(const struct rn_piece *piece);
#endif
