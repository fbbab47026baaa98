/* table_fit.c - makes the lines of a table fit the terminal: which columns are shown, how wide they
 * are, and what stands once above the rows. Only a terminal gets lines shortened; a pipe gets the
 * core of `events of`, whole. */
#include <string.h>
#include "repl/out/table_impl.h"

enum {
	MIN_CUT = 12,
	MIN_OBJECT = 18,
	MIN_ENDS = 36 /* two addresses */,
	WIDE = 100,
	MIN_NARROW = 5,
	NARROW = 60,
	MIN_WRAP = 24
};

bool rn_fit_is_right(const struct rn_column *column)
{
	return (column->ty.type == RN_T_INT && column->ty.unit != RN_U_EPOCH &&
		!rn_unit_is_code(column->ty.unit)) ||
	       column->ty.type == RN_T_FLOAT;
}

bool rn_fit_is_extra(const struct rn_table_printer *table, unsigned col)
{
	unsigned show = table->base.cols[col].show;

	return show & RN_SHOW_EXTRA && (table->base.one_node || !(show & RN_SHOW_ALIKE));
}

void rn_fit_hide_extra(struct rn_table_printer *table)
{
	for (unsigned i = 0; i < table->base.ncols; i++)
		table->hidden[i] = rn_fit_is_extra(table, i);
}

/* Is it text, which may be cut? */
static bool is_cut(const struct rn_table_printer *t, unsigned col)
{
	enum rn_type type = t->base.cols[col].ty.type;

	return !rn_fit_is_right(&t->base.cols[col]) && type != RN_T_INT && type != RN_T_HIST;
}

/* The least width of a column. An object is a path, or two addresses. In a list, names stay whole
 * if possible. */
static unsigned least(const struct rn_table_printer *t, unsigned col)
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

/* Do all rows hold the same text? */
static bool is_same(const struct rn_table_printer *t, unsigned col)
{
	for (unsigned r = 1; r < t->nrows; r++) {
		const struct rn_table_cell *x = rn_fit_cell(t, r, col),
					   *first = rn_fit_cell(t, 0, col);

		if (x->len != first->len || memcmp(x->text, first->text, x->len))
			return false;
	}
	return true;
}

unsigned rn_fit_line_width(const struct rn_table_printer *table, const unsigned *w)
{
	unsigned total = 0;

	for (unsigned i = 0; i < table->base.ncols; i++)
		total += rn_fit_is_shown(table, i) ? w[i] + 2 : 0;
	return total;
}

/* In a list, hide columns empty in every row; if it is narrow, also the least useful ones. */
static void hide_empty(struct rn_table_printer *t)
{
	for (unsigned i = 0; i + 1 < t->base.ncols; i++) {
		bool empty;

		t->hidden[i] |= t->base.term.width < NARROW && t->base.cols[i].show & RN_SHOW_SPARE;
		empty = rn_fit_line_width(t, t->width) > t->base.term.width + 2;
		for (unsigned r = 0; empty && r < t->nrows; r++)
			empty = !rn_fit_cell(t, r, i)->len;
		t->hidden[i] |= empty;
	}
}

/* Hides columns that are empty in every row of a whole answer of `events of`, if it is too wide. */
static void hide_blank(struct rn_table_printer *t)
{
	bool core = false;

	for (unsigned i = 0; i < t->base.ncols; i++)
		core |= rn_fit_is_extra(t, i);
	for (unsigned i = 0; core && i < t->base.ncols; i++) {
		bool blank = rn_fit_is_shown(t, i) && t->base.term.width &&
			     rn_fit_line_width(t, t->width) > t->base.term.width + 2;

		for (unsigned r = 0; blank && r < t->nrows; r++)
			blank = !rn_fit_cell(t, r, i)->len;
		t->blank[i] = blank;
		t->hidden[i] |= blank;
	}
}

/* When the column is left out: the greatest first, 0 never. */
static unsigned turn(const struct rn_table_printer *t, unsigned col)
{
	unsigned show = t->base.cols[col].show;

	return show & RN_SHOW_ALIKE && !is_same(t, col) ? 1 : show & RN_SHOW_TURN;
}

/* Leaves out columns until the others fit with their text cut: first those that say least. Never
 * the last one. */
static void hide(struct rn_table_printer *t)
{
	unsigned total = 0, n = t->base.ncols, shown = 0, turns[n + 1];

	for (unsigned i = 0; i < n; i++) {
		turns[i] = rn_fit_is_shown(t, i) ? turn(t, i) : 0;
		total += rn_fit_is_shown(t, i) ? least(t, i) + 2 : 0;
		shown += rn_fit_is_shown(t, i);
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

/* Starts from the columns' widths and cuts the text with most to
 * spare until the line fits the terminal. */
void rn_fit_widths(struct rn_table_printer *table, unsigned *w)
{
	unsigned n = table->base.ncols;

	if (table->base.term.width && table->base.wraps && !table->header_done)
		hide_empty(table);
	else if (table->base.term.width)
		hide(table);
	memcpy(w, table->width, n * sizeof(*w));
	for (unsigned total = rn_fit_line_width(table, w);
	     table->base.term.width && total > table->base.term.width + 2; total--) {
		unsigned most = n;

		for (unsigned i = 0; i < n; i++) {
			if (rn_fit_is_shown(table, i) && w[i] > least(table, i) &&
			    (most == n || w[i] - least(table, i) > w[most] - least(table, most)))
				most = i;
		}
		// NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): w is filled
		if (most == n && table->base.wraps && w[n - 1] > MIN_CUT)
			most = n - 1; /* a list wraps its last column anyway */
		if (most == n)
			return;
		w[most]--;
	}
}

/* ---- a complete answer: the least useful parts are shortened first ---- */

static bool is_time(const struct rn_table_printer *t, unsigned col)
{
	return t->base.cols[col].ty.type == RN_T_INT && t->base.cols[col].ty.unit == RN_U_EPOCH;
}

/* Remove `front` bytes from the front of all times, and `back` from their ends. */
static void trim_times(struct rn_table_printer *t, unsigned front, unsigned back)
{
	for (unsigned i = 0; i < t->base.ncols; i++) {
		if (!is_time(t, i))
			continue;
		t->width[i] = rn_utf8_width(t->base.cols[i].label, strlen(t->base.cols[i].label));
		for (unsigned r = 0; r < t->nrows; r++) {
			struct rn_table_cell *c = rn_fit_cell(t, r, i);

			if (c->len < front + back)
				continue; /* no value */
			*c = (struct rn_table_cell){c->text + front, c->len - front - back,
						    c->width - front - back};
			t->width[i] = c->width > t->width[i] ? c->width : t->width[i];
		}
	}
}

/* Are all shown times of one day, and written "2026-11-20 10:00:00.123456"? Sets t->date to the
 * day. */
static bool same_day(struct rn_table_printer *t)
{
	const char *day = NULL;

	for (unsigned i = 0; i < t->base.ncols; i++) {
		for (unsigned r = 0; is_time(t, i) && !t->hidden[i] && r < t->nrows; r++) {
			const struct rn_table_cell *c = rn_fit_cell(t, r, i);

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
static bool one_day(struct rn_table_printer *t)
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
static bool says_nothing(const struct rn_table_printer *t, unsigned col)
{
	return !(t->base.cols[col].show & RN_SHOW_SUBJECT) && t->nrows > 1 && is_same(t, col) &&
	       is_cut(t, col) && rn_fit_cell(t, 0, col)->len;
}

/* Shorten rows that have a time. Other answers are short, or lists whose every column matters. */
static void shorten(struct rn_table_printer *t)
{
	unsigned room = t->base.term.width + 2, above = (unsigned)strlen("all rows: 2026-11-20");

	if (!t->base.term.width || rn_fit_line_width(t, t->width) <= room || !one_day(t))
		return;
	trim_times(t, 11, 0);
	for (unsigned i = 0; i < t->base.ncols && rn_fit_line_width(t, t->width) > room; i++) {
		unsigned more;

		if (!rn_fit_is_shown(t, i) || !says_nothing(t, i))
			continue;
		more = (unsigned)strlen(", ") + (unsigned)strlen(t->base.cols[i].label) + 1 +
		       rn_fit_cell(t, 0, i)->width;
		t->same[i] = above + more <= t->base.term.width;
		above += t->same[i] ? more : 0;
	}
	if (rn_fit_line_width(t, t->width) > room)
		trim_times(t, 0, 3);
}

/* The same for rows that come one by one: later rows may hold other values, and be of another
 * day. */
static void shorten_days(struct rn_table_printer *t)
{
	char before[sizeof(t->date)];

	memcpy(before, t->date, sizeof(before));
	t->days |= !t->header_done && t->base.term.width && !t->base.wraps &&
		   rn_fit_line_width(t, t->width) > t->base.term.width + 2;
	if (!t->days || !one_day(t))
		return;
	trim_times(t, 11, 0);
	if (strcmp(before, t->date))
		fprintf(t->base.to, "rows of %s:\n", t->date);
}

void rn_fit_shorten(struct rn_table_printer *table, bool whole)
{
	if (whole) {
		shorten(table);
		hide_blank(table);
	} else {
		shorten_days(table);
	}
}

void rn_fit_measure(struct rn_table_printer *table)
{
	for (size_t k = 0; k < (size_t)table->nrows * table->base.ncols; k++) {
		unsigned w = table->cells[k].width, *widest = &table->width[k % table->base.ncols];

		*widest = w > *widest ? w : *widest;
	}
}

void rn_fit_expect_more(struct rn_table_printer *table)
{
	for (unsigned i = 0; i < table->base.ncols; i++) {
		const struct rn_column *c = &table->base.cols[i];
		bool subject = c->show & RN_SHOW_SUBJECT; /* a path */
		unsigned room = c->ty.type == RN_T_STR ? (subject ? 32 : 15)
				: c->ty.unit == RN_U_NS || c->ty.unit == RN_U_BYTE ? 8
										   : 6;

		if (!rn_fit_is_hist(table, i) && room > table->width[i])
			table->width[i] = room;
	}
}

unsigned rn_fit_no_room(const struct rn_table_printer *table, char *line, size_t cap)
{
	unsigned n = 0;
	size_t at = 0;

	line[0] = 0;
	for (unsigned i = 0; i + table->shares < table->base.ncols && at < cap; i++)
		if (table->hidden[i] && !table->blank[i] && !rn_fit_is_extra(table, i))
			at += (size_t)snprintf(line + at, cap - at, "%s%s", n++ ? ", " : "",
					       table->base.cols[i].label);
	return n;
}
