/* bounds.c - see bounds.h. */
#include <math.h>
#include "repl/prom/bounds.h"

/* Powers of two: hist() has a bucket between each two of them. Durations are in ns, from 1.024 us
 * to 137 s. */
static void of_type(enum rn_unit unit, struct rn_prom_bounds *out)
{
	int first = 0, last = RN_PROM_BOUNDS - 1;

	if (unit == RN_U_NS) {
		first = 10;
		last = 37;
	} else if (unit == RN_U_BYTE || unit == RN_U_BYTE_PER_S) {
		last = 34; /* 16 GiB */
	}
	for (int i = first; i <= last; i++)
		out->at[out->n++] = ldexp(1, i);
}

/* The bounds of lhist(x, lo, hi, step): each one; or if there are too many, each second, third and
 * so on, and the last. */
static void of_steps(const struct rn_agg_call *c, struct rn_prom_bounds *out)
{
	double lo = c->param[0], hi = c->param[1], step = c->param[2];
	double steps, each;

	if (!c->fixed) { /* as rn_agg_step_of does */
		lo = rint(lo);
		hi = rint(hi);
		step = rint(step) < 1 ? 1 : rint(step);
	}
	steps = ceil((hi - lo) / step);
	each = fmax(1, ceil(steps / (RN_PROM_BOUNDS - 1)));
	for (unsigned i = 0; out->n < RN_PROM_BOUNDS - 1 && i * each < steps; i++)
		out->at[out->n++] = lo + i * each * step;
	out->at[out->n++] = hi;
}

void rn_prom_bounds(struct rn_ty ty, const struct rn_agg_call *call, struct rn_prom_bounds *out)
{
	*out = (struct rn_prom_bounds){0};
	if (call && call->def->cell == RN_CELL_LINEAR)
		of_steps(call, out);
	else
		of_type(ty.unit, out);
}
