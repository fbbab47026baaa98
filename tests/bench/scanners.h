/* scanners.h - tables that tests/bench/main_bench_tags.c makes for tests/bench/scanners.bpf.c. */
#ifndef RN_BENCH_SCANNERS_H
#define RN_BENCH_SCANNERS_H
enum {
	BENCH_TAGS = 1000,
	BENCH_NAIVE_TAGS = 64,
	BENCH_TAG_BYTES = 16,
	BENCH_CLASSES = 64,
	BENCH_STATES = 16384
};
struct bench_tables {
	unsigned char tag[BENCH_TAGS][BENCH_TAG_BYTES];
	unsigned char cls[256];                            /* of a byte: 0 if no tag has it */
	unsigned short next[BENCH_STATES * BENCH_CLASSES]; /* state; bit 15: a tag ends here */
};
#endif
