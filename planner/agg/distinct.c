/* distinct.c - distinct(x): an estimate of the number of different values, by HyperLogLog with 2^14
 * registers: standard error 0.81 %. Two values share a register once in 16,384 times, and then
 * count as one. This can happen even with few values.
 *
 * The estimator is Ertl's (arXiv:1702.01284, section 4): one unbiased formula from 0 to beyond
 * 2^40. It needs neither the switch to linear counting nor tables of corrections. */
#include "planner/agg/agg_impl.h"

#include <math.h>

enum { MAX_RANK = 50 }; /* see rn_hll_cell: 49 random bits, then a fixed 1 */

/* sum over k >= 1 of x^(2^k) * 2^(k-1), plus x: for the registers that are still 0. */
static double sigma(double x)
{
	double y = 1, z = x, last;

	if (x >= 1)
		return INFINITY;
	do {
		x *= x;
		last = z;
		z += x * y;
		y += y;
	} while (z != last);
	return z;
}

/* The same for the other end: the registers at their maximum. */
static double tau(double x)
{
	double y = 1, z = 1 - x, last;

	if (x <= 0 || x >= 1)
		return 0;
	do {
		x = sqrt(x);
		last = z;
		y *= 0.5;
		z -= (1 - x) * (1 - x) * y;
	} while (z != last);
	return z / 3;
}

static struct rn_value finish(const struct rn_agg_call *call, const struct rn_state *state,
			      const struct rn_finish_ctx *ctx, struct rn_arena *arena)
{
	const double m = 1 << RN_HLL_BITS;
	double of_rank[MAX_RANK + 1] = {0};
	double z;

	(void)call, (void)ctx, (void)arena;
	of_rank[0] = m - state->ncells;
	for (uint32_t i = 0; i < state->ncells; i++) {
		int64_t r = state->cells[i].value;

		of_rank[r < 0 ? 0 : r > MAX_RANK ? MAX_RANK : r]++;
	}
	if (of_rank[0] >= m)
		return rn_int(0);
	z = m * tau(1 - of_rank[MAX_RANK] / m);
	for (int k = MAX_RANK - 1; k >= 1; k--)
		z = 0.5 * (z + of_rank[k]);
	z += m * sigma(of_rank[0] / m);
	return rn_int(llround(m * m / (2 * M_LN2 * z)));
}

const struct rn_agg rn_agg_distinct = {
	.sig = {.name = "distinct",
		.arg = RN_ARG_ANY,
		.result = RN_RES_INT,
		.doc = "distinct(x): the number of different values, estimated: standard error 0.8 "
		       "%"},
	.cell = RN_CELL_HLL,
	.finish = finish,
};
