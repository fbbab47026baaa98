/* utf8.h - characters, and the columns that they take on a terminal. Bytes that are no UTF-8 are
 * characters of one byte and one column. */
#ifndef RN_LANG_BASE_UTF8_H
#define RN_LANG_BASE_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid character at s, of which n bytes are there; 0: there is none. */
size_t rn_utf8_char(const char *s, size_t n);
/* The same, n > 0, but 1 for a byte that starts no valid one. */
size_t rn_utf8_len(const char *s, size_t n);
/* Its code point; a byte that starts no valid character stands for itself. */
uint32_t rn_utf8_decode(const char *s, size_t n);

/* Does it show itself and nothing else? Not so: controls (C0, C1, DEL), what turns the direction of
 * text or separates its lines, marks that show nothing. A terminal would obey them, and a name look
 * like another one. */
bool rn_utf8_is_plain(uint32_t code);
/* s as text that is safe to show: what is not plain or no UTF-8 becomes \xNN, byte by byte, but for
 * the bytes in `keep`. Cut where cap bytes hold no more (4 * n + 16 do); returns its length. */
size_t rn_utf8_clean(char *to, size_t cap, const char *s, size_t n, const char *keep);

/* Columns that n bytes take on a terminal: wide characters take two, combining ones none. */
unsigned rn_utf8_width(const char *s, size_t n);
/* Bytes of the word at s, which ends at a blank, a newline or the end of s, and its columns in
 * *width. A short name in backquotes is one word whatever blanks it holds; a terminal's sequence of
 * colours takes no column. */
size_t rn_utf8_word(const char *s, unsigned *width);
#endif
