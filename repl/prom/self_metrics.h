/* self_metrics.h - metrics that every view has: what runs, which window is served, what it misses.
 * Also writes single lines of the format. */
#ifndef RN_REPL_PROM_SELF_METRICS_H
#define RN_REPL_PROM_SELF_METRICS_H
#include <stdio.h>
#include "exec/coord/coord.h"
#include "planner/plan/ledger.h"

/* RN_PROM_NODES: nodes that have a series of their own; missing ones come first */
enum { RN_PROM_OWN = 10, RN_PROM_NODES = 1000 };
extern const char *const rn_prom_own_names[RN_PROM_OWN];

/* "# HELP NAME DOC", "# TYPE NAME TYPE" */
void rn_prom_head(FILE *f, const char *name, const char *type, const char *doc);
/* Writes s in double quotes; bytes that are not UTF-8 become U+FFFD, as in JSON. */
void rn_prom_quoted(FILE *f, const char *s, size_t n);

void rn_prom_own_build(FILE *f, const char *view);
/* over, doubles: series not served because there are too many, or because another has the same
 * labels. */
void rn_prom_own_window(FILE *f, int64_t window_ns, int64_t every_ns, int64_t rows, int64_t over,
			int64_t doubles);
void rn_prom_own_nodes(FILE *f, const struct rn_window_end *end);
void rn_prom_own_ledger(FILE *f, const struct rn_ledger *sum);
#endif
