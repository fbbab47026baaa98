/* bounds.h - where the buckets of a histogram end when it is served to Prometheus.
 *
 * Prometheus adds histograms bound by bound, so all series of a view have the same bounds, in all
 * scrapes. They follow from the type of the value alone, or from the parameters of lhist. They are
 * ends of buckets that the aggregate has, so that counts are exact. */
#ifndef RN_REPL_PROM_BOUNDS_H
#define RN_REPL_PROM_BOUNDS_H
#include <stdio.h>
#include "planner/plan/agg.h"

enum { RN_PROM_BOUNDS = 39 }; /* at most; the last, +Inf, comes on top */

/* ascending, in the unit of the value */
struct rn_prom_bounds {
	unsigned n;
	double at[RN_PROM_BOUNDS];
};

/* ty: of the column. call: the aggregate that it shows; NULL: not known, it is taken for hist(). */
void rn_prom_bounds(struct rn_ty ty, const struct rn_agg_call *call, struct rn_prom_bounds *out);
#endif
