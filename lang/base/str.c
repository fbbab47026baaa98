/* str.c - growing texts and UTF-8: see text.h. Growth doubles, so the arena holds at most twice
 * the final text. */
#include "lang/base/str.h"
#include <stdio.h>
#include <string.h>

void rn_text_init(struct rn_text *t, struct rn_arena *a)
{
	*t = (struct rn_text){.arena = a};
}

static void reserve(struct rn_text *t, size_t more)
{
	size_t cap = t->cap ? t->cap : 64;
	char *s;

	if (t->len + more <= t->cap)
		return;
	while (cap < t->len + more)
		cap *= 2;
	s = rn_arena_alloc(t->arena, cap);
	if (t->len)
		memcpy(s, t->s, t->len);
	t->s = s;
	t->cap = cap;
}

void rn_text_putn(struct rn_text *t, const char *s, size_t n)
{
	if (!n)
		return;
	reserve(t, n);
	memcpy(t->s + t->len, s, n);
	t->len += n;
}

void rn_text_put(struct rn_text *t, const char *s)
{
	rn_text_putn(t, s, strlen(s));
}

void rn_text_putc(struct rn_text *t, char c)
{
	rn_text_putn(t, &c, 1);
}

void rn_text_pad(struct rn_text *t, char c, size_t n)
{
	reserve(t, n + 1);
	memset(t->s + t->len, c, n);
	t->len += n;
}

void rn_text_printf(struct rn_text *t, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0) {
		reserve(t, (size_t)n + 1);
		vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
		t->len += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

void rn_text_quote(struct rn_text *out, const char *s, size_t n)
{
	rn_text_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			rn_text_printf(out, "\\%c", c);
		else if (c == '\n')
			rn_text_put(out, "\\n");
		else if (c == '\t')
			rn_text_put(out, "\\t");
		else if (c == '\r')
			rn_text_put(out, "\\r");
		else if (c < 0x20 || c == 0x7F)
			rn_text_printf(out, "\\x%02x", c);
		else
			rn_text_putc(out, (char)c);
	}
	rn_text_putc(out, '"');
}

void rn_text_trim(struct rn_text *t, char c)
{
	while (t->len && t->s[t->len - 1] == c)
		t->len--;
}

const char *rn_text_cstr(struct rn_text *t)
{
	reserve(t, 1);
	t->s[t->len] = '\0';
	return t->s;
}

void rn_str_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = *s == '\n' || *s == '\t' ? ' ' : '?';
}
