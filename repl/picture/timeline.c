/* timeline.c - the timeline on a terminal: time goes down, a column for each process.
 *
 *	             n1                                n2
 *	             curl 41        nginx 812          postgres 99
 *	  0.0 us     ● 1 out /tmp/a
 *	             ├─ exact, 120 us ─▶
 *	120.0 us     │              ● 2 in 10.0.0.1:80
 *
 * An arrow stands above the hop that it leads to. An edge within a column is named behind the hop:
 * `←11`. Solid arrows have one choice; the others are dashed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "repl/picture/canvas.h"
#include "repl/picture/columns.h"
#include "repl/picture/printers.h"
#include "repl/terminal/terminal.h"

enum {
	TIME_WIDTH = 12,
	COLUMN_LEAST = 14,
	COLUMN_MOST = 34,
	NO_WIDTH = 120, /* of a file */
	FAINT = 90      /* grey */
};

struct glyphs {
	const char *box, *life, *right, *left, *line, *dash, *from_left, *from_right, *cross, *back;
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
	FILE *to;
};

static void lay_out(struct timeline *t)
{
	unsigned wanted = t->screen->width ? t->screen->width : NO_WIDTH;
	unsigned room = wanted > TIME_WIDTH + COLUMN_LEAST ? wanted - TIME_WIDTH : COLUMN_LEAST;

	rn_picture_columns(t->picture, room / COLUMN_LEAST, &t->columns);
	t->each = room / (t->columns.n ? t->columns.n : 1);
	t->each = t->each > COLUMN_MOST ? COLUMN_MOST : t->each;
	t->each = t->each < COLUMN_LEAST ? COLUMN_LEAST : t->each;
	t->width = TIME_WIDTH + t->columns.n * t->each;
	/* behind the last column there may be more room for labels */
	t->width = wanted > t->width ? wanted : t->width;
}

static unsigned x_of(const struct timeline *t, uint32_t column)
{
	return TIME_WIDTH + column * t->each;
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

static void head(struct timeline *t)
{
	const struct rn_picture *p = t->picture;
	char buf[RN_PICTURE_WORDS];
	bool pids = false;

	for (uint32_t i = 0; i < t->columns.n; i++) {
		const struct rn_picture_column *c = &t->columns.list[i];
		const struct rn_picture_node *n = &p->nodes[c->node];
		uint32_t end = i + 1;
		const char *text = clean(t, n->name);

		if (i && t->columns.list[i - 1].node == c->node)
			continue;
		while (end < t->columns.n && t->columns.list[end].node == c->node)
			end++;
		if (n->clock_ns > 0)
			text = rn_arena_printf(t->arena, "%s +-%s", text,
					       rn_picture_duration(buf, n->clock_ns));
		else if (n->clock_ns < 0)
			text = rn_arena_printf(t->arena, "%s (clock unknown)", text);
		if (n->lacks)
			text = rn_arena_printf(t->arena, "%s (incomplete)", text);
		put(t, x_of(t, i), TIME_WIDTH + end * t->each - 1, text, 1);
	}
	end_line(t);
	for (uint32_t i = 0; i < t->columns.n; i++) {
		const struct rn_picture_column *c = &t->columns.list[i];

		put(t, x_of(t, i), x_of(t, i) + t->each - 1, clean(t, c->proc), 1);
		pids |= c->lanes > 1 || c->pid > 0;
	}
	end_line(t);
	for (uint32_t i = 0; i < t->columns.n && pids; i++) {
		const struct rn_picture_column *c = &t->columns.list[i];

		put(t, x_of(t, i), x_of(t, i) + t->each - 1,
		    c->lanes > 1 ? rn_arena_printf(t->arena, "%u processes", c->lanes)
				 : rn_arena_printf(t->arena, "%" PRId64, c->pid),
		    FAINT);
	}
	if (pids)
		end_line(t);
}

/* The lines of the columns that are alive between two hops, or at one. */
static void lives(struct timeline *t, bool before)
{
	for (uint32_t i = 0; i < t->columns.n; i++) {
		const struct rn_picture_column *c = &t->columns.list[i];

		if ((before ? c->first < t->box : c->first <= t->box) && c->last >= t->box &&
		    rn_canvas_is_blank(&t->canvas, x_of(t, i)))
			put(t, x_of(t, i), x_of(t, i) + 1, t->glyph->life, FAINT);
	}
}

/* Cut in the middle: both ends of a path or of a connection tell most. */
static const char *fit(struct timeline *t, const char *s, unsigned width)
{
	size_t n = strlen(s);
	char *text = rn_arena_alloc(t->arena, n + 16);

	text[rn_text_cut(text, s, n, width)] = 0;
	return text;
}

/* An arrow from one column to another one, on a line of its own. */
static void arrow(struct timeline *t, const struct rn_picture_edge *e, uint32_t from, uint32_t to)
{
	unsigned a = x_of(t, from), b = x_of(t, to), color = rn_picture_ansi(e->tags);
	const char *line = e->choices > 1 ? t->glyph->dash : t->glyph->line, *label;
	char evidence[RN_PICTURE_WORDS], lag[RN_PICTURE_WORDS];
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
	rn_picture_evidence(evidence, e);
	label = rn_arena_printf(t->arena, " %" PRId64 "%s%s%s%s ", t->picture->boxes[e->from].hop,
				*evidence ? ": " : "", evidence, e->timed ? ", " : "",
				e->timed ? rn_picture_duration(lag, e->lag_ns) : "");
	lives(t, true);
	if (strlen(label) + 2 <= high - low) {
		put(t, low + 1, high - 1, label, color);
	} else if (high + 5 < t->width) { /* behind it */
		put(t, high + 1, t->width, fit(t, label, t->width - high - 1), color);
	}
	end_line(t);
}

/* Edges within the column: "←11", "←11 hash, 1 of 3" */
static const char *inside(struct timeline *t, uint32_t edge)
{
	const struct rn_picture *p = t->picture;
	const char *text = "";
	char buf[RN_PICTURE_WORDS];

	for (; edge < p->nedges && p->edges[edge].to == t->box; edge++) {
		const struct rn_picture_edge *e = &p->edges[edge];

		if (t->columns.of[p->boxes[e->from].lane] == t->columns.of[p->boxes[t->box].lane])
			text = rn_arena_printf(t->arena, "%s %s%" PRId64 " %s", text,
					       t->glyph->back, p->boxes[e->from].hop,
					       rn_picture_evidence(buf, e));
	}
	return text;
}

/* " nc 4711:" in a column of several processes, else "" */
static const char *process_of(struct timeline *t, const struct rn_picture_box *b)
{
	const struct rn_picture_lane *lane = &t->picture->lanes[b->lane];

	return t->columns.list[t->columns.of[b->lane]].lanes < 2
		       ? ""
		       : rn_arena_printf(t->arena, " %s %" PRId64 ":", clean(t, lane->proc),
					 lane->pid);
}

static const char *label_of(struct timeline *t, uint32_t edge)
{
	const struct rn_picture_box *b = &t->picture->boxes[t->box];
	const char *lacks = rn_picture_lacks(b), *text;
	char bytes[RN_PICTURE_WORDS], took[RN_PICTURE_WORDS];

	text = rn_arena_printf(t->arena, "%" PRId64 "%s %s %s", b->hop, process_of(t, b),
			       b->dir == RN_PICTURE_IN    ? "in"
			       : b->dir == RN_PICTURE_OUT ? "out"
							  : clean(t, b->name),
			       clean(t, b->object));
	if (b->count > 1)
		text = rn_arena_printf(t->arena, "%s x%u", text, b->count);
	return rn_arena_printf(t->arena, "%s %s%s%s%s%s%s", text, rn_picture_bytes(bytes, b->bytes),
			       rn_picture_took(took, t->picture, b), inside(t, edge),
			       *lacks ? " (" : "", lacks, *lacks ? ")" : "");
}

/* To the right of the box at x, with a blank behind it; to the left if there is more room. */
static void put_label(struct timeline *t, unsigned x, const char *label)
{
	unsigned wide = rn_canvas_columns(label), right = t->width - x - 2,
		 left = x > TIME_WIDTH ? x - TIME_WIDTH - 1 : 0;

	if (wide <= right || left <= right) {
		x = put(t, x + 2, t->width, fit(t, label, right), 0);
		if (x < t->width)
			put(t, x, x + 1, " ", 0);
		return;
	}
	label = fit(t, label, left);
	wide = rn_canvas_columns(label);
	put(t, x - 1 - wide, x, label, 0);
	put(t, x - 1, x, " ", 0);
}

static void draw_box(struct timeline *t, uint32_t edge)
{
	const struct rn_picture *p = t->picture;
	const struct rn_picture_box *b = &p->boxes[t->box];
	char buf[RN_PICTURE_WORDS];
	const char *when = rn_picture_since(buf, p, b->at_ns);
	unsigned x;

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
	put_label(t, x, label_of(t, edge));
	lives(t, false);
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
	if (picture->nboxes)
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
