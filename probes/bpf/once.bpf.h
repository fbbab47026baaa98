/* once.bpf.h - ways that carry payload and are not searched: each thing that is such a way (a ring,
 * a traced process) is uncovered once in a query, however often it is used. They are kept in a map,
 * whose keys user space counts: some programs that find them may lose the CPU amid their work, and
 * so may not add to the counters of a CPU. SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_BPF_ONCE_H
#define RN_BPF_ONCE_H
#include "probes/bpf/shared.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct rn_once_key);
	__type(value, __u32);
} rn_once SEC(".maps");

/* It is a way that is not searched. If there is no room to remember more of them, this one is
 * counted each time. */
static __always_inline void count_once(__u64 path, __u64 what, __u64 which)
{
	struct rn_once_key k = {.path = path, .what = what, .which = which};
	__u32 seen = 1;

	/* before 6.4 only 32 bits of it are set */
	if ((int)bpf_map_update_elem(&rn_once, &k, &seen, BPF_ANY))
		COUNT(path[path & 15].uncovered, 1);
}
#endif
