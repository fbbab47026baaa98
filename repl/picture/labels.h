/* labels.h - the words of a box, in parts, so that each printer cuts them alike. */
#ifndef RN_REPL_PICTURE_LABELS_H
#define RN_REPL_PICTURE_LABELS_H
#include "lang/base/arena.h"
#include "repl/picture/columns.h"

/* How a printer wants them. */
struct rn_picture_labels {
	const struct rn_picture *picture;
	/* The process is named if its column has several. NULL: always, with its node; the origin
	 * then names no edge. */
	const struct rn_picture_columns *columns;
	const char *back;       /* stands before the number of a hop that the data came from */
	bool all;               /* also edges from other columns */
	struct rn_arena *arena; /* of the texts */
};
/* Clean texts; each may be "". Example: "12 nc 4711: in", "/tmp/a", "x3 14 KiB, took 3 ms",
 * "<-11 hash, 1 of 3, 2.1 ms (other side not seen)". */
struct rn_picture_label {
	const char *call, *object, *size, *origin;
};
/* edge: the first one that ends at the box, if there is one. */
struct rn_picture_label rn_picture_label(const struct rn_picture_labels *labels, uint32_t box,
					 uint32_t edge);
/* All of it as one text of at most `width` columns (0: not limited), in the arena. The object is
 * cut first, in its middle; then the size is left out. */
const char *rn_picture_label_text(struct rn_arena *arena, const struct rn_picture_label *label,
				  unsigned width);
#endif
