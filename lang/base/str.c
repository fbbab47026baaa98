/* str.c - growing texts: see str.h. The size doubles, so the arena holds at most twice the final
 * text. */
#include "lang/base/str.h"
#include <stdio.h>
#include <string.h>

void rn_strbuf_init(struct rn_strbuf *buf, struct rn_arena *arena)
{
	*buf = (struct rn_strbuf){.arena = arena};
}

static void reserve(struct rn_strbuf *t, size_t more)
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

void rn_strbuf_putn(struct rn_strbuf *buf, const char *s, size_t n)
{
	if (!n)
		return;
	reserve(buf, n);
	memcpy(buf->s + buf->len, s, n);
	buf->len += n;
}

void rn_strbuf_put(struct rn_strbuf *buf, const char *s)
{
	rn_strbuf_putn(buf, s, strlen(s));
}

void rn_strbuf_putc(struct rn_strbuf *buf, char c)
{
	rn_strbuf_putn(buf, &c, 1);
}

void rn_strbuf_pad(struct rn_strbuf *buf, char c, size_t n)
{
	reserve(buf, n + 1);
	memset(buf->s + buf->len, c, n);
	buf->len += n;
}

void rn_strbuf_printf(struct rn_strbuf *buf, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0) {
		reserve(buf, (size_t)n + 1);
		vsnprintf(buf->s + buf->len, (size_t)n + 1, fmt, again);
		buf->len += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

void rn_strbuf_quote(struct rn_strbuf *out, const char *s, size_t n)
{
	rn_strbuf_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			rn_strbuf_printf(out, "\\%c", c);
		else if (c == '\n')
			rn_strbuf_put(out, "\\n");
		else if (c == '\t')
			rn_strbuf_put(out, "\\t");
		else if (c == '\r')
			rn_strbuf_put(out, "\\r");
		else if (c < 0x20 || c == 0x7F)
			rn_strbuf_printf(out, "\\x%02x", c);
		else
			rn_strbuf_putc(out, (char)c);
	}
	rn_strbuf_putc(out, '"');
}

void rn_strbuf_trim(struct rn_strbuf *buf, char c)
{
	while (buf->len && buf->s[buf->len - 1] == c)
		buf->len--;
}

const char *rn_strbuf_cstr(struct rn_strbuf *buf)
{
	reserve(buf, 1);
	buf->s[buf->len] = '\0';
	return buf->s;
}

void rn_str_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = *s == '\n' || *s == '\t' ? ' ' : '?';
}

const char *rn_str_names(char *buf, size_t bytes, const char *const *names, const char *before_last)
{
	size_t at = 0;

	buf[0] = 0;
	for (unsigned i = 0; names[i] && at < bytes; i++) {
		bool word = i && !names[i + 1] && *before_last;

		at += (size_t)snprintf(buf + at, bytes - at, "%s%s%s%s",
				       !i     ? ""
				       : word ? " "
					      : ", ",
				       word ? before_last : "", word ? " " : "", names[i]);
	}
	return buf;
}
