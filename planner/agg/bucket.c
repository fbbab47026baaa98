/* bucket.c - bucket functions of histograms, quantiles and HyperLogLog, and the hash of values.
 *
 * The kernel's generated code computes the same: a change here needs the same change there. */
#include "planner/plan/agg.h"

#include <math.h>
#include <string.h>

static unsigned bits(unsigned __int128 m)
{
	uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;

	return high  ? 128 - (unsigned)__builtin_clzll(high)
	       : low ? 64 - (unsigned)__builtin_clzll(low)
		     : 0;
}

int32_t rn_bucket_log2(rn_wide v)
{
	return v < 0 ? -1 : (int32_t)bits((unsigned __int128)v);
}

int32_t rn_bucket_loglin(rn_wide v)
{
	unsigned __int128 m = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	int32_t b;

	if (m < 128) {
		b = (int32_t)m;
	} else {
		unsigned shift = bits(m) - 7; /* leaves 7 bits, the first of them 1 */

		b = (int32_t)(shift * 64) + (int32_t)(m >> shift);
	}
	return v < 0 ? -b - 1 : b;
}

rn_wide rn_bucket_loglin_mid(int32_t b)
{
	enum { SHIFT_MAX = 119 };
	int64_t m = b < 0 ? -((int64_t)b + 1) : b, shift;
	rn_wide mid = m;

	if (m >= 128) {
		shift = m / 64 - 1 < SHIFT_MAX ? m / 64 - 1 : SHIFT_MAX;
		mid = ((rn_wide)(64 + m % 64) << shift) + ((rn_wide)1 << shift) / 2;
	}
	return b < 0 ? -mid : mid;
}

int32_t rn_bucket_linear(rn_wide v, rn_wide lo, rn_wide hi, rn_wide step)
{
	rn_wide b;

	if (v < lo)
		return -1;
	if (v >= hi)
		b = hi <= lo ? 0 : (hi - lo - 1) / step + 1;
	else
		b = (v - lo) / step;
	return b > INT32_MAX ? INT32_MAX : (int32_t)b;
}

static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

uint64_t rn_hash_value(const struct rn_value *value)
{
	return rn_hash_seeded(value, 0);
}

uint64_t rn_hash_seeded(const struct rn_value *value, uint64_t seed)
{
	uint64_t h = 0x9E3779B97F4A7C15ULL ^ seed, w;

	if (value->kind == RN_STR) {
		for (uint32_t i = 0; i < value->len; i += 8) {
			w = 0;
			memcpy(&w, value->s + i, value->len - i < 8 ? value->len - i : 8);
			if (w)
				h = mix(h ^ w);
		}
	} else {
		w = value->kind == RN_NULL                     ? 0
		    : value->kind == RN_FLOAT && value->f == 0 ? 0
							       : (uint64_t)value->i;
		if (w)
			h = mix(h ^ w);
	}
	return mix(h ^ 0x5bd1e995);
}

void rn_hll_cell(uint64_t hash, int32_t *reg, int64_t *rank)
{
	*reg = (int32_t)(hash >> (64 - RN_HLL_BITS));
	*rank = 1 + __builtin_ctzll(hash | 1ULL << 49);
}
