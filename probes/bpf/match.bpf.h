/* match.bpf.h - globs, exactly as fnmatch without FNM_PATHNAME and brackets: `*` any bytes, `?` any
 * one byte.
 *
 * A pattern of n literals is a bit-parallel automaton: bit i of `state` says that the first i
 * literals have been matched. A byte c moves each bit up by one if the bit's literal accepts c.
 * Bits that stand before a `*` also stay. There is no branch per byte and no backtracking; user
 * space makes the tables (probes/intrinsics/glob_nfa.c).
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_MATCH_BPF_H
#define RN_PROBES_BPF_MATCH_BPF_H
#include "probes/bpf/shared.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rn_bpf_pattern);
} rn_patterns SEC(".maps");

/* Run the automaton over MATCH_STEP bytes of a path; return the new state. A function of its own,
 * verified once. */
enum { MATCH_STEP = 46 };
_Static_assert(RN_PATH_BYTES % MATCH_STEP == 0, "steps cover the text");
INTRINSIC __u64 rn_match_part(__u64 pattern, struct rn_bpf_path *path, __u64 at, __u64 state)
{
	__u32 i = pattern & (RN_MAX_PATTERNS - 1);
	struct rn_bpf_pattern *p = bpf_map_lookup_elem(&rn_patterns, &i);

	if (!p || !path || at > RN_PATH_BYTES - MATCH_STEP)
		return 0;
	for (__u32 k = 0; k < MATCH_STEP; k++) {
		if (at + k >= path->len)
			break;
		state = ((state & p->move[(__u8)path->text[at + k]]) << 1) | (state & p->stay);
	}
	return state;
}

INTRINSIC __u64 rn_match(__u64 pattern, struct rn_file_key *key)
{
	__u32 i = pattern & (RN_MAX_PATTERNS - 1);
	struct rn_bpf_pattern *p = bpf_map_lookup_elem(&rn_patterns, &i);
	struct rn_bpf_path *path;
	__u64 state = 1, bit = 1ULL << i;

	if (!p || !key)
		return 0;
	path = path_of(key);
	if (!path)
		return !!(p->accept & state); /* no file: the text is empty */
	if (path->known & bit)
		return !!(path->verdict & bit);
	for (__u32 at = 0; at < RN_PATH_BYTES; at += MATCH_STEP) {
		if (at >= path->len)
			break;
		state = rn_match_part(pattern, path, at, state);
	}
	if (state & p->accept)
		__sync_fetch_and_or(&path->verdict, bit);
	__sync_fetch_and_or(&path->known, bit);
	return !!(state & p->accept);
}

/* The hash of a path's text as planner/plan/agg.h defines it for strings; that of the empty text if
 * there is no file. */
static __always_inline __u64 mix(__u64 x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

INTRINSIC __u64 rn_path_hash(struct rn_file_key *key)
{
	struct rn_bpf_path *path = key ? path_of(key) : NULL;
	__u64 h = 0x9E3779B97F4A7C15ULL, word;
	__s32 left = path ? path->len : 0;

	for (__u32 at = 0; at < RN_PATH_BYTES && path; at += 8, left -= 8) {
		if (left <= 0)
			break;
		word = *(__u64 *)(path->text + at);
		word &= left < 8 ? (1ULL << (left & 7) * 8) - 1 : ~0ULL;
		h = word ? mix(h ^ word) : h;
		OPAQUE(h);
	}
	return mix(h ^ 0x5bd1e995);
}

INTRINSIC __u64 rn_glob(__u64 pattern, struct rn_bpf_str *str)
{
	__u32 i = pattern & (RN_MAX_PATTERNS - 1);
	struct rn_bpf_pattern *p = bpf_map_lookup_elem(&rn_patterns, &i);
	__u64 state = 1;

	if (!p || !str)
		return 0;
	for (__u32 k = 0; k < sizeof(str->text); k++) {
		if (k >= str->len)
			break;
		state = ((state & p->move[(__u8)str->text[k]]) << 1) | (state & p->stay);
	}
	return !!(state & p->accept);
}

#define STEP(state, c) (((state)&p->move[(__u8)(c)]) << 1 | ((state)&p->stay))

INTRINSIC __u64 rn_glob_args(__u64 pattern, struct rn_bpf_data *args)
{
	__u32 i = pattern & (RN_MAX_PATTERNS - 1), k;
	struct rn_bpf_pattern *p = bpf_map_lookup_elem(&rn_patterns, &i);
	/* end: the state behind the last byte that is not NUL */
	__u64 state = 1, end = 1, n = RN_DATA_BYTES;
	bool cut;

	if (!p || !args)
		return 0;
	cut = args->len > RN_DATA_BYTES + 1;
	if (!cut && args->len < n)
		n = args->len;
	if (cut) {
		n = RN_DATA_BYTES - 2;
		for (k = 0; k < 3 && (args->byte[n] & 0xc0) == 0x80; k++)
			n--;
	}
	for (k = 0; k < RN_DATA_BYTES; k++) {
		__u8 c = args->byte[k];

		if (k >= n)
			break;
		state = STEP(state, c ? c : ' ');
		if (c)
			end = state;
	}
	if (cut) {
		end = STEP(state, '.');
		end = STEP(end, '.');
	}
	return !!(end & p->accept);
}
#endif
