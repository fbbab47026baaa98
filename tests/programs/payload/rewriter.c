/* rewriter.c DIR FILES PAIRS SEED, or rewriter.c DIR stall|together
 *
 * It writes a mark into files that were read before and held none, reads it at once in every way,
 * and writes over it. Each reader looks into its own buffer, so it knows which of its calls had the
 * mark. The program prints how many by name of the call: `pread64 812`. `mapped N` counts files of
 * which a mapping showed the mark. The last line has the number of pairs of a write and a read.
 *
 * Ways to write: pwrite, a store through a mapping, splice from a pipe, copy_file_range,
 * FICLONERANGE, truncate and write, O_DIRECT, io_uring. A way that the file system lacks is pwrite.
 * Ways to read: pread, readv, sendfile into a socket, a mapping. Two more processes read all the
 * time: what is written while they do may be in their buffers or not.
 *
 * Files whose mappings showed the mark are named in DIR/mapped, one a line.
 *
 * stall: a read that has copied the mark, and then waits for memory until the file has been quiet
 * without the mark for seconds, and others have read it again and again.
 *
 * together: two threads read one file through one descriptor. When a call has returned, the other
 * thread may have moved the position already.
 *
 * Files rest for two seconds between visits, so that what was learned of them counts again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK "zqFRESHmark7"
enum { LEN = sizeof(MARK) - 1, SIZE = 32768, PAGE = 4096, SECOND = 1000000000 };
enum { PREAD, READV, SENDFILE, RECEIVED, MAPPED, KINDS };
static const char *const names[KINDS] = {"pread64", "readv", "sendfile", "recvfrom", "mapped"};

static const char *dir;
static unsigned files, seed;
static long pairs;
/* what the processes of a run share */
static volatile struct shared {
	long seen[KINDS];
	unsigned current;
	int done, ready, fd; /* fd: the slow reader's userfaultfd */
	unsigned long page;  /* that it waits for */
} * sh;
static int source = -1, channel[2], conduit[2];
static unsigned char *aligned;
static char *was_mapped;
/* After a direct write or a clone, somebody reads the page again. If another task faults meanwhile,
 * the kernel waits and maps the page without a tracepoint: the query does not see it. */
static int through_cache;

static unsigned rnd(unsigned *s)
{
	*s = *s * 1103515245 + 12345;
	return *s >> 8;
}

static void fail(const char *what)
{
	fprintf(stderr, "rewriter: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_file(unsigned i, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/f%u", dir, i);
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0 && !(flags & O_DIRECT))
		fail(path);
	return fd;
}

static int holds(const void *p, ssize_t n)
{
	return n > 0 && memmem(p, (size_t)n, MARK, LEN) != NULL;
}

static void add(int kind, long n)
{
	__sync_fetch_and_add(&sh->seen[kind], n);
}

/* ---- io_uring, by its system calls: one entry ---- */
static struct {
	int fd;
	unsigned char *sq, *cq;
	struct io_uring_sqe *sqe;
	struct io_uring_params p;
} ring = {.fd = -1};

static void open_ring(void)
{
	ring.fd = (int)syscall(__NR_io_uring_setup, 1, &ring.p);
	if (ring.fd < 0)
		return;
	ring.sq = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	ring.cq = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_CQ_RING);
	ring.sqe = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (ring.sq == MAP_FAILED || ring.cq == MAP_FAILED || ring.sqe == MAP_FAILED)
		fail("io_uring");
}

static int ring_write(int fd, const void *p, size_t n, off_t at)
{
	unsigned *tail = (unsigned *)(ring.sq + ring.p.sq_off.tail);
	unsigned *head = (unsigned *)(ring.cq + ring.p.cq_off.head);
	int res;

	if (ring.fd < 0)
		return -1;
	memset(ring.sqe, 0, sizeof(*ring.sqe));
	ring.sqe->opcode = IORING_OP_WRITE;
	ring.sqe->fd = fd;
	ring.sqe->addr = (unsigned long)p;
	ring.sqe->len = (unsigned)n;
	ring.sqe->off = (unsigned long)at;
	((unsigned *)(ring.sq + ring.p.sq_off.array))[0] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -1;
	res = ((struct io_uring_cqe *)(ring.cq +
				       ring.p.cq_off.cqes))[*head & (ring.p.cq_entries - 1)]
		      .res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return res == (int)n ? 0 : -1;
}

/* ---- ways to write n bytes at `at`; -1: not here ---- */
static int by_pwrite(int fd, const char *p, size_t n, off_t at)
{
	return pwrite(fd, p, n, at) == (ssize_t)n ? 0 : -1;
}
static int by_store(int fd, const char *p, size_t n, off_t at)
{
	char *m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (m == MAP_FAILED)
		return -1;
	memcpy(m + at, p, n);
	munmap(m, SIZE);
	return 0;
}
static int by_splice(int fd, const char *p, size_t n, off_t at)
{
	if (write(conduit[1], p, n) != (ssize_t)n)
		fail("pipe");
	return splice(conduit[0], NULL, fd, &at, n, 0) == (ssize_t)n ? 0 : -1;
}
static int by_copy(int fd, const char *p, size_t n, off_t at)
{
	off_t from = 0;

	if (pwrite(source, p, n, 0) != (ssize_t)n)
		fail("source");
	return copy_file_range(source, &from, fd, &at, n, 0) == (ssize_t)n ? 0 : -1;
}
/* A whole block, as the file system shares no less: its other bytes are filler. */
static int by_clone(int fd, const char *p, size_t n, off_t at)
{
	struct file_clone_range r = {.src_fd = source, .src_length = PAGE};
	char block[PAGE];

	r.dest_offset = (unsigned long)(at & ~(PAGE - 1L));
	if (at % PAGE + (off_t)n > PAGE)
		return -1;
	memset(block, '.', sizeof(block));
	memcpy(block + at % PAGE, p, n);
	if (pwrite(source, block, PAGE, 0) != PAGE)
		fail("source");
	return ioctl(fd, FICLONERANGE, &r);
}
static int by_truncate(int fd, const char *p, size_t n, off_t at)
{
	char rest[SIZE];
	ssize_t k = pread(fd, rest, sizeof(rest), at);

	add(PREAD, holds(rest, k));
	if (k < (ssize_t)n || ftruncate(fd, at))
		return -1;
	memcpy(rest, p, n);
	return pwrite(fd, rest, (size_t)k, at) == k ? 0 : -1;
}
static int by_direct(int fd, const char *p, size_t n, off_t at)
{
	off_t block = at & ~(PAGE - 1L);
	char path[64];
	int direct, ok = 0;
	ssize_t k = pread(fd, aligned, 2 * PAGE, block);

	add(PREAD, holds(aligned, k));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	direct = k == 2 * PAGE ? open(path, O_WRONLY | O_DIRECT | O_CLOEXEC) : -1;
	if (direct < 0)
		return -1;
	memcpy(aligned + (at - block), p, n);
	ok = pwrite(direct, aligned, 2 * PAGE, block) == 2 * PAGE;
	close(direct);
	return ok ? 0 : -1;
}
/* In a process of its own: threads of the ring would share this process's descriptors. */
struct order {
	unsigned file;
	off_t at;
	size_t n;
	char text[LEN];
};
static int orders[2], answers[2];

static void ring_writer(void)
{
	struct order o;
	int fd, r;

	close(orders[1]);
	open_ring();
	while (read(orders[0], &o, sizeof(o)) == sizeof(o)) {
		fd = open_file(o.file, O_WRONLY);
		r = ring_write(fd, o.text, o.n, o.at);
		close(fd);
		if (write(answers[1], &r, sizeof(r)) != sizeof(r))
			break;
	}
	_exit(0);
}

static int by_ring(int fd, const char *p, size_t n, off_t at)
{
	struct order o = {.file = sh->current, .at = at, .n = n};
	int r;

	(void)fd;
	memcpy(o.text, p, n);
	if (write(orders[1], &o, sizeof(o)) != sizeof(o) ||
	    read(answers[0], &r, sizeof(r)) != sizeof(r))
		fail("the ring's process");
	return r;
}
static int (*const writers[])(int, const char *, size_t, off_t) = {
	by_pwrite, by_store, by_splice, by_copy, by_clone, by_truncate, by_direct, by_ring};
enum { WRITERS = sizeof(writers) / sizeof(*writers) };

/* ---- reads ---- */
static void read_in(int way, unsigned i, int fd, off_t at)
{
	char buf[2 * PAGE];
	off_t from = at & ~(PAGE - 1L);
	struct iovec v[2] = {{buf, 100}, {buf + 100, sizeof(buf) - 100}};
	ssize_t n;
	char *m;

	if (way == PREAD) {
		add(PREAD, holds(buf, pread(fd, buf, sizeof(buf), from)));
	} else if (way == READV) {
		lseek(fd, from, SEEK_SET);
		add(READV, holds(buf, readv(fd, v, 2)));
	} else if (way == SENDFILE) {
		n = sendfile(channel[0], fd, &from, sizeof(buf));
		if (n <= 0)
			fail("sendfile");
		n = recv(channel[1], buf, (size_t)n, MSG_WAITALL);
		add(SENDFILE, holds(buf, n));
		add(RECEIVED, holds(buf, n));
	} else {
		m = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
		if (m == MAP_FAILED)
			fail("mmap");
		n = *(volatile char *)(m + from); /* a fault: now it is mapped */
		if (holds(m, SIZE) && through_cache)
			was_mapped[i] = 1;
		munmap(m, SIZE);
	}
}

/* A small file may have been cut by another way meanwhile: then there is less to read. */
static void reader(unsigned s)
{
	char buf[4 * PAGE];

	while (!sh->done) {
		int fd = open_file(sh->current, O_RDONLY);

		for (int k = 0; k < 20 && !sh->done; k++) {
			/* Never where another read ended: a mark in two parts is found, too. Reads
			 * end at odd places, or where a file that grows ends: at a page. */
			size_t n = rnd(&s) % sizeof(buf) | 1;

			n = (size_t)pread(fd, buf, n, (off_t)((rnd(&s) % SIZE & ~3U) | 2));
			add(PREAD, holds(buf, (ssize_t)n));
		}
		close(fd);
	}
}

/* Read all of a file, as a program does that knows nothing. */
static void read_all(unsigned i)
{
	char buf[SIZE];
	int fd = open_file(i, O_RDONLY);

	add(PREAD, holds(buf, pread(fd, buf, sizeof(buf), 0)));
	close(fd);
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void visit(unsigned i, unsigned *s)
{
	static const char blank[LEN + 1] = "............";
	int fd, way = (int)(rnd(s) % WRITERS), how = (int)(rnd(s) % 4);
	off_t at = rnd(s) % 4 ? (off_t)(rnd(s) % (SIZE - 2 * PAGE))
			      : (off_t)(rnd(s) % 5 + 1) * PAGE - 1 - (off_t)(rnd(s) % (LEN - 1));

	sh->current = i;
	through_cache = writers[way] != by_direct && writers[way] != by_clone;
	read_all(i);
	read_all(i);
	fd = open_file(i, O_RDWR);
	read_in(SENDFILE, i, fd, 0);
	for (int k = 0; k < 2; k++) {
		const char *p = k ? blank : MARK;

		if (writers[way](fd, p, LEN, at) && by_pwrite(fd, p, LEN, at))
			fail("write");
		read_in(how == 3 ? MAPPED : how, i, fd, at);
		read_in(PREAD, i, fd, at);
		pairs += 2;
	}
	close(fd);
	/* the file is as it was */
}

/* Reads two pages, the second of which comes when the parent gives it. It is a process of its own,
 * since what a process with threads reads is always searched. */
static void slow_reader(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register r = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int u = (int)syscall(__NR_userfaultfd, O_CLOEXEC), fd = open_file(0, O_RDONLY);
	char *m = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	r.range.start = (unsigned long)(m + PAGE);
	r.range.len = PAGE;
	m[0] = 0;
	sh->fd = u < 0 || ioctl(u, UFFDIO_API, &api) || ioctl(u, UFFDIO_REGISTER, &r) ? -1 : u;
	sh->page = (unsigned long)(m + PAGE);
	sh->ready = 1;
	if (sh->fd >= 0)
		add(PREAD, holds(m, pread(fd, m, (size_t)2 * PAGE, 0)));
	_exit(0);
}

/* Prints whether the slow read had the mark, or that there is no userfaultfd. */
static int stall(void)
{
	struct uffdio_zeropage z = {.range.len = PAGE};
	int fd = open_file(0, O_RDWR | O_CREAT | O_TRUNC), u = -1;
	char text[2 * PAGE];
	pid_t child;

	memset(text, '.', sizeof(text));
	memcpy(text + 100, MARK, LEN);
	if (pwrite(fd, text, sizeof(text), 0) != sizeof(text))
		fail("write");
	child = fork();
	if (!child)
		slow_reader();
	while (!sh->ready)
		usleep(10000);
	if (sh->fd >= 0)
		u = (int)syscall(__NR_pidfd_getfd, syscall(__NR_pidfd_open, child, 0), sh->fd, 0);
	if (u < 0) {
		puts("no userfaultfd");
		return 0;
	}
	z.range.start = sh->page;
	usleep(300000);
	if (pwrite(fd, "............", LEN, 100) != LEN)
		fail("write");
	for (int i = 0; i < 45; i++) {
		usleep(100000);
		read_all(0);
	}
	if (ioctl(u, UFFDIO_ZEROPAGE, &z))
		fail("userfaultfd");
	waitpid(child, NULL, 0);
	printf("pread64 %ld\n", sh->seen[PREAD]);
	return 0;
}

enum { TOGETHER = 64, READS = 20000 }; /* pages of the file that is read together; reads of each */
static int together_fd;

static void *reads_together(void *arg)
{
	char buf[PAGE];

	(void)arg;
	for (int i = 0; i < READS; i++) {
		ssize_t n = read(together_fd, buf, sizeof(buf));

		add(PREAD, holds(buf, n));
		if (n <= 0)
			lseek(together_fd, 0, SEEK_SET);
	}
	return NULL;
}

/* Every fourth page has the mark. The others are known before the threads begin. */
static int together(void)
{
	char text[PAGE];
	pthread_t t[2];
	int fd = open_file(0, O_RDWR | O_CREAT | O_TRUNC);

	for (int i = 0; i < TOGETHER; i++) {
		memset(text, '.', sizeof(text));
		if (i % 4 == 1)
			memcpy(text + 100, MARK, LEN);
		if (write(fd, text, sizeof(text)) != sizeof(text))
			fail("write");
	}
	usleep(2500000);
	for (int k = 0; k < 4 * TOGETHER; k++)
		if (pread(fd, text, sizeof(text), (off_t)(k % TOGETHER) * PAGE) != PAGE)
			fail("read");
	together_fd = open_file(0, O_RDONLY);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, reads_together, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("read %ld\n", sh->seen[PREAD]);
	return 0;
}

/* Name the files of which a mapping showed the mark. */
static void name_mapped(void)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/mapped", dir);
	f = fopen(path, "we");
	for (unsigned i = 0; f && i < files; i++)
		if (was_mapped[i])
			fprintf(f, "%s/f%u\n", dir, i);
	if (!f || fclose(f))
		fail(path);
}

static void make_files(const char *blank)
{
	for (unsigned i = 0; i < files; i++) {
		int fd = open_file(i, O_RDWR | O_CREAT | O_TRUNC);

		if (pwrite(fd, blank, SIZE, 0) != SIZE)
			fail("write");
		close(fd);
	}
	sync();
}

/* Starts the writer of the ring, and two readers that take what the others leave. */
static void start_others(void)
{
	if (pipe(orders) || pipe(answers))
		fail("pipe");
	if (!fork())
		ring_writer();
	for (unsigned i = 0; i < 2; i++)
		if (!fork()) {
			close(orders[1]);
			(void)!nice(10);
			reader(seed + i + 1);
			_exit(0);
		}
}

int main(int argc, char **argv)
{
	char blank[SIZE], path[4096];
	unsigned s;
	long most, began, mapped = 0;

	dir = argc > 2 ? argv[1] : NULL;
	sh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED)
		fail("mmap");
	if (argc == 3 && !strcmp(argv[2], "stall"))
		return stall();
	if (argc == 3 && !strcmp(argv[2], "together"))
		return together();
	if (argc != 5)
		return 2;
	files = (unsigned)atoi(argv[2]);
	most = atol(argv[3]);
	s = seed = (unsigned)atoi(argv[4]);
	memset(blank, '.', sizeof(blank));
	was_mapped = calloc(files, 1);
	snprintf(path, sizeof(path), "%s/source", dir);
	source = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (source < 0 || pwrite(source, blank, SIZE, 0) != SIZE || pipe(conduit) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, channel) ||
	    posix_memalign((void **)&aligned, PAGE, (size_t)2 * PAGE))
		fail("set-up");
	make_files(blank);
	start_others();
	while (pairs < most) {
		began = now();
		for (unsigned i = 0; i < files && pairs < most; i++)
			visit(i, &s);
		while (now() - began < 2L * SECOND)
			usleep(10000);
		for (unsigned i = 0; i < files; i++)
			read_all(i);
	}
	sh->done = 1;
	close(orders[1]);
	for (int i = 0; i < 3; i++)
		wait(NULL);
	for (unsigned i = 0; i < files; i++)
		mapped += was_mapped[i];
	sh->seen[MAPPED] = mapped;
	name_mapped();
	for (int k = 0; k < KINDS; k++)
		printf("%s %ld\n", names[k], sh->seen[k]);
	printf("pairs %ld\n", pairs);
	return 0;
}
