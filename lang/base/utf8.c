/* utf8.c - UTF-8 and widths: see utf8.h. utf8proc knows the characters; which of them are plain is
 * ours to say. */
#include "lang/base/utf8.h"
#include <string.h>
#include <utf8proc.h>

#define LONG_NAME 40 /* bytes: a longer name in backquotes may be broken at its blanks */

size_t rn_utf8_char(const char *s, size_t n)
{
	utf8proc_int32_t code;
	utf8proc_ssize_t len;

	if (!n)
		return 0;
	if ((unsigned char)s[0] < 0x80)
		return 1;
	len = utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)(n < 4 ? n : 4),
			       &code);
	return len > 0 ? (size_t)len : 0;
}

size_t rn_utf8_len(const char *s, size_t n)
{
	size_t len = rn_utf8_char(s, n);

	return len ? len : 1;
}

uint32_t rn_utf8_decode(const char *s, size_t n)
{
	utf8proc_int32_t code;

	if (utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)(n < 4 ? n : 4),
			     &code) > 0)
		return (uint32_t)code;
	return (unsigned char)s[0];
}

/* Ranges of code points, in order. The joiners U+200C and U+200D are part of words and of signs, so
 * they are plain. */
static const struct {
	uint32_t first, last;
} not_plain[] = {
	{0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c},   {0x180e, 0x180e},
	{0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
	{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

bool rn_utf8_is_plain(uint32_t code)
{
	for (size_t i = 0; i < sizeof(not_plain) / sizeof(*not_plain) && code >= not_plain[i].first;
	     i++)
		if (code <= not_plain[i].last)
			return false;
	return true;
}

size_t rn_utf8_clean(char *to, size_t cap, const char *s, size_t n, const char *keep)
{
	enum { LONGEST = 16 }; /* four bytes, escaped */
	static const char hex[] = "0123456789abcdef";
	size_t o = 0;

	for (size_t i = 0, len; i < n && o + LONGEST < cap; i += len) {
		size_t whole = rn_utf8_char(s + i, n - i);

		len = whole ? whole : 1;
		if (whole && ((s[i] && strchr(keep, s[i])) ||
			      rn_utf8_is_plain(rn_utf8_decode(s + i, len)))) {
			memcpy(to + o, s + i, len);
			o += len;
			continue;
		}
		for (size_t k = 0; k < len; k++) {
			unsigned char c = (unsigned char)s[i + k];

			memcpy(to + o, (const char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
			o += 4;
		}
	}
	if (cap)
		to[o < cap ? o : cap - 1] = 0;
	return o;
}

unsigned rn_utf8_width(const char *s, size_t n)
{
	unsigned w = 0;

	for (size_t i = 0, len; i < n; i += len) {
		len = rn_utf8_len(s + i, n - i);
		w += len > 1 ? (unsigned)utf8proc_charwidth(
				       (utf8proc_int32_t)rn_utf8_decode(s + i, len))
			     : 1;
	}
	return w;
}

size_t rn_utf8_word(const char *s, unsigned *width)
{
	size_t n = 0;

	*width = 0;
	while (s[n] && !strchr(" \n", s[n])) {
		const char *end = s[n] == '`' ? strchr(s + n + 1, '`') : NULL;
		size_t len = rn_utf8_len(s + n, strnlen(s + n, 4));

		if (end && end - (s + n) <= LONG_NAME &&
		    !memchr(s + n, '\n', (size_t)(end - (s + n))))
			len = (size_t)(end - (s + n)) + 1;
		if (s[n] == '\033') {
			len = strcspn(s + n, "m");
			len += s[n + len] == 'm';
		} else {
			*width += rn_utf8_width(s + n, len);
		}
		n += len;
	}
	return n;
}
