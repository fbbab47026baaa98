/* columns.h - the columns of a timeline: one for each process, or fewer if there is no room. Behind
 * them stand those of nodes that have no lane, as their part of the answer is missing. */
#ifndef RN_REPL_PICTURE_COLUMNS_H
#define RN_REPL_PICTURE_COLUMNS_H
#include "lang/base/arena.h"
#include "repl/picture/picture.h"

/* One or more lanes of a node that are drawn as one; or one or more nodes without a lane. */
struct rn_picture_column {
	uint32_t node;
	uint32_t nodes;       /* how many; 1 if it has lanes */
	const char *proc;     /* of all its lanes; "": they have several, or there is none */
	uint32_t lanes;       /* how many */
	int64_t pid;          /* of the only one */
	uint32_t first, last; /* its first box, and the last one that it or a message of it needs */
};
struct rn_picture_columns {
	struct rn_picture_column *list; /* n, then nempty that have no lane */
	uint32_t n, nempty;
	uint32_t *of; /* the column of each lane */
};
/* How many columns nodes without a lane get if others get `most`: they are put together if they
 * would be more than a quarter of that. */
uint32_t rn_picture_empty_columns(const struct rn_picture *picture, uint32_t most);
/* Puts lanes together by program, then by node, until there are no more than `most` columns; there
 * are as many as nodes at least. Columns stand by node. The caller frees them. */
void rn_picture_columns(const struct rn_picture *picture, uint32_t most,
			struct rn_picture_columns *out);
void rn_picture_columns_free(struct rn_picture_columns *columns);
/* What stands above a column: its node, or how many; in the arena, clean. */
const char *rn_picture_column_node(struct rn_arena *arena, const struct rn_picture *picture,
				   const struct rn_picture_column *column);
/* The same: "+-12 us", "clock unknown", "incomplete"; "incomplete: WHY" if `why`; or "". */
const char *rn_picture_column_note(struct rn_arena *arena, const struct rn_picture *picture,
				   const struct rn_picture_column *column, bool why);
/* The same: "4711", "3 processes"; "" if it has no lane or the process is not known. */
const char *rn_picture_column_pids(struct rn_arena *arena, const struct rn_picture_column *column);
#endif
