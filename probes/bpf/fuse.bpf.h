/* fuse.bpf.h - messages of /dev/fuse: where a message's payload lies, and which file's data it is
 * part of.
 *
 * A message begins with a header, and a WRITE request has a second one. The payload follows: bytes
 * of a file at an offset, in a WRITE request and in the reply to a READ. A reply names only the
 * request that it answers. So a READ is remembered when the server takes it, by open device and
 * number of the request. Numbers begin again with each file system, and an open device may have the
 * address of one that was closed. INIT, the first request, separates what is remembered later from
 * what came before.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_FUSE_BPF_H
#define RN_PROBES_BPF_FUSE_BPF_H
#include "probes/bpf/shared.bpf.h"

enum { FUSE_READ = 15, FUSE_WRITE = 16, FUSE_INIT = 26 };
enum { FUSE_IN = 40, FUSE_OUT = 16, FUSE_IOVECS = 4 };

struct fuse_key {
	__u64 file, unique;
}; /* unique 0: the file system itself */
struct fuse_asked {
	__u64 node, offset, init, asker;
}; /* init: when its file system began */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct fuse_key);
	__type(value, struct fuse_asked);
} rn_fuse_asked SEC(".maps");

INTRINSIC __u64 rn_pipe_last(__u64 file, __u64 n);

static __always_inline bool is_fuse(__u64 file)
{
	struct file *f = (void *)file;

	return type_of(f) == S_IFCHR && BPF_CORE_READ(f, f_inode, i_rdev) == FUSE_DEVICE;
}

/* Read up to n more of the message's first bytes; return how many there are then. */
static __always_inline __u64 fuse_more(struct scratch *s, __u64 have, __u64 addr, __u64 n,
				       const bool in_kernel)
{
	char *to = (char *)&s->fuse;
	long bad;

	if (have >= sizeof(s->fuse) || !n || n > sizeof(s->fuse) - have)
		return have;
	OPAQUE(have);
	OPAQUE(n);
	if (have > sizeof(s->fuse) || n > sizeof(s->fuse))
		return 0;
	bad = in_kernel ? bpf_probe_read_kernel(to + have, n, (void *)addr)
			: bpf_probe_read_user(to + have, n, (void *)addr);
	return bad ? 0 : have + n;
}

/* Read the next iovec's part of the message's first `want` bytes. */
INTRINSIC __u64 rn_fuse_iovec(__u64 i, __u64 have, __u64 want)
{
	struct scratch *s = scratch();
	struct iovec v = {};

	if (!s || i >= s->n || have >= want || read_iovec(&v, s->base + i * sizeof(v)))
		return have;
	return fuse_more(s, have, v.base, v.len < want - have ? v.len : want - have, false);
}

/* Read the message's first `want` bytes into s->fuse; return how many. */
static __always_inline __u64 fuse_head(struct scratch *s, __u64 want)
{
	__u64 have = 0;

	if (s->kind == RN_SCAN_BUF)
		return fuse_more(s, 0, s->base, want, false);
	if (s->kind == RN_SCAN_PAGES) { /* the kernel puts them into one buffer of the pipe */
		have = rn_pipe_last(s->to, s->ret);
		return have ? fuse_more(s, 0, have, want, true) : 0;
	}
	if (s->kind == RN_SCAN_IOVEC)
		for (__u32 i = 0; i < FUSE_IOVECS; i++)
			have = rn_fuse_iovec(i, have, want);
	return have;
}

/* When the file system behind the device began; 0: not known. */
static __always_inline __u64 fuse_init(__u64 file)
{
	struct fuse_key k = {.file = file};
	struct fuse_asked *a = bpf_map_lookup_elem(&rn_fuse_asked, &k);

	return a ? a->init : 0;
}

/* The server has taken a request: how long are its headers? */
INTRINSIC __u64 rn_fuse_request(void)
{
	struct scratch *s = scratch();
	struct fuse_key k = {};
	struct fuse_asked a = {};
	__u64 head = FUSE_IN;

	if (!s)
		return 0;
	k.file = s->file;
	k.unique = s->fuse.in.unique;
	a.node = s->fuse.in.node;
	a.offset = s->fuse.in.offset;
	a.asker = s->fuse.in.pid;
	if (s->fuse.in.opcode == FUSE_INIT) {
		k.unique = 0;
		a.init = bpf_ktime_get_ns();
		bpf_map_update_elem(&rn_fuse_asked, &k, &a, BPF_ANY);
	} else if (s->fuse.in.opcode == FUSE_READ) {
		a.init = fuse_init(s->file);
		bpf_map_update_elem(&rn_fuse_asked, &k, &a, BPF_ANY);
	} else if (s->fuse.in.opcode == FUSE_WRITE && s->ret >= FUSE_IN &&
		   s->fuse.in.size < s->ret - FUSE_IN) {
		s->node = a.node;
		s->start = a.offset;
		s->asker = a.asker;
		s->init = fuse_init(s->file);
		head = s->ret - s->fuse.in.size; /* the second header has grown over the years */
	}
	return head;
}

/* The server has replied. */
INTRINSIC __u64 rn_fuse_reply(void)
{
	struct scratch *s = scratch();
	struct fuse_key k = {};
	struct fuse_asked *a;

	if (!s)
		return 0;
	k.file = s->file;
	k.unique = s->fuse.out.unique;
	a = k.unique ? bpf_map_lookup_elem(&rn_fuse_asked, &k) : NULL;
	if (a && a->init == fuse_init(s->file)) {
		s->node = a->node;
		s->start = a->offset;
		s->asker = a->asker;
		s->init = a->init;
	}
	return FUSE_OUT;
}

/* Turn what rn_payload has put into scratch into the message's payload. 0: it has none. */
INTRINSIC __u64 rn_fuse(void)
{
	struct scratch *s = scratch();
	__u64 want, least, head = 0;

	if (!s)
		return 0;
	s->start = NOWHERE;
	if (s->dir == DIR_THROUGH && is_fuse(s->file))
		s->dir = DIR_IN;
	want = s->dir == DIR_IN ? sizeof(s->fuse) : s->dir == DIR_OUT ? FUSE_OUT : 0;
	least = s->dir == DIR_IN ? FUSE_IN : FUSE_OUT;
	if (want > s->ret)
		want = s->ret;
	if (want >= least && fuse_head(s, want) >= want)
		head = s->dir == DIR_IN ? rn_fuse_request() : rn_fuse_reply();
	if (head > s->ret)
		head = s->ret;
	s->ret -= head;
	if (s->kind == RN_SCAN_BUF) {
		s->base += head;
		s->n -= head;
	} else if (s->kind == RN_SCAN_IOVEC) {
		s->head = head;
	}
	return s->ret != 0;
}
#endif
