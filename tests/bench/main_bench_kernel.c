/* main_bench_kernel.c - what stays in the kernel: `make bench-kernel` runs this and prints tables.
 *
 *     bench_kernel RUNNEL [ROUNDS [CALLS [WORD]]]   WORD: only queries with it in their text
 *
 * A worker makes calls; a query counts them. For each query it prints the ns that it adds to a
 * call, and the rows that leave the kernel, beside an empty program on the same hooks and beside
 * bpftrace. RUNNEL_BEFORE=PROGRAM: beside another version, too. All of these take turns.
 *
 * 1. Twelve queries of which every event left the kernel as a row before.
 * 2. Rows that leave the kernel now as before, where it tests each of them now and all pass: the
 *    test is a loss.
 * 3. Words that the kernel computed before, too, beside bpftrace.
 * 4. Queries that were counted in the kernel before: they must not be slower. The programs that
 *    both versions generate are compared, too.
 *
 * Times are CPU time of the caller in its quiet moments (10th percentile over chunks of calls),
 * less that of the calls just before or just after the query. The tracer's own process is
 * measured apart. Rows are counted by what the kernel has put into the ring buffer,
 * and by the rows for which it had no room. Any version shows both, so none of them needs a counter
 * for this. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/bench/bench.h"
#include "tests/bench/tracer.h"

enum {
	MAX_ROUNDS = 51,
	MAX_RESULTS = 3 * MAX_ROUNDS,
	CHUNK = 200,
	MAX_CHUNKS = 4096,
	MANY = 100,
	FEW_CALLS = 1000
};
enum call { PREAD, RECV };

/* ---- the worker: a process of its own that makes calls and says how long they took ---- */

static struct worker {
	int to, from; /* jobs, and the ns of a call */
	pid_t pid;
} worker;
struct job {
	enum call call;
	long calls;
};
/* descriptors of the worker, among those of the query for `fd in` */
enum { FILE_FD = 50, SOCKET_FD = 51, PORT = 9 };

static void make(enum call call, long calls)
{
	char c;

	if (call == PREAD)
		for (long i = 0; i < calls; i++)
			(void)!pread(FILE_FD, &c, 1, 0);
	else /* nothing is there: the call fails at once */
		for (long i = 0; i < calls; i++)
			recvfrom(SOCKET_FD, &c, 1, MSG_DONTWAIT, NULL, NULL);
}
static long chunks_of(long calls)
{
	return calls < CHUNK ? 1 : calls / CHUNK > MAX_CHUNKS ? MAX_CHUNKS : calls / CHUNK;
}
static double quiet(const struct job *j)
{
	static double ns[MAX_CHUNKS];
	long n = chunks_of(j->calls);

	for (long c = 0; c < n; c++) {
		double t0 = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

		make(j->call, CHUNK);
		ns[c] = (bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t0) / CHUNK;
	}
	qsort(ns, n, sizeof(*ns), bench_by_value);
	return ns[n / 10];
}
static char dir[] = "/tmp/bench_XXXXXX", file[sizeof(dir) + 16];

/* A file with a name that has an end, for keys and conditions on names, and a socket with a peer.
 */
static void open_things(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(PORT),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int f, s;

	if (!mkdtemp(dir))
		fail(dir, "cannot be made");
	snprintf(file, sizeof(file), "%s/some.log", dir);
	f = open(file, O_RDWR | O_CREAT, 0600);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	if (f < 0 || write(f, "x", 1) != 1 || dup2(f, FILE_FD) < 0)
		fail(file, "cannot be made");
	if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof(to)) || dup2(s, SOCKET_FD) < 0)
		fail("socket", "cannot be made");
	close(f);
	close(s);
}
static void work(int jobs, int results)
{
	struct job j;

	prctl(PR_SET_NAME, "Bench");
	open_things();
	bench_pin(1);
	while (read(jobs, &j, sizeof(j)) == sizeof(j)) {
		double ns = quiet(&j);

		if (write(results, &ns, sizeof(ns)) != sizeof(ns))
			break;
	}
	unlink(file);
	rmdir(dir);
	_exit(0);
}
static void start_worker(void)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		fail("pipe", "cannot be made");
	worker = (struct worker){to[1], from[0], fork()};
	if (!worker.pid) {
		close(to[1]);
		work(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
}
static double some_calls(enum call call, long calls)
{
	struct job j = {call, calls};
	double ns;

	if (write(worker.to, &j, sizeof(j)) != sizeof(j) ||
	    read(worker.from, &ns, sizeof(ns)) != sizeof(ns))
		fail("worker", "has ended");
	return ns;
}

/* In two halves, of which the quicker one counts: what else runs only ever makes one slower. */
static double per_call(enum call call, long calls)
{
	double a = some_calls(call, calls / 2), b = some_calls(call, calls / 2);

	return a < b ? a : b;
}

/* ---- what is asked ---- */

/* In texts, FDS is a list of numbers with the descriptors of the worker, NAMES one of names with
 * its own. FDMAP and NAMEMAP fill the same into bpftrace's map @s. */
#define FILE_OF \
	"$t = (struct task_struct *)curtask; " \
	"$f = (struct file *)*($t->files->fdt->fd + args->fd); "
#define EXIT "tracepoint:syscalls:sys_exit_pread64 "
#define ENTER "tracepoint:syscalls:sys_enter_pread64 "

enum part { KEPT, PASSED, WORDS, COUNTED, PARTS };
static const struct question {
	enum part part;
	enum call call;
	const char *query;
	bool none;                  /* no call passes the condition */
	const char *peer, *nearest; /* of bpftrace; nearest: what it does instead */
} questions[] = {
	{KEPT, PREAD, "count of pread64 by user", false, EXIT "{ @[uid] = count(); }",
	 "by the number of the user"},
	{KEPT, PREAD, "count of pread64 by cgroup", false, EXIT "{ @[cgroup] = count(); }",
	 "by the number of the cgroup"},
	{KEPT, PREAD, "count of pread64 by lower(proc)", false, EXIT "{ @[comm] = count(); }",
	 "by the name of the thread as it is"},
	{KEPT, PREAD, "count of pread64 by basename(file)", false,
	 ENTER "{ " FILE_OF "@[str($f->f_path.dentry->d_name.name)] = count(); }", NULL},
	{KEPT, PREAD, "count of pread64 by ext(file)", false,
	 ENTER "{ " FILE_OF "@[str($f->f_path.dentry->d_name.name)] = count(); }",
	 "by the last component of the path"},
	{KEPT, RECV, "count of recvfrom by port(peer)", false,
	 "tracepoint:syscalls:sys_enter_recvfrom { " FILE_OF
	 "@[((struct socket *)$f->private_data)->sk->__sk_common.skc_dport] = count(); }",
	 NULL},
	{KEPT, PREAD, "count of pread64 where user = root", false,
	 EXIT "/uid == 0/ { @ = count(); }", "the number of the user"},
	{KEPT, PREAD, "count of pread64 where cgroup ~ \"*\"", false,
	 EXIT "/cgroup != 0/ { @ = count(); }", "the number of the cgroup is not 0"},
	{KEPT, PREAD, "count of pread64 where container = nosuch", true,
	 EXIT "/cgroup == 2/ { @ = count(); }", "the number of a cgroup"},
	{KEPT, PREAD, "count of pread64 where fd in (FDS)", false,
	 "BEGIN { FDMAP } " ENTER "/@s[args->fd]/ { @ = count(); }", NULL},
	{KEPT, PREAD, "count of pread64 where proc in (NAMES)", false,
	 "BEGIN { NAMEMAP } " EXIT "/@s[comm]/ { @ = count(); }", "the name of the thread"},
	{KEPT, PREAD, "count of pread64 where file =~ \"^/etc/.*x\"", true,
	 ENTER "{ " FILE_OF "if (strncmp(str($f->f_path.dentry->d_parent->d_name.name), "
	       "\"etc\", 4) == 0) { @ = count(); } }",
	 "the directory's name is etc"},
	{PASSED, PREAD, "count of pread64 where file =~ \"^/tmp/.*log$\"", false, NULL, NULL},
	{PASSED, PREAD, "bytes of pread64 where user = root", false, NULL, NULL},
	{PASSED, PREAD, "bytes of pread64 where fd in (FDS)", false, NULL, NULL},
	{WORDS, PREAD, "count of pread64 where startswith(file, \"/etc\")", true,
	 ENTER "{ " FILE_OF "if (strncmp(str($f->f_path.dentry->d_parent->d_name.name), "
	       "\"etc\", 4) == 0) { @ = count(); } }",
	 "the directory's name is etc"},
	{WORDS, PREAD, "count of pread64 where contains(file, \"nosuch\")", true,
	 ENTER "{ " FILE_OF "if (strncmp(str($f->f_path.dentry->d_name.name), "
	       "\"nosuch\", 6) == 0) { @ = count(); } }",
	 "the last component begins so"},
	{WORDS, PREAD, "count of pread64 where arg2 & 3 != 0", false,
	 ENTER "/args->count & 3/ { @ = count(); }", NULL},
	{WORDS, PREAD, "sum(if(bytes > 1KiB, 1, 0)) of pread64", false,
	 EXIT "{ @ = sum(args->ret > 1024 ? 1 : 0); }", NULL},
	{COUNTED, PREAD, "count of read", false, NULL, NULL},
	{COUNTED, PREAD, "count, sum(bytes) of read by proc", false, NULL, NULL},
	{COUNTED, PREAD, "p99(latency) of read by file", false, NULL, NULL},
	{COUNTED, PREAD, "count of read where bytes > 1KiB", true, NULL, NULL},
	{COUNTED, PREAD, "hist(latency) of read by name", false, NULL, NULL},
};
enum { NQUESTIONS = sizeof(questions) / sizeof(*questions) };
enum who { EMPTY, NOW, BEFORE, PEER, NWHO };

/* The text with its lists filled in; the caller frees it. */
static char *filled(const char *text)
{
	static const char *const words[] = {"FDS", "NAMES", "FDMAP", "NAMEMAP"};
	char *out = NULL;
	size_t len;
	FILE *to = open_memstream(&out, &len);

	if (!to)
		abort();
	while (*text) {
		unsigned w = 0;

		while (w < 4 && (strncmp(text, words[w], strlen(words[w]))))
			w++;
		if (w == 4) {
			putc(*text++, to);
			continue;
		}
		text += strlen(words[w]);
		for (int i = 0; i < MANY; i++)
			if (w == 0)
				fprintf(to, "%s%d", i ? ", " : "", i + 3);
			else if (w == 1)
				fprintf(to, "%sn%d", i ? ", " : "Bench, ", i);
			else if (w == 2)
				fprintf(to, "@s[%d] = 1; ", i + 3);
			else
				fprintf(to, "%s@s[\"n%d\"] = 1; ", i ? "" : "@s[\"Bench\"] = 1; ",
					i);
	}
	if (fclose(to))
		abort();
	return out;
}

/* ---- one measurement ---- */

struct cost {
	double ns;   /* of a call, to the caller */
	double own;  /* of a call, to the tracer's process */
	double rows; /* rows that left the kernel, or found no room in the ring */
};
static struct hook hooks[MAX_HOOKS];
static unsigned nhooks;
static double bare[2][MAX_RESULTS * NQUESTIONS * NWHO];
static unsigned nbare[2];

/* A measurement makes so many: two halves that warm up, and two that count. */
static long all_calls(long calls)
{
	return 2 * CHUNK *
	       (chunks_of(FEW_CALLS / 2) + chunks_of(calls / 20) + chunks_of(calls / 2));
}

/* learn: keeps its hooks, for the empty program. */
static struct cost run_ours(const char *program, const struct question *q, const char *query,
			    long calls, bool learn)
{
	const char *argv[] = {program, "-v", "-o", "json", query, NULL};
	struct tracer t;
	struct cost c = {0};
	long made = all_calls(calls);
	long seen = 0, matched = 0, lost = 0;
	double own;

	if (!start(&t, argv, "attached"))
		fail(query, t.said);
	if (learn)
		nhooks = hooks_of(t.pid, hooks);
	find_ring(&t);
	own = own_cpu(t.pid);
	per_call(q->call, FEW_CALLS);
	records(&t); /* the first one is still there */
	per_call(q->call, calls / 10);
	c.ns = per_call(q->call, calls);
	c.rows = (double)records(&t);
	/* until it has read all; other calls of the machine do not end */
	for (uint64_t until = put(&t); taken(&t) < until;)
		usleep(1000);
	c.own = (own_cpu(t.pid) - own) / (double)made;
	stop(&t, SIGINT);
	if (!item(t.said, "\"seen\":", " %ld", &seen) ||
	    !item(t.said, "\"matched\":", " %ld", &matched) ||
	    !item(t.said, "\"lost_ring\":", " %ld", &lost))
		fail(query, t.said);
	/* it must be the query that was meant */
	if (seen < made || (q->none ? matched > made / 2 : matched + lost < made)) {
		fprintf(stderr, "%ld calls, %ld seen, %ld matched\n", made, seen, matched);
		fail(query, "counts what was not made");
	}
	c.rows += (double)lost;
	forget(&t);
	return c;
}
/* bpftrace wants tracefs mounted: it has a mount namespace of its own. */
static struct cost run_bpftrace(const struct question *q, const char *text, long calls)
{
	const char *argv[] = {
		"unshare",
		"-m",
		"sh",
		"-c",
		"mount -t tracefs t /sys/kernel/tracing 2>/dev/null; mount -t debugfs "
		"d /sys/kernel/debug 2>/dev/null; exec bpftrace -B none -e \"$0\"",
		text,
		NULL};
	struct tracer t;
	struct cost c = {.ns = NAN};
	bool ran = start(&t, argv, "Attaching");

	if (ran) {
		usleep(300000);
		per_call(q->call, calls / 10);
		c.ns = per_call(q->call, calls);
	}
	stop(&t, SIGKILL);
	forget(&t);
	return c;
}
static struct cost run_empty(const struct question *q, long calls)
{
	int links[MAX_HOOKS];
	struct cost c;

	for (unsigned i = 0; i < nhooks; i++)
		if ((links[i] = attach_empty(&hooks[i])) < 0)
			fail(hooks[i].name, "takes no empty program");
	per_call(q->call, calls / 10);
	c = (struct cost){.ns = per_call(q->call, calls)};
	for (unsigned i = 0; i < nhooks; i++)
		close(links[i]);
	return c;
}
/* What it adds to a call, by the calls just before or just after it, which were quicker: other
 * tracers of the machine come and go. NAN: it does not run here. */
static struct cost measure(const struct question *q, enum who who, const char *program, long calls)
{
	double without = per_call(q->call, calls / 2), after;
	char *text = filled(who == PEER ? q->peer : q->query);
	struct cost c = who == EMPTY  ? run_empty(q, calls)
			: who == PEER ? run_bpftrace(q, text, calls)
				      : run_ours(program, q, text, calls, who == NOW);

	free(text);
	after = per_call(q->call, calls / 2);
	without = after < without ? after : without;
	bare[q->call][nbare[q->call]++] = without;
	c.ns -= without;
	return c;
}

/* ---- all of them, in turns, and the tables ---- */

/* A difference of few ns is to be seen for those that were counted in the kernel before. */
static const unsigned times[PARTS] = {1, 1, 3, 3}; /* of a round */
static struct result {
	double ns[MAX_RESULTS], own[MAX_RESULTS], rows[MAX_RESULTS];
	unsigned n;
} results[NQUESTIONS][NWHO];
static const char *programs[NWHO];
static const char *only;

static bool runs(const struct question *q, enum who who)
{
	if (only && !strstr(q->query, only))
		return false;
	return who == PEER ? q->peer != NULL : who != BEFORE || programs[BEFORE];
}
static void ask(unsigned i, unsigned turn, long calls)
{
	/* the empty program has the hooks that ours had before it */
	static const enum who orders[2][NWHO] = {{NOW, EMPTY, BEFORE, PEER},
						 {BEFORE, PEER, NOW, EMPTY}};

	for (unsigned k = 0; k < NWHO; k++) {
		enum who who = orders[turn % 2][k];
		struct result *r = &results[i][who];
		struct cost c;

		if (!runs(&questions[i], who))
			continue;
		c = measure(&questions[i], who, programs[who], calls);
		r->ns[r->n] = c.ns;
		r->own[r->n] = c.own;
		r->rows[r->n++] = c.rows;
	}
}
static void ask_all(unsigned rounds, long calls)
{
	for (unsigned r = 0; r < rounds; r++)
		for (unsigned i = 0; i < NQUESTIONS; i++)
			for (unsigned k = 0; k < times[questions[i].part]; k++) {
				fprintf(stderr, "\rround %u/%u: %-50.50s", r + 1, rounds,
					questions[i].query);
				ask(i, r + k, calls);
			}
	fprintf(stderr, "\r%70s\r", "");
}

static double added(unsigned i, enum who who)
{
	return bench_median(results[i][who].ns, results[i][who].n);
}
static void show_cost(unsigned i, enum who who)
{
	const struct result *r = &results[i][who];
	double m;

	if (!r->n) {
		printf(" |");
		return;
	}
	m = added(i, who); /* sorts them */
	if (isnan(m))
		printf(" not here |");
	else
		printf(" %.0f (%.0f to %.0f) |", m, r->ns[0], r->ns[r->n - 1]);
}
static void show_number(double *of, unsigned n)
{
	if (n)
		printf(" %.0f |", bench_median(of, n));
	else
		printf(" |");
}
static void show_ratio(unsigned i, enum who a, enum who b)
{
	if (results[i][a].n && results[i][b].n)
		printf(" %.2f |", added(i, a) / added(i, b));
	else
		printf(" |");
}
static void show_beside_bpftrace(unsigned i)
{
	struct result *now = &results[i][NOW], *before = &results[i][BEFORE];

	for (enum who who = 0; who < NWHO; who++)
		show_cost(i, who);
	show_ratio(i, NOW, PEER);
	show_ratio(i, NOW, BEFORE);
	show_number(now->own, now->n);
	show_number(before->own, before->n);
	show_number(now->rows, now->n);
	show_number(before->rows, before->n);
}
/* Instructions that a version generates for the query; *text: all of them, without comments. */
static unsigned program_of(const char *program, const char *query, char **text)
{
	char line[512], *command = NULL;
	size_t len;
	unsigned n = 0;
	FILE *to = open_memstream(text, &len), *from;

	if (!to || asprintf(&command, "'%s' -q --dump=bpf '%s'", program, query) < 0 ||
	    !(from = popen(command, "r")))
		abort();
	while (fgets(line, sizeof(line), from))
		if (line[strspn(line, " \t")] != ';') {
			fputs(line, to);
			n += *line == '\t';
		}
	if (pclose(from) || fclose(to))
		fail(command, "has failed");
	free(command);
	return n;
}
/* The program in the kernel varies in no run: if it is the same, so is the cost of a call. */
static void show_programs(unsigned i)
{
	char *now, *before;
	unsigned n = program_of(programs[NOW], questions[i].query, &now);
	unsigned b = program_of(programs[BEFORE], questions[i].query, &before);

	if (strcmp(now, before) == 0)
		printf(" the same %u |", n);
	else
		printf(" %u, before %u |", n, b);
	free(now);
	free(before);
}
/* No slower than before: at most 3 % or 5 ns. */
static void show_beside_before(unsigned i)
{
	double now = added(i, NOW), before;

	for (enum who who = 0; who < PEER; who++)
		show_cost(i, who);
	if (!results[i][BEFORE].n) {
		printf(" | | | |");
		return;
	}
	before = added(i, BEFORE);
	printf(" %+.1f | %.2f | %s |", now - before, now / before,
	       now <= before + 5 || now <= before * 1.03 ? "yes" : "no");
	show_programs(i);
}
/* Two tables show the queries that the kernel computed before. */
static bool shown(unsigned i, enum part part)
{
	return (questions[i].part == part || (part == COUNTED && questions[i].part == WORDS)) &&
	       runs(&questions[i], NOW);
}
static void show_nearest(enum part part)
{
	bool any = false;

	for (unsigned i = 0; i < NQUESTIONS; i++) {
		if (!shown(i, part) || !questions[i].nearest || part == COUNTED)
			continue;
		printf("%s`%s`: %s",
		       any ? "; " : "\nWhat bpftrace does instead, where it cannot do the same: ",
		       questions[i].query, questions[i].nearest);
		any = true;
	}
	printf(any ? "\n" : "");
}
static void show_part(enum part part, long calls)
{
	static const char *const titles[PARTS] = {
		"Every event left the kernel as a row before.",
		"Rows as before, of which the kernel now tests each.",
		"Words that the kernel computed before, too.", "Counted in the kernel before."};
	bool any = false;

	for (unsigned i = 0; i < NQUESTIONS; i++) {
		if (!shown(i, part))
			continue;
		if (!any) {
			printf("\n%s\n\n| query | empty program | now | before |", titles[part]);
			printf(part == COUNTED
				       ? " difference | now / before | within 3 %% or 5 ns | "
					 "instructions |\n|---|---|---|---|---|---|---|---|\n"
				       : " bpftrace | now / bpftrace | now / before | reader now | "
					 "before | rows of %ld now | before |\n"
					 "|---|---|---|---|---|---|---|---|---|---|---|\n",
			       all_calls(calls));
		}
		any = true;
		printf("| `%s` |", questions[i].query);
		if (part == COUNTED)
			show_beside_before(i);
		else
			show_beside_bpftrace(i);
		printf("\n");
	}
	show_nearest(part);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 5;
	long calls = argc > 3 ? atol(argv[3]) : 100000;
	const char *before = getenv("RUNNEL_BEFORE");

	if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS || calls < FEW_CALLS) {
		fprintf(stderr, "usage: bench_kernel RUNNEL [ROUNDS [CALLS [WORD]]]\n");
		return 2;
	}
	only = argc > 4 ? argv[4] : NULL;
	programs[NOW] = argv[1];
	programs[BEFORE] = before && *before ? before : NULL;
	setenv("RUNNEL_CATALOG", "/nonexistent/catalog.db", 1); /* nobody's saved views */
	start_worker();
	bench_pin(0); /* tracers too: the worker has the other CPU */
	ask_all(rounds, calls);
	printf("Added to a call: ns of the caller, medians of %u rounds of %ld calls (least to "
	       "most)",
	       rounds, calls);
	for (unsigned c = 0; c < 2; c++)
		if (nbare[c])
			printf("; without a query a %s takes %.0f", c ? "recvfrom" : "pread64",
			       bench_median(bare[c], nbare[c]));
	printf(". Reader: ns of CPU that the tracer's process takes for a call. FDS: %d numbers, "
	       "NAMES: as many names, with the worker's.\n",
	       MANY);
	for (enum part part = 0; part < PARTS; part++)
		show_part(part, calls);
	close(worker.to);
	waitpid(worker.pid, NULL, 0);
	return 0;
}
