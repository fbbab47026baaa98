/* out_hist.c - histograms drawn in text:
 *
 *    [1.0 us, 2.0 us)      12 |@@@@@@                |
 *
 * Consumes the JSON that hist() and lhist() finish to; a bound that is not a number (null) is open. */
#include <stdlib.h>
#include <string.h>
#include "repl/output.h"

struct bar { bool has_low, has_high; int64_t low, high, count; const char *label; };

static bool number(const char **p, const char *end, int64_t *out)
{
	while (*p < end && !strchr("-0123456789n]", **p))
		(*p)++;
	if (*p >= end || **p == ']' || **p == 'n') {
		*p += *p < end && **p == 'n' ? 4 : 0;
		return false;
	}
	char *stop;
	*out = strtoll(*p, &stop, 10);
	if (stop < end && (*stop == '.' || *stop == 'e'))
		*out = (int64_t)strtod(*p, &stop);
	*p = stop;
	return true;
}

static struct bar *parse(struct rn_arena *a, const char *json, size_t n, unsigned *nbars)
{
	const char *s = rn_arena_strndup(a, json, n), *p = s, *end = s + n;
	unsigned max = 0, k = 0;
	for (const char *q = p; q < end; q++)
		max += *q == '[';
	struct bar *bars = RN_NEWN(a, struct bar, max + 1);
	p = memchr(p, '[', n);
	p = p ? p + 1 : end;
	while (p < end && (p = memchr(p, '[', (size_t)(end - p)))) {
		struct bar *b = &bars[k];
		p++;
		b->has_low = number(&p, end, &b->low);
		b->has_high = number(&p, end, &b->high);
		k += number(&p, end, &b->count);
	}
	*nbars = k;
	return bars;
}

static const char *label(struct rn_arena *a, struct rn_ty ty, const struct bar *b)
{
	struct rn_ty bound = {.type = RN_T_INT, .unit = ty.unit};
	struct rn_value low = rn_int(b->low), high = rn_int(b->high);
	if (!b->has_low)
		return rn_arena_printf(a, "(..., %s)", rn_value_show(a, bound, &high));
	if (!b->has_high)
		return rn_arena_printf(a, "[%s, ...)", rn_value_show(a, bound, &low));
	if (b->high - 1 == b->low && ty.unit == RN_U_NONE)
		return rn_arena_printf(a, "[%s]", rn_value_show(a, bound, &low));
	return rn_arena_printf(a, "[%s, %s)", rn_value_show(a, bound, &low), rn_value_show(a, bound, &high));
}

unsigned rn_hist_draw(FILE *to, struct rn_arena *a, struct rn_ty ty, const char *json, size_t n, unsigned width, bool color)
{
	unsigned nbars, wide = 0, digits = 1;
	struct bar *bars = parse(a, json, n, &nbars);
	int64_t most = 1;
	char buf[32];
	for (unsigned i = 0; i < nbars; i++) {
		bars[i].label = label(a, ty, &bars[i]);
		unsigned w = rn_text_width(bars[i].label, strlen(bars[i].label));
		unsigned d = (unsigned)strlen(rn_text_commas(buf, bars[i].count));
		wide = w > wide ? w : wide;
		digits = d > digits ? d : digits;
		most = bars[i].count > most ? bars[i].count : most;
	}
	int room = (int)(width ? width : 100) - (int)(wide + digits + 7);
	unsigned full = room < 10 ? 10 : room > 60 ? 60 : (unsigned)room;
	for (unsigned i = 0; i < nbars; i++) {
		unsigned len = (unsigned)((double)bars[i].count / (double)most * full + 0.5);
		unsigned w = rn_text_width(bars[i].label, strlen(bars[i].label));
		len = bars[i].count > 0 && !len ? 1 : len; /* what is there is seen */
		fprintf(to, "  %s%*s  %*s |%s", bars[i].label, (int)(wide - w), "", (int)digits,
			rn_text_commas(buf, bars[i].count), color ? "\033[32m" : "");
		for (unsigned k = 0; k < len; k++)
			putc('@', to);
		fprintf(to, "%s%*s|\n", color ? "\033[0m" : "", (int)(full - len), "");
	}
	return nbars;
}
