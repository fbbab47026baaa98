/* margin.c - see margin.h.
 *
 * Rows are placed from the first to the last. A new column is never below the mark of a hop that
 * had nothing below it, unless the new hop begins: so marks that touch are always linked. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/canvas.h"
#include "repl/picture/margin.h"

enum { MOST = 16 /* columns */, EACH = 2 /* cells */, ARROW = 1 /* column */ };
#define NONE UINT32_MAX
enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, SIDES = 15, DASHED = 16, MARK = 32, BEGIN = 64 };

struct cell {
	uint8_t is, color;
};
struct line {
	struct cell cell[MOST];
	/* between these columns goes the line to the row's hop; MOST: to the arrow at the end */
	uint8_t from, to, color;
	bool dashed;
};
struct hop {                    /* by its first row */
	uint32_t cause;         /* of the row: the first row of the hop that it came from */
	uint32_t last;          /* its last row that a line leads to */
	uint32_t uses, certain; /* rows below that came from it */
	uint32_t column;        /* NONE: no mark */
};
struct rn_margin {
	struct line *lines;
	struct rn_canvas canvas;
	unsigned columns; /* that are used */
	bool arrows, ascii;
};
struct layout {
	const struct rn_margin_row *rows;
	struct hop *hops;
	struct rn_margin *margin;
	uint32_t owner[MOST]; /* the hop of each column, by its first row; NONE: it is free */
	uint32_t mark[MOST];  /* the row whose mark it ended with; NONE */
	uint32_t n;
	unsigned columns; /* there may be */
};

/* ---- who came from whom ---- */

/* The first row of that hop, of rows before `end`. */
static uint32_t find(const struct layout *l, int64_t hop, uint32_t end)
{
	uint32_t from = 0, to = end;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (l->rows[middle].hop < hop)
			from = middle + 1;
		else
			to = middle;
	}
	return from < end && l->rows[from].hop == hop ? from : NONE;
}

static bool is_first(const struct layout *l, uint32_t row)
{
	return !row || l->rows[row - 1].hop != l->rows[row].hop;
}

/* Returns false if rows are in no order, or none came from another. */
static bool find_causes(struct layout *l)
{
	bool any = false;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct rn_margin_row *r = &l->rows[i];
		uint32_t cause;

		if (i && r->hop < l->rows[i - 1].hop)
			return false;
		cause = r->from > 0 && r->from < r->hop ? find(l, r->from, i) : NONE;
		l->hops[i].cause = cause;
		l->hops[i].column = NONE;
		if (cause == NONE)
			continue;
		l->hops[cause].uses++;
		l->hops[cause].certain += !r->guess;
		any = true;
	}
	return any;
}

/* ---- places ---- */

static uint32_t column_of_cause(const struct layout *l, uint32_t row)
{
	return l->hops[row].cause == NONE ? NONE : l->hops[l->hops[row].cause].column;
}

/* Does a line go on below the row, down from this hop? */
static bool is_open(const struct layout *l, uint32_t hop, uint32_t row)
{
	return l->hops[hop].uses || l->hops[hop].last > row;
}

static bool is_free(const struct layout *l, uint32_t column, uint32_t row)
{
	return l->owner[column] == NONE &&
	       (!row || l->mark[column] != row - 1 || l->rows[row].begins);
}

/* A free column, as near to `at` as there is; NONE. */
static uint32_t free_column(const struct layout *l, uint32_t at, uint32_t row)
{
	for (uint32_t away = 0; away < l->columns; away++) {
		if (at + away < l->columns && is_free(l, at + away, row))
			return at + away;
		if (away <= at && is_free(l, at - away, row))
			return at - away;
	}
	return NONE;
}

/* Gives the hop that begins in this row its mark. */
static void place(struct layout *l, uint32_t row)
{
	struct hop *h = &l->hops[row];
	uint32_t from = column_of_cause(l, row);
	bool over = from != NONE && !l->rows[row].guess && !l->hops[h->cause].uses;

	h->last = row;
	h->column = over ? from : free_column(l, from == NONE ? 0 : from, row);
	for (uint32_t i = row + 1; h->column != NONE && i < l->n && !is_first(l, i); i++)
		h->last = column_of_cause(l, i) != NONE ? i : h->last;
	if (h->column == NONE)
		return;
	l->owner[h->column] = row;
	l->margin->lines[row].cell[h->column].is = MARK | (l->rows[row].begins ? BEGIN : 0);
	if (h->column >= l->margin->columns)
		l->margin->columns = h->column + 1;
}

/* Draws the line from the column of the cause to the hop, which may be at its right or left, or
 * have no place. */
static void link_to(struct layout *l, uint32_t row, uint32_t from, uint32_t to)
{
	struct line *line = &l->margin->lines[row];

	if (from == NONE || from == to)
		return;
	line->dashed = l->rows[row].guess;
	line->color = (uint8_t)l->rows[l->hops[row].cause].color;
	line->from = (uint8_t)(to < from ? to : from);
	line->to = (uint8_t)(to == NONE ? MOST : to < from ? from : to);
	line->cell[from].is |= to < from ? LEFT : RIGHT;
	if (to == NONE)
		l->margin->arrows = true;
	else
		line->cell[to].is |= to < from ? RIGHT : LEFT;
}

static void lay_out_row(struct layout *l, uint32_t row)
{
	uint32_t hop = is_first(l, row) ? row : find(l, l->rows[row].hop, row), before[MOST];
	struct line *line = &l->margin->lines[row];
	uint32_t from = column_of_cause(l, row);

	memcpy(before, l->owner, sizeof(before));
	if (l->hops[row].cause != NONE) {
		l->hops[l->hops[row].cause].uses--;
		l->hops[l->hops[row].cause].certain -= !l->rows[row].guess;
	}
	if (hop == row)
		place(l, row);
	link_to(l, row, from, l->hops[hop].column);
	for (uint32_t c = 0; c < l->columns; c++) {
		struct cell *cell = &line->cell[c];
		uint32_t owner = l->owner[c];

		if (owner == NONE)
			continue;
		cell->color = (uint8_t)l->rows[owner].color;
		cell->is |= before[c] != NONE ? UP : 0;
		cell->is |= !l->hops[owner].certain && l->hops[owner].last <= row ? DASHED : 0;
		if (is_open(l, owner, row)) {
			cell->is |= DOWN;
			continue;
		}
		l->owner[c] = NONE;
		l->mark[c] = cell->is & MARK ? row : NONE;
	}
}

struct rn_margin *rn_margin_create(const struct rn_margin_row *rows, uint32_t n,
				   const struct rn_picture_screen *screen)
{
	struct rn_margin *m = rn_calloc(1, sizeof(*m));
	struct layout l = {.rows = rows, .n = n, .margin = m};
	unsigned room = screen->width ? screen->width / EACH : MOST + ARROW;

	l.columns = room > MOST + ARROW ? MOST : room > ARROW ? room - ARROW : 0;
	l.hops = rn_calloc(n + 1, sizeof(*l.hops));
	memset(l.owner, 0xff, sizeof(l.owner));
	memset(l.mark, 0xff, sizeof(l.mark));
	m->ascii = screen->ascii;
	m->lines = rn_calloc(n + 1, sizeof(*m->lines));
	if (find_causes(&l) && l.columns)
		for (uint32_t i = 0; i < n; i++)
			lay_out_row(&l, i);
	free(l.hops);
	if (m->columns)
		rn_canvas_init(&m->canvas, rn_margin_width(m), screen->color);
	if (m->columns)
		return m;
	rn_margin_destroy(m);
	return NULL;
}

void rn_margin_destroy(struct rn_margin *margin)
{
	if (!margin)
		return;
	if (margin->columns)
		rn_canvas_free(&margin->canvas);
	free(margin->lines);
	free(margin);
}

unsigned rn_margin_width(const struct rn_margin *margin)
{
	return EACH * (margin->columns + margin->arrows);
}

/* ---- cells ---- */

static const char *glyph(uint8_t is, bool ascii)
{
	static const char *const lines[SIDES + 1] = {
		[UP | DOWN] = "│",
		[UP | LEFT] = "┘",
		[UP | RIGHT] = "└",
		[UP | LEFT | RIGHT] = "┴",
		[UP | DOWN | LEFT] = "┤",
		[UP | DOWN | RIGHT] = "├",
		[UP | DOWN | LEFT | RIGHT] = "┼",
	};
	static const char *const plain[SIDES + 1] = {
		[UP | DOWN] = "|",
		[UP | LEFT] = "'",
		[UP | RIGHT] = "`",
		[UP | LEFT | RIGHT] = "+",
		[UP | DOWN | LEFT] = "+",
		[UP | DOWN | RIGHT] = "+",
		[UP | DOWN | LEFT | RIGHT] = "+",
	};

	if (is & BEGIN)
		return ascii ? "o" : "○";
	if (is & MARK)
		return ascii ? "*" : "●";
	if ((is & ~SIDES) == DASHED && (is & SIDES) == (UP | DOWN))
		return ascii ? ":" : "┊";
	return (ascii ? plain : lines)[is & SIDES];
}

void rn_margin_print(struct rn_margin *margin, uint32_t row, FILE *to)
{
	const struct line *line = &margin->lines[row];
	static const char *const lines[] = {"─", "╌"}, *const plain[] = {"-", "."};
	const char *across = (margin->ascii ? plain : lines)[line->dashed];
	unsigned end = EACH * (line->to < MOST ? line->to : margin->columns) + (line->to == MOST);

	for (unsigned x = EACH * line->from + 1; line->from < line->to && x < end; x++)
		rn_canvas_put(&margin->canvas, x, x + 1, across, line->color);
	if (line->from < line->to && line->to == MOST)
		rn_canvas_put(&margin->canvas, end - 1, end, margin->ascii ? ">" : "▶",
			      line->color);
	for (unsigned c = 0; c < margin->columns; c++) {
		const char *s = glyph(line->cell[c].is, margin->ascii);

		if (s)
			rn_canvas_put(&margin->canvas, EACH * c, EACH * c + 1, s,
				      line->cell[c].color);
	}
	rn_canvas_print_part(&margin->canvas, to);
}
