/* slices.h - a picture with fewer boxes, for a flow of which nobody could look at each hop. */
#ifndef RN_REPL_PICTURE_SLICES_H
#define RN_REPL_PICTURE_SLICES_H
#include "lang/base/arena.h"
#include "repl/picture/picture.h"

struct rn_picture_sliced {
	struct rn_picture picture;
	const uint32_t *processes; /* how many are put together, of each lane */
	uint32_t slices;
};
/* Cuts the order of boxes into slices of the same length. All boxes of a process in a slice become
 * one, and edges with the same ends too; those within a box go. There are as many slices as give at
 * most `most` boxes and edges. If one slice has too many, processes are put together by program,
 * then by node; the last way is taken whatever it gives. A text that differs within a box or an
 * edge becomes "", but tags are all of them. All is kept in the arena; texts, nodes and the ledger
 * are those of `picture`. */
void rn_picture_slice(const struct rn_picture *picture, uint32_t most, struct rn_arena *arena,
		      struct rn_picture_sliced *out);
#endif
