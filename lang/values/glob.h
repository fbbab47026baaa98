/* glob.h - the one matcher of globs: for `~`, hosts files, policies and lists. */
#ifndef RN_LANG_VALUES_GLOB_H
#define RN_LANG_VALUES_GLOB_H
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does the whole text match the pattern? Both are bytes with a length. `*` matches any bytes, even
 * `/`; `?` matches one byte; [a-z], [!x] and [[:alpha:]] match one byte of a set; \ makes the next
 * byte plain. This is fnmatch(3) without flags. Time: at most the product of the lengths. */
bool rn_glob(const char *pattern, size_t npattern, const char *text, size_t ntext);

/* The same for two strings. */
static inline bool rn_glob_str(const char *pattern, const char *text)
{
	return rn_glob(pattern, strlen(pattern), text, strlen(text));
}

/* The length of the first of the texts "A, B, C". A ", " within brackets belongs to the text, as in
 * the name of a function: "app:ns::f<int, char>(int, char)". A policy and a
 * finder of functions both take a list apart by this: else one probes what the other did not see.
 */
size_t rn_glob_in_list(const char *list);
/* Does the whole text match one of the patterns "A, B, C"? */
bool rn_glob_list(const char *list, const char *text);
#endif
