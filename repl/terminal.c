/* terminal.c - terminals and text that must fit on them. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "repl/terminal.h"

void rn_terminal_query(struct rn_terminal *t, FILE *f)
{
	*t = (struct rn_terminal){.tty = isatty(fileno(f))};
	if (!t->tty)
		return;
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	t->inplace = term && *term && strcmp(term, "dumb");
	t->color = t->inplace && !(no && *no);
	struct winsize w;
	if (ioctl(fileno(f), TIOCGWINSZ, &w) == 0) {
		t->width = w.ws_col;
		t->height = w.ws_row;
	}
}

/* Characters that take no column, or two: ranges of code points, in order (Unicode: combining marks; East Asian Wide, Emoji). */
static const struct { unsigned first, last, width; } widths[] = {
	{0x0300, 0x036f, 0}, {0x0483, 0x0489, 0}, {0x0591, 0x05bd, 0}, {0x0610, 0x061a, 0}, {0x064b, 0x065f, 0}, {0x0e34, 0x0e3a, 0},
	{0x0e47, 0x0e4e, 0}, {0x1100, 0x115f, 2}, {0x1ab0, 0x1aff, 0}, {0x1dc0, 0x1dff, 0}, {0x200b, 0x200f, 0}, {0x20d0, 0x20ff, 0},
	{0x231a, 0x231b, 2}, {0x23e9, 0x23ec, 2}, {0x2614, 0x2615, 2}, {0x26a1, 0x26a1, 2}, {0x2705, 0x2705, 2}, {0x2728, 0x2728, 2},
	{0x274c, 0x274c, 2}, {0x2753, 0x2757, 2}, {0x2e80, 0x303e, 2}, {0x3041, 0x3098, 2}, {0x3099, 0x309a, 0}, {0x309b, 0x4dbf, 2},
	{0x4e00, 0xa4cf, 2}, {0xa960, 0xa97f, 2}, {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0}, {0xfe20, 0xfe2f, 0},
	{0xfe30, 0xfe6f, 2}, {0xfeff, 0xfeff, 0}, {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
	{0x1f900, 0x1f9ff, 2}, {0x1fa70, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
};

/* The columns of the character whose first byte is at s; *bytes: how long it is. What is no UTF-8 takes one, byte by byte. */
static unsigned char_width(const char *s, size_t n, size_t *bytes)
{
	static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	size_t len = rn_text_char(s, n), i = 0;
	unsigned c = len ? (unsigned char)s[0] & mask[len] : 0;
	*bytes = len ? len : 1;
	if (len < 2)
		return 1;
	for (size_t k = 1; k < len; k++)
		c = c << 6 | ((unsigned char)s[k] & 0x3f);
	while (i < sizeof widths / sizeof *widths && c > widths[i].last)
		i++;
	return i < sizeof widths / sizeof *widths && c >= widths[i].first ? widths[i].width : 1;
}

unsigned rn_text_width(const char *s, size_t n)
{
	unsigned w = 0;
	size_t len;
	for (size_t i = 0; i < n; i += len)
		w += char_width(s + i, n - i, &len);
	return w;
}

size_t rn_text_head(const char *s, size_t n, unsigned width)
{
	size_t i = 0, len;
	for (unsigned w = 0; i < n && (w += char_width(s + i, n - i, &len)) <= width;)
		i += len;
	return i;
}

size_t rn_text_line(const char *s, size_t n, unsigned width)
{
	size_t whole = rn_text_head(s, n, width), end = whole, first = 0;
	if (whole == n || (whole && s[whole] == ' '))
		return whole;
	while (end && s[end - 1] != ' ')
		end--;
	while (end && s[end - 1] == ' ')
		end--;
	if (!whole && n)
		char_width(s, n, &first);
	return end ? end : whole ? whole : first;
}

/* The columns of a word, and in *n its bytes; a sequence of colours takes none. */
static unsigned word_width(const char *s, size_t *n)
{
	unsigned w = 0;
	size_t i = 0, len;
	while (s[i] && s[i] != ' ' && s[i] != '\n') {
		if (s[i] == '\033') {
			i += strcspn(s + i, "m");
			i += s[i] == 'm';
			continue;
		}
		w += char_width(s + i, strlen(s + i), &len);
		i += len;
	}
	*n = i;
	return w;
}

void rn_text_wrap(FILE *to, const char *s, unsigned width, unsigned more)
{
	while (*s) {
		unsigned indent = (unsigned)strspn(s, " "), column = indent;
		fprintf(to, "%*s", (int)indent, "");
		s += indent;
		for (unsigned blanks = 0; *s && *s != '\n'; blanks = (unsigned)strspn(s, " "), s += blanks) {
			size_t n;
			unsigned w = word_width(s, &n);
			if (blanks && width && column + blanks + w > width) {
				column = indent + more;
				fprintf(to, "\n%*s", (int)column, "");
			} else {
				fprintf(to, "%*s", (int)blanks, "");
				column += blanks;
			}
			fwrite(s, 1, n, to);
			column += w;
			s += n;
		}
		putc('\n', to);
		s += *s == '\n';
	}
}

size_t rn_text_clean(char *buf, size_t cap, const char *s, size_t n)
{
	size_t o = 0;
	for (size_t i = 0; i < n;) {
		const unsigned char *p = (const unsigned char *)s + i;
		size_t len = rn_text_char(s + i, n - i);
		bool control = len == 1 && (*p < 0x20 || *p == 0x7f);
		control |= len == 2 && p[0] == 0xc2 && p[1] < 0xa0; /* C1 controls move cursors too */
		if (o + 10 > cap)
			break;
		if (len && !control) {
			memcpy(buf + o, p, len);
			o += len;
			i += len;
			continue;
		}
		for (size_t k = 0; k < (len ? len : 1); k++, i++)
			o += (size_t)snprintf(buf + o, cap - o, "\\x%02x", (unsigned char)s[i]);
	}
	buf[o] = 0;
	return o;
}

size_t rn_text_cut(char *buf, const char *s, size_t n, unsigned width)
{
	unsigned w = rn_text_width(s, n);
	if (w <= width || width < 3) {
		memcpy(buf, s, n);
		buf[n] = 0;
		return n;
	}
	size_t i = rn_text_head(s, n, (width - 1) / 2), j = i, o, len;
	for (unsigned rest = w - rn_text_width(s, i); rest > width - 1 - (width - 1) / 2; j += len)
		rest -= char_width(s + j, n - j, &len);
	memcpy(buf, s, i);
	o = i;
	memcpy(buf + o, "\xe2\x80\xa6", 3);
	o += 3;
	memcpy(buf + o, s + j, n - j);
	o += n - j;
	buf[o] = 0;
	return o;
}
