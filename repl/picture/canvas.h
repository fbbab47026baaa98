/* canvas.h - a line of a terminal picture: cells, which are overwritten and then printed. */
#ifndef RN_REPL_PICTURE_CANVAS_H
#define RN_REPL_PICTURE_CANVAS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rn_canvas {
	struct rn_canvas_cell *cell;
	unsigned width;
	bool color;
};
/* Texts must last until the line is printed. */
void rn_canvas_init(struct rn_canvas *canvas, unsigned width, bool color);
void rn_canvas_free(struct rn_canvas *canvas);
void rn_canvas_clear(struct rn_canvas *canvas);
/* Puts clean text, with an ANSI colour (0: none), from column x up to column end; returns the
 * column behind it. What does not fit is cut, and ends in `…` if it has room. */
unsigned rn_canvas_put(struct rn_canvas *canvas, unsigned x, unsigned end, const char *s,
		       unsigned color);
unsigned rn_canvas_columns(const char *s); /* how many a clean text takes */
bool rn_canvas_is_blank(const struct rn_canvas *canvas, unsigned x);
/* Prints the line without blanks at its end, and clears it. */
void rn_canvas_print(struct rn_canvas *canvas, FILE *to);
/* Prints all of its cells, as the beginning of a line, and clears them. */
void rn_canvas_print_part(struct rn_canvas *canvas, FILE *to);
#endif
