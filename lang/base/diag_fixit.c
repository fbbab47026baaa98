/* diag_fixit.c - mends a text by the hints of its errors: for "did you mean `X`?" it puts X in the
 * error's place. */
#include <string.h>
#include "lang/base/diag.h"

enum { MOST = 32 };
struct change {
	struct rn_span span;
	const char *to;
	size_t n;
};

/* Finds the X of "did you mean `X`?". Returns 0 if the hint says something else. */
static size_t meant(const char *hint, const char **x)
{
	static const char *const begin[] = {"did you mean `", "did you mean the aggregate `"};
	const char *end;

	for (unsigned i = 0; hint && i < sizeof(begin) / sizeof(*begin); i++) {
		if (strncmp(hint, begin[i], strlen(begin[i])))
			continue;
		*x = hint + strlen(begin[i]);
		end = strchr(*x, '`');
		return end && end[1] == '?' ? (size_t)(end - *x) : 0;
	}
	return 0;
}

/* Collects the changes in the order of their places. If two overlap, it keeps the one found
 * first. */
static unsigned collect(const struct rn_diag *diag, uint16_t src, struct change *c)
{
	unsigned n = 0;

	for (const struct rn_diag_item *it = rn_diag_first(diag); it && n < MOST; it = it->next) {
		struct change one = {.span = it->span};
		unsigned at = n;
		bool apart = true;

		if (it->severity != RN_ERROR || it->span.src != src ||
		    it->span.end <= it->span.start || !(one.n = meant(it->hint, &one.to)))
			continue;
		for (unsigned i = 0; i < n; i++)
			apart &= c[i].span.end <= one.span.start || one.span.end <= c[i].span.start;
		for (; apart && at && c[at - 1].span.start > one.span.start; at--)
			c[at] = c[at - 1];
		if (apart) {
			c[at] = one;
			n++;
		}
	}
	return n;
}

const char *rn_diag_mend(const struct rn_diag *diag, struct rn_arena *arena, uint16_t src)
{
	struct change c[MOST];
	unsigned n = collect(diag, src, c);
	size_t len, from = 0;
	const char *text = rn_diag_text(diag, src, &len), *mended = "";

	for (unsigned i = 0; i < n; i++) {
		const char *at = text + c[i].span.start,
			   quote = (char)((*at == '"' || *at == '\'') && *c[i].to != *at ? *at : 0),
			   mark[2] = {quote, 0};

		mended = rn_arena_printf(arena, "%s%.*s%s%.*s%s", mended,
					 (int)(c[i].span.start - from), text + from, mark,
					 (int)c[i].n, c[i].to, mark);
		from = c[i].span.end;
	}
	return n ? rn_arena_printf(arena, "%s%.*s", mended, (int)(len - from), text + from) : NULL;
}
