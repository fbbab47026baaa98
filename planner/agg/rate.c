/* rate.c - rate, rate(x): events, or the sum of x, per second of the time that was covered.
 *
 * At the node its slot holds a sum. rn_agg_cover then turns it into the amount of a whole window:
 * planner/plan/agg.h. */
#include "planner/agg/agg_impl.h"
#include <math.h>

enum { WORDS = 4 };

static void negate(uint64_t *w)
{
	uint64_t carry = 1;

	for (int i = 0; i < WORDS; i++) {
		w[i] = ~w[i] + carry;
		carry = carry && !w[i];
	}
}

/* w * whole / covered, rounded to the nearest; w is not negative. */
static void scale(uint64_t *w, uint64_t whole, uint64_t covered)
{
	unsigned __int128 x = 0;

	for (int i = 0; i < WORDS; i++) {
		x += (unsigned __int128)w[i] * whole;
		w[i] = (uint64_t)x;
		x >>= 64;
	}
	x = covered / 2;
	for (int i = 0; i < WORDS; i++) {
		x += w[i];
		w[i] = (uint64_t)x;
		x >>= 64;
	}
	for (int i = WORDS - 1; i >= 0; i--) {
		x = x << 64 | w[i];
		w[i] = (uint64_t)(x / covered);
		x %= covered;
	}
}

void rn_agg_cover(int64_t w[4], int64_t whole_ns, int64_t covered_ns)
{
	bool minus = w[WORDS - 1] < 0;
	uint64_t u[WORDS] = {(uint64_t)w[0], (uint64_t)w[1], (uint64_t)w[2], (uint64_t)w[3]};

	if (minus)
		negate(u);
	u[2] = u[1]; /* times 2^RN_RATE_SHIFT; a sum has two words */
	u[1] = u[0];
	u[0] = u[3] = 0;
	scale(u, (uint64_t)whole_ns, covered_ns > 0 ? (uint64_t)covered_ns : 1);
	if (minus)
		negate(u);
	for (int i = 0; i < WORDS; i++)
		w[i] = (int64_t)u[i];
}

/* Makes a double of the highest word that is not 0, and the one below it. */
static double to_double(const int64_t *w)
{
	uint64_t u[WORDS] = {(uint64_t)w[0], (uint64_t)w[1], (uint64_t)w[2], (uint64_t)w[3]};
	bool minus = w[WORDS - 1] < 0;
	int top = WORDS - 1;
	double x;

	if (minus)
		negate(u);
	while (top > 1 && !u[top])
		top--;
	x = ldexp((double)((unsigned __int128)u[top] << 64 | u[top - 1]),
		  64 * (top - 1) - RN_RATE_SHIFT);
	return minus ? -x : x;
}

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	double x;

	(void)a;
	x = s->words ? to_double(s->words) : 0;

	x = c->fixed ? ldexp(x, -RN_FIXED_SHIFT) : x;
	return rn_float(f && f->window_ns ? x * 1e9 / (double)f->window_ns : x);
}

const struct rn_agg rn_agg_rate = {
	.sig = {.name = "rate",
		.arg = RN_ARG_AMOUNT,
		.arg_optional = true,
		.result = RN_RES_RATE,
		.doc = "rate, rate(x): events, or the sum of x, per second of the time that was "
		       "covered"},
	.nslots = 1,
	.slot = {RN_SLOT_RATE},
	.finish = finish,
};
