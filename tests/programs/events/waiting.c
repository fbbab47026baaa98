/* waiting.c DIR TEXT - calls that wait, of every kind, each in a thread of its own, until DIR/go is
 * there: then each gets TEXT.
 *
 * DIR/ready is made when the kernel says that all of them wait (/proc/PID/task/TID/syscall), with a
 * line for each: the name of the call. TEXT is kept as its complement meanwhile, so that it is in
 * no payload before. What a thread got it writes to DIR/NAME. Kinds that this kernel does not have
 * are left out. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SIZE = 4096 };
struct waiter;
struct kind {
	const char *name;
	int nr;
	bool sockets;
	int (*wait)(struct waiter *w);
};
struct waiter {
	const struct kind *kind;
	int tid, fd[2];
	char *buf;
	pthread_t thread;
};

static const char *dir;
static char hidden[64];
static int text_bytes;
static aio_context_t aio;

static char *path_of(const char *name)
{
	char *p;

	if (asprintf(&p, "%s/%s", dir, name) < 0)
		exit(1);
	return p;
}

static int with_read(struct waiter *w)
{
	return (int)read(w->fd[0], w->buf, SIZE);
}
static int with_readv(struct waiter *w)
{
	return (int)readv(w->fd[0], &(struct iovec){w->buf, SIZE}, 1);
}
static int with_recv(struct waiter *w)
{
	return (int)recv(w->fd[0], w->buf, SIZE, 0);
}

static int with_recvmsg(struct waiter *w)
{
	struct iovec v = {w->buf, SIZE};

	return (int)recvmsg(w->fd[0], &(struct msghdr){.msg_iov = &v, .msg_iovlen = 1}, 0);
}

static int with_recvmmsg(struct waiter *w)
{
	struct iovec v = {w->buf, SIZE};
	struct mmsghdr m = {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}};

	return recvmmsg(w->fd[0], &m, 1, 0, NULL) == 1 ? (int)m.msg_len : -1;
}

static int with_splice(struct waiter *w)
{
	int to[2], n;

	if (pipe(to))
		return -1;
	n = (int)splice(w->fd[0], NULL, to[1], NULL, SIZE, 0);
	return n > 0 ? (int)read(to[0], w->buf, (size_t)n) : n;
}

/* The operation is submitted by the one who lets go. */
static int with_getevents(struct waiter *w)
{
	struct io_event done;

	if (syscall(SYS_io_getevents, aio, 1, 1, &done, NULL) != 1)
		return -1;
	(void)w;
	return (int)done.res;
}

static int with_uring(struct waiter *w)
{
	struct io_uring_params p = {0};
	int ring = (int)syscall(__NR_io_uring_setup, 1, &p);
	char *sq = mmap(NULL, p.sq_off.array + 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			IORING_OFF_SQ_RING);
	char *cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
			PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	struct io_uring_sqe *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);

	if (ring < 0 || sq == MAP_FAILED || cq == MAP_FAILED || s == MAP_FAILED)
		return -1;
	*s = (struct io_uring_sqe){.opcode = IORING_OP_RECV,
				   .fd = w->fd[0],
				   .addr = (unsigned long)w->buf,
				   .len = SIZE};
	__atomic_store_n((unsigned *)(void *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	return ((struct io_uring_cqe *)(void *)(cq + p.cq_off.cqes))->res;
}

static const struct kind kinds[] = {
	{"read", SYS_read, false, with_read},
	{"readv", SYS_readv, false, with_readv},
	{"recvfrom", SYS_recvfrom, true, with_recv},
	{"recvmsg", SYS_recvmsg, true, with_recvmsg},
	{"recvmmsg", SYS_recvmmsg, true, with_recvmmsg},
	{"splice", SYS_splice, false, with_splice},
	{"io_getevents", SYS_io_getevents, false, with_getevents},
	{"io_uring_recv", __NR_io_uring_enter, true, with_uring},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };
static struct waiter waiters[KINDS];

static void *body(void *self)
{
	struct waiter *w = self;
	int n, out;

	__atomic_store_n(&w->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	n = w->kind->wait(w);
	out = open(path_of(w->kind->name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (n != text_bytes || write(out, w->buf, (size_t)n) != n)
		fprintf(stderr, "waiting: %s got %d bytes\n", w->kind->name, n);
	close(out);
	return NULL;
}

/* Does the thread wait in its call? */
static bool waits(const struct waiter *w)
{
	char path[64], text[64] = "";
	int tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	f = tid ? fopen(path, "re") : NULL;
	if (f && !fgets(text, sizeof(text), f))
		text[0] = 0;
	if (f)
		fclose(f);
	return text[0] && strncmp(text, "running", 7) && atoi(text) == w->kind->nr;
}

static void let_go(struct waiter *w)
{
	char text[64];

	for (int i = 0; i < text_bytes; i++)
		text[i] = (char)~hidden[i];
	if (w->kind->nr == SYS_io_getevents) {
		int file = open(path_of("source"), O_RDONLY);
		struct iocb op = {.aio_lio_opcode = IOCB_CMD_PREAD,
				  .aio_fildes = (unsigned)file,
				  .aio_buf = (unsigned long)w->buf,
				  .aio_nbytes = (unsigned)text_bytes},
			    *list = &op;
		int to = open(path_of("source"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (file < 0 || write(to, text, (size_t)text_bytes) != text_bytes ||
		    syscall(SYS_io_submit, aio, 1, &list) != 1)
			perror("waiting: io_submit");
		close(to);
		return;
	}
	if (write(w->fd[1], text, (size_t)text_bytes) != text_bytes)
		perror("waiting: write");
}

int main(int argc, char **argv)
{
	FILE *ready;

	if (argc != 3 || strlen(argv[2]) >= sizeof(hidden))
		return 2;
	dir = argv[1];
	text_bytes = (int)strlen(argv[2]);
	for (int i = 0; i < text_bytes; i++)
		hidden[i] = (char)~argv[2][i];
	memset(argv[2], '-', (size_t)text_bytes);
	close(open(path_of("source"), O_WRONLY | O_CREAT, 0600));
	for (int i = 0; i < KINDS; i++) {
		struct waiter *w = &waiters[i];

		w->kind = &kinds[i];
		w->buf = calloc(1, SIZE);
		if ((kinds[i].nr == SYS_io_getevents && syscall(SYS_io_setup, 4, &aio)) ||
		    (kinds[i].nr == __NR_io_uring_enter &&
		     syscall(__NR_io_uring_setup, 1, &(struct io_uring_params){0}) < 0))
			w->kind = NULL;
		else if (kinds[i].sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, w->fd)
					  : pipe(w->fd))
			return 1;
		else if (pthread_create(&w->thread, NULL, body, w))
			return 1;
	}
	for (int i = 0; i < KINDS; i++)
		while (waiters[i].kind && !waits(&waiters[i]))
			usleep(10000);
	ready = fopen(path_of("ready.part"), "we");
	for (int i = 0; i < KINDS; i++)
		if (waiters[i].kind)
			fprintf(ready, "%s\n", kinds[i].name);
	fclose(ready);
	rename(path_of("ready.part"), path_of("ready"));
	while (access(path_of("go"), F_OK))
		usleep(10000);
	for (int i = 0; i < KINDS; i++)
		if (waiters[i].kind) {
			let_go(&waiters[i]);
			pthread_join(waiters[i].thread, NULL);
		}
	return 0;
}
