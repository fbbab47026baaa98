/* uring.c - one operation through io_uring, without a library, so that the answer can be held
 * against what was done.
 *
 *     uring [sqpoll] [async] [deep] [silent] OP FILE TAG
 *
 * OP is one of these:
 *     read, readfixed, readv, readvfixed
 *     readring      the kernel chooses the buffer
 *     readold       from a list of buffers, as kernels had before rings of them
 *     readmulti     of a pipe, many completions
 *     write, writefixed, writev, writevfixed, send, sendmsg, sendzc, sendmsgzc
 *     recv, recvmsg, recvring, recvold, recvmsgring, recvmulti, splice, tee, none
 *     command       for the driver of FILE
 *
 * Writes and sends carry TAG at their byte 100. Reads are of FILE. What is received or read from a
 * pipe comes by write(2), at byte 100 of each message. With `async` a thread of the kernel does it.
 * With `deep` the program reuses the memory of recvmsg's iovecs right after submission. With
 * `silent` it wants no completion if all went well. Exit 77: this kernel does not have that. */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ENTRIES = 8, SIZE = 8192, AT = 100, MESSAGE = 200, BUFFERS = 4, GROUP = 3 };
static struct io_uring_params p;
static char *sq, *cq;
static struct io_uring_sqe *sqes;
static int ring, file, pair[2];
static char *buf;

static void unsupported(const char *what)
{
	fprintf(stderr, "uring: %s: %s\n", what, strerror(errno));
	exit(77);
}

#define FIELD(ring, off) ((unsigned *)(void *)((ring) + (off)))

static void setup(unsigned flags)
{
	p.flags = flags;
	p.sq_thread_idle = 100;
	ring = (int)syscall(__NR_io_uring_setup, ENTRIES, &p);
	if (ring < 0)
		unsupported("io_uring_setup");
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_CQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqes == MAP_FAILED)
		unsupported("mmap");
}

static void submit(const struct io_uring_sqe *s)
{
	unsigned tail = *FIELD(sq, p.sq_off.tail), i = tail & (p.sq_entries - 1);

	sqes[i] = *s;
	FIELD(sq, p.sq_off.array)[i] = i;
	__atomic_store_n(FIELD(sq, p.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring, 1, 0,
		    p.flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0, NULL, 0) < 0)
		unsupported("io_uring_enter");
}

static struct io_uring_cqe reap(void)
{
	struct io_uring_cqe c;
	unsigned head = *FIELD(cq, p.cq_off.head);

	while (__atomic_load_n(FIELD(cq, p.cq_off.tail), __ATOMIC_ACQUIRE) == head)
		if (syscall(__NR_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0 &&
		    errno != EINTR)
			unsupported("io_uring_enter");
	c = ((struct io_uring_cqe *)(void *)(cq + p.cq_off.cqes))[head & (p.cq_entries - 1)];
	__atomic_store_n(FIELD(cq, p.cq_off.head), head + 1, __ATOMIC_RELEASE);
	if (c.res == -EINVAL || c.res == -EOPNOTSUPP) {
		errno = -c.res;
		unsupported("the operation");
	}
	if (c.res < 0) {
		fprintf(stderr, "uring: %s\n", strerror(-c.res));
		exit(1);
	}
	return c;
}

/* BUFFERS buffers of SIZE / BUFFERS bytes for the kernel to choose from. */
static void buffer_ring(void)
{
	struct io_uring_buf_ring *r =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	struct io_uring_buf_reg reg = {
		.ring_addr = (unsigned long)r, .ring_entries = BUFFERS, .bgid = GROUP};

	for (int i = 0; i < BUFFERS; i++) {
		r->bufs[i].addr = (unsigned long)(buf + i * SIZE / BUFFERS);
		r->bufs[i].len = SIZE / BUFFERS;
		r->bufs[i].bid = (unsigned short)(i + 10);
	}
	__atomic_store_n(&r->tail, BUFFERS, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_register, ring, IORING_REGISTER_PBUF_RING, &reg, 1))
		unsupported("IORING_REGISTER_PBUF_RING");
}

/* The same as a list. */
static void buffer_list(void)
{
	struct io_uring_sqe s = {.opcode = IORING_OP_PROVIDE_BUFFERS,
				 .fd = BUFFERS,
				 .addr = (unsigned long)buf,
				 .len = SIZE / BUFFERS,
				 .off = 10,
				 .buf_group = GROUP};

	submit(&s);
	reap();
}

static int tcp_pair(int fd[2])
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (l < 0 || fd[0] < 0 || bind(l, (void *)&a, n) || listen(l, 1) ||
	    getsockname(l, (void *)&a, &n) || connect(fd[0], (void *)&a, n))
		return -1;
	fd[1] = accept(l, NULL, NULL);
	return fd[1] < 0 ? -1 : 0;
}

/* The other end of the pair, or of the pipe, sends a message by write(2). */
static void message(const char *tag)
{
	char m[MESSAGE];

	memset(m, '.', sizeof(m));
	memcpy(m + AT, tag, strlen(tag));
	if (write(pair[1], m, sizeof(m)) != sizeof(m))
		exit(1);
}

/* The request of the command line. */
struct how {
	const char *name, *path, *tag;
	int op, on;     /* of the table below */
	int flags;      /* of the ring */
	bool deep;      /* the memory of its iovecs is used again right away */
	bool async;     /* from a thread of the kernel's */
	bool silent;    /* it tells nothing if it went well */
	bool out;       /* it writes or sends */
	bool old, ring; /* buffers are given: in a list, in a ring or a list */
};
/* on: a file to read, one to write, unix or TCP sockets, a pipe */
static const struct {
	const char *name;
	int op, on;
} ops[] = {
	{"read", IORING_OP_READ, 'r'},
	{"readfixed", IORING_OP_READ_FIXED, 'r'},
	{"readv", IORING_OP_READV, 'r'},
	{"readring", IORING_OP_READ, 'r'},
	{"readmulti", 49, 'p'},
	{"write", IORING_OP_WRITE, 'w'},
	{"writefixed", IORING_OP_WRITE_FIXED, 'w'},
	{"writev", IORING_OP_WRITEV, 'w'},
	{"send", IORING_OP_SEND, 's'},
	{"sendmsg", IORING_OP_SENDMSG, 's'},
	{"sendzc", 47, 't'},
	{"sendmsgzc", 48, 't'},
	{"readvfixed", 60, 'r'},
	{"writevfixed", 61, 'w'},
	{"recv", IORING_OP_RECV, 's'},
	{"recvmsg", IORING_OP_RECVMSG, 's'},
	{"recvring", IORING_OP_RECV, 's'},
	{"recvmulti", IORING_OP_RECV, 's'},
	{"splice", IORING_OP_SPLICE, 'p'},
	{"readold", IORING_OP_READ, 'r'},
	{"recvold", IORING_OP_RECV, 's'},
	{"recvmsgring", IORING_OP_RECVMSG, 's'},
	{"tee", IORING_OP_TEE, 'p'},
	{"none", IORING_OP_NOP, 's'},
	{"command", 46, 'r'},
};

static bool read_how(int argc, char **argv, struct how *h)
{
	int i = 1;

	*h = (struct how){.op = -1};
	for (; i < argc - 3; i++)
		if (!strcmp(argv[i], "sqpoll"))
			h->flags |= IORING_SETUP_SQPOLL;
		else if (!strcmp(argv[i], "async"))
			h->async = true;
		else if (!strcmp(argv[i], "deep"))
			h->deep = true;
		else if (!strcmp(argv[i], "silent"))
			h->silent = true;
	if (i + 3 != argc)
		return false;
	h->name = argv[i];
	h->path = argv[i + 1];
	h->tag = argv[i + 2];
	for (unsigned k = 0; k < sizeof(ops) / sizeof(*ops); k++)
		if (!strcmp(ops[k].name, h->name)) {
			h->op = ops[k].op;
			h->on = ops[k].on;
		}
	h->out = !strncmp(h->name, "write", 5) || !strncmp(h->name, "send", 4);
	h->old = strstr(h->name, "old");
	h->ring = strstr(h->name, "ring") || strstr(h->name, "multi") || h->old;
	return h->op >= 0;
}

static void open_target(const struct how *h)
{
	if (h->on == 'r' || h->on == 'w')
		file = open(h->path, h->on == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0600);
	else if (h->on == 'p'   ? pipe(pair)
		 : h->on == 't' ? tcp_pair(pair)
				: socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		unsupported("a pair of sockets");
	else
		file = pair[0];
	if (file < 0)
		exit(1);
}

/* What it takes its data from, or puts it to. */
static struct io_uring_sqe operation(const struct how *h, struct iovec iov[3], struct msghdr *m)
{
	struct io_uring_sqe s = {.opcode = (unsigned char)h->op,
				 .fd = file,
				 .addr = (unsigned long)buf,
				 .len = h->out ? MESSAGE : SIZE,
				 .user_data = 7};
	int other[2];

	if (h->op == IORING_OP_READV || h->op == IORING_OP_WRITEV || h->op == 60 || h->op == 61) {
		s.addr = (unsigned long)iov;
		s.len = 3;
	} else if (h->op == IORING_OP_SENDMSG || h->op == IORING_OP_RECVMSG || h->op == 48) {
		s.addr = (unsigned long)m;
		s.len = 1;
		if (h->ring) {
			iov[0] = (struct iovec){NULL, SIZE / BUFFERS};
			m->msg_iovlen = 1;
		}
	} else if (h->op == IORING_OP_SPLICE) {
		s = (struct io_uring_sqe){.opcode = IORING_OP_SPLICE,
					  .fd = pair[1],
					  .splice_fd_in = open(h->path, O_RDONLY),
					  .len = SIZE,
					  .off = ~0ULL};
	} else if (h->op == IORING_OP_TEE) {
		if (pipe(other))
			exit(1);
		s = (struct io_uring_sqe){.opcode = IORING_OP_TEE,
					  .fd = other[1],
					  .splice_fd_in = pair[0],
					  .len = SIZE};
	}
	return s;
}

/* The kernel chooses a buffer of those that it was given. */
static void choose_buffers(const struct how *h, struct io_uring_sqe *s)
{
	if (h->old)
		buffer_list();
	else
		buffer_ring();
	if (h->op != IORING_OP_RECVMSG)
		s->addr = s->len = 0;
	s->flags |= IOSQE_BUFFER_SELECT;
	s->buf_group = GROUP;
	if (h->op == IORING_OP_READ)
		s->len = SIZE / BUFFERS;
	if (!strcmp(h->name, "recvmulti"))
		s->ioprio = IORING_RECV_MULTISHOT;
}

int main(int argc, char **argv)
{
	struct how h;
	struct iovec iov[3];
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = 3};
	struct io_uring_sqe s;
	struct io_uring_cqe c;
	bool late;

	if (!read_how(argc, argv, &h))
		return 2;
	setup((unsigned)h.flags);
	buf = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | MAP_POPULATE,
		   -1, 0);
	open_target(&h);
	iov[0] = (struct iovec){buf, 50};
	iov[1] = (struct iovec){buf + 50, 50 + 3};
	iov[2] = (struct iovec){buf + 103, (h.out ? MESSAGE : SIZE) - 103};
	if (h.out) {
		memset(buf, '.', SIZE);
		memcpy(buf + AT, h.tag, strlen(h.tag));
	}
	if (strstr(h.name, "fixed") &&
	    syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS,
		    &(struct iovec){buf, SIZE}, 1))
		unsupported("IORING_REGISTER_BUFFERS");
	s = operation(&h, iov, &m);
	if (h.ring)
		choose_buffers(&h, &s);
	if (h.async)
		s.flags |= IOSQE_ASYNC;
	if (h.silent)
		s.flags |= IOSQE_CQE_SKIP_SUCCESS;
	late = h.deep && h.op == IORING_OP_RECVMSG; /* it waits for the message */
	if (!late && !h.out && (h.on == 's' || h.on == 'p') && h.op != IORING_OP_SPLICE)
		message(h.tag);
	submit(&s);
	if (late) {
		memset(iov, 0, sizeof(iov));
		memset(&m, 0, sizeof(m));
		message(h.tag);
	}
	if (h.silent) { /* one that tells when it is done, after it */
		s = (struct io_uring_sqe){.opcode = IORING_OP_NOP, .flags = IOSQE_IO_DRAIN};
		submit(&s);
	}
	c = reap();
	if (strstr(h.name, "multi")) {
		if (!(c.flags & IORING_CQE_F_MORE))
			return 77;
		message(h.tag);
		reap();
	}
	return 0;
}
