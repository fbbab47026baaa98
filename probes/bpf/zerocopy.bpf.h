/* zerocopy.bpf.h - data received by getsockopt(TCP_ZEROCOPY_RECEIVE): pages of the stream, mapped
 * into the caller's memory, then bytes copied to a buffer that the caller chose. Both are there
 * when the call returns, so they are searched as two buffers.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_ZEROCOPY_BPF_H
#define RN_PROBES_BPF_ZEROCOPY_BPF_H
#include "probes/bpf/shared.bpf.h"

enum { TCP_ZEROCOPY_RECEIVE = 35, SOL_TCP = 6 };
/* User memory's layout: struct tcp_zerocopy_receive. Old programs know only its first members. */
struct user_zerocopy {
	__u64 address;
	__u32 length, skip_hint, inq;
	__s32 error;
};
struct user_zerocopy_copy {
	__u64 address;
	__s32 length;
	__u32 flags;
};
enum { ZEROCOPY_COPY = sizeof(struct user_zerocopy), ZEROCOPY_COPIED = ZEROCOPY_COPY + 12 };

/* getsockopt: descriptor, level, option, its value, its length. Return how many bytes were
 * received; s->zero: where they are. */
INTRINSIC __u64 rn_zerocopy(struct rn_bpf_call *c)
{
	struct user_zerocopy_copy copy = {};
	struct user_zerocopy map = {};
	struct scratch *s = scratch();
	__u32 known = 0;
	long bad;

	if (!s || !c || c->ret || (__u32)c->arg[1] != SOL_TCP ||
	    (__u32)c->arg[2] != TCP_ZEROCOPY_RECEIVE)
		return 0;
	bad = bpf_probe_read_user(&known, sizeof(known), (void *)c->arg[4]);
	bad |= bpf_probe_read_user(&map, sizeof(map), (void *)c->arg[3]);
	if (known >= ZEROCOPY_COPIED)
		bad |= bpf_probe_read_user(&copy, sizeof(copy) - sizeof(copy.flags),
					   (void *)(c->arg[3] + ZEROCOPY_COPY));
	if (bad) {
		COUNT(path[RN_PATH_SOCKET].uncovered, 1);
		return 0;
	}
	s->zero[0].base = map.address;
	s->zero[0].len = map.length;
	s->zero[1].base = copy.address;
	s->zero[1].len = copy.length > 0 ? copy.length : 0;
	return s->zero[0].len + s->zero[1].len;
}
#endif
