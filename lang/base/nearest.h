/* nearest.h - the search for "did you mean". */
#ifndef RN_LANG_BASE_NEAREST_H
#define RN_LANG_BASE_NEAREST_H

/* Returns the nearest of names (NULL-terminated) within a third of the length of s, by
 * Damerau-Levenshtein; NULL if none. */
const char *rn_nearest(const char *s, const char *const *names);
#endif
