/* terminal.h - what a stream is connected to (size, colour, can it redraw in place), and text that
 * must fit on it. */
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
	bool many_colors;       /* 256 of them, not only 8; means something with `color` alone */
	bool ascii;             /* the locale is not of UTF-8: there are no lines to draw with */
	bool inplace;           /* a tty that can move its cursor */
	unsigned width, height; /* 0: unlimited */
};
void rn_terminal_query(struct rn_terminal *tty, FILE *f);

/* Returns how many of the n bytes of UTF-8 fit into width columns. */
size_t rn_text_head(const char *s, size_t n, unsigned width);
/* The same, but breaks a word only if it is wider than width. The caller skips the blanks behind.
 * At least one character, if n > 0. */
size_t rn_text_line(const char *s, size_t n, unsigned width);
/* Writes s and a newline, with lines wrapped at width (0: not wrapped). Continuation lines are
 * indented by `more` blanks more than the beginning of their line. Colour sequences take no
 * column. */
void rn_text_wrap(FILE *to, const char *s, unsigned width, unsigned more);
/* Writes s to buf as printable text: rn_utf8_clean, keeping no control character. The text is cut
 * at cap; returns its length. */
size_t rn_text_clean(char *buf, size_t cap, const char *s, size_t n);
/* The same, but keeps newlines and tabs. Returns a string on the heap. */
char *rn_text_safe(const char *s);
/* Prints a message of the program on stderr. The text is made safe, because names in it may come
 * from anybody. */
void rn_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Cuts clean text in the middle to at most width columns: "/var/lib…/base/1". If width is
 * 16 or more, each end of "A -> B" and "A => B" is cut by itself. The caller gives a buf with 8
 * bytes more than s. */
size_t rn_text_cut(char *buf, const char *s, size_t n, unsigned width);
#endif
