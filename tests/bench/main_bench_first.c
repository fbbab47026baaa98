/* main_bench_first.c - from the text of a one-shot query to its first row. It measures the time
 * from fork to the first row on stdout. The program and bpftrace take turns with the same question,
 * on a machine where the events never cease. Figures for docs/benchmarks.md. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/bench/bench.h"

enum { MAX_ROUNDS = 101, WAIT_MS = 20000 };

static const struct variant {
	const char *name;
	const char *argv[7];
} variants[] = {
	{"runnel, a tracepoint",
	 {"RUNNEL", "-q", "-o", "json", "time, proc of tracepoint \"sched:sched_switch\" limit 1"}},
	{"bpftrace, a tracepoint",
	 {"bpftrace", "-B", "none", "-e",
	  "tracepoint:sched:sched_switch { printf(\"%llu %s\\n\", nsecs, comm); exit(); }"}},
	{"runnel, every system call",
	 {"RUNNEL", "-q", "-o", "json", "time, proc, name of syscall limit 1"}},
	{"bpftrace, every system call",
	 {"bpftrace", "-B", "none", "-e",
	  "tracepoint:raw_syscalls:sys_exit { printf(\"%llu %s %d\\n\", nsecs, comm, args->id); "
	  "exit(); }"}},
	{"runnel, a call with its path",
	 {"RUNNEL", "-q", "-o", "json", "time, proc, file of open limit 1"}},
	{"bpftrace, a call with its path",
	 {"bpftrace", "-B", "none", "-e",
	  "tracepoint:syscalls:sys_enter_openat { printf(\"%llu %s %s\\n\", nsecs, comm, "
	  "str(args->filename)); exit(); }"}},
	{"runnel, groups of 10 ms",
	 {"RUNNEL", "-q", "-o", "json", "count of syscall by proc every 10ms limit 1"}},
};
enum { NVAR = sizeof(variants) / sizeof(*variants) };

static double now_ms(void)
{
	return bench_clock_ns(CLOCK_MONOTONIC) / 1e6;
}

/* Milliseconds until the first row; negative: there was none. */
static double first_row(const char *const *argv)
{
	int out[2];
	char text[256];
	double begin, took;
	pid_t pid;
	struct pollfd p;
	bool came;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	begin = now_ms();
	pid = fork();
	if (pid == 0) {
		dup2(out[1], 1);
		dup2(open("/dev/null", O_WRONLY), 2);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(out[1]);
	p = (struct pollfd){.fd = out[0], .events = POLLIN};
	came = false;
	took = 0;
	while (!came && poll(&p, 1, WAIT_MS) == 1) {
		ssize_t n = read(out[0], text, sizeof(text));

		took = now_ms() - begin;
		if (n <= 0)
			break;
		/* not "Attaching 1 probe..." */
		came = memchr(text, '{', (size_t)n) || (text[0] >= '0' && text[0] <= '9');
	}
	kill(pid, SIGTERM);
	close(out[0]);
	waitpid(pid, NULL, 0);
	return came ? took : -1;
}

/* bpftrace wants it mounted; here that is this program's own view. */
static void mount_tracefs(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("tracefs", "/sys/kernel/debug/tracing", "tracefs", 0, NULL);
}

/* System calls, opened files and switches all the time, without taking a CPU for itself. */
static pid_t start_worker(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		for (int i = 0; i < 10; i++)
			syscall(SYS_getppid);
		close(open("/dev/null", O_RDONLY));
		usleep(500);
	}
}

int main(int argc, char **argv)
{
	static double took[NVAR][MAX_ROUNDS];
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 15;
	double of[NVAR];
	pid_t worker;

	if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: bench_first RUNNEL [ROUNDS]\n");
		return 2;
	}
	setenv("RUNNEL_CATALOG", "/nonexistent/catalog.db", 1); /* nobody's saved views */
	mount_tracefs();
	worker = start_worker();
	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned v = 0; v < NVAR; v++) {
			const char *args[8] = {0};

			memcpy(args, variants[v].argv, sizeof(variants[v].argv));
			if (!strcmp(args[0], "RUNNEL"))
				args[0] = argv[1];
			took[v][r] = first_row(args);
		}
	}
	kill(worker, SIGKILL);
	printf("from the text of a query to its first row: median of %u\n", rounds);
	for (unsigned v = 0; v < NVAR; v++) {
		of[v] = bench_median(took[v], rounds);
		printf("  %-32s %8.1f ms", variants[v].name, of[v]);
		if (took[v][0] < 0)
			printf("  (of some no row came)");
		if (v % 2)
			printf("  %5.1f times the one above", of[v] / of[v - 1]);
		printf("\n");
	}
	return 0;
}
