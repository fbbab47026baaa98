/* words.h - words of SQL, bpftrace, DTrace, strace and jq that people type here, and what
 * to write instead.
 *
 * The tables only serve hints: nothing in them is part of the language. */
#ifndef RN_LANG_FOREIGN_WORDS_H
#define RN_LANG_FOREIGN_WORDS_H
#include <stddef.h>
#include "lang/base/arena.h"

enum rn_foreign { RN_FOREIGN_FIELD, RN_FOREIGN_SOURCE, RN_FOREIGN_FUNC, RN_FOREIGN_UNIT };
/* Returns this language's name for a foreign word; NULL if it is not known. The caller checks that
 * the name exists there. */
const char *rn_foreign_name(enum rn_foreign kind, const char *word);
/* Returns the whole way out for a word that cannot stand in its place; NULL if there is none. */
const char *rn_foreign_syntax(const char *word);
/* Returns the way out for a statement of SQL or of a tool that begins with `first`; NULL if it is
 * not known. next: the word after it, "" if there is none. */
const char *rn_foreign_statement(struct rn_arena *arena, const char *first, const char *next);
/* Returns the way out for a probe's name of bpftrace or DTrace, as in profile:hz:99 or `of kprobe
 * "x"`; NULL if there is none. */
const char *rn_foreign_probe(const char *word, size_t len);
/* Returns the way out for a name of a function, or of a source, that says more than another name
 * would; NULL if there is none. The names of functions and sources of other tools, such as p75,
 * topk, vfs_read and dns. */
const char *rn_foreign_call(const char *name);
const char *rn_foreign_source(const char *name);
/* The same for a field of a class. */
const char *rn_foreign_field(const char *name, const char *class_name);
/* The unit that a word means, of this language or of another: "s" for second; NULL: none. */
const char *rn_foreign_unit(const char *word);
/* Tells where arguments are, for a user who writes args.x or args->x. */
extern const char rn_foreign_args[];
/* Returns what to query instead of a class that this version does not execute yet; NULL if there is
 * no substitute. */
const char *rn_foreign_instead(const char *class_name);
#endif
