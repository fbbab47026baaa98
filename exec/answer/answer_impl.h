/* answer_impl.h - what the files of an answer share: its state, and loading groups into its table.
 */
#ifndef RN_EXEC_ANSWER_ANSWER_IMPL_H
#define RN_EXEC_ANSWER_ANSWER_IMPL_H
#include <sqlite3.h>
#include "exec/answer/answer.h"
#include "exec/answer/deltas.h"
#include "exec/groups/slide.h"

/* More empty windows in a row come from a clock that was set, not from an idle machine, and get no
 * rows. */
enum { RN_MOST_EMPTY = 100000 };

struct rn_answer {
	const struct rn_plan *plan;
	struct rn_answer_sink to;
	struct rn_err *err;
	struct rn_arena *arena;   /* as long as the answer */
	struct rn_arena *scratch; /* of one batch */
	sqlite3 *db;              /* NULL: rows are passed on as they come */
	sqlite3_stmt *insert, *query;
	sqlite3_stmt *prune, *size; /* for rows with a limit; else NULL */
	int64_t held, bytes;        /* rows in the table, and their bytes */
	int64_t prune_bytes;        /* the table is pruned at this size */
	struct rn_room *room;
	const struct rn_fleet *fleet; /* NULL: all rows fit */
	int64_t shed;                 /* rows left out for lack of room */
	struct rn_flow *flow;
	struct rn_expr **out; /* for rows: prepared copies */
	struct rn_value *row;
	/* columns that must be known: of the rows that rn_answer_rows takes; for a flow, of its
	 * own */
	unsigned *known, nknown;
	int64_t unpaired;  /* rows left out because such a column is unknown */
	int64_t seq, left; /* left: rows until the limit; -1: no limit */
	bool by_time;
	uint64_t overflow;      /* results of more than 64 bits */
	struct rn_nulls *nulls; /* NULL: not counted */
	bool *divides;          /* of each column of out: it can be NULL by a division */
	bool snapshot;          /* what is loaded and delivered now comes again */
	/* while groups are being loaded */
	int64_t loaded;
	/* windows that overlap: their parts; where the next window ends, INT64_MIN: nothing came
	 * yet; the start of the last part */
	struct rn_slide *slide;
	int64_t slide_end_ns, slide_part_ns;
	/* events that went to (other) for lack of room: of parts, and the most of a window */
	int64_t part_moved, window_moved;
	int64_t window_ns; /* length of the windows that are finished */
	/* deltas: the first window, INT64_MIN: none came yet; of the rows of a table */
	bool compares;
	int64_t first_ns;
	struct rn_deltas *deltas;
	/* for groups without keys: the window that comes next; INT64_MIN: any */
	int64_t next_ns;
	bool by_clock; /* windows end as time goes by, not as events come */
};

/* ---- answer.c ---- */

/* Finishes a group of a window of answer->window_ns, and puts it into the table. */
int rn_answer_insert_group(struct rn_answer *answer, int64_t window_ns,
			   const struct rn_partial *partial);
/* The same for a group without events: count 0, sum 0, the rest NULL or empty. */
int rn_answer_load_empty(struct rn_answer *answer, int64_t window_ns);
/* Notes what aggregate i counts, if that is what another one leaves out. */
void rn_answer_count_companion(struct rn_answer *answer, unsigned i, const struct rn_value *value);

/* ---- overlap.c ---- */

/* Takes the groups of a part, for rn_groups_visit: self is the answer. Loads the windows that end
 * before it. */
int rn_answer_slide_part(void *self, const struct rn_partials *partials);
/* Loads all windows that end until then; INT64_MAX: those of all parts. Windows without groups are
 * not shown, unless there are no keys. */
int rn_answer_slide_until(struct rn_answer *answer, int64_t until_ns);
#endif
