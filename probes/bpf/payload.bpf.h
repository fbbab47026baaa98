/* payload.bpf.h - where the payload of a finished call lies, by the call's trait: into scratch, for
 * the functions that read it.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_PAYLOAD_BPF_H
#define RN_PROBES_BPF_PAYLOAD_BPF_H
#include "probes/bpf/fuse.bpf.h"

/* ---- data received by getsockopt(TCP_ZEROCOPY_RECEIVE) ----
 *
 * Pages of the stream are mapped into the caller's memory, then bytes are copied to a buffer that
 * the caller chose. Both are there when the call returns, so they are searched as two buffers. */
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

/* ---- where the payload lies ---- */

/* .bss, filled before loading from the catalogue of calls */
struct rn_bpf_trait rn_traits[RN_SYS_MAX];

static __always_inline __u64 arg_of(struct rn_bpf_call *c, __u64 arg)
{
	OPAQUE(arg);
	return arg < 6 ? c->arg[arg] : 0;
}

/* The path of a call whose trait has none: decided by what the descriptor is open on. */
static __always_inline __u64 way_of(__u32 mode)
{
	__u32 type = mode & S_IFMT;

	return type == S_IFREG    ? RN_PATH_FILE
	       : type == S_IFSOCK ? RN_PATH_SOCKET
	       : type == S_IFIFO  ? RN_PATH_PIPE
				  : RN_PATH_OTHER;
}

/* Read the current file's kind of inode and its position. */
static __always_inline void look_at(struct scratch *s, __u32 *mode, __u64 *at, const bool fast)
{
	struct file *f = fast ? cast(s->file, rn_type_file) : (void *)s->file;
	struct inode *ino = GET(fast, f, f_inode);

	*mode = GET(fast, ino, i_mode);
	*at = GET(fast, f, f_pos);
}

/* The path of operations on devices, and of copies. */
INTRINSIC __u64 rn_way(__u64 way, __u64 copy)
{
	struct scratch *s = scratch();

	if (s && (is_fuse(s->file) || (copy && is_fuse(s->to))))
		return RN_PATH_FUSE;
	return copy ? RN_PATH_PAGES : way;
}

/* The output of a copy inside the kernel: where its data went, s->ret bytes before the present
 * position. */
INTRINSIC __u64 rn_output(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	struct rn_bpf_trait *t;
	struct file *f;
	__u64 at = 0, pos;

	if (!s || !c || c->nr >= RN_SYS_MAX)
		return 0;
	t = &rn_traits[c->nr];
	f = (void *)file_of_fd(arg_of(c, t->fd));
	s->to = (__u64)f;
	if (!f)
		return 0;
	pos = arg_of(c, t->topos);
	if (c->nr >=
	    RN_OP_FIRST) { /* operations that are no calls: the payload's first position itself */
		s->to_start = pos;
		return 0;
	}
	if (!pos)
		at = BPF_CORE_READ(f, f_pos);
	else if (bpf_probe_read_user(&at, sizeof(at), (void *)pos))
		s->to = 0;
	s->to_start = at - s->ret;
	return 0;
}

/* Clear what scratch knows of an earlier call's payload. */
static __always_inline void forget_payload(struct scratch *s)
{
	s->file = s->flags = s->node = s->init = s->asker = s->head = s->conn = 0;
	s->start = NOWHERE;
	s->by_file = 0;
}

/* Notes where a payload of so many bytes lies in memory. */
static __always_inline void look_at_memory(struct scratch *s, struct rn_bpf_call *c,
					   struct rn_bpf_trait *t, __u64 moved)
{
	s->kind = t->payload == RN_SCAN_BY_ARG ? c->arg[5] : t->payload;
	s->dir = t->dir;
	s->way = t->path;
	s->base = arg_of(c, t->buf);
	s->n = t->len < 6 ? arg_of(c, t->len) : c->ret;
	s->ret = moved;
	if (s->kind == RN_SCAN_ZEROCOPY) {
		s->kind = RN_SCAN_IOVEC;
		s->base = (__u64)s->zero;
		s->n = 2;
	}
}

/* Finds where the payload begins in its file. Memory at pos has the position if there is one.
 * Otherwise the file's own position counts, which is behind the payload. */
static __always_inline void find_start(struct scratch *s, __u64 pos, __u64 at)
{
	__u64 to = 0;

	s->by_file = !pos;
	if (!pos)
		s->start = at - s->ret;
	else if (!bpf_probe_read_user(&to, sizeof(to), (void *)pos))
		s->start = to - s->ret;
	else
		COVER(s, faulted, s->ret);
}

/* 1: there is payload, and scratch says where it is. */
INTRINSIC __u64 rn_payload(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	struct rn_bpf_trait *t;
	__u64 nr, pos = 0, at, moved;
	__u32 mode;
	__u8 off;

	if (!s || !c)
		return 0;
	nr = c->nr;
	if (nr >= RN_SYS_MAX)
		return 0;
	t = &rn_traits[nr];
	moved = t->payload == RN_SCAN_ZEROCOPY ? rn_zerocopy(c) : c->ret;
	if ((__s64)moved <= 0)
		return 0;
	look_at_memory(s, c, t, moved);
	forget_payload(s);
	if (t->path == RN_PATH_TLS)
		s->conn = c->arg[0];
	if (t->dir == DIR_THROUGH) {
		s->file = file_of_fd(arg_of(c, t->src));
		rn_output(c);
		pos = arg_of(c, t->srcpos);
		if (nr >= RN_OP_FIRST)
			s->start = pos;
		off = RN_TRAIT_NONE;
	} else {
		if (t->fd < 6)
			s->file = file_of_fd(arg_of(c, t->fd));
		off = t->off;
		if (off >= 6) /* they mean something else for preadv2 */
			s->flags = arg_of(c, t->flags);
	}
	if (!s->file)
		return 1;
	if (rn_cast)
		look_at(s, &mode, &at, true);
	else
		look_at(s, &mode, &at, false);
	if (!s->way)
		s->way = way_of(mode);
	if ((mode & S_IFMT) == S_IFCHR || t->dir == DIR_THROUGH)
		s->way = rn_way(s->way, t->dir == DIR_THROUGH);
	if (s->way == RN_PATH_FUSE)
		return rn_fuse();
	if (off < 6)
		s->start = arg_of(c, off);
	if (s->start == NOWHERE)
		find_start(s, pos, at);
	return 1;
}
#endif
