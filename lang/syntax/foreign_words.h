/* foreign_words.h - words of SQL, bpftrace, DTrace, strace and jq that people type here, and what
 * to write instead.
 *
 * The tables only serve hints: nothing in them is part of the language. */
#ifndef RN_LANG_SYNTAX_FOREIGN_WORDS_H
#define RN_LANG_SYNTAX_FOREIGN_WORDS_H
#include <stddef.h>
#include "lang/base/arena.h"

enum rn_habit { RN_HABIT_FIELD, RN_HABIT_SOURCE, RN_HABIT_FUNC, RN_HABIT_UNIT };
/* What a foreign word is called here; NULL if it is not known. The caller checks that the name
 * exists where it stands. */
const char *rn_habit_name(enum rn_habit kind, const char *word);
/* The way out for a word that cannot stand where it does, whole; NULL if there is none. */
const char *rn_habit_syntax(const char *word);
/* The way out for a statement of SQL or of a tool that begins with `first`; next: the word behind
 * it, "" if there is none. NULL: it is not known. */
const char *rn_habit_statement(struct rn_arena *a, const char *first, const char *next);
/* The way out for the name of a probe of bpftrace or DTrace, as in profile:hz:99 or `of kprobe
 * "x"`; NULL if there is none. */
const char *rn_habit_probe(const char *word, size_t len);
/* Where arguments are, for who writes args.x or args->x. */
extern const char rn_habit_args[];
/* What to ask of this version in the place of a class that it does not execute yet; NULL if nothing
 * stands in for it. */
const char *rn_habit_instead(const char *class_name);
#endif
