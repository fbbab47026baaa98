/* ways_uring.c - asynchronous ways, by raw system calls: io_uring in its modes, and libaio's
 * io_submit. One operation at a time. */
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "ways.h"

struct ring {
	int fd;
	unsigned char *sq, *cq;
	struct io_uring_sqe *sqe;
	struct io_uring_params p;
	bool fixed;
};
static struct ring rings[2]; /* plain, and with a kernel thread that polls; kept for all cells */

static unsigned *word(void *base, unsigned off)
{
	return (unsigned *)((char *)base + off);
}

static struct ring *ring_open(struct ring *r, bool polled)
{
	memset(&r->p, 0, sizeof(r->p));
	r->p.flags = polled ? IORING_SETUP_SQPOLL : 0;
	r->p.sq_thread_idle = 200;
	r->fd = (int)syscall(SYS_io_uring_setup, 8, &r->p);
	if (r->fd < 0)
		return NULL;
	r->sq = mmap(0, r->p.sq_off.array + r->p.sq_entries * 4, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQ_RING);
	r->cq = mmap(0, r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_CQ_RING);
	r->sqe = mmap(0, r->p.sq_entries * sizeof(*r->sqe), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
	if (r->sq == MAP_FAILED || r->cq == MAP_FAILED || r->sqe == MAP_FAILED)
		return r->sq = NULL, NULL;
	return r;
}

static struct ring *ring_get(bool polled)
{
	return rings[polled].sq ? &rings[polled] : ring_open(&rings[polled], polled);
}

/* Submits and waits: the result of the operation, or -1. */
static ssize_t ring_do(struct ring *r, const struct io_uring_sqe *s)
{
	unsigned tail = *word(r->sq, r->p.sq_off.tail),
		 at = tail & *word(r->sq, r->p.sq_off.ring_mask), head;
	unsigned flags = IORING_ENTER_GETEVENTS |
			 (r->p.flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0);
	struct io_uring_cqe *e;
	int res;

	r->sqe[at] = *s;
	word(r->sq, r->p.sq_off.array)[at] = at;
	__atomic_store_n(word(r->sq, r->p.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	head = *word(r->cq, r->p.cq_off.head);
	if (syscall(SYS_io_uring_enter, r->fd, 1, 1, flags, NULL, 0) < 0)
		return -1;
	while (head == __atomic_load_n(word(r->cq, r->p.cq_off.tail), __ATOMIC_ACQUIRE))
		if (syscall(SYS_io_uring_enter, r->fd, 0, 1, flags, NULL, 0) < 0 && errno != EINTR)
			return -1;
	e = (struct io_uring_cqe *)(r->cq + r->p.cq_off.cqes) +
	    (head & *word(r->cq, r->p.cq_off.ring_mask));
	res = e->res;
	__atomic_store_n(word(r->cq, r->p.cq_off.head), head + 1, __ATOMIC_RELEASE);
	if (res < 0)
		errno = -res;
	return res < 0 ? -1 : res;
}

/* Both buffers, as fixed buffers 0 and 1. */
static int ring_fix(struct ring *r, struct job *j)
{
	struct iovec v[2] = {{j->data, MAX_SIZE}, {j->buf, MAX_SIZE}};

	if (r->fixed)
		return 0;
	if (syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_BUFFERS, v, 2))
		return -1;
	r->fixed = true;
	return 0;
}
static void ring_unfix(struct ring *r)
{
	if (r->fixed)
		syscall(SYS_io_uring_register, r->fd, IORING_UNREGISTER_BUFFERS, NULL, 0);
	r->fixed = false;
}

static const struct {
	unsigned char op;
	bool in;
	char shape; /* b buffer, v vector, f fixed, m message */
} ops[] = {
	[U_READ] = {IORING_OP_READ, true, 'b'},
	[U_WRITE] = {IORING_OP_WRITE, false, 'b'},
	[U_READV] = {IORING_OP_READV, true, 'v'},
	[U_WRITEV] = {IORING_OP_WRITEV, false, 'v'},
	[U_READ_FIXED] = {IORING_OP_READ_FIXED, true, 'f'},
	[U_WRITE_FIXED] = {IORING_OP_WRITE_FIXED, false, 'f'},
	[U_RECV] = {IORING_OP_RECV, true, 'b'},
	[U_SEND] = {IORING_OP_SEND, false, 'b'},
	[U_RECVMSG] = {IORING_OP_RECVMSG, true, 'm'},
	[U_SENDMSG] = {IORING_OP_SENDMSG, false, 'm'},
};

MOVE(mv_uring)
{
	struct ring *r = ring_get(j->w->aux & U_SQPOLL);
	unsigned o = j->w->aux & U_OP;
	bool in = ops[o].in, file = in ? j->w->in == FILE_END : j->w->out == FILE_END;
	unsigned char *base = (in ? j->buf : j->data) + off;
	struct iovec v[1024];
	struct msghdr m = {.msg_iov = v};
	struct io_uring_sqe s = {.opcode = ops[o].op,
				 .fd = in ? j->src : j->dst,
				 .user_data = 1,
				 .off = file ? off : 0};
	ssize_t n_done;

	if (!r || (ops[o].shape == 'f' && ring_fix(r, j)))
		return -1;
	if (o == U_RECV || o == U_RECVMSG)
		s.msg_flags = MSG_WAITALL;
	if (j->w->aux & U_ASYNC)
		s.flags = IOSQE_ASYNC;
	s.addr = (uintptr_t)base;
	s.len = (unsigned)n;
	if (ops[o].shape == 'v') {
		s.addr = (uintptr_t)v;
		s.len = (unsigned)spread(j, v, base, n);
	} else if (ops[o].shape == 'm') {
		m.msg_iovlen = (size_t)spread(j, v, base, n);
		s.addr = (uintptr_t)&m;
		s.len = 1;
	} else if (ops[o].shape == 'f') {
		s.buf_index = in;
	}
	n_done = ring_do(r, &s);
	if (ops[o].shape == 'f')
		ring_unfix(r);
	return n_done;
}

MOVE(mv_aio)
{
	static aio_context_t ctx;
	bool in = j->w->in == FILE_END;
	struct iovec v[1024];
	struct iocb cb = {.aio_lio_opcode = in ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE,
			  .aio_fildes = (unsigned)(in ? j->src : j->dst),
			  .aio_buf = (uintptr_t)((in ? j->buf : j->data) + off),
			  .aio_nbytes = n,
			  .aio_offset = (int64_t)off};
	struct iocb *list = &cb;
	struct io_event e;

	if (j->w->iovs) {
		cb.aio_lio_opcode = in ? IOCB_CMD_PREADV : IOCB_CMD_PWRITEV;
		cb.aio_nbytes = (uint64_t)spread(j, v, (in ? j->buf : j->data) + off, n);
		cb.aio_buf = (uintptr_t)v;
	}
	if (!ctx && syscall(SYS_io_setup, 8, &ctx))
		return -1;
	if (syscall(SYS_io_submit, ctx, 1, &list) != 1 ||
	    syscall(SYS_io_getevents, ctx, 1, 1, &e, NULL) != 1)
		return -1;
	if (e.res < 0)
		errno = (int)-e.res;
	return e.res < 0 ? -1 : (ssize_t)e.res;
}

struct ring *ring_new(void)
{
	struct ring *r = calloc(1, sizeof(*r));

	return r && ring_open(r, false) ? r : NULL;
}

ssize_t ring_move(struct ring *r, bool in, int fd, void *p, size_t n)
{
	return ring_do(r, &(struct io_uring_sqe){.opcode = in ? IORING_OP_READ : IORING_OP_WRITE,
						 .fd = fd,
						 .addr = (uintptr_t)p,
						 .len = (unsigned)n});
}

ssize_t aio_move(unsigned long *ctx, bool in, int fd, void *p, size_t n)
{
	struct iocb cb = {.aio_lio_opcode = in ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE,
			  .aio_fildes = (unsigned)fd,
			  .aio_buf = (uintptr_t)p,
			  .aio_nbytes = n};
	struct iocb *list = &cb;
	struct io_event e;

	if (!*ctx && syscall(SYS_io_setup, 8, ctx))
		return -1;
	return syscall(SYS_io_submit, *ctx, 1, &list) != 1 ||
			       syscall(SYS_io_getevents, *ctx, 1, 1, &e, NULL) != 1
		       ? -1
		       : (ssize_t)e.res;
}
