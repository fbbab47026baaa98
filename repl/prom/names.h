/* names.h - names of metrics and labels as Prometheus wants them: snake_case, base units, no
 * word that means something there. */
#ifndef RN_REPL_PROM_NAMES_H
#define RN_REPL_PROM_NAMES_H
#include "lang/base/arena.h"
#include "lang/values/value.h"

/* "runnel_slow_reads_latency_seconds" for a column of a view. taken: names that there are
 * (NULL-terminated), none of which it gives. */
const char *rn_prom_metric(struct rn_arena *a, const char *view, const char *column,
			   struct rn_ty ty, const char *const *taken);
const char *rn_prom_label(struct rn_arena *a, const char *column, const char *const *taken);
/* A number of a type in its base unit (seconds, bytes) is so many times its value here. */
double rn_prom_scale(struct rn_ty ty);
#endif
