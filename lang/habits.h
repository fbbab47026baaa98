/* habits.h - words of SQL, bpftrace, DTrace, strace and jq that people type here, and what to write instead.
 *
 * The tables only serve hints: nothing in them is part of the language. */
#ifndef RN_LANG_HABITS_H
#define RN_LANG_HABITS_H
#include <stddef.h>

enum rn_habit { RN_HABIT_FIELD, RN_HABIT_SOURCE, RN_HABIT_FUNC, RN_HABIT_UNIT };
/* What a foreign word is called here; NULL if it is not known. The caller checks that the name exists where it stands. */
const char *rn_habit_name(enum rn_habit kind, const char *word);
/* The way out for a word that cannot stand where it does, whole; NULL if there is none. */
const char *rn_habit_syntax(const char *word);
/* The way out where a colon follows the word, as in profile:hz:99; NULL if there is none. */
const char *rn_habit_probe(const char *word, size_t len);
/* Where arguments are, for who writes args.x or args->x. */
extern const char rn_habit_args[];
/* What to ask of this version in the place of a class that it does not execute yet; NULL if nothing stands in for it. */
const char *rn_habit_instead(const char *class_name);
#endif
