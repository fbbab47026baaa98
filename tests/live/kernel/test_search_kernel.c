/* test_search_kernel.c - queries of one process that look for the same tags share a search. Each
 * answers as if it were alone, while others come and go. */
#include <dirent.h>
#include <pthread.h>
#include <sys/mman.h>
#include "probes/kernel/maps.h"
#include "tests/support/kids.h"

#define TAG "zqSHAREDsearch"
enum { CALLS = 1000, SHORT = 40, LONG = 900, PAGE = 4096 };
#define WHO " where proc = \"test_search_ker\""
static const char counting[] = "count of tag " TAG WHO " by pid";

static const char with[LONG] = "GET /" TAG "/x", without[LONG] = "GET /nothing/x";

/* A kid's place: it has the text in its memory before the query begins. Otherwise its pages, which
 * are a file's, would be a hit too. */
static bool touch(const void *arg)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < LONG; i++)
		sum += (unsigned)((volatile const char *)with)[i];
	return !arg && sum;
}

/* Two of four writes have the tag; one of these is long. Each is read on the other side. */
static void write_tags(int n)
{
	char buf[LONG];
	int way[2];

	if (pipe(way))
		_exit(1);
	for (int i = 0; i < n; i++) {
		size_t len = i % 4 == 1 ? LONG : SHORT;

		if (write(way[1], i % 2 ? with : without, len) != (ssize_t)len ||
		    read(way[0], buf, sizeof(buf)) != (ssize_t)len)
			_exit(1);
	}
}

static void begin(struct live *l, const char *text, struct rn_shared *shared)
{
	live_plan(l, text, NULL);
	live_share(l, shared);
	live_start(l);
}

/* What this process has attached to tracepoints. */
static unsigned hooks(void)
{
	DIR *d = opendir("/proc/self/fdinfo");
	char path[300], line[100];
	unsigned n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", e->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			n += !strcmp(line, "link_type:\traw_tracepoint\n") ||
			     !strcmp(line, "link_type:\ttracing\n");
		if (f)
			fclose(f);
	}
	closedir(d);
	return n;
}

struct answer {
	int64_t events, seen, scanned, lost;
};

static struct answer answer_of(struct live *l, int32_t pid)
{
	const int64_t *n = l->ledger.n;

	return (struct answer){
		.events = events_of(l, pid),
		.seen = n[RN_L_SEEN],
		.scanned = n[RN_L_BYTES_SCANNED],
		.lost = n[RN_L_LOST_RING] + n[RN_L_LOST_MAP] + n[RN_L_LOST_SCRATCH],
	};
}

/* All queries run over the same calls. want: the events of each. own: how many search by
 * themselves. Others attach nothing, except that `timed` ones note when calls begin. */
static void check(const char *const *query, const int64_t *want, unsigned n, unsigned own,
		  unsigned timed)
{
	struct rn_shared *shared = rn_shared_create();
	struct live *l = calloc(n, sizeof(*l));
	unsigned before = hooks(), first, all;
	struct kid k;

	kid_start(&k, touch, NULL, CALLS, write_tags);
	begin(&l[0], query[0], shared);
	first = hooks() - before;
	for (unsigned i = 1; i < n; i++)
		begin(&l[i], query[i], shared);
	all = hooks() - before;
	kid_go(&k);
	kid_end(&k);
	for (unsigned i = 0; i < n; i++)
		live_end(&l[i]);
	for (unsigned i = 0; i < n; i++) {
		struct answer a = answer_of(&l[i], k.pid);

		if (a.events != want[i])
			fail_msg("%s: %lld events, not %lld", query[i], (long long)a.events,
				 (long long)want[i]);
		assert_int_equal(a.lost, 0);
		assert_true(!want[i] || a.seen >= 2 * CALLS);
		assert_true(!want[i] || a.scanned >= 2LL * CALLS * SHORT);
		live_free(&l[i]);
	}
	assert_int_equal(hooks(), before);
	assert_int_equal(all, own * first + timed);
	rn_shared_destroy(shared);
	free(l);
}

static void different_queries(void **state)
{
	static const char *const query[] = {
		counting,
		"sum(bytes), count of tag " TAG WHO " and bytes > 100 by pid",
		"p99(latency), count of tag " TAG WHO " and name = write by pid",
		"count of tag " TAG WHO " and name = read and bytes > 100 by pid",
		"count of tag " TAG WHO " and bytes = 7 by pid",
		"max(bytes), count of tag " TAG WHO " by pid",
	};
	static const int64_t want[] = {CALLS, CALLS / 2, CALLS / 2, CALLS / 4, 0, CALLS};

	(void)state;
	check(query, want, sizeof(want) / sizeof(*want), 1, 1);
}

/* Other tags, other limits or another condition on the process make another search. Nor can
 * a search be shared that leaves out events. */
static void other_searches(void **state)
{
	static const char *const query[] = {
		"count of tag " TAG WHO " and bytes > 100 by pid",
		"count of tag " TAG ", zqANOTHER" WHO " by pid",
		"count of tag " TAG WHO " scan 8KiB by pid",
		"count of tag " TAG " where proc = nosuch by pid",
		counting,
	};
	static const int64_t want[] = {CALLS / 2, CALLS, CALLS, 0, CALLS};

	(void)state;
	check(query, want, sizeof(want) / sizeof(*want), 5, 0);
}

/* More than a search has places for. */
static void many_queries(void **state)
{
	enum { N = RN_SEARCH_PLACES + 4 };
	const char *query[N];
	int64_t want[N];

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		query[i] = counting;
		want[i] = CALLS;
	}
	check(query, want, N, 2, 0);
}

/* A row has what it has without the other query. */
static void rows(void **state)
{
	static const char text[] = "bytes, tags, hits, around, data of tag " TAG WHO;
	struct rn_shared *shared = rn_shared_create();
	struct live first, second;
	struct kid k;

	(void)state;
	kid_start(&k, touch, NULL, CALLS, write_tags);
	begin(&first, text, shared);
	begin(&second, text, shared);
	kid_go(&k);
	kid_end(&k);
	live_end(&first);
	live_end(&second);
	assert_int_equal(first.nrows, CALLS);
	assert_int_equal(second.nrows, CALLS);
	for (unsigned i = 0; i < CALLS * first.plan->frag.nfields; i++)
		if (rn_value_cmp(&first.row[i], &second.row[i]))
			fail_msg("row %u, field %s", i / first.plan->frag.nfields,
				 first.plan->frag.fields[i % first.plan->frag.nfields]->name);
	live_free(&first);
	live_free(&second);
	rn_shared_destroy(shared);
}

/* The query whose programs search ends first, then another one joins. */
static void the_first_one_ends(void **state)
{
	struct rn_shared *shared = rn_shared_create();
	unsigned before = hooks();
	struct live l[3];
	struct kid k[3];
	int64_t scanned;

	(void)state;
	for (int i = 0; i < 3; i++)
		kid_start(&k[i], touch, NULL, CALLS, write_tags);
	begin(&l[0], counting, shared);
	begin(&l[1], counting, shared);
	kid_go(&k[0]);
	kid_end(&k[0]);
	live_end(&l[0]);
	scanned = l[0].ledger.n[RN_L_BYTES_SCANNED];
	assert_true(hooks() > before);
	kid_go(&k[1]);
	kid_end(&k[1]);
	begin(&l[2], counting, shared);
	kid_go(&k[2]);
	kid_end(&k[2]);
	live_end(&l[2]);
	live_end(&l[1]);
	assert_int_equal(hooks(), before);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(events_of(&l[i], k[0].pid), i < 2 ? CALLS : 0);
		assert_int_equal(events_of(&l[i], k[1].pid), i == 1 ? CALLS : 0);
		assert_int_equal(events_of(&l[i], k[2].pid), i > 0 ? CALLS : 0);
	}
	/* of one kid, of three, of one */
	assert_true(l[1].ledger.n[RN_L_BYTES_SCANNED] > 2 * scanned);
	assert_true(l[2].ledger.n[RN_L_BYTES_SCANNED] < 2 * scanned);
	for (int i = 0; i < 3; i++)
		live_free(&l[i]);
	rn_shared_destroy(shared);
}

/* ---- what is reported once a second ---- */

static int steps[2], done[2];

/* Maps a page with the tag, again at each step. */
static void map_again(int n)
{
	char page[PAGE] = "/" TAG, c = 0;
	FILE *f = tmpfile();

	if (!f || write(fileno(f), page, PAGE) != PAGE)
		_exit(1);
	for (int i = 0; i < n; i++) {
		volatile char *m = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fileno(f), 0);

		c = (char)(c + m[0]);
		munmap((void *)m, PAGE);
		if (write(done[1], &c, 1) != 1)
			_exit(1);
		wait_for(steps[0]);
	}
}

/* Pages that are mapped again within a second are reported once. A query that has come since then
 * has not seen them yet. */
static void what_was_reported_before(void **state)
{
	static const char text[] = "count of tag " TAG WHO " and name = mmap_read by pid";
	struct rn_shared *shared = rn_shared_create();
	struct live first, second;
	struct kid k;

	(void)state;
	assert_int_equal(pipe(steps) | pipe(done), 0);
	kid_start(&k, touch, NULL, 3, map_again);
	begin(&first, counting, shared);
	begin(&second, text, shared);
	live_end(&second);
	live_free(&second);
	kid_go(&k);
	wait_for(done[0]);
	begin(&second, text, shared);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(write(steps[1], "x", 1), 1);
		wait_for(done[0]);
	}
	assert_int_equal(write(steps[1], "x", 1), 1);
	kid_end(&k);
	live_end(&second);
	live_end(&first);
	/* the mapping that follows at once is the same to both */
	assert_int_equal(events_of(&second, k.pid), 1);
	live_free(&first);
	live_free(&second);
	rn_shared_destroy(shared);
}

/* ---- others come and go ---- */

static void write_for_a_while(int n)
{
	for (int i = 0; i < n / 100; i++) {
		write_tags(100);
		usleep(1000);
	}
}

static void come_and_go(void *shared, const char *text)
{
	for (int i = 0; i < 2 * RN_SEARCH_PLACES; i++) {
		struct live l;

		begin(&l, text, shared);
		usleep(1000);
		live_end(&l);
		live_free(&l);
	}
}

static void *guests(void *shared)
{
	come_and_go(shared, "p99(latency) of tag " TAG WHO " by pid");
	return NULL;
}

static void guests_of_two_threads(void **state)
{
	enum { MANY = 20000 };
	struct rn_shared *shared = rn_shared_create();
	struct live l[3];
	struct kid k;
	pthread_t t;

	(void)state;
	kid_start(&k, touch, NULL, MANY, write_for_a_while);
	begin(&l[0], counting, shared);
	begin(&l[1], counting, shared);
	begin(&l[2], "sum(bytes) of tag " TAG WHO " by pid", shared);
	kid_go(&k);
	assert_int_equal(pthread_create(&t, NULL, guests, shared), 0);
	come_and_go(shared, counting);
	pthread_join(t, NULL);
	kid_end(&k);
	for (int i = 0; i < 3; i++) {
		live_end(&l[i]);
		assert_int_equal(events_of(&l[i], k.pid), MANY);
		assert_int_equal(l[i].ledger.n[RN_L_LOST_SCRATCH], 0);
	}
	for (int i = 0; i < 3; i++)
		live_free(&l[i]);
	rn_shared_destroy(shared);
}

/* ---- a hit that stands for many operations ---- */

/* Ends n writable mappings with the tag by one call. */
static void end_areas(int n)
{
	enum { APART = 2 * PAGE };
	int fd = memfd_create("areas", MFD_CLOEXEC);
	char *all = mmap(NULL, (size_t)n * APART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || all == MAP_FAILED || ftruncate(fd, (off_t)n * PAGE))
		_exit(1);
	for (int i = 0; i < n; i++) {
		char *area = mmap(all + (size_t)i * APART, PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_FIXED, fd, (off_t)i * PAGE);

		if (area == MAP_FAILED)
			_exit(1);
		memcpy(area + 100, TAG, sizeof(TAG));
	}
	munmap(all, (size_t)n * APART);
}

/* The kernel follows 33 tail calls. What it does not hand on is counted. */
static void many_operations(int n, bool all)
{
	static const char text[] = "count of tag " TAG WHO " and name = mmap_write by pid";
	struct rn_shared *shared = rn_shared_create();
	struct live first, l[2];
	struct kid k;

	kid_start(&k, touch, NULL, n, end_areas);
	begin(&first, counting, shared);
	for (int i = 0; i < 2; i++)
		begin(&l[i], text, shared);
	kid_go(&k);
	kid_end(&k);
	live_end(&first);
	for (int i = 0; i < 2; i++) {
		int64_t events, lost;

		live_end(&l[i]);
		events = events_of(&l[i], k.pid);
		lost = l[i].ledger.n[RN_L_LOST_SCRATCH];
		if (all ? events != n || lost : events >= n || !lost)
			fail_msg("%lld events of %d, %lld lost", (long long)events, n,
				 (long long)lost);
		live_free(&l[i]);
	}
	assert_int_equal(first.ledger.n[RN_L_LOST_SCRATCH] > 0, !all);
	live_free(&first);
	rn_shared_destroy(shared);
}

static void some_operations(void **state)
{
	(void)state;
	many_operations(6, true);
}

static void too_many_operations(void **state)
{
	(void)state;
	many_operations(16, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(different_queries),
		cmocka_unit_test(other_searches),
		cmocka_unit_test(many_queries),
		cmocka_unit_test(rows),
		cmocka_unit_test(the_first_one_ends),
		cmocka_unit_test(guests_of_two_threads),
		cmocka_unit_test(some_operations),
		cmocka_unit_test(too_many_operations),
		cmocka_unit_test(what_was_reported_before),
	};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
