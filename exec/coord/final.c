/* final.c - the rows of a whole plan on their way out. Rows of a query that is asked again and
 * again get the window of this time. Rows of windows that were covered in part are marked. */
#include <string.h>
#include "exec/coord/final_impl.h"
#include "exec/groups/cover.h"

/* Gives how much of the window that starts at start_ns was covered. False: all of it, as far as is
 * known when the row is given. */
static bool is_partial(const struct rn_finisher *f, int64_t start_ns, struct rn_extent *covered)
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

int rn_finisher_begin(struct rn_finisher *final, const struct rn_answer_shape *result)
{
	struct rn_answer_shape own = {.ncols = result->ncols + 1}, marked = *result;

	marked.window = final->window;
	marked.window_ns = final->window_ns;
	final->prefix = final->opts->turn_ns &&
			!(result->ncols && !strcmp(result->cols[0].label, "window"));
	final->ncols = result->ncols;
	if (!final->prefix)
		return final->out->begin ? final->out->begin(final->out->self, &marked) : 0;
	final->row = RN_NEWN(final->arena, struct rn_value, own.ncols);
	own.cols = RN_NEWN(final->arena, struct rn_column, own.ncols);
	own.cols[0] = (struct rn_column){.label = "window", .ty = {RN_T_INT, RN_U_EPOCH}};
	memcpy(own.cols + 1, result->cols, result->ncols * sizeof(*own.cols));
	return final->out->begin ? final->out->begin(final->out->self, &own) : 0;
}

int rn_finisher_row(struct rn_finisher *final, const struct rn_value *value)
{
	struct rn_extent covered;

	if (!final->prefix) {
		if (final->out->partial && final->window_ns &&
		    value[final->window].kind == RN_INT &&
		    is_partial(final, value[final->window].i, &covered))
			final->out->partial(final->out->self, &covered);
		return final->out->row(final->out->self, value);
	}
	final->row[0] = rn_int(final->opts->turn_ns);
	memcpy(final->row + 1, value, final->ncols * sizeof(*value));
	return final->out->row(final->out->self, final->row);
}
