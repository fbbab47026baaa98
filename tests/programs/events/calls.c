/* calls.c - makes exactly the calls of its command line, so that a test can hold an answer against
 * a known number.
 *
 *     calls [threads=N] [pause=MS] NAME=COUNT[xSIZE]...
 *
 *     getppid   SIZE is an argument that the kernel ignores
 *     pread, pwrite
 *     read0     a read of /dev/zero
 *     enoent    a failing openat
 *     pipe      a write, then a read, of SIZE through a pipe
 *     mmsg      sendmmsg, then recvmmsg, of 3 messages of SIZE, 2 SIZE and 3 SIZE bytes
 *     cut       datagrams of SIZE bytes received with MSG_TRUNC into room for 10: recvfrom,
 *               recvmsg, recvmmsg
 *     fork      a child that exits with 7
 *     int80     a 32-bit getppid, then a real one
 *     restart   a read of an empty pipe that a signal interrupts and the kernel begins again; then
 *               a byte comes
 *     sleep     nanosleep of SIZE microseconds
 *
 * Each thread does all of it, in order; pause: waits between repetitions of the
 * list (with times=K repetitions). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *buf;
static int zero, null_fd, pipes[2], dgram[2];

static void do_getppid(long n)
{
	syscall(SYS_getppid, n);
}
static void do_pread(long n)
{
	if (pread(zero, buf, n, 0) != n)
		abort();
}
static void do_pwrite(long n)
{
	if (pwrite(null_fd, buf, n, 0) != n)
		abort();
}
static void do_read0(long n)
{
	if (read(zero, buf, n) != n)
		abort();
}
static void do_enoent(long n)
{
	(void)n;
	if (open("/nonexistent/file", O_RDONLY) >= 0)
		abort();
}
static void do_pipe(long n)
{
	if (write(pipes[1], buf, n) != n || read(pipes[0], buf, n) != n)
		abort();
}
static void do_mmsg(long n)
{
	struct iovec part[3] = {{buf, n}, {buf, n}, {buf, n}};
	struct mmsghdr m[3];

	for (int i = 0; i < 3; i++)
		m[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = part, .msg_iovlen = i + 1}};
	if (sendmmsg(dgram[0], m, 3, 0) != 3 || recvmmsg(dgram[1], m, 3, 0, NULL) != 3)
		abort();
}
static void do_cut(long n)
{
	struct iovec part[2] = {{buf, 4}, {buf, 6}};
	struct mmsghdr m = {.msg_hdr = {.msg_iov = part, .msg_iovlen = 2}};

	for (int i = 0; i < 3; i++)
		if (send(dgram[0], buf, n, 0) != n)
			abort();
	if (recv(dgram[1], buf, 10, MSG_TRUNC) != n ||
	    recvmsg(dgram[1], &m.msg_hdr, MSG_TRUNC) != n ||
	    recvmmsg(dgram[1], &m, 1, MSG_TRUNC, NULL) != 1)
		abort();
}
static volatile sig_atomic_t handled;
static void on_usr1(int sig)
{
	(void)sig;
	handled = 1;
}
static void until_it_waits(pid_t tid)
{
	char path[64], state = 0;

	for (snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid); state != 'S';
	     usleep(1000)) {
		FILE *f = fopen(path, "r");

		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			abort();
		fclose(f);
	}
}
struct reader {
	pthread_t thread;
	pid_t tid;
};
static void *disturb(void *self)
{
	struct reader *r = self;

	until_it_waits(r->tid);
	pthread_kill(r->thread, SIGUSR1);
	while (!handled)
		usleep(1000);
	until_it_waits(r->tid);
	if (write(pipes[1], buf, 1) != 1)
		abort();
	return NULL;
}
static void do_restart(long n)
{
	struct sigaction act = {.sa_handler = on_usr1, .sa_flags = SA_RESTART};
	struct reader self = {pthread_self(), (pid_t)syscall(SYS_gettid)};
	pthread_t other;

	(void)n;
	handled = 0;
	sigaction(SIGUSR1, &act, NULL);
	if (pthread_create(&other, NULL, disturb, &self) || read(pipes[0], buf, 1) != 1)
		abort();
	pthread_join(other, NULL);
}
static void do_sleep(long n)
{
	nanosleep(&(struct timespec){0, n * 1000}, NULL);
}
/* semget by its number, getppid as a 32-bit call */
static void do_int80(long n)
{
	long ret;

	(void)n;
	asm volatile("int $0x80" : "=a"(ret) : "a"(64) : "memory", "r8", "r9", "r10", "r11");
	if (ret != getppid())
		abort();
}
static void do_fork(long n)
{
	pid_t pid;

	(void)n;
	pid = fork();
	if (!pid)
		_exit(7);
	waitpid(pid, NULL, 0);
}

static const struct {
	const char *name;
	void (*call)(long);
} calls[] = {
	{"getppid", do_getppid}, {"pread", do_pread}, {"pwrite", do_pwrite}, {"read0", do_read0},
	{"enoent", do_enoent},   {"pipe", do_pipe},   {"mmsg", do_mmsg},     {"cut", do_cut},
	{"restart", do_restart}, {"sleep", do_sleep}, {"fork", do_fork},     {"int80", do_int80},
};

static char **list;
static long times = 1, pause_ms;

static void run_one(const char *arg)
{
	const char *eq = strchr(arg, '=');
	char *end;
	long count = strtol(eq + 1, &end, 10), size = *end == 'x' ? atol(end + 1) : 1;

	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strncmp(arg, calls[i].name, eq - arg) && !calls[i].name[eq - arg]) {
			for (long k = 0; k < count; k++)
				calls[i].call(size);
			return;
		}
	fprintf(stderr, "calls: %s?\n", arg);
	exit(2);
}

static void *run(void *unused)
{
	for (long t = 0; t < times; t++) {
		for (char **a = list; *a; a++)
			if (strncmp(*a, "threads=", 8) && strncmp(*a, "times=", 6) &&
			    strncmp(*a, "pause=", 6))
				run_one(*a);
		if (pause_ms && t + 1 < times)
			usleep(pause_ms * 1000);
	}
	return unused;
}

int main(int argc, char **argv)
{
	long threads = 1;
	pthread_t th[64];

	list = argv + 1;
	for (int i = 1; i < argc; i++) {
		sscanf(argv[i], "threads=%ld", &threads);
		sscanf(argv[i], "times=%ld", &times);
		sscanf(argv[i], "pause=%ld", &pause_ms);
		if (!strchr(argv[i], '='))
			return 2;
	}
	buf = calloc(1, 1 << 20);
	zero = open("/dev/zero", O_RDONLY);
	null_fd = open("/dev/null", O_WRONLY);
	if (zero < 0 || null_fd < 0 || pipe(pipes) < 0 ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, dgram) < 0)
		return 1;
	for (long i = 1; i < threads && i < 64; i++)
		pthread_create(&th[i], NULL, run, NULL);
	run(NULL);
	for (long i = 1; i < threads && i < 64; i++)
		pthread_join(th[i], NULL);
	return 0;
}
