/* list.h - several classes of events as one source: read, fsync, tracepoint "irq:*", "softirq:*".
 *
 * The class of a list is named by its members, in the order of the alphabet and with tracepoints
 * last: "fsync, read, tracepoint"; its arg is "irq:*, softirq:*". So a query's text, a fragment
 * from the wire and a recording mean the same class by the same names. Its fields are those that
 * all members have, with one type and unit. If only some members have a field of their own that
 * takes the name of one of all events (rn_field.hides), the name means the latter in all of them.
 * `name` and `count` always mean what they mean in every event: `count by name` counts the events
 * of each member.
 * An event that two members name is one event. */
#ifndef RN_LANG_CATALOG_LIST_H
#define RN_LANG_CATALOG_LIST_H
#include "lang/base/arena.h"
#include "lang/catalog/catalog.h"

enum { RN_MAX_CLASSES = 64 };

/* Why a class cannot be in a list, as a text that follows its name; NULL: it can. */
const char *rn_class_list_trouble(const struct rn_class *cls);
/* Puts the names of a list in order, each once, joined by ", ". n: at most RN_MAX_CLASSES; they are
 * sorted in place. In the arena. */
const char *rn_class_list_text(struct rn_arena *arena, const char **names, unsigned n);
/* As catalog->find, for lists too: a list is made of what the catalogue has for its members, in the
 * arena. */
const struct rn_class *rn_class_find(struct rn_arena *arena, const struct rn_catalog *catalog,
				     const char *name, const char *arg, char *why,
				     size_t why_bytes);
/* May a field of that name be the own one of all members? */
bool rn_class_list_owns(const char *name);
/* The first member that has no such field, or has it with another type or unit than the first
 * member; NULL: all have it, or cls is no list. */
const struct rn_class *rn_class_lacking(const struct rn_class *cls, const char *field);
/* The field that this name of the list means in events of one member; NULL: it has none. */
const struct rn_field *rn_class_list_field(const struct rn_class *list,
					   const struct rn_class *member, const char *name);
/* The field of the first class in the list (or in the glob), as the catalogue has it, that has one
 * of this name and type; NULL: none. For conditions that are about the events of a part of the
 * list. */
const struct rn_field *rn_class_some_field(const struct rn_catalog *catalog,
					   const struct rn_class *list, const char *name,
					   struct rn_ty ty);
#endif
