/* bytes.bpf.h - how many bytes a call has moved if its return value does not say so. The value may
 * be a number of operations or of messages. With MSG_TRUNC it is the length of a datagram that did
 * not fit its buffers. Which calls these are: rn_sys_ret_is_bytes (probes/catalog/catalog.h).
 *
 * Only the scratch that aio.bpf.h uses changes: a search of the same call's payload may have its
 * findings in the rest.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_BYTES_BPF_H
#define RN_PROBES_BPF_BYTES_BPF_H
#include "probes/bpf/aio.bpf.h"
#include "probes/bpf/payload.bpf.h"

/* How many of n bytes the buffers of the struct msghdr at `at` can take. All, if they cannot be
 * read. */
INTRINSIC __u64 rn_fits_message(__u64 at, __u64 n)
{
	struct {
		__u64 iov, iovlen;
	} m = {};
	__u64 room;

	if (bpf_probe_read_user(&m, sizeof(m),
				(void *)(at + __builtin_offsetof(struct user_msghdr, iov))))
		return n;
	room = rn_aio_iovecs(m.iov, m.iovlen);
	return room < n ? room : n;
}

/* Bytes of some messages of recvmmsg and sendmmsg, from number `from` on. */
INTRINSIC __u64 rn_bytes_of_some_messages(struct rn_bpf_call *c, __u64 from)
{
	__u64 sum = 0, at, trunc;

	if (!c)
		return 0;
	trunc = c->arg[3] & MSG_TRUNC;
	at = c->arg[1] + from * sizeof(struct user_mmsghdr);
	for (__u32 i = 0; i < AIO_SOME; i++) {
		__u32 len = 0;
		if (from + i >= c->ret)
			break;
		bpf_probe_read_user(&len, sizeof(len),
				    (void *)(at + __builtin_offsetof(struct user_mmsghdr, len)));
		sum += trunc ? rn_fits_message(at, len) : len;
		at += sizeof(struct user_mmsghdr);
	}
	return sum;
}
INTRINSIC __u64 rn_bytes_of_call_messages(struct rn_bpf_call *c)
{
	__u64 sum = 0;

	if (!c)
		return 0;
	for (__u32 i = 0; i < RN_SCAN_MSGS; i += AIO_SOME) {
		if (i >= c->ret)
			break;
		sum += rn_bytes_of_some_messages(c, i);
	}
	return sum;
}

INTRINSIC __u64 rn_bytes(struct rn_bpf_call *c)
{
	__u64 kind;

	if (!c)
		return 0;
	kind = aio_kind(c);
	if (kind == RN_SCAN_ZEROCOPY)
		return rn_zerocopy(c);
	if ((__s64)c->ret <= 0)
		return 0;
	if (kind == RN_SCAN_AIO_SUBMIT || kind == RN_SCAN_AIO_EVENTS)
		return rn_aio_bytes(c);
	if (kind == RN_SCAN_MMSGHDR)
		return rn_bytes_of_call_messages(c);
	if (kind == RN_SCAN_MSGHDR)
		return c->arg[2] & MSG_TRUNC ? rn_fits_message(c->arg[1], c->ret) : c->ret;
	return c->arg[2] < c->ret ? c->arg[2] : c->ret; /* recvfrom */
}
#endif
