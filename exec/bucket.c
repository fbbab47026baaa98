/* bucket.c - bucket functions of histograms, quantiles and HyperLogLog, and the hash of values.
 *
 * The kernel's generated code computes the same: what changes here must change there. */
#include "planner/agg.h"

#include <math.h>
#include <string.h>

int32_t rn_bucket_log2(int64_t v)
{
	if (v <= 0)
		return v < 0 ? -1 : 0;
	return 64 - __builtin_clzll((uint64_t)v);
}

void rn_bucket_log2_range(int32_t b, int64_t *low, int64_t *high)
{
	if (b < 0) {
		*low = INT64_MIN;
		*high = 0;
	} else {
		*low = b ? (int64_t)(1ULL << (b > 63 ? 62 : b - 1)) : 0;
		*high = b >= 63 ? INT64_MAX : (int64_t)(1ULL << b);
	}
}

int32_t rn_bucket_loglin(int64_t v)
{
	uint64_t m = v < 0 ? -(uint64_t)v : (uint64_t)v;
	int32_t b;

	if (m < 128) {
		b = (int32_t)m;
	} else {
		int shift = 57 - __builtin_clzll(m); /* leaves 7 bits, the first of them 1 */
		b = shift * 64 + (int32_t)(m >> shift);
	}
	return v < 0 ? -b - 1 : b;
}

int64_t rn_bucket_loglin_mid(int32_t b)
{
	int64_t m = b < 0 ? -((int64_t)b + 1) : b;
	uint64_t mid;

	if (m < 128) {
		mid = (uint64_t)m;
	} else {
		int64_t shift = m / 64 - 1;
		if (shift > 57)
			return b < 0 ? INT64_MIN : INT64_MAX;
		mid = ((uint64_t)(64 + m % 64) << shift) + (1ULL << shift) / 2;
	}
	if (b < 0)
		return mid >= 1ULL << 63 ? INT64_MIN : -(int64_t)mid;
	return mid > INT64_MAX ? INT64_MAX : (int64_t)mid;
}

int32_t rn_bucket_linear(int64_t v, int64_t lo, int64_t hi, int64_t step)
{
	uint64_t b;

	if (v < lo)
		return -1;
	if (v >= hi)
		b = hi <= lo ? 0 : ((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)step + 1;
	else
		b = ((uint64_t)v - (uint64_t)lo) / (uint64_t)step;
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

uint64_t rn_hash_value(const struct rn_value *v)
{
	uint64_t h = 0x9E3779B97F4A7C15ULL, w;

	if (v->kind == RN_STR) {
		for (uint32_t i = 0; i < v->len; i += 8) {
			w = 0;
			memcpy(&w, v->s + i, v->len - i < 8 ? v->len - i : 8);
			if (w)
				h = mix(h ^ w);
		}
	} else {
		w = v->kind == RN_NULL ? 0 : v->kind == RN_FLOAT && v->f == 0 ? 0 : (uint64_t)v->i;
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
