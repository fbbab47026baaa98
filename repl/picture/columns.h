/* columns.h - the columns of a timeline: one for each process, or fewer if there is no room. */
#ifndef RN_REPL_PICTURE_COLUMNS_H
#define RN_REPL_PICTURE_COLUMNS_H
#include "repl/picture/picture.h"

/* One or more lanes of a node that are drawn as one. */
struct rn_picture_column {
	uint32_t node;
	const char *proc;     /* of all its lanes; "": they have several */
	uint32_t lanes;       /* how many */
	int64_t pid;          /* of the only one */
	uint32_t first, last; /* its first box, and the last one that it or a message of it needs */
};
struct rn_picture_columns {
	struct rn_picture_column *list;
	uint32_t n;
	uint32_t *of; /* the column of each lane */
};
/* Puts lanes together by program, then by node, until there are no more than `most` columns; there
 * are as many as nodes at least. Columns stand by node. The caller frees them. */
void rn_picture_columns(const struct rn_picture *picture, uint32_t most,
			struct rn_picture_columns *out);
void rn_picture_columns_free(struct rn_picture_columns *columns);
#endif
