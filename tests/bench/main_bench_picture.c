/* main_bench_picture.c - how long it takes to make a picture of a million hops, and of a tenth:
 * 1,000 processes on 20 nodes that pass 100 tags on. Prints seconds of CPU time and MiB of each,
 * and the ratio. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "repl/picture/picture.h"

enum { PROCESSES = 1000, NODES = 20, TAGS = 100, ROUNDS = 3 };

static const char *const labels[] = {"hop",   "time",   "node",    "proc",    "pid",  "name",
				     "dir",   "object", "bytes",   "latency", "tags", "from",
				     "match", "link",   "choices", "lag",     "depth"};
enum { NCOLS = sizeof(labels) / sizeof(*labels) };

static struct rn_value text(const char *s)
{
	return rn_strn(s, strlen(s));
}

/* The texts of the rows, which a query has too before it draws them. */
static struct {
	char node[16], name[32], object[64];
} process[PROCESSES];
static char tag[TAGS][16];

static void make_texts(void)
{
	for (unsigned i = 0; i < PROCESSES; i++) {
		snprintf(process[i].node, sizeof(process[i].node), "node%u", i % NODES);
		snprintf(process[i].name, sizeof(process[i].name), "server%u", i % 40);
		snprintf(process[i].object, sizeof(process[i].object),
			 "10.0.0.%u:%u -> 10.0.1.1:80", i % 250, i);
	}
	for (unsigned i = 0; i < TAGS; i++)
		snprintf(tag[i], sizeof(tag[i]), "tag%04u", i);
}

/* Hop i: a process takes in, or puts out, what hop i - 1 to i - 4 was about. */
static void add(struct rn_pictured *p, int64_t i)
{
	unsigned proc = (unsigned)(i / 2 * 2654435761u % PROCESSES);
	const struct rn_value row[NCOLS] = {rn_int(i + 1),
					    rn_int(1700000000000000000 + i * 1000),
					    text(process[proc].node),
					    text(process[proc].name),
					    rn_int(1000 + proc),
					    text(i % 2 ? "write" : "read"),
					    text(i % 2 ? "out" : "in"),
					    text(process[proc].object),
					    rn_int(4096),
					    rn_int(500),
					    text(tag[i / 7 % TAGS]),
					    rn_int(i > 4 ? i - i % 4 : 0),
					    text("exact"),
					    text(i > 4 ? "exact" : ""),
					    rn_int(1 + (i % 20 == 0)),
					    rn_int(1000),
					    rn_int(i % 30)};

	rn_picture_add(p, row);
}

static double seconds_of(int64_t hops, uint32_t *boxes)
{
	struct rn_column cols[NCOLS] = {0};
	struct rn_err err = {0};
	struct rn_pictured *p;
	clock_t from = clock();

	for (unsigned i = 0; i < NCOLS; i++)
		cols[i].label = labels[i];
	p = rn_picture_create(cols, NCOLS, &err);
	if (!p)
		abort();
	for (int64_t i = 0; i < hops; i++)
		add(p, i);
	*boxes = rn_picture_end(p, NULL)->nboxes;
	rn_picture_destroy(p);
	return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static double least(int64_t hops)
{
	uint32_t boxes = 0;
	double best = 0;
	struct rusage use;

	for (unsigned i = 0; i < ROUNDS; i++) {
		double s = seconds_of(hops, &boxes);

		best = !i || s < best ? s : best;
	}
	getrusage(RUSAGE_SELF, &use);
	printf("%9lld hops, %8u boxes: %6.2f s, %5ld MiB at most\n", (long long)hops, boxes, best,
	       use.ru_maxrss / 1024);
	return best;
}

int main(void)
{
	double tenth, all;

	make_texts();
	tenth = least(100000);
	all = least(1000000);
	printf("ten times the hops: %.1f times the time\n", all / tenth);
	return 0;
}
