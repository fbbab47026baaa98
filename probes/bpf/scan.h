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
#include "probes/bpf/payload.h"
#include "probes/scantab.h"

const volatile __u32 rn_stride = 8; /* 8, 3 or 1; the verifier drops the code of the others */
const volatile __u32 rn_chain = RN_SCAN_ENTRIES; /* length of the longest chain: a constant for the verifier, whose time it saves */
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

	for (__u32 k = 0; k < rn_chain; k++) {
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

/* The hot loops: GROUP blocks at p, of which `room` bytes hold data; a mask of those with a sampled q-gram of some tag. */
#define GROUP 16
static __always_inline __u64 filter8(unsigned char *p, __s64 room)
{
	__u64 flags = 0;

	for (__u32 i = 0; i < GROUP; i++, p += BLOCK8, room -= BLOCK8) {
		__u8 a = 0;
		if (room <= 0)
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
static __always_inline __u64 filter3(unsigned char *p, __s64 room)
{
	__u64 flags = 0;

	for (__u32 i = 0; i < GROUP; i++, p += BLOCK3, room -= BLOCK3) {
		__u8 a = 0;
		if (room <= 0)
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
static __always_inline __u64 filter1(unsigned char *p, __s64 room)
{
	__u64 flags = 0;

	for (__u32 i = 0; i < GROUP; i++, p += BLOCK1, room -= BLOCK1) {
		__u8 a = 0;
		if (room <= 0)
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
#define GROUPS(block) ((CARRY + CHUNK + GROUP * (block) - 1) / (GROUP * (block)))
_Static_assert(GROUPS(BLOCK8) * GROUP * BLOCK8 + 8 <= CARRY + CHUNK + SLACK, "room beyond the end");
_Static_assert(GROUPS(BLOCK3) * GROUP * BLOCK3 + 8 <= CARRY + CHUNK + SLACK, "room beyond the end");
_Static_assert(GROUPS(BLOCK1) * GROUP * BLOCK1 + 8 <= CARRY + CHUNK + SLACK, "room beyond the end");

/* Group g of the buffer's blocks. A global function: the verifier follows the loop once, for any g. */
#define FILTER(filter, block) \
	do { \
		at = g * GROUP * (block); \
		OPAQUE(at); \
		if (at > (GROUPS(block) - 1) * GROUP * (block) || at >= s->end) \
			return 0; \
		flags = filter(s->buf + at, s->end - at); \
	} while (0)
INTRINSIC __u64 rn_filter(__u64 g)
{
	struct scratch *s = scratch();
	__u64 flags, at;

	if (!s)
		return 0;
	if (rn_stride == 8)
		FILTER(filter8, BLOCK8);
	else if (rn_stride == 3)
		FILTER(filter3, BLOCK3);
	else
		FILTER(filter1, BLOCK1);
	if (!flags)
		return 0;
	for (__u32 i = 0; i < GROUP; i++) {
		if (!(flags >> i & 1))
			continue;
		if (rn_stride == 8)
			rn_block8(g * GROUP + i);
		else if (rn_stride == 3)
			rn_block3(g * GROUP + i);
		else
			rn_block1(g * GROUP + i);
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
		COVER(s, faulted, n);
		return 0;
	}
	s->end = CARRY + n;
	COVER(s, bytes_scanned, n);
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

/* A round begins a message, or begins an iovec, or searches up to PIECES pieces of one; an iovec that spans n pages has at most
 * n + 2 pieces, as it need not begin or end with a page. */
enum { PIECES = 16, SEGMENTS = RN_SCAN_MSGS * RN_SCAN_IOVECS,
       ROUNDS = RN_SCAN_MSGS + 2 * SEGMENTS + (RN_SCAN_CAP / CHUNK + 2 * SEGMENTS) / PIECES + 2 };

/* Searches the next piece of s->len; 0: there is none, or all tags are found. The calls are made here, not in rn_chunk, to keep the
 * chain of calls, and with it the stack, short. */
static __always_inline bool piece(struct scratch *s, __u64 in_kernel)
{
	if (s->mask == s->wanted || !s->len)
		return false;
	if (rn_chunk(in_kernel)) {
#pragma unroll
		for (int g = 0; g < GROUPS(BLOCK1); g++)
			if (g * GROUP * (rn_stride == 8 ? BLOCK8 : rn_stride == 3 ? BLOCK3 : BLOCK1) < s->end)
				rn_filter(g); /* a call costs more than a comparison */
		rn_carry();
	}
	return true;
}

/* Begins a stream of n bytes: what is beyond the cap is counted, not searched. */
static __always_inline void begin(struct scratch *s, __u64 n)
{
	COVER(s, bytes_seen, n);
	if (n > RN_SCAN_CAP) {
		COVER(s, beyond_cap, n - RN_SCAN_CAP);
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
		COVER(s, faulted, s->left);
	set_iovecs(s, m.iov, m.iovlen);
}

/* The next iovec (or the plain buffer) is what is at hand; or begins the next message when there is none. 0: that was all. */
INTRINSIC __u64 rn_iovec(void)
{
	struct scratch *s = scratch();
	struct iovec v;
	__u32 len = 0;

	if (!s)
		return 0;
	if (!s->iovs || !s->left) {
		if (s->more)
			COVER(s, beyond_cap, s->left);
		s->more = 0;
		__u64 at = s->msg;
		if (!s->msgs)
			return 0;
		s->msgs--;
		s->msg = at + sizeof(struct user_mmsghdr);
		if (bpf_probe_read_user(&len, sizeof(len), (void *)(at + __builtin_offsetof(struct user_mmsghdr, len))))
			COVER(s, faulted, 1);
		set_message(s, at, len);
		return 1;
	}
	if (s->plain) {
		v.base = s->iov;
		v.len = s->left;
	} else if (bpf_probe_read_user(&v, sizeof(v), (void *)s->iov)) {
		COVER(s, faulted, s->left);
		s->left = 0;
		return s->msgs;
	}
	s->iov += sizeof(v);
	s->iovs--;
	if (v.len > s->left)
		v.len = s->left;
	s->left -= v.len;
	s->addr = v.base;
	s->len = v.len;
	return 1;
}

/* Searches some pages of what is at hand, or goes on to the next iovec when that is done; 0: that was all. Few at a time: loops
 * within loops would be long for the verifier. */
INTRINSIC __u64 rn_pieces(void)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	if (!s->len)
		return rn_iovec();
	for (__u32 i = 0; i < PIECES; i++)
		if (!piece(s, 0))
			break;
	if (s->mask == s->wanted) { /* all tags are found: there is nothing more to learn */
		COVER(s, bytes_scanned, s->len);
		s->len = 0;
	}
	return 1;
}

/* Searches user memory: what rn_payload has put into scratch. */
INTRINSIC __u64 rn_scan_user(void)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	if (s->kind != RN_SCAN_MMSGHDR && s->ret < rn_tab.shortest) { /* cannot hold a tag */
		COVER(s, bytes_seen, s->ret);
		COVER(s, bytes_scanned, s->ret);
		return 0;
	}
	if (s->kind == RN_SCAN_BUF) {
		begin(s, s->ret < s->n ? s->ret : s->n);
		s->plain = 1;
		set_iovecs(s, s->base, 1);
	} else if (s->kind == RN_SCAN_IOVEC) {
		begin(s, s->ret);
		set_iovecs(s, s->base, s->n);
	} else if (s->kind == RN_SCAN_MSGHDR) {
		set_message(s, s->base, s->ret);
	} else if (s->kind == RN_SCAN_MMSGHDR) {
		s->msg = s->base;
		s->msgs = s->ret > RN_SCAN_MSGS ? RN_SCAN_MSGS : s->ret;
		if (s->ret > RN_SCAN_MSGS)
			COVER(s, uncovered, s->ret - RN_SCAN_MSGS);
	}
	for (__u32 i = 0; i < ROUNDS; i++)
		if (!rn_pieces())
			break;
	return 0;
}
#endif
