/* exposition.h - the latest window of a view in the text format of Prometheus: each number is a
 * gauge, each histogram a histogram, both of that window alone; keys are labels. One thread; the
 * text that is asked for is a copy. */
#ifndef RN_REPL_PROM_EXPOSITION_H
#define RN_REPL_PROM_EXPOSITION_H
#include <stdio.h>
#include "exec/coord/coord.h"

/* of a window: what is beyond is counted */
enum { RN_PROM_SERIES = 10000, RN_PROM_BYTES = 16 << 20 };

struct rn_prom;
/* doc: the view's, NULL: none. Both are copied. */
struct rn_prom *rn_prom_create(const char *view, const char *doc);
void rn_prom_destroy(struct rn_prom *p);
/* What is run; before the first row. */
void rn_prom_plan(struct rn_prom *p, const struct rn_plan *plan, int64_t every_ns);
/* Where its rows go. */
const struct rn_output *rn_prom_output(struct rn_prom *p);
/* Windows have been given. *text: what is to be served from now on, malloc'd. */
int rn_prom_window(struct rn_prom *p, const struct rn_window_end *w, char **text, size_t *len);
/* Names of columns that cannot be served, as "`a`, `b`"; NULL: none. After the first row, or
 * window. */
const char *rn_prom_left_out(const struct rn_prom *p);
#endif
