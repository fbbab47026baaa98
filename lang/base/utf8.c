/* utf8.c - UTF-8 and widths: see utf8.h. */
#include "lang/base/utf8.h"
#include <string.h>

#define LONG_NAME 40 /* bytes: a longer name in backquotes may be broken at its blanks */

size_t rn_utf8_char(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len = !n            ? 0
		     : u[0] < 0x80 ? 1
		     : u[0] < 0xC2 ? 0
		     : u[0] < 0xE0 ? 2
		     : u[0] < 0xF0 ? 3
		     : u[0] < 0xF5 ? 4
				   : 0;

	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((u[i] & 0xC0) != 0x80)
			return 0;
	if (len > 2 && ((u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F) ||
			(u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F)))
		return 0; /* overlong, surrogate, beyond U+10FFFF */
	return len;
}

size_t rn_utf8_len(const char *s, size_t n)
{
	size_t len = rn_utf8_char(s, n);

	return len ? len : 1;
}

uint32_t rn_utf8_decode(const char *s, size_t n)
{
	/* bits of the first byte, by length */
	static const unsigned char lead[] = {0xFF, 0xFF, 0x1F, 0x0F, 0x07};
	size_t len = rn_utf8_char(s, n);
	uint32_t c = (unsigned char)s[0] & lead[len];

	for (size_t i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3Fu);
	return c;
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

/* Characters that take no column or two columns: ranges of code points, in order (Unicode:
 * combining marks; East Asian Wide, Emoji). */
static const struct {
	uint32_t first, last;
	unsigned width;
} widths[] = {
	{0x0300, 0x036f, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05bd, 0},   {0x0610, 0x061a, 0},
	{0x064b, 0x065f, 0},   {0x0e34, 0x0e3a, 0},   {0x0e47, 0x0e4e, 0},   {0x1100, 0x115f, 2},
	{0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},
	{0x231a, 0x231b, 2},   {0x23e9, 0x23ec, 2},   {0x2614, 0x2615, 2},   {0x26a1, 0x26a1, 2},
	{0x2705, 0x2705, 2},   {0x2728, 0x2728, 2},   {0x274c, 0x274c, 2},   {0x2753, 0x2757, 2},
	{0x2e80, 0x303e, 2},   {0x3041, 0x3098, 2},   {0x3099, 0x309a, 0},   {0x309b, 0x4dbf, 2},
	{0x4e00, 0xa4cf, 2},   {0xa960, 0xa97f, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
	{0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},   {0xfeff, 0xfeff, 0},
	{0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
	{0x1f900, 0x1f9ff, 2}, {0x1fa70, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
};

static unsigned columns(uint32_t c)
{
	size_t i = 0, n = sizeof(widths) / sizeof(*widths);

	if (c < widths[0].first)
		return 1;
	while (i < n && c > widths[i].last)
		i++;
	return i < n && c >= widths[i].first ? widths[i].width : 1;
}

unsigned rn_utf8_width(const char *s, size_t n)
{
	unsigned w = 0;

	for (size_t i = 0, len; i < n; i += len) {
		len = rn_utf8_len(s + i, n - i);
		w += len > 1 ? columns(rn_utf8_decode(s + i, len)) : 1;
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
