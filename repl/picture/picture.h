/* picture.h - one model of a flow, made from the rows of `flow of`, which every printer draws.
 *
 *	p = rn_picture_create(cols, ncols, &err);
 *	rn_picture_add(p, row);                  for each row
 *	picture = rn_picture_end(p, ledgers);    folds repeats, and adds what the answer lacks
 *	rn_picture_timeline(to, picture, ...);   or another printer
 *	rn_picture_destroy(p);
 *
 * The model is made from the rows and the ledger, and from nothing else: a live query, a recording
 * and rows that were filtered give the same picture of the same hops. It is used by one thread. */
#ifndef RN_REPL_PICTURE_PICTURE_H
#define RN_REPL_PICTURE_PICTURE_H
#include <stdio.h>
#include "lang/base/err.h"
#include "planner/plan/ledger.h"
#include "planner/plan/source.h"

enum {
	RN_PICTURE_UNKNOWN = -1, /* of a bound: it is not known */
	RN_PICTURE_MOST = 50000  /* boxes, and edges, that a page shows */
};

struct rn_picture_node {
	const char *name; /* "" if the rows have no node */
	/* Why its part is missing or ends early; NULL: it answered to the end. Such a node may have
	 * no lane. */
	const char *lacks;
	int64_t clock_ns;      /* the greatest bound of its hops' times; or RN_PICTURE_UNKNOWN */
	uint32_t lane, nlanes; /* its lanes are [lane, lane + nlanes) */
};
/* A process. Lanes stand by node, then in the order of their first hop. */
struct rn_picture_lane {
	uint32_t node;
	const char *proc;
	int64_t pid;
	uint32_t nboxes;
};
enum rn_picture_dir {
	RN_PICTURE_NEITHER, /* a call that this version does not know */
	RN_PICTURE_IN,
	RN_PICTURE_OUT
};
/* Whether the other side of a channel was seen. */
enum rn_picture_side {
	RN_PICTURE_SEEN,   /* it was, or the object is no channel */
	RN_PICTURE_NONE,   /* it was not, though all hops were looked at */
	RN_PICTURE_OUTSIDE /* not known: `where` may have left it out */
};
/* A hop; or several that are folded: calls of one process on one object in one direction, without
 * another hop of that process between. Boxes stand in the order of their first hop. */
struct rn_picture_box {
	uint32_t lane;
	uint32_t count;    /* hops, at least 1 */
	int64_t hop, last; /* the numbers of the first and the last one */
	/* epoch: when the data of the first went out (its call began), or had come in */
	int64_t at_ns;
	int64_t begin_ns; /* epoch: when the first began, if `timed`, else when it ended */
	int64_t end_ns;   /* epoch: when the last ended */
	int64_t clock_ns; /* the bound of these times; or RN_PICTURE_UNKNOWN */
	int64_t bytes;    /* of all */
	const char *name; /* of the call; several have the first's */
	const char *object;
	const char *tags; /* of the first, with commas */
	uint32_t depth;
	uint32_t nin, nout; /* edges that end and begin here */
	bool timed;         /* the beginning of each was seen */
	bool cut;           /* its data came from a hop that is not among the rows */
	uint8_t dir, side;
};
/* That data of one box came from another one. */
struct rn_picture_edge {
	uint32_t from, to; /* boxes */
	uint32_t count;    /* hops that are folded into it */
	uint32_t choices;  /* the most of them; 1: it is knowledge */
	int64_t lag_ns;    /* of the first; valid if `timed` */
	const char *link;  /* evidence: the word of the column `link` */
	const char *tags;
	bool timed, inside; /* inside: within one process */
};
/* A time in which nothing of the flow happened, far longer than others: rows of a timeline are of
 * equal height, so it needs a mark. See gaps.c. */
struct rn_picture_gap {
	uint32_t box; /* the one behind it, at least 1 */
	int64_t ns;
};
struct rn_picture {
	const struct rn_picture_node *nodes;
	const struct rn_picture_lane *lanes;
	struct rn_picture_box *boxes;
	const struct rn_picture_edge *edges; /* by `to`, then by `from` */
	const struct rn_picture_gap *gaps;   /* by `box` */
	uint32_t nnodes, nlanes, nboxes, nedges, ngaps;
	int64_t hops;              /* before folding */
	int64_t first_ns, last_ns; /* the least `at_ns`, the greatest `end_ns` */
	/* what the answer covers, as the ledger tells it: lines, without their ends */
	const char *const *ledger;
	uint32_t nledger;
	bool complete; /* the answer lacks nothing */
};

struct rn_pictured; /* rows on their way to a picture */

/* ---- rows.c ---- */

/* Finds the columns of a flow. NULL: a column that every picture needs is missing; err names it and
 * a query that has it. */
struct rn_pictured *rn_picture_create(const struct rn_column *cols, unsigned ncols,
				      struct rn_err *err);
void rn_picture_destroy(struct rn_pictured *pictured); /* NULL is allowed */
/* Takes a row; copies what it keeps. Rows may come in any order. A row without a hop is left
 * out. */
void rn_picture_add(struct rn_pictured *pictured, const struct rn_value *row);
/* ---- fold.c ---- */

/* Makes the picture, once, after the last row. ledgers NULL: not known. It lasts as long as
 * `pictured`. */
const struct rn_picture *rn_picture_end(struct rn_pictured *pictured,
					const struct rn_ledgers *ledgers);
#endif
