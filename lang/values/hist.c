/* hist.c - see hist.h. */
#include "lang/values/hist.h"
#include <math.h>
#include <string.h>
#include "lang/values/json.h"

#define GREATEST 0x1p62 /* the greatest argument that is a fraction */

/* Is it written with a fraction or an exponent? */
static bool has_fraction(const struct rn_value *v)
{
	char text[40];

	if (v->kind != RN_FLOAT)
		return false;
	rn_float_text(text, sizeof(text), v->f);
	return strpbrk(text, ".e");
}

static double as_float(const struct rn_value *v)
{
	return v->kind == RN_FLOAT ? v->f : (double)v->i;
}

static int64_t as_int(const struct rn_value *v)
{
	return v->kind == RN_FLOAT ? (int64_t)v->f : v->i;
}

void rn_hist_put(struct rn_strbuf *out, const struct rn_value *low, const struct rn_value *high,
		 int64_t count)
{
	struct rn_bucket b = {.low = as_float(low),
			      .high = as_float(high),
			      .ilow = as_int(low),
			      .ihigh = as_int(high),
			      .count = count,
			      .fraction = has_fraction(low) || has_fraction(high)};

	if (low->kind == RN_FLOAT ? low->f <= -GREATEST : low->i == INT64_MIN)
		b.low = -INFINITY;
	if (high->kind == RN_FLOAT ? high->f >= GREATEST : high->i == INT64_MAX)
		b.high = INFINITY;
	rn_strbuf_putn(out, (const char *)&b, sizeof(b));
}

unsigned rn_hist_count(const struct rn_value *hist)
{
	return hist->kind == RN_STR ? (unsigned)(hist->len / sizeof(struct rn_bucket)) : 0;
}

struct rn_bucket rn_hist_bucket(const struct rn_value *hist, unsigned i)
{
	struct rn_bucket b;

	memcpy(&b, hist->s + i * sizeof(b), sizeof(b));
	return b;
}

static void put_bound(struct rn_strbuf *out, const struct rn_bucket *b, double v, int64_t whole)
{
	struct rn_value value = !b->fraction ? rn_int(whole)
				: isinf(v)   ? rn_float(v < 0 ? -GREATEST : GREATEST)
					     : rn_float(v);

	rn_value_json(out, (struct rn_ty){RN_T_INT}, &value);
}

const char *rn_hist_text(struct rn_arena *arena, const struct rn_value *hist)
{
	unsigned n = rn_hist_count(hist);
	struct rn_strbuf out;

	rn_strbuf_init(&out, arena);
	rn_strbuf_put(&out, "[");
	for (unsigned i = 0; i < n; i++) {
		struct rn_bucket b = rn_hist_bucket(hist, i);
		struct rn_value count = rn_int(b.count);

		rn_strbuf_put(&out, i ? ",[" : "[");
		put_bound(&out, &b, b.low, b.ilow);
		rn_strbuf_put(&out, ",");
		put_bound(&out, &b, b.high, b.ihigh);
		rn_strbuf_put(&out, ",");
		rn_value_json(&out, (struct rn_ty){RN_T_INT}, &count);
		rn_strbuf_put(&out, "]");
	}
	rn_strbuf_put(&out, "]");
	return rn_strbuf_cstr(&out);
}
