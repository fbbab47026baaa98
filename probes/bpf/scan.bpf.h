/* scan.bpf.h - which of the query's tags occur in the payload of one finished call, and where
 * first; exact.
 *
 * The payload is a stream: the segments of the call one after the other, in chunks. Each chunk is
 * copied behind the last CARRY bytes of what came before. So a tag across a border of chunks or of
 * iovecs lies whole in the buffer. Nothing beyond the returned length is ever part of it.
 *
 * Search: let w be the length of the shortest tag, with q + stride - 1 <= w. Then every occurrence
 * of a tag holds a q-gram at a position that is a multiple of the stride. The hot loop only hashes
 * those q-grams and ORs one entry of a table per sample, one flag per block, without branches.
 * Flagged blocks are searched again. If a sampled q-gram begins a chain of candidates (tag,
 * offset), each candidate is compared byte by byte. User space makes the tables
 * (probes/intrinsics/scan_tables.c).
 *
 * Data made to be full of candidates must not hold up the machine. A call has a budget of steps
 * along chains, in proportion to its length; when it is used up, the rest of the call counts as
 * beyond the cap.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_SCAN_BPF_H
#define RN_PROBES_BPF_SCAN_BPF_H
#include "probes/bpf/payload.bpf.h"
#include "probes/abi/scan_tables.h"

const volatile __u32 rn_stride = 8; /* 1 to RN_SCAN_STRIDE_MAX */
const volatile __u32 rn_wide = 1;   /* q-grams have 8 bytes, else 4 */
const volatile __u32 rn_bitmap = 0; /* which filter: probes/abi/scan_tables.h */
/* length of the longest chain: a constant, which saves the verifier time */
const volatile __u32 rn_chain = RN_SCAN_ENTRIES;
const volatile __u32 rn_longest = 64; /* tag */
const volatile __u32 rn_prints = 0;   /* the query asks for the surroundings of tags */
const volatile __u32 rn_many = 1;     /* more tags than one word holds */
const volatile __u64 rn_scan_cap = RN_SCAN_CAP_DEFAULT; /* bytes of one call */
const volatile __u64 rn_scan_rate = 0; /* bytes of one second, of all CPUs; 0: no limit */
struct rn_scan_tables rn_tab;          /* .bss, filled before loading */
__u64 rn_rate_second, rn_rate_bytes;   /* the current second, and the bytes searched in it */

/* Budget of steps along chains: for each call, for each byte, and at most. */
enum { BUDGET_CALL = 4096, BUDGET_BYTE = 4, BUDGET_MAX = 65536 };
enum { SECOND_NS = 1000000000 };

#define LOAD8(p) (*(__u64 *)(p))
#define LOAD4(p) ((__u64) * (__u32 *)(p))

/* The tag lies at buf[begin]: keep it, with its place, if it is the tag's first in the call. */
static __always_inline void keep(struct scratch *s, __u64 tag, __u64 begin)
{
	__u64 word = tag / 64 & (RN_TAG_WORDS - 1), bit = 1ULL << (tag & 63), n;

	if (s->found.tags.word[word] & bit)
		return;
	s->found.tags.word[word] |= bit;
	n = s->found.hits.n++;
	OPAQUE(n);
	if (n < RN_MAX_HITS) {
		s->found.hits.tag[n] = tag;
		s->found.hits.pos[n] = s->place + begin - CARRY;
	}
}

/* Does the tag of entry `at` lie around buf[pos], where the q-gram `gram` is? The comparison has no
 * branches, so that the verifier has few states to follow. */
INTRINSIC __u64 rn_compare(__u64 pos, __u64 gram, __u64 at)
{
	struct scratch *s = scratch();
	struct rn_scan_entry *e = &rn_tab.entry[at & (RN_SCAN_ENTRIES - 1)];
	struct rn_scan_tag *t = &rn_tab.tag[e->tag & (RN_SCAN_SLOTS - 1)];
	__u64 begin = pos - e->off, diff = 0;
	unsigned char *p;

	if (!s || e->gram != gram || begin > CARRY + CHUNK)
		return 0;
	if (begin < CARRY - s->carried || begin + t->len > s->end ||
	    begin + t->len <= CARRY /* seen in the call before */)
		return 0;
	p = s->buf + begin;
#pragma unroll
	for (int i = 0; i < 8; i++) {
		diff |= (LOAD8(p + i * 8) ^ t->word[i]) & t->care[i];
		/* one after the other: together they would fill the stack, as the registers cannot
		 * hold them */
		asm volatile("" : "+r"(diff) : : "memory");
	}
	if (!diff)
		keep(s, e->tag, begin);
	return 0;
}

/* Compare all candidates of the q-gram `gram` at buf[pos]: the whole chain. */
INTRINSIC __u64 rn_candidates(__u64 pos, __u64 gram, __u64 hash)
{
	struct scratch *s = scratch();
	__u64 at = rn_tab.head[RN_SCAN_HEAD(hash)];
	struct rn_scan_entry *e;

	if (!s || s->budget <= 0)
		return 0;
	for (__u32 k = 0; k < rn_chain; k++) {
		if (!at)
			break;
		e = &rn_tab.entry[at & (RN_SCAN_ENTRIES - 1)];
		if (e->gram == gram)
			rn_compare(pos, gram, at);
		at = e->next;
		s->budget--;
	}
	return 0;
}

/* A block is so many samples, and a group so many blocks. The verifier knows the stride, as it is a
 * constant of the query. */
enum { SAMPLES = 16, GROUP = 32 };
#define BLOCK (SAMPLES * (__u64)rn_stride)
_Static_assert(FLAG_WORDS * 64 * SAMPLES >= CARRY + CHUNK, "a flag for each block");
_Static_assert(SAMPLES *RN_SCAN_STRIDE_MAX + 8 <= SLACK, "room beyond the end");

/* Search a flagged block again, sample by sample. */
static __always_inline bool hit(__u64 hash)
{
	if (rn_bitmap)
		return rn_tab.hit.word[RN_SCAN_WORD(hash)] >> RN_SCAN_BIT(hash) & 1;
	return rn_tab.hit.byte[RN_SCAN_BYTE(hash)];
}
INTRINSIC __u64 rn_block(__u64 b)
{
	struct scratch *s = scratch();
	__u64 at, stride = rn_stride;
	unsigned char *p;

	if (!s)
		return 0;
	at = s->first + (b & (FLAG_WORDS * 64 - 1)) * BLOCK;
	OPAQUE(at);
	if (at > CARRY + CHUNK)
		return 0;
	p = s->buf + at;
#pragma unroll
	for (__u32 k = 0; k < SAMPLES; k++, at += stride, p += stride) {
		__u64 x = rn_wide ? LOAD8(p) : LOAD4(p);
		__u64 h = rn_wide ? RN_SCAN_HASH8(x) : RN_SCAN_HASH4(x);

		if (hit(h))
			rn_candidates(at, x, h);
	}
	return 0;
}

/* Take samples one after the other: clang would load all at once and spill. All calls from an
 * event's program down to rn_compare share 512 bytes of stack. Only from kernel 6.13 on does each
 * function have a stack of its own. */
#define IN_ORDER(p, a) asm volatile("" : "+r"(p), "+r"(a))

/* The hot loops: the samples of the block at p. The result says whether it has a sampled q-gram of
 * some tag. The table's address stays in a register, so that a sample takes few instructions:
 * IN_BYTES and IN_BITMAP add the index to it, and add one sample to `a`. */
#define AT_INDEX(type, index) \
	({ \
		__u64 at_ = (index); \
		asm volatile("%0 += %1" : "+r"(at_) : "r"(table)); \
		*(type *)at_; \
	})
#define IN_BYTES(hash) (a |= AT_INDEX(__u8, RN_SCAN_BYTE(hash)))
#define IN_BITMAP(hash) \
	do { \
		__u64 h_ = (hash), w_ = AT_INDEX(__u64, RN_SCAN_WORD(h_) << 3); \
		h_ >>= 13; \
		asm volatile("%0 >>= %1" \
			     : "+r"(w_) \
			     : "r"(h_)); /* the shift takes its count modulo 64 */ \
		a |= w_; \
	} while (0)
/* A sample, or two, of a block: at the stride; at the stride of many long tags, and at that of tags
 * of 6 bytes, two from one load. The latter are at constant places, which is quicker. */
#define AT_STRIDE(in, load, hash) \
	in(hash(load(p))); \
	p += stride
#define AT_8(in) in(RN_SCAN_HASH8(LOAD8(p + k * 8)))
#define AT_3(in) \
	__u64 x = LOAD8(p + k * 6); \
	in(RN_SCAN_HASH4(x)); \
	in(RN_SCAN_HASH4(x >> 24))
#define FILTER(name, type, rounds, take, flag) \
	static __always_inline __u64 name(unsigned char *p, __u64 stride, void *table) \
	{ \
		type a = 0; \
		_Pragma("unroll") for (int k = 0; k < (rounds); k++) \
		{ \
			take; \
			IN_ORDER(p, a); \
		} \
		return flag; \
	}
#define ANY (((__u64)a + 255) >> 8)
FILTER(bytes8, __u8, SAMPLES, AT_STRIDE(IN_BYTES, LOAD8, RN_SCAN_HASH8), ANY)
FILTER(bytes4, __u8, SAMPLES, AT_STRIDE(IN_BYTES, LOAD4, RN_SCAN_HASH4), ANY)
FILTER(bitmap8, __u64, SAMPLES, AT_STRIDE(IN_BITMAP, LOAD8, RN_SCAN_HASH8), a & 1)
FILTER(bitmap4, __u64, SAMPLES, AT_STRIDE(IN_BITMAP, LOAD4, RN_SCAN_HASH4), a & 1)
FILTER(bytes_at_8, __u8, SAMPLES, AT_8(IN_BYTES), ANY)
FILTER(bitmap_at_8, __u64, SAMPLES, AT_8(IN_BITMAP), a & 1)
FILTER(bytes_at_3, __u8, SAMPLES / 2, AT_3(IN_BYTES), ANY)
FILTER(bitmap_at_3, __u64, SAMPLES / 2, AT_3(IN_BITMAP), a & 1)

/* Filter group g of the buffer's blocks: a mask of those to search again. A global function: the
 * verifier follows the loop once, for any g. */
#define FILTERED(filter) \
	for (__u32 i = 0; i < GROUP; i++, at += stride * SAMPLES) { \
		OPAQUE(at); \
		/* the second one is for verifiers that compare with constants alone */ \
		if (at >= end || at > CARRY + CHUNK) \
			break; \
		flags |= filter(s->buf + at, stride, table) << i; \
	}
INTRINSIC __u64 rn_filter(__u64 g)
{
	struct scratch *s = scratch();
	__u64 flags = 0, at, end, stride = rn_stride;
	void *table = &rn_tab.hit;

	if (!s)
		return 0;
	at = s->first + g * GROUP * BLOCK;
	end = s->end;
	asm volatile("" : "+r"(table));
	if (rn_wide && rn_bitmap && stride == 8)
		FILTERED(bitmap_at_8)
	else if (rn_wide && stride == 8)
		FILTERED(bytes_at_8)
	else if (rn_wide && rn_bitmap)
		FILTERED(bitmap8)
	else if (rn_wide)
		FILTERED(bytes8)
	else if (rn_bitmap && stride == 3)
		FILTERED(bitmap_at_3)
	else if (rn_bitmap)
		FILTERED(bitmap4)
	else if (stride == 3)
		FILTERED(bytes_at_3)
	else
		FILTERED(bytes4)
	s->flagged[g * GROUP / 64 & (FLAG_WORDS - 1)] |= flags << (g * GROUP & 63);
	return flags;
}

/* The next flagged block; NO_BLOCK: there is none. */
enum { NO_BLOCK = FLAG_WORDS * 64 };
INTRINSIC __u64 rn_flagged(void)
{
	struct scratch *s = scratch();

	if (!s)
		return NO_BLOCK;
#pragma unroll
	for (int i = 0; i < FLAG_WORDS; i++) {
		__u64 x, low, n;

		if (i * 64 * BLOCK > CARRY + CHUNK) /* with this stride */
			break;
		x = s->flagged[i];
		low = x & -x;
		if (!x)
			continue;
		s->flagged[i] = x ^ low;
		n = (low & 0xaaaaaaaaaaaaaaaaULL) != 0; /* the number of the lowest bit */
		n |= ((low & 0xccccccccccccccccULL) != 0) << 1;
		n |= ((low & 0xf0f0f0f0f0f0f0f0ULL) != 0) << 2;
		n |= ((low & 0xff00ff00ff00ff00ULL) != 0) << 3;
		n |= ((low & 0xffff0000ffff0000ULL) != 0) << 4;
		n |= ((low & 0xffffffff00000000ULL) != 0) << 5;
		return i * 64 + n;
	}
	return NO_BLOCK;
}

/* Copy to n bytes into the buffer. */
static __always_inline long copy(struct scratch *s, __u64 n, __u64 addr, __u64 in_kernel)
{
	OPAQUE(n);
	if (!n || n > CHUNK)
		return -1;
	return in_kernel ? bpf_probe_read_kernel(s->buf + CARRY, n, (void *)addr)
			 : bpf_probe_read_user(s->buf + CARRY, n, (void *)addr);
}

/* Take the stream's next piece, s->len bytes at s->addr, into the buffer. Return how many bytes
 * there are to search. in_kernel: the address is the kernel's. If a chunk cannot be read, the part
 * up to the end of its first page is tried: an absent page costs only itself. State is in scratch,
 * since the verifier would follow it through every iteration. */
static __always_inline __u64 chunk(struct scratch *s, __u64 in_kernel)
{
	__u64 addr, n, page;
	long bad;

	addr = s->addr;
	n = s->len < CHUNK ? s->len : CHUNK;
	bad = copy(s, n, addr, in_kernel);
	page = CHUNK - (addr & (CHUNK - 1));
	if (bad && n > page) {
		n = page;
		bad = copy(s, n, addr, in_kernel);
	}
	s->addr = addr + n;
	s->len -= n;
	s->place = s->next;
	s->next += n;
	if (bad) { /* not in memory: the next bytes do not join those before */
		s->carried = 0;
		COVER(s, faulted, n);
		return 0;
	}
	s->end = CARRY + n;
	return n;
}

/* Move the last CARRY bytes of the buffer to the front; forward, since the ranges may overlap. */
static __always_inline void carry(struct scratch *s)
{
	unsigned char *p;
	__u64 n;

	n = s->end - CARRY;
	OPAQUE(n);
	if (n > CHUNK)
		return;
	p = s->buf + n;
#pragma unroll
	for (int i = 0; i < CARRY / 8; i++)
		*(volatile __u64 *)(s->buf + i * 8) = LOAD8(p + i * 8);
	n += s->carried;
	s->carried = n > CARRY ? CARRY : n;
}

enum source { SOURCE_USER, SOURCE_PIPE, SOURCE_CACHE };
/* Nothing is found yet. */
static __always_inline void reset(struct scratch *s)
{
	s->source = SOURCE_USER;
	s->iovs = s->msgs = s->operations = s->plain = s->len = s->left = s->more = 0;
	s->next = s->whole = s->found.hits.n = s->budget = 0;
	s->room = rn_scan_cap;
	s->found.tags.word[0] = 0;
	if (rn_many)
#pragma unroll
		for (int i = 1; i < RN_TAG_WORDS; i++)
			s->found.tags.word[i] = 0;
}

/* Are there tags left to find, and steps to spend on them? If not, the data only passes through,
 * for what comes after it. */
static __always_inline bool searching(struct scratch *s)
{
	return s->found.hits.n < rn_tab.ntags && s->budget > 0;
}

/* Search the buffer. The calls are made here, at the top: that keeps the chain of calls, and so the
 * stack, short. */
static __always_inline void search(struct scratch *s)
{
	__u64 any = 0, at, b;

	if (!searching(s))
		return;
	at = s->first = CARRY - s->carried; /* what is before it is no data */
	for (__u32 g = 0; g < FLAG_WORDS * 64 / GROUP && at < s->end; g++, at += GROUP * BLOCK)
		any |= rn_filter(g);
	if (!any)
		return;
	for (__u32 i = 0; i < FLAG_WORDS * 64; i++) {
		b = rn_flagged();
		if (b == NO_BLOCK)
			break;
		rn_block(b);
	}
}

/* May n more bytes be searched in this second? */
static __always_inline bool in_rate(__u64 n)
{
	__u64 second;

	if (!rn_scan_rate)
		return true;
	second = bpf_ktime_get_ns() / SECOND_NS;
	/* two CPUs may both see the new second: the limit holds within one call of each */
	if (second != rn_rate_second) {
		rn_rate_second = second;
		rn_rate_bytes = 0;
	}
	if (rn_rate_bytes + n > rn_scan_rate)
		return false;
	__sync_fetch_and_add(&rn_rate_bytes, n);
	return true;
}

/* Begin a stream of n bytes: count what is beyond the limits, do not search it. */
static __always_inline void begin(struct scratch *s, __u64 n)
{
	__u64 take = n < s->room ? n : s->room;

	COVER(s, bytes_seen, n);
	if (!in_rate(take))
		take = 0;
	if (take < n)
		COVER(s, beyond_cap, n - take);
	s->room -= take;
	s->left = take;
	if (!s->flow || s->next != s->whole) /* messages of a stream follow each other */
		s->carried = 0;
	s->next = s->whole;
	s->whole += n;
	s->budget += BUDGET_CALL + BUDGET_BYTE * take;
	if (s->budget > BUDGET_MAX)
		s->budget = BUDGET_MAX;
}

static __always_inline void set_iovecs(struct scratch *s, __u64 iov, __u64 count)
{
	s->iov = iov;
	s->iovs = count > RN_SCAN_IOVECS ? RN_SCAN_IOVECS : count;
	s->more = count > RN_SCAN_IOVECS;
}

/* The iovecs of a struct msghdr whose payload has n bytes. */
INTRINSIC __u64 rn_message(__u64 addr, __u64 n)
{
	struct {
		__u64 iov, iovlen;
	} m = {};
	struct scratch *s = scratch();

	if (!s)
		return 0;
	begin(s, n);
	if (bpf_probe_read_user(&m, sizeof(m),
				(void *)(addr + __builtin_offsetof(struct user_msghdr, iov))))
		COVER(s, faulted, s->left);
	set_iovecs(s, m.iov, m.iovlen);
	return 0;
}

/* Make the next iovec (or the plain buffer) current, or begin the next message if there is none. 0:
 * that was all. */
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
		else /* a datagram longer than its buffers: the kernel discarded the rest */
			COVER(s, bytes_seen, 0 - s->left);
		s->more = s->left = 0;
		__u64 at = s->msg;
		if (!s->msgs)
			return 0;
		s->msgs--;
		s->msg = at + sizeof(struct user_mmsghdr);
		if (bpf_probe_read_user(
			    &len, sizeof(len),
			    (void *)(at + __builtin_offsetof(struct user_mmsghdr, len)))) {
			COVER(s, faulted, 1);
			s->next = NOWHERE;
		}
		rn_message(at, len);
		return 1;
	}
	if (s->plain) {
		v.base = s->iov;
		v.len = s->left;
	} else if (read_iovec(&v, s->iov)) {
		COVER(s, faulted, s->left);
		s->left = 0;
		return s->msgs;
	}
	s->iov += sizeof(v);
	s->iovs--;
	leave_out(s, &v);
	if (v.len > s->left)
		v.len = s->left;
	s->left -= v.len;
	s->addr = v.base;
	s->len = v.len;
	return 1;
}

/* ---- surroundings of a found tag ---- */

static __always_inline __u32 step(__u32 h, __u32 x)
{
	h = (h ^ x) * 0x9E3779B1u;
	return h ^ h >> 15;
}

/* Fingerprints of the `known` bytes next to `from`, outwards. side 0: the bytes before it. The last
 * step may have less than four bytes. */
static __always_inline void fingerprint(struct scratch *s, struct rn_bpf_print *p, __u64 from,
					__s64 known, const int side)
{
	__u64 len, at;
	__u32 h = 0;

	known = known < 0 ? 0 : known > RN_AROUND_STEPS * 4 ? RN_AROUND_STEPS * 4 : known;
	p->known[side] = known;
	for (__u32 k = 0; k < RN_AROUND_STEPS; k++, known -= 4) {
		if (known <= 0)
			break;
		len = known < 4 ? known : 4;
		at = side ? from + k * 4 : from - k * 4 - len;
		OPAQUE(at);
		if (at > CARRY + CHUNK)
			break;
		h = step(h, LOAD4(s->buf + at) & 0xffffffffULL >> (4 - len) * 8);
		p->step[side][k] = h >> 16;
	}
}

/* The surroundings of hit i, as far as the buffer has them. */
INTRINSIC __u64 rn_surroundings(__u64 i)
{
	struct scratch *s = scratch();
	struct rn_bpf_print *p;
	__u64 begin, end;

	OPAQUE(i);
	if (!s || i >= RN_AROUND_HITS)
		return 0;
	p = &s->found.around.at[i];
	begin = s->found.hits.pos[i] - s->place + CARRY;
	end = begin + rn_tab.tag[s->found.hits.tag[i] & (RN_SCAN_SLOTS - 1)].len;
	fingerprint(s, p, begin, begin + s->carried - CARRY, 0);
	fingerprint(s, p, end, s->end - end, 1);
	return 0;
}

/* The surroundings of all hits from `from` on. */
INTRINSIC __u64 rn_note(__u64 from)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	for (__u64 i = 0; i < RN_AROUND_HITS; i++)
		if (i >= from && i < s->found.hits.n)
			rn_surroundings(i);
	return 0;
}

/* Make the payload's next segment current; it may be empty. 0: that was all. */
INTRINSIC __u64 rn_pipe_next(void);
INTRINSIC __u64 rn_pipe_lost(void);
INTRINSIC __u64 rn_page_next(void);
static __always_inline bool next_segment(struct scratch *s)
{
	return s->source == SOURCE_USER   ? rn_iovec()
	       : s->source == SOURCE_PIPE ? rn_pipe_next()
					  : rn_page_next();
}

/* Search the next chunk of the current segment, or of the next one when that is done; 0: that was
 * all. */
INTRINSIC __u64 rn_piece(void)
{
	struct scratch *s = scratch();
	__u64 n, found;

	if (!s || (!s->len && !next_segment(s)))
		return 0;
	n = s->len ? chunk(s, s->source != SOURCE_USER) : 0;
	if (!n)
		return 1;
	if (s->source == SOURCE_PIPE && rn_pipe_lost()) {
		s->carried = 0;
		COVER(s, faulted, n);
		return 1;
	}
	found = s->found.hits.n;
	search(s);
	if (rn_prints && found != s->found.hits.n)
		rn_note(found);
	if (s->budget > 0)
		COVER(s, bytes_scanned, n);
	else
		COVER(s, beyond_cap, n);
	carry(s);
	return s->len || s->left || s->msgs || s->source == SOURCE_CACHE;
}
/* Search all of it, in nested loops: the verifier follows each of these functions once, and each
 * round of its loop. When an operation is done, the next one follows: there may be as many as
 * rounds. */
enum { ROUND = 64, ROUNDS = 65536 }; /* powers of 2: the verifier does not divide */
INTRINSIC __u64 rn_operation(void);
REPEAT(rn_round, ROUND, rn_piece())
REPEAT(rn_rounds, ROUND, rn_round() || rn_operation())

INTRINSIC __u64 rn_stream_join(void);
INTRINSIC __u64 rn_stream_leave(void);
INTRINSIC __u64 rn_aio_read(void);
INTRINSIC __u64 rn_aio_told(void);
INTRINSIC __u64 rn_aio_file(void);
INTRINSIC __u64 rn_aio_iovecs(__u64 addr, __u64 n);
/* Begin the next operation of a call that stands for several; each is part of a stream of its own.
 * 0: there is none. */
INTRINSIC __u64 rn_operation(void)
{
	struct scratch *s = scratch();

	if (!s || !s->operations)
		return 0;
	s->operations--;
	rn_stream_leave();
	s->carried = 0;
	if (rn_aio_read())
		s->ret = rn_aio_iovecs(s->base, s->n);
	rn_aio_told();
	rn_aio_file();
	rn_stream_join();
	s->next = s->whole;
	begin(s, s->ret);
	s->plain = !s->n;
	set_iovecs(s, s->base, s->n ? s->n : 1);
	return 1;
}

/* Begin with user memory, as rn_payload has put it into scratch. */
static __always_inline void begin_user(struct scratch *s)
{
	/* cannot hold a tag */
	if (!s->flow && s->kind != RN_SCAN_MMSGHDR && s->kind < RN_SCAN_AIO_SUBMIT &&
	    s->ret < rn_tab.shortest) {
		COVER(s, bytes_seen, s->ret);
		COVER(s, bytes_scanned, s->ret);
		return;
	}
	if (s->kind == RN_SCAN_BUF) {
		begin(s, s->ret < s->n ? s->ret : s->n);
		s->addr = s->base;
		s->len = s->left;
		s->left = 0;
	} else if (s->kind == RN_SCAN_IOVEC) {
		begin(s, s->ret);
		set_iovecs(s, s->base, s->n);
	} else if (s->kind == RN_SCAN_MSGHDR) {
		rn_message(s->base, s->ret);
	} else if (s->kind == RN_SCAN_MMSGHDR) {
		s->msg = s->base;
		s->msgs = s->ret > RN_SCAN_MSGS ? RN_SCAN_MSGS : s->ret;
		if (s->ret > RN_SCAN_MSGS)
			COVER(s, uncovered, s->ret - RN_SCAN_MSGS);
	} else {
		s->msg = s->base;
		s->operations = s->ret;
	}
}

/* Search what was begun. */
static __always_inline void go_through(struct scratch *s)
{
	/* one buffer: most calls */
	if (s->source == SOURCE_USER && !(s->left | s->msgs | s->operations)) {
		if (s->len)
			rn_piece();
		if (!s->len)
			return;
	}
	for (__u32 i = 0; i < ROUNDS / ROUND / ROUND; i++)
		if (!rn_rounds())
			return;
	/* thousands of messages with a thousand iovecs each */
	COVER(s, beyond_cap, s->left + s->len);
	COVER(s, uncovered, s->operations + (s->msgs != 0));
}

/* ---- what was found ---- */

static __always_inline void copy_finds(struct found *to, const struct found *from)
{
	to->tags.word[0] = from->tags.word[0];
	if (rn_many)
#pragma unroll
		for (int i = 1; i < RN_TAG_WORDS; i++)
			to->tags.word[i] = from->tags.word[i];
	to->hits = from->hits;
	if (rn_prints)
		to->around = from->around;
}
static __always_inline __u64 number_of_finds(const struct found *f)
{
	return rn_many ? f->hits.n : f->tags.word[0];
}
/* Put the findings where the functions below have them. */
static __always_inline __u64 show_finds(struct scratch *s)
{
	struct found *f = s->found.hits.n ? finds() : NULL;

	if (f)
		copy_finds(f, &s->found);
	return number_of_finds(&s->found);
}
/* The same for the findings of another query's search, which was just before on this CPU. */
INTRINSIC __u64 rn_found(void)
{
	struct found *from, *to = finds();
	__u32 zero = 0;

	from = bpf_map_lookup_elem(&rn_finds_shared, &zero);
	if (!from || !to)
		return 0;
	copy_finds(to, from);
	return number_of_finds(to);
}

/* Return the findings of the last scan on this CPU. The same program calls this, so nothing came
 * between. */
INTRINSIC __u64 rn_tags(struct rn_bpf_tags *out)
{
	struct found *f = finds();

	if (!f || !out)
		return 0;
#pragma unroll
	for (int i = 0; i < RN_TAG_WORDS; i++)
		out->word[i] = f->tags.word[i];
	return 0;
}
INTRINSIC __u64 rn_hits(struct rn_bpf_hits *out)
{
	struct found *f = finds();

	if (!f || !out)
		return 0;
	*out = f->hits;
	if (f->hits.n > RN_MAX_HITS)
		COUNT(truncated, f->hits.n - RN_MAX_HITS);
	return 0;
}
INTRINSIC __u64 rn_around(struct rn_bpf_around *out)
{
	struct found *f = finds();

	if (!f || !out)
		return 0;
	if (rn_withhold) {
		out->n = 0;
		if (f->hits.n)
			COUNT(withheld, 1);
		return 0;
	}
	*out = f->around;
	out->n = f->hits.n < RN_AROUND_HITS ? f->hits.n : RN_AROUND_HITS;
#pragma unroll
	for (int i = 0; i < RN_AROUND_HITS; i++)
		out->at[i].tag = f->hits.tag[i];
	return 0;
}
#endif
