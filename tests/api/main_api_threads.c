/* main_api_threads.c - api_threads TRACE [ROUNDS]: sessions of librunnel in threads of their own,
 * over a recording, tables and (where that is permitted) live events, while another thread stops
 * and cancels them. Built with -fsanitize=thread by `make test-tsan`, where any data race is a
 * report.
 *
 * Each answer over the recording must be the same as the one that was given first, whatever runs
 * beside it. Exit 0: it was. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "repl/api/runnel.h"

enum { SESSIONS = 2 };

static const char *trace;
static int rounds = 5;
static bool live;
static atomic_bool over;
/* closed at the end, when nobody can end their queries any more */
static struct runnel *sessions[SESSIONS];
/* The session with the live query that the third thread ends, under the lock. A late request must
 * not meet the next query, which is prepared after it. */
static struct runnel *victim[SESSIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int failures, ended;

static void fail(const char *what, const struct runnel_query *q)
{
	fprintf(stderr, "%s: %s\n", what, runnel_error_text(q));
	atomic_fetch_add(&failures, 1);
}

/* All rows of a text as one; NULL: it failed. */
static char *answer(struct runnel *r, const char *text)
{
	struct runnel_query *q = runnel_query_new(r, text);
	size_t n;
	char *s = NULL;
	int status = runnel_bind_text(q, "from", trace, -1);
	FILE *f = open_memstream(&s, &n);

	if (status == RUNNEL_OK && strstr(text, "$who"))
		status = runnel_bind_text(q, "who", "java", -1);
	if (status == RUNNEL_OK)
		status = runnel_prepare(q);
	while (status >= 0 && (status = runnel_step(q, -1)) == RUNNEL_ROW)
		for (unsigned i = 0; i < runnel_column_count(q); i++)
			fprintf(f, "%s %s\n", runnel_get_text(q, i, NULL), runnel_get_shown(q, i));
	fclose(f);
	if (status != RUNNEL_DONE)
		fail(text, q);
	else if (!runnel_ledger_json(q)[0] || !runnel_complete(q))
		fail("incomplete", q);
	runnel_query_free(q);
	return s;
}

static const char *const recorded[] = {
	"count, p99(latency), hist(latency) of syscall by proc, name from $from",
	"events of read where proc = $who from $from limit 50",
	"count of syscall by proc every 1s from $from",
	"top 3 of (sum(bytes) as moved of io by file from $from)",
	"use io; view slow(t, f) := count of syscall where latency > $t by proc from $f; events of "
	"slow(1us, $from)",
};
enum { TEXTS = sizeof(recorded) / sizeof(*recorded) };
static char *expected[TEXTS];

static void ask_recordings(struct runnel *r)
{
	for (int i = 0; i < TEXTS - 1; i++) { /* the last one changes the catalogue */
		char *got = answer(r, recorded[i]);

		if (strcmp(got, expected[i])) {
			fprintf(stderr, "another answer: %s\n", recorded[i]);
			atomic_fetch_add(&failures, 1);
		}
		free(got);
	}
}

static void ask_wrong(struct runnel *r)
{
	struct runnel_query *q =
		runnel_query_new(r, "p99(latncy) of read where latency > 10 by proc");

	if (runnel_prepare(q) != RUNNEL_E_QUERY || runnel_error_count(q) != 2)
		fail("two mistakes", q);
	runnel_query_free(q);
}

static void set_victim(int n, struct runnel *r)
{
	pthread_mutex_lock(&lock);
	victim[n] = r;
	pthread_mutex_unlock(&lock);
}

/* Several at once in one session, two of them over one kept result; live ones too, where that is
 * permitted. Each begins before the first is over. */
static void ask_together(struct runnel *r)
{
	static const char *const texts[] = {"n of kept",
					    "time, pid of syscall from $from",
					    "sum(n) of kept",
					    "count of syscall by proc from $from",
					    "count of syscall by proc every 20ms for 100ms",
					    "events of syscall for 100ms"};
	enum { N = sizeof(texts) / sizeof(*texts) };
	struct runnel_query *q[N];
	int status[N], left = live ? N : N - 2, n = left;

	free(answer(r, "let kept := count as n of syscall by proc, name from $from;"));
	for (int i = 0; i < n; i++) {
		q[i] = runnel_query_new(r, texts[i]);
		if (strstr(texts[i], "$from"))
			runnel_bind_text(q[i], "from", trace, -1);
		status[i] = runnel_prepare(q[i]);
		if (status[i] == RUNNEL_OK)
			status[i] = runnel_start(q[i], 0);
		if (status[i] < 0)
			fail(texts[i], q[i]);
	}
	while (left) {
		left = 0;
		for (int i = 0; i < n; i++) {
			if (status[i] < 0 || status[i] == RUNNEL_DONE)
				continue;
			left++;
			status[i] = runnel_step(q[i], 1);
			runnel_ledger_text(q[i]);
			if (status[i] < 0)
				fail(texts[i], q[i]);
		}
	}
	for (int i = 0; i < n; i++)
		runnel_query_free(q[i]);
}

/* Until the third thread ends it. */
static void ask_live(struct runnel *r, int n)
{
	struct runnel_query *q =
		runnel_query_new(r, n % 2 ? "count, hist(latency) of syscall by proc every 50ms"
					  : "events of syscall");
	int status = runnel_prepare(q);

	set_victim(n, r);
	while (status >= 0 && (status = runnel_step(q, n % 2 ? -1 : 20)) != RUNNEL_DONE &&
	       status != RUNNEL_INTERRUPTED)
		(void)runnel_progress(q)->seen;
	set_victim(n, NULL);
	if (status < 0)
		fail("live", q);
	else
		atomic_fetch_add(&ended, 1);
	runnel_query_free(q);
}

static void *session(void *arg)
{
	int n = *(int *)arg;
	struct runnel *r = sessions[n] = runnel_open(NULL);

	for (int i = 0; i < rounds; i++) {
		char *table;

		ask_recordings(r);
		ask_wrong(r);
		table = answer(r,
			       "use proc; pid, proc, rss of processes where proc != $from order by "
			       "rss desc limit 5");
		free(table);
		ask_together(r);
		if (live)
			ask_live(r, n);
	}
	return NULL;
}

static void *ender(void *arg)
{
	for (unsigned i = 0; !atomic_load(&over); i++) {
		usleep(100000);
		pthread_mutex_lock(&lock);
		if (victim[i % SESSIONS] && i & SESSIONS)
			runnel_stop(victim[i % SESSIONS]);
		else if (victim[i % SESSIONS])
			runnel_cancel(victim[i % SESSIONS]);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static bool may_trace(struct runnel *r)
{
	struct runnel_query *q = runnel_query_new(r, "count of syscall for 10ms");
	int status = runnel_prepare(q);

	while (status >= 0 && (status = runnel_step(q, -1)) == RUNNEL_ROW)
		;
	runnel_query_free(q);
	return status == RUNNEL_DONE;
}

int main(int argc, char **argv)
{
	int number[SESSIONS];
	pthread_t t[SESSIONS], third;
	struct runnel *first = runnel_open(NULL);

	if (argc < 2)
		return 2;
	trace = argv[1];
	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	live = may_trace(first);
	for (int i = 0; i < TEXTS - 1; i++)
		expected[i] = answer(first, recorded[i]);
	free(answer(first, recorded[TEXTS - 1]));
	runnel_close(first);
	pthread_create(&third, NULL, ender, NULL);
	for (int i = 0; i < SESSIONS; i++) {
		number[i] = i;
		pthread_create(&t[i], NULL, session, &number[i]);
	}
	for (int i = 0; i < SESSIONS; i++)
		pthread_join(t[i], NULL);
	atomic_store(&over, true);
	pthread_join(third, NULL);
	for (int i = 0; i < SESSIONS; i++)
		runnel_close(sessions[i]);
	for (int i = 0; i < TEXTS; i++)
		free(expected[i]);
	printf("%d rounds in %d sessions, %d live queries ended, %d failures\n", rounds, SESSIONS,
	       atomic_load(&ended), atomic_load(&failures));
	return atomic_load(&failures) > 0;
}
