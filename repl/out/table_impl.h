/* table_impl.h - a table for people: what table.c, which writes it, table_fit.c, which makes its
 * lines fit, table_margin.c, which links the hops of a flow, and heat.c, which makes a line of a
 * histogram, share. */
#ifndef RN_REPL_OUT_TABLE_IMPL_H
#define RN_REPL_OUT_TABLE_IMPL_H
#include "lang/values/show.h"
#include "repl/out/output.h"
#include "repl/picture/margin.h"

/* the columns of a flow by which its hops are linked at the margin */
enum rn_table_flow {
	RN_TABLE_HOP,
	RN_TABLE_FROM,
	RN_TABLE_CHOICES,
	RN_TABLE_LINK,
	RN_TABLE_TAGS,
	RN_TABLE_FLOW
};
struct rn_table_cell {
	const char *text;
	size_t len;
	unsigned width;
};
struct rn_table_printer {
	struct rn_printer base;      /* must be first */
	struct rn_table_cell *cells; /* of the block, row-major; texts in base.arena */
	unsigned nrows, cap_rows;
	unsigned *width; /* of each column, in base.keep */
	bool header_done, has_hist;
	bool snapshot; /* rows are of a snapshot */
	/* the last column is the row's share of what all groups have together; share: of the row
	 * that comes next */
	bool shares;
	double share;
	unsigned gap; /* blanks to write before the next cell of the line */
	/* of the last snapshot: its lines on the screen, its widest line, the screen's width
	 * then */
	unsigned drawn, drawn_width, drawn_on;
	unsigned resumes; /* rn_signals_resumes, as of then */
	bool *hidden;     /* of each column, in base.keep: no room for it */
	bool *blank;      /* likewise: hidden because no row of the answer has anything there */
	/* likewise: all rows hold the same value, which is shown above them */
	bool *same;
	/* the date of all times, which are shown without it; "": times are whole */
	char date[11];
	/* rows come one by one and are too long: the day is shown above its first row */
	bool days;
	unsigned *header;             /* widths of the last one, in base.keep; 0: not in it */
	bool is_flow;                 /* on a terminal: hops are linked at the margin */
	int flow[RN_TABLE_FLOW];      /* its columns; -1: none */
	struct rn_margin_row *linked; /* of a flow: each row of the block */
	unsigned cap_linked;
	struct rn_margin *margin;  /* of the block; NULL: none */
	bool heat;                 /* `-o heat`: a histogram is a line of cells */
	bool packs;                /* the same, and there is a histogram */
	struct rn_heat_axis *axes; /* of each column */
	unsigned naxes;
};

/* Is it a histogram that is drawn with bars, below its row? */
static inline bool rn_fit_is_hist(const struct rn_table_printer *table, unsigned col)
{
	return table->base.cols[col].ty.type == RN_T_HIST && !table->packs;
}

static inline bool rn_fit_is_shown(const struct rn_table_printer *table, unsigned col)
{
	return !rn_fit_is_hist(table, col) && !table->hidden[col] && !table->same[col];
}

static inline struct rn_table_cell *rn_fit_cell(const struct rn_table_printer *table, unsigned row,
						unsigned col)
{
	return &table->cells[(size_t)row * table->base.ncols + col];
}

/* ---- table_fit.c ---- */

bool rn_fit_is_right(const struct rn_column *column); /* are its values aligned to the right? */
/* Is the column beside the core of `events of`? `node` is, unless there are several nodes. */
bool rn_fit_is_extra(const struct rn_table_printer *table, unsigned col);
/* Hides these columns, and shows all others. */
void rn_fit_hide_extra(struct rn_table_printer *table);
/* Grows the columns to fit the block's rows. */
void rn_fit_measure(struct rn_table_printer *table);
/* Rows that come one by one are printed before the widest is known: gives each column the room that
 * its kind of value tends to need. */
void rn_fit_expect_more(struct rn_table_printer *table);
/* Shortens times and columns that hold the same in all rows, if lines are too long. whole: the
 * block is the answer, else more rows can follow. */
void rn_fit_shorten(struct rn_table_printer *table, bool whole);
/* Sets w to the widths to print with, one for each column. Hides columns that have no room. */
void rn_fit_widths(struct rn_table_printer *table, unsigned *w);
unsigned rn_fit_line_width(const struct rn_table_printer *table, const unsigned *w);
/* Writes the names of the columns that have no room to line; returns how many. */
unsigned rn_fit_no_room(const struct rn_table_printer *table, char *line, size_t cap);

/* ---- table_margin.c ---- */

/* Finds the columns of a flow: sets is_flow. */
void rn_margin_find(struct rn_table_printer *table);
/* Keeps what links a row, which becomes row nrows of the block. */
void rn_margin_note(struct rn_table_printer *table, const struct rn_value *row);
/* Makes the block fit beside its margin, which it has if it is a flow, and the whole answer: as
 * rn_fit_shorten and rn_fit_widths do. */
void rn_margin_make(struct rn_table_printer *table, bool whole, unsigned *w);
void rn_margin_forget(struct rn_table_printer *table);

/* ---- heat.c ---- */

void rn_heat_begin(struct rn_table_printer *table); /* the columns are known */
void rn_heat_end(struct rn_table_printer *table);
/* Makes lines of the block's histograms, once the other columns have their widths. */
void rn_heat_pack(struct rn_table_printer *table);
const char *rn_heat_ticks(const struct rn_table_printer *table, unsigned col); /* bounds, or "" */
void rn_heat_legend(struct rn_table_printer *table); /* says what a shade means, on a line */
#endif
