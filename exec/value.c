/* value.c - see value.h. Invariant: t->s[t->len] is NUL once anything was put. */
#include "exec/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void rn_text_put(struct rn_text *t, const char *s, size_t n)
{
	if (t->len + n + 1 > t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;
		while (cap < t->len + n + 1)
			cap *= 2;
		char *p = rn_arena_alloc(t->arena, cap);
		if (t->len)
			memcpy(p, t->s, t->len);
		t->s = p;
		t->cap = cap;
	}
	if (n)
		memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = 0;
}

void rn_text_printf(struct rn_text *t, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(buf)) {
		rn_text_put(t, buf, (size_t)n);
		return;
	}
	va_start(ap, fmt);
	const char *s = rn_arena_vprintf(t->arena, fmt, ap);
	va_end(ap);
	rn_text_put(t, s, strlen(s));
}

struct rn_value rn_text_value(const struct rn_text *t)
{
	return rn_strn(t->s ? t->s : "", t->len);
}

/* Length of the well-formed UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_len(const unsigned char *s, size_t n)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0; /* overlong, surrogate, beyond U+10FFFF */
	return len;
}

static void json_string(struct rn_text *t, const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;

	rn_text_put(t, "\"", 1);
	for (size_t i = 0; i < n;) {
		size_t len = utf8_len(u + i, n - i);
		if (u[i] == '"' || u[i] == '\\') {
			char esc[2] = {'\\', s[i]};
			rn_text_put(t, esc, 2);
		} else if (u[i] < 0x20 || u[i] == 0x7f || !len) {
			rn_text_printf(t, "\\u%04x", u[i]);
		} else {
			rn_text_put(t, s + i, len);
		}
		i += len ? len : 1;
	}
	rn_text_put(t, "\"", 1);
}

/* The shortest of the usual precisions that reads back to the same number. */
static void json_float(struct rn_text *t, double f)
{
	char buf[40];

	if (!isfinite(f)) {
		rn_text_put(t, "null", 4);
		return;
	}
	snprintf(buf, sizeof(buf), "%.15g", f);
	double back = 0;
	if (sscanf(buf, "%lf", &back) != 1 || back != f)
		snprintf(buf, sizeof(buf), "%.17g", f);
	rn_text_put(t, buf, strlen(buf));
}

void rn_text_json(struct rn_text *t, struct rn_ty ty, const struct rn_value *v)
{
	switch (v->kind) {
	case RN_BOOL:
		rn_text_printf(t, "%s", v->i ? "true" : "false");
		break;
	case RN_INT:
		rn_text_printf(t, "%" PRId64, v->i);
		break;
	case RN_FLOAT:
		json_float(t, v->f);
		break;
	case RN_STR:
		if (ty.type == RN_T_IP && v->len == RN_IP_BYTES) {
			char buf[80];
			size_t n = rn_ip_show((const unsigned char *)v->s, buf, sizeof(buf));
			json_string(t, buf, n < sizeof(buf) ? n : strlen(buf));
		} else {
			json_string(t, v->s, v->len);
		}
		break;
	default:
		rn_text_put(t, "null", 4);
	}
}
