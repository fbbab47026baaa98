/* regex.h - the regular expressions of `=~`: POSIX extended, compiled by the C library, within
 * limits that are tested before.
 *
 * glibc expands repeats before it looks at them: `((((a{1,100}){1,100}){1,100}){1,100})` becomes
 * 100,000,000 parts and takes all memory. It also walks all ways in which a part can match nothing:
 * `^(a??){1000}` has 2^1000. So this module reads a text first, and refuses it if
 *
 *   it is longer than RN_REGEX_BYTES,
 *   counts of nested repeats multiply to more than RN_REGEX_REPEATS,
 *   it has more than RN_REGEX_PARTS parts once repeats are expanded,
 *   the ways in which its parts match nothing multiply to more than RN_REGEX_WAYS, or
 *   it has a back reference, whose matching takes exponential time.
 *
 * The worst accepted text that was tried takes 200 MiB and some seconds to compile. No other code
 * calls regcomp. The coordinator tests a text when it types a query. A node cannot trust the
 * coordinator to have done so, and tests the text by the same function. Thread-safe; follows the
 * locale of the thread. */
#ifndef RN_LANG_VALUES_REGEX_H
#define RN_LANG_VALUES_REGEX_H
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include "lang/base/err.h"

enum { RN_REGEX_BYTES = 1024, RN_REGEX_REPEATS = 1000, RN_REGEX_PARTS = 5000, RN_REGEX_WAYS = 64 };

/* Compiles n bytes, for matching alone (REG_NOSUB); free the result with regfree. Returns 0;
 * -E2BIG: beyond a limit; -EINVAL: no regular expression; -ENOMEM. After an error there is nothing
 * to free. err says what is wrong and at which place, and its hint how to write it, without naming
 * the text. */
int rn_regex_compile(regex_t *re, const char *text, size_t n, struct rn_err *err);
/* Does the text match? Matching grows re by the parts of texts that it has met. If memory runs out
 * (see lang/base/memory.h), or the calling thread's account has ended, the answer is false and
 * means nothing. text ends in NUL. */
bool rn_regex_match(const regex_t *re, const char *text);
/* The same as rn_regex_compile, for rn_regex_find. */
int rn_regex_compile_groups(regex_t *re, const char *text, size_t n, struct rn_err *err);
/* Does the text match? Gives the place of what the first group of the first match holds; without
 * groups that of the match. *from and *to are offsets in text. A group that takes no part holds
 * nothing: 0, 0. */
bool rn_regex_find(const regex_t *re, const char *text, size_t *from, size_t *to);
#endif
