/* svg.c - the timeline as a picture for paper: A4 across, as long as it must be.
 *
 * Each box has a row of its own, so that no two labels meet. Letters are of one width, and each
 * text is cut to its room. A label stands to the right of its box, or to the left if there is more
 * room. A gap in time has a row too. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/canvas.h"
#include "repl/picture/labels.h"
#include "repl/picture/printers.h"
#include "repl/terminal/terminal.h"

/* All in hundredths of a millimetre. */
enum {
	PAGE_WIDTH = 29700,
	MARGIN = 800,
	TIME = 1900,        /* the column of times */
	LETTER = 233,       /* 6.6 pt */
	LETTER_WIDTH = 141, /* of a monospaced letter of that size, at most */
	ROW = 420,
	COLUMN_LEAST = 500,
	WIDE = 3200,  /* a column whose head is not turned */
	EMPTY = 2600, /* a column without a lane */
	HEAD_TURNED = 3000
};

struct svg {
	const struct rn_picture *picture;
	struct rn_picture_columns columns;
	struct rn_arena *arena; /* of one label */
	FILE *to;
	int each; /* the width of a column */
	int head; /* where the first row begins */
	int foot; /* where the last one ends */
};

static void put(const struct svg *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(const struct svg *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vfprintf(s->to, fmt, ap);
	va_end(ap);
}

/* A length: millimetres, whatever the locale. */
static const char *mm(char *buf, int v)
{
	snprintf(buf, 16, "%s%d.%02d", v < 0 ? "-" : "", abs(v) / 100, abs(v) % 100);
	return buf;
}

/* Clean text, as the content of an element. */
static void put_escaped(const struct svg *s, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (text[i]) {
		case '<': put(s, "&lt;"); break;
		case '>': put(s, "&gt;"); break;
		case '&': put(s, "&amp;"); break;
		default: putc(text[i], s->to);
		}
}

/* The same of text of others. */
static void put_others(const struct svg *s, const char *text)
{
	char *clean = rn_picture_clean(text);

	put_escaped(s, clean, strlen(clean));
	free(clean);
}

enum { FROM_LEFT, FROM_RIGHT, UPWARD };

/* Writes text at x, y, cut to `room`. Its length is fixed, whatever font there is. */
static void put_text(const struct svg *s, int x, int y, int room, int how, const char *class,
		     const char *text)
{
	char *clean = rn_picture_clean(text), *cut = rn_malloc(strlen(clean) + 16), a[16], b[16],
	     c[16];
	size_t n = rn_text_cut(cut, clean, strlen(clean), (unsigned)(room / LETTER_WIDTH)),
	       wide = 0;

	for (size_t i = 0; i < n; wide++) {
		size_t one = rn_text_head(cut + i, n - i, 1);

		wide += !one;
		i += one ? one : rn_text_head(cut + i, n - i, 2);
	}
	if (n && room >= LETTER_WIDTH) {
		put(s, "<text class=\"%s\" x=\"%s\" y=\"%s\"", class, mm(a, x), mm(b, y));
		put(s, " textLength=\"%s\" lengthAdjust=\"spacingAndGlyphs\"",
		    mm(c, (int)wide * LETTER_WIDTH));
		if (how == FROM_RIGHT)
			put(s, " text-anchor=\"end\"");
		if (how == UPWARD)
			put(s, " transform=\"rotate(-90 %s %s)\"", a, b);
		put(s, ">");
		put_escaped(s, cut, n);
		put(s, "</text>\n");
	}
	free(cut);
	free(clean);
}

/* No wider than others, so that a picture of many columns has room for it. */
static int empty_width(const struct svg *s)
{
	return s->columns.n && s->each < EMPTY ? s->each : EMPTY;
}

static uint32_t all_columns(const struct svg *s)
{
	return s->columns.n + s->columns.nempty;
}

/* where a column begins */
static int left_of(const struct svg *s, uint32_t column)
{
	uint32_t n = s->columns.n;

	return MARGIN + TIME +
	       (column < n ? (int)column * s->each
			   : (int)n * s->each + (int)(column - n) * empty_width(s));
}

static int x_of(const struct svg *s, uint32_t column)
{
	return left_of(s, column) + (s->each >= WIDE ? WIDE / 8 : s->each / 2);
}

static int y_of(const struct svg *s, uint32_t box)
{
	uint32_t gaps = 0;

	while (gaps < s->picture->ngaps && s->picture->gaps[gaps].box <= box)
		gaps++;
	return s->head + (int)(box + gaps) * ROW + ROW / 2;
}

static uint32_t column_of(const struct svg *s, uint32_t box)
{
	return s->columns.of[s->picture->boxes[box].lane];
}

/* ---- head ---- */

static void put_node(const struct svg *s, uint32_t first, uint32_t end)
{
	const struct rn_picture_column *column = &s->columns.list[first];
	const char *name = rn_picture_column_node(s->arena, s->picture, column),
		   *note = rn_picture_column_note(s->arena, s->picture, column, true);
	char a[16], b[16], c[16], d[16];
	int x = left_of(s, first), wide = left_of(s, end) - x;
	bool lacks = s->picture->nodes[column->node].lacks;

	put(s, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n",
	    lacks ? "lacks" : "node", mm(a, x + 40), mm(b, MARGIN), mm(c, wide - 80),
	    mm(d, s->foot - MARGIN - ROW));
	if (*note && column->lanes)
		name = rn_arena_printf(s->arena, "%s (%s)", name, note);
	put_text(s, x + 120, MARGIN + 320, wide - 240, FROM_LEFT, "strong", name);
	rn_arena_reset(s->arena);
}

/* Its process; of one without a lane, why. */
static const char *words_above(const struct svg *s, uint32_t column)
{
	const struct rn_picture_column *c = &s->columns.list[column];
	const char *pids = rn_picture_column_pids(s->arena, c);

	if (!c->lanes)
		return rn_picture_column_note(s->arena, s->picture, c, false);
	return rn_arena_printf(s->arena, "%s%s%s", c->proc, *c->proc && *pids ? " " : "", pids);
}

static void put_head(const struct svg *s)
{
	for (uint32_t i = 0, end; i < all_columns(s); i = end) {
		for (end = i; end < all_columns(s); end++)
			if (s->columns.list[end].node != s->columns.list[i].node)
				break;
		put_node(s, i, end);
	}
	for (uint32_t i = 0; i < all_columns(s); i++) {
		const char *text = words_above(s, i);

		if (s->each >= WIDE)
			put_text(s, left_of(s, i) + 120, MARGIN + 720,
				 left_of(s, i + 1) - left_of(s, i) - 200, FROM_LEFT, "plain", text);
		else
			put_text(s, x_of(s, i) + 80, s->head - 150, HEAD_TURNED - 300, UPWARD,
				 "plain", text);
		rn_arena_reset(s->arena);
	}
}

/* ---- lines ---- */

static void put_lifelines(const struct svg *s)
{
	char a[16], b[16], c[16];

	for (uint32_t i = 0; i < s->columns.n; i++)
		put(s, "<path class=\"life\" d=\"M%s %sV%s\"/>\n", mm(a, x_of(s, i)),
		    mm(b, y_of(s, s->columns.list[i].first)),
		    mm(c, y_of(s, s->columns.list[i].last)));
}

/* A message goes straight; an edge within a column bows out. */
static void put_edge(const struct svg *s, const struct rn_picture_edge *e)
{
	const struct rn_picture_box *from = &s->picture->boxes[e->from],
				    *to = &s->picture->boxes[e->to];
	uint32_t a = column_of(s, e->from), b = column_of(s, e->to);
	char x1[16], y1[16], x2[16], y2[16], bow[16], evidence[RN_PICTURE_WORDS],
		lag[RN_PICTURE_WORDS];
	int left = x_of(s, b) - s->each * 2 / 5;

	put(s, "<path class=\"c%u%s\" marker-end=\"url(#end)\" d=\"M%s %s",
	    rn_picture_color(e->tags, 6), e->choices > 1 ? " guess" : "", mm(x1, x_of(s, a)),
	    mm(y1, y_of(s, e->from)));
	mm(x2, x_of(s, b));
	mm(y2, y_of(s, e->to));
	if (a == b)
		put(s, "C%s %s %s %s %s %s", mm(bow, left), y1, bow, y2, x2, y2);
	else
		put(s, "L%s %s", x2, y2);
	put(s, "\"><title>%" PRId64 " to %" PRId64 ": ", from->hop, to->hop);
	rn_picture_evidence(evidence, e);
	put_others(s, evidence);
	if (e->timed)
		put(s, ", %s", rn_picture_duration(lag, e->lag_ns));
	put(s, "</title></path>\n");
}

/* Lines across, above the box behind each gap. */
static void put_gaps(const struct svg *s)
{
	char a[16], b[16], c[16], ns[RN_PICTURE_WORDS], words[RN_PICTURE_WORDS];

	for (uint32_t i = 0; i < s->picture->ngaps; i++) {
		int y = y_of(s, s->picture->gaps[i].box) - ROW;

		put(s, "<path class=\"gap\" d=\"M%s %sH%s\"/>\n", mm(a, MARGIN + TIME - 100),
		    mm(b, y), mm(c, left_of(s, all_columns(s))));
		snprintf(words, sizeof(words), "%.50s later",
			 rn_picture_duration(ns, s->picture->gaps[i].ns));
		put_text(s, MARGIN + TIME - 200, y + LETTER / 3, TIME - 200, FROM_RIGHT, "faint",
			 words);
	}
}

/* ---- boxes ---- */

static void put_box(const struct svg *s, uint32_t box, uint32_t edge)
{
	const struct rn_picture_box *b = &s->picture->boxes[box];
	int x = x_of(s, column_of(s, box)), y = y_of(s, box), left = x - MARGIN - TIME,
	    right = PAGE_WIDTH - MARGIN - x;
	const struct rn_picture_labels how = {.picture = s->picture,
					      .columns = &s->columns,
					      .back = "\xe2\x86\x90",
					      .all = true,
					      .arena = s->arena};
	const struct rn_picture_label label = rn_picture_label(&how, box, edge);
	const char *whole = rn_picture_label_text(s->arena, &label, 0);
	bool rightward =
		right >= left || (int)rn_canvas_columns(whole) * LETTER_WIDTH <= right - 250;
	int room = (rightward ? right : left) - 250;
	char when[RN_PICTURE_WORDS + 2], d[RN_PICTURE_WORDS], a[16], c[16];
	const char *side = b->side == RN_PICTURE_SEEN && !b->cut ? "" : " open";

	snprintf(when, sizeof(when), "%s%s", b->timed ? "" : "<",
		 rn_picture_since(d, s->picture, b->at_ns));
	put_text(s, MARGIN + TIME - 200, y + LETTER / 3, TIME - 200, FROM_RIGHT, "faint", when);
	if (b->dir == RN_PICTURE_IN)
		put(s, "<circle class=\"in%s c%u\" cx=\"%s\" cy=\"%s\" r=\"0.9\">", side,
		    rn_picture_color(b->tags, 6), mm(a, x), mm(c, y));
	else
		put(s, "<rect class=\"out%s c%u\" x=\"%s\" y=\"%s\" width=\"1.7\" height=\"1.7\">",
		    side, rn_picture_color(b->tags, 6), mm(a, x - 85), mm(c, y - 85));
	put(s, "<title>");
	put_escaped(s, whole, strlen(whole));
	put(s, "</title></%s>\n", b->dir == RN_PICTURE_IN ? "circle" : "rect");
	if (room >= LETTER_WIDTH)
		put_text(s, x + (rightward ? 200 : -200), y + LETTER / 3, room,
			 rightward ? FROM_LEFT : FROM_RIGHT, "label",
			 rn_picture_label_text(s->arena, &label, (unsigned)(room / LETTER_WIDTH)));
	rn_arena_reset(s->arena);
}

/* ---- foot ---- */

static int put_line(const struct svg *s, int y, const char *text)
{
	enum { MOST = (PAGE_WIDTH - 2 * MARGIN) / LETTER_WIDTH };

	while (*text) {
		size_t n = rn_text_line(text, strlen(text), MOST);
		char *line = rn_malloc(n + 1);

		memcpy(line, text, n);
		line[n] = 0;
		put_text(s, MARGIN, y, PAGE_WIDTH - 2 * MARGIN, FROM_LEFT, "plain", line);
		free(line);
		y += ROW;
		text += n;
		text += strspn(text, " ");
	}
	return y;
}

/* Returns where it ends; y: where it begins. */
static int put_foot(const struct svg *s, int y)
{
	const struct rn_picture *p = s->picture;
	char *text = rn_picture_summary(p), *clean;

	y = put_line(s, y, text);
	free(text);
	if (p->hops)
		y = put_line(s, y,
			     "An arrow leads to the hop that has its data from there. Dashed and "
			     "orange: a "
			     "guess, one "
			     "of several. A red rim: the other side or the origin was not seen.");
	for (uint32_t i = 0; i < rn_picture_told(p); i++) {
		clean = rn_picture_clean(p->ledger[i]);
		y = put_line(s, y, clean);
		free(clean);
	}
	return y;
}

static const char style[] =
	"text{font:6.6pt monospace;font-size:2.33px;fill:#222}.strong{font-weight:bold}"
	".faint{fill:#666}.label{paint-order:stroke;stroke:#fff;stroke-width:.5}"
	"path{fill:none;stroke-width:.3}.life{stroke:#aaa;stroke-width:.15}"
	".gap{stroke:#888;stroke-width:.25;stroke-dasharray:.3 .9}"
	".node{fill:none;stroke:#ccc;stroke-width:.2}"
	".lacks{fill:url(#lacks);stroke:#b33;stroke-width:.3;stroke-dasharray:1 1}"
	".in{fill:#fff;stroke-width:.4}.open{stroke:#b33 !important}.out.open{stroke-width:.4}"
	"path.c0,.in.c0{stroke:#0b6e99}path.c1,.in.c1{stroke:#9a6700}path.c2,.in.c2{stroke:#8a3ffc}"
	"path.c3,.in.c3{stroke:#1a7f37}path.c4,.in.c4{stroke:#5a5a00}path.c5,.in.c5{stroke:#b0206a}"
	".out.c0{fill:#0b6e99}.out.c1{fill:#9a6700}.out.c2{fill:#8a3ffc}.out.c3{fill:#1a7f37}"
	".out.c4{fill:#5a5a00}.out.c5{fill:#b0206a}"
	"path.guess{stroke:#d1600a;stroke-dasharray:1.6 1.1;stroke-width:.4}";

/* How many lines the foot takes at most: as many as its text fills, and one more for each line. */
static int foot_rows(const struct rn_picture *p)
{
	enum { LEAST = (PAGE_WIDTH - 2 * MARGIN) / LETTER_WIDTH / 2 };
	size_t rows = 4;

	for (uint32_t i = 0; i < rn_picture_told(p); i++)
		rows += 1 + 4 * strlen(p->ledger[i]) / LEAST;
	return (int)rows;
}

void rn_picture_svg(FILE *to, const struct rn_picture *picture,
		    const struct rn_picture_screen *screen)
{
	struct svg s = {.picture = picture, .arena = rn_arena_create(SIZE_MAX), .to = to};
	int room = PAGE_WIDTH - 2 * MARGIN - TIME;
	char h[16];

	(void)screen;
	rn_picture_columns(picture, (uint32_t)(room / COLUMN_LEAST), &s.columns);
	/* all of the same width, unless those without a lane would be wider than they need */
	s.each = room / (int)(all_columns(&s) ? all_columns(&s) : 1);
	if (s.columns.n && s.each > EMPTY)
		s.each = (room - (int)s.columns.nempty * EMPTY) / (int)s.columns.n;
	s.head = MARGIN + 500 + (s.each >= WIDE ? ROW : HEAD_TURNED);
	s.foot = s.head + (int)(picture->nboxes + picture->ngaps) * ROW + ROW;
	mm(h, s.foot + foot_rows(picture) * ROW + MARGIN);
	put(&s,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"297mm\" height=\"%smm\" "
	    "viewBox=\"0 0 297 %s\">\n<title>A flow</title>\n<style>%s</style>\n",
	    h, h, style);
	put(&s, "<defs><marker id=\"end\" viewBox=\"0 0 4 4\" refX=\"6\" refY=\"2\" "
		"markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
		"<path d=\"M0 0L4 2L0 4z\" style=\"fill:#444\"/></marker>"
		"<pattern id=\"lacks\" width=\"3\" height=\"3\" "
		"patternUnits=\"userSpaceOnUse\"><rect width=\"3\" height=\"3\" fill=\"#fff4f0\"/>"
		"<path d=\"M0 3L3 0\" style=\"stroke:#b33;stroke-width:.12\"/></pattern></defs>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	put_head(&s);
	put_lifelines(&s);
	put_gaps(&s);
	for (uint32_t i = 0; i < picture->nedges; i++)
		put_edge(&s, &picture->edges[i]);
	for (uint32_t i = 0, edge = 0; i < picture->nboxes; i++) {
		while (edge < picture->nedges && picture->edges[edge].to < i)
			edge++;
		put_box(&s, i, edge);
	}
	put_foot(&s, s.foot);
	put(&s, "</svg>\n");
	rn_picture_columns_free(&s.columns);
	rn_arena_destroy(s.arena);
}
