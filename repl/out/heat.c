/* heat.c - the table with each histogram as a line of cells, a heat map: a row for each window or
 * group, a column for each bucket, a shade for each count.
 *
 *	shades by count: . 1  : 3  - 10  = 30  + 100  * 300  # 1,000  % 3,000  @ 10,000+
 *	window               hist(latency)
 *	                     512 ns   4.10 us
 *	2026-11-20 10:00:00  ::==++--....
 *
 * Rows come as windows end, and later ones may have other buckets. Then the axis grows, and is
 * printed again; it never shrinks. A shade means the same count in each row. If there are more
 * buckets than columns, neighbours share a cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/vec.h"
#include "lang/values/hist.h"
#include "repl/out/shades.h"
#include "repl/out/table_impl.h"

enum { NO_WIDTH = 120 /* of a file */, LEAST = 16, FILL_MOST = 4096 };

struct rn_heat_axis {
	struct rn_bucket *seen; /* of all rows so far, ascending */
	unsigned nseen, cap_seen;
	struct rn_bucket *bucket; /* the same without gaps: the axis */
	unsigned n, cap;
	unsigned each, group; /* columns of a cell; buckets in one */
	unsigned width;       /* of all cells, or of the label */
	char *ticks;          /* the line of bounds; on the heap */
};

/* ---- the axis ---- */

/* Finds the place at which the bucket stands among those seen, or has to stand. */
static unsigned place_of(const struct rn_bucket *all, unsigned n, double low)
{
	unsigned from = 0;

	while (from < n) {
		unsigned middle = from + (n - from) / 2;

		if (all[middle].low < low)
			from = middle + 1;
		else
			n = middle;
	}
	return from;
}

static bool see(struct rn_heat_axis *x, const struct rn_bucket *b)
{
	unsigned at = place_of(x->seen, x->nseen, b->low);

	if (at < x->nseen && x->seen[at].low <= b->low)
		return false;
	rn_vec_room(x->seen, x->nseen, x->cap_seen);
	memmove(x->seen + at + 1, x->seen + at, (x->nseen - at) * sizeof(*b));
	x->seen[at] = *b;
	x->nseen++;
	return true;
}

/* Are they powers of two, as those of hist(x)? Else they are the steps of lhist(x). */
static bool doubles(const struct rn_heat_axis *x)
{
	bool all = true;

	for (unsigned i = 0; i < x->nseen; i++) {
		const struct rn_bucket *b = &x->seen[i];

		all &= isinf(b->low) || isinf(b->high) || b->low <= 0 || b->high == 2 * b->low;
	}
	return all;
}

static void add(struct rn_heat_axis *x, const struct rn_bucket *b)
{
	rn_vec_room(x->bucket, x->n, x->cap);
	x->bucket[x->n++] = *b;
}

/* Adds what no row has had between two buckets, if that is not too much. */
static void fill(struct rn_heat_axis *x, const struct rn_bucket *a, const struct rn_bucket *b,
		 bool doubling)
{
	double step = isinf(b->high) ? a->high - a->low : b->high - b->low, low = b->low;
	unsigned n = 0;
	double lows[64];

	if (doubling) {
		double least = b->fraction ? 0x1p-20 : 1;

		for (; n < 64 && low > a->high; n++)
			lows[n] = low = low > least ? low / 2 : 0;
		for (; n; n--)
			add(x, &(struct rn_bucket){.low = lows[n - 1],
						   .ilow = (int64_t)lows[n - 1],
						   .fraction = b->fraction});
		return;
	}
	if (!(step > 0) || isinf(step) || (low - a->high) / step > FILL_MOST)
		return;
	n = (unsigned)((low - a->high) / step + 0.5);
	for (unsigned i = 0; i < n; i++) {
		low = a->high + i * step;
		add(x,
		    &(struct rn_bucket){.low = low, .ilow = (int64_t)low, .fraction = b->fraction});
	}
}

static void make_axis(struct rn_heat_axis *x)
{
	bool doubling = doubles(x);

	x->n = 0;
	for (unsigned i = 0; i < x->nseen; i++) {
		if (i && x->seen[i - 1].high < x->seen[i].low)
			fill(x, &x->seen[i - 1], &x->seen[i], doubling);
		add(x, &x->seen[i]);
	}
}

/* A bound above the first cell of its bucket, as far as there is room. Returns whether the line has
 * changed. */
static bool make_ticks(struct rn_table_printer *t, unsigned col, unsigned room)
{
	struct rn_ty ty = {.unit = t->base.cols[col].ty.unit};
	struct rn_heat_axis *x = &t->axes[col];
	unsigned at = 0;
	struct rn_strbuf line;

	rn_strbuf_init(&line, t->base.arena);
	for (unsigned i = 0; i < x->n; i += x->group) {
		const struct rn_bucket *b = &x->bucket[i];
		struct rn_value low = b->fraction ? rn_float(b->low) : rn_int(b->ilow);
		unsigned cell = i / x->group * x->each, wide;
		const char *text;

		ty.type = b->fraction ? RN_T_FLOAT : RN_T_INT;
		text = isinf(b->low) ? "..." : rn_value_show(t->base.arena, ty, &low);
		wide = rn_utf8_width(text, strlen(text));
		if (cell < at || (cell && cell + wide > room))
			continue;
		rn_strbuf_pad(&line, ' ', cell - (at ? at - 1 : 0));
		rn_strbuf_put(&line, text);
		at = cell + wide + 1;
	}
	x->width = at > x->width + 1 ? at - 1 : x->width;
	if (x->ticks && !strcmp(x->ticks, rn_strbuf_cstr(&line)))
		return false;
	free(x->ticks);
	x->ticks = rn_strdup(rn_strbuf_cstr(&line));
	return true;
}

/* ---- cells ---- */

static void pack_cell(struct rn_table_printer *t, unsigned col, struct rn_table_cell *c)
{
	const struct rn_value hist = rn_strn(c->text, c->len);
	const struct rn_heat_axis *x = &t->axes[col];
	unsigned n = rn_hist_count(&hist), cells = (x->n + x->group - 1) / x->group, last = 0;
	int64_t *counts = RN_NEWN(t->base.arena, int64_t, cells + 1);
	struct rn_strbuf line;

	memset(counts, 0, (cells + 1) * sizeof(*counts));
	for (unsigned i = 0; i < n; i++) {
		struct rn_bucket b = rn_hist_bucket(&hist, i);
		unsigned cell = place_of(x->bucket, x->n, b.low) / x->group;

		counts[cell] += b.count;
		last = b.count && cell >= last ? cell + 1 : last;
	}
	rn_strbuf_init(&line, t->base.arena);
	for (unsigned i = 0; i < last; i++)
		rn_shade_put(&line, &t->base.term, rn_shade_of(counts[i]), x->each);
	c->text = rn_strbuf_cstr(&line);
	c->len = line.len;
	c->width = last * x->each;
}

/* The columns that are left for each histogram. */
static unsigned room_of(const struct rn_table_printer *t)
{
	unsigned room = t->base.term.width ? t->base.term.width : NO_WIDTH, hists = 0, others = 0;

	for (unsigned i = 0; i < t->base.ncols; i++) {
		bool is = t->base.cols[i].ty.type == RN_T_HIST;

		hists += is;
		others += !is && !t->hidden[i] ? t->width[i] + 2 : 0;
	}
	room = room + 2 > others + 2 * hists ? room + 2 - others - 2 * hists : 0;
	room /= hists ? hists : 1;
	return room > LEAST ? room : LEAST;
}

static void pack_column(struct rn_table_printer *t, unsigned col, unsigned room)
{
	struct rn_heat_axis *x = &t->axes[col];
	unsigned each = x->each, group = x->group, label;
	bool more = false, moved;

	for (unsigned r = 0; r < t->nrows; r++) {
		const struct rn_table_cell *c = rn_fit_cell(t, r, col);
		const struct rn_value hist = rn_strn(c->text, c->len);

		for (unsigned i = 0; i < rn_hist_count(&hist); i++) {
			struct rn_bucket b = rn_hist_bucket(&hist, i);

			more |= see(x, &b);
		}
	}
	if (more)
		make_axis(x);
	x->each = 2 * x->n <= room ? 2 : 1;
	x->group = x->n > room ? (x->n + room - 1) / room : 1;
	label = rn_utf8_width(t->base.cols[col].label, strlen(t->base.cols[col].label));
	x->width = (x->n + x->group - 1) / x->group * x->each;
	x->width = label > x->width && label <= room ? label : x->width;
	moved = make_ticks(t, col, room) || each != x->each || group != x->group;
	/* the header is printed again, unless it still says what is below it */
	if (moved)
		t->header[col] = 0;
	else if (col + 1 == t->base.ncols)
		t->header[col] = x->width;
	for (unsigned r = 0; r < t->nrows; r++)
		pack_cell(t, col, rn_fit_cell(t, r, col));
	t->width[col] = x->width;
}

void rn_heat_pack(struct rn_table_printer *table)
{
	unsigned room = room_of(table);

	for (unsigned i = 0; table->packs && i < table->base.ncols; i++)
		if (table->base.cols[i].ty.type == RN_T_HIST)
			pack_column(table, i, room);
}

const char *rn_heat_ticks(const struct rn_table_printer *table, unsigned col)
{
	const char *ticks = table->axes[col].ticks;

	return ticks ? ticks : "";
}

void rn_heat_legend(struct rn_table_printer *table)
{
	struct rn_strbuf line;
	char count[32];

	rn_strbuf_init(&line, table->base.arena);
	rn_strbuf_put(&line, "shades by count:");
	for (unsigned i = 1; i < RN_SHADES; i++) {
		rn_strbuf_put(&line, i > 1 ? "  " : " ");
		rn_shade_put(&line, &table->base.term, i, 1);
		rn_strbuf_printf(&line, " %s", rn_text_commas(count, rn_shade_least(i)));
	}
	rn_strbuf_put(&line, "+");
	rn_text_wrap(table->base.to, rn_strbuf_cstr(&line), table->base.term.width, 2);
}

void rn_heat_begin(struct rn_table_printer *table)
{
	rn_heat_end(table);
	table->axes = rn_calloc(table->base.ncols + 1, sizeof(*table->axes));
	table->naxes = table->base.ncols;
	table->packs = false;
	for (unsigned i = 0; i < table->base.ncols; i++)
		table->packs |= table->heat && table->base.cols[i].ty.type == RN_T_HIST;
}

void rn_heat_end(struct rn_table_printer *table)
{
	for (unsigned i = 0; i < table->naxes; i++) {
		free(table->axes[i].seen);
		free(table->axes[i].bucket);
		free(table->axes[i].ticks);
	}
	free(table->axes);
	table->axes = NULL;
	table->naxes = 0;
}

struct rn_printer *rn_printer_heat(FILE *to)
{
	struct rn_printer *p = rn_printer_table(to);

	((struct rn_table_printer *)p)->heat = true;
	p->out.snapshot = NULL; /* one row below the other: that is the map */
	return p;
}
