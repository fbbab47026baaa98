/* minhash.h - a sketch of a payload in 64 bytes: enough to estimate how much two payloads have in
 * common.
 *
 * It is a one-permutation MinHash of the 8-byte sequences (shingles) of the bytes. The 8 bytes at
 * every position are a little-endian number x, and h = x * 0x9E3779B97F4A7C15 modulo 2^64. The top
 * 4 bits of h choose one of 16 places. Each place keeps the least of the next 32 bits of h, or
 * 0xffffffff if it got none. The value is the 16 numbers in order, little-endian. Similarity: the
 * number of places that are equal in both, divided by those that hold a number in at least one. It
 * estimates the share that two sets of shingles have in common (Jaccard); with 16 places the
 * standard error is up to 0.125. The kernel makes the same sketch (probes/bpf/hash.bpf.h). Neither
 * order nor repetition counts. */
#ifndef RN_LANG_VALUES_MINHASH_H
#define RN_LANG_VALUES_MINHASH_H
#include <stddef.h>
#include <stdint.h>

enum { RN_SKETCH_PLACES = 16, RN_SKETCH_BYTES = 4 * RN_SKETCH_PLACES, RN_SHINGLE_BYTES = 8 };

struct rn_sketch {
	uint32_t least[RN_SKETCH_PLACES];
};

/* Makes the sketch of n bytes. Fewer than 8 bytes have no shingle, and their sketch is empty. */
void rn_sketch_make(struct rn_sketch *sketch, const void *bytes, size_t n);
/* Converts from 64 bytes, and back. */
void rn_sketch_read(struct rn_sketch *sketch, const void *bytes);
void rn_sketch_write(const struct rn_sketch *sketch, void *bytes);
/* Returns 0 to 1; 0 if both are empty, because nothing is known to be in common. */
double rn_sketch_similarity(const struct rn_sketch *a, const struct rn_sketch *b);
#endif
