/* stddev.c - stddev(x): the population standard deviation, as DTrace and bpftrace give it: sqrt(E[x^2] - E[x]^2).
 *
 * n * sum(x^2) - sum(x)^2 is computed in 128-bit integers where it fits, so that no digits cancel. */
#include "exec/agg/aggs.h"

#include <math.h>

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s, const struct rn_finish_ctx *f,
			      struct rn_arena *a)
{
	(void)f, (void)a;
	if (!s->words || s->words[0] <= 0)
		return rn_null();
	unsigned __int128 n = (uint64_t)s->words[0], nn;
	unsigned __int128 sumsq = (unsigned __int128)(uint64_t)s->words[3] << 64 | (uint64_t)s->words[2];
	__int128 sum = s->words[1];
	unsigned __int128 sq = (unsigned __int128)(sum < 0 ? -sum : sum) * (unsigned __int128)(sum < 0 ? -sum : sum);
	long double var;

	if (!__builtin_mul_overflow(n, sumsq, &nn))
		var = nn > sq ? (long double)(nn - sq) / ((long double)n * (long double)n) : 0;
	else
		var = (long double)sumsq / (long double)n - (long double)sq / ((long double)n * (long double)n);
	double sd = var > 0 ? (double)sqrtl(var) : 0;
	return rn_float(c->fixed ? ldexp(sd, -RN_FIXED_SHIFT) : sd);
}

const struct rn_agg rn_agg_stddev = {
	.sig = {.name = "stddev", .arg = RN_ARG_AMOUNT, .result = RN_RES_FLOAT_DIFF,
		.doc = "stddev(x): the population standard deviation"},
	.nslots = 3,
	.slot = {RN_SLOT_COUNT, RN_SLOT_SUM, RN_SLOT_SUMSQ},
	.finish = finish,
};
