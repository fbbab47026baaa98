/* str.h - a growing text in an arena.
 *
 * rn_text never fails (an arena does not) and is always cheap to abandon. rn_text_cstr ends it with
 * NUL. */
#ifndef RN_LANG_TEXT_H
#define RN_LANG_TEXT_H
#include <stdint.h>
#include "lang/base/arena.h"

struct rn_text {
	struct rn_arena *arena;
	char *s;
	size_t len, cap;
};

void rn_text_init(struct rn_text *t, struct rn_arena *a);
void rn_text_putn(struct rn_text *t, const char *s, size_t n);
void rn_text_put(struct rn_text *t, const char *s);
void rn_text_putc(struct rn_text *t, char c);
void rn_text_pad(struct rn_text *t, char c, size_t n); /* n times c */
void rn_text_printf(struct rn_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A string as the language writes it: in double quotes, with escapes. */
void rn_text_quote(struct rn_text *t, const char *s, size_t n);
void rn_text_trim(struct rn_text *t, char c); /* removes c from the end */
const char *rn_text_cstr(struct rn_text *t);

/* Replaces in place what controls a terminal, in a text of somebody else's. */
void rn_str_printable(char *s);
#endif
