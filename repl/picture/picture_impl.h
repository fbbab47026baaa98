/* picture_impl.h - inside of repl/picture/: rows on their way to a picture. */
#ifndef RN_REPL_PICTURE_PICTURE_IMPL_H
#define RN_REPL_PICTURE_PICTURE_IMPL_H
#include "lang/base/arena.h"
#include "repl/picture/graph.h"
#include "repl/picture/picture.h"

/* the columns of a flow that a picture reads: rows.c names them */
enum rn_picture_source {
	RN_PICTURE_HOP,
	RN_PICTURE_TIME,
	RN_PICTURE_FROM,
	RN_PICTURE_NODE,
	RN_PICTURE_PROC,
	RN_PICTURE_PID,
	RN_PICTURE_NAME,
	RN_PICTURE_DIR,
	RN_PICTURE_OBJECT,
	RN_PICTURE_BYTES,
	RN_PICTURE_LATENCY,
	RN_PICTURE_TAGS,
	RN_PICTURE_MATCH,
	RN_PICTURE_LINK,
	RN_PICTURE_CHOICES,
	RN_PICTURE_LAG,
	RN_PICTURE_DEPTH,
	RN_PICTURE_CLOCK,
	RN_PICTURE_COLUMNS
};

/* A hop before folding. Texts are kept once: equal ones have one address. */
struct rn_picture_hop {
	int64_t number, at_ns, begin_ns, end_ns, pid, bytes, clock_ns;
	const char *node, *proc, *name, *object, *tags;
	uint32_t depth, lane, box;
	bool timed, cut;
	uint8_t dir, side;
};
struct rn_picture_cause {
	int64_t hop, from, lag_ns;
	const char *link, *tags;
	uint32_t choices;
	bool timed;
};
struct rn_pictured {
	struct rn_arena *arena;      /* of all but the three arrays */
	int col[RN_PICTURE_COLUMNS]; /* in a row; -1: none */
	unsigned ncols;
	struct text *texts;
	struct text *latest[RN_PICTURE_COLUMNS]; /* of each column: rows repeat it often */
	struct rn_picture_hop *hops;
	struct rn_picture_cause *causes;
	struct rn_picture_box *boxes; /* those of the picture */
	uint32_t nhops, hop_cap, ncauses, cause_cap;
	struct rn_picture picture;
};

/* ---- rows.c ---- */
/* Keeps a text; the same text has the same address. */
const char *rn_picture_text(struct rn_pictured *pictured, const char *s, size_t n);
/* ---- gaps.c ---- */
/* Sets `gaps`, in the arena. The boxes and the picture's times are there. */
void rn_picture_find_gaps(struct rn_picture *picture, struct rn_arena *arena);
/* ---- layout.c ---- */
/* Sets `layer` and `place` of all vertices, and `nlayers`. */
void rn_picture_layout(struct rn_graph *graph);
#endif
