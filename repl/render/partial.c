/* partial.c - see partial.h. */
#include <stdio.h>
#include <string.h>
#include "repl/render/partial.h"

static const struct {
	int64_t ns;
	const char *name;
} units[] = {
	{3600000000000, "h"}, {60000000000, "min"}, {1000000000, "s"},
	{1000000, "ms"},      {1000, "us"},         {1, "ns"},
};

/* The fewest digits behind the point that tell the part from the whole, and from zero. */
static int digits(double part, double whole)
{
	char a[40], b[40];
	int n = 1;

	for (; n < 6; n++) {
		snprintf(a, sizeof(a), "%.*f", n, part);
		snprintf(b, sizeof(b), "%.*f", n, whole);
		if (strcmp(a, b) && (part <= 0 || strspn(a, "0.") != strlen(a)))
			break;
	}
	return part <= 0 ? 0 : n;
}

const char *rn_partial_text(char buf[RN_PARTIAL_BYTES], int64_t covered_ns, int64_t window_ns)
{
	unsigned u = 0;
	double part, whole;

	while (window_ns < units[u].ns)
		u++;
	part = (double)covered_ns / (double)units[u].ns;
	whole = (double)window_ns / (double)units[u].ns;
	snprintf(buf, RN_PARTIAL_BYTES, " (%.*f of %g %s)", digits(part, whole), part, whole,
		 units[u].name);
	return buf;
}
