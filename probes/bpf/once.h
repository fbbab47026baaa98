/* once.h - ways that carry payload and are not searched: each thing that is such a way (a ring, a traced process) is counted as
 * uncovered once in a query, however often it is used. SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_BPF_ONCE_H
#define RN_BPF_ONCE_H
#include "probes/bpf/shared.h"

enum once { ONCE_RING_RX = 1, ONCE_RING_TX, ONCE_TRACEE };
struct rn_once_key { __u64 what; /* enum once */ __u64 which; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct rn_once_key);
	__type(value, __u32);
} rn_once SEC(".maps");

/* Counts it on the path if it is new. If there is no room to remember more of them, it is counted as if it were. */
static __always_inline void count_once(__u64 path, __u64 what, __u64 which)
{
	struct rn_once_key k = {.what = what, .which = which};
	__u32 seen = 1;

	if ((int)bpf_map_update_elem(&rn_once, &k, &seen, BPF_NOEXIST) != -EEXIST) /* before 6.4 only 32 bits of it are set */
		COUNT(path[path & 15].uncovered, 1);
}
#endif
