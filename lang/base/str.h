/* str.h - a growing text in an arena.
 *
 * rn_strbuf never fails, because an arena does not. The caller can drop it at any time.
 * rn_strbuf_cstr ends it with NUL. */
#ifndef RN_LANG_BASE_STR_H
#define RN_LANG_BASE_STR_H
#include <stdint.h>
#include "lang/base/arena.h"

struct rn_strbuf {
	struct rn_arena *arena;
	char *s;
	size_t len, cap;
};

void rn_strbuf_init(struct rn_strbuf *buf, struct rn_arena *arena);
void rn_strbuf_putn(struct rn_strbuf *buf, const char *s, size_t n);
void rn_strbuf_put(struct rn_strbuf *buf, const char *s);
void rn_strbuf_putc(struct rn_strbuf *buf, char c);
void rn_strbuf_pad(struct rn_strbuf *buf, char c, size_t n); /* appends c n times */
void rn_strbuf_printf(struct rn_strbuf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends a string as the language writes it: in double quotes, with escapes. */
void rn_strbuf_quote(struct rn_strbuf *buf, const char *s, size_t n);
void rn_strbuf_trim(struct rn_strbuf *buf, char c); /* removes c from the end */
const char *rn_strbuf_cstr(struct rn_strbuf *buf);

/* "table, json and csv": names (NULL-terminated) with a word before the last, "" for a comma. In
 * buf, which is returned; cut if it is too short. */
const char *rn_str_names(char *buf, size_t bytes, const char *const *names,
			 const char *before_last);

/* Replaces in place what controls a terminal, in a text of somebody else's. */
void rn_str_printable(char *s);
#endif
