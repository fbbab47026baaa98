/* out_expanded.c - rows for people, turned: each row is a block of lines `column | value`. What the table shows in a cell stands
 * here whole; only what is wider than the terminal wraps. */
#include <stdlib.h>
#include <string.h>
#include "repl/output.h"

struct expanded {
	struct rn_printer base; /* must be first */
	unsigned label;         /* width of the longest one */
};

static int begin(void *self, const struct rn_result *r)
{
	struct expanded *x = self;
	rn_printer_columns(&x->base, r);
	x->label = 0;
	for (unsigned i = 0; i < x->base.ncols; i++) {
		unsigned w = rn_text_width(x->base.cols[i].label, strlen(x->base.cols[i].label));
		x->label = w > x->label ? w : x->label;
	}
	return 0;
}

static void put_value(struct rn_printer *p, unsigned col, const struct rn_value *v)
{
	struct rn_ty ty = p->cols[col].ty;
	if (rn_printer_shows_other(p, col, v)) {
		fputs("(other)", p->to);
		return;
	}
	if (v->kind == RN_NULL)
		return;
	bool as_is = v->kind == RN_STR && ty.type != RN_T_IP && ty.type != RN_T_BYTES && ty.type != RN_T_SKETCH;
	const char *raw = as_is ? v->s : rn_value_show(p->arena, ty, v);
	size_t n = as_is ? v->len : strlen(raw);
	char *buf = rn_arena_alloc(p->arena, 4 * n + 16);
	fwrite(buf, 1, rn_text_clean(buf, 4 * n + 16, raw, n), p->to);
}

static int row(void *self, const struct rn_value *v)
{
	struct expanded *x = self;
	struct rn_printer *p = &x->base;
	const char *bold = p->term.color ? "\033[1m" : "", *off = p->term.color ? "\033[0m" : "";
	fprintf(p->to, "%s-[ row %lld ]%s\n", bold, (long long)++p->rows, off);
	for (unsigned i = 0; i < p->ncols; i++) {
		const char *label = p->cols[i].label;
		unsigned pad = x->label - rn_text_width(label, strlen(label));
		if (p->cols[i].ty.type == RN_T_HIST && v[i].kind == RN_STR) {
			fprintf(p->to, "%s:\n", label);
			rn_hist_draw(p->to, p->arena, p->cols[i].ty, v[i].s, v[i].len, p->term.width, p->term.color);
			continue;
		}
		fprintf(p->to, "%s%*s |%s", label, (int)pad, "", v[i].kind == RN_NULL ? "" : " ");
		put_value(p, i, &v[i]);
		putc('\n', p->to);
	}
	p->other = false;
	rn_arena_reset(p->arena);
	return rn_printer_flush(p, false);
}

static int end(void *self)
{
	return rn_printer_flush(self, true);
}

struct rn_printer *rn_printer_expanded(FILE *to)
{
	struct expanded *x = calloc(1, sizeof *x);
	if (!x)
		abort();
	rn_printer_init(&x->base, to);
	x->base.out.begin = begin;
	x->base.out.row = row;
	x->base.out.end = end;
	return &x->base;
}
