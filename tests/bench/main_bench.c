/* main_bench.c - what a query costs: `make bench` runs this and prints a table.
 *
 *     bench [ROUNDS [CALLS [WORD]]]    WORD: only variants with it in their name, and no other part
 *
 * 1. Added ns per getppid for each variant, against the calls just before and after it. It is CPU
 *    time of the caller in its quiet moments (10th percentile over chunks of a thousand calls), so
 *    that what else runs counts little. The variants take turns; medians over rounds, and least to
 *    most. Then the ratio to bpftrace in the same run. The kernel also measures
 *    how long our programs run in a call, which varies least.
 * 2. The same for several queries of one process (WORD: several).
 * 3. From query text to attached, in ms.
 * 4. Rows through the ring buffer at a paced million events a second: how many arrived, how many
 *    were lost. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exec/node/agent.h"
#include "planner/plan/ledger.h"
#include "probes/probes.h"
#include "tests/bench/bench.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

/* ---- the worker: a process of its own that makes calls and says how long they took ---- */

enum { BATCH = 64, CHUNK = 1000, MAX_CHUNKS = 4096 };
struct job {
	long calls;
	double pace_ns;
}; /* pace 0: as fast as it goes */
/* of a call; instructions in the kernel, NAN where they cannot be counted; time within our
 * programs, by the kernel's own clock */
struct cost {
	double ns, insns, own_ns;
};
static int to_worker[2], from_worker[2];
static pid_t worker;

static int count_instructions(void)
{
	struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
				    .size = sizeof(a),
				    .config = PERF_COUNT_HW_INSTRUCTIONS,
				    .exclude_user = 1,
				    .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}
static double instructions(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : NAN;
}
/* A call in the quiet moments: the 10th percentile over chunks of calls, in CPU time. */
static struct cost quiet(int counter, long calls)
{
	static double ns[MAX_CHUNKS], insns[MAX_CHUNKS];
	long n = calls / CHUNK < 1 ? 1 : calls / CHUNK > MAX_CHUNKS ? MAX_CHUNKS : calls / CHUNK;

	for (long c = 0; c < n; c++) {
		double i0 = instructions(counter), t0 = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

		for (long i = 0; i < CHUNK; i++)
			syscall(SYS_getppid);
		ns[c] = (bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t0) / CHUNK;
		insns[c] = (instructions(counter) - i0) / CHUNK;
	}
	qsort(ns, n, sizeof(*ns), bench_by_value);
	qsort(insns, n, sizeof(*insns), bench_by_value);
	return (struct cost){ns[n / 10], insns[n / 10]};
}
/* Real time of all calls, one each pace_ns; the clock is read for a batch only: each time would
 * itself be too slow. */
static double paced(long calls, double pace_ns)
{
	double t0 = bench_clock_ns(CLOCK_MONOTONIC);

	for (long i = 0; i < calls; i++) {
		syscall(SYS_getppid);
		if (i % BATCH == 0)
			while (bench_clock_ns(CLOCK_MONOTONIC) - t0 < i * pace_ns)
				;
	}
	return bench_clock_ns(CLOCK_MONOTONIC) - t0;
}
static void work(void)
{
	struct job j;
	int counter = count_instructions();

	bench_pin(1);
	while (read(to_worker[0], &j, sizeof(j)) == sizeof(j)) {
		struct cost c = {0};

		if (j.pace_ns > 0)
			c.ns = paced(j.calls, j.pace_ns);
		else
			c = quiet(counter, j.calls);
		if (write(from_worker[1], &c, sizeof(c)) != sizeof(c))
			break;
	}
	_exit(0);
}
static void start_worker(void)
{
	if (pipe(to_worker) || pipe(from_worker))
		exit(1);
	worker = fork();
	if (!worker) {
		close(to_worker[1]);
		work();
	}
	close(to_worker[0]);
}
static void begin_job(long calls, double pace_ns)
{
	struct job j = {calls, pace_ns};

	if (write(to_worker[1], &j, sizeof(j)) != sizeof(j))
		exit(1);
}
static struct cost end_job(void)
{
	struct cost c;

	if (read(from_worker[0], &c, sizeof(c)) != sizeof(c))
		exit(1);
	return c;
}

/* ---- a query of ours, attached ---- */

struct live {
	struct rn_arena *a;
	struct rn_plan *plan;
	struct rn_provider *provider;
	struct rn_agent *agent;
	struct rn_ledger ledger;
	struct rn_sink sink;
	int64_t rows;
};
static const struct rn_catalog *catalog;
static struct rn_shared *shared_by; /* of the queries attached from now on; NULL: each by itself */

static int take_rows(void *self, const struct rn_rows *r)
{
	((struct live *)self)->rows += r->nrows;
	return 0;
}
static int take_partials(void *self, const struct rn_partials *p)
{
	(void)self, (void)p;
	return 0;
}
static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}
static void attach(struct live *l, const char *query)
{
	struct rn_err err = {0};
	struct rn_diag *d;
	struct rn_ast_file *f;
	struct rn_names names;

	*l = (struct live){.a = rn_arena_create(RN_ARENA_CAP)};
	d = rn_diag_new(l->a);
	f = rn_parse(l->a, d, rn_diag_source(d, "query", query, strlen(query)));
	names = (struct rn_names){.catalog = catalog};
	if (!rn_diag_errors(d) && rn_resolve(l->a, d, f->stmts->query, &names))
		l->plan =
			rn_plan_query(l->a, d, f->stmts->query, &names, &(struct rn_plan_opts){0});
	if (!l->plan)
		fail(query, rn_diag_render(d, l->a, false));
	l->provider = rn_probes_provider("bench", shared_by);
	l->sink = (struct rn_sink){.self = l, .rows = take_rows, .partials = take_partials};
	if (rn_agent_open("bench", l->provider, &l->plan->frag, NULL, NULL, &l->sink, &l->agent,
			  &err) ||
	    rn_agent_start(l->agent, &err))
		fail(query, err.text);
}
static void detach(struct live *l)
{
	struct rn_err err = {0};

	if (rn_agent_finish(l->agent, &l->ledger, &err) < 0)
		fail("finish", err.text);
	rn_agent_close(l->agent);
	rn_probes_provider_free(l->provider);
	rn_arena_destroy(l->a);
}

/* ---- variants ---- */

enum kind { EMPTY, OURS, BPFTRACE };
static const struct variant {
	const char *name;
	enum kind kind;
	const char *text;
	int versus;
} variants[] = {
	{"empty program on sys_exit", EMPTY, "", -1},
	{"count of syscall by proc", OURS, "count of syscall by proc", 4},
	{"... where proc = nosuch", OURS, "count of syscall where proc = nosuch by proc", 5},
	{"p99(latency) of syscall by proc", OURS, "p99(latency) of syscall by proc", 6},
	{"bpftrace: count by comm", BPFTRACE,
	 "tracepoint:raw_syscalls:sys_exit { @[comm] = count(); }", -1},
	{"bpftrace: no match", BPFTRACE,
	 "tracepoint:raw_syscalls:sys_exit /comm == \"nosuch\"/ { @[comm] = count(); }", -1},
	{"bpftrace: hist of latency", BPFTRACE,
	 "tracepoint:raw_syscalls:sys_enter { @s[tid] = nsecs; } "
	 "tracepoint:raw_syscalls:sys_exit /@s[tid]/ { @[comm] = hist(nsecs - @s[tid]); "
	 "delete(@s[tid]); }",
	 -1},
	{"hist(latency) of a pair by proc", OURS,
	 "hist(latency) of between tracepoint \"syscalls:sys_enter_getppid\" and "
	 "tracepoint \"syscalls:sys_exit_getppid\" on tid by proc",
	 8},
	{"bpftrace: hist of a pair", BPFTRACE,
	 "tracepoint:syscalls:sys_enter_getppid { @s[tid] = nsecs; } "
	 "tracepoint:syscalls:sys_exit_getppid /@s[tid]/ { @[comm] = hist(nsecs - @s[tid]); "
	 "delete(@s[tid]); }",
	 -1},
	{"count of read by proc: other calls", OURS, "count of read by proc", -1},
};
enum { NVAR = sizeof(variants) / sizeof(*variants), MAX_ROUNDS = 51 };

static int attach_empty(void)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = libbpf_find_vmlinux_btf_id("sys_exit", BPF_TRACE_RAW_TP));
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "empty", "GPL", code, 2, &o);
	int link = bpf_raw_tracepoint_open(NULL, fd);

	close(fd);
	return link;
}
static struct cost per_call(long calls)
{
	begin_job(calls, 0);
	return end_job();
}
/* bpftrace wants tracefs mounted: give it a mount namespace of its own. */
static pid_t start_bpftrace(const char *text)
{
	int p[2];
	char ready[4096];
	pid_t pid;
	size_t have;

	if (pipe(p))
		exit(1);
	pid = fork();
	if (!pid) {
		dup2(p[1], 1), dup2(p[1], 2);
		execlp("unshare", "unshare", "-m", "sh", "-c",
		       "mount -t tracefs t /sys/kernel/tracing 2>/dev/null; mount -t debugfs d "
		       "/sys/kernel/debug 2>/dev/null; exec bpftrace -B none -e \"$0\"",
		       text, NULL);
		_exit(127);
	}
	close(p[1]);
	have = 0;
	ready[0] = 0;
	while (have < sizeof(ready) - 1 && !strstr(ready, "Attach")) {
		ssize_t n = read(p[0], ready + have, sizeof(ready) - 1 - have);

		if (n <= 0)
			break;
		ready[have += n] = 0;
	}
	if (!strstr(ready, "Attach")) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	usleep(300000);
	return pid;
}
static const char *only;
static bool wanted(unsigned v)
{
	return !only || v < 1 || strstr(variants[v].name, only);
}
/* Run time of our programs, those named as ours, so far. */
static double run_ns(void)
{
	double sum = 0;

	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);) {
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) &&
		    (!strncmp(info.name, "rn_", 3) || !strcmp(info.name, "empty")))
			sum += (double)info.run_time_ns;
		close(fd);
	}
	return sum;
}

/* What our programs take of a call. The kernel reads the clock before and after each, which is a
 * part of it. */
static double own_ns(long calls)
{
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	double before = run_ns();

	if (stats < 0)
		return NAN;
	per_call(calls);
	before = run_ns() - before;
	close(stats);
	return before / (double)calls;
}

/* What v adds to a call, by the calls just before and just after it: other tracers of the machine
 * come and go. NAN: v does not run. */
static struct cost measure(const struct variant *v, long calls, struct cost *bare)
{
	struct cost before = per_call(calls / 2), with, after;
	struct live l;
	int link = -1;
	pid_t pid = -1;

	if (v->kind == EMPTY && (link = attach_empty()) < 0)
		fail(v->name, "cannot attach");
	if (v->kind == OURS)
		attach(&l, v->text);
	if (v->kind == BPFTRACE && (pid = start_bpftrace(v->text)) < 0)
		return (struct cost){NAN, NAN, NAN};
	per_call(calls / 10);
	with = per_call(calls);
	with.own_ns = v->kind == BPFTRACE ? NAN : own_ns(calls);
	if (link >= 0)
		close(link);
	if (v->kind == OURS)
		detach(&l);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	after = per_call(calls / 2);
	*bare = (struct cost){(before.ns + after.ns) / 2, (before.insns + after.insns) / 2};
	return (struct cost){with.ns - bare->ns, with.insns - bare->insns, with.own_ns};
}

static void bench_calls(unsigned rounds, long calls)
{
	static double took[NVAR][MAX_ROUNDS], insns[NVAR][MAX_ROUNDS], own[NVAR][MAX_ROUNDS],
		bare[MAX_ROUNDS];
	double mid[NVAR];
	struct cost b = {0}, c;

	for (unsigned r = 0; r < rounds; r++)
		for (unsigned i = 0; i < NVAR; i++) {
			unsigned v = (i + r) % NVAR;

			if (!wanted(v))
				continue;
			fprintf(stderr, "\rround %u/%u: %-40s", r + 1, rounds, variants[v].name);
			c = measure(&variants[v], calls, &b);
			took[v][r] = c.ns, insns[v][r] = c.insns, bare[r] = b.ns;
			own[v][r] = c.own_ns;
		}
	fprintf(stderr, "\r%60s\r", "");
	for (unsigned v = 0; v < NVAR; v++)
		mid[v] = bench_median(took[v], rounds); /* sorts them */
	printf("added to a getppid: ns, median of %u rounds of %ld calls (least to most); "
	       "instructions; ns within our programs, with the clock's; bare call %.0f ns\n\n",
	       rounds, calls, bench_median(bare, rounds));
	for (unsigned v = 0; v < NVAR; v++) {
		int w;

		if (!wanted(v))
			continue;
		if (isnan(mid[v])) {
			printf("  %-36s not available here\n", variants[v].name);
			continue;
		}
		printf("  %-36s %7.1f  (%.0f to %.0f) %5.0f %5.0f", variants[v].name, mid[v],
		       took[v][0], took[v][rounds - 1], bench_median(insns[v], rounds),
		       bench_median(own[v], rounds));
		w = variants[v].versus;
		if (w >= 0)
			printf("   %+.1f over the empty program", mid[v] - mid[0]);
		if (w >= 0 && wanted(w) && !isnan(mid[w]))
			printf(", %.2f of bpftrace", mid[v] / mid[w]);
		printf("\n");
	}
}

/* Several queries of one process: what they add to a call together. */
static struct cost measure_several(const char *text, unsigned n, long calls)
{
	struct cost before = per_call(calls / 2), with, after;
	struct live l[4];

	for (unsigned i = 0; i < n; i++)
		attach(&l[i], text);
	per_call(calls / 10);
	with = per_call(calls);
	for (unsigned i = n; i-- > 0;)
		detach(&l[i]);
	after = per_call(calls / 2);
	return (struct cost){with.ns - (before.ns + after.ns) / 2, NAN, NAN};
}

static void bench_several(unsigned rounds, long calls)
{
	static const char *const queries[] = {"count of read by proc", "count of syscall by proc",
					      "p99(latency) of syscall by proc",
					      "count of syscall where proc = nosuch by proc"};
	static const unsigned how_many[] = {1, 2, 4};
	struct rn_shared *shared = rn_shared_create();

	printf("\nadded to a getppid by 1, 2 and 4 queries of one process (ns, median of %u): "
	       "each attached by itself, then as a chain\n\n",
	       rounds);
	for (unsigned q = 0; q < sizeof(queries) / sizeof(*queries); q++) {
		double t[2][3][MAX_ROUNDS];

		for (unsigned r = 0; r < rounds; r++)
			for (unsigned i = 0; i < 6; i++) {
				unsigned k = (i + r) % 6;

				shared_by = k / 3 ? shared : NULL;
				t[k / 3][k % 3][r] =
					measure_several(queries[q], how_many[k % 3], calls).ns;
			}
		printf("  %-46s", queries[q]);
		for (unsigned k = 0; k < 6; k++)
			printf("%s %6.1f", k == 3 ? "  |" : "",
			       bench_median(t[k / 3][k % 3], rounds));
		printf("\n");
	}
	shared_by = NULL;
	rn_shared_destroy(shared);
}

static void bench_attach(unsigned rounds)
{
	static const char *const queries[] = {
		"count of syscall by proc", "p99(latency), sum(bytes) of read by proc",
		"sum(bytes) of io by proc, file", "events of tag fix283"};

	printf("\nfrom query text to attached (median of %u)\n\n", rounds);
	for (unsigned q = 0; q < sizeof(queries) / sizeof(*queries); q++) {
		double t[MAX_ROUNDS];
		double first;

		for (unsigned r = 0; r < rounds; r++) {
			struct live l;
			double t0 = bench_clock_ns(CLOCK_MONOTONIC);

			attach(&l, queries[q]);
			t[r] = (bench_clock_ns(CLOCK_MONOTONIC) - t0) / 1e6;
			detach(&l);
		}
		first = t[0];
		printf("  %-44s %7.1f ms (first %.1f)\n", queries[q], bench_median(t, rounds),
		       first);
	}
}

static void bench_ring(void)
{
	static const double paces[] = {1000, 500, 1};

	printf("\nrows through the ring buffer, two cores (proc, pid, ret of getppid)\n\n");
	for (unsigned i = 0; i < 3; i++) {
		struct live l;
		char query[128];
		struct rn_err err = {0};
		long calls;
		fd_set r;
		double took;
		struct rn_ledger *g;

		snprintf(query, sizeof(query), "proc, pid, ret of getppid where pid = %d", worker);
		bench_pin(0);
		attach(&l, query);
		calls = 3000000;
		begin_job(calls, paces[i]);
		for (;;) {
			rn_agent_step(l.agent, 1, &err);
			FD_ZERO(&r);
			FD_SET(from_worker[0], &r);
			if (select(from_worker[0] + 1, &r, NULL, NULL, &(struct timeval){0, 0}) > 0)
				break;
		}
		took = end_job().ns;
		g = &l.ledger;
		detach(&l);
		printf("  %4.2f M events/s: %ld made, %ld arrived, %ld lost\n", calls / took * 1e3,
		       calls, (long)l.rows, (long)g->n[RN_L_LOST_RING]);
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? atoi(argv[1]) : 7;
	long calls = argc > 2 ? atol(argv[2]) : 1000000;
	struct rn_err err = {0};
	struct rn_catalog *c;

	only = argc > 3 ? argv[3] : NULL;
	if (rounds < 1 || rounds > MAX_ROUNDS)
		rounds = 7;
	if (rn_probes_permitted(&err) < 0) {
		fprintf(stderr, "bench: %s\n%s\n", err.text, err.hint);
		return 4;
	}
	c = rn_probes_catalog(rn_agg_sigs);
	catalog = c;
	start_worker();
	bench_calls(rounds, calls);
	if (!only || strstr("several", only))
		bench_several(rounds, calls);
	if (!only) {
		bench_attach(rounds);
		bench_ring();
	}
	close(to_worker[1]);
	waitpid(worker, NULL, 0);
	rn_probes_catalog_free(c);
	return 0;
}
