/* trace_impl.h - what the writer and the readers of a recorded trace share: the file's identity,
 * the names of types and units, and which classes a recording covers. The schema is documented in
 * docs/trace-format.md. */
#ifndef RN_EXEC_TRACE_TRACE_IMPL_H
#define RN_EXEC_TRACE_TRACE_IMPL_H
#include "exec/trace/file.h"
#include "exec/trace/trace.h"

#define RN_TRACE_FORMAT 1 /* PRAGMA user_version */

/* tag.0001, ...: keys in meta of the tags that were searched; their text form */
#define RN_TRACE_TAG "tag."

/* ---- catalog.c ---- */

/* Names of types and units in the table `fields`. NULL, false: unknown. */
const char *rn_trace_type_name(struct rn_ty t);
const char *rn_trace_unit_name(struct rn_ty t);
bool rn_trace_type_parse(const char *type, const char *unit, struct rn_ty *out);

/* tags.c: the tags of a query, to be found in what was recorded. tags outlives it. Returns those
 * that are wanted among the text of the field `tags` or `hits`, in the arena. */
struct rn_trace_wanted;
struct rn_trace_wanted *rn_trace_wanted_create(const struct rn_tag *tags, unsigned n);
void rn_trace_wanted_destroy(struct rn_trace_wanted *wanted);
struct rn_value rn_trace_wanted_tags(const struct rn_trace_wanted *wanted,
				     const struct rn_value *all, struct rn_arena *arena);
struct rn_value rn_trace_wanted_hits(const struct rn_trace_wanted *list, const struct rn_value *all,
				     bool prints, struct rn_arena *arena);

/* ---- catalog.c ---- */

/* Does a recording of `recorded` hold all events of `wanted`? By their system calls
 * (rn_class.calls, `events.name`). */
bool rn_trace_covers(const struct rn_class *recorded, const struct rn_class *wanted);
#endif
