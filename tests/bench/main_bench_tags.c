/* main_bench_tags.c - what searching payload for tags costs: part of `make bench`.
 *
 *     bench_tags [ROUNDS [PART]]    PART: one of the numbers below, else all
 *
 * A process reads the same text (this project's own sources, in memory) over and over with pread.
 * What is measured is added time: its processor time of a call with the query attached less that
 * without, both in quiet moments (the 10th percentile over groups of calls), one right after the
 * other. Medians over rounds in which our query and the textbook scanners of
 * tests/bench/scanners.bpf.c take turns on the same data. All must find the same tags.
 * 1. GB/s by number of tags, their length and the size of a call, and how often faster that is.
 * 2. Data in which every sample is a candidate.
 * 3. Calls of processes that the query leaves out, against an empty program.
 * 4. Small calls, and what joining the calls of a stream is of that.
 * 5. Several queries for the same tags: each by itself, and as they share a search. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "exec/node/agent.h"
#include "planner/plan/ledger.h"
#include "probes/probes.h"
#include "tests/bench/bench.h"
#include "tests/bench/scanners.h"
#include "tests/scanners.skel.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

enum { TEXT = 1 << 20, MAX_ROUNDS = 31, PLANTED = 5 };
enum method { OURS, COPY, NAIVE, AUTOMATON, NMETHODS };
static const char *const method_names[NMETHODS] = {"Runnel", "copying alone",
						   "every tag at every position", "Aho-Corasick"};
static const char *const programs[NMETHODS] = {NULL, "copy_alone", "naive", "aho_corasick"};
static const long sizes[] = {4096, 65536, TEXT};
static char text[TEXT];
static int text_fd, to_worker[2], from_worker[2];
static pid_t worker;
static const struct rn_catalog *catalog;
static struct rn_shared *shared; /* by the queries attached from now on; NULL: they share nothing */

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bench_tags: %s: %s\n", what, why);
	exit(1);
}
/* ---- the worker ---- */

/* a call; or two, of a pair of sockets: one writes, one reads */
enum way { PREAD, STREAM, DATAGRAM };
struct job {
	long bytes, calls;
	enum way way;
};

static bool call(const struct job *j, int sockets[][2], char *data)
{
	if (j->way == PREAD)
		return pread(text_fd, data, j->bytes, 0) == j->bytes;
	return write(sockets[j->way][0], data, j->bytes) == j->bytes &&
	       read(sockets[j->way][1], data, j->bytes) == j->bytes;
}
static void work(void)
{
	static char data[TEXT];
	static double ns[1 << 14];
	int sockets[3][2];
	struct job j;

	bench_pin(1);
	memset(data, 1, sizeof(data));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[STREAM]) ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets[DATAGRAM]))
		_exit(1);
	while (read(to_worker[0], &j, sizeof(j)) == sizeof(j)) {
		long group = j.bytes < 65536 ? (j.calls < 20 ? j.calls : 20) : 1,
		     n = j.calls / group;

		for (long c = 0; c < n; c++) {
			double t0 = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

			for (long i = 0; i < group; i++)
				if (!call(&j, sockets, data))
					_exit(1);
			ns[c] = (bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - t0) / group;
		}
		qsort(ns, n, sizeof(*ns), bench_by_value);
		if (write(from_worker[1], &ns[n / 10], sizeof(*ns)) != sizeof(*ns))
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
	close(from_worker[1]);
}
static double per_call(enum way way, long bytes, long calls)
{
	struct job j = {bytes, calls, way};
	double ns;

	if (write(to_worker[1], &j, sizeof(j)) != sizeof(j) ||
	    read(from_worker[0], &ns, sizeof(ns)) != sizeof(ns))
		fail("worker", "gone");
	return ns;
}

/* ---- text and tags ---- */

static char tags[BENCH_TAGS][BENCH_TAG_BYTES + 1];

static unsigned random_below(unsigned n)
{
	static unsigned long long x = 88172645463325252ull;

	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return (unsigned)(x % n);
}
static void make_tags(unsigned n, unsigned length)
{
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < length; k++)
			/* like fix283 */
			tags[i][k] = k % 6 < 3 ? 'a' + random_below(26) : '0' + random_below(10);
		tags[i][length] = 0;
	}
}
static void make_text(void)
{
	size_t n = 0;
	FILE *p = popen("cat */*.c */*/*.c */*.h docs/*.md", "r");

	while (p && n < TEXT) {
		size_t got = fread(text + n, 1, TEXT - n, p);

		if (!got && n)
			memcpy(text + n, text, got = n < TEXT - n ? n : TEXT - n);
		if (!got)
			fail("text", "run it in the project's folder");
		n += got;
	}
	if (p)
		pclose(p);
	text_fd = memfd_create("bench_tags", 0);
}
/* The text with some of the tags planted near its end: while there are tags to be found, all is
 * searched. */
static void set_text(unsigned ntags, unsigned length, bool plant)
{
	static char with[TEXT];

	memcpy(with, text, TEXT);
	for (unsigned i = 0; plant && i < PLANTED; i++)
		memcpy(with + TEXT - 4000 + i * 701, tags[i % ntags], length);
	if (pwrite(text_fd, with, TEXT, 0) != TEXT)
		fail("text", "cannot be written");
}

/* ---- our query, attached ---- */

struct live {
	struct rn_arena *a;
	struct rn_plan *plan;
	struct rn_provider *provider;
	struct rn_agent *agent;
	struct rn_ledger ledger;
	struct rn_sink sink;
	int64_t events;
};
static int take_rows(void *self, const struct rn_rows *r)
{
	((struct live *)self)->events += r->nrows;
	return 0;
}
static int take_partials(void *self, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		((struct live *)self)->events += p->parts[i].events;
	return 0;
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
		fail("query", rn_diag_render(d, l->a, false));
	l->provider = rn_probes_provider("bench", shared);
	l->sink = (struct rn_sink){.self = l, .rows = take_rows, .partials = take_partials};
	if (rn_agent_open("bench", l->provider, &l->plan->frag, NULL, NULL, &l->sink, &l->agent,
			  &err) ||
	    rn_agent_start(l->agent, &err))
		fail("query", err.text);
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
static const char *query_for(unsigned n, const char *where)
{
	static char q[BENCH_TAGS * (BENCH_TAG_BYTES + 4) + 200];
	size_t at = (size_t)sprintf(q, "count of tag");

	for (unsigned i = 0; i < n; i++)
		at += (size_t)sprintf(q + at, "%s \"%s\"", i ? "," : "", tags[i]);
	sprintf(q + at, " where pid = %d%s", worker, where);
	return q;
}

/* ---- the others ---- */

/* The automaton: a trie, then breadth first the fallbacks, then every byte of every state has its
 * next. */
static void build_automaton(struct bench_tables *t, unsigned n, unsigned length)
{
	static unsigned short fallback[BENCH_STATES], queue[BENCH_STATES];
	unsigned states = 1, classes = 1, head = 0, tail = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned s = 0;

		for (unsigned k = 0; k < length; k++) {
			unsigned char c = (unsigned char)tags[i][k];
			unsigned short *to;

			if (!t->cls[c])
				t->cls[c] = (unsigned char)classes++;
			to = &t->next[s * BENCH_CLASSES + t->cls[c]];
			if (!(*to & 0x7fff))
				*to = (unsigned short)states++;
			if (k == length - 1)
				*to |= 0x8000;
			s = *to & 0x7fff;
		}
	}
	for (unsigned c = 0; c < BENCH_CLASSES; c++)
		if (t->next[c] & 0x7fff) {
			queue[tail++] = t->next[c] & 0x7fff;
			fallback[t->next[c] & 0x7fff] = 0;
		}
	while (head < tail) {
		unsigned s = queue[head++];

		for (unsigned c = 0; c < BENCH_CLASSES; c++) {
			unsigned short *to = &t->next[s * BENCH_CLASSES + c],
				       other = t->next[fallback[s] * BENCH_CLASSES + c];

			if (*to & 0x7fff) {
				fallback[*to & 0x7fff] = other & 0x7fff;
				queue[tail++] = *to & 0x7fff;
			} else {
				*to = other;
			}
		}
	}
}
static struct bpf_link *other_link;
static void close_other(struct bench_scanners *s)
{
	bpf_link__destroy(other_link); /* the skeleton does not know of it */
	bench_scanners__destroy(s);
}
static struct bench_scanners *open_other(const char *program, unsigned n, unsigned length)
{
	struct bench_scanners *s = bench_scanners__open();
	struct bpf_program *p;

	if (!s)
		fail(program, "cannot be opened");
	s->rodata->target = (uint32_t)worker;
	s->rodata->ntags = n;
	s->rodata->length = length;
	for (unsigned i = 0; i < n; i++)
		memcpy(s->bss->tables.tag[i], tags[i], length);
	if (!strcmp(program, "aho_corasick"))
		build_automaton(&s->bss->tables, n, length);
	p = bpf_object__find_program_by_name(s->obj, program);
	bpf_program__set_autoload(p, true);
	if (bench_scanners__load(s) || !(other_link = bpf_program__attach(p)))
		fail(program, "cannot be attached");
	return s;
}

/* ---- 1: speed ---- */

/* Added ns of a call, for each size; what is found in the largest is compared with what was
 * planted. */
static void measure(enum method m, unsigned n, unsigned length, double *ns)
{
	static const long calls[][3] = {{4000, 400, 40}, {60, 10, 3}}; /* ours; the others */
	const long *times = calls[m > COPY];
	struct live l = {0};
	struct bench_scanners *s = NULL;

	for (int z = 0; z < 3; z++)
		ns[z] = -per_call(PREAD, sizes[z], calls[0][z]);
	if (m == OURS)
		attach(&l, query_for(n, ""));
	else
		s = open_other(programs[m], n, length);
	for (int z = 0; z < 3; z++) {
		if (s)
			s->bss->hits = 0;
		ns[z] += per_call(PREAD, sizes[z], times[z]);
		if (m > COPY && z == 2 && s->bss->hits != (uint64_t)(PLANTED * times[z]))
			fprintf(stderr, "bench_tags: %s found %ld of %ld\n", method_names[m],
				(long)s->bss->hits, PLANTED * times[z]);
	}
	if (s) {
		close_other(s);
		return;
	}
	detach(&l);
	if (l.events != times[2])
		fprintf(stderr, "bench_tags: Runnel saw a tag in %ld calls of %ld\n",
			(long)l.events, times[2]);
}
static void bench_speed(unsigned rounds)
{
	static const unsigned counts[] = {1, 30, 64, 1000}, lengths[] = {6, 16};
	static double ns[NMETHODS][3][MAX_ROUNDS];

	printf("search for tags in a pread of program text: GB/s of added time, median of %u "
	       "rounds (least to most)\n\n",
	       rounds);
	printf("  %-36s %22s %22s %22s\n", "", "4 KiB", "64 KiB", "1 MiB");
	for (unsigned w = 0; w < 2; w++)
		for (unsigned c = 0; c < 4; c++) {
			double mid[NMETHODS][3];

			make_tags(counts[c], lengths[w]);
			set_text(counts[c], lengths[w], true);
			for (unsigned r = 0; r < rounds; r++)
				for (int m = 0; m < NMETHODS; m++) {
					double added[3];

					if (m == NAIVE && counts[c] > BENCH_NAIVE_TAGS)
						continue;
					measure((enum method)m, counts[c], lengths[w], added);
					for (int z = 0; z < 3; z++)
						ns[m][z][r] = added[z];
				}
			for (int m = 0; m < NMETHODS; m++) {
				char name[80];

				if (m == NAIVE && counts[c] > BENCH_NAIVE_TAGS)
					continue;
				if (!m)
					snprintf(name, sizeof(name), "%u x %u bytes", counts[c],
						 lengths[w]);
				else
					snprintf(name, sizeof(name), "    %s", method_names[m]);
				printf("  %-36s", name);
				for (int z = 0; z < 3; z++) {
					mid[m][z] = bench_median(ns[m][z], rounds);
					if (!m)
						printf("  %5.2f (%.2f to %.2f)   ",
						       sizes[z] / mid[m][z],
						       sizes[z] / ns[m][z][rounds - 1],
						       sizes[z] / ns[m][z][0]);
					else
						printf("  %6.3f, %5.1f times      ",
						       sizes[z] / mid[m][z],
						       mid[m][z] / mid[OURS][z]);
				}
				if (!m)
					printf(" (+%.2f us at 4 KiB)", mid[m][0] / 1e3);
				printf("\n");
				fflush(stdout);
			}
		}
}

/* ---- 2: data full of candidates ---- */

static void adverse(unsigned ntags, const char *what, unsigned rounds)
{
	double ns[3][MAX_ROUNDS], searched[3];

	for (int z = 0; z < 3; z++)
		for (unsigned r = 0; r < rounds; r++) {
			struct live l;

			ns[z][r] = -per_call(PREAD, sizes[z], 20);
			attach(&l, query_for(ntags, ""));
			ns[z][r] += per_call(PREAD, sizes[z], 20);
			detach(&l);
			searched[z] = (double)l.ledger.n[RN_L_BYTES_SCANNED] /
				      l.ledger.n[RN_L_BYTES_SEEN];
			if (l.ledger.n[RN_L_BYTES_SCANNED] + l.ledger.n[RN_L_BEYOND_CAP] !=
			    l.ledger.n[RN_L_BYTES_SEEN])
				fprintf(stderr, "bench_tags: the ledger does not say what was not "
						"searched\n");
		}
	printf("  %-36s", what);
	for (int z = 0; z < 3; z++) {
		double mid = bench_median(ns[z], rounds);

		printf("  %6.3f GB/s, +%4.0f us, %3.0f %%", sizes[z] / mid, mid / 1e3,
		       100 * searched[z]);
	}
	printf("\n");
	fflush(stdout);
}
static void bench_adverse(unsigned rounds)
{
	static char bad[TEXT];

	memset(bad, 'a', TEXT);
	if (pwrite(text_fd, bad, TEXT, 0) != TEXT)
		fail("text", "cannot be written");
	printf("\na pread of data of one letter, in which every sample is a candidate of each tag: "
	       "GB/s of the payload, time added, and how much of it\n"
	       "was searched (the rest is counted as beyond the cap), for 4 KiB, 64 KiB and 1 "
	       "MiB\n\n");
	strcpy(tags[0], "aaaaab");
	strcpy(tags[1], "aaaaac");
	adverse(2, "2 tags of 6 bytes", rounds);
	for (unsigned i = 0; i < 30; i++)
		sprintf(tags[i], "aaaaa%c", i < 26 ? 'A' + (int)i : '0' + (int)i - 26);
	adverse(30, "30 tags of 6 bytes", rounds);
	strcpy(tags[0], "aaaaaaaaaaaaaaab");
	adverse(1, "1 tag of 16 bytes", rounds);
}

/* ---- 3: who is left out ---- */

static void bench_left_out(unsigned rounds)
{
	double ours[MAX_ROUNDS], empty[MAX_ROUNDS];
	double a, b;

	make_tags(30, 6);
	set_text(30, 6, false);
	for (unsigned r = 0; r < rounds; r++) {
		struct live l;
		double bare = per_call(PREAD, 1, 40000);
		struct bench_scanners *s;

		attach(&l, query_for(30, " and proc = nosuch"));
		ours[r] = per_call(PREAD, 1, 40000) - bare;
		detach(&l);
		bare = per_call(PREAD, 1, 40000);
		s = open_other("empty", 0, 1);
		empty[r] = per_call(PREAD, 1, 40000) - bare;
		close_other(s);
	}
	a = bench_median(ours, rounds);
	b = bench_median(empty, rounds);
	printf("\na pread of a process that `where` leaves out: +%.0f ns (%.0f to %.0f); an empty "
	       "program: +%.0f (%.0f to %.0f)\n",
	       a, ours[0], ours[rounds - 1], b, empty[0], empty[rounds - 1]);
}

/* ---- 4: small calls ---- */

static void bench_small(unsigned rounds)
{
	static const struct {
		enum way way;
		long bytes;
	} what[] = {{PREAD, 64}, {PREAD, 1024}, {PREAD, 4096}, {STREAM, 64}, {DATAGRAM, 64}};
	enum { N = sizeof(what) / sizeof(*what) };
	double ns[N][MAX_ROUNDS], carry[MAX_ROUNDS];
	double c;

	make_tags(30, 6);
	set_text(30, 6, false);
	for (unsigned r = 0; r < rounds; r++) {
		struct live l;

		for (int i = 0; i < N; i++)
			ns[i][r] = -per_call(what[i].way, what[i].bytes, 20000);
		attach(&l, query_for(30, ""));
		for (int i = 0; i < N; i++)
			ns[i][r] += per_call(what[i].way, what[i].bytes, 20000);
		detach(&l);
		carry[r] = (ns[3][r] - ns[4][r]) / 2;
	}
	printf("\n30 tags of 6 bytes: a pread of 64 bytes: +%.0f ns, of 1 KiB: +%.0f, of 4 KiB: "
	       "+%.0f\n",
	       bench_median(ns[0], rounds), bench_median(ns[1], rounds),
	       bench_median(ns[2], rounds));
	c = bench_median(carry, rounds);
	printf("a write and a read of 64 bytes through a stream socket: +%.0f ns, as a datagram: "
	       "+%.0f; so joining is %.0f ns of a call (%.0f to %.0f)\n",
	       bench_median(ns[3], rounds), bench_median(ns[4], rounds), c, carry[0],
	       carry[rounds - 1]);
}

/* ---- 5: several queries ---- */

enum { QUERIES = 4 };
static double attach_several(struct live *l, unsigned n)
{
	double t0 = 0;

	for (unsigned i = 0; i < n; i++) {
		t0 = bench_clock_ns(CLOCK_MONOTONIC);
		attach(&l[i], query_for(30, ""));
	}
	return (bench_clock_ns(CLOCK_MONOTONIC) - t0) / 1e6;
}

/* ns added to a pread of 4 KiB; last: ms until the last query was attached. */
static double added_by(unsigned n, bool share, double *last)
{
	struct live l[QUERIES];
	double ns = -per_call(PREAD, 4096, 4000);

	shared = share ? rn_shared_create() : NULL;
	*last = attach_several(l, n);
	ns += per_call(PREAD, 4096, 4000);
	for (unsigned i = n; i-- > 0;)
		detach(&l[i]);
	rn_shared_destroy(shared);
	shared = NULL;
	return ns;
}

static void bench_several(unsigned rounds)
{
	static const unsigned how_many[] = {1, 2, 4};
	double ns[2][3][MAX_ROUNDS], ms[2][3][MAX_ROUNDS];

	make_tags(30, 6);
	for (int hit = 0; hit < 2; hit++) {
		set_text(30, 6, false);
		if (hit && pwrite(text_fd, tags[3], 6, 1000) != 6)
			fail("text", "cannot be written");
		for (unsigned r = 0; r < rounds; r++)
			for (unsigned i = 0; i < 6; i++) {
				unsigned k = (i + r) % 6;

				ns[k / 3][k % 3][r] =
					added_by(how_many[k % 3], k / 3, &ms[k / 3][k % 3][r]);
			}
		printf("\na pread of 4 KiB %s, 30 tags of 6 bytes, with 1, 2 and 4 queries: each "
		       "by "
		       "itself, then as they share a search\n  ns added",
		       hit ? "with a tag" : "without a tag");
		for (unsigned k = 0; k < 6; k++)
			printf("%s %6.0f", k == 3 ? "  |" : "",
			       bench_median(ns[k / 3][k % 3], rounds));
		printf("; ms until the last is attached");
		for (unsigned k = 0; k < 6; k++)
			printf("%s %4.0f", k == 3 ? "  |" : "",
			       bench_median(ms[k / 3][k % 3], rounds));
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
	struct rn_err err = {0};
	struct rn_catalog *c;
	int part;

	if (rounds < 1 || rounds > MAX_ROUNDS)
		rounds = 5;
	if (rn_probes_permitted(&err) < 0) {
		fprintf(stderr, "bench_tags: %s\n%s\n", err.text, err.hint);
		return 4;
	}
	c = rn_probes_catalog(rn_agg_sigs);
	catalog = c;
	make_text();
	start_worker();
	part = argc > 2 ? atoi(argv[2]) : 0;
	if (!part || part == 1)
		bench_speed(rounds);
	if (!part || part == 2)
		bench_adverse(rounds);
	if (!part || part == 3)
		bench_left_out(rounds);
	if (!part || part == 4)
		bench_small(rounds);
	if (!part || part == 5)
		bench_several(rounds);
	close(to_worker[1]);
	waitpid(worker, NULL, 0);
	rn_probes_catalog_free(c);
	return 0;
}
