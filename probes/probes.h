/* probes.h - the live kernel as a catalogue and a provider. */
#ifndef RN_PROBES_PROBES_H
#define RN_PROBES_PROBES_H
#include "planner/plan/source.h"

/* ---- probes/catalog/catalog.c ---- */

/* Returns the catalogue: built-in classes (known on any machine, with or without the right to
 * trace), and this kernel's tracepoints, read from tracefs on demand. aggs: NULL-terminated
 * signatures. Free with rn_probes_catalog_free. */
struct rn_catalog *rn_probes_catalog(const struct rn_agg_sig *const *aggs);
void rn_probes_catalog_free(struct rn_catalog *catalog);

/* ---- probes/live/search.c ---- */

/* What queries of several providers and threads share: programs that the kernel runs for all of
 * them. Thread-safe. It outlives the providers that have it. */
struct rn_shared;
struct rn_shared *rn_shared_create(void);
void rn_shared_destroy(struct rn_shared *shared); /* NULL is allowed */

/* ---- provider.c ---- */

/* Returns the provider of live rows and partial states on this machine. Cheap: reads nothing before
 * the first open. shared: with other providers; NULL: its queries share nothing. */
struct rn_provider *rn_probes_provider(const char *node, struct rn_shared *shared);
void rn_probes_provider_free(struct rn_provider *provider);

/* An ability of this kernel and this user, for `doctor`: tried, not guessed from versions. */
struct rn_check {
	const char *what;
	bool ok;
	const char *detail;
	const char *advice;
	bool optional; /* every query can do without it */
};

/* ---- doctor.c ---- */

/* Returns checks in the arena; the last has what == NULL. */
struct rn_check *rn_probes_doctor(struct rn_arena *arena);

/* ---- functions.c ---- */

/* A function that can be probed. */
struct rn_named_function {
	const char *file;   /* path of a program or library; `kernel`, or the name of a module */
	const char *name;   /* as its author wrote it */
	const char *symbol; /* as the file has it */
	/* of all that are given: */
	unsigned files;    /* how many files have them */
	unsigned left_out; /* how many have a name that matches, and cannot be probed */
};
typedef void rn_named_function_found(void *self, const struct rn_named_function *function);
/* Calls found for each function that the argument of a class of functions (user, usdt, kernel)
 * names, in the order of files and names: those that a query would probe. 0, or negative errno with
 * err; -ENOENT: there is none, and err names what is there instead. */
int rn_probes_functions(const char *class_name, const char *arg, rn_named_function_found *found,
			void *self, struct rn_err *err);

/* ---- function_names.c ---- */

/* For a prompt: what such an argument can be. Reads the names of a file once. One thread. */
struct rn_function_names;
struct rn_function_names *rn_function_names_create(void);
void rn_function_names_destroy(struct rn_function_names *names); /* NULL is allowed */
/* Calls offer for texts that begin with typed: "libc:", "libc:malloc". It does not go through
 * folders. Returns NULL, or why nothing can be offered; the text lives until the next call. */
typedef void rn_function_offer(void *self, const char *text);
const char *rn_function_names_offer(struct rn_function_names *names, const char *class_name,
				    const char *typed, rn_function_offer *offer, void *self);

/* ---- probes/kernel/trial.c ---- */

/* Returns 0 if programs can be loaded and attached here; else negative errno with a hint that names
 * the capability. */
int rn_probes_permitted(struct rn_err *err);

/* ---- probes/live/resource_use.c ---- */

/* Makes the kernel measure how long programs run, while the returned descriptor is open;
 * rn_source_ops.cost reports it. Each run then takes some tens of nanoseconds more. Negative errno:
 * -EPERM without CAP_SYS_ADMIN. */
int rn_probes_measure(struct rn_err *err);

/* ---- probes/catalog/tracefs.c ---- */

/* Opens the tracing file system, if it is not mounted, while the process still may: mounting takes
 * a right that a confined process lacks. Returns a descriptor to keep until the end, or a negative
 * number: there is nothing to keep. */
int rn_probes_hold(void);
#endif
