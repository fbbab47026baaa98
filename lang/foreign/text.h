/* text.h - the words of a text in another language, and ways to take it apart.
 *
 * The words of SQL, PromQL, KQL, C# and bpftrace are alike enough for one scanner. It never fails:
 * a byte that begins nothing is a word of its own. Internal to lang/foreign/. */
#ifndef RN_LANG_FOREIGN_TEXT_H
#define RN_LANG_FOREIGN_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include "lang/base/arena.h"

enum rn_word_kind { RN_WORD_NAME, RN_WORD_NUMBER, RN_WORD_STRING, RN_WORD_SIGN };
struct rn_word {
	enum rn_word_kind kind;
	const char *s; /* in the text; a string with its quotes */
	size_t n;
	unsigned partner; /* of a bracket: how many words further its closing one is; 0: none */
};
/* A run of words, from w up to end. */
struct rn_phrase {
	const struct rn_word *w, *end;
};

extern const struct rn_phrase rn_phrase_none; /* empty */

/* Returns the words of a text, in the arena; none if there are more than RN_WORDS_MAX. Comments are
 * left out. */
enum { RN_WORDS_MAX = 1024 };
struct rn_phrase rn_phrase_read(struct rn_arena *arena, const char *text, size_t n);

bool rn_phrase_empty(struct rn_phrase phrase);
/* Is it that word, or that sign? Names may differ in case. */
bool rn_word_is(const struct rn_word *word, const char *text);
/* The first word of phrase, and the one after it: is it that one? false if there is none. */
bool rn_phrase_begin(struct rn_phrase phrase, const char *text);
bool rn_phrase_then(struct rn_phrase phrase, const char *text);
bool rn_phrase_name(struct rn_phrase phrase); /* does it begin with a name? */
/* Moves phrase past a word if it begins with it. */
bool rn_phrase_take(struct rn_phrase *phrase, const char *text);
/* Moves phrase past a name and returns it in the arena; NULL if there is none. */
const char *rn_phrase_take_name(struct rn_arena *arena, struct rn_phrase *phrase);
/* Moves phrase past a bracket and what is in it, and returns that; nothing is moved, and nothing
 * returned, if phrase begins with no bracket that is closed. */
struct rn_phrase rn_phrase_take_inside(struct rn_phrase *phrase);
/* Moves phrase past the part before `separator` and past that, and returns the part. Without a
 * separator outside of brackets it is all of phrase. */
struct rn_phrase rn_phrase_take_to(struct rn_phrase *phrase, const char *separator);
/* Moves phrase up to the first of the words outside of brackets, and returns what was before. The
 * list ends in NULL. */
struct rn_phrase rn_phrase_take_until(struct rn_phrase *phrase, const char *const *words);
/* The first such word outside of brackets; NULL if there is none. */
const struct rn_word *rn_phrase_find(struct rn_phrase phrase, const char *text);
/* Is that word anywhere in it, also in brackets? */
bool rn_phrase_holds(struct rn_phrase phrase, const char *text);
/* The text of a word, and that between the first and the last word of phrase, in the arena. */
const char *rn_word_text(struct rn_arena *arena, const struct rn_word *word);
const char *rn_phrase_text(struct rn_arena *arena, struct rn_phrase phrase);
/* The content of a string, without quotes, escapes and doubled quotes. *n: its bytes. */
const char *rn_word_string(struct rn_arena *arena, const struct rn_word *word, size_t *n);
#endif
