/* regex.h - the regular expressions of `=~`: POSIX extended ones, compiled by the C library, within
 * limits that are tested before.
 *
 * glibc writes repeats out before it looks at them: `((((a{1,100}){1,100}){1,100}){1,100})` becomes
 * 100,000,000 parts and takes all memory that there is. It also walks all ways in which a part can
 * match nothing: `^(a??){1000}` has 2^1000. So a text is read here first, and refused if
 *
 *   it is longer than RN_REGEX_BYTES,
 *   counts of repeats inside of one another multiply to more than RN_REGEX_REPEATS,
 *   it has more than RN_REGEX_PARTS parts once repeats are written out,
 *   the ways in which its parts match nothing multiply to more than RN_REGEX_WAYS, or
 *   it has a back reference, whose matching takes exponential time.
 *
 * To compile what is accepted takes 200 MiB and some seconds at worst, of all that was tried.
 * Nobody else calls regcomp. The coordinator tests a text when it types a query. A node gets it
 * from a coordinator that may not have done so, and tests it by the same function. Thread-safe;
 * follows the locale of the thread. */
#ifndef RN_LANG_VALUES_REGEX_H
#define RN_LANG_VALUES_REGEX_H
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include "lang/base/err.h"

enum { RN_REGEX_BYTES = 1024, RN_REGEX_REPEATS = 1000, RN_REGEX_PARTS = 5000, RN_REGEX_WAYS = 64 };

/* Compiles n bytes, for matching alone (REG_NOSUB); to be freed by regfree. 0; -E2BIG: beyond a
 * limit; -EINVAL: no regular expression; -ENOMEM. Then nothing is to be freed; err says what and
 * where, and its hint how to write it, without naming the text. */
int rn_regex_compile(regex_t *re, const char *text, size_t n, struct rn_err *err);
/* Matching grows what was compiled, by the parts of texts that it has met. If memory runs out that
 * is said by lang/base/memory.h, or the calling thread's account has ended: then the answer is
 * false, and means nothing. text ends in NUL. */
bool rn_regex_match(const regex_t *re, const char *text);
#endif
