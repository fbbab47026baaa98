/* chars.c - see chars.h. */
#include <stdio.h>
#include "repl/lib/chars.h"

size_t rn_text_char(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	if (!n)
		return 0;
	if (s[0] < 0x80)
		return 1;
	size_t len = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0; /* overlong, surrogate, beyond U+10FFFF */
	return len;
}

const char *rn_text_commas(char buf[32], long long v)
{
	char raw[24];
	int n = snprintf(raw, sizeof raw, "%lld", v), o = 0;
	int first = raw[0] == '-';
	for (int i = 0; i < n; i++) {
		if (i > first && (n - i) % 3 == 0)
			buf[o++] = ',';
		buf[o++] = raw[i];
	}
	buf[o] = 0;
	return buf;
}
