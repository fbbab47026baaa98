/* glob.c - globs over strings that need not end in NUL.
 *
 * The matcher is iterative and returns to one point only, the last `*`. Its time is therefore
 * bounded by the product of the lengths, for any pattern. */
#include "lang/values/glob.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

static bool in_class(const char *name, size_t n, unsigned char c)
{
	static const struct {
		const char *name;
		int (*is)(int);
	} classes[] = {
		{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
		{"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
		{"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (strlen(classes[i].name) == n && !memcmp(classes[i].name, name, n))
			return c < 0x80 && classes[i].is(c);
	return false;
}

/* Matches c against the bracket expression at p[0] == '['; returns its length, or 0 if it is not
 * closed: a plain '['. */
static size_t bracket(const char *p, size_t n, unsigned char c, bool *match)
{
	size_t i = 1;
	bool negate = i < n && (p[i] == '!' || p[i] == '^'), hit = false;

	i += negate;
	for (size_t first = i; i < n;) {
		unsigned char lo, hi;

		if (p[i] == ']' && i > first) {
			*match = hit != negate;
			return i + 1;
		}
		if (p[i] == '[' && i + 1 < n && p[i + 1] == ':') {
			const char *end = memmem(p + i + 2, n - i - 2, ":]", 2);

			if (end) {
				hit |= in_class(p + i + 2, (size_t)(end - p) - i - 2, c);
				i = (size_t)(end - p) + 2;
				continue;
			}
		}
		if (p[i] == '\\' && i + 1 < n)
			i++;
		lo = (unsigned char)p[i++];
		hi = lo;
		if (i + 1 < n && p[i] == '-' && p[i + 1] != ']') {
			i++;
			if (p[i] == '\\' && i + 1 < n)
				i++;
			hi = (unsigned char)p[i++];
		}
		hit |= c >= lo && c <= hi;
	}
	return 0;
}

/* Matches c against the pattern's next element, which is not a `*`. Returns the element's length,
 * or 0 if it does not match. */
static size_t element(const char *p, size_t n, unsigned char c)
{
	bool match;
	size_t len;

	if (*p == '?')
		return 1;
	if (*p == '[' && (len = bracket(p, n, c, &match)))
		return match ? len : 0;
	if (*p == '\\' && n > 1)
		return (unsigned char)p[1] == c ? 2 : 0;
	return (unsigned char)*p == c;
}

bool rn_glob(const char *pat, size_t npat, const char *s, size_t n)
{
	size_t p = 0, i = 0, star = SIZE_MAX, star_i = 0, len;

	while (i < n) {
		if (p < npat && pat[p] == '*') {
			star = ++p;
			star_i = i;
		} else if (p < npat && (len = element(pat + p, npat - p, (unsigned char)s[i]))) {
			p += len;
			i++;
		} else if (star != SIZE_MAX) {
			p = star;
			i = ++star_i;
		} else {
			return false;
		}
	}
	while (p < npat && pat[p] == '*')
		p++;
	return p == npat;
}

/* Is the `<` or `>` at p a part of an operator's name, or of `->`? */
static bool is_sign(const char *list, const char *p)
{
	while (p > list && strchr("<>=-", p[-1]))
		p--;
	return *p == '-' || (p - list >= 8 && !memcmp(p - 8, "operator", 8));
}

size_t rn_glob_in_list(const char *list)
{
	int round = 0, angle = 0;
	const char *p = list;

	for (; *p; p++) {
		if (*p == '(' || *p == ')')
			round += *p == '(' ? 1 : -1;
		else if ((*p == '<' || *p == '>') && !is_sign(list, p))
			angle += *p == '<' ? 1 : -1;
		else if (p[0] == ',' && p[1] == ' ' && round <= 0 && angle <= 0)
			break;
	}
	return (size_t)(p - list);
}

bool rn_glob_list(const char *list, const char *text)
{
	for (const char *part = list; part;) {
		size_t n = rn_glob_in_list(part);

		if (rn_glob(part, n, text, strlen(text)))
			return true;
		part = part[n] ? part + n + 2 : NULL;
	}
	return false;
}
