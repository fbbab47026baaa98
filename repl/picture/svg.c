/* svg.c - the timeline as a picture for paper: A4 across, as long as it must be.
 *
 * Each box has a row of its own, so that no two labels meet. Letters are of one width, and each
 * text is cut to its room. A label stands to the right of its box, or to the left if there is more
 * room. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/columns.h"
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
	WIDE = 3200, /* a column whose head is not turned */
	HEAD_TURNED = 3000
};

struct svg {
	const struct rn_picture *picture;
	struct rn_picture_columns columns;
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

static int x_of(const struct svg *s, uint32_t column)
{
	return MARGIN + TIME + (int)column * s->each + (s->each >= WIDE ? WIDE / 8 : s->each / 2);
}

static int y_of(const struct svg *s, uint32_t box)
{
	return s->head + (int)box * ROW + ROW / 2;
}

static uint32_t column_of(const struct svg *s, uint32_t box)
{
	return s->columns.of[s->picture->boxes[box].lane];
}

/* ---- head ---- */

static void put_node(const struct svg *s, uint32_t first, uint32_t end)
{
	const struct rn_picture_node *n = &s->picture->nodes[s->columns.list[first].node];
	char buf[RN_PICTURE_WORDS], a[16], b[16], c[16], d[16], *text;
	int x = MARGIN + TIME + (int)first * s->each, wide = (int)(end - first) * s->each;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		abort();
	fputs(n->name, to);
	if (n->clock_ns > 0)
		fprintf(to, " +-%s", rn_picture_duration(buf, n->clock_ns));
	else if (n->clock_ns < 0)
		fputs(" (clock unknown)", to);
	if (n->lacks)
		fprintf(to, " (incomplete: %s)", n->lacks);
	(void)fclose(to);
	put(s, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n",
	    n->lacks ? "lacks" : "node", mm(a, x + 40), mm(b, MARGIN), mm(c, wide - 80),
	    mm(d, s->foot - MARGIN - ROW));
	put_text(s, x + 120, MARGIN + 320, wide - 240, FROM_LEFT, "strong", text);
	free(text);
}

static void put_head(const struct svg *s)
{
	char buf[64], *text;
	size_t bytes;

	for (uint32_t i = 0, end; i < s->columns.n; i = end) {
		for (end = i; end < s->columns.n; end++)
			if (s->columns.list[end].node != s->columns.list[i].node)
				break;
		put_node(s, i, end);
	}
	for (uint32_t i = 0; i < s->columns.n; i++) {
		const struct rn_picture_column *c = &s->columns.list[i];
		FILE *to = open_memstream(&text, &bytes);

		if (!to)
			abort();
		if (c->lanes > 1)
			snprintf(buf, sizeof(buf), "%u processes", c->lanes);
		else
			snprintf(buf, sizeof(buf), "%" PRId64, c->pid);
		fprintf(to, "%s%s%s", c->proc, *c->proc ? " " : "", buf);
		(void)fclose(to);
		if (s->each >= WIDE)
			put_text(s, MARGIN + TIME + (int)i * s->each + 120, MARGIN + 720,
				 s->each - 200, FROM_LEFT, "plain", text);
		else
			put_text(s, x_of(s, i) + 80, s->head - 150, HEAD_TURNED - 300, UPWARD,
				 "plain", text);
		free(text);
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

/* ---- boxes ---- */

/* "12 in /tmp/a x3 14 KiB <- 11 hash, 1 of 3", on the heap */
static char *label_of(const struct svg *s, uint32_t box, uint32_t edge)
{
	const struct rn_picture_box *b = &s->picture->boxes[box];
	const char *lacks = rn_picture_lacks(b);
	char buf[RN_PICTURE_WORDS], *text;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		abort();
	fprintf(to, "%" PRId64 " %s %s", b->hop,
		b->dir == RN_PICTURE_IN    ? "in"
		: b->dir == RN_PICTURE_OUT ? "out"
					   : b->name,
		b->object);
	if (b->count > 1)
		fprintf(to, " x%u", b->count);
	fprintf(to, " %s", rn_picture_bytes(buf, b->bytes));
	fputs(rn_picture_took(buf, s->picture, b), to);
	for (; edge < s->picture->nedges && s->picture->edges[edge].to == box; edge++) {
		const struct rn_picture_edge *e = &s->picture->edges[edge];

		fprintf(to, " \xe2\x86\x90%" PRId64 " %s", s->picture->boxes[e->from].hop,
			rn_picture_evidence(buf, e));
	}
	if (*lacks)
		fprintf(to, " (%s)", lacks);
	(void)fclose(to);
	return text;
}

static void put_box(const struct svg *s, uint32_t box, uint32_t edge)
{
	const struct rn_picture_box *b = &s->picture->boxes[box];
	int x = x_of(s, column_of(s, box)), y = y_of(s, box), left = x - MARGIN - TIME,
	    right = PAGE_WIDTH - MARGIN - x;
	char *label = label_of(s, box, edge), when[RN_PICTURE_WORDS + 2], d[RN_PICTURE_WORDS],
	     a[16], c[16];
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
	put_others(s, label);
	put(s, "</title></%s>\n", b->dir == RN_PICTURE_IN ? "circle" : "rect");
	if (right >= left || (int)strlen(label) * LETTER_WIDTH <= right - 250)
		put_text(s, x + 200, y + LETTER / 3, right - 250, FROM_LEFT, "label", label);
	else
		put_text(s, x - 200, y + LETTER / 3, left - 250, FROM_RIGHT, "label", label);
	free(label);
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
	y = put_line(s, y,
		     "An arrow leads to the hop that has its data from there. Dashed and orange: a "
		     "guess, one "
		     "of several. A red rim: the other side or the origin was not seen.");
	for (uint32_t i = 0; i < p->nledger && !p->complete; i++) {
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
	".node{fill:none;stroke:#ccc;stroke-width:.2}"
	".lacks{fill:#fff4f0;stroke:#b33;stroke-width:.3;stroke-dasharray:1 1}"
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

	for (uint32_t i = 0; i < p->nledger && !p->complete; i++)
		rows += 1 + 4 * strlen(p->ledger[i]) / LEAST;
	return (int)rows;
}

void rn_picture_svg(FILE *to, const struct rn_picture *picture,
		    const struct rn_picture_screen *screen)
{
	struct svg s = {.picture = picture, .to = to};
	char h[16];

	(void)screen;
	rn_picture_columns(picture, (PAGE_WIDTH - 2 * MARGIN - TIME) / COLUMN_LEAST, &s.columns);
	s.each = (PAGE_WIDTH - 2 * MARGIN - TIME) / (int)(s.columns.n ? s.columns.n : 1);
	s.head = MARGIN + 500 + (s.each >= WIDE ? ROW : HEAD_TURNED);
	s.foot = s.head + (int)picture->nboxes * ROW + ROW;
	mm(h, s.foot + foot_rows(picture) * ROW + MARGIN);
	put(&s,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"297mm\" height=\"%smm\" "
	    "viewBox=\"0 0 297 %s\">\n<title>A flow</title>\n<style>%s</style>\n",
	    h, h, style);
	put(&s, "<defs><marker id=\"end\" viewBox=\"0 0 4 4\" refX=\"6\" refY=\"2\" "
		"markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
		"<path d=\"M0 0L4 2L0 4z\" style=\"fill:#444\"/></marker></defs>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	put_head(&s);
	put_lifelines(&s);
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
}
