/* main_bench_plan.c - how long a text of a hundred queries takes to be read and planned: `make
 * bench-plan` runs this.
 *
 *     bench_plan RUNNEL [ROUNDS]
 *
 * RUNNEL_BEFORE=PROGRAM: beside another version, in turns. The queries have words of 0.1.0 alone,
 * so that both know them.
 *
 * 1. The library beside the program (librunnel.so of the same folder) prepares each query, in this
 *    process. Both versions are loaded at once and take turns, query text by query text.
 * 2. The program reads the text as a file, plans it, and runs nothing: CPU time of the process,
 *    less that for a file of one query.
 *
 * Each round has 40 turns, and counts as the turn at its 10th percentile. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/bench/bench.h"
#include "repl/api/runnel.h"

enum { MAX_ROUNDS = 101, TURNS = 40, NQUERIES = 100, NWAYS = 2 };
enum version { NOW, BEFORE };

static const char *const texts[] = {
	"count of read where pid > %d by proc",
	"count, sum(bytes) of write where bytes > %d by proc top 10",
	"p99(latency) of read where ret != %d by file",
	"events of open where error = ENOENT and uid != %d limit 20",
	"hist(latency) of fsync where fd = %d by name",
	"time, proc, file of open where file ~ \"/etc/%d*\"",
	"count of syscall where pid = %d by name every 1s",
	"max(bytes) as most, count of read where fd > %d by proc, file having most > 1MiB",
	"count of syscall where arg0 = %d by basename(file)",
	"sum(bytes) of io where fd != %d by user",
	"count of connect where error != 0 and pid != %d by peer, proc",
	"p50(latency), p90(latency), p99(latency) of write where fd = %d by proc every 1s",
	"time, proc, pid, ret of fork where ppid = %d",
	"distinct(file) as files of open where pid = %d or proc in (cat, ls, make) by proc",
	"count of io where bytes > %dKiB and (file ~ \"*.log\" or file ~ \"/var/*\") by file top "
	"20",
	"max(latency), min(latency) of fsync where file =~ \"^/var/.*%d$\" by file",
	"count of send where port(peer) = %d by peer",
	"time, proc, bytes of read where bytes * 2 > %d and latency > 1ms limit 100",
	"count of tracepoint \"sched:sched_switch\" where prev_pid = %d by proc",
	"sum(bytes) of recv where user = root and pid != %d by container, ext(file)",
};
enum { NTEXTS = sizeof(texts) / sizeof(*texts) };
static char queries[NQUERIES][160];

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

/* ---- the library ---- */

struct library {
	struct runnel *(*open)(const struct runnel_options *options);
	struct runnel_query *(*query_new)(struct runnel *session, const char *text);
	int (*prepare)(struct runnel_query *query);
	const char *(*error_text)(const struct runnel_query *query);
	void (*query_free)(struct runnel_query *query);
	struct runnel *session;
};

/* False: there is no library beside the program. */
static bool load(struct library *l, const char *program)
{
	char path[4096];
	const char *slash = strrchr(program, '/');
	void *h;

	snprintf(path, sizeof(path), "%.*s/librunnel.so", slash ? (int)(slash - program) : 1,
		 slash ? program : ".");
	h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!h)
		return false;
	*(void **)&l->open = dlsym(h, "runnel_open");
	*(void **)&l->query_new = dlsym(h, "runnel_query_new");
	*(void **)&l->prepare = dlsym(h, "runnel_prepare");
	*(void **)&l->error_text = dlsym(h, "runnel_error_text");
	*(void **)&l->query_free = dlsym(h, "runnel_query_free");
	if (!l->open || !l->query_new || !l->prepare || !l->error_text || !l->query_free)
		fail(path, dlerror());
	l->session = l->open(NULL);
	return true;
}
/* Prepares all queries; us of CPU time. */
static double prepare_all(const struct library *l)
{
	double t0 = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < NQUERIES; i++) {
		struct runnel_query *q = l->query_new(l->session, queries[i]);

		if (!q || l->prepare(q) != RUNNEL_OK)
			fail(queries[i], q ? l->error_text(q) : "no memory");
		l->query_free(q);
	}
	return (bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - t0) / 1e3;
}

/* ---- the program ---- */

static char files[2][32] = {"/tmp/bench_one_XXXXXX", "/tmp/bench_all_XXXXXX"};

static void remove_files(void)
{
	for (unsigned f = 0; f < 2; f++)
		unlink(files[f]);
}
static void write_files(void)
{
	atexit(remove_files);
	for (unsigned f = 0; f < 2; f++) {
		int fd = mkstemp(files[f]);
		FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

		if (!to)
			fail(files[f], "cannot be made");
		for (unsigned i = 0; i < (f ? NQUERIES : 1); i++)
			fprintf(to, "%s;\n", queries[i]);
		fclose(to);
	}
}
/* CPU time of the program that plans the file, us. */
static double run(const char *program, const char *file)
{
	struct rusage u;
	int status;
	pid_t pid = fork();

	if (!pid) {
		int in = open(file, O_RDONLY), out = open("/dev/null", O_WRONLY);

		dup2(in, 0);
		dup2(out, 1);
		execl(program, program, "-q", "--stop-after=split", "-", NULL);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &u) != pid || status)
		fail(program, "does not plan the queries");
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* ---- in turns ---- */

static double took[NWAYS][2][MAX_ROUNDS];

static double tenth(double *v)
{
	qsort(v, TURNS, sizeof(*v), bench_by_value);
	return v[TURNS / 10];
}
static void library_round(const struct library *l, unsigned versions, unsigned r)
{
	double t[2][TURNS];

	for (unsigned i = 0; i < TURNS; i++)
		for (unsigned k = 0; k < versions; k++) {
			unsigned v = (k + i) % versions;

			t[v][i] = prepare_all(&l[v]);
		}
	for (unsigned v = 0; v < versions; v++)
		took[0][v][r] = tenth(t[v]);
}
static void program_round(const char *const *programs, unsigned versions, unsigned r)
{
	double t[2][2][TURNS];

	for (unsigned i = 0; i < TURNS; i++)
		for (unsigned k = 0; k < 2 * versions; k++) {
			unsigned at = (k + i) % (2 * versions);

			t[at / 2][at % 2][i] = run(programs[at / 2], files[at % 2]);
		}
	for (unsigned v = 0; v < versions; v++)
		took[1][v][r] = tenth(t[v][1]) - tenth(t[v][0]);
}
/* The ratio is that of each round: what else runs on the machine changes between rounds. */
static void show(const char *what, double of[2][MAX_ROUNDS], unsigned versions, unsigned rounds)
{
	double ratio[MAX_ROUNDS];

	for (unsigned r = 0; r < rounds && versions == 2; r++)
		ratio[r] = of[NOW][r] / of[BEFORE][r];
	printf("| %s |", what);
	for (unsigned v = 0; v < versions; v++) {
		double m = bench_median(of[v], rounds); /* sorts them */

		printf(" %.0f (%.0f to %.0f) |", m, of[v][0], of[v][rounds - 1]);
	}
	if (versions == 2) {
		double m = bench_median(ratio, rounds);

		printf(" %.3f (%.3f to %.3f) |\n", m, ratio[0], ratio[rounds - 1]);
	} else {
		printf(" | |\n");
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 5, versions, loaded;
	const char *before = getenv("RUNNEL_BEFORE"), *programs[2];
	struct library l[2] = {0};

	if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: bench_plan RUNNEL [ROUNDS]\n");
		return 2;
	}
	programs[NOW] = argv[1];
	programs[BEFORE] = before;
	versions = before && *before ? 2 : 1;
	setenv("RUNNEL_CATALOG", "/nonexistent/catalog.db", 1); /* nobody's saved views */
	for (unsigned i = 0; i < NQUERIES; i++)
		snprintf(queries[i], sizeof(queries[i]), texts[i % NTEXTS], 100 + i);
	write_files();
	bench_pin(1);
	for (loaded = 0; loaded < versions && load(&l[loaded], programs[loaded]);)
		loaded++;
	for (unsigned v = 0; v < loaded; v++)
		prepare_all(&l[v]); /* the first one reads what the kernel has */
	for (unsigned r = 0; r < rounds; r++) {
		fprintf(stderr, "\rround %u/%u", r + 1, rounds);
		if (loaded)
			library_round(l, loaded, r);
		program_round(programs, versions, r);
	}
	fprintf(stderr, "\r%20s\r", "");
	printf("To read and plan %d queries: us of CPU time, medians of %u rounds of %d turns "
	       "(least "
	       "to most)\n\n| | now | before | now / before |\n|---|---|---|---|\n",
	       NQUERIES, rounds, TURNS);
	if (loaded)
		show("library, query by query", took[0], loaded, rounds);
	show("program, one file", took[1], versions, rounds);
	return 0;
}
