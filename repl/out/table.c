/* table.c - rows for people: aligned columns, numbers to the right, units, histograms drawn below
 * their row.
 *
 * Rows are collected into blocks, because alignment needs to see more than one. A block ends at 500
 * rows, at a tick (no row is coming in), at a snapshot, and at the end. Widths only grow. The
 * header is printed once; on a terminal again when the widths have grown. A snapshot is drawn over
 * the one before it. Only a terminal gets lines shortened; a pipe gets whole ones. Wide text is cut
 * in the middle. If the line is still too long, less important columns are left out. So are the
 * columns of `events of` beside its core, in a pipe too. The caller tells how many are left out. A
 * list (base.wraps) shows its last column whole, over several lines. An answer of one block, such
 * as a flow, is first shortened in another way: a line above it tells the date, and the columns
 * that hold the same in all rows. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/values/show.h"
#include "repl/out/output.h"
#include "repl/terminal/signals.h"

enum {
	BLOCK_ROWS = 500,
	MIN_CUT = 12,
	MIN_OBJECT = 18,
	MIN_ENDS = 36 /* two addresses */,
	WIDE = 100,
	MIN_NARROW = 5,
	NARROW = 60,
	MIN_WRAP = 24
};

struct cell {
	const char *text;
	size_t len;
	unsigned width;
};
struct table {
	struct rn_printer base; /* must be first */
	struct cell *cells;     /* of the block, row-major; texts in base.arena */
	unsigned nrows, cap_rows;
	unsigned *width; /* of each column, in base.keep */
	bool header_done, has_hist;
	bool snapshot; /* rows are of a snapshot */
	unsigned gap;  /* blanks to write before the next cell of the line */
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
	unsigned *header; /* widths of the last one, in base.keep; 0: not in it */
};

static bool is_hist(const struct table *t, unsigned col)
{
	return t->base.cols[col].ty.type == RN_T_HIST;
}

/* Is it beside the core of `events of`? `node` is, unless there are several nodes. */
static bool is_extra(const struct table *t, unsigned col)
{
	unsigned show = t->base.cols[col].show;

	return show & RN_SHOW_EXTRA && (t->base.one_node || !(show & RN_SHOW_ALIKE));
}

static bool is_shown(const struct table *t, unsigned col)
{
	return !is_hist(t, col) && !t->hidden[col] && !t->same[col];
}

static void hide_extra(struct table *t)
{
	for (unsigned i = 0; i < t->base.ncols; i++)
		t->hidden[i] = is_extra(t, i);
}

static bool right_aligned(const struct rn_column *c)
{
	return (c->ty.type == RN_T_INT && c->ty.unit != RN_U_EPOCH && c->ty.unit != RN_U_ERRNO) ||
	       c->ty.type == RN_T_FLOAT;
}

/* Drop the digits of "2026-11-20 10:00:00.123456", the start of a window, that are 0 in every
 * window. Windows of 250 ms begin at thousandths of a second. */
static size_t trim_window(const char *s, size_t n, int64_t every_ns)
{
	if (every_ns % 1000000000 && every_ns % 1000000 == 0 && n > 3)
		return n - 3;
	return every_ns % 1000000000 == 0 && n > 7 && !memcmp(s + n - 7, ".000000", 7) ? n - 7 : n;
}

static struct cell make_cell(struct table *t, unsigned col, const struct rn_value *value)
{
	struct rn_arena *arena = t->base.arena;
	struct rn_ty ty = t->base.cols[col].ty;
	bool as_is;
	const char *raw;
	char *buf, mark[RN_PARTIAL_BYTES];
	size_t bytes, len;

	if (rn_printer_shows_other(&t->base, col, value))
		return (struct cell){"(other)", 7, 7};
	if (value->kind == RN_NULL)
		return (struct cell){"", 0, 0};
	if (ty.type == RN_T_HIST) {
		size_t n = value->kind == RN_STR ? value->len : 0; /* drawn from its buckets */

		return (struct cell){rn_arena_strndup(arena, value->s, n), n, 0};
	}
	as_is = value->kind == RN_STR && ty.type != RN_T_IP && ty.type != RN_T_BYTES &&
		ty.type != RN_T_SKETCH;
	raw = as_is ? value->s : rn_printer_show(arena, ty, value);
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
	return (struct cell){buf, len, rn_utf8_width(buf, len)};
}

static bool is_cut(const struct table *t, unsigned col) /* is it text, which may be cut? */
{
	return !right_aligned(&t->base.cols[col]) && t->base.cols[col].ty.type != RN_T_INT;
}

/* The least width of a column. An object is a path, or two addresses. In a list, names stay whole
 * if possible. */
static unsigned least(const struct table *t, unsigned col)
{
	bool narrow = t->base.term.width && t->base.term.width < NARROW;
	unsigned show = t->base.cols[col].show;
	unsigned min = narrow                      ? MIN_NARROW
		       : !(show & RN_SHOW_OBJECT)  ? MIN_CUT
		       : t->base.term.width < WIDE ? MIN_OBJECT
						   : MIN_ENDS;

	if (t->base.wraps && col + 1 == t->base.ncols)
		min = narrow ? MIN_CUT : MIN_WRAP;
	else if (t->base.wraps && (!narrow || show & RN_SHOW_WHOLE))
		min = MIN_OBJECT;
	return is_cut(t, col) && t->width[col] > min ? min : t->width[col];
}

static struct cell *cell_at(const struct table *t, unsigned row, unsigned col)
{
	return &t->cells[(size_t)row * t->base.ncols + col];
}

/* Do all rows hold the same text? */
static bool is_same(const struct table *t, unsigned col)
{
	for (unsigned r = 1; r < t->nrows; r++) {
		const struct cell *x = cell_at(t, r, col), *first = cell_at(t, 0, col);

		if (x->len != first->len || memcmp(x->text, first->text, x->len))
			return false;
	}
	return true;
}

static unsigned line_width(const struct table *t, const unsigned *w)
{
	unsigned total = 0;

	for (unsigned i = 0; i < t->base.ncols; i++)
		total += is_shown(t, i) ? w[i] + 2 : 0;
	return total;
}

/* In a list, hide columns empty in every row; if it is narrow, also the least useful ones. */
static void hide_empty(struct table *t)
{
	for (unsigned i = 0; i + 1 < t->base.ncols; i++) {
		bool empty;

		t->hidden[i] |= t->base.term.width < NARROW && t->base.cols[i].show & RN_SHOW_SPARE;
		empty = line_width(t, t->width) > t->base.term.width + 2;
		for (unsigned r = 0; empty && r < t->nrows; r++)
			empty = !cell_at(t, r, i)->len;
		t->hidden[i] |= empty;
	}
}

/* Hides columns that are empty in every row of a whole answer of `events of`, if it is too wide. */
static void hide_blank(struct table *t)
{
	bool core = false;

	for (unsigned i = 0; i < t->base.ncols; i++)
		core |= is_extra(t, i);
	for (unsigned i = 0; core && i < t->base.ncols; i++) {
		bool blank = is_shown(t, i) && t->base.term.width &&
			     line_width(t, t->width) > t->base.term.width + 2;

		for (unsigned r = 0; blank && r < t->nrows; r++)
			blank = !cell_at(t, r, i)->len;
		t->blank[i] = blank;
		t->hidden[i] |= blank;
	}
}

/* When the column is left out: the greatest first, 0 never. */
static unsigned turn(const struct table *t, unsigned col)
{
	unsigned show = t->base.cols[col].show;

	return show & RN_SHOW_ALIKE && !is_same(t, col) ? 1 : show & RN_SHOW_TURN;
}

/* Leaves out columns until the others fit with their text cut: first those that say least. Never
 * the last one. */
static void hide(struct table *t)
{
	unsigned total = 0, n = t->base.ncols, shown = 0, turns[n + 1];

	for (unsigned i = 0; i < n; i++) {
		turns[i] = is_shown(t, i) ? turn(t, i) : 0;
		total += is_shown(t, i) ? least(t, i) + 2 : 0;
		shown += is_shown(t, i);
	}
	for (unsigned now = RN_SHOW_TURN; now && total > t->base.term.width + 2; now--)
		for (unsigned i = 0; i < n && shown > 1; i++) {
			if (turns[i] != now)
				continue;
			total -= least(t, i) + 2;
			t->hidden[i] = true;
			shown--;
		}
}

/* Set the widths to print with. Starts from the columns' widths and cuts the text with most to
 * spare until the line fits the terminal. */
static void fit(struct table *t, unsigned *w)
{
	unsigned n = t->base.ncols;

	if (t->base.term.width && t->base.wraps && !t->header_done)
		hide_empty(t);
	else if (t->base.term.width)
		hide(t);
	memcpy(w, t->width, n * sizeof(*w));
	for (unsigned total = line_width(t, w);
	     t->base.term.width && total > t->base.term.width + 2; total--) {
		unsigned most = n;

		for (unsigned i = 0; i < n; i++) {
			if (is_shown(t, i) && w[i] > least(t, i) &&
			    (most == n || w[i] - least(t, i) > w[most] - least(t, most)))
				most = i;
		}
		// NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): w is filled
		if (most == n && t->base.wraps && w[n - 1] > MIN_CUT)
			most = n - 1; /* a list wraps its last column anyway */
		if (most == n)
			return;
		w[most]--;
	}
}

/* ---- a complete answer: the least useful parts are shortened first ---- */

static bool is_time(const struct table *t, unsigned col)
{
	return t->base.cols[col].ty.type == RN_T_INT && t->base.cols[col].ty.unit == RN_U_EPOCH;
}

/* Remove `front` bytes from the front of all times, and `back` from their ends. */
static void trim_times(struct table *t, unsigned front, unsigned back)
{
	for (unsigned i = 0; i < t->base.ncols; i++) {
		if (!is_time(t, i))
			continue;
		t->width[i] = rn_utf8_width(t->base.cols[i].label, strlen(t->base.cols[i].label));
		for (unsigned r = 0; r < t->nrows; r++) {
			struct cell *c = cell_at(t, r, i);

			if (c->len < front + back)
				continue; /* no value */
			*c = (struct cell){c->text + front, c->len - front - back,
					   c->width - front - back};
			t->width[i] = c->width > t->width[i] ? c->width : t->width[i];
		}
	}
}

/* Are all shown times of one day, and written "2026-11-20 10:00:00.123456"? Sets t->date to the
 * day. */
static bool same_day(struct table *t)
{
	const char *day = NULL;

	for (unsigned i = 0; i < t->base.ncols; i++) {
		for (unsigned r = 0; is_time(t, i) && !t->hidden[i] && r < t->nrows; r++) {
			const struct cell *c = cell_at(t, r, i);

			if (c->len != 26 || (day && memcmp(day, c->text, 10)))
				return false;
			day = c->text;
		}
	}
	if (day)
		memcpy(t->date, day, 10);
	return day != NULL;
}

/* The same, but then without the columns `start` and `begin` behind `time`: many processes began on
 * another day. */
static bool one_day(struct table *t)
{
	bool whole = same_day(t), time = false;

	for (unsigned i = 0; i < t->base.ncols && !whole; i++) {
		unsigned show = t->base.cols[i].show;

		time |= show & RN_SHOW_SUBJECT && is_time(t, i);
		t->hidden[i] |= time && show & RN_SHOW_BEGAN;
	}
	return whole || same_day(t);
}

/* Is the text the same in all rows, in a column that does not say what the row is about? */
static bool says_nothing(const struct table *t, unsigned col)
{
	return !(t->base.cols[col].show & RN_SHOW_SUBJECT) && t->nrows > 1 && is_same(t, col) &&
	       is_cut(t, col) && cell_at(t, 0, col)->len;
}

/* Shorten rows that have a time. Other answers are short, or lists whose every column matters. */
static void shorten(struct table *t)
{
	unsigned room = t->base.term.width + 2, above = (unsigned)strlen("all rows: 2026-11-20");

	if (!t->base.term.width || line_width(t, t->width) <= room || !one_day(t))
		return;
	trim_times(t, 11, 0);
	for (unsigned i = 0; i < t->base.ncols && line_width(t, t->width) > room; i++) {
		unsigned more;

		if (!is_shown(t, i) || !says_nothing(t, i))
			continue;
		more = (unsigned)strlen(", ") + (unsigned)strlen(t->base.cols[i].label) + 1 +
		       cell_at(t, 0, i)->width;
		t->same[i] = above + more <= t->base.term.width;
		above += t->same[i] ? more : 0;
	}
	if (line_width(t, t->width) > room)
		trim_times(t, 0, 3);
}

/* The same for rows that come one by one: later rows may hold other values, and be of another
 * day. */
static void shorten_days(struct table *t)
{
	char before[sizeof(t->date)];

	memcpy(before, t->date, sizeof(before));
	t->days |= !t->header_done && t->base.term.width && !t->base.wraps &&
		   line_width(t, t->width) > t->base.term.width + 2;
	if (!t->days || !one_day(t))
		return;
	trim_times(t, 11, 0);
	if (strcmp(before, t->date))
		fprintf(t->base.to, "rows of %s:\n", t->date);
}

/* Print what the rows below do not repeat. */
static void put_common(struct table *t)
{
	if (!t->date[0] || t->days)
		return;
	fprintf(t->base.to, "all rows: %s", t->date);
	for (unsigned i = 0; i < t->base.ncols; i++) {
		if (t->same[i])
			fprintf(t->base.to, ", %s %.*s", t->base.cols[i].label,
				(int)cell_at(t, 0, i)->len, cell_at(t, 0, i)->text);
	}
	putc('\n', t->base.to);
}

static void put_cell(struct table *t, const struct cell *c, unsigned width, bool right, bool last)
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

static unsigned last_column(const struct table *t)
{
	unsigned last = 0;

	for (unsigned i = 0; i < t->base.ncols; i++)
		last = is_shown(t, i) ? i : last;
	return last;
}

/* Prints the title, cut to the terminal. Returns the number of lines. */
static unsigned put_title(struct table *t)
{
	struct cell c = {t->base.title, strlen(t->base.title), 0};
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

static void put_header(struct table *t, const unsigned *w)
{
	fputs(t->base.term.color ? "\033[1m" : "", t->base.to);
	for (unsigned i = 0; i < t->base.ncols; i++) {
		const char *label = t->base.cols[i].label;
		struct cell c;

		if (!is_shown(t, i))
			continue;
		c = (struct cell){label, strlen(label), rn_utf8_width(label, strlen(label))};
		put_cell(t, &c, w[i], right_aligned(&t->base.cols[i]), i == last_column(t));
	}
	fputs(t->base.term.color ? "\033[0m\n" : "\n", t->base.to);
	for (unsigned i = 0; i < t->base.ncols; i++)
		t->header[i] = is_shown(t, i) ? w[i] : 0;
}

/* Do rows of these widths line up with the last header? */
static bool under_header(const struct table *t, const unsigned *w)
{
	bool same = true;

	for (unsigned i = 0; i < t->base.ncols; i++)
		same &= t->header[i] == (is_shown(t, i) ? w[i] : 0);
	return same;
}

/* Print what did not fit into the last column, below its beginning. Return the number of lines. */
static unsigned put_rest(struct table *t, struct cell c, const unsigned *w)
{
	unsigned lines = 0, last = last_column(t), indent = line_width(t, w) - w[last] - 2;

	while (c.len) {
		size_t n = rn_text_line(c.text, c.len, w[last]);

		fprintf(t->base.to, "%*s%.*s\n", (int)indent, "", (int)n, c.text);
		n += strspn(c.text + n, " ");
		c = (struct cell){c.text + n, c.len - n, 0};
		lines++;
	}
	return lines;
}

/* Print one row and its histograms; return the number of lines. */
static unsigned put_row(struct table *t, const struct cell *row, const unsigned *w)
{
	unsigned lines = 0, plain = 0, last = last_column(t);
	struct cell rest = {0};

	for (unsigned i = 0; i < t->base.ncols; i++) {
		struct cell c = row[i];

		if (!is_shown(t, i))
			continue;
		// NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): w is filled
		if (i == last && t->base.wraps && t->base.term.width && c.width > w[i]) {
			size_t n = rn_text_line(c.text, c.len, w[i]),
			       next = n + strspn(c.text + n, " ");

			rest = (struct cell){c.text + next, c.len - next, 0};
			c = (struct cell){c.text, n, rn_utf8_width(c.text, n)};
		}
		// NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): as above
		put_cell(t, &c, w[i], right_aligned(&t->base.cols[i]), i == last);
		plain++;
	}
	if (plain) {
		putc('\n', t->base.to);
		lines += 1 + put_rest(t, rest, w);
	}
	for (unsigned i = 0; i < t->base.ncols; i++) {
		struct rn_value hist;

		if (!is_hist(t, i))
			continue;
		fprintf(t->base.to, "%s:\n", t->base.cols[i].label);
		hist = rn_strn(row[i].text, row[i].len);
		lines += 1 + rn_hist_draw(t->base.to, t->base.arena, t->base.cols[i].ty, &hist,
					  t->base.term.width, t->base.term.color);
	}
	return lines;
}

static void erase_snapshot(struct table *t)
{
	if (t->drawn)
		fprintf(t->base.to, "\033[%uA\r\033[J", t->drawn);
	t->drawn = 0;
}

static void forget_rows(struct table *t)
{
	t->nrows = 0;
	rn_arena_reset(t->base.arena);
}

/* Grow the columns to fit the block's rows. */
static void measure(struct table *t)
{
	for (size_t k = 0; k < (size_t)t->nrows * t->base.ncols; k++) {
		unsigned w = t->cells[k].width, *widest = &t->width[k % t->base.ncols];

		*widest = w > *widest ? w : *widest;
	}
}

/* last: no more rows will come. */
static void put_block(struct table *t, bool last)
{
	unsigned w[t->base.ncols + 1];
	bool only_hist = true;

	if (!t->nrows)
		return;
	measure(t);
	for (unsigned i = 0; i < t->base.ncols; i++)
		only_hist &= is_hist(t, i);
	if (last && !t->header_done) {
		shorten(t);
		hide_blank(t);
	} else {
		shorten_days(t);
	}
	fit(t, w);
	/* the block before ended with a histogram */
	if (t->has_hist && !only_hist && t->header_done)
		putc('\n', t->base.to);
	if (!t->header_done)
		put_title(t);
	put_common(t);
	if (!only_hist && (!t->header_done || (t->base.term.tty && !under_header(t, w))))
		put_header(t, w);
	t->header_done = true;
	for (unsigned r = 0; r < t->nrows; r++) {
		if (t->has_hist && !only_hist && r)
			putc('\n', t->base.to);
		put_row(t, t->cells + (size_t)r * t->base.ncols, w);
	}
	forget_rows(t);
}

/* Query the terminal's size again. If the last snapshot no longer fits, or something else may stand
 * in its place, leave it and draw the next one below. */
static void look_again(struct table *t)
{
	unsigned now = rn_signals_resumes();
	bool narrower;

	if (!t->base.out.snapshot)
		return;
	rn_terminal_query(&t->base.term, t->base.to);
	hide_extra(t);
	narrower = t->base.term.width < t->drawn_on && t->base.term.width < t->drawn_width;
	if ((t->base.term.width && narrower) || now != t->resumes)
		t->drawn = 0;
	t->resumes = now;
}

/* Writes the names of the columns that have no room to line; returns how many. */
static unsigned name_hidden(const struct table *t, char *line, size_t cap)
{
	unsigned n = 0;
	size_t at = 0;

	line[0] = 0;
	for (unsigned i = 0; i < t->base.ncols && at < cap; i++)
		if (t->hidden[i] && !t->blank[i] && !is_extra(t, i))
			at += (size_t)snprintf(line + at, cap - at, "%s%s", n++ ? ", " : "",
					       t->base.cols[i].label);
	return n;
}

/* Draw as many rows as the screen holds over the last ones. */
static void draw_snapshot(struct table *t)
{
	unsigned w[t->base.ncols + 1], limit, of_line, lines, r, titles;
	char left_out[512];

	look_again(t);
	limit = t->base.term.height > 4 ? t->base.term.height - 2 : 20;
	measure(t);
	fit(t, w);
	erase_snapshot(t);
	titles = put_title(t);
	limit -= titles;
	put_header(t, w);
	t->drawn_width = line_width(t, w) > 2 ? line_width(t, w) - 2 : 0;
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
	if (name_hidden(t, left_out, sizeof(left_out)))
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
	struct table *t = self;

	t->base.clean = true;
	rn_printer_columns(&t->base, r);
	t->width = RN_NEWN(t->base.keep, unsigned, r->ncols + 1);
	t->hidden = RN_NEWN(t->base.keep, bool, r->ncols + 1);
	t->same = RN_NEWN(t->base.keep, bool, r->ncols + 1);
	t->blank = RN_NEWN(t->base.keep, bool, r->ncols + 1);
	t->header = RN_NEWN(t->base.keep, unsigned, r->ncols + 1);
	hide_extra(t);
	for (unsigned i = 0; i < r->ncols; i++) {
		t->has_hist |= is_hist(t, i);
		t->width[i] = rn_utf8_width(r->cols[i].label, strlen(r->cols[i].label));
	}
	return 0;
}

static int row(void *self, const struct rn_value *value)
{
	struct table *t = self;
	unsigned n = t->base.ncols;
	struct cell *c;

	if (!t->snapshot)
		erase_snapshot(t);
	if (t->nrows == t->cap_rows) {
		t->cap_rows = t->cap_rows ? 2 * t->cap_rows : 64;
		t->cells = rn_realloc(t->cells, (size_t)t->cap_rows * (n + 1) * sizeof(*t->cells));
	}
	c = t->cells + (size_t)t->nrows++ * n;
	for (unsigned i = 0; i < n; i++)
		c[i] = make_cell(t, i, &value[i]);
	t->base.other = t->base.partial = false;
	if (t->snapshot)
		return 0;
	t->base.rows++;
	if (t->nrows >= BLOCK_ROWS)
		put_block(t, false);
	return rn_printer_flush(&t->base, false);
}

static int snapshot(void *self, bool starts)
{
	struct table *t = self;

	if (starts && t->nrows)
		put_block(t, false);
	else if (!starts)
		draw_snapshot(t);
	t->snapshot = starts;
	return 0;
}

/* Rows that trickle in are printed before the widest is known. So give each column the room that
 * its kind of value tends to need. */
static void expect_more(struct table *t)
{
	for (unsigned i = 0; i < t->base.ncols; i++) {
		const struct rn_column *c = &t->base.cols[i];
		bool subject = c->show & RN_SHOW_SUBJECT; /* a path */
		unsigned room = c->ty.type == RN_T_STR ? (subject ? 32 : 15)
				: c->ty.unit == RN_U_NS || c->ty.unit == RN_U_BYTE ? 8
										   : 6;

		if (!is_hist(t, i) && room > t->width[i])
			t->width[i] = room;
	}
}

static void tick(struct rn_printer *p)
{
	struct table *t = (struct table *)p;

	if (!t->nrows || t->snapshot)
		return;
	if (!t->header_done)
		expect_more(t);
	put_block(t, false);
}

static int end(void *self)
{
	struct table *t = self;

	if (t->drawn)
		look_again(t);
	erase_snapshot(t);
	put_block(t, true);
	name_hidden(t, t->base.no_room, sizeof(t->base.no_room));
	t->base.nextra = 0;
	for (unsigned i = 0; i < t->base.ncols; i++)
		t->base.nextra += is_extra(t, i) || t->blank[i];
	return rn_printer_flush(&t->base, true);
}

static void destroy(struct rn_printer *p)
{
	free(((struct table *)p)->cells);
}

struct rn_printer *rn_printer_table(FILE *to)
{
	struct table *t = rn_calloc(1, sizeof(*t));

	rn_printer_init(&t->base, to);
	t->base.counts = true;
	t->base.out.begin = begin;
	t->base.out.row = row;
	t->base.out.end = end;
	t->base.out.snapshot = t->base.term.inplace ? snapshot : NULL;
	t->base.tick = tick;
	t->resumes = rn_signals_resumes();
	t->base.destroy = destroy;
	return &t->base;
}
