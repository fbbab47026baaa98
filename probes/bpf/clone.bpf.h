/* clone.bpf.h - ioctls by which files share blocks: FICLONE, FICLONERANGE, FIDEDUPERANGE. They are
 * reported as copies from file to file.
 *
 * The program of system calls passes the call as it is. This file reads its argument: which range
 * of which file, and where it went. FIDEDUPERANGE makes one operation for each of its files; files
 * beyond RN_CLONES are counted as uncovered.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_CLONE_BPF_H
#define RN_PROBES_BPF_CLONE_BPF_H
#include "probes/bpf/shared.bpf.h"

enum { RESULT_BITS = 47 };
#define MOST (1ULL << RESULT_BITS)
/* User memory's own layouts: include/uapi/linux/fs.h. */
struct clone_range {
	__u64 src_fd, src_offset, src_length, dest_offset;
};
struct dedupe_range {
	__u64 src_offset, src_length;
	__u16 dest_count, reserved1;
	__u32 reserved2;
};
struct dedupe_dest {
	__u64 dest_fd, dest_offset, bytes_deduped;
	__s32 status;
	__u32 reserved;
};

/* Bytes from the position to the end of the file; less than 0: the descriptor was closed
 * meanwhile. */
static __always_inline __s64 to_end(__u64 fd, __u64 from)
{
	struct file *f = (void *)file_of_fd((__u32)fd);
	__u64 size = f ? BPF_CORE_READ(f, f_inode, i_size) : 0;

	return !f ? -1 : size > from ? size - from : 0;
}

/* A result is less than 2^48 (catalog.c: MOVED). A sparse file may be larger; the search ends long
 * before. */
static __always_inline __u64 result(struct scratch *s, __u64 n)
{
	s->way = RN_PATH_PAGES;
	if (n <= MOST)
		return n;
	COVER(s, bytes_seen, n - MOST);
	COVER(s, beyond_cap, n - MOST);
	return MOST;
}

/* The call's argument cannot be read: only that it moved something is known. */
static __always_inline __u64 not_known(struct scratch *s)
{
	s->way = RN_PATH_PAGES;
	COVER(s, uncovered, 1);
	return 0;
}

/* The operation: bytes of `from` at position `at` went into `to` at position `to_at`. A descriptor
 * is an int: the bits above it do not count. */
static __always_inline __u64 cloned(struct rn_bpf_call *c, __u64 to, __u64 to_at, __u64 from,
				    __u64 at)
{
	c->arg[0] = (__u32)to;
	c->arg[1] = (__u32)from;
	c->arg[2] = at;
	c->arg[3] = to_at;
	return 1;
}

INTRINSIC __u64 rn_clone_range(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	struct clone_range r = {};

	if (!s || !c)
		return 0;
	c->nr = RN_OP_FICLONERANGE;
	if (bpf_probe_read_user(&r, sizeof(r), (void *)c->arg[2]))
		return c->ret ? cloned(c, c->arg[0], 0, NO_FILE, 0) : not_known(s);
	if (!c->ret) {
		__s64 n = r.src_length ? r.src_length : to_end(r.src_fd, r.src_offset);
		if (n < 0)
			return not_known(s);
		c->ret = result(s, n);
	}
	return cloned(c, c->arg[0], r.dest_offset, r.src_fd, r.src_offset);
}

/* The next file of FIDEDUPERANGE. arg[4]: the address of its argument. */
INTRINSIC __u64 rn_dedupe(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	struct dedupe_range r = {};
	struct dedupe_dest d = {};
	__u64 at;

	if (!s || !c)
		return 0;
	c->nr = RN_OP_FIDEDUPERANGE;
	if (bpf_probe_read_user(&r, sizeof(r), (void *)c->arg[4]))
		return s->round            ? 0
		       : (__s64)c->ret < 0 ? cloned(c, NO_FILE, 0, c->arg[1], 0)
					   : not_known(s);
	if (s->round >= r.dest_count || s->round >= RN_CLONES)
		return 0;
	at = c->arg[4] + sizeof(r) + s->round * sizeof(d);
	if (bpf_probe_read_user(&d, sizeof(d), (void *)at))
		return not_known(s);
	if (!s->round && r.dest_count > RN_CLONES) {
		s->way = RN_PATH_PAGES;
		COVER(s, uncovered, r.dest_count - RN_CLONES);
	}
	if (!s->round && (__s64)c->ret < 0) /* the result of each file is not set */
		s->round = r.dest_count;
	else
		c->ret = d.status < 0 ? (__u64)(__s64)d.status
			 : d.status   ? 0
				      : result(s, d.bytes_deduped);
	return cloned(c, d.dest_fd, d.dest_offset, c->arg[1], r.src_offset);
}

/* In: arg[0..2] and ret are those of the ioctl; or arg[5] = RN_AGAIN. */
INTRINSIC __u64 rn_op_clone(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	__u64 what;

	if (!s || !c)
		return 0;
	if (c->arg[5] == RN_AGAIN) {
		if (c->nr != RN_OP_FIDEDUPERANGE)
			return 0;
		s->round++;
		return rn_dedupe(c);
	}
	s->round = 0;
	what = (__u32)c->arg[1];
	c->arg[4] = c->arg[2];
	c->begin_ns = 0; /* the program knows when it began */
	if (what == RN_IOCTL_FICLONERANGE)
		return rn_clone_range(c);
	if (what == RN_IOCTL_FIDEDUPERANGE) {
		c->arg[1] = (__u32)c->arg[0];
		return rn_dedupe(c);
	}
	if (what != RN_IOCTL_FICLONE)
		return 0;
	c->nr = RN_OP_FICLONE;
	if (!c->ret) {
		__s64 n = to_end(c->arg[2], 0);
		if (n < 0)
			return not_known(s);
		c->ret = result(s, n);
	}
	return cloned(c, c->arg[0], 0, c->arg[2], 0);
}
#endif
