/* numbers.h - numbers with commas. */
#ifndef RN_REPL_RENDER_NUMBERS_H
#define RN_REPL_RENDER_NUMBERS_H
#include <stddef.h>

/* "1,234,567" */
const char *rn_text_commas(char buf[32], long long v);
#endif
