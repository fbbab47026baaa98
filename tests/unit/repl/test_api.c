/* test_api.c - librunnel's functions by what runnel.h promises, over a generated recording: no
 * right to trace is needed. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "repl/api/runnel.h"
#include "tests/support/gen_trace.h"

enum { EVENTS = 5000 };
static char dir[64], trace[96], catalog[96];

static int make(void **state)
{
	struct rn_err err = {0};

	(void)state;
	strcpy(dir, "/tmp/rn_api.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(trace, sizeof(trace), "%s/t.rnt", dir);
	snprintf(catalog, sizeof(catalog), "%s/catalog.db", dir);
	return rn_gen_trace(trace, EVENTS, 1, &err) < 0;
}

static int unmake(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static struct runnel *session(void)
{
	struct runnel_options o = {.size = sizeof(o), .catalog = catalog};
	struct runnel *r = runnel_open(&o);

	assert_null(runnel_session_error(r));
	return r;
}

/* `%s` of text is the recording. */
static struct runnel_query *query(struct runnel *r, const char *text)
{
	char all[1024];

	snprintf(all, sizeof(all), text, trace);
	return runnel_query_new(r, all);
}

static struct runnel_query *prepared(struct runnel *r, const char *text)
{
	struct runnel_query *q = query(r, text);

	if (runnel_prepare(q) != RUNNEL_OK)
		fail_msg("%s", runnel_error_text(q));
	return q;
}

static void versions_and_statuses_have_names(void **state)
{
	(void)state;
	assert_string_equal(runnel_version(), RUNNEL_VERSION);
	assert_string_equal(runnel_status_name(RUNNEL_E_QUERY), "RUNNEL_E_QUERY");
	assert_string_equal(runnel_status_name(99), "unknown");
}

static void columns_and_values(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	size_t n, len;
	const struct runnel_bucket *b;
	int64_t sum;
	const char *proc;

	(void)state;
	r = session();
	q = prepared(r, "count, hist(latency), p99(latency) as slow, avg(bytes) / 0 as none of "
			"read by proc, error from \"%s\" top 1 by count");
	assert_int_equal(runnel_column_count(q), 6);
	assert_string_equal(runnel_column(q, 0)->name, "proc");
	assert_int_equal(runnel_column(q, 0)->role, RUNNEL_KEY);
	assert_int_equal(runnel_column(q, 0)->type, RUNNEL_TEXT);
	assert_int_equal(runnel_column(q, 1)->unit, RUNNEL_ERRNO);
	assert_int_equal(runnel_column(q, 2)->role, RUNNEL_AGGREGATE);
	assert_int_equal(runnel_column(q, 3)->type, RUNNEL_HIST);
	assert_int_equal(runnel_column(q, 3)->unit, RUNNEL_NS);
	assert_string_equal(runnel_column(q, 4)->name, "slow");
	assert_string_equal(runnel_column(q, 4)->type_name, "duration");
	assert_null(runnel_column(q, 6));
	assert_string_equal(runnel_get_text(q, 0, NULL), ""); /* there is no row yet */
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	b = runnel_get_hist(q, 3, &n);
	sum = 0;
	for (size_t i = 0; i < n; i++) {
		assert_true(isfinite(b[i].low) && b[i].low < b[i].high);
		assert_true(!i || b[i].low == b[i - 1].high);
		sum += b[i].count;
	}
	assert_true(n > 2 && sum == runnel_get_int64(q, 2));
	b = runnel_get_hist(q, 3, NULL); /* of how many, the last one tells */
	assert_true(b[n - 1].low < b[n - 1].high && b[n].low == 0 && b[n].high == 0 &&
		    b[n].count == 0);
	assert_null(runnel_get_hist(q, 0, NULL));
	assert_null(runnel_get_hist(q, 99, NULL));
	assert_true(runnel_get_double(q, 2) == (double)sum);
	proc = runnel_get_text(q, 0, &len);
	assert_int_equal(strlen(proc), len);
	assert_string_equal(runnel_get_text(q, 1, NULL), "");
	assert_int_equal(strtoll(runnel_get_text(q, 4, NULL), NULL, 10), runnel_get_int64(q, 4));
	assert_non_null(strchr(runnel_get_shown(q, 4), ' '));
	assert_true(runnel_is_null(q, 5) && !runnel_is_null(q, 4));
	assert_string_equal(runnel_get_text(q, 5, NULL), "");
	assert_string_equal(runnel_get_shown(q, 5), "-");
	assert_null(runnel_get_hist(q, 0, &n));
	assert_int_equal(runnel_get_int64(q, 99), 0);
	assert_false(runnel_is_other(q) || runnel_snapshot(q) || runnel_window(q));
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	runnel_close(r);
}

/* Calls that were waiting when the recording began have no latency: NULL where it is shown, left
 * out where it is used. */
static void a_call_without_its_begin_has_no_latency(void **state)
{
	struct runnel *r = session();
	struct runnel_query *q = prepared(r, "latency, begin, bytes of syscall from \"%s\"");
	int64_t nulls = 0, known = 0;

	(void)state;
	while (runnel_step(q, -1) == RUNNEL_ROW) {
		assert_int_equal(runnel_is_null(q, 0), runnel_is_null(q, 1));
		assert_false(runnel_is_null(q, 2));
		nulls += runnel_is_null(q, 0);
		known += !runnel_is_null(q, 0);
	}
	runnel_query_free(q);
	assert_true(nulls > 0 && known > nulls);
	q = prepared(r, "count of syscall where latency >= 0ns from \"%s\"");
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_get_int64(q, 0), known);
	runnel_query_free(q);
	runnel_close(r);
}

static void a_window_has_its_times_and_its_rows(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	int64_t last, sum, from, until;
	int status, partial;

	(void)state;
	r = session();
	q = prepared(r, "count of syscall every 100ms from \"%s\"");
	last = 0;
	sum = 0;
	partial = 0;
	assert_int_equal(runnel_column(q, 0)->role, RUNNEL_WINDOW);
	assert_int_equal(runnel_column(q, 0)->unit, RUNNEL_EPOCH);
	while ((status = runnel_step(q, -1)) == RUNNEL_ROW) {
		assert_true(runnel_window(q) > last && runnel_window(q) == runnel_get_int64(q, 0));
		last = runnel_window(q);
		sum += runnel_get_int64(q, 1);
		/* the recording begins with a window, and ends in the last one */
		assert_false(partial);
		partial = runnel_partial(q, &from, &until);
		assert_true(partial || (!from && !until));
	}
	assert_true(partial && from == last && until > last && until < last + 100000000);
	assert_int_equal(runnel_partial(q, NULL, NULL), 0); /* there is no row any more */
	assert_int_equal(status, RUNNEL_DONE);
	assert_int_equal(sum, EVENTS);
	runnel_close(r);
}

static void an_error_has_its_place_and_its_hint(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	const struct runnel_error *e;

	(void)state;
	r = session();
	q = runnel_query_new(r, "p99(latncy) of read where latency > 10 by proc");
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY);
	assert_int_equal(runnel_error_count(q), 2);
	e = runnel_error(q, 0);
	assert_string_equal(e->code, "E-NAME-FIELD");
	assert_string_equal(e->source, "query");
	assert_true(e->line == 1 && e->column == 5 && e->start == 4 && e->end == 10 &&
		    e->severity == RUNNEL_ERROR && !e->system);
	assert_non_null(strstr(e->hint, "latency"));
	assert_string_equal(runnel_error(q, 1)->code, "E-UNIT");
	assert_true(runnel_error(q, 1)->also_end > runnel_error(q, 1)->also_start);
	assert_null(runnel_error(q, 2));
	assert_non_null(strstr(runnel_error_text(q), "^~~~~~"));
	assert_int_equal(runnel_step(q, -1), RUNNEL_E_QUERY); /* of what is wrong nothing runs */
	assert_int_equal(runnel_column_count(q), 0);
	q = runnel_query_new(r, "count of read from \"/nonexistent.rnt\"");
	assert_true(runnel_prepare(q) < 0);
	assert_true(runnel_error_count(q) > 0);
	runnel_close(r);
}

/* A query with a condition that can never hold is right, and runs: what there is to say of it
 * stands beside. */
static void a_note_stands_beside_a_right_query(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	const struct runnel_error *e;

	(void)state;
	r = session();
	q = prepared(r, "count of read where error = -2 from \"%s\"");
	assert_int_equal(runnel_error_count(q), 1);
	e = runnel_error(q, 0);
	assert_int_equal(e->severity, RUNNEL_NOTE);
	assert_string_equal(e->code, "N-NEVER");
	assert_true(e->line == 1 && e->column == 29 && e->start == 28 && e->end == 30);
	assert_non_null(strstr(e->hint, "error = ENOENT"));
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_get_int64(q, 0), 0);
	runnel_close(r);
}

static void a_histogram_has_its_edges(void **state)
{
	static const double fractions[] = {-INFINITY, 0.1, 0.3, 0.5, 0.7, 0.9, 1, INFINITY},
			    whole[] = {-INFINITY, 100, 400, 700, 1000, INFINITY};
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	r = session();
	q = prepared(r, "lhist(bytes / 10000B, 0.1, 1, 0.2), lhist(bytes, 100, 1000, 300), count "
			"of io from \"%s\"");
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	for (unsigned col = 0; col < 2; col++) {
		size_t n;
		const struct runnel_bucket *b = runnel_get_hist(q, col, &n);
		int64_t sum = 0;

		assert_int_equal(n, col ? 5 : 7);
		for (size_t i = 0; i < n; i++) {
			assert_true(b[i].low == (col ? whole : fractions)[i] &&
				    b[i].high == (col ? whole : fractions)[i + 1]);
			sum += b[i].count;
		}
		assert_int_equal(sum, runnel_get_int64(q, 2));
	}
	runnel_close(r);
}

/* What the system refuses of a query has a place in it. */
static void what_the_system_refuses_has_a_place(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	const struct runnel_error *e;

	(void)state;
	setenv("RUNNEL_POLICY", "/nonexistent", 1);
	r = session();
	q = runnel_query_new(r, "time,\n data of write limit 1");
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_E_SYSTEM);
	if (strstr(runnel_error_text(q),
		   "may not trace")) { /* the kernel refuses before the policy */
		runnel_close(r);
		skip();
	}
	e = runnel_error(q, 0);
	assert_string_equal(e->code, "E-SYSTEM");
	assert_string_equal(e->source, "query");
	assert_true(e->line == 2 && e->column == 2 && e->start == 7 && e->end == 11 &&
		    e->system == EPERM);
	assert_non_null(strstr(e->message, "[E-POLICY]"));
	assert_non_null(strstr(runnel_error_text(q), "   ^~~~\n"));
	assert_string_equal(runnel_error_text(q) + strlen(runnel_error_text(q)) - 1, "\n");
	q = runnel_query_new(r, "count of write on nosuch");
	assert_int_equal(runnel_prepare(q), RUNNEL_E_SYSTEM);
	e = runnel_error(q, 0);
	assert_string_equal(e->message, "there is no node `nosuch`");
	assert_true(e->line == 1 && e->column == 19 && e->start == 18 && e->end == 24 && *e->hint);
	runnel_close(r);
	unsetenv("RUNNEL_POLICY");
}

static void statements_run_in_their_order(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	int64_t n;
	char text[512];

	(void)state;
	r = session();
	q = query(r, "count of read from \"%1$s\"; count of write from \"%1$s\"");
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(q, 0)->code, "E-API-ROWS");
	q = query(r, "count of read from \"%s\" format csv to \"/nosuch/rows\"");
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(q, 0)->code, "E-API-ROWS");
	q = runnel_query_new(r, "explain count of read");
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY);
	q = runnel_query_new(r, "");
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	/* A view is saved when the text runs, and known to other sessions then. */
	q = prepared(r, "view reads := count of read from \"%s\"; events of reads");
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	n = runnel_get_int64(q, 0);
	runnel_close(r);
	r = session();
	q = prepared(r, "events of reads");
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_get_int64(q, 0), n);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	/* A recording of the same text: its columns are known when it has been made. */
	snprintf(
		text, sizeof(text),
		"events of read from \"%s\" into \"%s/own.rnt\"; count of read from \"%s/own.rnt\"",
		trace, dir, dir);
	q = runnel_query_new(r, text);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_column_count(q), 1);
	assert_int_equal(runnel_get_int64(q, 0), n);
	runnel_close(r);
}

static void results_and_assertions(void **state)
{
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	r = session();
	q = prepared(r, "let busy := count of syscall by proc from \"%1$s\" top 1; assert count = "
			"1 of busy; proc, count of busy");
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_true(runnel_get_int64(q, 1) > 0);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	q = prepared(r, "assert count > 1000000 of syscall from \"%s\"");
	assert_int_equal(runnel_step(q, -1), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(q, 0)->code, "E-ASSERT");
	runnel_close(r);
}

static void a_parameter_is_bound_by_its_type(void **state)
{
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	r = session();
	q = query(r, "count of syscall where proc = $who and latency > $least from \"%s\"");
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY); /* neither is given */
	assert_string_equal(runnel_error(q, 0)->code, "E-NAME-PARAM");
	assert_non_null(strstr(runnel_error(q, 0)->hint, "runnel_bind_text"));
	assert_non_null(strstr(runnel_error_text(q), "runnel_bind_text"));
	assert_int_equal(runnel_bind_text(q, "who", "java", -1), RUNNEL_OK);
	assert_int_equal(runnel_bind_int64(q, "least", 10), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY); /* a plain number is no duration */
	assert_string_equal(runnel_error(q, 0)->code, "E-UNIT");
	assert_int_equal(runnel_bind_value(q, "least", "1us"), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_true(runnel_get_int64(q, 0) > 0);
	/* Text is a string, whatever it looks like. */
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	assert_int_equal(runnel_bind_text(q, "who", "10ms", -1), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_get_int64(q, 0), 0);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	assert_int_equal(runnel_bind_text(q, "who", "java\" or proc != \"", -1), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_get_int64(q, 0), 0);
	assert_int_equal(runnel_bind_int64(q, "$who", 1), RUNNEL_E_MISUSE);
	assert_int_equal(runnel_bind_double(q, "who", HUGE_VAL), RUNNEL_E_MISUSE);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	q = query(r, "count of syscall from \"%s\"");
	assert_int_equal(runnel_bind_int64(q, "unused", 1), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(q, 0)->code, "E-NAME-PARAM");
	q = query(r, "count of syscall where latency / 1ns > $x from \"%s\"");
	assert_int_equal(runnel_bind_double(q, "x", 2.0), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	runnel_close(r);
}

static void misuse_is_an_error_and_no_crash(void **state)
{
	struct runnel_options o;
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	o = (struct runnel_options){.size = sizeof(o), .queue_bytes = 65536, .catalog = catalog};
	r = runnel_open(&o);
	q = query(r, "events of syscall from \"%s\"");
	assert_int_equal(runnel_step(q, 0), RUNNEL_E_MISUSE);
	assert_string_equal(runnel_error(q, 0)->code, "E-API");
	assert_int_equal(runnel_reset(q), RUNNEL_E_MISUSE);
	assert_int_equal(runnel_refresh(q, 10), RUNNEL_E_MISUSE);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	/* its queue is full long before the last row: it runs */
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_bind_int64(q, "x", 1), RUNNEL_E_MISUSE);
	assert_true(runnel_progress(q)->waiting_bytes <= o.queue_bytes);
	runnel_close(r);
	o.queue_bytes = 1;
	r = runnel_open(&o);
	assert_non_null(runnel_session_error(r));
	assert_int_equal(runnel_prepare(runnel_query_new(r, "count of read")), RUNNEL_E_SYSTEM);
	runnel_close(r);
	o = (struct runnel_options){.size = sizeof(o), .hosts = "/nonexistent"};
	r = runnel_open(&o);
	assert_int_equal(runnel_session_error(r)->system, ENOENT);
	runnel_close(r);
	runnel_close(NULL);
	runnel_query_free(NULL);
}

static int64_t number(struct runnel_query *q)
{
	int64_t n;

	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	n = runnel_get_int64(q, 0);
	assert_int_equal(runnel_step(q, -1), RUNNEL_DONE);
	return n;
}

/* One of two queries is ended, the other goes on. */
static void one_ends(struct runnel_query *const rows[2])
{
	int status;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(runnel_reset(rows[i]), RUNNEL_OK);
		assert_int_equal(runnel_step(rows[i], -1), RUNNEL_ROW);
	}
	runnel_query_cancel(rows[0]);
	assert_int_equal(runnel_step(rows[0], -1), RUNNEL_INTERRUPTED);
	assert_int_equal(runnel_step(rows[1], -1), RUNNEL_ROW);
	runnel_query_stop(rows[1]);
	while ((status = runnel_step(rows[1], -1)) == RUNNEL_ROW)
		;
	assert_int_equal(status, RUNNEL_DONE);
}

/* Queries of one session in turns: each with its own rows, its own end, and the names that its own
 * text has made. */
static void queries_of_one_session_run_in_turns(void **state)
{
	enum { MANY = 20 };
	int64_t n[2] = {0}, last[2] = {0};
	struct runnel_options o;
	struct runnel *r;
	struct runnel_query *many[MANY], *rows[2], *q;

	(void)state;
	o = (struct runnel_options){.size = sizeof(o), .queue_bytes = 65536, .catalog = catalog};
	r = runnel_open(&o);
	rows[0] = prepared(r, "time, pid of syscall from \"%s\"");
	rows[1] = prepared(r, "time of syscall from \"%s\"");
	q = prepared(r, "use io; view own_reads := count of read from \"%s\"; events of own_reads");
	for (int i = 0; i < MANY; i++)
		many[i] = prepared(r, "count of syscall from \"%s\"");
	for (bool any = true; any;) {
		any = false;
		for (int i = 0; i < 2; i++) {
			if (runnel_step(rows[i], -1) != RUNNEL_ROW)
				continue;
			any = true;
			assert_true(runnel_get_int64(rows[i], 0) >= last[i]);
			last[i] = runnel_get_int64(rows[i], 0);
			n[i]++;
			if (n[0] == 10 && !i) { /* amid both: others begin, end, are checked */
				assert_int_equal(number(many[0]), EVENTS);
				assert_true(number(q) > 0);
				assert_int_equal(
					number(prepared(r, "count of syscall from \"%s\"")),
					EVENTS);
			}
		}
	}
	assert_true(n[0] == EVENTS && n[1] == EVENTS);
	for (int i = 1; i < MANY; i++)
		assert_int_equal(runnel_start(many[i], 0) < 0, 0);
	for (int i = 1; i < MANY; i++)
		assert_int_equal(number(many[i]), EVENTS);
	one_ends(rows);
	assert_int_equal(runnel_reset(many[0]), RUNNEL_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(runnel_reset(rows[i]), RUNNEL_OK);
		assert_int_equal(runnel_step(rows[i], -1), RUNNEL_ROW);
	}
	runnel_cancel(r); /* all of them; what had not begun forgets it with the first that ends */
	for (int i = 0; i < 2; i++)
		assert_int_equal(runnel_step(rows[i], -1), RUNNEL_INTERRUPTED);
	assert_int_equal(number(many[0]), EVENTS);
	runnel_close(r);
}

/* The result of a `let` is read by two queries at once. */
static void several_results(void **state)
{
	struct runnel_options o;
	struct runnel *r;
	struct runnel_query *let, *a, *b;
	int64_t n;

	(void)state;
	o = (struct runnel_options){.size = sizeof(o), .queue_bytes = 65536, .catalog = catalog};
	r = runnel_open(&o);
	let = prepared(r, "let all := time, pid of syscall from \"%s\";");
	assert_int_equal(runnel_step(let, -1), RUNNEL_DONE);
	a = prepared(r, "time of all");
	b = prepared(r, "pid of all");
	n = 0;
	while (runnel_step(a, -1) == RUNNEL_ROW)
		n += runnel_step(b, -1) == RUNNEL_ROW;
	assert_int_equal(n, EVENTS);
	assert_int_equal(runnel_step(b, -1), RUNNEL_DONE);
	runnel_close(r);
}

/* While a query runs, its ledger tells what is known: at least what the rows that were taken stand
 * for. */
static void ledger_so_far(void **state)
{
	struct runnel_options o;
	struct runnel *r;
	struct runnel_query *q;
	int64_t events, seen;
	int told, status;

	(void)state;
	o = (struct runnel_options){.size = sizeof(o), .queue_bytes = 65536, .catalog = catalog};
	r = runnel_open(&o);
	q = prepared(r, "count of syscall by pid, tid, time every 10ms from \"%s\"");
	events = 0;
	seen = 0;
	told = 0;
	assert_null(runnel_ledger_of(q, -1));
	while ((status = runnel_step(q, -1)) == RUNNEL_ROW) {
		const struct runnel_ledger *l = runnel_ledger_of(q, -1);

		events += runnel_get_int64(q, 4);
		if (!runnel_ledger_nodes(q))
			continue;
		assert_true(l && runnel_ledger_of(q, 0) && !runnel_ledger_of(q, 1));
		assert_true(l->items[0] >= events && l->items[0] >= seen);
		if (l->items[0] < EVENTS) {
			assert_non_null(strstr(runnel_ledger_json(q),
					       "\"so_far\": true, \"complete\": null"));
			assert_int_equal(strncmp(runnel_ledger_text(q), "ledger so far: ", 15), 0);
			assert_false(runnel_complete(q));
			told++;
		}
		seen = l->items[0];
	}
	assert_int_equal(status, RUNNEL_DONE);
	assert_true(told > 0 && events == EVENTS);
	assert_true(runnel_complete(q) && runnel_ledger_of(q, -1)->items[0] == EVENTS);
	assert_null(strstr(runnel_ledger_json(q), "so_far"));
	runnel_close(r);
}

/* A bounded queue gives all rows in order; reset runs it again. */
static void queue_and_reset(void **state)
{
	struct runnel_options o;
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	o = (struct runnel_options){.size = sizeof(o), .queue_bytes = 65536, .catalog = catalog};
	r = runnel_open(&o);
	q = prepared(r, "time, pid of syscall from \"%s\"");
	for (int round = 0; round < 2; round++) {
		int64_t last = 0;
		int n = 0, status;

		while ((status = runnel_step(q, -1)) == RUNNEL_ROW) {
			assert_true(runnel_get_int64(q, 0) >= last);
			last = runnel_get_int64(q, 0);
			n++;
		}
		assert_int_equal(status, RUNNEL_DONE);
		assert_int_equal(n, EVENTS);
		assert_int_equal(runnel_reset(q), RUNNEL_OK);
	}
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_int_equal(runnel_reset(q), RUNNEL_OK); /* amid it */
	runnel_close(r);
}

static void a_query_may_end_before_its_rows(void **state)
{
	struct runnel *r;
	struct runnel_query *q, *other;

	(void)state;
	r = session();
	q = prepared(r, "events of syscall from \"%s\"");
	runnel_cancel(r); /* before it has begun */
	assert_int_equal(runnel_step(q, -1), RUNNEL_INTERRUPTED);
	assert_int_equal(runnel_step(q, -1), RUNNEL_INTERRUPTED);
	assert_null(runnel_ledger_of(q, -1));
	assert_int_equal(runnel_reset(q), RUNNEL_OK);
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	runnel_cancel(r);
	assert_int_equal(runnel_step(q, -1), RUNNEL_INTERRUPTED);
	assert_int_equal(runnel_get_int64(q, 0), 0);
	/* What was asked of one query is not asked of the next. */
	other = prepared(r, "count of syscall from \"%s\"");
	assert_int_equal(runnel_step(other, -1), RUNNEL_ROW);
	assert_int_equal(runnel_step(other, -1), RUNNEL_DONE);
	runnel_close(r);
}

static void the_ledger_counts_what_the_query_saw(void **state)
{
	struct runnel *r;
	struct runnel_query *q;
	const struct runnel_ledger *all;
	int loss, seen;

	(void)state;
	r = session();
	q = prepared(r, "count of syscall from \"%s\"");
	assert_int_equal(runnel_ledger_nodes(q), 0);
	assert_string_equal(runnel_ledger_json(q), "");
	while (runnel_step(q, -1) == RUNNEL_ROW)
		;
	assert_true(runnel_complete(q) && runnel_ledger_nodes(q) >= 1);
	all = runnel_ledger_of(q, -1);
	seen = -1;
	for (unsigned i = 0; i < all->nitems; i++) {
		assert_non_null(runnel_ledger_item_text(i));
		if (!strcmp(runnel_ledger_item_name(i, &loss), "seen"))
			seen = (int)i;
	}
	assert_true(seen >= 0 && all->items[seen] == EVENTS && all->lost == 0 && all->answered);
	assert_null(runnel_ledger_item_name(all->nitems, NULL));
	assert_null(runnel_ledger_of(q, (int)runnel_ledger_nodes(q)));
	assert_int_equal(strncmp(runnel_ledger_json(q), "{\"ledger\": {\"seen\": 5000, ", 26), 0);
	assert_non_null(strstr(runnel_ledger_text(q), "5,000 seen"));
	assert_int_equal(runnel_progress(q)->seen, EVENTS);
	assert_non_null(strstr(runnel_explain_query(q), "syscall"));
	runnel_close(r);
}

/* A program with a locale of its own: numbers stay those of the language. */
static void a_locale_changes_no_number(void **state)
{
	static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "pt_BR.UTF-8"};
	bool any;
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	any = false;
	for (unsigned i = 0; i < 3 && !any; i++)
		any = setlocale(LC_ALL, commas[i]);
	if (!any)
		skip(); /* none of them is installed */
	r = session();
	q = prepared(r, "avg(latency) of syscall where latency > 1.5us from \"%s\"");
	assert_int_equal(runnel_step(q, -1), RUNNEL_ROW);
	assert_null(strchr(runnel_get_text(q, 0, NULL), ','));
	runnel_close(r);
	setlocale(LC_ALL, "C");
}

static int run_text(struct runnel *r, const char *text)
{
	struct runnel_query *q = prepared(r, text);
	int status = runnel_step(q, -1);

	runnel_query_free(q);
	return status;
}

/* The results of a session outlive the texts that made them; one that is replaced lives as long as
 * a text that reads it. */
static void a_result_outlives_the_text_that_made_it(void **state)
{
	struct runnel *r, *other;
	struct runnel_query *q, *wrong, *before, *later, *own;

	(void)state;
	r = session();
	other = session();
	assert_int_equal(run_text(r, "let r := count as n of syscall by proc from \"%s\";"),
			 RUNNEL_DONE);
	q = prepared(r, "sum(n) of r");
	wrong = query(other, "sum(n) of r");
	assert_int_equal(number(q), EVENTS);
	assert_non_null(strstr(runnel_ledger_text(q), "5,000 seen"));
	/* sessions know nothing of each other */
	assert_int_equal(runnel_prepare(wrong), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(wrong, 0)->code, "E-NAME-SOURCE");
	before = prepared(r, "sum(n) of r");
	assert_int_equal(
		run_text(r, "let r := count as n of syscall where proc = nosuch from \"%s\""),
		RUNNEL_DONE);
	assert_int_equal(number(before), EVENTS);
	runnel_query_free(before);
	later = prepared(r, "sum(n) of r");
	assert_int_equal(number(later), 0);
	own = prepared(r, "let mine := count as n of syscall from \"%s\"; let r := n * 2 as twice "
			  "of mine; twice of r");
	assert_string_equal(runnel_column(own, 0)->name, "twice");
	assert_int_equal(number(own), 2 * EVENTS);
	runnel_query_free(own);
	runnel_query_free(later);
	runnel_query_free(wrong);
	runnel_query_free(q);
	runnel_close(other);
	runnel_close(r);
}

static void an_assertion_that_fails_says_what_it_found(void **state)
{
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	r = session();
	assert_int_equal(run_text(r, "assert count = 5000 of syscall from \"%s\""), RUNNEL_DONE);
	q = prepared(r, "\nassert count < 10 of syscall from \"%s\" else \"too many\"");
	assert_int_equal(runnel_step(q, -1), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(q, 0)->code, "E-ASSERT");
	assert_string_equal(runnel_error(q, 0)->message, "too many");
	assert_int_equal(runnel_error(q, 0)->line, 2);
	assert_string_equal(runnel_error(q, 0)->hint, "count = 5000");
	runnel_query_free(q);
	runnel_close(r);
}

static void declared_parameters(void **state)
{
	struct runnel *r;
	struct runnel_query *q;

	(void)state;
	r = session();
	q = query(r, "param who string; param least duration = 1ns; count of syscall where proc = "
		     "$who and latency > $least from \"%s\"");
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(q, 0)->code, "E-PARAM");
	/* of the declared type, whatever it was bound as */
	assert_int_equal(runnel_bind_int64(q, "who", 12), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_int_equal(number(q), 0);
	assert_int_equal(runnel_bind_text(q, "who", "java", -1), RUNNEL_OK);
	assert_int_equal(runnel_bind_value(q, "least", "5"), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_E_QUERY);
	assert_string_equal(runnel_error(q, 0)->code, "E-PARAM");
	assert_int_equal(runnel_bind_value(q, "least", "0ns"), RUNNEL_OK);
	assert_int_equal(runnel_prepare(q), RUNNEL_OK);
	assert_true(number(q) > 0);
	runnel_query_free(q);
	runnel_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_and_statuses_have_names),
		cmocka_unit_test(columns_and_values),
		cmocka_unit_test(a_call_without_its_begin_has_no_latency),
		cmocka_unit_test(a_window_has_its_times_and_its_rows),
		cmocka_unit_test(an_error_has_its_place_and_its_hint),
		cmocka_unit_test(a_note_stands_beside_a_right_query),
		cmocka_unit_test(a_histogram_has_its_edges),
		cmocka_unit_test(what_the_system_refuses_has_a_place),
		cmocka_unit_test(statements_run_in_their_order),
		cmocka_unit_test(results_and_assertions),
		cmocka_unit_test(a_parameter_is_bound_by_its_type),
		cmocka_unit_test(misuse_is_an_error_and_no_crash),
		cmocka_unit_test(queue_and_reset),
		cmocka_unit_test(queries_of_one_session_run_in_turns),
		cmocka_unit_test(several_results),
		cmocka_unit_test(ledger_so_far),
		cmocka_unit_test(a_query_may_end_before_its_rows),
		cmocka_unit_test(the_ledger_counts_what_the_query_saw),
		cmocka_unit_test(a_locale_changes_no_number),
		cmocka_unit_test(a_result_outlives_the_text_that_made_it),
		cmocka_unit_test(an_assertion_that_fails_says_what_it_found),
		cmocka_unit_test(declared_parameters),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
