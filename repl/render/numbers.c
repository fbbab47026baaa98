/* numbers.c - see numbers.h. */
#include <stdio.h>
#include "repl/render/numbers.h"

const char *rn_text_commas(char buf[32], long long v)
{
	char raw[24];
	int n = snprintf(raw, sizeof(raw), "%lld", v), o = 0;
	int first = raw[0] == '-';

	for (int i = 0; i < n; i++) {
		if (i > first && (n - i) % 3 == 0)
			buf[o++] = ',';
		buf[o++] = raw[i];
	}
	buf[o] = 0;
	return buf;
}
