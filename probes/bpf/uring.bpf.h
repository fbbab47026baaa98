/* uring.bpf.h - operations of io_uring, reported as if they were calls: one for each request that
 * moves payload, when it completes.
 *
 * A request is remembered from its submission to its completion. At submission its buffers are
 * known. At completion the program may have reused the memory of its iovecs, and the kernel that of
 * the request. A request may not be remembered: it began before the query, or too many are under
 * way. Then its own present content is used, and its begin is not known.
 *
 * A request completes in the task that submitted it, or in a thread that the kernel made for that
 * task (io-wq, SQPOLL): the same process and memory.
 *
 * A buffer that the kernel chose (IOSQE_BUFFER_SELECT) is known only at completion: from the
 * request, or from the ring of buffers by the number in the completion's flags.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_URING_BPF_H
#define RN_PROBES_BPF_URING_BPF_H
#include "probes/bpf/payload.bpf.h"

/* Numbers of io_uring's ABI. */
enum {
	OP_READV = 1,
	OP_WRITEV,
	OP_READ_FIXED = 4,
	OP_WRITE_FIXED,
	OP_SENDMSG = 9,
	OP_RECVMSG,
	OP_READ = 22,
	OP_WRITE,
	OP_SEND = 26,
	OP_RECV,
	OP_SPLICE = 30,
	OP_TEE = 33,
	OP_SEND_ZC = 47,
	OP_SENDMSG_ZC,
	OP_READ_MULTISHOT,
	OP_CMD = 46,
	OP_CMD128 = 63,
	OP_RECV_ZC = 58,
	OP_READV_FIXED = 60,
	OP_WRITEV_FIXED
};
enum {
	SQE_FIXED_FILE = 1,
	SQE_BUFFER_SELECT = 1 << 5,
	SQE_SKIP_SUCCESS = 1 << 6,
	RECV_MULTISHOT = 1 << 1,
	SEND_VECTORIZED = 1 << 5
};
enum { CQE_BUFFER = 1, CQE_MORE = 2, CQE_BUF_MORE = 16, CQE_BUFFER_SHIFT = 16 };
enum {
	URING_REQUESTS = 32768,
	URING_IOVECS = 16,
	URING_BACK = 64,
	RING_OF_BUFFERS = 1,
	OLD_GROUPS = 64,
	NO_FD = 0xffffffff
};

struct uring_req {
	__u64 ctx, begin_ns;
	__u64 addr, len, off, peer;
	__u64 vec;   /* addr is an array of len iovecs, which are in iov if there is room */
	__u64 head;  /* bytes of a chosen buffer before the payload: multishot RECVMSG */
	__u64 group; /* + 1: the kernel chooses a buffer of that group */
	/* the program wants no completion if all goes well: uncovered until there is one */
	__u64 silent;
	struct iovec iov[URING_IOVECS];
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, URING_REQUESTS);
	__type(key, __u64); /* struct io_kiocb */
	__type(value, struct uring_req);
} uring_reqs SEC(".maps");
/* Requests that complete many times, by the value that their completions carry, which does not
 * include the request itself. */
struct uring_multi {
	__u64 ctx, user_data;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, URING_REQUESTS);
	__type(key, struct uring_multi);
	__type(value, __u64);
} uring_multis SEC(".maps");
struct { /* the current request */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct uring_req);
} uring_now SEC(".maps");

static __always_inline struct uring_req *request(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&uring_now, &zero);
}

static __always_inline __u64 uring_nr(__u32 op)
{
	switch (op) {
	case OP_READV:
	case OP_READ_FIXED:
	case OP_READ:
	case OP_READ_MULTISHOT:
	case OP_READV_FIXED: return RN_OP_URING_READ;
	case OP_WRITEV:
	case OP_WRITE_FIXED:
	case OP_WRITE:
	case OP_WRITEV_FIXED:
	case OP_SPLICE:
	case OP_TEE: return RN_OP_URING_WRITE;
	case OP_RECV:
	case OP_RECVMSG:
	case OP_RECV_ZC: return RN_OP_URING_RECV;
	case OP_SEND:
	case OP_SENDMSG:
	case OP_SEND_ZC:
	case OP_SENDMSG_ZC: return RN_OP_URING_SEND;
	default: return 0;
	}
}

static __always_inline bool is_msg(__u32 op)
{
	return op == OP_SENDMSG || op == OP_RECVMSG || op == OP_SENDMSG_ZC;
}
static __always_inline bool is_readv(__u32 op)
{
	return op == OP_READV || op == OP_WRITEV || op == OP_READV_FIXED || op == OP_WRITEV_FIXED;
}
static __always_inline bool on_socket(__u64 nr)
{
	return nr == RN_OP_URING_RECV || nr == RN_OP_URING_SEND;
}

static __always_inline void multi_key(struct uring_multi *k, struct io_kiocb *r)
{
	k->ctx = (__u64)BPF_CORE_READ(r, ctx);
	k->user_data = BPF_CORE_READ(r, cqe.user_data);
}

/* Copy what the request says of itself to uring_now, with its iovecs while they are there. 1: it
 * may complete many times. */
INTRINSIC __u64 rn_uring_look(__u64 req)
{
	struct uring_req *u = request();
	struct io_kiocb *r = (void *)req;
	struct io_rw *rw = (void *)req;
	struct io_sr_msg *sr = (void *)req;
	__u64 many = 0, flags = 0, n;
	__u32 op;

	if (!u)
		return 0;
	op = BPF_CORE_READ(r, opcode);
	bpf_core_read(&flags, 4, &r->flags);
	u->ctx = (__u64)BPF_CORE_READ(r, ctx);
	u->begin_ns = u->peer = u->head = u->group = 0;
	if (flags & SQE_BUFFER_SELECT)
		u->group = BPF_CORE_READ(r, buf_index) + 1;
	u->vec = is_readv(op);
	if (on_socket(uring_nr(op))) {
		flags = BPF_CORE_READ(sr, flags);
		many = (op == OP_RECV || op == OP_RECVMSG) && flags & RECV_MULTISHOT;
		u->addr = (__u64)BPF_CORE_READ(sr, buf);
		u->len = (__u32)BPF_CORE_READ(sr, len);
		u->off = flags; /* flags of the message: argument 3 */
		u->vec = is_msg(op) || (op != OP_RECV && flags & SEND_VECTORIZED);
	} else {
		many = op == OP_READ_MULTISHOT;
		u->addr = BPF_CORE_READ(rw, addr);
		u->len = BPF_CORE_READ(rw, len);
		u->off = BPF_CORE_READ(rw, kiocb.ki_pos);
	}
	if (is_msg(op)) {
		struct user_msghdr m = {};
		bpf_probe_read_user(&m, sizeof(m), (void *)u->addr);
		u->peer = m.name;
		u->addr = m.iov;
		u->len = m.iovlen;
		/* struct io_uring_recvmsg_out, then room for the name and for control messages */
		if (many)
			u->head = 16 + m.namelen + m.controllen;
	}
	n = u->len;
	OPAQUE(n);
	if (u->vec && n <= URING_IOVECS)
		bpf_probe_read_user(u->iov, n * sizeof(struct iovec), (void *)u->addr);
	return many;
}

/* A command for a device's driver: the driver knows what it moves (passthrough of NVMe, FUSE over
 * io_uring), and it is not searched. */
INTRINSIC __u64 rn_uring_command(__u64 req)
{
	struct io_kiocb *r = (void *)req;
	__u32 op = BPF_CORE_READ(r, opcode), type;
	struct file *f = NULL;
	__u64 flags = 0;

	if (op != OP_CMD && op != OP_CMD128)
		return 0;
	bpf_core_read(&flags, 4, &r->flags);
	if (!(flags & SQE_FIXED_FILE))
		/* it is not looked up yet */
		f = (void *)file_of_fd((__u32)BPF_CORE_READ(r, cqe.fd));
	type = f ? type_of(f) : S_IFCHR;
	if (f && is_fuse((__u64)f))
		COUNT(path[RN_PATH_FUSE].uncovered, 1);
	else if (type == S_IFCHR || type == S_IFBLK)
		COUNT(path[RN_PATH_URING].uncovered, 1);
	return 0;
}

/* io_uring_submit_req, io_uring_submit_sqe: a request is about to be issued. Makes no event. */
INTRINSIC __u64 rn_op_uring_submit(struct rn_bpf_call *c)
{
	struct uring_req *u = request(), *old;
	struct uring_multi many = {};
	struct io_kiocb *r;
	__u64 req, flags = 0;

	if (!u || !c)
		return 0;
	req = c->arg[0];
	r = (void *)req;
	if (!uring_nr(BPF_CORE_READ(r, opcode)))
		return rn_uring_command(req);
	bpf_core_read(&flags, 4, &r->flags);
	old = bpf_map_lookup_elem(&uring_reqs, &req);
	/* Its last completion found the ring full: we were not told of it. */
	if (old && old->ctx == (__u64)BPF_CORE_READ(r, ctx) && !old->silent)
		COUNT(path[RN_PATH_URING].uncovered, 1);
	if (rn_uring_look(req)) {
		multi_key(&many, r);
		bpf_map_update_elem(&uring_multis, &many, &req, BPF_ANY);
	}
	u->begin_ns = bpf_ktime_get_ns();
	u->silent = (flags & SQE_SKIP_SUCCESS) != 0;
	if (u->silent)
		COUNT(path[RN_PATH_URING].uncovered, 1);
	bpf_map_update_elem(&uring_reqs, &req, u, BPF_ANY);
	return 0;
}

/* The list of buffers of a group of the ring; 0: there is none. */
static __always_inline __u64 buffer_list(struct io_ring_ctx *ctx, __u64 group)
{
	__u64 e;

	if (bpf_core_field_exists(ctx->io_bl) && group < OLD_GROUPS)
		return (__u64)BPF_CORE_READ(ctx, io_bl) +
		       group * bpf_core_type_size(struct io_buffer_list);
	e = (__u64)BPF_CORE_READ(ctx, io_bl_xa.xa_head);
	for (int level = 0; level < 4; level++) {
		struct xa_node *node = (void *)(e - 2);
		__u8 shift = 0;
		if ((e & 3) != 2 || e < 4096)
			break;
		bpf_core_read(&shift, 1, &node->shift);
		e = 0;
		bpf_probe_read_kernel(&e, 8,
				      (void *)node + bpf_core_field_offset(struct xa_node, slots) +
					      (group >> (shift & 31) & 63) * 8);
	}
	return e & 3 ? 0 : e;
}

struct user_buf {
	__u64 addr;
	__u32 len;
	__u16 bid, resv;
};
/* Put the buffers of a ring from place `from` on that hold n bytes into the iovecs of uring_now;
 * return how many; 0: too many. */
INTRINSIC __u64 rn_uring_chain(__u64 ring, __u64 mask, __u64 from, __u64 n, __u64 more)
{
	struct uring_req *u = request();
	struct user_buf b = {};

	if (!u)
		return 0;
	for (__u32 k = 0; k < URING_IOVECS; k++) {
		if (bpf_probe_read_kernel(&b, sizeof(b),
					  (void *)(ring + (from & mask) * sizeof(b))))
			return 0;
		u->iov[k].base = more ? b.addr - n : b.addr;
		u->iov[k].len = more || b.len > n || !b.len ? n : b.len;
		n -= u->iov[k].len;
		if (!n)
			return k + 1;
		from++;
	}
	return 0;
}

/* Find the buffers from number bid on that hold n bytes, as iovecs, in the ring of buffers where
 * they were just taken; 0: not found. A buffer that is used up bit by bit (more) has already moved
 * on by n. */
INTRINSIC __u64 rn_uring_buffers(__u64 bid, __u64 n, __u64 more)
{
	struct uring_req *u = request();
	struct user_buf b = {};
	struct io_buffer_list *bl;
	__u64 ring, from, k;
	__u32 mask, head;

	if (!u || !u->group)
		return 0;
	bl = (void *)buffer_list((void *)u->ctx, u->group - 1);
	if (!bl)
		return 0;
	if (bpf_core_field_exists(bl->flags) ? !(BPF_CORE_READ(bl, flags) & RING_OF_BUFFERS)
					     : !BPF_CORE_READ(bl, buf_nr_pages))
		return 0;
	ring = (__u64)BPF_CORE_READ(bl, buf_ring);
	mask = BPF_CORE_READ(bl, mask);
	head = BPF_CORE_READ(bl, head);
	/* the one at head is still in use, or was taken and not yet committed */
	for (k = 0; k < URING_BACK; k++) {
		from = head - k;
		if (!bpf_probe_read_kernel(&b, sizeof(b),
					   (void *)(ring + (from & mask) * sizeof(b))) &&
		    b.bid == bid && (b.len || k))
			break;
	}
	return k == URING_BACK ? 0 : rn_uring_chain(ring, mask, from, n, more);
}

/* The place of a completed request's payload: arguments 1, 2 and 5. */
INTRINSIC __u64 rn_uring_where(struct rn_bpf_call *c, __u64 req, __u64 op, __u64 cflags)
{
	struct uring_req *u = request();
	struct io_rw *rw = (void *)req;
	__u64 n;

	if (!u || !c)
		return 0;
	c->arg[1] = u->addr;
	c->arg[2] = u->len;
	c->arg[5] = RN_SCAN_BUF;
	if (op == OP_SPLICE || op == OP_TEE || op == OP_RECV_ZC) {
		c->arg[5] = 0;
	} else if (u->group && !on_socket(c->nr)) {
		c->arg[1] = BPF_CORE_READ(rw, addr);
		c->arg[2] = c->ret;
	} else if (u->group) {
		n = (__s64)c->ret > 0 && cflags & CQE_BUFFER
			    ? rn_uring_buffers(cflags >> CQE_BUFFER_SHIFT, c->ret,
					       cflags & CQE_BUF_MORE)
			    : 0;
		if (u->head && n && u->iov[0].len >= u->head) {
			u->iov[0].base += u->head;
			u->iov[0].len -= u->head;
			c->ret -= u->head;
		}
		c->arg[1] = (__u64)u->iov;
		c->arg[2] = n;
		c->arg[5] = n ? RN_SCAN_IOVEC : 0;
	} else if (u->vec) {
		if (u->len <= URING_IOVECS)
			c->arg[1] = (__u64)u->iov;
		c->arg[5] = RN_SCAN_IOVEC;
	}
	return 0;
}

struct uring_completion {
	__u64 user_data;
	__s32 res;
	__u32 flags;
};

/* Reads the arguments of io_uring_complete. Behind ring and request stands the completion (kernels
 * from 6.16 on), or its user_data, result and flags. */
static __always_inline void read_completion(struct rn_bpf_call *c, struct uring_completion *e)
{
	if (c->arg[5] < 5) {
		bpf_probe_read_kernel(e, sizeof(*e), (void *)c->arg[2]);
	} else {
		e->user_data = c->arg[2];
		e->res = c->arg[3];
		e->flags = c->arg[4];
	}
}

/* io_uring_complete */
INTRINSIC __u64 rn_op_uring_done(struct rn_bpf_call *c)
{
	struct uring_completion e = {};
	struct uring_req *u = request(), *old;
	struct uring_multi many = {};
	struct io_kiocb *r;
	struct file *f;
	__u64 req, *of;
	__u32 op;

	if (!u || !c)
		return 0;
	req = c->arg[1];
	read_completion(c, &e);
	if (!req) {
		many.ctx = c->arg[0];
		many.user_data = e.user_data;
		of = bpf_map_lookup_elem(&uring_multis, &many);
		if (!of)
			return 0;
		req = *of;
	}
	r = (void *)req;
	op = BPF_CORE_READ(r, opcode);
	c->nr = uring_nr(op);
	if (!c->nr)
		return 0;
	old = bpf_map_lookup_elem(&uring_reqs, &req);
	if (old) {
		bpf_probe_read_kernel(u, sizeof(*u), old);
		if (u->silent) /* it failed, or moved only a part */
			COUNT(path[RN_PATH_URING].uncovered, -1);
	} else {
		rn_uring_look(req);
	}
	if (!(e.flags & CQE_MORE) || op == OP_SEND_ZC || op == OP_SENDMSG_ZC) {
		bpf_map_delete_elem(&uring_reqs, &req);
		if (u->group) {
			multi_key(&many, r);
			bpf_map_delete_elem(&uring_multis, &many);
		}
	}
	f = BPF_CORE_READ(r, file);
	c->ret = (__s64)e.res;
	c->begin_ns = u->begin_ns;
	c->arg[0] = f ? (__u64)f : NO_FD;
	c->arg[3] = u->off;
	/* at the file's own position, or the request's, which has moved on */
	if (f && !on_socket(c->nr) && (u->off == NOWHERE || !old))
		c->arg[3] = (u->off == NOWHERE ? BPF_CORE_READ(f, f_pos) : u->off) -
			    (e.res > 0 ? e.res : 0);
	c->arg[4] = u->peer;
	rn_uring_where(c, req, op, e.flags);
	return 1;
}
#endif
