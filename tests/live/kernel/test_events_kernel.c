/* test_events_kernel.c - rows through the ring buffer, fields against what the child knows of
 * itself, processes and tracepoints. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include "tests/support/live.h"
#include "probes/kernel/btf.h"
#include "probes/gen/hooks.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

enum { MANY = 50000 };

static const struct rn_value *cell(const struct live *l, unsigned row, const char *field)
{
	const struct rn_fragment *f = &l->plan->frag;

	for (unsigned i = 0; i < f->nfields; i++)
		if (!strcmp(f->fields[i]->name, field))
			return &l->row[row * f->nfields + i];
	fail_msg("no field %s", field);
	return NULL;
}

static void text_is(const struct live *l, unsigned row, const char *field, const char *want)
{
	const struct rn_value *v = cell(l, row, field);

	if (v->kind != RN_STR || v->len != strlen(want) || memcmp(v->s, want, v->len))
		fail_msg("%s: \"%.*s\", not \"%s\"", field, (int)v->len, v->s, want);
}

/* A path of the kernel's is from the first root, if we run in another. */
static void ends_in(const struct live *l, unsigned row, const char *field, const char *want)
{
	const struct rn_value *v = cell(l, row, field);
	size_t n = strlen(want);

	if (v->kind != RN_STR || v->len < n || memcmp(v->s + v->len - n, want, n))
		fail_msg("%s: \"%.*s\" does not end in \"%s\"", field, (int)v->len, v->s, want);
}

/* ---- the ring ---- */

static void many_calls(void *arg)
{
	(void)arg;
	for (int64_t i = 0; i < MANY; i++)
		syscall(SYS_getppid, i);
}

static void rows_come_whole_and_in_order(void **state)
{
	struct timespec before, after;
	struct live l;
	int64_t from, to;

	(void)state;

	clock_gettime(CLOCK_REALTIME, &before);
	live_run(&l, "arg0, time, name, latency of syscall where name = getppid", many_calls, NULL);
	clock_gettime(CLOCK_REALTIME, &after);
	from = before.tv_sec * 1000000000LL + before.tv_nsec;
	to = after.tv_sec * 1000000000LL + after.tv_nsec;
	assert_int_equal(l.nrows + l.ledger.n[RN_L_LOST_RING], MANY);
	assert_int_equal(l.ledger.n[RN_L_LOST_RING], 0);
	for (unsigned i = 0; i < l.nrows; i++) {
		assert_int_equal(cell(&l, i, "arg0")->i, i);
		assert_int_equal(cell(&l, i, "time")->i, l.row_time[i]);
		assert_true(l.row_time[i] >= from - 1000000 && l.row_time[i] <= to + 1000000);
		assert_true(cell(&l, i, "latency")->i > 0);
	}
	text_is(&l, 0, "name", "getppid");
	live_free(&l);
}

/* ---- fields ---- */

static void io_calls(void *arg)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0x7f000001)};
	char buf[64];
	int fd, s;

	(void)arg;
	prctl(PR_SET_NAME, "events child");
	fd = open("/etc/hostname", O_RDONLY | O_CLOEXEC);
	if (pread(fd, buf, 3, 0) != 3)
		_exit(1);
	close(fd);
	if (open("/nonexistent/file", O_RDONLY) >= 0)
		_exit(1);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	connect(s, (struct sockaddr *)&to, sizeof(to));
	close(s);
}

static void fields_are_what_the_child_did(void **state)
{
	char path[256], query[400];
	struct live l;
	struct stat st;
	int64_t child;

	(void)state;

	stat("/etc/hostname", &st);
	live_run(&l,
		 "name, proc, thread, pid, tid, ppid, uid, user, fd, file, bytes, ret, error, node "
		 "of syscall "
		 "where name in (pread64, openat, close, connect) and proc = \"events child\"",
		 io_calls, NULL);
	assert_int_equal(l.nrows, 6);
	child = cell(&l, 0, "pid")->i;
	for (unsigned i = 0; i < l.nrows; i++) {
		text_is(&l, i, "proc", "events child");
		text_is(&l, i, "thread", "events child");
		text_is(&l, i, "node", "testnode");
		assert_int_equal(cell(&l, i, "tid")->i, child);
		assert_int_equal(cell(&l, i, "ppid")->i, getpid());
		assert_int_equal(cell(&l, i, "uid")->i, getuid());
	}
	text_is(&l, 0, "name", "openat");
	snprintf(path, sizeof(path), "%.*s", (int)cell(&l, 0, "file")->len, cell(&l, 0, "file")->s);
	ends_in(&l, 0, "file", "/etc/hostname");
	assert_int_equal(cell(&l, 0, "fd")->i, cell(&l, 0, "ret")->i);
	text_is(&l, 1, "name", "pread64");
	text_is(&l, 1, "file", path);
	assert_int_equal(cell(&l, 1, "bytes")->i, 3);
	text_is(&l, 2, "name", "close"); /* the descriptor is gone at return: noted at entry */
	text_is(&l, 2, "file", path);
	text_is(&l, 3, "file", "/nonexistent/file");
	assert_int_equal(cell(&l, 3, "error")->i, 2);
	assert_int_equal(cell(&l, 3, "fd")->i, -1);
	text_is(&l, 4, "name", "connect");
	assert_int_equal(strncmp(cell(&l, 4, "file")->s, "socket:[", 8), 0);
	live_free(&l);

	snprintf(query, sizeof(query),
		 "ino, dev, bytes, file of read where file = \"%s\" and file ~ \"*/host*e\" and "
		 "bytes = 3",
		 path);
	live_run(&l, query, io_calls, NULL);
	assert_int_equal(l.nrows, 1);
	assert_int_equal(cell(&l, 0, "ino")->i, st.st_ino);
	live_free(&l);
}

static void addresses_are_compared(void **state)
{
	unsigned char ip[RN_IP_BYTES];
	struct live l;

	(void)state;
	rn_ip_parse("127.0.0.1:9", 11, ip);
	live_run(&l,
		 "peer, ret of connect where cidr(peer, \"127.0.0.0/8\") and peer = \"127.0.0.1\" "
		 "and peer != \"127.0.0.1:10\"",
		 io_calls, NULL);
	assert_int_equal(l.nrows, 1);
	assert_int_equal(cell(&l, 0, "peer")->len, RN_IP_BYTES);
	assert_memory_equal(cell(&l, 0, "peer")->s, ip, RN_IP_BYTES);
	live_free(&l);
	live_run(&l, "port(peer) as to, peer of connect where port(peer) = 9 and port(peer) < 10",
		 io_calls, NULL);
	assert_int_equal(l.plan->frag.where[0].place, RN_AT_KERNEL);
	assert_int_equal(l.nrows, 1);
	live_free(&l);
	live_run(&l, "peer of connect where port(peer) + 1 in (9, 11)", io_calls, NULL);
	assert_int_equal(l.nrows, 0);
	live_free(&l);
}

static void path_calls(void *arg)
{
	struct stat st;
	int fd;

	(void)arg;
	mkdir("/tmp/rn-events-dir", 0700);
	rename("/tmp/rn-events-dir", "/tmp/rn-events-new");
	rmdir("/tmp/rn-events-new");
	symlink("target", "/nonexistent/link");
	symlinkat("target", AT_FDCWD, "/nonexistent/linkat");
	unlink("/nonexistent/unlinked");
	syscall(SYS_newfstatat, AT_FDCWD, "/nonexistent/stat", &st, 0);
	fd = open("/dev/null", O_RDONLY);
	syscall(SYS_newfstatat, fd, "", &st, 0x1000 /* AT_EMPTY_PATH */);
	syscall(SYS_utimensat, fd, NULL, NULL, 0);
	syscall(SYS_newfstatat, AT_FDCWD, (char *)1, &st, 0);
}

static void paths_are_as_given(void **state)
{
	static const struct {
		const char *name, *file;
	} want[] = {
		{"mkdir", "/tmp/rn-events-dir"},      {"rename", "/tmp/rn-events-dir"},
		{"rmdir", "/tmp/rn-events-new"},      {"symlink", "/nonexistent/link"},
		{"symlinkat", "/nonexistent/linkat"}, {"unlink", "/nonexistent/unlinked"},
		{"newfstatat", "/nonexistent/stat"},  {"newfstatat", "/dev/null"},
		{"utimensat", "/dev/null"},           {"newfstatat", ""},
	};
	enum { N = sizeof(want) / sizeof(*want) };
	struct live l;

	(void)state;

	live_run(&l,
		 "name, file, fd of syscall where name in (mkdir, rename, rmdir, symlink, "
		 "symlinkat, unlink, newfstatat, utimensat)",
		 path_calls, NULL);
	assert_int_equal(l.nrows, N);
	for (unsigned i = 0; i < N; i++) {
		text_is(&l, i, "name", want[i].name);
		if (strcmp(want[i].file, "/dev/null"))
			text_is(&l, i, "file", want[i].file);
		else
			ends_in(&l, i, "file", want[i].file);
		assert_int_equal(cell(&l, i, "fd")->i, -1);
	}
	live_free(&l);

	live_run(&l, "file, ret of unlink where file ~ \"*/unlinked\"", path_calls, NULL);
	assert_int_equal(l.nrows, 1);
	assert_int_equal(cell(&l, 0, "ret")->i, -2);
	live_free(&l);
}

/* ---- ends of channels ---- */

static void talk(void *arg)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), a, u[2];
	char buf[16];

	(void)arg;
	if (bind(s, (struct sockaddr *)&at, len) || getsockname(s, (struct sockaddr *)&at, &len) ||
	    listen(s, 1) || connect(c, (struct sockaddr *)&at, len) ||
	    (a = accept(s, NULL, NULL)) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, u))
		_exit(1);
	if (send(c, "1234567", 7, 0) != 7 || send(c, "12345", 5, 0) != 5 ||
	    recv(a, buf, 9, MSG_WAITALL) != 9 || recv(a, buf, 3, MSG_WAITALL) != 3 ||
	    send(u[0], "12", 2, 0) != 2 || recv(u[1], buf, 2, 0) != 2)
		_exit(1);
}

/* Both ends of a connection number its bytes alike; those of a Unix socket know each other. */
static void ends_know_each_other(void **state)
{
	struct live l;
	int64_t first;

	(void)state;

	live_run(&l, "seq, bytes, peer_ino, ino, fuse_dev of io where proto = tcp or proto = unix",
		 talk, NULL);
	assert_int_equal(l.nrows, 6);
	first = cell(&l, 0, "seq")->i;
	assert_true(first > 0);
	assert_int_equal(cell(&l, 1, "seq")->i, (first + 7) & UINT32_MAX);
	assert_int_equal(cell(&l, 2, "seq")->i, first);
	assert_int_equal(cell(&l, 3, "seq")->i, (first + 9) & UINT32_MAX);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(cell(&l, i, "fuse_dev")->i, 0);
		assert_true(i < 4 ? !cell(&l, i, "peer_ino")->i : !cell(&l, i, "seq")->i);
	}
	assert_int_equal(cell(&l, 4, "peer_ino")->i, cell(&l, 5, "ino")->i);
	assert_int_equal(cell(&l, 5, "peer_ino")->i, cell(&l, 4, "ino")->i);
	live_free(&l);

	live_run(&l, "dir, name of io where proto in (tcp, unix)", talk, NULL);
	assert_int_equal(l.nrows, 6);
	for (unsigned i = 0; i < 6; i++)
		text_is(&l, i, "dir", strcmp(cell(&l, i, "name")->s, "sendto") ? "in" : "out");
	live_free(&l);
	live_run(&l, "name of io where dir = in and dir in (in, out) and proto = unix", talk, NULL);
	assert_int_equal(l.nrows, 1);
	text_is(&l, 0, "name", "recvfrom");
	live_free(&l);
	live_run(&l,
		 "dir, name of syscall where dir != in and dir != out and name in "
		 "(socket, socketpair, sendto)",
		 talk, NULL);
	assert_int_equal(l.nrows, 3);
	for (unsigned i = 0; i < 3; i++)
		text_is(&l, i, "dir", "");
	live_free(&l);

	live_run(&l, "name, bytes of send", talk, NULL);
	assert_int_equal(l.nrows, 3);
	for (unsigned i = 0; i < 3; i++)
		text_is(&l, i, "name", "sendto");
	assert_int_equal(cell(&l, 0, "bytes")->i, 7);
	assert_int_equal(cell(&l, 2, "bytes")->i, 2);
	live_free(&l);

	live_run(&l, "fd, ret, local of accept where cidr(local, \"127.0.0.0/8\")", talk, NULL);
	assert_int_equal(l.nrows, 1);
	assert_int_equal(cell(&l, 0, "fd")->i, cell(&l, 0, "ret")->i);
	live_free(&l);
}

/* ---- processes ---- */

static void make_processes(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 5; i++) {
		pid_t p = fork();

		if (p == 0) {
			syscall(SYS_getppid);
			if (i == 5)
				execl("/bin/true", "true", NULL);
			_exit(i);
		}
		waitpid(p, NULL, 0);
	}
	execl("/nonexistent/program", "x", NULL);
}

static void processes_are_followed(void **state)
{
	struct live l;

	(void)state;

	live_run(&l, "ret, child of fork", make_processes, NULL);
	assert_int_equal(l.nrows, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(cell(&l, i, "ret")->i, cell(&l, i, "child")->i);
	live_free(&l);

	live_run(&l, "ret, latency, proc of exit", make_processes, NULL);
	assert_int_equal(l.nrows, 6);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(cell(&l, i, "ret")->i, i + 1);
	assert_int_equal(cell(&l, 4, "ret")->i, 0);
	text_is(&l, 4, "proc", "true");
	assert_true(cell(&l, 0, "latency")->i > 0);
	live_free(&l);

	live_run(&l, "file, ret, proc, cmdline of exec", make_processes, NULL);
	assert_int_equal(l.nrows, 2);
	text_is(&l, 0, "cmdline", "true");
	text_is(&l, 1, "cmdline", "");
	text_is(&l, 0, "proc", "true");
	assert_int_equal(cell(&l, 0, "ret")->i, 0);
	text_is(&l, 1, "file", "/nonexistent/program");
	assert_int_equal(cell(&l, 1, "ret")->i, -2);
	live_free(&l);

	live_run(&l, "pid of getppid", make_processes, NULL); /* grandchildren are in scope */
	assert_int_equal(l.nrows, 5);
	live_free(&l);
}

static void make_tasks(void *arg)
{
	(void)arg;
	for (int i = 0; i < 60; i++) {
		pid_t p = (pid_t)syscall(i % 2 ? SYS_fork : SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (p == 0)
			_exit(0);
		waitpid(p, NULL, 0);
	}
}

/* A call that makes a process returns in both: it is one event, whatever is asked of it. */
static void births_are_one_call(void **state)
{
	static const char *const queries[] = {
		"count of syscall where name = fork",
		"count, sum(latency) of syscall where name = fork",
		"count of syscall where name = clone",
		"count of syscall where name in (fork, clone) and ret = 0",
	};

	(void)state;

	for (unsigned i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		struct live l;

		live_run(&l, queries[i], make_tasks, NULL);
		assert_int_equal(l.ledger.n[RN_L_MATCHED], i < 3 ? 30 : 0);
		live_free(&l);
	}
}

static void *last_thread(void *leader)
{
	pthread_join(*(pthread_t *)leader, NULL);
	exit(9);
}

static void *other_program(void *arg)
{
	(void)arg;
	execl("/bin/true", "true", NULL);
	return NULL;
}

/* One process whose leader ends first, one in which another thread begins a new program, one in
 * which both threads are ended at once. */
static void make_threads(void *arg)
{
	static pthread_t me;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		pid_t p = fork();
		pthread_t t;

		if (p == 0) {
			me = pthread_self();
			pthread_create(&t, NULL, i ? other_program : last_thread, &me);
			if (i == 0)
				pthread_exit(NULL);
			if (i == 2)
				_exit(7);
			for (;;)
				pause();
		}
		waitpid(p, NULL, 0);
	}
}

static void processes_end_with_their_last_thread(void **state)
{
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf b;
	struct rn_err err = {0};
	struct live l;

	(void)state;

	live_run(&l, "pid, ret of exit", make_threads, NULL);
	assert_int_equal(l.nrows, 4); /* and the process that ran them */
	assert_int_equal(cell(&l, 1, "ret")->i, 0);
	assert_int_not_equal(cell(&l, 0, "pid")->i, cell(&l, 1, "pid")->i);
	assert_int_not_equal(cell(&l, 2, "pid")->i, cell(&l, 1, "pid")->i);
	assert_int_equal(rn_btf_read(&b, want, rn_hook_traces(want), &err), 0);
	if (b.nargs[RN_HOOK_OTHERS + 1] >= 2)
		assert_int_equal(cell(&l, 0, "ret")->i, 9);
	live_free(&l);
}

static void others_are_out_of_scope(void **state)
{
	struct live l;
	pid_t other;

	(void)state;

	live_plan(&l, "pid of getppid", NULL);
	other = fork();
	if (other == 0) {
		for (int i = 0; i < 2000; i++) {
			syscall(SYS_getppid);
			usleep(100);
		}
		_exit(0);
	}
	live_fork(&l, make_processes, NULL);
	live_start(&l);
	for (int i = 0; i < 1000; i++) /* our own calls are never seen */
		syscall(SYS_getppid);
	live_go(&l);
	live_end(&l);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_int_equal(l.nrows, 5);
	live_free(&l);
}

static void own_calls_are_left_out(void **state)
{
	struct live l;
	char query[64];

	(void)state;

	snprintf(query, sizeof(query), "pid of getppid where pid = %d", getpid());
	live_plan(&l, query, NULL);
	live_start(&l);
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	live_end(&l);
	assert_int_equal(l.nrows, 0);
	live_free(&l);
}

/* ---- tracepoints ---- */

static int only_word(void *self, const struct rn_partials *p)
{
	int64_t *v = self;

	for (unsigned i = 0; i < p->n; i++) {
		v[0] += p->parts[i].events;
		v[1] += p->parts[i].state[1].words[0];
	}
	return 0;
}

static void tracepoints_give_their_own_fields(void **state)
{
	struct live l;
	int64_t v[2] = {0};

	(void)state;

	live_run(&l, "count, sum(ret) of tracepoint \"raw_syscalls:sys_exit\" where id = 110",
		 many_calls, NULL);
	rn_groups_visit(l.groups, INT64_MAX, false, only_word, v);
	assert_int_equal(v[0], MANY);
	assert_int_equal(v[1], (int64_t)MANY * getpid());
	live_free(&l);

	live_run(&l,
		 "filename, old_pid, name of tracepoint \"sched:sched_process_exec\" where "
		 "filename ~ \"*/true\" and filename = \"/bin/true\"",
		 make_processes, NULL);
	assert_int_equal(l.nrows, 1);
	text_is(&l, 0, "filename", "/bin/true");
	live_free(&l);

	live_run(&l, "count of tracepoint \"sched:sched_process_fork\" by parent_comm, node",
		 make_processes, NULL);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], 5);
	assert_int_equal(rn_groups_count(l.groups), 1);
	live_free(&l);
}

/* ---- the CPU ---- */

static void on_one_cpu(void *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(*(int *)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(1);
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
}

/* On each that we may use in turn, as a row, as a condition and in a class of its own. */
static void the_cpu_is_known(void **state)
{
	static const char *const queries[] = {
		"cpu of getppid",
		"cpu of syscall where name = getppid and cpu =",
		"cpu of tracepoint \"raw_syscalls:sys_exit\" where id = 110 and cpu =",
	};
	cpu_set_t may;
	struct live l;

	(void)state;

	assert_int_equal(sched_getaffinity(0, sizeof(may), &may), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE && cpu < 8; cpu++)
		for (unsigned q = 0; CPU_ISSET(cpu, &may) && q < sizeof(queries) / sizeof(*queries);
		     q++) {
			char query[128];

			snprintf(query, sizeof(query), strchr(queries[q], '=') ? "%s %d" : "%s",
				 queries[q], cpu);
			live_run(&l, query, on_one_cpu, &cpu);
			assert_int_equal(l.nrows, 100);
			for (unsigned i = 0; i < l.nrows; i++)
				assert_int_equal(cell(&l, i, "cpu")->i, cpu);
			live_free(&l);
		}
}

static void with_arguments(void *arg)
{
	int fd;

	(void)arg;
	syscall(SYS_getppid, 10L, -11L, 12L, 13L << 32, -14L, 15L);
	fd = open("/etc/hostname", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	close(fd);
}

static void arguments_are_as_given(void **state)
{
	static const int64_t want[] = {10, -11, 12, 13LL << 32, -14, 15};
	struct live l;

	(void)state;

	live_run(&l, "arg0, arg1, arg2, arg3, arg4, arg5, gid of getppid where arg0 = 10",
		 with_arguments, NULL);
	assert_int_equal(l.nrows, 1);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(cell(&l, 0, (char[]){'a', 'r', 'g', (char)('0' + i), 0})->i,
				 want[i]);
	assert_int_equal(cell(&l, 0, "gid")->i, getgid());
	live_free(&l);
	live_run(&l, "flags, arg2 of openat where file ~ \"*/etc/hostname\"", with_arguments, NULL);
	assert_int_equal(l.nrows, 1);
	assert_int_equal(cell(&l, 0, "flags")->i, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	assert_int_equal(cell(&l, 0, "arg2")->i, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	live_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_whole_and_in_order),
		cmocka_unit_test(fields_are_what_the_child_did),
		cmocka_unit_test(addresses_are_compared),
		cmocka_unit_test(paths_are_as_given),
		cmocka_unit_test(ends_know_each_other),
		cmocka_unit_test(processes_are_followed),
		cmocka_unit_test(births_are_one_call),
		cmocka_unit_test(processes_end_with_their_last_thread),
		cmocka_unit_test(others_are_out_of_scope),
		cmocka_unit_test(own_calls_are_left_out),
		cmocka_unit_test(tracepoints_give_their_own_fields),
		cmocka_unit_test(the_cpu_is_known),
		cmocka_unit_test(arguments_are_as_given),
	};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
