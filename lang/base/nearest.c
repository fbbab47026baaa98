/* nearest.c - finds the nearest of some names. */
#include "lang/base/nearest.h"
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { NEAREST_MAX = 64 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Damerau-Levenshtein (optimal string alignment) over three rows. Both lengths are below
 * NEAREST_MAX. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][NEAREST_MAX + 1];
	unsigned *before = rows[0], *prev = rows[1], *cur = rows[2];

	for (size_t j = 0; j <= nb; j++)
		prev[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *t;

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned same = a[i - 1] == b[j - 1] ? 0 : 1;

			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < cur[j])
				cur[j] = before[j - 2] + 1;
		}
		t = before;

		before = prev;
		prev = cur;
		cur = t;
	}
	return prev[nb];
}

/* Is s one of the words that `_` joins in name? */
static bool is_part(const char *s, size_t n, const char *name)
{
	for (const char *at = strstr(name, s); at && n > 2; at = strstr(at + 1, s))
		if ((at == name || at[-1] == '_') && (!at[n] || at[n] == '_'))
			return true;
	return false;
}

const char *rn_nearest(const char *s, const char *const *names)
{
	size_t n = strlen(s);
	const char *best = NULL;
	unsigned best_distance = 0;
	unsigned allowed;

	if (!names || !n || n > NEAREST_MAX)
		return NULL;
	for (; *names; names++) {
		size_t m = strlen(*names);
		unsigned d;

		if (m > NEAREST_MAX)
			continue;
		if (!strcasecmp(s, *names))
			return *names;
		/* total is nearer to total_bytes than to local */
		d = is_part(s, n, *names) ? 1 : distance(s, n, *names, m);
		if (!best || d < best_distance) {
			best = *names;
			best_distance = d;
		}
	}
	/* Allow a third of the length, and at least one: `raed` is near `read`. Nothing is near a
	 * single letter. */
	allowed = n < 2 ? 0 : n < 5 ? 1 : (unsigned)(n + 1) / 3;

	return best && best_distance <= allowed ? best : NULL;
}
