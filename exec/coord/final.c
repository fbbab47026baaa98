/* final.c - the rows of a whole plan on their way out. Rows of a query that is asked again and
 * again get the window of this time. Rows of windows that were covered in part are marked. */
#include <string.h>
#include "exec/coord/final_impl.h"
#include "exec/groups/cover.h"

/* Gives how much of the window that starts at start_ns was covered. False: all of it, as far as is
 * known when the row is given. */
static bool is_partial(const struct rn_final *f, int64_t start_ns, struct rn_extent *covered)
{
	const struct rn_ran *ran = f->span;
	struct rn_span_ns own = {ran->begin, ran->end       ? ran->end
					     : ran->planned ? ran->planned
							    : INT64_MAX};
	struct rn_cover live = {&own, 1};
	int64_t until;

	if (!f->window_ns || !(ran->begin || ran->cover) ||
	    __builtin_add_overflow(start_ns, f->window_ns, &until))
		return false;
	covered->ns = rn_cover_of(ran->cover ? ran->cover : &live, start_ns, until, &covered->hull);
	return covered->ns < f->window_ns;
}

int rn_final_begin(struct rn_final *f, const struct rn_result *r)
{
	struct rn_result own = {.ncols = r->ncols + 1}, marked = *r;

	marked.window = f->window;
	marked.window_ns = f->window_ns;
	f->prefix = f->o->turn_ns && !(r->ncols && !strcmp(r->cols[0].label, "window"));
	f->ncols = r->ncols;
	if (!f->prefix)
		return f->out->begin ? f->out->begin(f->out->self, &marked) : 0;
	f->row = RN_NEWN(f->a, struct rn_value, own.ncols);
	own.cols = RN_NEWN(f->a, struct rn_column, own.ncols);
	own.cols[0] = (struct rn_column){.label = "window", .ty = {RN_T_INT, RN_U_EPOCH}};
	memcpy(own.cols + 1, r->cols, r->ncols * sizeof(*own.cols));
	return f->out->begin ? f->out->begin(f->out->self, &own) : 0;
}

int rn_final_row(struct rn_final *f, const struct rn_value *v)
{
	struct rn_extent covered;

	if (!f->prefix) {
		if (f->out->partial && f->window_ns && v[f->window].kind == RN_INT &&
		    is_partial(f, v[f->window].i, &covered))
			f->out->partial(f->out->self, &covered);
		return f->out->row(f->out->self, v);
	}
	f->row[0] = rn_int(f->o->turn_ns);
	memcpy(f->row + 1, v, f->ncols * sizeof(*v));
	return f->out->row(f->out->self, f->row);
}
