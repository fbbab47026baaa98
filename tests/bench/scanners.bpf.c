/* scanners.bpf.c - what our tag search is compared with by tests/bench/main_bench_tags.c: two
 * textbook ways to search payload, as BPF programs of the same shape (at the return of pread64 of
 * one process, 4 KiB at a time, through a per-CPU buffer). No part of the product.
 *
 *   naive         compares every tag at every position, byte by byte
 *   aho_corasick  one automaton of all tags, a step for each byte
 *   copy_alone    copies the payload as the others do, and looks at nothing: no search is quicker
 *   empty         nothing
 * Each counts what it finds in `hits`. SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#include "probes/bpf/kernel.bpf.h"
#include "tests/bench/scanners.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct___bench {
	int tgid;
};
#pragma clang attribute pop

char LICENSE[] SEC("license") = "Dual MIT/GPL";
const volatile __u32 target, ntags, length; /* the process; how many tags, all of one length */
struct bench_tables tables;
__u64 hits;

enum { CHUNK = 4096, PAD = 64, CHUNKS = (1 << 20) / (CHUNK - PAD) + 1, PREAD64 = 17 };
struct buffer {
	unsigned char b[CHUNK + PAD];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct buffer);
} buffers SEC(".maps");

static __always_inline struct buffer *take(__u64 at, __u64 n)
{
	__u32 zero = 0;
	struct buffer *b = bpf_map_lookup_elem(&buffers, &zero);

	if (n > CHUNK)
		n = CHUNK;
	OPAQUE(n);
	if (!b || n > CHUNK || bpf_probe_read_user(b->b, n, (void *)at))
		return NULL;
	return b;
}

INTRINSIC __u64 naive_position(__u64 at)
{
	__u32 zero = 0;
	struct buffer *b = bpf_map_lookup_elem(&buffers, &zero);
	__u32 k;

	if (!b)
		return 0;
	for (__u32 t = 0; t < BENCH_NAIVE_TAGS; t++) {
		if (t >= ntags)
			break;
		for (k = 0; k < BENCH_TAG_BYTES; k++)
			if (k >= length || b->b[(at & (CHUNK - 1)) + k] != tables.tag[t][k])
				break;
		if (k >= length)
			hits++;
	}
	return 0;
}
INTRINSIC __u64 naive_chunk(__u64 at, __u64 n)
{
	if (!take(at, n))
		return 0;
	for (__u32 i = 0; i < CHUNK; i++) {
		if (i + length > n)
			break;
		naive_position(i);
	}
	return 0;
}

INTRINSIC __u64 automaton_chunk(__u64 at, __u64 n, __u64 state)
{
	struct buffer *b = take(at, n);
	__u64 found = 0;

	if (!b)
		return 0;
	for (__u32 i = 0; i < CHUNK; i++) {
		if (i >= n)
			break;
		state = tables.next[(state * BENCH_CLASSES + tables.cls[b->b[i]]) &
				    (BENCH_STATES * BENCH_CLASSES - 1)];
		found += state >> 15;
		state &= 0x7fff;
	}
	hits += found;
	return state;
}

/* 0: not a call to look at. */
static __always_inline __u64 length_of(__u64 *ctx, __u64 *at)
{
	struct pt_regs *r = (void *)ctx[0];
	struct task_struct___bench *t = (void *)bpf_get_current_task_btf();

	if (t->tgid != target || r->orig_ax != PREAD64 || (__s64)ctx[1] <= 0)
		return 0;
	*at = r->si;
	return ctx[1];
}
SEC("?tp_btf/sys_exit") int naive(__u64 *ctx)
{
	/* so that nothing is missed between two chunks */
	__u64 at, n = length_of(ctx, &at), step = CHUNK + 1 - length;

	for (__u32 i = 0; n && i < CHUNKS; i++) {
		naive_chunk(at, n);
		if (n <= CHUNK)
			break;
		at += step;
		n -= step;
	}
	return 0;
}
/* For each chunk of n bytes at `at`. */
#define EACH_CHUNK(what) \
	for (__u32 i = 0; n && i < CHUNKS; i++) { \
		what; \
		if (n <= CHUNK) \
			break; \
		at += CHUNK; \
		n -= CHUNK; \
	}
SEC("?tp_btf/sys_exit") int aho_corasick(__u64 *ctx)
{
	__u64 at, n = length_of(ctx, &at), state = 0;

	EACH_CHUNK(state = automaton_chunk(at, n, state));
	return 0;
}
INTRINSIC __u64 copy_chunk(__u64 at, __u64 n)
{
	return take(at, n) != NULL;
}
SEC("?tp_btf/sys_exit") int copy_alone(__u64 *ctx)
{
	__u64 at, n = length_of(ctx, &at);

	EACH_CHUNK(copy_chunk(at, n));
	return 0;
}
SEC("?tp_btf/sys_exit") int empty(__u64 *ctx)
{
	return 0;
}
