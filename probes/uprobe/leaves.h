/* leaves.h - where a function is left: at each `ret`, and at each jump to another function that
 * returns in its place.
 *
 * A probe there sees the end of a call without touching the stack of the program. The kernel's own
 * probes on returns put another return address there: an exception of C++, a panic of Rust or the
 * end of a thread that passes such a frame ends the program. A call that is left by these, or by
 * longjmp, has no end here, and the program does not notice.
 *
 * All of the function must be understood, or it has no leaves. A jump through a register may be a
 * switch, or a call in place of a return. It is a switch if something is on the stack at that
 * place, which a function takes off before it is left; or if a table of places in the function
 * gives it the place. */
#ifndef RN_PROBES_UPROBE_LEAVES_H
#define RN_PROBES_UPROBE_LEAVES_H
#include <stdbool.h>
#include <stdint.h>

enum rn_target { RN_TARGET_UNKNOWN, RN_TARGET_INSIDE, RN_TARGET_FUNCTION };
/* How the stack is at a place: as at the function's beginning, or with something on it. */
enum rn_stack_at { RN_STACK_UNKNOWN, RN_STACK_FRESH, RN_STACK_USED };
/* A piece of a function. */
struct rn_piece {
	uint64_t address, entry; /* entry: of the function's probe */
	const uint8_t *code;
	unsigned n;
	/* Says what an address outside of the piece is: inside of another piece of the function, or
	 * the beginning of a function. */
	enum rn_target (*target)(void *self, uint64_t address);
	enum rn_stack_at (*stack)(void *self, uint64_t address);
	/* Reads a number of so many bytes from the file's data. False: it is not there. */
	bool (*number)(void *self, uint64_t address, unsigned bytes, int64_t *to);
	/* An instruction that leaves the function; jump: to another one. False: no more, or no
	 * probe may sit there. */
	bool (*leave)(void *self, uint64_t address, bool jump);
	void *self;
	struct rn_leaves_seen *seen;
};
/* Jumps through a register, in the pieces of a function. */
struct rn_leaves_seen {
	bool switches; /* jumps to one of several places in the function, not all of which are known
			*/
	bool relies;   /* a switch is known by how the stack is; */
	bool doubtful; /* but that is not right where the function is left */
};

/* ---- leaves_x86.c ---- */

/* Returns NULL, or why it is not known where the function is left. */
const char *rn_leaves_find(const struct rn_piece *piece);
/* Does a jump in the piece lead to the entry? A loop that begins there would be a call each time.
 */
bool rn_leaves_loops(const struct rn_piece *piece);

/* Does each call pass from the entry to `probe` once? No jump leads there, and all of the piece is
 * understood; `target` knows where jumps out of it go. */
bool rn_leaves_once(const struct rn_piece *piece, uint64_t probe);
/* Passes each direct jump out of a piece to its target, whatever that returns. *returns: it has a
 * `ret`, or jumps to where it is not known. False: not understood. */
bool rn_leaves_ways_out(const struct rn_piece *piece, bool *returns);
#endif
