/* minhash.h - what a payload looks like, in 64 bytes: enough to say how much two payloads have in
 * common.
 *
 * A one-permutation MinHash of the 8-byte sequences (shingles) of the bytes. For the 8 bytes at
 * every position, taken as a little-endian number x, h = x * 0x9E3779B97F4A7C15 modulo 2^64. The
 * top 4 bits of h choose one of 16 places, each of which keeps the least of the next 32 bits of h;
 * 0xffffffff where nothing fell. The value is the 16 numbers in order, little-endian. Similarity:
 * the places that hold the same number in both, of those where one of the two holds any. It
 * estimates the share that two sets of shingles have in common (Jaccard); with 16 places the
 * standard error is up to 0.125. The kernel makes the same (probes/bpf/hash.bpf.h). Neither order
 * nor repetition counts. */
#ifndef RN_LANG_VALUES_MINHASH_H
#define RN_LANG_VALUES_MINHASH_H
#include <stddef.h>
#include <stdint.h>

enum { RN_SKETCH_PLACES = 16, RN_SKETCH_BYTES = 4 * RN_SKETCH_PLACES, RN_SHINGLE_BYTES = 8 };

struct rn_sketch {
	uint32_t least[RN_SKETCH_PLACES];
};

/* Of n bytes; fewer than 8 have no shingle, and their sketch is empty. */
void rn_sketch_make(struct rn_sketch *s, const void *bytes, size_t n);
/* From 64 bytes, and back. */
void rn_sketch_read(struct rn_sketch *s, const void *bytes);
void rn_sketch_write(const struct rn_sketch *s, void *bytes);
/* 0 to 1; 0 if both are empty: nothing is known to be in common. */
double rn_sketch_similarity(const struct rn_sketch *a, const struct rn_sketch *b);
#endif
