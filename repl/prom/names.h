/* names.h - names of metrics and labels as Prometheus wants them: snake_case, base units, no
 * reserved word. */
#ifndef RN_REPL_PROM_NAMES_H
#define RN_REPL_PROM_NAMES_H
#include "lang/base/arena.h"
#include "lang/values/value.h"

/* Names a column of a view: "runnel_slow_reads_latency_seconds". taken: names in use
 * (NULL-terminated), which are not returned. */
const char *rn_prom_metric(struct rn_arena *arena, const char *view, const char *column,
			   struct rn_ty ty, const char *const *taken);
const char *rn_prom_label(struct rn_arena *arena, const char *column, const char *const *taken);
/* The factor from a number of this type to its base unit (seconds, bytes). */
double rn_prom_scale(struct rn_ty ty);
#endif
