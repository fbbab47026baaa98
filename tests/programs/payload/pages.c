/* pages.c - moves SIZE bytes, with the tag fix283 at AT, through one way that leads past user
 * memory.
 *
 *     pages WAY SIZE AT [FILE]
 *
 * FILE (default: one without a name in /tmp) is what ways from or to a file use. Each way ends with
 * the one call that counts; what went before it put the data in its place. Exit 1 if not all bytes
 * were moved by it, 77 if this machine cannot. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char *data;
static size_t size;
static const char *path;

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "pages: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static int file(int flags)
{
	int fd = path ? open(path, O_RDWR | O_CREAT | flags, 0600)
		      : open("/tmp", O_TMPFILE | O_RDWR | flags, 0600);

	must(fd >= 0, "open");
	return fd;
}

static int full_file(void)
{
	int fd = file(0);

	must(pwrite(fd, data, size, 0) == (ssize_t)size, "pwrite");
	return fd;
}

static void make_pipe(int *p)
{
	must(!pipe(p) && fcntl(p[1], F_SETPIPE_SZ, 1 << 20) >= (int)size, "pipe");
}

static void full_pipe(int *p)
{
	make_pipe(p);
	must(write(p[1], data, size) == (ssize_t)size, "write to a pipe");
}

/* Whatever is written to p[1] is read and thrown away by a child. */
static void drain(const int *p)
{
	char buf[65536];

	if (fork())
		return;
	close(p[1]);
	while (read(p[0], buf, sizeof(buf)) > 0)
		;
	_exit(0);
}

static void pair(int *p, int family)
{
	struct sockaddr_in a;
	socklen_t n;
	int l;

	if (family == AF_UNIX) {
		must(!socketpair(AF_UNIX, SOCK_STREAM, 0, p), "socketpair");
		return;
	}
	a = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	n = sizeof(a);
	l = socket(AF_INET, SOCK_STREAM, 0);

	p[1] = socket(AF_INET, SOCK_STREAM, 0);
	must(!bind(l, (void *)&a, n) && !listen(l, 1) && !getsockname(l, (void *)&a, &n) &&
		     !connect(p[1], (void *)&a, n),
	     "tcp");
	p[0] = accept(l, NULL, NULL);
	close(l);
}

/* Until all is moved: a socket takes what it has room for. */
static ssize_t splice_all(int from, int to)
{
	ssize_t n, all = 0;

	while (all < (ssize_t)size && (n = splice(from, NULL, to, NULL, size - (size_t)all, 0)) > 0)
		all += n;
	return all;
}

static ssize_t pipe_to(int family)
{
	int p[2], s[2];

	full_pipe(p);
	pair(s, family);
	drain(s);
	return splice_all(p[0], s[1]);
}
static ssize_t pipe_unix(void)
{
	return pipe_to(AF_UNIX);
}
static ssize_t pipe_tcp(void)
{
	return pipe_to(AF_INET);
}
/* Until this process is in that call, and waits there. */
static void until_in(pid_t pid, long nr)
{
	char name[64], text[32] = "";

	snprintf(name, sizeof(name), "/proc/%d/syscall", (int)pid);
	while (strtol(text, NULL, 10) != nr) {
		int fd = open(name, O_RDONLY);

		must(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0, name);
		close(fd);
		usleep(1000);
	}
}
static ssize_t pipe_late(void) /* the pipe is empty when the call begins */
{
	int p[2], s[2];

	make_pipe(p);
	pair(s, AF_UNIX);
	drain(s);
	if (!fork()) {
		until_in(getppid(), SYS_splice);
		_exit(write(p[1], data, size) < 0);
	}
	return splice_all(p[0], s[1]);
}
static ssize_t pipe_file(void)
{
	int p[2];

	full_pipe(p);
	return splice(p[0], NULL, file(0), NULL, size, 0);
}
static ssize_t pipe_file_at(void)
{
	int p[2];
	loff_t at = 12345;

	full_pipe(p);
	return splice(p[0], NULL, file(0), &at, size, 0);
}
static ssize_t pipe_pipe(void)
{
	int p[2], q[2];

	full_pipe(p);
	make_pipe(q);
	must(write(q[1], "before", 6) == 6, "write to a pipe");
	return splice(p[0], NULL, q[1], NULL, size, 0);
}
static ssize_t do_tee(void)
{
	int p[2], q[2];

	full_pipe(p);
	make_pipe(q);
	return tee(p[0], q[1], size, 0);
}
static ssize_t socket_pipe(void)
{
	int p[2], s[2];

	pair(s, AF_INET);
	make_pipe(p);
	if (!fork())
		_exit(write(s[1], data, size) < 0);
	return splice_all(s[0], p[1]);
}
/* Another process takes out of the pipe what is put there, as soon as it can: often before the call
 * that put it there has returned. */
enum { TAKEN = 20000 };
static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set); /* there may be only one */
}
static ssize_t taken(void)
{
	char buf[4096];
	int p[2], s[2], ready[2];
	pid_t reader;

	must(!pipe(ready), "pipe");
	pair(s, AF_UNIX);
	make_pipe(p);
	run_on(0);
	if (!(reader = fork())) {
		run_on(1);
		must(!fcntl(p[0], F_SETFL, O_NONBLOCK) && write(ready[1], "x", 1) == 1,
		     "the reader");
		close(p[1]);
		while (read(p[0], buf, sizeof(buf))) /* 0: the other end is gone */
			;
		_exit(0);
	}
	must(read(ready[0], buf, 1) == 1, "read");
	for (int i = 0; i < TAKEN; i++)
		must(write(s[1], data, size) == (ssize_t)size &&
			     splice(s[0], NULL, p[1], NULL, size, 0) == (ssize_t)size,
		     "splice");
	kill(reader, 9);
	return (ssize_t)size;
}
static ssize_t pipe_null(void)
{
	int p[2];

	full_pipe(p);
	return splice(p[0], NULL, open("/dev/null", O_WRONLY), NULL, size, 0);
}
static ssize_t null_later(void)
{
	pipe_null();
	sleep(path ? (unsigned)atoi(path) : 1);
	return pipe_null();
}
static ssize_t vmsplice_null(void)
{
	struct iovec v = {data, size};
	int p[2];

	make_pipe(p);
	must(vmsplice(p[1], &v, 1, 0) == (ssize_t)size, "vmsplice");
	return splice(p[0], NULL, open("/dev/null", O_WRONLY), NULL, size, 0);
}
static ssize_t file_pipe(void)
{
	int p[2];

	make_pipe(p);
	return splice(full_file(), &(loff_t){0}, p[1], NULL, size, 0);
}
static ssize_t do_vmsplice(void)
{
	struct iovec v = {data, size};
	int p[2];

	make_pipe(p);
	return vmsplice(p[1], &v, 1, 0);
}
static ssize_t sendfile_unix(void)
{
	int s[2], fd = full_file();

	pair(s, AF_UNIX);
	drain(s);
	return sendfile(s[1], fd, &(off_t){0}, size);
}
static ssize_t sendfile_file(void)
{
	int to = open("/tmp", O_TMPFILE | O_RDWR, 0600), fd = full_file();

	return sendfile(to, fd, &(off_t){0}, size);
}
static ssize_t sendfile_pipe(void)
{
	int p[2], fd = full_file();

	make_pipe(p);
	return sendfile(p[1], fd, &(off_t){0}, size);
}
/* The input's pages are not in memory; those of the output are. */
static ssize_t evicted(void)
{
	int fd = full_file();

	must(!fsync(fd) && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "evict");
	return fd;
}
static ssize_t copy(void) /* to the same file system */
{
	char name[4096] = "";
	int to;

	snprintf(name, sizeof(name), "%s.%d.copy", path ? path : "/tmp/pages", (int)getpid());
	to = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	must(to >= 0 && !unlink(name), "open");

	return copy_file_range(full_file(), &(loff_t){0}, to, &(loff_t){0}, size, 0);
}
static ssize_t peer(int write_it)
{
	char *there = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct iovec here = {data, size}, far = {there, size};
	pid_t child = fork();
	ssize_t r;

	if (!child) {
		pause();
		_exit(0);
	}
	if (!write_it) {
		memcpy(there, data, size);
		memset(data, '-', size);
	}
	r = write_it ? process_vm_writev(child, &here, 1, &far, 1, 0)
		     : process_vm_readv(child, &here, 1, &far, 1, 0);
	kill(child, 9);
	return r;
}
static ssize_t vm_read(void)
{
	return peer(0);
}
static ssize_t vm_write(void)
{
	return peer(1);
}

/* Maps are read a byte a page, so that nothing but the page's fault brings it in. */
static ssize_t touch(int fd)
{
	const char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	unsigned sum = 0;

	must(p != MAP_FAILED, "mmap");
	for (size_t i = 0; i < size; i += 4096)
		sum += *(const volatile char *)(p + i);
	return sum ? (ssize_t)size : 0;
}
static ssize_t map_read(void)
{
	return touch(full_file());
}
static ssize_t map_cold(void)
{
	return touch((int)evicted());
}
static ssize_t map_random(void)
{
	int fd = (int)evicted();
	char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	must(p != MAP_FAILED && !madvise(p, size, MADV_RANDOM), "mmap");
	for (size_t i = 0; i < size; i += 4096)
		(void)*(volatile char *)(p + i);
	return (ssize_t)size;
}
/* Two pages, one after the other: when the second is touched, the first is all that is in
 * memory. */
static ssize_t map_first(void)
{
	char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, (int)evicted(), 0);

	must(p != MAP_FAILED && !madvise(p, size, MADV_RANDOM), "mmap");
	(void)*(volatile char *)p;
	(void)*(volatile char *)(p + 4096);
	return (ssize_t)size;
}
enum { AT_EXIT, SYNC, UNMAP };
static ssize_t map_write(int how)
{
	int fd = file(0);
	char *p;

	must(!ftruncate(fd, (off_t)size), "ftruncate");
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(p != MAP_FAILED, "mmap");
	memcpy(p, data, size);
	return (how == SYNC    ? msync(p, size, MS_SYNC)
		: how == UNMAP ? munmap(p, size)
			       : 0)
		       ? 0
		       : (ssize_t)size;
}
static ssize_t map_msync(void)
{
	return map_write(SYNC);
}
static ssize_t map_unmap(void)
{
	return map_write(UNMAP);
}
static ssize_t map_exit(void)
{
	return map_write(AT_EXIT);
}
/* A new file with the data, mapped at an address, or anywhere. */
static char *map_one(char *at)
{
	int fd = file(0);
	char *p;

	must(!ftruncate(fd, (off_t)size), "ftruncate");
	p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
	must(p != MAP_FAILED, "mmap");
	close(fd);
	return memcpy(p, data, size);
}
static ssize_t map_several(int n)
{
	while (n--)
		map_one(NULL);
	return (ssize_t)size;
}
static ssize_t map_three(void)
{
	return map_several(3);
}
static ssize_t map_twenty(void)
{
	return map_several(20);
}
/* One call for two of them, one behind the other. */
static ssize_t map_range(int sync)
{
	size_t room = (size + 4095) / 4096 * 4096;
	char *p = mmap(NULL, 2 * room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	map_one(p);
	map_one(p + room);
	return (sync ? msync(p, 2 * room, MS_SYNC) ||
				mmap(p, 2 * room, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != p
		     : munmap(p, 2 * room))
		       ? 0
		       : (ssize_t)size;
}
static ssize_t map_msync_two(void)
{
	return map_range(1);
}
static ssize_t map_unmap_two(void)
{
	return map_range(0);
}
/* A process that goes on when the query has ended. */
static ssize_t map_left(int sync)
{
	int ready[2];
	char c;

	must(!pipe(ready), "pipe");
	if (!fork()) {
		char *p = map_one(NULL);

		must(!sync || !msync(p, size, MS_SYNC), "msync");
		must(write(ready[1], "x", 1) == 1, "write");
		close(1);
		close(2);
		sleep(30);
		_exit(0);
	}
	must(read(ready[0], &c, 1) == 1, "read");
	return (ssize_t)size;
}
static ssize_t map_left_alone(void)
{
	return map_left(0);
}
static ssize_t map_left_synced(void)
{
	return map_left(1);
}

static const struct {
	const char *name;
	ssize_t (*go)(void);
} ways[] = {
	{"pipe-unix", pipe_unix},
	{"pipe-tcp", pipe_tcp},
	{"pipe-late", pipe_late},
	{"pipe-file", pipe_file},
	{"pipe-file-at", pipe_file_at},
	{"pipe-pipe", pipe_pipe},
	{"tee", do_tee},
	{"socket-pipe", socket_pipe},
	{"taken", taken},
	{"pipe-null", pipe_null},
	{"null-later", null_later},
	{"vmsplice-null", vmsplice_null},
	{"file-pipe", file_pipe},
	{"vmsplice", do_vmsplice},
	{"sendfile-unix", sendfile_unix},
	{"sendfile-file", sendfile_file},
	{"sendfile-pipe", sendfile_pipe},
	{"copy", copy},
	{"vm-read", vm_read},
	{"vm-write", vm_write},
	{"map-read", map_read},
	{"map-cold", map_cold},
	{"map-first", map_first},
	{"map-random", map_random},
	{"map-msync", map_msync},
	{"map-unmap", map_unmap},
	{"map-exit", map_exit},
	{"map-three", map_three},
	{"map-twenty", map_twenty},
	{"map-msync-two", map_msync_two},
	{"map-unmap-two", map_unmap_two},
	{"map-left", map_left_alone},
	{"map-left-synced", map_left_synced},
};

int main(int argc, char **argv)
{
	size_t at;

	if (argc < 4)
		return 2;
	size = strtoul(argv[2], NULL, 0);
	at = strtoul(argv[3], NULL, 0);
	path = argv[4];
	data = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	for (size_t i = 0; i < size; i++)
		data[i] = "acegikmo"[i * i % 8191 & 7];
	if (at + 6 <= size)
		/* the tag itself is not in the program, whose pages are mapped too */
		memcpy(mempcpy(data + at, "fix", 3), "283", 3);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, argv[1])) {
			ssize_t n = ways[i].go();

			must(n == (ssize_t)size, argv[1]);
			return 0;
		}
	return 2;
}
