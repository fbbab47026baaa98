/* exposition.h - the latest window of a view in the text format of Prometheus: A number is a gauge,
 * a histogram is a histogram, both of that window alone; keys are labels. For one thread. The
 * caller owns the text it asks for. */
#ifndef RN_REPL_PROM_EXPOSITION_H
#define RN_REPL_PROM_EXPOSITION_H
#include <stdio.h>
#include "exec/coord/coord.h"

/* of a window; what exceeds this is counted */
enum { RN_PROM_SERIES = 10000, RN_PROM_BYTES = 16 << 20 };

struct rn_prom;
/* doc: the view's documentation; NULL: none. Both are copied. */
struct rn_prom *rn_prom_create(const char *view, const char *doc);
void rn_prom_destroy(struct rn_prom *prom);
/* The plan that runs; before the first row. */
void rn_prom_plan(struct rn_prom *prom, const struct rn_plan *plan, int64_t every_ns);
/* Takes the view's rows. */
const struct rn_output *rn_prom_output(struct rn_prom *prom);
/* All rows of a window have come. *text: the text to serve from now on, malloc'd; the caller frees
 * it. */
int rn_prom_window(struct rn_prom *prom, const struct rn_window_end *end, char **text, size_t *len);
/* The names of columns that cannot be served, as "`a`, `b`"; NULL: none. Known after the first row
 * or window. */
const char *rn_prom_left_out(const struct rn_prom *prom);
#endif
