/* utf8.h - characters, and the columns that they take on a terminal. Bytes that are no UTF-8 are characters of one byte and one column. */
#ifndef RN_LANG_UTF8_H
#define RN_LANG_UTF8_H
#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid character at s, of which n bytes are there; 0: there is none. */
size_t rn_utf8_char(const char *s, size_t n);
/* The same, n > 0, but 1 for a byte that starts no valid one. */
size_t rn_utf8_len(const char *s, size_t n);
/* Its code point; a byte that starts no valid character stands for itself. */
uint32_t rn_utf8_decode(const char *s, size_t n);

/* Columns that n bytes take on a terminal: wide characters take two, combining ones none. */
unsigned rn_utf8_width(const char *s, size_t n);
/* Bytes of the word at s, which ends at a blank, a newline or the end of s, and its columns in *width. A short name in backquotes is one
 * word whatever blanks it holds; a terminal's sequence of colours takes no column. */
size_t rn_utf8_word(const char *s, unsigned *width);
#endif
