/* terminal.h - what a stream is connected to: size, colour, and lines that are drawn again in
 * place. */
#ifndef RN_REPL_TERMINAL_TERMINAL_H
#define RN_REPL_TERMINAL_TERMINAL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "lang/base/utf8.h"
#include "repl/render/numbers.h"

struct rn_terminal {
	bool tty;
	bool color;             /* tty, and neither NO_COLOR nor TERM=dumb */
	bool inplace;           /* tty that can move its cursor */
	unsigned width, height; /* 0: unlimited */
};
void rn_terminal_query(struct rn_terminal *t, FILE *f);

/* How many of n bytes of UTF-8 fit into so many columns. */
size_t rn_text_head(const char *s, size_t n, unsigned width);
/* The same, but a word is not broken unless it is wider than that; the blanks behind it are to be
 * left out. At least a character, if n > 0. */
size_t rn_text_line(const char *s, size_t n, unsigned width);
/* Writes s, a newline behind it: its lines as wide as that (0: as they are), what a line goes on
 * with set in by so many blanks more than its beginning. Sequences of colours take no column. */
void rn_text_wrap(FILE *to, const char *s, unsigned width, unsigned more);
/* s as printable text: rn_utf8_clean, which keeps nothing. buf is cut at cap; returns its
 * length. */
size_t rn_text_clean(char *buf, size_t cap, const char *s, size_t n);
/* The same of lines, which stay lines. On the heap. */
char *rn_text_safe(const char *s);
/* What the program has to say, on stderr: lines of text that are made safe, as names in them may be
 * anybody's. */
void rn_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Cuts clean text in the middle to at most width columns: "/var/lib…/base/1". The caller gives
 * a buf with 4 bytes more than s. */
size_t rn_text_cut(char *buf, const char *s, size_t n, unsigned width);
#endif
