/* timeline.c - the timeline on a terminal: time goes down, a column for each process.
 *
 *	             n1                                n2
 *	             curl 41        nginx 812          postgres 99
 *	  0.0 us     ● 1 out /tmp/a
 *	             ├─ exact, 120 us ─▶
 *	120.0 us     │              ● 2 in 10.0.0.1:80
 *
 * An arrow stands above the hop that it leads to. An edge within a column is named behind the hop:
 * `←11`. Solid arrows have one choice; the others are dashed. A dotted line across is a gap in
 *time. The column of a node without a lane is hatched. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "repl/picture/canvas.h"
#include "repl/picture/labels.h"
#include "repl/picture/printers.h"
#include "repl/terminal/terminal.h"

enum {
	TIME_WIDTH = 12,
	COLUMN_LEAST = 14,
	COLUMN_MOST = 34,
	COLUMN_EMPTY = 12,
	NO_WIDTH = 120, /* of a file */
	BOLD = 1,
	RED = 31,
	FAINT = 90 /* grey */
};

struct glyphs {
	const char *box, *life, *right, *left, *line, *dash, *from_left, *from_right, *cross, *back,
		*gap, *dot, *skip, *hatch;
};
static const struct glyphs lines = {
	.box = "●",
	.life = "│",
	.right = "▶",
	.left = "◀",
	.line = "─",
	.dash = "╌",
	.from_left = "├",
	.from_right = "┤",
	.cross = "┼",
	.back = "←",
	.gap = "⋯",
	.dot = "┈",
	.skip = "┊",
	.hatch = "╳",
};
static const struct glyphs plain = {
	.box = "o",
	.life = "|",
	.right = ">",
	.left = "<",
	.line = "-",
	.dash = ".",
	.from_left = "+",
	.from_right = "+",
	.cross = "+",
	.back = "<-",
	.gap = "...",
	.dot = ".",
	.skip = ":",
	.hatch = "x",
};

struct timeline {
	const struct rn_picture *picture;
	const struct rn_picture_screen *screen;
	const struct glyphs *glyph;
	struct rn_picture_columns columns;
	unsigned width, each;
	struct rn_canvas canvas;
	struct rn_arena *arena; /* of one line */
	uint32_t box;           /* the one that is drawn */
	uint32_t gap;           /* the next one to draw */
	FILE *to;
};

static uint32_t all_columns(const struct timeline *t)
{
	return t->columns.n + t->columns.nempty;
}

static unsigned x_of(const struct timeline *t, uint32_t column)
{
	uint32_t n = t->columns.n;

	return TIME_WIDTH +
	       (column < n ? column * t->each : n * t->each + (column - n) * COLUMN_EMPTY);
}

static void lay_out(struct timeline *t)
{
	unsigned wanted = t->screen->width ? t->screen->width : NO_WIDTH;
	unsigned room = wanted > TIME_WIDTH + COLUMN_LEAST ? wanted - TIME_WIDTH : COLUMN_LEAST,
		 empty = rn_picture_empty_columns(t->picture, room / COLUMN_LEAST) * COLUMN_EMPTY;

	room = room > empty + COLUMN_LEAST ? room - empty : COLUMN_LEAST;
	rn_picture_columns(t->picture, room / COLUMN_LEAST, &t->columns);
	t->each = room / (t->columns.n ? t->columns.n : 1);
	t->each = t->each > COLUMN_MOST ? COLUMN_MOST : t->each;
	t->each = t->each < COLUMN_LEAST ? COLUMN_LEAST : t->each;
	t->width = x_of(t, all_columns(t));
	/* behind the last column there may be more room for labels */
	t->width = wanted > t->width ? wanted : t->width;
}

/* ---- lines ---- */

static const char *clean(struct timeline *t, const char *s)
{
	char *text = rn_picture_clean(s), *kept = rn_arena_strdup(t->arena, text);

	free(text);
	return kept;
}

static void end_line(struct timeline *t)
{
	rn_canvas_print(&t->canvas, t->to);
	rn_arena_reset(t->arena);
}

static unsigned put(struct timeline *t, unsigned x, unsigned end, const char *s, unsigned color)
{
	return rn_canvas_put(&t->canvas, x, end, s, color);
}

/* The columns [i, end) are of one node. */
static uint32_t end_of_node(const struct timeline *t, uint32_t i)
{
	const struct rn_picture_column *list = t->columns.list;
	uint32_t end = i + 1;

	while (end < all_columns(t) && list[end].node == list[i].node)
		end++;
	return end;
}

/* Names of nodes, with notes behind them; if one does not fit, all notes stand below. */
static void node_names(struct timeline *t)
{
	bool below = false;
	const char *name, *note;

	for (unsigned line = 0; line < 3; line++) { /* 0: looks whether all fit */
		for (uint32_t i = 0, end; i < all_columns(t); i = end) {
			const struct rn_picture_column *c = &t->columns.list[i];
			unsigned room;

			end = end_of_node(t, i);
			room = x_of(t, end) - x_of(t, i) - 1;
			name = rn_picture_column_node(t->arena, t->picture, c);
			note = rn_picture_column_note(t->arena, t->picture, c, false);
			if (*note && !below && line < 2)
				name = rn_arena_printf(t->arena, "%s (%s)", name, note);
			if (!line)
				below |= *note && rn_canvas_columns(name) > room;
			else
				put(t, x_of(t, i), x_of(t, i) + room, line == 1 ? name : note,
				    t->picture->nodes[c->node].lacks ? RED
				    : line == 1                      ? BOLD
								     : FAINT);
		}
		if (line == 1 || (line && below))
			end_line(t);
		if (line && !below)
			break;
	}
}

static void head(struct timeline *t)
{
	bool procs = false, pids = false;

	node_names(t);
	for (uint32_t i = 0; i < t->columns.n; i++) {
		const char *proc = clean(t, t->columns.list[i].proc);

		put(t, x_of(t, i), x_of(t, i) + t->each - 1, proc, BOLD);
		procs |= *proc != 0;
	}
	if (procs)
		end_line(t);
	for (uint32_t i = 0; i < t->columns.n; i++) {
		const char *text = rn_picture_column_pids(t->arena, &t->columns.list[i]);

		put(t, x_of(t, i), x_of(t, i) + t->each - 1, text, FAINT);
		pids |= *text != 0;
	}
	if (pids)
		end_line(t);
}

/* The lines of the columns that are alive between two hops, or at one; and what is hatched. */
static void lives(struct timeline *t, bool before, const char *glyph)
{
	for (uint32_t i = 0; i < all_columns(t); i++) {
		const struct rn_picture_column *c = &t->columns.list[i];
		bool empty = i >= t->columns.n;

		if ((empty ||
		     ((before ? c->first < t->box : c->first <= t->box) && c->last >= t->box)) &&
		    rn_canvas_is_blank(&t->canvas, x_of(t, i)))
			put(t, x_of(t, i), x_of(t, i) + 1, empty ? t->glyph->hatch : glyph,
			    empty ? RED : FAINT);
	}
}

/* "⋯  ┊ 1.90 s later ┈┈┈┈┈┊┈┈┈┈" if there is a gap above the box */
static void gap(struct timeline *t)
{
	const struct rn_picture *p = t->picture;
	unsigned width = x_of(t, all_columns(t)), x = TIME_WIDTH + 2,
		 at = TIME_WIDTH - 2 - rn_canvas_columns(t->glyph->gap);
	char buf[RN_PICTURE_WORDS];

	if (t->gap >= p->ngaps || p->gaps[t->gap].box != t->box)
		return;
	put(t, at, TIME_WIDTH, t->glyph->gap, FAINT);
	lives(t, true, t->glyph->skip);
	x = put(t, x, width,
		rn_arena_printf(t->arena, "%s later",
				rn_picture_duration(buf, p->gaps[t->gap++].ns)),
		0) +
	    1;
	for (; x < width - 1; x++)
		if (rn_canvas_is_blank(&t->canvas, x))
			put(t, x, x + 1, t->glyph->dot, FAINT);
	end_line(t);
}

/* Names an arrow from `low` to `high`: on it, behind it or before it, wherever there is room;
 * without its time if there is none. */
static void put_words(struct timeline *t, const struct rn_picture_edge *e, unsigned low,
		      unsigned high, unsigned color)
{
	char evidence[RN_PICTURE_WORDS], lag[RN_PICTURE_WORDS];
	const char *words = rn_arena_printf(t->arena, " %" PRId64 "%s%s",
					    t->picture->boxes[e->from].hop,
					    *e->link || e->choices > 1 ? ": " : "",
					    rn_picture_evidence(evidence, e)),
		   *label[] = {rn_arena_printf(t->arena, "%s%s%s ", words, e->timed ? ", " : "",
					       e->timed ? rn_picture_duration(lag, e->lag_ns) : ""),
			       rn_arena_printf(t->arena, "%s ", words)};

	for (unsigned i = 0; i < 2; i++) {
		unsigned wide = rn_canvas_columns(label[i]);

		if (wide + 2 <= high - low)
			put(t, low + 1, high - 1, label[i], color);
		else if (high + 1 + wide <= t->width)
			put(t, high + 1, t->width, label[i], color);
		else if (low >= TIME_WIDTH + wide)
			put(t, low - wide, low, label[i], color);
		else
			continue;
		break;
	}
}

/* An arrow from one column to another one, on a line of its own. */
static void arrow(struct timeline *t, const struct rn_picture_edge *e, uint32_t from, uint32_t to)
{
	unsigned a = x_of(t, from), b = x_of(t, to), color = rn_picture_ansi(e->tags);
	const char *line = e->choices > 1 ? t->glyph->dash : t->glyph->line;
	unsigned low = a < b ? a : b, high = a < b ? b : a;

	for (uint32_t i = 0; i < t->columns.n; i++) {
		unsigned x = x_of(t, i);

		if (x > low && x < high && t->columns.list[i].first < t->box &&
		    t->columns.list[i].last >= t->box)
			put(t, x, x + 1, t->glyph->cross, color);
	}
	for (unsigned x = low + 1; x < high; x++)
		if (rn_canvas_is_blank(&t->canvas, x))
			put(t, x, x + 1, line, color);
	put(t, a, a + 1, a < b ? t->glyph->from_left : t->glyph->from_right, color);
	put(t, b, b + 1, a < b ? t->glyph->right : t->glyph->left, color);
	lives(t, true, t->glyph->life);
	put_words(t, e, low, high, color);
	end_line(t);
}

/* To the right of the box at x, with a blank behind it; to the left if there is more room. */
static void put_label(struct timeline *t, unsigned x, uint32_t edge)
{
	const struct rn_picture_labels how = {.picture = t->picture,
					      .columns = &t->columns,
					      .back = t->glyph->back,
					      .arena = t->arena};
	const struct rn_picture_label label = rn_picture_label(&how, t->box, edge);
	const char *text = rn_picture_label_text(t->arena, &label, 0);
	unsigned wide = rn_canvas_columns(text), right = t->width - x - 2,
		 left = x > TIME_WIDTH ? x - TIME_WIDTH - 1 : 0;

	if (wide <= right || left <= right) {
		x = put(t, x + 2, t->width, rn_picture_label_text(t->arena, &label, right), 0);
		if (x < t->width)
			put(t, x, x + 1, " ", 0);
		return;
	}
	text = rn_picture_label_text(t->arena, &label, left);
	wide = rn_canvas_columns(text);
	put(t, x - 1 - wide, x, text, 0);
	put(t, x - 1, x, " ", 0);
}

static void draw_box(struct timeline *t, uint32_t edge)
{
	const struct rn_picture *p = t->picture;
	const struct rn_picture_box *b = &p->boxes[t->box];
	char buf[RN_PICTURE_WORDS];
	const char *when = rn_picture_since(buf, p, b->at_ns);
	unsigned x;

	gap(t);
	for (uint32_t i = edge; i < p->nedges && p->edges[i].to == t->box; i++) {
		uint32_t from = t->columns.of[p->boxes[p->edges[i].from].lane];

		if (from != t->columns.of[b->lane])
			arrow(t, &p->edges[i], from, t->columns.of[b->lane]);
	}
	when = rn_arena_printf(t->arena, "%s%s", b->timed ? "" : "<", when);
	when = rn_arena_printf(t->arena, "%*s", TIME_WIDTH - 2, when);
	put(t, 0, TIME_WIDTH - 1, when, FAINT);
	x = x_of(t, t->columns.of[b->lane]);
	put(t, x, t->width, t->glyph->box, rn_picture_ansi(b->tags));
	put_label(t, x, edge);
	lives(t, false, t->glyph->life);
	end_line(t);
}

void rn_picture_timeline(FILE *to, const struct rn_picture *picture,
			 const struct rn_picture_screen *screen)
{
	struct timeline t = {.picture = picture,
			     .screen = screen,
			     .glyph = screen->ascii ? &plain : &lines,
			     .arena = rn_arena_create(SIZE_MAX),
			     .to = to};

	lay_out(&t);
	rn_canvas_init(&t.canvas, t.width, screen->color);
	if (all_columns(&t))
		head(&t);
	for (uint32_t edge = 0; t.box < picture->nboxes; t.box++) {
		while (edge < picture->nedges && picture->edges[edge].to < t.box)
			edge++;
		draw_box(&t, edge);
	}
	rn_picture_tell(to, picture, screen);
	rn_canvas_free(&t.canvas);
	rn_arena_destroy(t.arena);
	rn_picture_columns_free(&t.columns);
}
