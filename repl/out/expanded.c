/* expanded.c - rows for people, turned: each row is a block of lines `column | value`. Values are
 * whole, not cut as in the table; text wider than the terminal wraps. A snapshot is drawn over the
 * one before it: its lines are cut, and lines that do not fit the screen are counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/out/output.h"
#include "repl/out/words.h"
#include "repl/terminal/signals.h"

struct expanded {
	struct rn_printer base; /* must be first */
	unsigned label;         /* width of the longest one */
	FILE *snapshot;         /* NULL: the rows are of no snapshot */
	char *text;
	size_t len;            /* of it */
	int64_t nth;           /* row of it */
	unsigned drawn, width; /* lines of the last one on the screen; how wide that was */
	unsigned resumes;      /* rn_signals_resumes, as of then */
};

static int begin(void *self, const struct rn_answer_shape *r)
{
	struct expanded *x = self;

	x->base.clean = true;
	rn_printer_columns(&x->base, r);
	x->label = 0;
	for (unsigned i = 0; i < x->base.ncols; i++) {
		unsigned w = rn_utf8_width(x->base.cols[i].label, strlen(x->base.cols[i].label));

		x->label = w > x->label ? w : x->label;
	}
	return 0;
}

static void put_value(struct rn_printer *printer, FILE *to, unsigned col,
		      const struct rn_value *row)
{
	const struct rn_value *value = &row[col];
	struct rn_ty ty = printer->cols[col].ty;
	bool as_is;
	const char *raw, *words;
	size_t n, len;
	char *buf, mark[RN_PARTIAL_BYTES];

	if (rn_printer_shows_other(printer, col, value)) {
		fputs("(other)", to);
		return;
	}
	if (value->kind == RN_NULL)
		return;
	words = rn_words_of(printer, col, row);
	as_is = !words && value->kind == RN_STR && ty.type != RN_T_IP && ty.type != RN_T_BYTES &&
		ty.type != RN_T_SKETCH;
	raw = words ? words : as_is ? value->s : rn_printer_show(printer->arena, ty, value);
	n = as_is ? value->len : strlen(raw);
	buf = rn_arena_alloc(printer->arena, 4 * n + 20);
	len = rn_text_clean(buf, 4 * n + 20, raw, n);
	if (as_is && rn_printer_reads_other(printer, value->s, value->len))
		fputs(RN_OTHER_VALUE, to);
	else
		fwrite(buf, 1, len, to);
	fputs(rn_printer_mark(printer, col, mark), to);
}

static void put_row(struct expanded *x, FILE *to, int64_t nth, bool color,
		    const struct rn_value *value)
{
	struct rn_printer *p = &x->base;
	const struct rn_terminal plain = {.width = p->term.width};

	fprintf(to, "%s-[ row %lld ]%s\n", color ? "\033[1m" : "", (long long)nth,
		color ? "\033[0m" : "");
	for (unsigned i = 0; i < p->ncols; i++) {
		const char *label = p->cols[i].label;
		unsigned pad = x->label - rn_utf8_width(label, strlen(label));

		if (p->cols[i].ty.type == RN_T_HIST && value[i].kind == RN_STR) {
			fprintf(to, "%s:\n", label);
			rn_hist_draw(to, p->arena, p->cols[i].ty, &value[i],
				     color ? &p->term : &plain);
			continue;
		}
		fprintf(to, "%s%*s |%s", label, (int)pad, "", value[i].kind == RN_NULL ? "" : " ");
		put_value(p, to, i, value);
		putc('\n', to);
	}
	p->other = p->partial = false;
	rn_arena_reset(p->arena);
}

/* ---- in place ---- */

static void erase(struct expanded *x)
{
	if (x->drawn)
		fprintf(x->base.to, "\033[%uA\r\033[J", x->drawn);
	x->drawn = 0;
}

/* Query the terminal again. Leave the last snapshot if the window is narrower now, or if something
 * else may stand in its place. */
static void look_again(struct expanded *x)
{
	unsigned now = rn_signals_resumes();

	rn_terminal_query(&x->base.term, x->base.to);
	if ((x->base.term.width && x->base.term.width < x->width) || now != x->resumes)
		x->drawn = 0;
	x->resumes = now;
	x->width = x->base.term.width;
}

static void put_line(struct expanded *x, const char *s, size_t n)
{
	const struct rn_terminal *t = &x->base.term;
	bool head = n > 3 && !memcmp(s, "-[ ", 3);
	char *buf = rn_arena_alloc(x->base.arena, n + 8);

	if (t->width && rn_utf8_width(s, n) > t->width) {
		n = rn_text_cut(buf, s, n, t->width);
		s = buf;
	}
	fputs(head && t->color ? "\033[1m" : "", x->base.to);
	fwrite(s, 1, n, x->base.to);
	fputs(head && t->color ? "\033[0m\n" : "\n", x->base.to);
	x->drawn++;
}

/* Draw as many lines as the screen holds over the last ones. */
static void draw(struct expanded *x)
{
	struct rn_printer *p = &x->base;
	const char *s = x->text, *end = x->text + x->len;
	unsigned left = 0;
	unsigned limit;

	look_again(x);
	erase(x);
	limit = (p->term.height > 5 ? p->term.height - 2 : 20) - (p->note[0] != 0);
	for (; s < end; s += strcspn(s, "\n") + 1) {
		if (x->drawn + 1 < limit)
			put_line(x, s, strcspn(s, "\n"));
		else
			left++;
	}
	if (left)
		x->drawn += fprintf(p->to, "... %u more line%s\n", left, left == 1 ? "" : "s") > 0;
	if (p->note[0])
		x->drawn += fprintf(p->to, "%.*s\n", p->term.width ? (int)p->term.width - 1 : 79,
				    p->note) > 0;
	rn_arena_reset(p->arena);
	fflush(p->to);
}

static int snapshot(void *self, bool starts)
{
	struct expanded *x = self;

	if (starts) {
		x->nth = 0;
		x->snapshot = open_memstream(&x->text, &x->len);
		return x->snapshot ? 0 : -ENOMEM;
	}
	(void)fclose(x->snapshot);
	x->snapshot = NULL;
	draw(x);
	free(x->text);
	x->text = NULL;
	return 0;
}

/* ---- rows ---- */

static int row(void *self, const struct rn_value *v)
{
	struct expanded *x = self;
	struct rn_printer *p = &x->base;

	if (x->snapshot) {
		put_row(x, x->snapshot, ++x->nth, false, v);
		return 0;
	}
	erase(x);
	put_row(x, p->to, ++p->rows, p->term.color, v);
	return rn_printer_flush(p, false);
}

static int end(void *self)
{
	struct expanded *x = self;

	if (x->drawn)
		look_again(x);
	erase(x);
	return rn_printer_flush(&x->base, true);
}

static void destroy(struct rn_printer *p)
{
	struct expanded *x = (struct expanded *)p;

	if (x->snapshot) /* the query failed amid a snapshot */
		(void)fclose(x->snapshot);
	free(x->text);
}

struct rn_printer *rn_printer_expanded(FILE *to)
{
	struct expanded *x = rn_calloc(1, sizeof(*x));

	rn_printer_init(&x->base, to);
	x->base.counts = true;
	x->base.out.begin = begin;
	x->base.out.row = row;
	x->base.out.end = end;
	x->base.out.snapshot = x->base.term.inplace ? snapshot : NULL;
	x->base.destroy = destroy;
	x->resumes = rn_signals_resumes();
	return &x->base;
}
