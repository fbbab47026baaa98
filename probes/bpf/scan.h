/* scan.h - which of the query's tags occur in the payload of one finished call; exact.
 *
 * The payload is a stream: the segments of the call one after the other, cut at page borders (so that a page that is not there
 * costs only itself). Each chunk is copied behind the last CARRY bytes of what came before, so a tag that lies across a border of
 * chunks or of iovecs lies whole in the buffer. Nothing beyond the returned length is ever part of it.
 *
 * Search: every occurrence of a tag of w bytes holds a q-gram at a position that is a multiple of the stride, if q + stride - 1 <= w
 * for the shortest tag. The hot loop only hashes those q-grams and ORs one byte of a table per sample, one flag per block, without
 * branches. Flagged blocks are looked at again: each sampled q-gram that begins a chain of candidates (tag, offset) has all of
 * them compared byte by byte. The tables are made in user space (scantab.c).
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_BPF_SCAN_H
#define RN_BPF_SCAN_H
#include "probes/bpf/shared.h"
#include "probes/scantab.h"

const volatile __u32 rn_stride = 8; /* 8, 3 or 1; the verifier drops the code of the others */
struct rn_scan_tables rn_tab;       /* .bss, filled before loading */

#define MULT 0x9E3779B97F4A7C15ULL
#define HASH8(x) (((x) * MULT) >> 48)
#define HASH4(x) ((((x) << 32) * MULT) >> 48)
#define LOAD8(p) (*(__u64 *)(p))
#define LOAD4(p) ((__u64)*(__u32 *)(p))

/* Does the tag of entry `at` lie around buf[pos]? Without branches: there are few states for the verifier to follow. */
INTRINSIC __u64 rn_compare(__u64 pos, __u64 gram, __u64 at)
{
	struct scratch *s = scratch();
	struct rn_scan_entry *e = &rn_tab.entry[at & (RN_SCAN_ENTRIES - 1)];
	struct rn_scan_tag *t = &rn_tab.tag[e->tag & (RN_MAX_TAGS - 1)];
	__u64 begin = pos - e->off, diff = gram ^ e->gram;
	unsigned char *p;

	if (!s || begin > CARRY + CHUNK)
		return 0;
	if (begin < CARRY - s->carried || begin + t->len > s->end)
		return 0;
	p = s->buf + begin;
#pragma unroll
	for (int i = 0; i < 8; i++)
		diff |= (LOAD8(p + i * 8) ^ t->word[i]) & t->care[i];
	if (!diff)
		s->mask |= 1ULL << (e->tag & 63);
	return 0;
}

/* All candidates of the q-gram `gram` at buf[pos]: the whole chain. */
INTRINSIC __u64 rn_candidates(__u64 pos, __u64 gram, __u64 hash)
{
	__u64 at = rn_tab.head[hash & (RN_SCAN_HEADS - 1)];

	for (__u32 k = 0; k < RN_SCAN_ENTRIES; k++) {
		if (!at)
			break;
		rn_compare(pos, gram, at);
		at = rn_tab.entry[at & (RN_SCAN_ENTRIES - 1)].next;
	}
	return 0;
}

/* A flagged block again, sample by sample. Block b begins at b * BLOCK(stride). */
#define BLOCK8 64
#define BLOCK3 48
#define BLOCK1 32
INTRINSIC __u64 rn_block8(__u64 b)
{
	struct scratch *s = scratch();

	b &= 127;
	if (!s || b > (CARRY + CHUNK) / BLOCK8)
		return 0;
	for (__u32 k = 0; k < BLOCK8 / 8; k++) {
		__u64 x = LOAD8(s->buf + b * BLOCK8 + k * 8), h = HASH8(x);
		if (rn_tab.hit[h & 65535])
			rn_candidates(b * BLOCK8 + k * 8, x, h);
	}
	return 0;
}
INTRINSIC __u64 rn_block3(__u64 b)
{
	struct scratch *s = scratch();

	b &= 127;
	if (!s || b > (CARRY + CHUNK) / BLOCK3)
		return 0;
	for (__u32 k = 0; k < BLOCK3 / 3; k++) {
		__u64 x = LOAD4(s->buf + b * BLOCK3 + k * 3), h = HASH4(x);
		if (rn_tab.hit[h & 65535])
			rn_candidates(b * BLOCK3 + k * 3, x, h);
	}
	return 0;
}
INTRINSIC __u64 rn_block1(__u64 b)
{
	struct scratch *s = scratch();

	b &= 255;
	if (!s || b > (CARRY + CHUNK) / BLOCK1)
		return 0;
	for (__u32 k = 0; k < BLOCK1; k++) {
		__u64 x = LOAD4(s->buf + b * BLOCK1 + k), h = HASH4(x);
		if (rn_tab.hit[h & 65535])
			rn_candidates(b * BLOCK1 + k, x, h);
	}
	return 0;
}

/* Samples one after the other: clang would load all at once and spill. All calls from an event's program down to rn_compare share
 * 512 bytes of stack; only from kernel 6.13 on, each function has a stack of its own. */
#define IN_ORDER(p, a) asm volatile("" : "+r"(p), "+r"(a))

/* The hot loops: up to 64 blocks from block `first` of the buffer; a mask of those that hold a sampled q-gram of some tag. */
static __always_inline __u64 filter8(unsigned char *buf, __u32 first, __u64 end)
{
	__u64 flags = 0;

	for (__u32 i = 0; i < 64; i++) {
		unsigned char *p = buf + (first + i) * BLOCK8;
		__u8 a = 0;
		if ((first + i) * BLOCK8 >= end || first + i > (CARRY + CHUNK) / BLOCK8)
			break;
#pragma unroll
		for (int k = 0; k < 8; k++) {
			a |= rn_tab.hit[HASH8(LOAD8(p + k * 8))];
			IN_ORDER(p, a);
		}
		flags |= (((__u64)a + 255) >> 8) << i;
	}
	return flags;
}
static __always_inline __u64 filter3(unsigned char *buf, __u32 first, __u64 end)
{
	__u64 flags = 0;

	for (__u32 i = 0; i < 64; i++) {
		unsigned char *p = buf + (first + i) * BLOCK3;
		__u8 a = 0;
		if ((first + i) * BLOCK3 >= end || first + i > (CARRY + CHUNK) / BLOCK3)
			break;
#pragma unroll
		for (int k = 0; k < 8; k++) { /* two samples from one load: bytes 0-3 and 3-6 */
			__u64 x = LOAD8(p + k * 6);
			a |= rn_tab.hit[HASH4(x)];
			a |= rn_tab.hit[HASH4(x >> 24)];
			IN_ORDER(p, a);
		}
		flags |= (((__u64)a + 255) >> 8) << i;
	}
	return flags;
}
static __always_inline __u64 filter1(unsigned char *buf, __u32 first, __u64 end)
{
	__u64 flags = 0;

	for (__u32 i = 0; i < 64; i++) {
		unsigned char *p = buf + (first + i) * BLOCK1;
		__u8 a = 0;
		if ((first + i) * BLOCK1 >= end || first + i > (CARRY + CHUNK) / BLOCK1)
			break;
#pragma unroll
		for (int k = 0; k < BLOCK1 / 4; k++) { /* four samples from one load */
			__u64 x = LOAD8(p + k * 4);
			a |= rn_tab.hit[HASH4(x)];
			a |= rn_tab.hit[HASH4(x >> 8)];
			a |= rn_tab.hit[HASH4(x >> 16)];
			a |= rn_tab.hit[HASH4(x >> 24)];
			IN_ORDER(p, a);
		}
		flags |= (((__u64)a + 255) >> 8) << i;
	}
	return flags;
}

/* One global function per group of 64 blocks: they end where the verifier may forget what it knows. */
INTRINSIC __u64 rn_filter(__u64 first)
{
	struct scratch *s = scratch();
	__u64 flags;

	if (!s || s->end <= first * 64 * (rn_stride == 8 ? BLOCK8 : rn_stride == 3 ? BLOCK3 : BLOCK1))
		return 0;
	/* Constants, for the verifier: the loops' offsets stay known. */
	if (rn_stride == 8)
		flags = first ? filter8(s->buf, 64, s->end) : filter8(s->buf, 0, s->end);
	else if (rn_stride == 3)
		flags = first ? filter3(s->buf, 64, s->end) : filter3(s->buf, 0, s->end);
	else if (first == 0)
		flags = filter1(s->buf, 0, s->end);
	else
		flags = first == 1 ? filter1(s->buf, 64, s->end) : filter1(s->buf, 128, s->end);
	if (!flags)
		return 0;
	for (__u32 i = 0; i < 64; i++) {
		if (!(flags >> i & 1))
			continue;
		if (rn_stride == 8)
			rn_block8(first * 64 + i);
		else if (rn_stride == 3)
			rn_block3(first * 64 + i);
		else
			rn_block1(first * 64 + i);
	}
	return 0;
}

/* Takes the next piece of s->len bytes at s->addr, which are the stream's next, up to the end of a page, into the buffer. in_kernel:
 * the address is the kernel's. 1: there is something to search. State is in scratch, since the verifier would follow it through
 * every iteration. */
INTRINSIC __u64 rn_chunk(__u64 in_kernel)
{
	struct scratch *s = scratch();
	__u64 addr, n;
	long bad;

	if (!s)
		return 0;
	addr = s->addr;
	n = CHUNK - (addr & (CHUNK - 1));
	if (n > s->len)
		n = s->len;
	s->addr = addr + n;
	s->len -= n;
	OPAQUE(n);
	if (!n || n > CHUNK)
		return 0;
	bad = in_kernel ? bpf_probe_read_kernel(s->buf + CARRY, n, (void *)addr) :
			  bpf_probe_read_user(s->buf + CARRY, n, (void *)addr);
	if (bad) { /* not in memory: what comes next does not join what came before */
		s->carried = 0;
		COUNT(faulted, n);
		return 0;
	}
	s->end = CARRY + n;
	COUNT(bytes_scanned, n);
	return 1;
}

/* The last CARRY bytes of the buffer move to the front; forward, since the ranges may overlap. */
INTRINSIC __u64 rn_carry(void)
{
	struct scratch *s = scratch();
	unsigned char *p;
	__u64 n;

	if (!s)
		return 0;
	n = s->end - CARRY;
	OPAQUE(n);
	if (n > CHUNK)
		return 0;
	p = s->buf + n;
#pragma unroll
	for (int i = 0; i < CARRY / 8; i++)
		*(volatile __u64 *)(s->buf + i * 8) = LOAD8(p + i * 8);
	n += s->carried;
	s->carried = n > CARRY ? CARRY : n;
	return 0;
}

/* Searches the next piece of s->len; 0: there is none, or all tags are found. The calls are made here, not in rn_chunk, to keep the
 * chain of calls, and with it the stack, short. */
static __always_inline bool piece(struct scratch *s, __u64 in_kernel)
{
	if (s->mask == s->wanted || !s->len)
		return false;
	if (rn_chunk(in_kernel)) {
		rn_filter(0);
		rn_filter(1);
		if (rn_stride == 1)
			rn_filter(2);
		rn_carry();
	}
	return true;
}

/* One segment of user memory, as long as the call has bytes left. */
static __always_inline void segment(struct scratch *s, __u64 addr, __u64 len)
{
	if (len > s->left)
		len = s->left;
	s->left -= len;
	s->addr = addr;
	s->len = len;
	for (__u32 i = 0; i <= RN_SCAN_CAP / CHUNK; i++)
		if (!piece(s, 0))
			break;
	COUNT(bytes_scanned, s->len); /* not looked at only if all tags are found: there is nothing more to learn */
}

/* Begins a stream of n bytes: what is beyond the cap is counted, not searched. */
static __always_inline void begin(struct scratch *s, __u64 n)
{
	COUNT(bytes_seen, n);
	if (n > RN_SCAN_CAP) {
		COUNT(beyond_cap, n - RN_SCAN_CAP);
		n = RN_SCAN_CAP;
	}
	s->left = n;
	s->carried = 0;
}

static __always_inline void set_iovecs(struct scratch *s, __u64 iov, __u64 count)
{
	s->iov = iov;
	s->iovs = count > RN_SCAN_IOVECS ? RN_SCAN_IOVECS : count;
	s->more = count > RN_SCAN_IOVECS;
}

/* The iovecs of a struct msghdr whose payload has n bytes. */
static __always_inline void set_message(struct scratch *s, __u64 addr, __u64 n)
{
	struct { __u64 iov, iovlen; } m = {};

	begin(s, n);
	if (bpf_probe_read_user(&m, sizeof(m), (void *)(addr + __builtin_offsetof(struct user_msghdr, iov))))
		COUNT(faulted, s->left);
	set_iovecs(s, m.iov, m.iovlen);
}

INTRINSIC __u64 rn_range(__u64 addr, __u64 len)
{
	struct scratch *s = scratch();

	if (s)
		segment(s, addr, len);
	return 0;
}

/* Searches the next iovec, or begins the next message when there is none; 0: that was all. */
INTRINSIC __u64 rn_iovec(void)
{
	struct scratch *s = scratch();
	struct iovec v;
	__u32 len = 0;

	if (!s)
		return 0;
	if (!s->iovs || !s->left) {
		__u64 at = s->msg;
		if (!s->msgs)
			return 0;
		s->msgs--;
		s->msg = at + sizeof(struct user_mmsghdr);
		if (bpf_probe_read_user(&len, sizeof(len), (void *)(at + __builtin_offsetof(struct user_mmsghdr, len))))
			COUNT(faulted, 1);
		set_message(s, at, len);
		return 1;
	}
	if (bpf_probe_read_user(&v, sizeof(v), (void *)s->iov)) {
		COUNT(faulted, s->left);
		s->left = 0;
		return s->msgs;
	}
	s->iov += sizeof(v);
	s->iovs--;
	segment(s, v.base, v.len);
	if (!s->iovs && s->more)
		COUNT(beyond_cap, s->left);
	return 1;
}

INTRINSIC __u64 rn_scan(__u64 kind, __u64 addr, __u64 n, __u64 ret)
{
	struct scratch *s = scratch();

	if (!s || (__s64)ret <= 0)
		return 0;
	s->mask = s->iovs = s->msgs = 0;
	s->wanted = rn_tab.all;
	if (kind < RN_SCAN_MMSGHDR && ret < rn_tab.shortest) { /* cannot hold a tag */
		COUNT(bytes_seen, ret);
		COUNT(bytes_scanned, ret);
		return 0;
	}
	if (kind == RN_SCAN_BUF) {
		begin(s, ret < n ? ret : n);
		rn_range(addr, s->left);
		return s->mask;
	}
	if (kind == RN_SCAN_IOVEC) {
		begin(s, ret);
		set_iovecs(s, addr, n);
	} else if (kind == RN_SCAN_MSGHDR) {
		set_message(s, addr, ret);
	} else if (kind == RN_SCAN_MMSGHDR) {
		s->msg = addr;
		s->msgs = ret > RN_SCAN_MSGS ? RN_SCAN_MSGS : ret;
		if (ret > RN_SCAN_MSGS)
			COUNT(uncovered, ret - RN_SCAN_MSGS);
	} else {
		COUNT(uncovered, 1);
	}
	for (__u32 i = 0; i < RN_SCAN_MSGS * (RN_SCAN_IOVECS + 1); i++)
		if (!rn_iovec())
			break;
	return s->mask;
}
#endif
