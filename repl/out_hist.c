/* out_hist.c - histograms drawn in text:
 *
 *    [1.0 us, 2.0 us)      12 |@@@@@@                |
 *
 * Consumes the JSON that hist() and lhist() finish to; a bound that is not a number (null), or the last that there is, is open. */
#include <stdlib.h>
#include <string.h>
#include "repl/output.h"

struct bar { bool has_low, has_high; double low, high; int64_t ilow, ihigh, count; const char *label; };
struct bars { struct bar *bar; unsigned n; bool fraction; /* a bound is no integer: values are not, and none is a bucket of its own */ };

/* As an integer too, as long as it is one. */
static bool number(const char **p, const char *end, int64_t *out, double *exact, bool *fraction)
{
	while (*p < end && !strchr("-0123456789n]", **p))
		(*p)++;
	if (*p >= end || **p == ']' || **p == 'n') {
		*p += *p < end && **p == 'n' ? 4 : 0;
		return false;
	}
	char *stop;
	*out = strtoll(*p, &stop, 10);
	*exact = (double)*out;
	if (stop < end && (*stop == '.' || *stop == 'e')) {
		*exact = strtod(*p, &stop);
		*fraction = true;
	}
	*p = stop;
	return true;
}

/* A bound that is the greatest or the least that an argument can be (of fractions, 2^62) is none. */
static bool is_bound(int64_t i, double d)
{
	bool fraction = d != (double)i;

	return i != INT64_MAX && i != INT64_MIN && !(fraction && (d >= 0x1p62 || d <= -0x1p62));
}

static struct bars parse(struct rn_arena *a, const char *json, size_t n)
{
	const char *s = rn_arena_strndup(a, json, n), *p = s, *end = s + n;
	unsigned max = 0;
	for (const char *q = p; q < end; q++)
		max += *q == '[';
	struct bars v = {.bar = RN_NEWN(a, struct bar, max + 1)};
	p = memchr(p, '[', n);
	p = p ? p + 1 : end;
	while (p < end && (p = memchr(p, '[', (size_t)(end - p)))) {
		struct bar *b = &v.bar[v.n];
		double unused;
		p++;
		b->has_low = number(&p, end, &b->ilow, &b->low, &v.fraction) && is_bound(b->ilow, b->low);
		b->has_high = number(&p, end, &b->ihigh, &b->high, &v.fraction) && is_bound(b->ihigh, b->high);
		v.n += number(&p, end, &b->count, &unused, &v.fraction);
	}
	return v;
}

static const char *label(struct rn_arena *a, struct rn_ty ty, const struct bar *b, bool fraction)
{
	struct rn_ty bound = {.type = fraction ? RN_T_FLOAT : RN_T_INT, .unit = ty.unit};
	struct rn_value low = fraction ? rn_float(b->low) : rn_int(b->ilow), high = fraction ? rn_float(b->high) : rn_int(b->ihigh);
	if (!b->has_low)
		return rn_arena_printf(a, "(..., %s)", rn_value_show(a, bound, &high));
	if (!b->has_high)
		return rn_arena_printf(a, "[%s, ...)", rn_value_show(a, bound, &low));
	if (!fraction && b->ihigh - 1 == b->ilow && ty.unit == RN_U_NONE)
		return rn_arena_printf(a, "[%s]", rn_value_show(a, bound, &low));
	return rn_arena_printf(a, "[%s, %s)", rn_value_show(a, bound, &low), rn_value_show(a, bound, &high));
}

unsigned rn_hist_draw(FILE *to, struct rn_arena *a, struct rn_ty ty, const char *json, size_t n, unsigned width, bool color)
{
	unsigned wide = 0, digits = 1;
	struct bars v = parse(a, json, n);
	struct bar *bars = v.bar;
	int64_t most = 1;
	char buf[32];
	for (unsigned i = 0; i < v.n; i++) {
		bars[i].label = label(a, ty, &bars[i], v.fraction);
		unsigned w = rn_utf8_width(bars[i].label, strlen(bars[i].label));
		unsigned d = (unsigned)strlen(rn_text_commas(buf, bars[i].count));
		wide = w > wide ? w : wide;
		digits = d > digits ? d : digits;
		most = bars[i].count > most ? bars[i].count : most;
	}
	int room = (int)(width ? width : 100) - (int)(wide + digits + 7);
	unsigned full = room < 10 ? 10 : room > 60 ? 60 : (unsigned)room;
	for (unsigned i = 0; i < v.n; i++) {
		unsigned len = (unsigned)((double)bars[i].count / (double)most * full + 0.5);
		unsigned w = rn_utf8_width(bars[i].label, strlen(bars[i].label));
		len = bars[i].count > 0 && !len ? 1 : len; /* what is there is seen */
		fprintf(to, "  %s%*s  %*s |%s", bars[i].label, (int)(wide - w), "", (int)digits,
			rn_text_commas(buf, bars[i].count), color ? "\033[32m" : "");
		for (unsigned k = 0; k < len; k++)
			putc('@', to);
		fprintf(to, "%s%*s|\n", color ? "\033[0m" : "", (int)(full - len), "");
	}
	return v.n;
}
