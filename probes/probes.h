/* probes.h - the live kernel as a catalogue and a provider. */
#ifndef RN_PROBES_PROBES_H
#define RN_PROBES_PROBES_H
#include "planner/plan/source.h"

/* The catalogue: built-in classes (known on any machine, with or without the right to trace), and
 * this kernel's tracepoints read from tracefs on demand. aggs: NULL-terminated signatures. Free
 * with rn_probes_catalog_free. */
struct rn_catalog *rn_probes_catalog(const struct rn_agg_sig *const *aggs);
void rn_probes_catalog_free(struct rn_catalog *c);

/* The provider of live rows and partial states on this machine. Cheap: nothing is read before the
 * first open. */
struct rn_provider *rn_probes_provider(const char *node);
void rn_probes_provider_free(struct rn_provider *p);

/* What this kernel and this user can do, for `doctor`: tried, not guessed from versions. */
struct rn_check {
	const char *what;
	bool ok;
	const char *detail;
	const char *advice;
};
/* NULL-terminated by what == NULL, in the arena. */
struct rn_check *rn_probes_doctor(struct rn_arena *a);
/* 0 if programs can be loaded and attached here; else negative errno with a hint that names the
 * capability. */
int rn_probes_permitted(struct rn_err *err);
/* Has the kernel measure how long programs run, as long as the descriptor that is returned is open
 * (each run then takes some tens of nanoseconds more): what rn_source_ops.cost tells of them.
 * Negative errno: -EPERM without CAP_SYS_ADMIN. */
int rn_probes_measure(struct rn_err *err);
/* Opens what a process needs the right to mount for, if that is not mounted, and what it will not
 * have once it is confined: the tracing file system. A descriptor to be kept until the end, or
 * negative: there is nothing to keep. */
int rn_probes_hold(void);
#endif
