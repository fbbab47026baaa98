/* coord_windows.c - a query that is kept running: what stands around a windowed query is run anew over each of its windows, so that
 * orders, limits, and aggregates of aggregates hold within a window. What it needs for one is forgotten with it. */
#include <errno.h>
#include <string.h>
#include "exec/coord_impl.h"

enum { WINDOW_ARENA = 64 << 20 };

struct windows {
	struct rn_plan *p;           /* the outer one */
	const struct rn_run_opts *o;
	const struct rn_answer_to *to;
	struct rn_arena *a;
	struct rn_err *err;
	struct rn_table *rows;       /* of the window that is being given; NULL: none has begun */
	int64_t window_ns;
	unsigned ncols;
	int64_t overflow;            /* results of more than 64 bits, in all windows */
};

static int begin(void *self, const struct rn_result *r)
{
	struct windows *w = self;
	struct rn_result own = {.cols = w->p->out, .ncols = w->p->nout - w->p->nhidden};

	(void)r;
	return w->to->begin ? w->to->begin(w->to->self, &own) : 0;
}

static int outer_row(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct windows *w = self;

	(void)time_ns;
	return w->to->row(w->to->self, v, w->window_ns);
}

static void outer_other(void *self, int column)
{
	struct windows *w = self;

	w->to->other(w->to->self, column);
}

/* The outer query over the window that was given. */
static int finish(struct windows *w)
{
	struct rn_answer_to to = {.self = w, .row = outer_row, .other = w->to->other ? outer_other : NULL};
	struct rn_provider provider;
	struct rn_node node = {.name = "coordinator", .provider = &provider};
	struct rn_span_ns span = {0};
	struct rn_ledgers unused = {0};
	struct rn_arena *a;
	int r;

	if (!w->rows)
		return 0;
	a = rn_arena_create(WINDOW_ARENA);
	provider = rn_table_provider(w->rows);
	rn_table_close(w->rows);
	r = rn_coord_leaf(a, w->p, w->o, &node, 1, false, &to, &unused, &span, w->err);
	for (unsigned i = 0; i < unused.n; i++)
		w->overflow += unused.l[i].n[RN_L_OVERFLOW];
	rn_arena_destroy(a);
	rn_table_destroy(w->rows);
	w->rows = NULL;
	return r;
}

static int row(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct windows *w = self;
	struct rn_answer_to to;
	int r = w->rows && time_ns != w->window_ns ? finish(w) : 0;

	if (r)
		return r;
	if (!w->rows)
		w->rows = rn_table_create(w->ncols);
	w->window_ns = time_ns;
	to = rn_table_to(w->rows);
	return to.row(to.self, v, time_ns);
}

static int flush(void *self, int64_t mark_ns)
{
	struct windows *w = self;
	int r = finish(w);

	return !r && w->to->flush ? w->to->flush(w->to->self, mark_ns) : r;
}

int rn_coord_windows(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o, const struct rn_answer_to *to,
		     struct rn_ledgers *l, struct rn_span_ns *span, struct rn_err *err)
{
	struct windows w = {.p = p, .o = o, .to = to, .a = a, .err = err,
			    .ncols = p->child->nout - p->child->nhidden + rn_plan_has_window(p->child)};
	struct rn_answer_to child = {.self = &w, .begin = begin, .row = row, .flush = flush};
	int r = rn_coord_execute(a, p->child, o, &child, l, span, err);

	if (!r)
		r = finish(&w);
	if (l->n)
		l->l[0].n[RN_L_OVERFLOW] += w.overflow;
	rn_table_destroy(w.rows);
	if (!r && to->end)
		r = to->end(to->self);
	return r;
}

/* ---- the final rows --------------------------------------------------------------------------------------------------------- */

int rn_final_begin(struct rn_final *f, const struct rn_result *r)
{
	struct rn_result own = {.ncols = r->ncols + 1};

	f->prefix = (f->o->windows || f->o->turn_ns) && !(r->ncols && !strcmp(r->cols[0].label, "window"));
	f->ncols = r->ncols;
	if (!f->prefix)
		return f->out->begin ? f->out->begin(f->out->self, r) : 0;
	f->row = RN_NEWN(f->a, struct rn_value, own.ncols);
	own.cols = RN_NEWN(f->a, struct rn_column, own.ncols);
	own.cols[0] = (struct rn_column){.label = "window", .ty = {RN_T_INT, RN_U_EPOCH}};
	memcpy(own.cols + 1, r->cols, r->ncols * sizeof(*own.cols));
	return f->out->begin ? f->out->begin(f->out->self, &own) : 0;
}

int rn_final_row(struct rn_final *f, const struct rn_value *v, int64_t time_ns)
{
	if (!f->prefix)
		return f->out->row(f->out->self, v);
	f->row[0] = rn_int(f->o->turn_ns ? f->o->turn_ns : time_ns);
	memcpy(f->row + 1, v, f->ncols * sizeof(*v));
	return f->out->row(f->out->self, f->row);
}
