/* bustle.c - does a bit of everything, known numbers of times, so that every view of the standard
 * library has something to show.
 *
 *     bustle ROUNDS DIR [PAUSE_US]     ROUNDS 0: until it is killed
 *
 * A round: what `steps` lists, in its order; the comment of each says what there is to count. Files
 * are made in DIR. A step that this machine refuses (O_DIRECT on tmpfs, say) does less; none of
 * them waits for anything outside of this process. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static const char marker[] = "bustle-tag-4711"; /* in the data of a file, a pipe and a connection */
static char file[4096], other[4096], *page;
static int listener, refused, datagrams;
static struct sockaddr_in address, closed, nobody;

/* 7 reads of /dev/zero: 0, 1, 10, 100, 1000, 4096 and 8192 bytes; a write of each but the first to
 * /dev/null; a read that fails. */
static void sizes(void)
{
	static const size_t size[] = {0, 1, 10, 100, 1000, 4096, 8192};
	static char buf[8192];
	int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);

	for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++) {
		if (read(in, buf, size[i]) < 0 || (i && write(out, buf, size[i]) < 0))
			perror("bustle: /dev/zero");
	}
	if (read(out, buf, 1) >= 0) /* open for writing only: EBADF */
		abort();
	close(in);
	close(out);
}

/* A file is made, 4 KiB with the marker are written and synced, read again past the page cache;
 * renamed and removed. Two opens, one more that fails with ENOENT; one stat that finds the file,
 * one that does not; a statx, a statfs. */
static void files(void)
{
	struct stat st;
	struct statfs fs;
	struct statx stx;
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);

	memcpy(page, marker, sizeof(marker) - 1);
	if (fd < 0 || write(fd, page, 4096) != 4096)
		perror(file);
	fsync(fd);
	fdatasync(fd);
	close(fd);
	fd = open(file, O_RDONLY | O_DIRECT);
	if (fd >= 0 && read(fd, page, 4096) != 4096)
		perror(file);
	close(fd);
	stat(file, &st);
	statx(AT_FDCWD, file, 0, STATX_SIZE, &stx);
	statfs(file, &fs);
	rename(file, other);
	stat(file, &st);
	open(file, O_RDONLY);
	unlink(other);
	if (mount("none", file, "none", 0, NULL) == 0)
		abort();
}

/* A connection to itself that carries 64 bytes with the marker, and one that is refused; a datagram
 * of 32 bytes that nobody takes. */
static void sockets(void)
{
	char data[64] = "";
	int c = socket(AF_INET, SOCK_STREAM, 0), s;

	memcpy(data, marker, sizeof(marker) - 1);
	if (connect(c, (struct sockaddr *)&address, sizeof(address)))
		perror("bustle: connect");
	s = accept(listener, NULL, NULL);
	if (send(c, data, sizeof(data), 0) != sizeof(data) ||
	    recv(s, data, sizeof(data), MSG_WAITALL) != sizeof(data))
		perror("bustle: connection");
	close(c);
	close(s);
	refused = socket(AF_INET, SOCK_STREAM, 0);
	connect(refused, (struct sockaddr *)&closed, sizeof(closed));
	close(refused);
	sendto(datagrams, data, 32, 0, (struct sockaddr *)&nobody, sizeof(nobody));
}

/* 16 bytes with the marker through a pipe. */
static void pipes(void)
{
	char data[16];
	int end[2];

	if (pipe(end) || write(end[1], marker, sizeof(marker)) != sizeof(marker) ||
	    read(end[0], data, sizeof(data)) != sizeof(data))
		perror("bustle: pipe");
	close(end[0]);
	close(end[1]);
}

static void *nap(void *lock)
{
	pthread_mutex_lock(lock); /* held by who made the thread: a futex that waits */
	pthread_mutex_unlock(lock);
	return NULL;
}

/* A thread that waits for a lock; both CPUs in turn, where there are two; a yield and a sleep. */
static void threads(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int cpu;
	cpu_set_t one, all;
	pthread_t t;

	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, nap, &lock);
	usleep(1000);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(cpu ^= 1, &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setaffinity(0, sizeof(all), &all);
	sched_yield();
}

/* A child that becomes /bin/true, one that cannot become /nonexistent/program and exits with 7, one
 * that is killed. kill() is called three times: with SIGUSR1 for itself, with 0 for itself, with
 * SIGKILL for the last child. It becomes the user that it is. */
static void processes(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(8);
	}
	waitpid(pid, NULL, 0);
	pid = fork();
	if (!pid) {
		execl("/nonexistent/program", "program", NULL);
		_exit(7);
	}
	waitpid(pid, NULL, 0);
	kill(getpid(), SIGUSR1);
	kill(getpid(), 0);
	pid = fork();
	if (!pid) {
		alarm(60); /* should its parent be killed meanwhile */
		for (;;)
			pause();
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (setuid(getuid()))
		perror("bustle: setuid");
}

/* 16 pages are mapped, written to and unmapped; a file is mapped. */
static void memory(void)
{
	char *m = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *f;
	int fd = open("/proc/self/exe", O_RDONLY);

	for (int i = 0; i < 16; i++)
		m[4096 * i] = 1;
	munmap(m, 65536);
	f = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (f != MAP_FAILED && f[0] == 0x7f)
		munmap(f, 4096);
	close(fd);
	sbrk(4096);
	sbrk(-4096);
}

static void (*const steps[])(void) = {sizes, files, sockets, pipes, threads, processes, memory};

static int bound_to_loopback(int type, struct sockaddr_in *a)
{
	socklen_t len = sizeof(*a);
	int fd = socket(AF_INET, type, 0);

	*a = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (struct sockaddr *)a, sizeof(*a)) ||
	    getsockname(fd, (struct sockaddr *)a, &len))
		perror("bustle: loopback");
	return fd;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	const char *dir = argc > 2 ? argv[2] : "/tmp";

	snprintf(file, sizeof(file), "%s/bustle.%d", dir, getpid());
	snprintf(other, sizeof(other), "%s/bustle.%d.other", dir, getpid());
	if (posix_memalign((void **)&page, 4096, 4096))
		return 1;
	signal(SIGUSR1, SIG_IGN);
	listener = bound_to_loopback(SOCK_STREAM, &address);
	listen(listener, 8);
	/* bound, does not listen: nobody else gets the port, who connects is refused */
	bound_to_loopback(SOCK_STREAM, &closed);
	datagrams = bound_to_loopback(SOCK_DGRAM, &nobody);
	bound_to_loopback(SOCK_DGRAM, &nobody);
	for (long i = 0; !rounds || i < rounds; i++) {
		for (unsigned s = 0; s < sizeof(steps) / sizeof(*steps); s++)
			steps[s]();
		if (argc > 3)
			usleep((useconds_t)atol(argv[3]));
	}
	return 0;
}
