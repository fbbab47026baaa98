/* test_api_kernel.c - librunnel over live events, against programs that make known numbers of
 * calls: runnel_start, runnel_stop, runnel_cancel (from a signal handler too), snapshots, windows,
 * the scope of processes, and what an early end leaves behind: nothing. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "probes/probes.h"
#include "repl/api/runnel.h"

enum { CALLS = 700 };

static struct runnel_query *prepared(struct runnel *r, const char *text)
{
	struct rn_err err = {0};
	struct runnel_query *q;

	if (rn_probes_permitted(&err))
		skip();
	q = runnel_query_new(r, text);
	if (runnel_prepare(q) != RUNNEL_OK)
		fail_msg("%s", runnel_error_text(q));
	return q;
}

static void start(struct runnel_query *q)
{
	if (runnel_start(q, -1) != RUNNEL_OK)
		fail_msg("%s", runnel_error_text(q));
}

/* A child that makes CALLS calls, once byte comes (or at once, byte NULL). */
static pid_t child(int *byte)
{
	int fd[2];
	char c;
	pid_t pid;

	assert_return_code(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		close(fd[1]);
		if (byte && read(fd[0], &c, 1) != 1)
			_exit(1);
		for (int i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	close(fd[0]);
	if (byte)
		*byte = fd[1];
	else
		close(fd[1]);
	return pid;
}

static void stop_gives_the_answer(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	pid_t pid;
	int64_t n;
	int status;

	(void)state;
	r = runnel_open(NULL);
	q = prepared(r, "count of getppid by pid");
	start(q);
	assert_int_equal(runnel_step(q, 0), RUNNEL_TIMEOUT);
	pid = child(NULL);
	waitpid(pid, NULL, 0);
	runnel_stop(r);
	n = 0;
	while ((status = runnel_step(q, -1)) == RUNNEL_ROW)
		n += runnel_get_int64(q, 0) == pid ? runnel_get_int64(q, 1) : 0;
	assert_int_equal(status, RUNNEL_DONE);
	assert_int_equal(n, CALLS);
	assert_true(runnel_complete(q));
	runnel_close(r);
}

static void rows_of_some_processes(void **state)
{
	int go, n, status;
	pid_t pid;
	struct runnel_options o;
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	pid = child(&go);
	o = (struct runnel_options){.size = sizeof(o), .pids = &pid, .npids = 1};
	r = runnel_open(&o);
	q = prepared(r, "pid, name of syscall where name = getppid");
	start(q);
	assert_int_equal(write(go, "x", 1), 1);
	n = 0;
	while ((status = runnel_step(q, -1)) == RUNNEL_ROW) { /* it ends when the process has */
		assert_int_equal(runnel_get_int64(q, 0), pid);
		assert_string_equal(runnel_get_text(q, 1, NULL), "getppid");
		if (++n == CALLS)
			waitpid(pid, NULL, WNOHANG);
	}
	assert_int_equal(status, RUNNEL_DONE);
	assert_int_equal(n, CALLS);
	runnel_close(r);
	close(go);
	waitpid(pid, NULL, 0);
	r = runnel_open(&o); /* it is no more */
	q = runnel_query_new(r, "count of syscall");
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_E_SYSTEM);
	assert_non_null(strstr(runnel_error(q, 0)->message, "no process"));
	runnel_close(r);
}

static void snapshots(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	unsigned last;
	int64_t n;
	int status;

	(void)state;
	r = runnel_open(NULL);
	q = prepared(r, "count of getppid");
	assert_int_equal(runnel_refresh(q, 50), RUNNEL_OK);
	start(q);
	waitpid(child(NULL), NULL, 0);
	last = 0;
	n = 0;
	while (last < 3) {
		assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
		assert_true(runnel_snapshot(q) > last && runnel_get_int64(q, 0) >= n);
		last = runnel_snapshot(q);
		n = runnel_get_int64(q, 0);
	}
	assert_true(runnel_progress(q)->started);
	runnel_stop(r);
	while ((status = runnel_step(q, -1)) == RUNNEL_ROW && runnel_snapshot(q))
		;
	assert_int_equal(status, RUNNEL_ROW);
	assert_true(runnel_get_int64(q, 0) >= CALLS);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	runnel_close(r);
}

static struct runnel *interrupted;

static void on_signal(int signal)
{
	(void)signal;
	runnel_cancel(interrupted);
}

static void cancelled_by_a_signal(void **state)
{
	struct runnel_query *q;
	struct sigaction act, was;
	struct itimerval in;
	int status;

	(void)state;
	interrupted = runnel_open(NULL);
	q = prepared(interrupted, "count of syscall by proc every 1h");
	act = (struct sigaction){.sa_handler = on_signal};
	in = (struct itimerval){.it_value = {.tv_usec = 200000}};
	start(q);
	sigaction(SIGALRM, &act, &was);
	setitimer(ITIMER_REAL, &in, NULL);
	while ((status = runnel_step(q, -1)) == RUNNEL_ROW) /* where an hour has just ended */
		;
	assert_int_equal(status, RUNNEL_INTERRUPTED);
	sigaction(SIGALRM, &was, NULL);
	assert_null(runnel_ledger_of(q, -1));
	runnel_close(interrupted);
}

static unsigned entries(const char *path)
{
	unsigned n = 0;
	DIR *d = opendir(path);

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Ended amid its rows in every way, a query leaves no descriptor and no thread. */
static void leaves_nothing(void **state)
{
	unsigned fds;

	(void)state;
	fds = 0;
	for (int round = 0; round < 4; round++) {
		struct runnel_options o = {.size = sizeof(o), .queue_bytes = 65536};
		struct runnel *r = runnel_open(&o);
		struct runnel_query *q = prepared(r, "events of syscall");
		pid_t busy = fork();

		if (!busy)
			for (;;)
				syscall(SYS_getppid);
		assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
		while (runnel_progress(q)->waiting_bytes < o.queue_bytes / 2)
			usleep(1000); /* the queue fills; nobody takes */
		if (round == 1)
			runnel_query_free(q);
		else if (round == 2)
			runnel_cancel(r);
		else if (round == 3)
			assert_int_equal(runnel_prepare(q), RUNNEL_OK);
		runnel_close(r);
		kill(busy, SIGKILL);
		waitpid(busy, NULL, 0);
		if (!round)
			fds = entries("/proc/self/fd");
		assert_int_equal(entries("/proc/self/fd"), fds);
		for (int i = 0; i < 6000 && entries("/proc/self/task") > 3; i++)
			usleep(10000); /* one that was waited for may still be on its way out */
		assert_int_equal(entries("/proc/self/task"), 3); /* ., .., this one */
	}
}

/* Two live sessions in one thread, each with a query that runs. */
static void side_by_side(void **state)
{
	struct runnel *r[2] = {runnel_open(NULL), runnel_open(NULL)};
	struct runnel_query *q[2];
	pid_t pid;

	(void)state;
	q[0] = prepared(r[0], "count of getppid by pid");
	q[1] = prepared(r[1], "count of syscall where name = getppid by pid");
	start(q[0]);
	start(q[1]);
	pid = child(NULL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 2; i++) {
		int64_t n = 0;

		runnel_stop(r[i]);
		while (runnel_step(q[i], -1) == RUNNEL_ROW)
			n += runnel_get_int64(q[i], 0) == pid ? runnel_get_int64(q[i], 1) : 0;
		assert_int_equal(n, CALLS);
	}
	runnel_close(r[0]);
	runnel_close(r[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stop_gives_the_answer),
		cmocka_unit_test(rows_of_some_processes),
		cmocka_unit_test(snapshots),
		cmocka_unit_test(cancelled_by_a_signal),
		cmocka_unit_test(leaves_nothing),
		cmocka_unit_test(side_by_side),
	};

	setenv("RUNNEL_CATALOG", "/nonexistent/catalog.db", 1); /* nobody's saved views */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
