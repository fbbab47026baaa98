/* tracefs.h - the kernel's tracepoints: names and record formats.
 *
 * These functions use /sys/kernel/tracing if it is mounted and readable. Otherwise they open a
 * private instance of the filesystem (fsopen, fsmount), which appears in no mount table and goes
 * away with its descriptor. */
#ifndef RN_PROBES_CATALOG_TRACEFS_H
#define RN_PROBES_CATALOG_TRACEFS_H
#include "lang/base/arena.h"
#include "lang/base/err.h"
#include "probes/catalog/catalog.h"

/* Return a descriptor of tracefs' root; the caller closes it. Negative errno with a hint. */
int rn_tracefs_open(struct rn_err *err);
/* Return a descriptor of a file system of that type, mounted nowhere; the caller closes it.
 * Negative errno. */
int rn_private_mount(const char *type);
/* Return all events as "sys:name", sorted, NULL-terminated, in the arena; NULL on error. */
const char *const *rn_tracefs_events(struct rn_arena *arena, int root, struct rn_err *err);
/* Read events/SYS/NAME/{id,format}: fill id, sys, name, field, nfields of tp (strings in the
 * arena). */
int rn_tracefs_event(struct rn_arena *arena, int root, const char *sys, const char *name,
		     struct rn_tp *tp, struct rn_err *err);
/* Find the events of `all` (sys:name, sorted) that the glob "sys:name" matches: fill match and
 * nmatch of tp. If there are at most RN_TP_MATCH_MAX, with those of system calls, each match has
 * its own fields. -ENOENT: none; -E2BIG: more than RN_TP_MATCH_MAX. The records that the kernel's
 * own tracer writes (ftrace:*) are no tracepoints. */
int rn_tracefs_match(struct rn_arena *arena, int root, const char *const *all, const char *glob,
		     struct rn_tp *tp, struct rn_err *err);

/* ---- tracefs_format.c ---- */

/* Parse the text of a `format` file, without the common_ fields. Pointers, by their type or as
 * `print fmt` casts them, have the unit RN_U_HEX. tp->sys and tp->enumeration, which may be NULL,
 * are read: they tell which numbers have names. A number for which the kernel prints names of its
 * own becomes text (rn_field.numbering). */
int rn_tracefs_parse(struct rn_arena *arena, const char *format, struct rn_tp *tp,
		     struct rn_err *err);

/* ---- tracefs_names.c ---- */

/* Find the list of names that `print fmt` has for a field: the text behind
 * `__print_symbolic(REC->FIELD,`. NULL: none. */
const char *rn_tracefs_symbolic(const char *fmt, const char *field);
/* The same for flags: the text behind `__print_flags(REC->FIELD, "|",`. */
const char *rn_tracefs_flags(const char *fmt, const char *field);
/* Read such a list; if it is NULL, the names are those of the field's type. flags: numbers are
 * joined by `|`. declared: "enum hrtimer_mode". enumeration: see rn_tp, may be NULL. NULL: no
 * number has a name. */
const struct rn_numbering *rn_tracefs_names(struct rn_arena *arena, const char *list, bool flags,
					    const char *declared, const struct rn_tp_field *field,
					    rn_enumeration *enumeration);
#endif
