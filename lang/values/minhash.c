/* minhash.c - see minhash.h. */
#include "lang/values/minhash.h"
#include <string.h>

#define MULT 0x9E3779B97F4A7C15u
#define EMPTY 0xffffffffu

static uint64_t load_le(const unsigned char *p, unsigned bytes)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < bytes; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

void rn_sketch_make(struct rn_sketch *sketch, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	memset(sketch, 0xff, sizeof(*sketch));
	for (size_t i = 0; i + RN_SHINGLE_BYTES <= n; i++) {
		uint64_t h = load_le(p + i, 8) * MULT;
		uint32_t *least = &sketch->least[h >> 60], v = (uint32_t)(h >> 28);

		if (v < *least)
			*least = v;
	}
}

void rn_sketch_read(struct rn_sketch *sketch, const void *bytes)
{
	for (unsigned i = 0; i < RN_SKETCH_PLACES; i++)
		sketch->least[i] =
			(uint32_t)load_le((const unsigned char *)bytes + (size_t)4 * i, 4);
}

void rn_sketch_write(const struct rn_sketch *sketch, void *bytes)
{
	unsigned char *p = bytes;

	for (unsigned i = 0; i < RN_SKETCH_BYTES; i++)
		p[i] = (unsigned char)(sketch->least[i / 4] >> (8 * (i % 4)));
}

double rn_sketch_similarity(const struct rn_sketch *a, const struct rn_sketch *b)
{
	unsigned same = 0, used = 0;

	for (unsigned i = 0; i < RN_SKETCH_PLACES; i++) {
		used += a->least[i] != EMPTY || b->least[i] != EMPTY;
		same += a->least[i] != EMPTY && a->least[i] == b->least[i];
	}
	return used ? (double)same / used : 0;
}
