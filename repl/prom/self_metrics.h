/* self_metrics.h - metrics that every view has: what runs, which window is served, what it misses.
 * And how a line of the format is written. */
#ifndef RN_REPL_PROM_SELF_METRICS_H
#define RN_REPL_PROM_SELF_METRICS_H
#include <stdio.h>
#include "exec/coord/coord.h"
#include "planner/plan/ledger.h"

/* nodes that have a series of their own: those that are missing come first */
enum { RN_PROM_OWN = 10, RN_PROM_NODES = 1000 };
extern const char *const rn_prom_own_names[RN_PROM_OWN];

/* "# HELP NAME DOC", "# TYPE NAME TYPE" */
void rn_prom_head(FILE *f, const char *name, const char *type, const char *doc);
/* In double quotes; what is no UTF-8 becomes U+FFFD, as in JSON. */
void rn_prom_quoted(FILE *f, const char *s, size_t n);

void rn_prom_own_build(FILE *f, const char *view);
/* over, doubles: series that are not served, as there are too many, or one with the same labels. */
void rn_prom_own_window(FILE *f, int64_t window_ns, int64_t every_ns, int64_t rows, int64_t over,
			int64_t doubles);
void rn_prom_own_nodes(FILE *f, const struct rn_window_end *w);
void rn_prom_own_ledger(FILE *f, const struct rn_ledger *sum);
#endif
