/* table.c - rows for people: aligned columns, numbers to the right, units, histograms drawn below
 * their row.
 *
 * Rows are collected into blocks, because alignment needs to see more than one. A block ends at 500
 * rows (on a terminal at 4000 of a flow), at a tick (no row is coming in), at a snapshot, and at
 * the end. Widths only grow. The header is printed once; on a terminal again when the widths have
 * grown. A snapshot is drawn over the one before it. Only a terminal gets lines shortened; a pipe
 * gets whole ones. Wide text is cut in the middle. If the line is still too long, less important
 * columns are left out. So are the columns of `events of` beside its core, in a pipe too. The
 * caller tells how many are left out. A list (base.wraps) shows its last column whole, over several
 * lines. An answer of one block, such as a flow, is first shortened in another way: a line above it
 * tells the date, and the columns that hold the same in all rows. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/out/table_impl.h"
#include "repl/out/words.h"
#include "repl/terminal/signals.h"

/* SHARE_TURN: a line that is too long loses the share first of all. */
enum { BLOCK_ROWS = 500, FLOW_ROWS = 4000, FLOW_BYTES = 16 << 20, SHARE_TURN = 255 };

/* Drop the digits of "2026-11-20 10:00:00.123456", the start of a window, that are 0 in every
 * window. Windows of 250 ms begin at thousandths of a second. */
static size_t trim_window(const char *s, size_t n, int64_t every_ns)
{
	if (every_ns % 1000000000 && every_ns % 1000000 == 0 && n > 3)
		return n - 3;
	return every_ns % 1000000000 == 0 && n > 7 && !memcmp(s + n - 7, ".000000", 7) ? n - 7 : n;
}

static struct rn_table_cell make_cell(struct rn_table_printer *t, unsigned col,
				      const struct rn_value *row)
{
	const struct rn_value *value = &row[col];
	struct rn_arena *arena = t->base.arena;
	struct rn_ty ty = t->base.cols[col].ty;
	bool as_is;
	const char *raw, *words;
	char *buf, mark[RN_PARTIAL_BYTES];
	size_t bytes, len;

	if (rn_printer_shows_other(&t->base, col, value))
		return (struct rn_table_cell){"(other)", 7, 7};
	if (value->kind == RN_NULL)
		return (struct rn_table_cell){"", 0, 0};
	if (ty.type == RN_T_HIST) {
		size_t n = value->kind == RN_STR ? value->len : 0; /* drawn from its buckets */

		return (struct rn_table_cell){rn_arena_strndup(arena, value->s, n), n, 0};
	}
	words = rn_words_of(&t->base, col, row);
	as_is = !words && value->kind == RN_STR && ty.type != RN_T_IP && ty.type != RN_T_BYTES &&
		ty.type != RN_T_SKETCH;
	raw = words ? words : as_is ? value->s : rn_printer_show(arena, ty, value);
	bytes = as_is ? value->len : strlen(raw);
	buf = rn_arena_alloc(arena, 4 * bytes + 20);
	len = rn_text_clean(buf, 4 * bytes + 20, raw, bytes);
	if (as_is && rn_printer_reads_other(&t->base, value->s, value->len))
		len = rn_text_clean(buf, 4 * bytes + 20, RN_OTHER_VALUE, strlen(RN_OTHER_VALUE));
	if (ty.unit == RN_U_EPOCH && ty.type == RN_T_INT &&
	    !strcmp(t->base.cols[col].label, "window"))
		len = trim_window(buf, len, t->base.every_ns);
	if (*rn_printer_mark(&t->base, col, mark)) {
		buf = rn_arena_printf(arena, "%.*s%s", (int)len, buf, mark);
		len = strlen(buf);
	}
	return (struct rn_table_cell){buf, len, rn_utf8_width(buf, len)};
}

/* "63.1% ############": below 0 nothing is known. */
static struct rn_table_cell make_share(struct rn_table_printer *t)
{
	static const char bar[] = "####################";
	char *text;
	size_t len;

	if (t->share < 0 || t->share > 1)
		return (struct rn_table_cell){"", 0, 0};
	text = rn_arena_printf(t->base.arena, "%5.1f%% %.*s", 100 * t->share,
			       (int)(t->share * (double)(sizeof(bar) - 1) + 0.5), bar);
	len = strlen(text);
	if (text[len - 1] == ' ')
		len--;
	return (struct rn_table_cell){text, len, (unsigned)len};
}

/* Print what the rows below do not repeat. */
static void put_common(struct rn_table_printer *t)
{
	if (!t->date[0] || t->days)
		return;
	fprintf(t->base.to, "all rows: %s", t->date);
	for (unsigned i = 0; i < t->base.ncols; i++) {
		if (t->same[i])
			fprintf(t->base.to, ", %s %.*s", t->base.cols[i].label,
				(int)rn_fit_cell(t, 0, i)->len, rn_fit_cell(t, 0, i)->text);
	}
	putc('\n', t->base.to);
}

static void put_cell(struct rn_table_printer *t, const struct rn_table_cell *c, unsigned width,
		     bool right, bool last)
{
	FILE *to = t->base.to;
	const char *s = c->text;
	size_t len = c->len;
	unsigned w = c->width;
	unsigned pad, before;

	if (w > width && !right && t->base.term.width) {
		char *buf = rn_arena_alloc(t->base.arena, len + 8);

		len = rn_text_cut(buf, s, len, width);
		w = rn_utf8_width(s = buf, len);
	}
	pad = w < width ? width - w : 0;
	before = t->gap + (right ? pad : 0);
	if (len)
		fprintf(to, "%*s", (int)before, "");
	fwrite(s, 1, len, to);
	/* blanks behind an empty or short cell are written only if another cell follows: no line
	 * ends in blanks */
	t->gap = last ? 0 : (len ? 0 : before) + (right ? 2 : pad + 2);
}

static unsigned last_column(const struct rn_table_printer *t)
{
	unsigned last = 0;

	for (unsigned i = 0; i < t->base.ncols; i++)
		last = rn_fit_is_shown(t, i) ? i : last;
	return last;
}

/* Prints the title, cut to the terminal. Returns the number of lines. */
static unsigned put_title(struct rn_table_printer *t)
{
	struct rn_table_cell c = {t->base.title, strlen(t->base.title), 0};
	char *clean;

	if (!c.len)
		return 0;
	clean = rn_arena_alloc(t->base.arena, 4 * c.len + 20);
	c.len = rn_text_clean(clean, 4 * c.len + 20, c.text, c.len);
	c.text = clean;
	c.width = rn_utf8_width(c.text, c.len);
	put_cell(t, &c, t->base.term.width ? t->base.term.width : c.width, false, true);
	putc('\n', t->base.to);
	return 1;
}

/* A line of the header: labels, or the bounds of histograms that are lines of cells. */
static void put_labels(struct rn_table_printer *t, const unsigned *w, bool ticks)
{
	if (t->margin)
		fprintf(t->base.to, "%*s", (int)rn_margin_width(t->margin), "");
	fputs(t->base.term.color ? "\033[1m" : "", t->base.to);
	for (unsigned i = 0; i < t->base.ncols; i++) {
		const char *label = ticks ? rn_heat_ticks(t, i) : t->base.cols[i].label;
		struct rn_table_cell c;

		if (!rn_fit_is_shown(t, i))
			continue;
		c = (struct rn_table_cell){label, strlen(label),
					   rn_utf8_width(label, strlen(label))};
		put_cell(t, &c, w[i], rn_fit_is_right(&t->base.cols[i]), i == last_column(t));
	}
	fputs(t->base.term.color ? "\033[0m\n" : "\n", t->base.to);
}

static void put_header(struct rn_table_printer *t, const unsigned *w)
{
	put_labels(t, w, false);
	if (t->packs)
		put_labels(t, w, true);
	for (unsigned i = 0; i < t->base.ncols; i++)
		t->header[i] = rn_fit_is_shown(t, i) ? w[i] : 0;
}

/* Do rows of these widths line up with the last header? */
static bool under_header(const struct rn_table_printer *t, const unsigned *w)
{
	bool same = true;

	for (unsigned i = 0; i < t->base.ncols; i++)
		same &= t->header[i] == (rn_fit_is_shown(t, i) ? w[i] : 0);
	return same;
}

/* Print what did not fit into the last column, below its beginning. Return the number of lines. */
static unsigned put_rest(struct rn_table_printer *t, struct rn_table_cell c, const unsigned *w)
{
	unsigned lines = 0, last = last_column(t), indent = rn_fit_line_width(t, w) - w[last] - 2;

	while (c.len) {
		size_t n = rn_text_line(c.text, c.len, w[last]);

		fprintf(t->base.to, "%*s%.*s\n", (int)indent, "", (int)n, c.text);
		n += strspn(c.text + n, " ");
		c = (struct rn_table_cell){c.text + n, c.len - n, 0};
		lines++;
	}
	return lines;
}

/* Print one row and its histograms; return the number of lines. */
static unsigned put_row(struct rn_table_printer *t, const struct rn_table_cell *row,
			const unsigned *w)
{
	unsigned lines = 0, plain = 0, last = last_column(t);
	struct rn_table_cell rest = {0};

	if (t->margin)
		rn_margin_print(t->margin, (uint32_t)((row - t->cells) / t->base.ncols),
				t->base.to);
	for (unsigned i = 0; i < t->base.ncols; i++) {
		struct rn_table_cell c = row[i];

		if (!rn_fit_is_shown(t, i))
			continue;
		// NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): w is filled
		if (i == last && t->base.wraps && t->base.term.width && c.width > w[i]) {
			size_t n = rn_text_line(c.text, c.len, w[i]),
			       next = n + strspn(c.text + n, " ");

			rest = (struct rn_table_cell){c.text + next, c.len - next, 0};
			c = (struct rn_table_cell){c.text, n, rn_utf8_width(c.text, n)};
		}
		// NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): as above
		put_cell(t, &c, w[i], rn_fit_is_right(&t->base.cols[i]), i == last);
		plain++;
	}
	if (plain) {
		putc('\n', t->base.to);
		lines += 1 + put_rest(t, rest, w);
	}
	for (unsigned i = 0; i < t->base.ncols; i++) {
		struct rn_value hist;

		if (!rn_fit_is_hist(t, i))
			continue;
		fprintf(t->base.to, "%s:\n", t->base.cols[i].label);
		hist = rn_strn(row[i].text, row[i].len);
		lines += 1 + rn_hist_draw(t->base.to, t->base.arena, t->base.cols[i].ty, &hist,
					  &t->base.term);
	}
	return lines;
}

static void erase_snapshot(struct rn_table_printer *t)
{
	if (t->drawn)
		fprintf(t->base.to, "\033[%uA\r\033[J", t->drawn);
	t->drawn = 0;
}

static void forget_rows(struct rn_table_printer *t)
{
	t->nrows = 0;
	rn_arena_reset(t->base.arena);
}

/* last: no more rows will come. */
static void put_block(struct rn_table_printer *t, bool last)
{
	unsigned w[t->base.ncols + 1];
	bool only_hist = true;

	if (!t->nrows)
		return;
	rn_fit_measure(t);
	rn_heat_pack(t);
	for (unsigned i = 0; i < t->base.ncols; i++)
		only_hist &= rn_fit_is_hist(t, i);
	rn_margin_make(t, last && !t->header_done, w);
	/* the block before ended with a histogram */
	if (t->has_hist && !only_hist && t->header_done)
		putc('\n', t->base.to);
	if (!t->header_done)
		put_title(t);
	put_common(t);
	if (t->packs && !t->header_done)
		rn_heat_legend(t);
	if (!only_hist &&
	    (!t->header_done || ((t->base.term.tty || t->packs) && !under_header(t, w))))
		put_header(t, w);
	t->header_done = true;
	for (unsigned r = 0; r < t->nrows; r++) {
		if (t->has_hist && !only_hist && r)
			putc('\n', t->base.to);
		put_row(t, t->cells + (size_t)r * t->base.ncols, w);
	}
	rn_margin_forget(t);
	forget_rows(t);
}

/* Query the terminal's size again. If the last snapshot no longer fits, or something else may stand
 * in its place, leave it and draw the next one below. */
static void look_again(struct rn_table_printer *t)
{
	unsigned now = rn_signals_resumes();
	bool narrower;

	if (!t->base.out.snapshot)
		return;
	rn_terminal_query(&t->base.term, t->base.to);
	rn_fit_hide_extra(t);
	narrower = t->base.term.width < t->drawn_on && t->base.term.width < t->drawn_width;
	if ((t->base.term.width && narrower) || now != t->resumes)
		t->drawn = 0;
	t->resumes = now;
}

/* Draw as many rows as the screen holds over the last ones. */
static void draw_snapshot(struct rn_table_printer *t)
{
	unsigned w[t->base.ncols + 1], limit, of_line, lines, r, titles;
	char left_out[512];

	look_again(t);
	limit = t->base.term.height > 4 ? t->base.term.height - 2 : 20;
	rn_fit_measure(t);
	rn_fit_widths(t, w);
	erase_snapshot(t);
	titles = put_title(t);
	limit -= titles;
	put_header(t, w);
	t->drawn_width = rn_fit_line_width(t, w) > 2 ? rn_fit_line_width(t, w) - 2 : 0;
	/* a line that is still too long takes several on the screen */
	of_line = t->base.term.width && t->drawn_width > t->base.term.width
			  ? 1 + (t->drawn_width - 1) / t->base.term.width
			  : 1;
	lines = of_line;
	for (r = 0; r < t->nrows && lines + (t->has_hist ? 20 : of_line) < limit; r++)
		lines += put_row(t, t->cells + (size_t)r * t->base.ncols, w) + of_line - 1;
	if (r < t->nrows) {
		fprintf(t->base.to, "... %u more\n", t->nrows - r);
		lines++;
	}
	if (rn_fit_no_room(t, left_out, sizeof(left_out)))
		lines += fprintf(t->base.to, "... and %.*s\n",
				 (int)(t->base.term.width > 12 ? t->base.term.width - 9 : 4),
				 left_out) > 0;
	if (t->base.note[0])
		lines += fprintf(t->base.to, "%.*s\n",
				 t->base.term.width ? (int)t->base.term.width - 1 : 79,
				 t->base.note) > 0;
	t->drawn = lines + titles;
	t->drawn_on = t->base.term.width;
	forget_rows(t);
	fflush(t->base.to);
}

static int begin(void *self, const struct rn_answer_shape *r)
{
	struct rn_table_printer *t = self;
	struct rn_answer_shape own = *r;

	t->base.clean = true;
	t->shares = r->shares && t->base.term.tty;
	if (t->shares) {
		own.cols = rn_calloc(r->ncols + 1, sizeof(*own.cols));
		memcpy(own.cols, r->cols, r->ncols * sizeof(*own.cols));
		own.cols[own.ncols++] = (struct rn_column){
			.label = "share", .ty = {RN_T_STR, RN_U_NONE}, .show = SHARE_TURN};
	}
	rn_printer_columns(&t->base, &own);
	if (t->shares)
		free(own.cols);
	t->width = RN_NEWN(t->base.keep, unsigned, t->base.ncols + 1);
	t->hidden = RN_NEWN(t->base.keep, bool, t->base.ncols + 1);
	t->same = RN_NEWN(t->base.keep, bool, t->base.ncols + 1);
	t->blank = RN_NEWN(t->base.keep, bool, t->base.ncols + 1);
	t->header = RN_NEWN(t->base.keep, unsigned, t->base.ncols + 1);
	rn_fit_hide_extra(t);
	rn_margin_find(t);
	rn_heat_begin(t);
	for (unsigned i = 0; i < t->base.ncols; i++) {
		t->has_hist |= rn_fit_is_hist(t, i);
		t->width[i] = rn_utf8_width(t->base.cols[i].label, strlen(t->base.cols[i].label));
	}
	return 0;
}

static unsigned block_rows(const struct rn_table_printer *t)
{
	return t->is_flow && rn_arena_bytes(t->base.arena) < FLOW_BYTES ? FLOW_ROWS : BLOCK_ROWS;
}

static int row(void *self, const struct rn_value *value)
{
	struct rn_table_printer *t = self;
	unsigned n = t->base.ncols;
	struct rn_table_cell *c;

	if (!t->snapshot)
		erase_snapshot(t);
	if (t->nrows == t->cap_rows) {
		t->cap_rows = t->cap_rows ? 2 * t->cap_rows : 64;
		t->cells = rn_realloc(t->cells, (size_t)t->cap_rows * (n + 1) * sizeof(*t->cells));
	}
	rn_margin_note(t, value);
	c = t->cells + (size_t)t->nrows++ * n;
	for (unsigned i = 0; i < n - t->shares; i++)
		c[i] = make_cell(t, i, value);
	if (t->shares)
		c[n - 1] = make_share(t);
	t->base.other = t->base.partial = false;
	if (t->snapshot)
		return 0;
	t->base.rows++;
	if (t->nrows >= block_rows(t))
		put_block(t, false);
	return rn_printer_flush(&t->base, false);
}

static void share(void *self, double share)
{
	((struct rn_table_printer *)self)->share = share;
}

static int snapshot(void *self, bool starts)
{
	struct rn_table_printer *t = self;

	if (starts && t->nrows)
		put_block(t, false);
	else if (!starts)
		draw_snapshot(t);
	t->snapshot = starts;
	return 0;
}

static void tick(struct rn_printer *p)
{
	struct rn_table_printer *t = (struct rn_table_printer *)p;

	if (!t->nrows || t->snapshot)
		return;
	if (!t->header_done)
		rn_fit_expect_more(t);
	put_block(t, false);
}

static int end(void *self)
{
	struct rn_table_printer *t = self;

	if (t->drawn)
		look_again(t);
	erase_snapshot(t);
	put_block(t, true);
	rn_fit_no_room(t, t->base.no_room, sizeof(t->base.no_room));
	t->base.nextra = 0;
	for (unsigned i = 0; i < t->base.ncols; i++)
		t->base.nextra += rn_fit_is_extra(t, i) || t->blank[i];
	return rn_printer_flush(&t->base, true);
}

static void destroy(struct rn_printer *p)
{
	struct rn_table_printer *t = (struct rn_table_printer *)p;

	free(t->cells);
	free(t->linked);
	rn_margin_forget(t);
	rn_heat_end(t);
}

struct rn_printer *rn_printer_table(FILE *to)
{
	struct rn_table_printer *t = rn_calloc(1, sizeof(*t));

	rn_printer_init(&t->base, to);
	t->base.counts = true;
	t->base.out.begin = begin;
	t->base.out.row = row;
	t->base.out.end = end;
	t->base.out.share = share;
	t->base.out.snapshot = t->base.term.inplace ? snapshot : NULL;
	t->base.tick = tick;
	t->resumes = rn_signals_resumes();
	t->base.destroy = destroy;
	return &t->base;
}
