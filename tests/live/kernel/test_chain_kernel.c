/* test_chain_kernel.c - queries of one process share what is attached. Each answers as if it were
 * alone, to the last call, while others come and go. */
#include <pthread.h>
#include <time.h>
#include "probes/kernel/maps.h"
#include "tests/support/kids.h"

enum { CALLS = 1000 };
static const char counting[] = "count of getppid where arg0 = 4711 by pid";

static void begin(struct live *l, const char *text, struct rn_shared *shared)
{
	live_plan(l, text, NULL);
	live_share(l, shared);
	live_start(l);
}

/* All queries run over the same calls. want: the events of each. */
static void check(const char *const *query, const int64_t *want, unsigned n)
{
	struct rn_shared *shared = rn_shared_create();
	struct live *l = calloc(n, sizeof(*l));
	struct kid k;

	kid_start(&k, NULL, NULL, CALLS, NULL);
	for (unsigned i = 0; i < n; i++)
		begin(&l[i], query[i], shared);
	kid_go(&k);
	kid_end(&k);
	for (unsigned i = 0; i < n; i++)
		live_end(&l[i]);
	for (unsigned i = 0; i < n; i++) {
		if (events_of(&l[i], k.pid) != want[i])
			fail_msg("%s: %lld events, not %lld", query[i],
				 (long long)events_of(&l[i], k.pid), (long long)want[i]);
		assert_int_equal(l[i].ledger.n[RN_L_LOST_MAP], 0);
		live_free(&l[i]);
	}
	rn_shared_destroy(shared);
	free(l);
}

static void different_queries(void **state)
{
	static const char *const query[] = {
		counting,
		"count of getpid by pid",
		"p99(latency), count of getppid by pid",
		"count of syscall where name = getppid by pid",
		"min(latency) of syscall where name = getppid and arg0 = 4712 by pid",
		"count of getppid where arg0 = 1 by pid",
		"max(latency), min(latency) of getppid where arg0 = 4711 by pid"};
	static const int64_t want[] = {CALLS, 0, CALLS + OTHERS, CALLS + OTHERS, OTHERS, 0, CALLS};

	(void)state;
	check(query, want, sizeof(want) / sizeof(*want));
}

/* More than a chain has places for. */
static void many_queries(void **state)
{
	enum { N = RN_CHAIN_PLACES + 8 };
	const char *query[N];
	int64_t want[N];

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		query[i] = counting;
		want[i] = CALLS;
	}
	check(query, want, N);
}

/* ---- others come and go ---- */

static void call_for_a_while(int n)
{
	for (int i = 0; i < n; i++) {
		syscall(SYS_getppid, MAGIC);
		if (i % 100 == 0)
			usleep(1000);
	}
}

static void come_and_go(void *shared, const char *text)
{
	for (int i = 0; i < RN_CHAIN_PLACES + 3; i++) {
		struct live l;

		begin(&l, text, shared);
		usleep(1000);
		live_end(&l);
		live_free(&l);
	}
}

static void *guests(void *shared)
{
	come_and_go(shared, "p99(latency) of getppid where arg0 = 4711 by pid");
	return NULL;
}

static void guests_of_two_threads(void **state)
{
	struct rn_shared *shared = rn_shared_create();
	struct live before, timed;
	struct kid k;
	pthread_t t;

	(void)state;
	kid_start(&k, NULL, NULL, 200000, call_for_a_while);
	begin(&before, counting, shared);
	begin(&timed, "min(latency) of getppid where arg0 = 4711 by pid", shared);
	kid_go(&k);
	assert_int_equal(pthread_create(&t, NULL, guests, shared), 0);
	come_and_go(shared, counting);
	pthread_join(t, NULL);
	kid_end(&k);
	live_end(&before);
	live_end(&timed);
	assert_int_equal(events_of(&before, k.pid), 200000);
	assert_int_equal(events_of(&timed, k.pid), 200000);
	assert_int_equal(timed.ledger.n[RN_L_UNPAIRED], 0);
	live_free(&before);
	live_free(&timed);
	rn_shared_destroy(shared);
}

/* ---- when a call began ---- */

static void read_twice(int fd)
{
	wait_for(fd);
	wait_for(fd);
}

static void wait_until_it_reads(int32_t pid, int fd)
{
	char path[64], wanted[32], text[128] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	snprintf(wanted, sizeof(wanted), "%d 0x%x ", SYS_read, fd);
	while (strncmp(text, wanted, strlen(wanted)) != 0) {
		usleep(1000);
		f = fopen(path, "r");
		assert_non_null(f);
		if (!fgets(text, sizeof(text), f))
			text[0] = 0;
		(void)fclose(f);
	}
}

/* A query that begins amid a call does not know when the call began, though an earlier query had it
 * noted. */
static void an_earlier_beginning_is_not_taken(void **state)
{
	static const char text[] = "max(latency) of read by pid";
	struct rn_shared *shared = rn_shared_create();
	struct live first, other, second;
	struct kid k;
	int way[2];

	(void)state;
	assert_int_equal(pipe(way), 0);
	kid_start(&k, NULL, NULL, way[0], read_twice);
	begin(&other, "count of getppid by pid", shared); /* the chain stays attached */
	begin(&first, text, shared);
	kid_go(&k);
	wait_until_it_reads(k.pid, way[0]);
	live_end(&first);
	begin(&second, text, shared);
	assert_int_equal(write(way[1], "xx", 2), 2);
	kid_end(&k);
	live_end(&second);
	live_end(&other);
	assert_int_equal(events_of(&first, k.pid), 0);
	assert_int_equal(events_of(&second, k.pid), 1);
	assert_true(second.ledger.n[RN_L_UNPAIRED] >= 1);
	live_free(&first);
	live_free(&second);
	live_free(&other);
	rn_shared_destroy(shared);
}

/* A query about one process beside one about all. */
static void scopes_stay_apart(void **state)
{
	struct rn_shared *shared = rn_shared_create();
	struct live one, all;
	struct kid k[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		kid_start(&k[i], NULL, NULL, CALLS, NULL);
	live_plan(&one, "min(latency) of getppid by pid", NULL);
	live_share(&one, shared);
	one.scope = (struct rn_scope){.pids = &k[1].pid, .npids = 1};
	one.pid = k[1].pid;
	live_start(&one);
	begin(&all, "min(latency) of getppid by pid", shared);
	kid_go(&k[0]);
	kid_end(&k[0]);
	kid_go(&k[1]);
	close(k[1].go);
	live_end(&one); /* waits for that kid */
	live_end(&all);
	assert_int_equal(events_of(&one, k[0].pid), 0);
	assert_int_equal(events_of(&one, k[1].pid), CALLS + OTHERS);
	assert_int_equal(events_of(&all, k[0].pid), CALLS + OTHERS);
	assert_int_equal(events_of(&all, k[1].pid), CALLS + OTHERS);
	live_free(&one);
	live_free(&all);
	rn_shared_destroy(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(different_queries),
		cmocka_unit_test(many_queries),
		cmocka_unit_test(guests_of_two_threads),
		cmocka_unit_test(an_earlier_beginning_is_not_taken),
		cmocka_unit_test(scopes_stay_apart),
	};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
