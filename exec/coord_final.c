/* coord_final.c - the rows of a whole plan on their way out: those of a query that is asked again and again get the window of this time. */
#include <string.h>
#include "exec/coord_impl.h"

int rn_final_begin(struct rn_final *f, const struct rn_result *r)
{
	struct rn_result own = {.ncols = r->ncols + 1};

	f->prefix = f->o->turn_ns && !(r->ncols && !strcmp(r->cols[0].label, "window"));
	f->ncols = r->ncols;
	if (!f->prefix)
		return f->out->begin ? f->out->begin(f->out->self, r) : 0;
	f->row = RN_NEWN(f->a, struct rn_value, own.ncols);
	own.cols = RN_NEWN(f->a, struct rn_column, own.ncols);
	own.cols[0] = (struct rn_column){.label = "window", .ty = {RN_T_INT, RN_U_EPOCH}};
	memcpy(own.cols + 1, r->cols, r->ncols * sizeof(*own.cols));
	return f->out->begin ? f->out->begin(f->out->self, &own) : 0;
}

int rn_final_row(struct rn_final *f, const struct rn_value *v)
{
	if (!f->prefix)
		return f->out->row(f->out->self, v);
	f->row[0] = rn_int(f->o->turn_ns);
	memcpy(f->row + 1, v, f->ncols * sizeof(*v));
	return f->out->row(f->out->self, f->row);
}
