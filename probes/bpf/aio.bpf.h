/* aio.bpf.h - asynchronous I/O of Linux (io_submit, io_getevents): one call stands for several
 * operations.
 *
 * Writes are searched when io_submit returns; they count with the number of bytes that the caller
 * asked for. Reads are searched when io_getevents reports them. Each operation is a range of its
 * own file. A program may also take completions out of the ring that it shares with the kernel,
 * without a call. Reads that were submitted and never seen to complete are counted as uncovered, at
 * the end.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_AIO_BPF_H
#define RN_PROBES_BPF_AIO_BPF_H
#include "probes/bpf/stream.bpf.h"

enum { AIO_PREAD, AIO_PWRITE, AIO_PREADV = 7, AIO_PWRITEV, AIO_CONTEXTS = 4096 };
static __always_inline bool is_read(__u16 op)
{
	return op == AIO_PREAD || op == AIO_PREADV;
}
struct user_iocb {
	__u64 data, key;
	__u16 op;
	__s16 prio;
	__u32 fd;
	__u64 buf, nbytes, off;
};

/* Reads under way, by process and context. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, AIO_CONTEXTS);
	__type(key, struct rn_aio_key);
	__type(value, __s64);
} rn_aio_reads SEC(".maps");

static __always_inline void aio_count(__u64 context, __s64 by)
{
	struct rn_aio_key k = {.tgid = bpf_get_current_pid_tgid() >> 32, .context = context};
	__s64 zero = 0, *n = bpf_map_lookup_elem(&rn_aio_reads, &k);

	if (!n) {
		bpf_map_update_elem(&rn_aio_reads, &k, &zero, BPF_NOEXIST);
		n = bpf_map_lookup_elem(&rn_aio_reads, &k);
	}
	if (n)
		__sync_fetch_and_add(n, by);
	else if (by > 0) /* full: as if they were never seen again */
		COUNT(path[RN_PATH_AIO].uncovered, by);
}

/* Bytes that the first iovecs of an array hold. Two nested loops, each short for the verifier. */
enum { AIO_SOME = 32 };
INTRINSIC __u64 rn_aio_some(__u64 addr, __u64 n)
{
	struct iovec v;
	__u64 sum = 0;

	for (__u32 i = 0; i < AIO_SOME; i++) {
		if (i >= n || bpf_probe_read_user(&v, sizeof(v), (void *)(addr + i * sizeof(v))))
			break;
		sum += v.len;
	}
	return sum;
}
INTRINSIC __u64 rn_aio_iovecs(__u64 addr, __u64 n)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < RN_SCAN_IOVECS; i += AIO_SOME) {
		if (i >= n)
			break;
		sum += rn_aio_some(addr + i * sizeof(struct iovec), n - i);
	}
	return sum;
}

/* Read one operation of a call, from the array at `at`, into scratch. Return how many bytes it
 * moved in the direction of the call. 0: none that we look for, or it cannot be read; its
 * descriptor is then ~0. */
INTRINSIC __u64 rn_aio_op(__u64 at, __u64 kind)
{
	struct scratch *s = scratch();
	bool in = kind == RN_SCAN_AIO_EVENTS;

	if (!s)
		return 0;
	s->aio.fd = ~0;
	if (in ? bpf_probe_read_user(&s->event, sizeof(s->event), (void *)at)
	       : bpf_probe_read_user(&s->event.iocb, 8, (void *)at))
		return 0;
	if (bpf_probe_read_user(&s->aio, sizeof(s->aio),
				(void *)(s->event.iocb + __builtin_offsetof(struct user_iocb, op))))
		return 0;
	if (in)
		return is_read(s->aio.op) && s->event.res > 0 ? s->event.res : 0;
	if (s->aio.op == AIO_PWRITEV)
		return rn_aio_iovecs(s->aio.buf, s->aio.nbytes);
	return s->aio.op == AIO_PWRITE ? s->aio.nbytes : 0;
}

/* Distance from one element of the array to the next. */
static __always_inline __u64 aio_step(__u64 kind)
{
	return kind == RN_SCAN_AIO_EVENTS ? sizeof(struct user_event) : 8;
}

/* Make the next operation of the call in scratch the payload to be searched. Three steps, which
 * leave the stack alone: this is called from deep inside. This step reads the operation and how
 * many bytes it moved; 1: its iovecs tell how many. */
INTRINSIC __u64 rn_aio_read(void)
{
	struct scratch *s = scratch();
	bool in;

	if (!s)
		return 0;
	in = s->kind == RN_SCAN_AIO_EVENTS;
	s->aio.op = ~0;
	s->event.res = 0;
	s->ret = 0;
	if (in ? bpf_probe_read_user(&s->event, sizeof(s->event), (void *)s->msg)
	       : bpf_probe_read_user(&s->event.iocb, 8, (void *)s->msg))
		COVER(s, faulted, 1);
	else if (bpf_probe_read_user(
			 &s->aio, sizeof(s->aio),
			 (void *)(s->event.iocb + __builtin_offsetof(struct user_iocb, op))))
		COVER(s, faulted, 1);
	s->msg += aio_step(s->kind);
	s->start = s->aio.off;
	s->base = s->aio.buf;
	s->n = s->aio.op == AIO_PREADV || s->aio.op == AIO_PWRITEV ? s->aio.nbytes : 0;
	if (in)
		s->ret = is_read(s->aio.op) && s->event.res > 0 ? s->event.res : 0;
	else if (s->aio.op == AIO_PWRITE)
		s->ret = s->aio.nbytes;
	return !in && s->aio.op == AIO_PWRITEV;
}
/* Count the operation, if it is a read. */
INTRINSIC __u64 rn_aio_told(void)
{
	struct scratch *s = scratch();

	if (s && is_read(s->aio.op))
		aio_count(s->context, s->kind == RN_SCAN_AIO_EVENTS ? -1 : 1);
	return 0;
}
/* Look its file up. */
INTRINSIC __u64 rn_aio_file(void)
{
	struct scratch *s = scratch();

	if (s)
		s->file = s->ret ? file_of_fd(s->aio.fd) : 0;
	return 0;
}

static __always_inline __u64 aio_kind(struct rn_bpf_call *c)
{
	__u64 nr = c->nr;

	return nr < RN_SYS_MAX ? rn_traits[nr].payload : 0;
}

/* Bytes moved by some operations of a finished call, from number `from` on. */
INTRINSIC __u64 rn_aio_bytes_of_some(struct rn_bpf_call *c, __u64 from)
{
	__u64 sum = 0, at, kind;

	if (!c)
		return 0;
	kind = aio_kind(c);
	at = c->arg[kind == RN_SCAN_AIO_EVENTS ? 3 : 2] + from * aio_step(kind);
	for (__u32 i = 0; i < AIO_SOME; i++) {
		if (from + i >= c->ret)
			break;
		sum += rn_aio_op(at, kind);
		at += aio_step(kind);
	}
	return sum;
}
INTRINSIC __u64 rn_aio_bytes(struct rn_bpf_call *c)
{
	__u64 sum = 0;

	if (!c)
		return 0;
	for (__u32 i = 0; i < RN_SCAN_AIO; i += AIO_SOME) {
		if (i >= c->ret || (__s64)c->ret < 0)
			break;
		sum += rn_aio_bytes_of_some(c, i);
	}
	return sum;
}

/* The descriptor of the first operation that moved any bytes; ~0: none did. */
INTRINSIC __u64 rn_aio_fd_of_some(struct rn_bpf_call *c, __u64 from)
{
	struct scratch *s = scratch();
	__u64 at, kind;

	if (!s || !c)
		return ~0ULL;
	kind = aio_kind(c);
	at = c->arg[kind == RN_SCAN_AIO_EVENTS ? 3 : 2] + from * aio_step(kind);
	for (__u32 i = 0; i < AIO_SOME; i++) {
		if (from + i >= c->ret)
			break;
		if (rn_aio_op(at, kind))
			return s->aio.fd;
		at += aio_step(kind);
	}
	return ~0ULL;
}

/* The descriptor of the first operation that moved any bytes, else of the first; ~0: there is
 * none. */
INTRINSIC __u64 rn_aio_fd(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	__u64 fd, kind;

	if (!s || !c)
		return ~0ULL;
	for (__u32 i = 0; i < RN_SCAN_AIO; i += AIO_SOME) {
		if (i >= c->ret || (__s64)c->ret < 0)
			break;
		fd = rn_aio_fd_of_some(c, i);
		if (fd != ~0ULL)
			return fd;
	}
	kind = aio_kind(c);
	rn_aio_op(c->arg[kind == RN_SCAN_AIO_EVENTS ? 3 : 2], kind);
	return s->aio.fd == ~0U ? ~0ULL : s->aio.fd;
}
#endif
