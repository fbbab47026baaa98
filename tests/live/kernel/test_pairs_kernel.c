/* test_pairs_kernel.c - `between A and B on KEYS` against known numbers of events: how many pairs,
 * which A belongs to which B, which part of A is kept in every form, and what the ledger says of
 * those that have no other half. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include "exec/eval/eval.h"
#include "tests/support/live.h"

#define MS 1000000LL
enum { SLEEPS = 40, BASE = 1000000 };

static const struct rn_value *cell(const struct live *l, unsigned row, unsigned column)
{
	return &l->row[row * l->plan->frag.nfields +
		       (unsigned)l->plan->frag.cols[column].expr->index];
}

static void sleeps(void *arg)
{
	struct timespec t = {.tv_nsec = 3 * MS};

	(void)arg;
	for (int i = 0; i < SLEEPS; i++)
		syscall(SYS_nanosleep, &t, NULL);
}

static void every_sleep_is_a_pair(void **state)
{
	struct live l;
	int32_t tid;

	(void)state;

	live_plan(&l,
		  "start, end, latency, time, tid, pid, ret of between tracepoint "
		  "\"syscalls:sys_enter_nanosleep\" and "
		  "tracepoint \"syscalls:sys_exit_nanosleep\" on tid",
		  NULL);
	live_fork(&l, sleeps, NULL);
	tid = l.pid;
	live_start(&l);
	live_go(&l);
	live_end(&l);
	assert_int_equal(l.nrows, SLEEPS);
	for (unsigned i = 0; i < l.nrows; i++) {
		assert_true(cell(&l, i, 2)->i >= 3 * MS);
		assert_int_equal(cell(&l, i, 0)->i + cell(&l, i, 2)->i, cell(&l, i, 1)->i);
		assert_int_equal(cell(&l, i, 3)->i, cell(&l, i, 1)->i);
		assert_int_equal(cell(&l, i, 4)->i, tid);
		assert_int_equal(cell(&l, i, 5)->i, tid);
		assert_int_equal(cell(&l, i, 6)->i, 0);
	}
	assert_int_equal(l.ledger.n[RN_L_SEEN], 2 * SLEEPS);
	assert_int_equal(l.ledger.n[RN_L_UNPAIRED] + l.ledger.n[RN_L_OPEN] +
				 l.ledger.n[RN_L_REOPENED] + l.ledger.n[RN_L_LOST_PAIR],
			 0);
	live_free(&l);
}

/* The same calls, at the same time, by the class of system calls and its own latency. */
static void sleeps_agree_with_the_call(void **state)
{
	struct live pair, call;
	int64_t sum[2] = {0};

	(void)state;

	live_plan(&pair,
		  "latency of between tracepoint \"syscalls:sys_enter_nanosleep\" and tracepoint "
		  "\"syscalls:sys_exit_nanosleep\" on tid",
		  NULL);
	live_plan(&call, "latency of nanosleep", NULL);
	live_fork(&pair, sleeps, NULL);
	call.pid = pair.pid;
	call.scope = pair.scope;
	call.scope.pids = &call.pid;
	live_start(&pair);
	live_start(&call);
	call.pid = 0; /* the other one waits for the child */
	live_go(&pair);
	live_end(&pair);
	live_end(&call);
	assert_int_equal(pair.nrows, SLEEPS);
	assert_int_equal(call.nrows, SLEEPS);
	for (unsigned i = 0; i < SLEEPS; i++) {
		assert_true(cell(&call, i, 0)->i >= 3 * MS);
		sum[0] += cell(&pair, i, 0)->i;
		sum[1] += cell(&call, i, 0)->i;
	}
	print_message("slept %d times 3 ms: %lld ns by the pair, %lld ns by the call\n", SLEEPS,
		      (long long)sum[0], (long long)sum[1]);
	live_free(&pair);
	live_free(&call);
}

/* arg0 is the key, arg1 tells which of several first events it was, arg2 is seen in the ends'
 * conditions. */
static void open_and_close(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "pair child");
	for (int i = 0; i < 100; i++)
		syscall(SYS_getpgid, BASE + i, i, 1);
	for (int i = 0; i < 50; i++) /* again: these count */
		syscall(SYS_getpgid, BASE + i, 1000 + i, 1);
	for (int i = 0; i < 100; i++) /* neither's condition holds */
		syscall(SYS_getpgid, BASE + i, 7777, 0), syscall(SYS_getsid, BASE + i, 0, 0);
	for (int i = 0; i < 80; i++)
		syscall(SYS_getsid, BASE + i, 0, 1);
	for (int i = 0; i < 10; i++) /* nothing is open */
		syscall(SYS_getsid, BASE + i, 0, 1);
}

#define ENDS "(events of getpgid where arg2 = 1) and (events of getsid where arg2 = 1) on arg0"

static void each_end_is_accounted_for(void **state)
{
	unsigned char seen[80] = {0};
	struct live l;

	(void)state;

	live_run(&l, "arg0, arg1, name, error of between " ENDS, open_and_close, NULL);
	assert_int_equal(l.nrows, 80);
	for (unsigned i = 0; i < l.nrows; i++) {
		int64_t k = cell(&l, i, 0)->i - BASE;

		assert_in_range(k, 0, 79);
		assert_int_equal(seen[k]++, 0);
		assert_int_equal(cell(&l, i, 1)->i, k < 50 ? 1000 + k : k);
		assert_int_equal(cell(&l, i, 2)->len, 7); /* getpgid */
		assert_int_equal(cell(&l, i, 3)->i, 3);   /* ESRCH */
	}
	assert_int_equal(l.ledger.n[RN_L_MATCHED], 80);
	/* of both ends, before their conditions */
	assert_int_equal(l.ledger.n[RN_L_SEEN], 250 + 190);
	assert_int_equal(l.ledger.n[RN_L_UNPAIRED], 10);
	assert_int_equal(l.ledger.n[RN_L_OPEN], 20);
	assert_int_equal(l.ledger.n[RN_L_REOPENED], 50);
	assert_int_equal(l.ledger.n[RN_L_LOST_PAIR], 0);
	live_free(&l);
}

static void again_and_again(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		struct timespec t = {.tv_nsec = MS};

		syscall(SYS_getpgid, BASE, i, 1);
		syscall(SYS_nanosleep, &t, NULL);
	}
}

/* An event that is both ends ends one pair and begins the next: by tracepoints of either kind. */
static void from_one_to_the_next(void **state)
{
	static const char *const cases[] = {
		"latency, arg1 of between getpgid and getpgid on arg0",
		"latency, pid of between tracepoint \"syscalls:sys_exit_getpgid\" and tracepoint "
		"\"syscalls:sys_exit_getpgid\" on tid",
	};

	(void)state;

	for (unsigned k = 0; k < 2; k++) {
		struct live l;

		live_run(&l, cases[k], again_and_again, NULL);
		assert_int_equal(l.nrows, 9);
		for (unsigned i = 0; i < l.nrows; i++) {
			assert_true(cell(&l, i, 0)->i >= MS);
			assert_true(k || cell(&l, i, 1)->i == i);
		}
		assert_int_equal(l.ledger.n[RN_L_UNPAIRED], 1);
		assert_int_equal(l.ledger.n[RN_L_OPEN], 1);
		assert_int_equal(l.ledger.n[RN_L_REOPENED], 0);
		live_free(&l);
	}
}

enum { MANY = 40000 };
static void too_many_open(void *arg)
{
	(void)arg;
	for (int i = 0; i < MANY; i++)
		syscall(SYS_getpgid, BASE + i, 0, 1);
	for (int i = 0; i < MANY; i++)
		syscall(SYS_getsid, BASE + i, 0, 1);
}

static void what_is_forgotten_is_counted(void **state)
{
	struct live l;

	(void)state;

	live_run(&l, "count of between " ENDS, too_many_open, NULL);
	assert_int_equal(l.ledger.n[RN_L_MATCHED] + l.ledger.n[RN_L_UNPAIRED], MANY);
	assert_int_equal(l.ledger.n[RN_L_LOST_PAIR], l.ledger.n[RN_L_UNPAIRED]);
	assert_in_range(l.ledger.n[RN_L_MATCHED], 16000, 20000);
	assert_int_equal(l.ledger.n[RN_L_OPEN], 0);
	live_free(&l);
}

/* Both ends of the same few keys on all CPUs at once: what belongs to another key is never taken
 * for this one's, and all of it adds up. */
enum { CROWD = 4, CROWD_KEYS = 5, CROWD_TURNS = 60000 };
static void *crowd_thread(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg;

	for (int i = 0; i < CROWD_TURNS; i++) {
		int k = rand_r(&seed) % CROWD_KEYS;

		syscall(SYS_getpgid, BASE + k, 1000000 * k + i, 1);
		syscall(SYS_getsid, BASE + rand_r(&seed) % CROWD_KEYS, 0, 1);
	}
	return NULL;
}

static void crowd(void *arg)
{
	pthread_t t[CROWD];

	(void)arg;
	for (int i = 0; i < CROWD; i++)
		pthread_create(&t[i], NULL, crowd_thread, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < CROWD; i++)
		pthread_join(t[i], NULL);
}

static void crowds_are_kept_apart(void **state)
{
	struct live l;

	(void)state;

	live_run(&l, "count of between " ENDS, crowd, NULL);
	assert_int_equal(l.ledger.n[RN_L_LOST_SCRATCH] + l.ledger.n[RN_L_LOST_PAIR], 0);
	assert_int_equal(l.ledger.n[RN_L_MATCHED] + l.ledger.n[RN_L_UNPAIRED], CROWD * CROWD_TURNS);
	assert_int_equal(l.ledger.n[RN_L_MATCHED] + l.ledger.n[RN_L_OPEN] +
				 l.ledger.n[RN_L_REOPENED],
			 CROWD * CROWD_TURNS);
	assert_true(l.ledger.n[RN_L_MATCHED] > CROWD_TURNS && l.ledger.n[RN_L_OPEN] <= CROWD_KEYS);
	live_free(&l);
	live_run(&l,
		 "count of between " ENDS
		 " where div(arg1, 1000000) != arg0 % 4294967296 - 1000000",
		 crowd, NULL);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], 0);
	live_free(&l);
}

/* What the kernel has before the paths of this root directory: of one that chroot(2) made, its
 * place. Learned from a file that a child opens by a call of its own, without pairs. */
static void one_open(void *arg)
{
	(void)arg;
	close(open("/etc/passwd", O_RDONLY));
}

static const char *root_prefix(void)
{
	static char prefix[256] = "?";
	static const char file[] = "/etc/passwd";
	struct live l;
	size_t n, end;

	if (strcmp(prefix, "?"))
		return prefix;
	live_run(&l, "file of openat", one_open, NULL);
	assert_int_equal(l.nrows, 1);
	n = cell(&l, 0, 0)->len;
	end = sizeof(file) - 1;
	assert_in_range(n, end, end + sizeof(prefix) - 1);
	assert_memory_equal(cell(&l, 0, 0)->s + n - end, file, end);
	snprintf(prefix, sizeof(prefix), "%.*s", (int)(n - end), cell(&l, 0, 0)->s);
	live_free(&l);
	return prefix;
}

/* A text whose "/etc are of that root. */
static const char *at_root(char *buf, size_t cap, const char *text)
{
	const char *prefix = root_prefix();
	size_t n = 0;

	for (const char *p = text; *p && n + 1 < cap; p++) {
		bool path = !strncmp(p, "\"/etc", 5);

		n += (size_t)snprintf(buf + n, cap - n, "%.1s%s", p, path ? prefix : "");
	}
	assert_true(n + 1 < cap);
	return buf;
}

/* Every form in which a field of the first event is kept, as a condition and as a key: 10 calls
 * each of read, of a file and a socket. */
static void kept_calls(void *arg)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(9),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = open("/etc/passwd", O_RDONLY), s = socket(AF_INET, SOCK_DGRAM, 0);
	char c[8] = "";

	(void)arg;
	prctl(PR_SET_NAME, "pair child");
	connect(s, (struct sockaddr *)&to, sizeof(to));
	for (int i = 0; i < 10; i++) {
		if (pread(fd, c, 4, 0) != 4)
			_exit(1);
		syscall(SYS_getpgid, BASE, 0, 0);
		send(s, c, 3, MSG_NOSIGNAL);
		syscall(SYS_getsid, BASE, 0, 0);
	}
}

/* Rows for which all conditions hold, tested outside of the kernel. */
static int rows_that_pass(struct live *l)
{
	const struct rn_fragment *f = &l->plan->frag;
	int n = 0;

	for (unsigned k = 0; k < f->nwhere; k++)
		assert_int_equal(rn_eval_prepare(l->a, f->where[k].expr, NULL, &l->err), 0);
	for (unsigned i = 0; i < l->nrows; i++) {
		bool holds = true;

		for (unsigned k = 0; k < f->nwhere; k++)
			holds &= rn_eval_true(f->where[k].expr, l->row + i * f->nfields, l->a);
		n += holds;
	}
	for (unsigned k = 0; k < f->nwhere; k++)
		rn_eval_release(f->where[k].expr);
	return n;
}

static void what_is_kept_is_as_it_was(void **state)
{
	static const struct {
		const char *pair, *where;
		int want;
	} cases[] = {
		{"pread64 and getpgid", "proc = \"pair child\"", 10},
		{"pread64 and getpgid", "proc = \"pair chile\"", 0},
		{"pread64 and getpgid",
		 "proc ~ \"pair*\" and thread ~ \"*child\" and proc ~ \"p*r c?ild\"", 10},
		{"pread64 and getpgid", "proc in (java, \"pair child\") and proc !~ \"x*\"", 10},
		{"pread64 and getpgid", "name = pread64", 10},
		{"pread64 and getpgid", "name = getpgid", 0},
		{"pread64 and getpgid",
		 "name ~ \"pre*\" and name !~ \"get*\" and name in (read, pread64)", 10},
		{"pread64 and getpgid",
		 "file = \"/etc/passwd\" and file ~ \"/etc/*\" and file !~ \"*.c\"", 10},
		{"pread64 and getpgid", "file = \"\"", 0},
		{"pread64 and getpgid", "file ~ \"*group\"", 0},
		{"pread64 and getpgid", "exe ~ \"*test_pairs_kernel\" and exe !~ \"/etc/*\"", 10},
		{"pread64 and getpgid",
		 "bytes = 4B and ret = 4 and fd >= 0 and ino > 0 and offset = 0B and ppid > 0 and "
		 "pid = tid",
		 10},
		{"pread64 and getpgid",
		 "latency >= 0ns and start <= end and time = end and start + latency = time", 10},
		{"pread64 and getpgid", "arg2 = 4 and netns > 0 and uid >= 0 and error = 0", 10},
		{"sendto and getsid", "peer = \"127.0.0.1:9\"", 10},
		{"sendto and getsid", "peer = \"127.0.0.1:8\"", 0},
		{"sendto and getsid",
		 "peer = \"127.0.0.1\" and cidr(peer, \"127.0.0.0/8\") and proto = udp", 10},
		{"sendto and getsid", "cidr(peer, \"10.0.0.0/8\") or proto = tcp or proto ~ \"u\"",
		 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char form[512], text[1024];
		struct live l;

		snprintf(form, sizeof(form), "count of between %s on tid where %s", cases[i].pair,
			 cases[i].where);
		at_root(text, sizeof(text), form);
		live_run(&l, text, kept_calls, NULL);
		for (unsigned k = 0; k < l.plan->frag.nwhere; k++)
			if (l.plan->frag.where[k].place != RN_AT_KERNEL)
				fail_msg("%s: not in the kernel: %s", text,
					 l.plan->frag.where[k].reason);
		if (l.ledger.n[RN_L_MATCHED] != cases[i].want)
			fail_msg("%s: %lld, not %d", text, (long long)l.ledger.n[RN_L_MATCHED],
				 cases[i].want);
		live_free(&l);
		/* the same conditions over rows: what user space makes of what was kept */
		live_plan(&l, text, &(struct rn_plan_opts){.no_kernel = true});
		live_fork(&l, kept_calls, NULL);
		live_start(&l);
		live_go(&l);
		live_end(&l);
		assert_int_equal(l.nrows, 10);
		if (rows_that_pass(&l) != cases[i].want)
			fail_msg("%s: %d rows outside of the kernel, not %d", text,
				 rows_that_pass(&l), cases[i].want);
		live_free(&l);
	}
}

struct keys {
	int64_t events;
	unsigned n;
	char text[8][512];
};
static int take_keys(void *self, const struct rn_partials *p)
{
	struct keys *k = self;

	for (unsigned i = 0; i < p->n; i++) {
		k->events += p->parts[i].events;
		for (unsigned j = 0; j < 8; j++)
			if (p->parts[i].key[j].kind == RN_STR)
				snprintf(k->text[j], sizeof(k->text[j]), "%.*s",
					 (int)p->parts[i].key[j].len, p->parts[i].key[j].s);
		k->n++;
	}
	return 0;
}

static void what_is_kept_makes_keys(void **state)
{
	struct keys k = {0};
	struct live l;

	(void)state;

	live_run(&l,
		 "count, distinct(file), distinct(proc), distinct(name), distinct(peer), "
		 "sum(latency) of between pread64 and getpgid on tid "
		 "by proc, file, name, exe, proto, peer, bytes, fd",
		 kept_calls, NULL);
	assert_int_equal(l.plan->frag.agg_place, RN_AT_KERNEL);
	rn_groups_visit(l.groups, INT64_MAX, false, take_keys, &k);
	assert_int_equal(k.events, 10);
	assert_int_equal(k.n, 1);
	assert_string_equal(k.text[0], "pair child");
	assert_true(!strncmp(k.text[1], root_prefix(), strlen(root_prefix())));
	assert_string_equal(k.text[1] + strlen(root_prefix()), "/etc/passwd");
	assert_string_equal(k.text[2], "pread64");
	assert_non_null(strstr(k.text[3], "test_pairs_kernel"));
	assert_string_equal(k.text[4], "");
	live_free(&l);
}

/* Both ends of every kind: a call's own latency in an end's condition, descriptors that are closed,
 * processes that are born and end. */
static void kinds(void *arg)
{
	(void)arg;
	sleeps(NULL);
	for (int i = 0; i < 10; i++) {
		int fd = open("/etc/passwd", O_RDONLY), status;
		pid_t child = fork();

		if (!child)
			_exit(3);
		waitpid(child, &status, 0);
		close(fd);
	}
}

static void other_ends(void **state)
{
	static const struct {
		const char *text;
		int want;
	} cases[] = {
		{"count of between openat and close on pid, fd where file = \"/etc/passwd\"", 10},
		{"count of between fork and exit on child = pid where ret > 0 and pid != child",
		 10},
		{"count of between (events of nanosleep where latency >= 3ms) and close on pid", 1},
		{"count of between (events of nanosleep where latency > 1h) and close on pid", 0},
		{"count of between open and (events of close where file = \"/etc/passwd\" and "
		 "latency < 1h) on tid, arg0 = arg0 where arg0 = 77",
		 0},
		{"count of between openat and (events of close where file = \"/etc/passwd\" and "
		 "latency < 1h) on tid",
		 10},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[1024];
		struct live l;

		live_run(&l, at_root(text, sizeof(text), cases[i].text), kinds, NULL);
		if (l.ledger.n[RN_L_MATCHED] != cases[i].want)
			fail_msg("%s: %lld, not %d", text, (long long)l.ledger.n[RN_L_MATCHED],
				 cases[i].want);
		live_free(&l);
	}
}

/* Two processes that wake each other up: as often as each sleeps it has waited for a CPU. */
enum { TURNS = 300 };
static void wakes(void *arg)
{
	int there[2], back[2];
	char c = 0;

	(void)arg;
	if (pipe(there) || pipe(back))
		_exit(1);
	if (!fork()) {
		for (int i = 0; i < TURNS; i++)
			if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < TURNS; i++) {
		usleep(100);
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			_exit(1);
	}
	wait(NULL);
}

static void time_on_the_run_queue(void **state)
{
	char text[256];
	struct live l, forked;
	int64_t least = INT64_MAX, most = 0;

	(void)state;

	live_fork(&forked, wakes, NULL);
	snprintf(text, sizeof(text),
		 "latency, comm, next_comm, prev_pid of between sched_wakeup and sched_switch on "
		 "pid = next_pid where pid = %d",
		 (int)forked.pid);
	live_plan(&l, text, NULL);
	live_start(&l); /* the scope is everybody: who wakes may be an interrupt */
	l.pid = forked.pid;
	l.go = forked.go;
	live_go(&l);
	live_end(&l);
	for (unsigned i = 0; i < l.nrows; i++) {
		int64_t ns = cell(&l, i, 0)->i;

		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
		/* who was woken is who came */
		assert_int_equal(cell(&l, i, 1)->len, cell(&l, i, 2)->len);
	}
	print_message("%u times on the run queue, %lld to %lld ns\n", l.nrows, (long long)least,
		      (long long)most);
	assert_true(l.nrows >= TURNS); /* it sleeps in usleep each time */
	assert_true(least >= 0 && most < 60000 * MS);
	live_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_sleep_is_a_pair),
					   cmocka_unit_test(sleeps_agree_with_the_call),
					   cmocka_unit_test(each_end_is_accounted_for),
					   cmocka_unit_test(from_one_to_the_next),
					   cmocka_unit_test(what_is_forgotten_is_counted),
					   cmocka_unit_test(crowds_are_kept_apart),
					   cmocka_unit_test(what_is_kept_is_as_it_was),
					   cmocka_unit_test(what_is_kept_makes_keys),
					   cmocka_unit_test(other_ends),
					   cmocka_unit_test(time_on_the_run_queue)};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
