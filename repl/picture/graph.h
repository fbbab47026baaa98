/* graph.h - a flow as a graph: processes, the objects that they used, and how the data went.
 *
 *	rn_picture_graph(picture, arena, &graph);
 *
 * An edge leads the way that the data went: a read from the file to the process, a write from the
 * process to the file. All hops of one process on one object in one direction are one edge. Both
 * ends of a connection are one object, as far as its hops are linked. */
#ifndef RN_REPL_PICTURE_GRAPH_H
#define RN_REPL_PICTURE_GRAPH_H
#include "repl/picture/picture.h"

#define RN_GRAPH_NONE UINT32_MAX

/* X(ID, word) */
#define RN_GRAPH_KINDS(X) \
	X(PROCESS, "process") \
	X(FILE, "file") \
	X(SOCKET, "socket") \
	X(PIPE, "pipe") \
	X(DEVICE, "device")
enum rn_graph_kind {
#define X(id, word) RN_GRAPH_##id,
	RN_GRAPH_KINDS(X)
#undef X
};

/* Vertices stand in the order in which the data came to them. */
struct rn_graph_vertex {
	const char *name; /* of the process or object; "": not known, or several */
	int64_t pid;      /* of a process */
	/* its life as far as it was seen: from its first hop to its last one */
	int64_t first_ns, last_ns;
	int64_t hops;
	uint32_t node; /* RN_GRAPH_NONE: used by several */
	uint32_t lane; /* of a process; else RN_GRAPH_NONE */
	uint8_t kind;
	/* layout.c: layer by depth, and place within it */
	uint32_t layer, place;
};
struct rn_graph_edge {
	uint32_t from, to; /* vertices */
	const char *word;  /* read, write, send, receive, copy, inherit, fuse; or the call */
	int64_t hops, bytes;
	int64_t first_ns, last_ns; /* epoch: from the beginning of the first hop to the last end */
	int64_t clock_ns;          /* the bound of these times; or RN_PICTURE_UNKNOWN */
	const char *links;         /* evidence of its hops: words of the column `link`, with ", " */
	const char *tags;          /* with commas */
	const char *lacks;         /* rn_picture_lacks of a hop; "": nothing */
	uint32_t choices;          /* the most of its hops; 0: they have no cause */
};
struct rn_graph {
	struct rn_graph_vertex *vertices;
	struct rn_graph_edge *edges; /* by `to`, then by `from` */
	uint32_t nvertices, nedges, nlayers;
	/* of each box of the picture its edges, and RN_GRAPH_NONE; a copy has two */
	uint32_t (*uses)[2];
};

/* Makes the graph of a picture, and places its vertices. All is kept in the arena; texts are the
 * picture's. */
void rn_picture_graph(const struct rn_picture *picture, struct rn_arena *arena,
		      struct rn_graph *out);
#endif
