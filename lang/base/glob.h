/* glob.h - the one matcher of globs: of `~`, hosts files, policies and lists. */
#ifndef RN_LANG_BASE_GLOB_H
#define RN_LANG_BASE_GLOB_H
#include <stdbool.h>
#include <stddef.h>

/* Does the whole text match the pattern? Both are bytes with a length. `*` stands for any bytes,
 * `/` among them, `?` for one byte, [a-z], [!x] and [[:alpha:]] for one byte of a set, and \ takes
 * the next byte as it is: fnmatch(3) without flags. Takes at most the product of the lengths. */
bool rn_glob(const char *pattern, size_t npattern, const char *text, size_t ntext);
#endif
