/* ledger.c - does so many times what one count of the ledger is there for, so that the count can be
 * held against a known number.
 *
 *     ledger writes N SIZE [OFFSET]   N writes of SIZE bytes to /dev/null; N reads of nothing
 *     ledger hole N                   N writes of three pages, of which the middle one is not in
 *                                     memory
 *     ledger mapped N FILE            N writes of FILE's first page, mapped and never touched
 *     ledger direct N FILE            N times sendfile of FILE's first page, past the page cache
 *     ledger names N                  N opens of a name that lies in no memory
 *     ledger long N DIR               N opens of a file below DIR whose path has more than 1,000
 *                                     bytes
 *     ledger places N FILE TEXT       N writes of TEXT's first 8 bytes to FILE, at N places far
 *                                     from each other; then, each behind the one there, N of the
 *                                     rest
 *     ledger rate N SIZE              N writes of SIZE bytes to /dev/null within a second of the
 *                                     clock; exit 3 if it was not one
 *     ledger aio N FILE               one io_submit of N writes of 4096 bytes to FILE
 *     ledger compat N                 N writes of 8 bytes to /dev/null by system calls of 32-bit
 *                                     code
 *     ledger maps N FILE              maps FILE N times
 *     ledger messages N               N messages through a queue of System V, and as many through
 *                                     one of POSIX
 *     ledger short N                  N datagrams of 200 bytes received with room for 100, told
 *                                     their length (MSG_TRUNC)
 *     ledger sizes N                  writes of 1, 2, ... N bytes to /dev/null
 *
 * Exit 77: this machine cannot do that. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, FAR = 1 << 20 };
static int null;
static long n;

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "ledger: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static char *memory(size_t bytes, int flags)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
		       0);

	must(p != MAP_FAILED, "mmap");
	return p;
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	must(fd >= 0, path);
	return fd;
}

static void do_writes(char **a)
{
	long size = atol(a[0]);
	char *p = memory(size, MAP_POPULATE), c;

	for (long i = 0; i < n; i++)
		must(write(null, p, size) == size && read(null, &c, 1) <= 0, "write");
}

static void do_hole(char **a)
{
	(void)a;
	for (long i = 0; i < n; i++) {
		char *p = memory(3 * PAGE, 0);

		p[0] = p[2 * PAGE] = 1;
		must(write(null, p, 3 * PAGE) == 3 * PAGE, "write");
		munmap(p, 3 * PAGE);
	}
}

static void do_mapped(char **a)
{
	int fd = open_file(a[0], O_RDONLY);

	for (long i = 0; i < n; i++) {
		char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

		must(p != MAP_FAILED && write(null, p, PAGE) == PAGE, "write");
		munmap(p, PAGE);
	}
}

static void do_direct(char **a)
{
	int s[2], fd = open(a[0], O_RDONLY | O_DIRECT);
	char back[PAGE];

	if (fd < 0)
		exit(77);
	fsync(fd); /* only what is on the disk is dropped */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, s), "socketpair");
	for (long i = 0; i < n; i++) {
		off_t at = 0;

		if (sendfile(s[0], fd, &at, PAGE) != PAGE)
			exit(77);
		must(recv(s[1], back, PAGE, MSG_WAITALL) == PAGE, "recv");
	}
}

static void do_names(char **a)
{
	(void)a;
	for (long i = 0; i < n; i++)
		must(syscall(SYS_openat, AT_FDCWD, (char *)8, O_RDONLY) < 0, "openat");
}

/* Five directories of 250 bytes each, one in the other. */
static void do_long(char **a)
{
	char name[251];
	int at = open_file(a[0], O_RDONLY | O_DIRECTORY), in;

	memset(name, 'x', 250);
	name[250] = 0;
	for (int i = 0; i < 5; i++) {
		mkdirat(at, name, 0700);
		in = openat(at, name, O_RDONLY | O_DIRECTORY);
		must(in >= 0, "mkdirat");
		close(at);
		at = in;
	}
	for (long i = 0; i < n; i++) {
		char file[20];
		int fd;

		snprintf(file, sizeof(file), "%ld", i);
		fd = openat(at, file, O_CREAT | O_WRONLY, 0600);
		must(fd >= 0, file);
		close(fd);
	}
}

static void do_places(char **a)
{
	int fd = open_file(a[0], O_CREAT | O_WRONLY | O_TRUNC);

	ssize_t rest = (ssize_t)strlen(a[1]) - 8;

	for (long i = 0; i < n; i++)
		must(pwrite(fd, a[1], 8, (off_t)i * FAR) == 8, "pwrite");
	for (long i = 0; i < n; i++)
		must(pwrite(fd, a[1] + 8, (size_t)rest, (off_t)i * FAR + 8) == rest, "pwrite");
}

static void do_short(char **a)
{
	char out[200] = "", in[100];
	struct iovec v = {in, sizeof(in)};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	int s[2];

	(void)a;

	must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, s), "socketpair");
	for (long i = 0; i < n; i++) {
		must(send(s[0], out, sizeof(out), 0) == sizeof(out), "send");
		must(recvmsg(s[1], &m, MSG_TRUNC) == sizeof(out), "recvmsg");
	}
}

static int64_t second(long *ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	*ns = t.tv_nsec;
	return t.tv_sec;
}

static void do_rate(char **a)
{
	long size = atol(a[0]), ns;
	char *p = memory(size, MAP_POPULATE);
	int64_t begin;

	second(&ns);
	usleep((1000000000 - ns) / 1000 + 1000);
	begin = second(&ns);
	for (long i = 0; i < n; i++)
		must(write(null, p, size) == size, "write");
	if (second(&ns) != begin)
		exit(3);
}

static void do_aio(char **a)
{
	int fd = open_file(a[0], O_CREAT | O_WRONLY | O_TRUNC);
	struct iocb *b = calloc(n, sizeof(*b)), **v = calloc(n, sizeof(*v));
	struct io_event *e = calloc(n, sizeof(*e));
	char *p = memory(PAGE, MAP_POPULATE);
	aio_context_t ctx = 0;

	if (syscall(SYS_io_setup, n, &ctx))
		exit(77);
	for (long i = 0; i < n; i++) {
		b[i] = (struct iocb){.aio_lio_opcode = IOCB_CMD_PWRITE,
				     .aio_fildes = fd,
				     .aio_buf = (uintptr_t)p,
				     .aio_nbytes = PAGE,
				     .aio_offset = i * PAGE};
		v[i] = &b[i];
	}
	must(syscall(SYS_io_submit, ctx, n, v) == n, "io_submit");
	must(syscall(SYS_io_getevents, ctx, n, n, e, NULL) == n, "io_getevents");
}

/* 32-bit code runs in the segment 0x23, which every 64-bit process may jump to. Its code and data
 * lie in the lower 4 GiB. */
static void no_compat(int sig)
{
	(void)sig;
	_exit(77);
}
static void do_compat(char **a)
{
	static const unsigned char code[] = {
		0xb8, 4,    0, 0, 0,          /* mov $4, %eax: write of 32-bit programs */
		0xcd, 0x80,                   /* int $0x80 */
		0xea, 0,    0, 0, 0, 0x33, 0, /* ljmp $0x33, address to be filled in */
		0x48, 0xcb,                   /* lretq, in 64-bit code again */
	};
	unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	uint32_t back;

	(void)a;
	if (p == MAP_FAILED)
		exit(77);
	memcpy(p, code, sizeof(code));
	back = (uint32_t)(uintptr_t)p + sizeof(code) - 2;
	memcpy(p + 8, &back, 4);
	signal(SIGSEGV, no_compat);
	signal(SIGILL, no_compat);
	for (long i = 0; i < n; i++) {
		uint64_t ret;

		/* a stack there, too */
		asm volatile("mov %%rsp, (%%rdi)\n\tlea 2048(%%rdi), %%rsp\n\t"
			     "mov %%cs, %%eax\n\tpush %%rax\n\tlea 1f(%%rip), %%rax\n\tpush "
			     "%%rax\n\t" /* where the last lretq goes */
			     "push $0x23\n\tpush %%rsi\n\tlretq\n1:\n\tmov (%%rdi), %%rsp"
			     : "=&a"(ret)
			     : "b"((uint64_t)null), "c"((uint64_t)(uintptr_t)(p + 100)), "d"(8UL),
			       "S"(p), "D"(p + 1024)
			     : "memory", "cc", "r8", "r9", "r10", "r11");
		if ((int)ret != 8)
			exit(77);
	}
}

static void do_maps(char **a)
{
	int fd = open_file(a[0], O_RDONLY);

	for (long i = 0; i < n; i++)
		must(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED, "mmap");
}

static void do_messages(char **a)
{
	struct {
		long type;
		char text[100];
	} m = {1, "message"};
	int q = msgget(IPC_PRIVATE, 0600);
	mqd_t p = mq_open("/runnel-ledger", O_CREAT | O_RDWR, 0600,
			  &(struct mq_attr){.mq_maxmsg = 2, .mq_msgsize = 100});

	(void)a;
	if (q < 0 || p < 0)
		exit(77);
	mq_unlink("/runnel-ledger");
	for (long i = 0; i < n; i++)
		must(!msgsnd(q, &m, 100, 0) && msgrcv(q, &m, 100, 0, 0) == 100 &&
			     !mq_send(p, m.text, 100, 0) && mq_receive(p, m.text, 100, NULL) == 100,
		     "message");
	msgctl(q, IPC_RMID, NULL);
}

static void do_sizes(char **a)
{
	char *p = memory(n + 1, MAP_POPULATE);

	(void)a;
	for (long i = 1; i <= n; i++)
		must(write(null, p, i) == i, "write");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(char **);
		int args;
	} all[] = {
		{"writes", do_writes, 1}, {"hole", do_hole, 0},   {"mapped", do_mapped, 1},
		{"direct", do_direct, 1}, {"names", do_names, 0}, {"long", do_long, 1},
		{"places", do_places, 2}, {"rate", do_rate, 1},   {"aio", do_aio, 1},
		{"compat", do_compat, 0}, {"maps", do_maps, 1},   {"messages", do_messages, 0},
		{"sizes", do_sizes, 0},   {"short", do_short, 0},
	};

	if (argc < 3)
		return 2;
	n = atol(argv[2]);
	null = open_file("/dev/null", O_RDWR);
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i].name, argv[1]) && argc >= 3 + all[i].args) {
			all[i].run(argv + 3);
			return 0;
		}
	return 2;
}
