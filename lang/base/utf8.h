/* utf8.h - characters, and the columns that they take on a terminal. A byte that is not UTF-8
 * counts as a character of one byte and one column. */
#ifndef RN_LANG_BASE_UTF8_H
#define RN_LANG_BASE_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the valid character at s, of which n bytes are there; 0: no valid one. */
size_t rn_utf8_char(const char *s, size_t n);
/* The same for n > 0, but 1 for a byte that starts no valid character. */
size_t rn_utf8_len(const char *s, size_t n);
/* The code point of that character; a byte that starts no valid one stands for itself. */
uint32_t rn_utf8_decode(const char *s, size_t n);

/* Does the character show itself and nothing else? These do not: controls (C0, C1, DEL), characters
 * that turn the direction of text or separate its lines, invisible marks. A terminal would obey
 * them, and a name could look like another one. */
bool rn_utf8_is_plain(uint32_t code);
/* Writes s as text that is safe to show: each byte that is not plain or no UTF-8 becomes \xNN,
 * except the bytes in `keep`. The text is cut to cap bytes (4 * n + 16 always suffice). Returns its
 * length. */
size_t rn_utf8_clean(char *to, size_t cap, const char *s, size_t n, const char *keep);

/* Columns that n bytes take on a terminal: wide characters take two, combining ones none. */
unsigned rn_utf8_width(const char *s, size_t n);
/* Bytes of the word at s, which ends at a blank, a newline or the end of s; its columns go to
 * *width. A short name in backquotes is one word, even with blanks in it. A terminal's colour
 * sequence takes no column. */
size_t rn_utf8_word(const char *s, unsigned *width);
#endif
