/* bounds.h - where the buckets of a histogram end when it is served to Prometheus.
 *
 * Prometheus adds histograms bound by bound, so all series of a view have the same bounds in all
 * scrapes. The bounds depend only on the type of the value, or on the parameters of lhist. Each is
 * the end of a bucket of the aggregate, so counts are exact. */
#ifndef RN_REPL_PROM_BOUNDS_H
#define RN_REPL_PROM_BOUNDS_H
#include <stdio.h>
#include "planner/plan/agg.h"

enum { RN_PROM_BOUNDS = 39 }; /* at most; +Inf comes in addition */

/* ascending, in the unit of the value */
struct rn_prom_bounds {
	unsigned n;
	double at[RN_PROM_BOUNDS];
};

/* ty: the column's. call: the aggregate that the column shows; NULL: unknown, hist() is assumed. */
void rn_prom_bounds(struct rn_ty ty, const struct rn_agg_call *call, struct rn_prom_bounds *out);
#endif
