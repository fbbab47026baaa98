/* chars.h - what texts are made of, for all that write them: valid UTF-8, and numbers with commas. */
#ifndef RN_LIB_CHARS_H
#define RN_LIB_CHARS_H
#include <stddef.h>

/* Bytes of the valid UTF-8 sequence at s; 0 if there is none. */
size_t rn_text_char(const char *s, size_t n);
/* "1,234,567" */
const char *rn_text_commas(char buf[32], long long v);
#endif
