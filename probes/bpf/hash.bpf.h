/* hash.bpf.h - results computed from a whole payload: its hash, its sketch, its first bytes.
 *
 * The payload is the segments of a call one after the other (all iovecs, messages, asynchronous
 * operations, pages of the page cache). It is taken in chunks. Each chunk is copied behind the
 * `carried` bytes left over from the one before, and given to each wanted result:
 *   hash    XXH64 with seed 0: stripes of 32 bytes, one word to each of four lanes; the rest of a
 *           stripe is carried.
 *   sketch  of the 8 bytes at every position, x * GOLDEN: the least of the 32 bits below the top
 *           four, for each value of those four; 7 bytes are carried.
 *   data    the first RN_DATA_BYTES; all are carried.
 *
 * If the policy denies payload, the hash is SipHash-2-4 of the XXH64 and of the length, under the
 * node's key: an attacker cannot compute it for guessed payloads. Short payloads, and those of
 * terminals, then have no hash. If something cannot be read (a page that is not in memory, a pipe's
 * content that is gone), there is no hash and no sketch, and it is counted. The loops are functions
 * of their own, each verified once. Only the time that a CPU may be kept, HASH_MAX, limits a
 * payload's length.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_HASH_BPF_H
#define RN_PROBES_BPF_HASH_BPF_H
#include "probes/bpf/aio.bpf.h"
#include "probes/bpf/pages.bpf.h"
#include "lang/base/siphash.h"

enum {
	HASH_MAX = 64 << 20,
	STEPS = 256 /* squared: parts of one payload; a segment is at least one */
};
enum { PRODUCT_HASH, PRODUCT_SKETCH, PRODUCT_DATA };
#define GOLDEN 0x9E3779B97F4A7C15ULL
#define P1 0x9E3779B185EBCA87ULL
#define P2 0xC2B2AE3D27D4EB4FULL
#define P3 0x165667B19E3779F9ULL
#define P4 0x85EBCA77C2B2AE63ULL
#define P5 0x27D4EB2F165667C5ULL
#define ROTL(x, n) (((x) << (n)) | ((x) >> (64 - (n))))

struct taker {
	__u64 product;
	__u64 lane[4];
	__u64 total;        /* bytes taken */
	__u64 room;         /* bytes that may still be taken */
	__u64 cut, bad;     /* the payload is longer; some of it cannot be read */
	__u64 carried, end; /* bytes of buf kept for the next chunk; end of the data in it */
	__u64 left;         /* bytes of the message or the call that are in no segment yet */
	__u64 addr, len, in_kernel; /* the current segment */
	__u64 iov, iovs;            /* the next iovec, and how many */
	__u64 msg, msgs;            /* the next struct mmsghdr */
	__u64 op, ops;              /* the next operation of asynchronous I/O: aio.bpf.h */
	__u64 open;                 /* the current operation is as long as its iovecs */
	__u64 mapping, at;          /* page cache: the next position */
	__u64 mapped;               /* maps: pages count only if they are up to date */
	/* another mapping with the same bytes, and their distance there: struct scratch */
	__u64 other, shift;
	__u64 secret; /* struct file of a terminal, which may have no hash */
	/* the next segment is a buffer of the pipe that is open in scratch */
	__u64 pipe;
	struct rn_bpf_sketch sketch;
	unsigned char buf[RN_DATA_BYTES + CHUNK + 64] __attribute__((aligned(8)));
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct taker);
} rn_taker SEC(".maps");

static __always_inline struct taker *taker(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&rn_taker, &zero);
}

/* ---- results of a chunk: buf[0, end) ---- */

static __always_inline __u64 round64(__u64 lane, __u64 x)
{
	lane += x * P2;
	lane = ROTL(lane, 31);
	return lane * P1;
}

INTRINSIC __u64 rn_stripes(void)
{
	struct taker *t = taker();
	__u64 a, b, c, d, n, rest;
	unsigned char *p;

	if (!t)
		return 0;
	a = t->lane[0];
	b = t->lane[1];
	c = t->lane[2];
	d = t->lane[3];
	n = t->end / 32;
	p = t->buf;
	for (__u32 i = 0; i < CHUNK / 32 + 1; i++, p += 32) {
		if (i >= n)
			break;
		a = round64(a, LOAD8(p));
		b = round64(b, LOAD8(p + 8));
		c = round64(c, LOAD8(p + 16));
		d = round64(d, LOAD8(p + 24));
	}
	t->lane[0] = a;
	t->lane[1] = b;
	t->lane[2] = c;
	t->lane[3] = d;
	rest = t->end & ~31ULL;
	t->carried = t->end & 31;
	OPAQUE(rest);
	if (rest > CHUNK + 32)
		return 0;
	p = t->buf + rest;
#pragma unroll
	for (int i = 0; i < 4; i++)
		*(volatile __u64 *)(t->buf + i * 8) = LOAD8(p + i * 8);
	return 0;
}

static __always_inline void shingle(struct taker *t, unsigned char *p)
{
	__u64 h = LOAD8(p) * GOLDEN, v = h >> 28 & 0xffffffff;
	__u32 *min = &t->sketch.min[h >> 60];

	if (v < *min)
		*min = v;
}

/* Positions [at, at + PART) of the buffer at which 8 bytes begin. */
enum { PART = 256, TOGETHER = 8 };
INTRINSIC __u64 rn_shingles_at(__u64 at)
{
	struct taker *t = taker();
	unsigned char *p;
	__s64 n;

	if (!t || at > CHUNK)
		return 0;
	n = t->end - at - 7;
	p = t->buf + at;
	if (n >= PART) {
		for (__u32 i = 0; i < PART / TOGETHER; i++, p += TOGETHER) {
#pragma unroll
			for (int k = 0; k < TOGETHER; k++)
				shingle(t, p + k);
		}
		return 0;
	}
	for (__s32 i = 0; i < PART; i++, p++) {
		if (i >= n)
			break;
		shingle(t, p);
	}
	return 0;
}

INTRINSIC __u64 rn_shingles(void)
{
	struct taker *t = taker();
	__u64 keep, at;

	if (!t)
		return 0;
	for (__u32 i = 0; i < CHUNK / PART + 1; i++) {
		if (i * PART + 8 > t->end)
			break;
		rn_shingles_at(i * PART);
	}
	keep = t->end < 7 ? t->end : 7;
	at = t->end - keep;
	t->carried = keep;
	OPAQUE(at);
	if (at > CHUNK + 7)
		return 0;
	*(volatile __u64 *)t->buf = LOAD8(t->buf + at);
	return 0;
}

/* ---- going through the payload ---- */

static __always_inline void begin_taking(struct taker *t, __u64 n)
{
	if (n > t->room) {
		t->cut = 1;
		n = t->room;
	}
	t->room -= n;
	t->left = n;
}

static __always_inline void take_message(struct taker *t, __u64 addr, __u64 n)
{
	struct {
		__u64 iov, iovlen;
	} m = {};

	begin_taking(t, n);
	if (bpf_probe_read_user(&m, sizeof(m),
				(void *)(addr + __builtin_offsetof(struct user_msghdr, iov))))
		t->bad = 1;
	t->iov = m.iov;
	t->iovs = m.iovlen;
}

/* Take the next page that holds some of the payload. */
INTRINSIC __u64 rn_next_page(void)
{
	struct taker *t = taker();
	__u64 further = 0, page, from;

	if (!t)
		return 0;
	from = t->at & (PAGE - 1);
	page = cached_page((void *)t->mapping, t->at / PAGE, &further);
	if (t->mapped && !is_current(page))
		page = 0;
	if (!page && t->other) {
		t->mapping = t->other;
		t->at += t->shift;
		t->other = 0;
		return 1;
	}
	if (!page) {
		t->bad = 1;
		return 0;
	}
	t->len = PAGE - from;
	if (t->len > t->left)
		t->len = t->left;
	t->left -= t->len;
	t->at += t->len;
	t->addr = (page << 6) + rn_page_base + further * PAGE + from;
	return 1;
}

/* Take the next buffer of a pipe. */
INTRINSIC __u64 rn_next_slot(void)
{
	struct scratch *s = scratch();
	struct taker *t = taker();
	struct pipe_buffer *b;
	__u64 len, skip;

	if (!s || !t)
		return 0;
	if (!s->slots) {
		t->bad = 1;
		return 0;
	}
	b = pipe_slot(s, s->slot);
	s->slot++;
	s->slots--;
	len = BPF_CORE_READ(b, len);
	skip = s->skip < len ? s->skip : 0;
	s->skip = 0;
	len -= skip;
	if (len > t->left)
		len = t->left;
	t->addr = ((__u64)BPF_CORE_READ(b, page) << 6) + rn_page_base + BPF_CORE_READ(b, offset) +
		  skip;
	t->left -= len;
	t->len = len;
	return 1;
}

/* Is it a character device that carries characters: a terminal, a keyboard, a serial line? Excludes
 * memory (/dev/null, /dev/zero) and /dev/fuse, which carries files. */
static __always_inline bool is_terminal(__u64 file)
{
	struct file *f = (void *)file;
	__u32 dev;

	if (!f || type_of(f) != S_IFCHR)
		return false;
	dev = BPF_CORE_READ(f, f_inode, i_rdev);
	return dev >> 20 != MEMORY_MAJOR && dev != FUSE_DEVICE;
}

/* Close an operation that is as long as its iovecs: give its unused room back. Iovecs left over
 * mean that the payload was cut. */
static __always_inline void close_op(struct taker *t)
{
	if (!t->open)
		return;
	if (t->iovs)
		t->cut = 1;
	t->room += t->left;
	t->left = t->open = 0;
}

/* Take the next operation of io_submit or io_getevents that moved something in the direction of the
 * call. */
INTRINSIC __u64 rn_next_op(void)
{
	struct scratch *s = scratch();
	struct taker *t = taker();
	bool in;
	__u16 op;

	if (!s || !t)
		return 0;
	in = s->kind == RN_SCAN_AIO_EVENTS;
	if ((in ? bpf_probe_read_user(&s->event, sizeof(s->event), (void *)t->op)
		: bpf_probe_read_user(&s->event.iocb, 8, (void *)t->op)) ||
	    bpf_probe_read_user(
		    &s->aio, sizeof(s->aio),
		    (void *)(s->event.iocb + __builtin_offsetof(struct user_iocb, op)))) {
		t->bad = 1;
		return 0;
	}
	close_op(t);
	if (rn_withhold && is_terminal(file_of_fd(s->aio.fd)))
		t->secret = 1;
	t->ops--;
	t->op += aio_step(s->kind);
	op = s->aio.op;
	t->iov = t->addr = s->aio.buf;
	t->iovs = op == AIO_PREADV || op == AIO_PWRITEV ? s->aio.nbytes : 0;
	t->open = !in && op == AIO_PWRITEV;
	if (in)
		begin_taking(t, is_read(op) && s->event.res > 0 ? s->event.res : 0);
	else
		begin_taking(t, t->open ? t->room : op == AIO_PWRITE ? s->aio.nbytes : 0);
	if (!t->iovs) {
		t->len = t->left;
		t->left = 0;
	}
	return 1;
}

/* Make the next segment current, or begin the next message; 0: that was all. */
INTRINSIC __u64 rn_next(void)
{
	struct scratch *s = scratch();
	struct taker *t = taker();
	struct iovec v;
	__u32 len = 0;
	__u64 at;

	if (!s || !t || t->bad)
		return 0;
	if (t->mapping)
		return t->left ? rn_next_page() : 0;
	if (t->pipe)
		return t->left ? rn_next_slot() : 0;
	if (!t->iovs || !t->left) {
		if (t->ops)
			return rn_next_op();
		at = t->msg;
		if (!t->msgs)
			return 0;
		t->msgs--;
		t->msg = at + sizeof(struct user_mmsghdr);
		if (bpf_probe_read_user(
			    &len, sizeof(len),
			    (void *)(at + __builtin_offsetof(struct user_mmsghdr, len))))
			t->bad = 1;
		take_message(t, at, len);
		return 1;
	}
	if (read_iovec(&v, t->iov)) {
		t->bad = 1;
		return 0;
	}
	t->iov += sizeof(v);
	t->iovs--;
	leave_out(s, &v);
	if (v.len > t->left)
		v.len = t->left;
	t->left -= v.len;
	t->addr = v.base;
	t->len = v.len;
	return 1;
}

/* Take a chunk of the current segment, or go on to the next one; 0: no more. */
INTRINSIC __u64 rn_take(void)
{
	struct taker *t = taker();
	__u64 n, at;
	long bad;

	if (!t)
		return 0;
	n = t->len;
	at = t->carried;
	if (!n)
		return rn_next();
	if (n > CHUNK)
		n = CHUNK;
	OPAQUE(n);
	OPAQUE(at);
	if (n > CHUNK || at > RN_DATA_BYTES)
		return 0;
	bad = t->in_kernel ? bpf_probe_read_kernel(t->buf + at, n, (void *)t->addr)
			   : bpf_probe_read_user(t->buf + at, n, (void *)t->addr);
	if (bad) {
		t->bad = 1;
		return 0;
	}
	t->addr += n;
	t->len -= n;
	t->total += n;
	t->end = at + n;
	if (t->product == PRODUCT_HASH)
		rn_stripes();
	else if (t->product == PRODUCT_SKETCH)
		rn_shingles();
	else
		t->carried = t->end;
	return (t->len | t->left | t->msgs | t->ops) != 0;
}

INTRINSIC __u64 rn_takes(void)
{
	for (__u32 i = 0; i < STEPS; i++)
		if (!rn_take())
			return 0;
	return 1;
}

/* The pages of a copy inside the kernel. Data that left a pipe is no longer in it. */
INTRINSIC __u64 rn_first_page(void)
{
	struct scratch *s = scratch();
	struct taker *t = taker();
	__u64 place;

	if (!s || !t)
		return 0;
	begin_taking(t, s->ret);
	place = s->kind == RN_SCAN_PAGES  ? rn_place()
		: rn_page_base && s->file ? PLACE_INTO_PIPE
					  : PLACE_NONE;
	if (place == PLACE_CACHE) {
		t->mapping = s->mapping;
		t->at = s->start;
		t->other = s->other;
		t->shift = s->shift;
		return 1;
	}
	if (place != PLACE_INTO_PIPE)
		return 0;
	t->pipe = 1;
	s->left = s->ret;
	if (s->kind == RN_SCAN_PAGES)
		rn_pipe_open(s->to, s->ret);
	else
		rn_pipe_open(s->file, 0);
	return s->left == s->ret;
}

/* Begin with what rn_payload has put into scratch; 0: it is out of reach. */
INTRINSIC __u64 rn_first(void)
{
	struct scratch *s = scratch();
	struct taker *t = taker();
	struct file *f;

	if (!s || !t)
		return 0;
	t->pipe = 0;
	t->total = t->cut = t->bad = t->carried = t->left = t->len = t->in_kernel = t->iovs =
		t->msgs = t->ops = t->open = t->mapping = t->mapped = 0;
	switch (s->kind) {
	case RN_SCAN_BUF:
		begin_taking(t, s->ret < s->n ? s->ret : s->n);
		t->addr = s->base;
		t->len = t->left;
		t->left = 0;
		return 1;
	case RN_SCAN_IOVEC:
		begin_taking(t, s->ret);
		t->iov = s->base;
		t->iovs = s->n;
		return 1;
	case RN_SCAN_MSGHDR: take_message(t, s->base, s->ret); return 1;
	case RN_SCAN_MMSGHDR:
		t->msg = s->base;
		t->msgs = s->ret;
		return 1;
	case RN_SCAN_PAGES:
	case RN_SCAN_PIPE: t->in_kernel = 1; return rn_first_page();
	case RN_SCAN_MAPPED:
		t->in_kernel = t->mapped = 1;
		begin_taking(t, s->ret);
		f = (void *)s->file;
		if (!f || !rn_page_base)
			return 0;
		t->mapping = (__u64)BPF_CORE_READ(f, f_mapping);
		t->at = s->start;
		t->other = 0;
		return t->mapping;
	case RN_SCAN_AIO_SUBMIT:
	case RN_SCAN_AIO_EVENTS:
		t->op = s->base;
		t->ops = s->ret;
		return 1;
	}
	return 0;
}

/* Does the payload in scratch come from a terminal, or go to one? */
INTRINSIC __u64 rn_from_terminal(void)
{
	struct scratch *s = scratch();

	return s && (is_terminal(s->file) || (s->dir == DIR_THROUGH && is_terminal(s->to)));
}

/* Take the whole payload of the call; return the taker, or NULL if the call moved none. */
static __always_inline struct taker *take_all(struct rn_bpf_call *call, __u64 product, __u64 room)
{
	struct taker *t = taker();

	if (!t || !call)
		return NULL;
	t->product = product;
	t->room = room;
	t->secret = 0;
	if (!rn_payload(call))
		return NULL;
	if (product == PRODUCT_HASH && rn_withhold && rn_from_terminal()) {
		t->secret = 1;
		return t;
	}
	if (!rn_first()) {
		t->bad = 1;
	} else if (rn_take()) { /* most payloads are short: one chunk, and no loops */
		__u32 i;

		for (i = 0; i < STEPS; i++)
			if (!rn_takes())
				break;
		if (i == STEPS)
			t->cut = 1;
	}
	close_op(t);
	if (t->bad)
		COUNT(faulted, 1);
	if (t->cut && product != PRODUCT_DATA)
		COUNT(truncated, 1);
	return t;
}

/* Finish XXH64: less than a stripe is left in buf. */
INTRINSIC __u64 rn_digest(void)
{
	struct taker *t = taker();
	__u64 h, n, at;

	if (!t)
		return 0;
	h = t->lane[2] + P5; /* less than one stripe: the seed */
	if (t->total >= 32) {
		h = ROTL(t->lane[0], 1) + ROTL(t->lane[1], 7) + ROTL(t->lane[2], 12) +
		    ROTL(t->lane[3], 18);
#pragma unroll
		for (int i = 0; i < 4; i++)
			h = (h ^ round64(0, t->lane[i])) * P1 + P4;
	}
	h += t->total;
	n = t->carried & 31;
#pragma unroll
	for (int i = 0; i < 3; i++) {
		if (n < 8 * (i + 1))
			break;
		h ^= round64(0, LOAD8(t->buf + 8 * i));
		h = ROTL(h, 27) * P1 + P4;
	}
	at = n & 24;
	if (n & 4) {
		h ^= LOAD4(t->buf + at) * P1;
		h = ROTL(h, 23) * P2 + P3;
		at += 4;
	}
#pragma unroll
	for (int i = 0; i < 3; i++) {
		if (i >= (n & 3))
			break;
		h ^= t->buf[at + i] * P5;
		h = ROTL(h, 11) * P1;
	}
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}

INTRINSIC __u64 rn_keyed(void)
{
	struct taker *t = taker();
	rn_sip_word word[3];

	if (!t)
		return 0;
	if (t->total < rn_hash_least) {
		COUNT(withheld, 1);
		return 0;
	}
	word[0] = rn_digest();
	word[1] = t->total;
	word[2] = 16ULL << 56;
	return rn_siphash(rn_hash_key[0], rn_hash_key[1], word, 3);
}

INTRINSIC __u64 rn_hash(struct rn_bpf_call *call)
{
	struct taker *t = taker();

	if (!t)
		return 0;
	t->lane[0] = P1 + P2;
	t->lane[1] = P2;
	t->lane[2] = 0;
	t->lane[3] = 0 - P1;
	t = take_all(call, PRODUCT_HASH, HASH_MAX);
	if (!t)
		return 0;
	if (t->secret) {
		COUNT(withheld, 1);
		return 0;
	}
	if (t->bad || t->cut || !t->total)
		return 0;
	return rn_withhold ? rn_keyed() : rn_digest();
}

INTRINSIC __u64 rn_sketch(struct rn_bpf_call *call, struct rn_bpf_sketch *out)
{
	struct taker *t = taker();

	if (!t || !out)
		return 0;
	__builtin_memset(&t->sketch, 0xff, sizeof(t->sketch));
	t = take_all(call, PRODUCT_SKETCH, rn_scan_cap);
	if (t && !t->bad)
		*out = t->sketch;
	else
		__builtin_memset(out, 0xff, sizeof(*out));
	return 0;
}

/* The first bytes; the rest of `out` is undefined. */
INTRINSIC __u64 rn_data(struct rn_bpf_call *call, struct rn_bpf_data *out)
{
	struct taker *t;

	if (!out)
		return 0;
	out->len = 0;
	t = take_all(call, PRODUCT_DATA, RN_DATA_BYTES);
	if (!t)
		return 0;
	out->len = t->carried;
	bpf_probe_read_kernel(out->byte, sizeof(out->byte), t->buf);
	return 0;
}
#endif
