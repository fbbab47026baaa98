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

unsigned rn_text_width(const char *s, size_t n)
{
	unsigned w = 0;
	for (size_t i = 0; i < n; i++)
		w += ((unsigned char)s[i] & 0xc0) != 0x80;
	return w;
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
	unsigned head = (width - 1) / 2, tail = width - 1 - head, seen = 0;
	size_t i = 0, j = n, o;
	for (; i < n && (seen < head || ((unsigned char)s[i] & 0xc0) == 0x80); i++)
		seen += ((unsigned char)s[i] & 0xc0) != 0x80;
	for (seen = 0; j > i && seen < tail;)
		seen += ((unsigned char)s[--j] & 0xc0) != 0x80;
	memcpy(buf, s, i);
	o = i;
	memcpy(buf + o, "\xe2\x80\xa6", 3);
	o += 3;
	memcpy(buf + o, s + j, n - j);
	o += n - j;
	buf[o] = 0;
	return o;
}
