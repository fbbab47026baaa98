/* stddev.c - stddev(x): the population standard deviation, as in DTrace and bpftrace: sqrt(E[x^2] -
 * E[x]^2).
 *
 * It computes n * sum(x^2) - sum(x)^2 in full, so that no digits cancel. That is never negative and
 * below 2^256. */
#include "planner/agg/agg_impl.h"

#include <math.h>
#include <string.h>

enum { LIMBS = 4 };

/* out = a * b, numbers of 64-bit limbs, lowest first; limbs beyond LIMBS count as 0. */
static void multiply(uint64_t *out, const uint64_t *a, unsigned na, const uint64_t *b, unsigned nb)
{
	memset(out, 0, LIMBS * sizeof(*out));
	for (unsigned i = 0; i < na; i++) {
		uint64_t carry = 0;

		for (unsigned k = 0; k < nb && i + k < LIMBS; k++) {
			unsigned __int128 x = (unsigned __int128)a[i] * b[k] + out[i + k] + carry;

			out[i + k] = (uint64_t)x;
			carry = (uint64_t)(x >> 64);
		}
		if (i + nb < LIMBS)
			out[i + nb] = carry;
	}
}

/* a - b; 0 if b is greater. No arguments give that, but a peer may send it. */
static long double difference(const uint64_t *a, const uint64_t *b)
{
	uint64_t borrow = 0;
	long double r = 0;

	for (unsigned i = 0; i < LIMBS; i++) {
		unsigned __int128 x = (unsigned __int128)a[i] - b[i] - borrow;

		r += ldexpl((long double)(uint64_t)x, 64 * (int)i);
		borrow = (uint64_t)(x >> 64) & 1;
	}
	return borrow ? 0 : r;
}

static struct rn_value finish(const struct rn_agg_call *call, const struct rn_state *state,
			      const struct rn_finish_ctx *ctx, struct rn_arena *arena)
{
	uint64_t n, sum[2], squares[3], x[LIMBS], y[LIMBS];
	unsigned __int128 m;
	double sd;

	(void)ctx, (void)arena;
	if (!state->words || state->words[0] <= 0)
		return rn_null();
	n = (uint64_t)state->words[0];
	m = (unsigned __int128)rn_agg_total(state->words + 1);

	if (state->words[2] < 0)
		m = -m;
	sum[0] = (uint64_t)m;
	sum[1] = (uint64_t)(m >> 64);
	memcpy(squares, state->words + 3, sizeof(squares));
	multiply(x, squares, 3, &n, 1);
	multiply(y, sum, 2, sum, 2);
	sd = (double)(sqrtl(difference(x, y)) / (long double)n);
	return rn_float(call->fixed ? ldexp(sd, -RN_FIXED_SHIFT) : sd);
}

const struct rn_agg rn_agg_stddev = {
	.sig = {.name = "stddev",
		.arg = RN_ARG_AMOUNT,
		.result = RN_RES_FLOAT_DIFF,
		.doc = "stddev(x): the population standard deviation"},
	.nslots = 3,
	.slot = {RN_SLOT_COUNT, RN_SLOT_SUM, RN_SLOT_SUMSQ},
	.finish = finish,
};
