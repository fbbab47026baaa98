/* hist.c - histograms drawn in text:
 *
 *    [1.0 us, 2.0 us)      12 |@@@@@@                |
 *
 * A bound is open if it is the least or the greatest possible argument. */
#include <math.h>
#include <string.h>
#include "lang/values/hist.h"
#include "repl/out/output.h"
#include "repl/out/shades.h"

struct bar {
	struct rn_bucket bucket;
	const char *label;
};
struct bars {
	struct bar *bar;
	unsigned n;
	bool fraction; /* any bound is one: then no bucket is a single value */
};

static struct bars bars_of(struct rn_arena *a, const struct rn_value *hist)
{
	struct bars v = {.n = rn_hist_count(hist)};

	v.bar = RN_NEWN(a, struct bar, v.n + 1);
	for (unsigned i = 0; i < v.n; i++) {
		v.bar[i].bucket = rn_hist_bucket(hist, i);
		v.fraction |= v.bar[i].bucket.fraction;
	}
	return v;
}

static const char *label(struct rn_arena *a, struct rn_ty ty, const struct rn_bucket *b,
			 bool fraction)
{
	struct rn_ty bound = {.type = fraction ? RN_T_FLOAT : RN_T_INT, .unit = ty.unit};
	struct rn_value low = fraction ? rn_float(b->low) : rn_int(b->ilow),
			high = fraction ? rn_float(b->high) : rn_int(b->ihigh);

	if (isinf(b->low))
		return rn_arena_printf(a, "(..., %s)", rn_value_show(a, bound, &high));
	if (isinf(b->high))
		return rn_arena_printf(a, "[%s, ...)", rn_value_show(a, bound, &low));
	if (!fraction && b->ihigh - 1 == b->ilow && ty.unit == RN_U_NONE)
		return rn_arena_printf(a, "[%s]", rn_value_show(a, bound, &low));
	return rn_arena_printf(a, "[%s, %s)", rn_value_show(a, bound, &low),
			       rn_value_show(a, bound, &high));
}

unsigned rn_hist_draw(FILE *to, struct rn_arena *arena, struct rn_ty ty,
		      const struct rn_value *hist, const struct rn_terminal *term)
{
	unsigned wide = 0, digits = 1;
	struct bars v = bars_of(arena, hist);
	struct bar *bars = v.bar;
	int64_t most = 1;
	char buf[32], on[RN_SHADE_BYTES];
	int room;
	unsigned full;

	for (unsigned i = 0; i < v.n; i++) {
		unsigned w, d;

		bars[i].label = label(arena, ty, &bars[i].bucket, v.fraction);
		w = rn_utf8_width(bars[i].label, strlen(bars[i].label));
		d = (unsigned)strlen(rn_text_commas(buf, bars[i].bucket.count));
		wide = w > wide ? w : wide;
		digits = d > digits ? d : digits;
		most = bars[i].bucket.count > most ? bars[i].bucket.count : most;
	}
	room = (int)(term->width ? term->width : 100) - (int)(wide + digits + 7);
	full = room < 10 ? 10 : room > 60 ? 60 : (unsigned)room;
	for (unsigned i = 0; i < v.n; i++) {
		unsigned len = (unsigned)((double)bars[i].bucket.count / (double)most * full + 0.5);
		unsigned w = rn_utf8_width(bars[i].label, strlen(bars[i].label));

		len = bars[i].bucket.count > 0 && !len ? 1 : len; /* any count shows at least one */
		fprintf(to, "  %s%*s  %*s |%s", bars[i].label, (int)(wide - w), "", (int)digits,
			rn_text_commas(buf, bars[i].bucket.count),
			rn_shade_on(on, term, rn_shade_of_part(bars[i].bucket.count, most)));
		for (unsigned k = 0; k < len; k++)
			putc('@', to);
		fprintf(to, "%s%*s|\n", rn_shade_off(term), (int)(full - len), "");
	}
	return v.n;
}
