/* output.h - rows as text: a table for people, JSON lines, CSV. stdout holds rows and nothing else.
 *
 * A printer owns an rn_output (exec/answer/output.h) that the coordinator feeds. It keeps rows only
 * as long as it needs to align a block. Call rn_printer_tick when nothing happens, so that the
 * printer shows the rows it holds. */
#ifndef RN_REPL_OUT_OUTPUT_H
#define RN_REPL_OUT_OUTPUT_H
#include <stdio.h>
#include "exec/coord/coord.h"
#include "repl/render/json.h"
#include "repl/render/partial.h"
#include "repl/terminal/terminal.h"

struct rn_printer {
	struct rn_output out; /* out.self is the printer */
	void (*tick)(struct rn_printer *printer);
	void (*destroy)(struct rn_printer *printer);
	/* Draws what needs all rows, and what the answer lacks. NULL: rows are shown as they come
	 */
	void (*finish)(struct rn_printer *printer, const struct rn_ledgers *ledgers);
	struct rn_err err; /* why `begin` refused the columns; code 0: it did not */
	FILE *to;
	struct rn_terminal term; /* of `to` */
	struct rn_arena *arena;  /* reset after each row or block */
	int64_t rows;            /* final rows so far */
	int64_t flushed_ns;
	bool other;       /* the next row is that of (other) */
	int other_column; /* shows "(other)" if no text key does */
	/* for people: labels are made clean text. Set before rn_printer_columns */
	bool clean;
	const struct rn_column *cols; /* copies that last as long as the printer */
	unsigned ncols;
	/* length of windows; 0: there are none, or the query did not make them */
	int64_t every_ns;
	unsigned window;
	int64_t window_ns; /* as in rn_answer_shape */
	/* the next row is of a window that was covered in part */
	bool partial;
	struct rn_extent covered; /* then: how much of it */
	struct rn_arena *keep;    /* memory of cols */
	/* a list of names and what they are: the last column is wrapped, not cut; empty columns are
	 * left out */
	bool wraps;
	char note[128];  /* a table that refreshes shows it below; "": nothing */
	char title[256]; /* a table shows it above its first header; "": nothing */
	bool in_place;   /* windows are drawn over one another */
	bool counts;     /* it is for people, who see the number of rows below them */
	bool numbers;    /* a number that has a name is shown beside it: for people */
	bool one_node;   /* all rows are of one node: `node` is no part of the core */
	/* the table, at the end: how many columns it left out beside the core, and the names of
	 * those that have no room; "": none */
	unsigned nextra;
	char no_room[256];
};

/* The formats of rows, the default first: NAME, whether the ledger is a line of JSON, and the kind.
 * The constructor is rn_printer_NAME in repl/out/NAME.c. A new format needs its file and a row
 * here. */
#define RN_ROW_FORMATS(X) \
	X(table, false, ROWS) \
	X(json, true, ROWS) \
	X(csv, false, ROWS) \
	X(heat, false, ROWS) \
	X(folded, false, ROWS)
/* Pictures of flows. rn_picture_NAME in repl/picture/NAME.c draws one. */
#define RN_PICTURES(X) \
	X(timeline, false, PICTURE) \
	X(tree, false, PICTURE) \
	X(svg, false, PROGRAM) \
	X(dot, false, PROGRAM) \
	X(html, false, PROGRAM)
#define RN_FORMATS(X) RN_ROW_FORMATS(X) RN_PICTURES(X)
enum rn_format_kind {
	RN_FORMAT_ROWS,
	RN_FORMAT_PICTURE, /* of a flow */
	RN_FORMAT_PROGRAM  /* the same, for another program: not for a terminal */
};

struct rn_format {
	const char *name;
	struct rn_printer *(*create)(FILE *to); /* NULL: of a later version */
	bool json_ledger;
	enum rn_format_kind kind;
};
#define RN_PRINTER_DECLARE(name, json, kind) struct rn_printer *rn_printer_##name(FILE *to);
RN_FORMATS(RN_PRINTER_DECLARE)
/* expanded.c: the table turned, with a line for each column; \x at the prompt */
struct rn_printer *rn_printer_expanded(FILE *to);
/* windows.c: the table for windows on a terminal, one drawn over the other; rows without a window
 * are the table's. plan: what runs, until the first row; what: its text, which is copied. */
struct rn_printer *rn_printer_windows(FILE *to, const struct rn_plan *plan, const char *what);
/* Tells what a window lacks, on the heap (NULL: nothing): below a table that is drawn in place,
 * else where messages go. printer may be NULL. */
void rn_printer_tell(struct rn_printer *printer, char *told);

/* ---- output.c ---- */

/* Finds a format by name, also one of a later version; NULL: there is none. name NULL: the
 * default. */
const struct rn_format *rn_format_find(const char *name);
/* The names of those of this version, NULL-terminated. */
const char *const *rn_format_list(void);
const char *rn_format_nearest(const char *name); /* of this version; NULL: none is like it */
/* "table, json and csv": those of this version, with a word before the last ("" for a comma). */
const char *rn_format_names(char *buf, size_t bytes, const char *before_last);

/* Never returns NULL. The table refreshes in place if `to` is a terminal. */
struct rn_printer *rn_printer_create(const struct rn_format *format, FILE *to);
void rn_printer_destroy(struct rn_printer *printer);
void rn_printer_tick(struct rn_printer *printer);

/* For the formats: initialise the base, copy the columns, and flush at most every 50 ms (or
 * now). */
void rn_printer_init(struct rn_printer *printer, FILE *to);
void rn_printer_columns(struct rn_printer *printer, const struct rn_answer_shape *result);
/* A value as a table shows it: as rn_value_show, but `-` if there is no error. */
const char *rn_printer_show(struct rn_arena *arena, struct rn_ty ty, const struct rn_value *value);
/* Is "(other)" shown for this value of the row? */
bool rn_printer_shows_other(const struct rn_printer *printer, unsigned column,
			    const struct rn_value *value);
/* Does a value read "(other)" in an ordinary row? Then show it as RN_OTHER_VALUE. */
#define RN_OTHER_VALUE "\\x28other)"
bool rn_printer_reads_other(const struct rn_printer *printer, const char *s, size_t n);
/* The mark to show behind the next row's window in this column: " (0.4 of 1 s)"; "" for none. buf
 * has RN_PARTIAL_BYTES. */
const char *rn_printer_mark(const struct rn_printer *printer, unsigned column, char *buf);
int rn_printer_flush(struct rn_printer *printer, bool now);

/* ---- picture.c ---- */

/* Is that a picture of which the rows lack columns? err says which. */
bool rn_printer_refuses(const struct rn_format *format, const struct rn_column *cols,
			unsigned ncols, struct rn_err *err);

/* ---- hist.c ---- */

/* Draws a histogram with bars, in shades by their length; the bounds have units. Returns the number
 * of lines. */
unsigned rn_hist_draw(FILE *to, struct rn_arena *arena, struct rn_ty ty,
		      const struct rn_value *hist, const struct rn_terminal *term);
#endif
