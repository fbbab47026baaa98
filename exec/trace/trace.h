/* trace.h - recordings: which there are, rows read from one as from a live node, and writing one.
 *
 * docs/trace-format.md describes the file. A recording is hostile input: it is checked before it is
 * read. */
#ifndef RN_EXEC_TRACE_TRACE_H
#define RN_EXEC_TRACE_TRACE_H
#include "lang/catalog/catalog.h"
#include "planner/plan/source.h"

/* The catalogues of the recordings that a text reads: rn_trace_catalog fits rn_names.trace, with
 * these as its self. What it gives lives until rn_trace_catalogs_free. One thread at a time. */
struct rn_trace_catalogs;

/* ---- catalog.c ---- */

struct rn_trace_catalogs *rn_trace_catalogs_create(void);
void rn_trace_catalogs_free(struct rn_trace_catalogs *all); /* NULL is allowed */
/* Is the file at path one of these recordings, whatever it is called here? all: may be NULL. */
bool rn_trace_catalogs_have(const struct rn_trace_catalogs *all, const char *path);
const struct rn_catalog *rn_trace_catalog(void *self, const char *path,
					  const struct rn_catalog *base, char *why,
					  size_t why_bytes);

/* ---- read.c ---- */

/* A provider over the rows of some nodes of a trace (names joined by ","; NULL: all nodes). stop
 * becomes nonzero: it has no more rows; NULL: that never happens. It outlives the provider. */
int rn_trace_provider(const char *path, const char *node, const volatile int *stop,
		      struct rn_provider *out, struct rn_err *err);
void rn_trace_provider_free(struct rn_provider *provider);
const char *const *rn_trace_nodes(struct rn_arena *arena, const char *path, struct rn_err *err);
/* Writing: an rn_output-like consumer of rows of `events of CLASS` or a list of plain fields. */
struct rn_trace_writer;
struct rn_trace_target { /* what is to be recorded, and where */
	const char *path;
	enum rn_into_how how; /* what becomes of a recording that is there */
	const struct rn_class *cls;
	/* the recording that the rows come from; NULL: they are live */
	const char *from;
	const char *const *nodes; /* with from: patterns of the nodes; NULL: all */
	const char *query;
	/* of each row; none: those of the first row, which nothing can be added to */
	const struct rn_column *cols;
	unsigned ncols;
	/* of class `tag`: those that are searched, so that queries for others can be refused */
	const struct rn_tag *tags;
	unsigned ntags;
};

/* ---- append.c ---- */

/* May it be written there? Looks only; rn_trace_create asks again. *there: there is something. If
 * not: negative errno, and a way out. */
int rn_trace_allowed(const struct rn_trace_target *target, bool *there, struct rn_err *err);
/* May target be added to what `before`, an earlier query into the same file, records? If not:
 * negative errno, and err names the first that differs. */
int rn_trace_alike(const struct rn_trace_target *before, const struct rn_trace_target *target,
		   struct rn_err *err);

/* ---- write.c ---- */

int rn_trace_create(const struct rn_trace_target *target, struct rn_trace_writer **out,
		    struct rn_err *err);
int rn_trace_write(struct rn_trace_writer *writer, const struct rn_column *cols, unsigned ncols,
		   const struct rn_value *value, struct rn_err *err);
/* It is complete, and gets its name. */
int rn_trace_close(struct rn_trace_writer *writer, const struct rn_ledgers *ledgers,
		   struct rn_err *err);
/* It will not be: what was written is thrown away, and what was there before stays. */
void rn_trace_abandon(struct rn_trace_writer *writer);
#endif
