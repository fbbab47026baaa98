/* margin.h - lines at the left of a table of hops, one row each: which hop came from which.
 *
 *	○     1
 *	●     2   from 1
 *	├─●   3   from 2
 *	│ ●   4   from 3
 *	└╌●   5   from 2, or another one
 *
 * A hop is a mark in a column. Below it the column is a line to the hops that came from it; the
 * last of them takes the column over. A dashed line leads to a guess alone. A hop for which no
 * column is free has no mark: the line to it ends in an arrow, and lines from it are not drawn. */
#ifndef RN_REPL_PICTURE_MARGIN_H
#define RN_REPL_PICTURE_MARGIN_H
#include "repl/picture/printers.h"

struct rn_margin_row {
	int64_t hop, from; /* from 0: it came from none */
	bool guess;        /* from is one of several choices */
	bool begins;       /* its data began here, as far as was seen */
	unsigned color;    /* of the lines from this hop: an ANSI colour */
};
struct rn_margin;

/* Finds the lines of n rows, in at most screen->width cells; in the order of hops, rows of one hop
 * one behind the other. A `from` that is not among the hops above has no line. NULL: the rows are
 * in another order, or have nothing to draw. The caller destroys it. */
struct rn_margin *rn_margin_create(const struct rn_margin_row *rows, uint32_t n,
				   const struct rn_picture_screen *screen);
void rn_margin_destroy(struct rn_margin *margin);         /* NULL is allowed */
unsigned rn_margin_width(const struct rn_margin *margin); /* cells of a line, with a blank behind */
/* Writes the cells of a row, as the beginning of a line. */
void rn_margin_print(struct rn_margin *margin, uint32_t row, FILE *to);
#endif
