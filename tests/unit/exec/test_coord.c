/* test_coord.c - whole queries over fake nodes: merge, finish, SQL, order, limits, windows, nested
 * queries, sets, relays, frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>
#include "exec/coord/coord.h"
#include "exec/answer/answer.h"
#include "planner/plan/ledger.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/fake_provider.h"
#include "tests/support/rows_text.h"

enum { MS = 1000000, MAX_FIELDS = 64, NROWS = 12, NNODES = 3 };

static const struct {
	int ms;
	const char *node, *proc;
	int pid;
	const char *file;
	int bytes, latency;
} events[NROWS] = {
	{0, "n1", "dd", 10, "/dev/zero", 100, 5},
	{100, "n2", "java", 20, "/var/log/a.log", 50, 9},
	{200, "n1", "dd", 10, "/dev/null", 100, 7},
	{300, "n3", "cat", 30, "/etc/passwd", 7, 1},
	{1000, "n1", "java", 21, "/var/log/b.log", 0, 40},
	{1100, "n2", "java", 20, "/var/log/a.log", 60, 3},
	{1200, "n3", "cat", 31, "/etc/hosts", 8, 2},
	{1300, "n1", "dd", 10, "/dev/zero", 100, 6},
	{3000, "n2", "dd", 11, "/dev/zero", 4096, 8},
	{3100, "n1", "java", 21, "/var/log/b.log", 70, 4},
	{3200, "n1", "sh", 40, "", 0, 1},
	{3300, "n3", "cat", 31, "/etc/hosts", 9, 2},
};

struct lab { /* the events, shared out to nodes */
	struct rn_value v[NNODES][NROWS * MAX_FIELDS];
	int64_t time[NNODES][NROWS];
	struct rn_fake_rows rows[NNODES];
	struct rn_provider provider[NNODES];
	struct rn_node node[NNODES];
};

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

static const struct rn_catalog *catalog(void)
{
	return rn_fake_catalog();
}

static struct lab *lab_new(unsigned nnodes)
{
	static const char *const names[NNODES] = {"n1", "n2", "n3"};
	const struct rn_catalog *c = catalog();
	const struct rn_class *cls = c->find(c->self, "io", NULL, NULL, 0);
	struct lab *l = calloc(1, sizeof(*l));

	for (unsigned i = 0; i < NROWS; i++) {
		unsigned n = nnodes == 1 ? 0 : (unsigned)(events[i].node[1] - '1');
		struct rn_fake_rows *r = &l->rows[n];
		struct rn_value *row = l->v[n] + r->nrows * cls->nfields;

		rn_fake_row(row, cls);
		rn_fake_set(row, cls, "time", rn_int((int64_t)events[i].ms * MS));
		rn_fake_set(row, cls, "node", str(events[i].node));
		rn_fake_set(row, cls, "proc", str(events[i].proc));
		rn_fake_set(row, cls, "pid", rn_int(events[i].pid));
		rn_fake_set(row, cls, "file", str(events[i].file));
		rn_fake_set(row, cls, "bytes", rn_int(events[i].bytes));
		rn_fake_set(row, cls, "latency", rn_int(events[i].latency));
		l->time[n][r->nrows++] = (int64_t)events[i].ms * MS;
	}
	for (unsigned n = 0; n < NNODES; n++) {
		l->rows[n].v = l->v[n];
		l->rows[n].time_ns = l->time[n];
		l->rows[n].ncols = cls->nfields;
		l->rows[n].cls = cls;
		l->rows[n].batch = 2;
		l->provider[n] = rn_fake_provider(&l->rows[n]);
		l->node[n] = (struct rn_node){names[n], &l->provider[n]};
	}
	return l;
}

struct answer {
	struct rn_rows_text rows;
	struct rn_ledgers l;
	struct rn_err err;
	struct rn_arena *a;
	int rc;
};

static struct rn_plan *plan(struct rn_arena *a, const char *text, struct rn_plan_opts opts)
{
	struct rn_names names = {.catalog = catalog()};
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_file *f = rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)));
	struct rn_plan *p = NULL;

	if (!rn_diag_errors(d) && rn_resolve(a, d, f->stmts->query, &names))
		p = rn_plan_query(a, d, f->stmts->query, &names, &opts);
	if (!p)
		print_message("%s\n%s", text, rn_diag_render(d, a, false));
	return p;
}

static struct answer ask_of(struct lab *l, const char *text, struct rn_plan_opts popts,
			    struct rn_run_opts o)
{
	struct answer r = {.a = rn_arena_create(RN_ARENA_CAP)};
	struct rn_plan *p = plan(r.a, text, popts);
	struct rn_output out = rn_rows_text_output(&r.rows);

	assert_non_null(p);
	o.nodes = l->node;
	o.catalog = catalog();
	r.rc = rn_coord_run(r.a, p, &o, &out, &r.l, &r.err);
	if (r.rc)
		print_message("%s: %s\n", text, r.err.text);
	return r;
}

static void answer_free(struct answer *r)
{
	rn_rows_text_free(&r->rows);
	rn_arena_destroy(r->a);
}

/* The same rows in every way to run it, and as many results that have more than 64 bits. lines:
 * joined by \n. */
static void expect_overflow(const char *text, const char *lines, int64_t overflow)
{
	static const struct {
		const char *name;
		unsigned nodes, fanout;
		bool frames, no_pushdown;
	} ways[] = {
		{"one node", 1, 0, false, false},
		{"three nodes", 3, 0, false, false},
		{"relays", 3, 2, false, false},
		{"relays and frames", 3, 2, true, false},
		{"at the coordinator", 3, 0, false, true},
		{"at the coordinator, frames", 3, 2, true, true},
	};

	int64_t wanted = overflow;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct lab *l = lab_new(ways[i].nodes);
		struct answer r = ask_of(l, text,
					 (struct rn_plan_opts){.no_kernel = true,
							       .no_pushdown = ways[i].no_pushdown},
					 (struct rn_run_opts){.nnodes = ways[i].nodes,
							      .fanout = ways[i].fanout,
							      .frames = ways[i].frames});
		char got[4096] = "";

		for (unsigned k = 0; k < r.rows.n; k++)
			strcat(strcat(got, k ? "\n" : ""), r.rows.line[k]);
		if (r.rc || strcmp(got, lines))
			print_message("%s: %s\n", ways[i].name, text);
		assert_int_equal(r.rc, 0);
		assert_string_equal(got, lines);
		assert_int_equal(r.l.n, ways[i].nodes);
		assert_int_equal(rn_ledger_complete(&r.l), !overflow);
		for (unsigned n = 0; n < ways[i].nodes; n++) {
			assert_int_equal(l->rows[n].closed, l->rows[n].started);
			overflow -= r.l.nodes[n].n[RN_L_OVERFLOW];
		}
		if (overflow)
			print_message("%s: %s\n", ways[i].name, text);
		assert_int_equal(overflow, 0);
		overflow = wanted;
		answer_free(&r);
		free(l);
	}
}

static void expect(const char *text, const char *lines)
{
	expect_overflow(text, lines, 0);
}

/* What matched is what passed in the end, wherever that was tested. */
static void matched_counts_what_passed_in_the_end(void **state)
{
	(void)state;
	for (int no_pushdown = 0; no_pushdown < 2; no_pushdown++) {
		struct lab *l = lab_new(3);
		struct answer r =
			ask_of(l, "count of io where proc = java",
			       (struct rn_plan_opts){.no_kernel = true, .no_pushdown = no_pushdown},
			       (struct rn_run_opts){.nnodes = 3, .frames = true});
		int64_t seen = 0, n = 0;

		for (unsigned i = 0; i < r.l.n; i++) {
			seen += r.l.nodes[i].n[RN_L_SEEN];
			n += r.l.nodes[i].n[RN_L_MATCHED];
		}
		assert_int_equal(seen, 12);
		assert_int_equal(n, 4);
		answer_free(&r);
		free(l);
	}
}

static void groups_over_nodes_are_whole(void **state)
{
	(void)state;
	expect("count, sum(bytes) of io by proc", "dd|4|4396\njava|4|180\ncat|3|24\nsh|1|0");
	expect("sum(bytes) as b of io by proc having b > 100 order by b", "java|180\ndd|4396");
	expect("count, min(bytes), max(latency) of io where proc = nosuch", "0||");
	expect("count of io where proc = nosuch by proc", "");
	expect("max(latency) - min(latency), sum(bytes) / count of io by node",
	       "n1|39|61\nn2|6|1402\nn3|1|8");
	expect("count of io by basename(file) top 2", "zero|3\na.log|2");
	expect("count of io by proc having proc ~ \"*a*\" and not count > 3", "cat|3");
	expect("set(proc) of io where bytes >= 50", "[\"dd\",\"java\"]");
}

static void null_logic(void **state)
{
	(void)state;
	expect("sum(pid) / (count - count) as x of io by proc having not x > 1",
	       "cat|\ndd|\njava|\nsh|");
	expect("sum(pid) / (count - count) as x of io by proc having x = 0 or x != 0", "");
	expect_overflow(
		"max(pid) * 4611686018427387904 as x of io where pid = 40 or proc = cat by proc",
		"cat|\nsh|", 2);
}

static void windows_have_their_own_groups(void **state)
{
	(void)state;
	expect("count of io by proc every 1s",
	       "0|dd|2\n0|cat|1\n0|java|1\n1000000000|java|2\n1000000000|cat|1\n1000000000|dd|1\n"
	       "3000000000|cat|1\n3000000000|dd|1\n3000000000|java|1\n3000000000|sh|1");
	expect("sum(bytes) of io by proc every 1s top 1",
	       "0|dd|200\n1000000000|dd|100\n3000000000|dd|4096");
	expect("count, rate of io having count > 0 every 1s",
	       "0|4|4\n1000000000|4|4\n3000000000|4|4");
}

static void rows_come_in_the_order_asked_for(void **state)
{
	(void)state;
	expect("proc, bytes of io order by bytes desc, proc limit 3", "dd|4096\ndd|100\ndd|100");
	expect("proc of io where bytes > 100", "dd");
	expect("pid, bytes * 2 as b of io where proc = cat order by b", "30|14\n31|16\n31|18");
	expect("proc, latency of io top 2", "java|40\njava|9");
}

static void a_nested_query_is_a_table_of_the_outer_one(void **state)
{
	(void)state;
	expect("top 2 of (sum(bytes) as b of io by file)", "/dev/zero|4296\n/var/log/a.log|110");
	expect("count, max(b) of (sum(bytes) as b of io by file)", "7|4296");
	expect("sum(c) of (count as c of io by proc every 1s) by window order by window",
	       "0|4\n1000000000|4\n3000000000|4");
}

static void node_count(void **state)
{
	struct lab *l = lab_new(3);
	struct answer r =
		ask_of(l, "count of io by proc having distinct(node) = nodes()",
		       (struct rn_plan_opts){.no_kernel = true}, (struct rn_run_opts){.nnodes = 3});

	(void)state;
	assert_int_equal(r.rows.n, 0);
	answer_free(&r);
	r = ask_of(l, "count of io by proc having distinct(node) + 1 = nodes()",
		   (struct rn_plan_opts){.no_kernel = true}, (struct rn_run_opts){.nnodes = 3});
	assert_int_equal(r.rows.n, 2); /* dd and java: on two of three */
	answer_free(&r);
	free(l);
}

/* One node of three breaks: the others' answer stands and says so. The only node: an error. */
static void broken_node(void **state)
{
	struct lab *l = lab_new(3);
	struct answer r;

	(void)state;
	l->rows[2].fail_after = 1;
	r = ask_of(l, "count of io by node", (struct rn_plan_opts){.no_kernel = true},
		   (struct rn_run_opts){.nnodes = 3});
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.rows.n, 3);
	assert_string_equal(r.rows.line[0], "n1|6");
	assert_false(rn_ledger_complete(&r.l));
	assert_false(r.l.nodes[2].answered);
	assert_string_equal(r.l.nodes[2].why, "the fake source broke");
	answer_free(&r);
	free(l);

	l = lab_new(1);
	l->rows[0].fail_after = 1;
	r = ask_of(l, "count of io by node", (struct rn_plan_opts){.no_kernel = true},
		   (struct rn_run_opts){.nnodes = 1});
	assert_int_equal(r.rc, -EIO);
	assert_int_equal(l->rows[0].closed, 1);
	answer_free(&r);
	free(l);
}

/* Keys beyond the bound are counted in (other), which comes last and is in the ledger: nothing is
 * lost silently. */
static void note_other(void *self, int column)
{
	struct rn_rows_text *t = self;

	assert_int_equal(t->n, 2); /* its row comes next */
	assert_int_equal(column, 0);
	t->others++;
}

static void groups_beyond_the_limit_are_in_other(void **state)
{
	static const char *const queries[][2] = {
		{"count, sum(bytes) of io by proc", "(other)|4|24"},
		{"count, sum(bytes) of io by pid", "|"},
		/* limits are of groups: (other) comes after them */
		{"count, sum(bytes) of io by proc top 2", "(other)|4|24"},
		{"count, sum(bytes) of io by pid limit 2", "|"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		struct lab *l = lab_new(1);
		struct answer r = {.a = rn_arena_create(RN_ARENA_CAP)};
		struct rn_plan *p =
			plan(r.a, queries[i][0], (struct rn_plan_opts){.no_kernel = true});
		struct rn_output out = rn_rows_text_output(&r.rows);

		p->frag.max_groups = 2;
		out.other = note_other;
		assert_int_equal(rn_coord_run(r.a, p,
					      &(struct rn_run_opts){.nodes = l->node, .nnodes = 1},
					      &out, &r.l, &r.err),
				 0);
		assert_int_equal(r.rows.n, 3);
		assert_int_equal(r.rows.others, 1);
		assert_int_equal(strncmp(r.rows.line[2], queries[i][1], strlen(queries[i][1])), 0);
		assert_true(r.l.nodes[0].n[RN_L_LOST_MAP] >= 4);
		assert_false(rn_ledger_complete(&r.l));
		answer_free(&r);
		free(l);
	}
}

/* Three events of a window that has been delivered: they are in no row, and counted. */
static void events_of_a_delivered_window_are_counted_as_late(void **state)
{
	struct lab *l = lab_new(1);
	struct answer r;

	(void)state;
	for (int i = 0; i < 3; i++)
		l->time[0][NROWS - 1 - i] = 400 * MS;
	r = ask_of(l, "count of io having count > 0 every 1s",
		   (struct rn_plan_opts){.no_kernel = true}, (struct rn_run_opts){.nnodes = 1});
	assert_int_equal(r.rows.n, 3);
	assert_string_equal(r.rows.line[0], "0|4");
	assert_string_equal(r.rows.line[1], "1000000000|4");
	assert_string_equal(r.rows.line[2], "3000000000|1");
	assert_int_equal(r.l.nodes[0].n[RN_L_LATE], 3);
	assert_false(rn_ledger_complete(&r.l));
	answer_free(&r);
	free(l);
}

/* As time goes by each window has its row, one in which nothing happens too; what comes of earlier
 * times has its own before them. */
static void idle_windows(void **state)
{
	static const char *const queries[] = {
		"count of io every 20ms for 200ms",
		"max(c) of (count as c of io by proc every 20ms) every 20ms for 200ms"};

	(void)state;
	for (unsigned q = 0; q < 4; q++) {
		struct lab *l = lab_new(1);
		struct answer r;
		long long first = 0;
		unsigned n = 0;

		l->rows[0].idle = true;
		r = ask_of(l, queries[q / 2],
			   (struct rn_plan_opts){.no_kernel = true, .no_pushdown = q % 2},
			   (struct rn_run_opts){.nnodes = 1});
		for (unsigned i = 0; i < r.rows.n; i++) {
			long long window = atoll(r.rows.line[i]);

			/* of the events, which are of the beginning of 1970 */
			if (window < 1000000LL * 1000000 * MS)
				continue;
			first = n ? first : window;
			assert_int_equal(window, first + 20LL * MS * n++);
			assert_string_equal(strchr(r.rows.line[i], '|'), q < 2 ? "|0" : "|");
		}
		assert_true(n >= 10);
		assert_true(rn_ledger_complete(&r.l));
		answer_free(&r);
		free(l);
	}
}

static int note_start(void *self)
{
	(*(int *)self) += 100;
	return 0;
}
static int enough(void *self)
{
	return ++*(int *)self > 104;
}

/* A source that never ends: started is called once, done ends it, `for` ends it, and all that came
 * is in the answer. */
static void an_endless_source_ends_by_done_or_for(void **state)
{
	volatile int stop = 1;
	int calls = 0;
	struct lab *l = lab_new(1);
	struct answer r;

	(void)state;
	l->rows[0].idle = true;
	r = ask_of(l, "count of io", (struct rn_plan_opts){.no_kernel = true},
		   (struct rn_run_opts){.nnodes = 1,
					.started = note_start,
					.started_self = &calls,
					.done = enough});
	assert_int_equal(calls, 105);
	assert_string_equal(r.rows.line[0], "12");
	answer_free(&r);
	r = ask_of(l, "count of io for 30ms", (struct rn_plan_opts){.no_kernel = true},
		   (struct rn_run_opts){.nnodes = 1});
	assert_string_equal(r.rows.line[0], "12");
	answer_free(&r);
	r = ask_of(l, "count of io", (struct rn_plan_opts){.no_kernel = true},
		   (struct rn_run_opts){.nnodes = 1, .stop = &stop});
	assert_string_equal(r.rows.line[0], "12"); /* what is there is drained */
	answer_free(&r);
	free(l);
}

struct early {
	struct rn_rows_text rows;
	int calls;
	unsigned enough;
};

static int rows_are_there(void *self)
{
	struct early *e = self;

	return e->rows.n >= e->enough || ++e->calls > 1000;
}

/* The windows of a nested query reach the query around it when they are complete, not at the end; a
 * limit that is reached ends all. */
static void nested_live(void **state)
{
	static const struct {
		const char *query;
		unsigned enough;
		bool limit;
		const char *first, *last;
	} c[] = {
		{"proc, c of (count as c of io by proc every 1s)", 10, false, "dd|2", "sh|1"},
		{"sum(c) of (count as c of io by proc every 1s) having sum(c) > 0 every 2s", 2,
		 false, "0|8", "2000000000|4"},
		{"max(s) of (sum(c) as s of (count as c of io by proc every 1s) every 1s) having "
		 "max(s) > 0 every 2s",
		 2, false, "0|4", "2000000000|4"},
		{"proc, c of (count as c of io by proc every 1s) limit 3", 99, true, "dd|2",
		 "java|1"},
		{"count of (proc of io limit 5)", 99, true, "5", "5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++)
		for (int ways = 0; ways < 2; ways++) {
			struct lab *l = lab_new(1);
			struct early e = {.enough = c[i].enough};
			struct rn_output out = rn_rows_text_output(&e.rows);
			struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
			struct rn_plan *p =
				plan(a, c[i].query,
				     (struct rn_plan_opts){.no_kernel = true, .no_pushdown = ways});
			struct rn_run_opts o = {.nodes = l->node,
						.nnodes = 1,
						.catalog = catalog(),
						.frames = ways,
						.started_self = &e,
						.done = rows_are_there};
			struct rn_ledgers led = {0};
			struct rn_err err = {0};

			l->rows[0].idle = true; /* it never ends by itself */
			assert_int_equal(rn_coord_run(a, p, &o, &out, &led, &err), 0);
			assert_true(e.calls < 1000);
			assert_true(e.rows.n > 0);
			assert_string_equal(e.rows.line[0], c[i].first);
			assert_string_equal(e.rows.line[e.rows.n - 1], c[i].last);
			assert_true(rn_ledger_complete(&led));
			rn_rows_text_free(&e.rows);
			rn_arena_destroy(a);
			free(l);
		}
}

struct shots {
	struct rn_rows_text *rows;
	int begun, ended;
};

static int shot_row(void *self, const struct rn_value *v)
{
	(void)self;
	(void)v;
	return 0;
}

static int shot(void *self, bool begin)
{
	struct shots *s = self;

	if (begin)
		s->begun++;
	else
		s->ended++;
	return 0;
}

static void a_snapshot_shows_the_groups_so_far(void **state)
{
	struct lab *l = lab_new(1);
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct shots s = {0};
	struct rn_output out = {.self = &s, .row = shot_row, .snapshot = shot};
	struct rn_run_opts o = {.nodes = l->node, .nnodes = 1, .refresh_ns = MS};
	struct rn_ledgers ledgers = {0};
	struct rn_err err = {0};

	(void)state;
	l->rows[0].idle = true;
	assert_int_equal(rn_coord_run(a,
				      plan(a, "count of io by proc for 20ms",
					   (struct rn_plan_opts){.no_kernel = true}),
				      &o, &out, &ledgers, &err),
			 0);
	assert_true(s.begun > 0);
	assert_int_equal(s.begun, s.ended);
	s = (struct shots){0};
	assert_int_equal(rn_coord_run(a,
				      plan(a, "top 1 of (count of io by proc for 20ms)",
					   (struct rn_plan_opts){.no_kernel = true}),
				      &o, &out, &ledgers, &err),
			 0);
	assert_true(s.begun > 0);
	assert_int_equal(s.begun, s.ended);
	rn_arena_destroy(a);
	free(l);
}

static int refuse(void *self, const struct rn_value *v)
{
	(void)self;
	(void)v;
	return -EPIPE;
}

static void refused_output(void **state)
{
	static const char *const queries[] = {"proc of io", "count of io by proc",
					      "proc of io order by proc",
					      "top 1 of (count of io by proc)"};
	struct rn_output out = {.row = refuse};

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		struct lab *l = lab_new(1);
		struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
		struct rn_run_opts o = {.nodes = l->node, .nnodes = 1};
		struct rn_ledgers ledgers = {0};
		struct rn_err err = {0};

		assert_int_equal(
			rn_coord_run(a,
				     plan(a, queries[i], (struct rn_plan_opts){.no_kernel = true}),
				     &o, &out, &ledgers, &err),
			-EPIPE);
		assert_int_equal(l->rows[0].closed, 1);
		rn_arena_destroy(a);
		free(l);
	}
}

static void sql_text(void **state)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	const char *sql = rn_dump_sql(
		a,
		plan(a,
		     "sum(bytes) as b of io by proc having b > 10 and proc ~ \"j*\" top 3 every 1s",
		     (struct rn_plan_opts){0}));

	(void)state;
	assert_non_null(strstr(sql, "row_number() over (partition by window order by x_other"));
	assert_non_null(strstr(sql, "coalesce(a0 > 10, 0)"));
	assert_non_null(strstr(rn_dump_sql(a, plan(a, "proc of io", (struct rn_plan_opts){0})),
			       "not ordered"));
	rn_arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_over_nodes_are_whole),
		cmocka_unit_test(matched_counts_what_passed_in_the_end),
		cmocka_unit_test(null_logic),
		cmocka_unit_test(windows_have_their_own_groups),
		cmocka_unit_test(rows_come_in_the_order_asked_for),
		cmocka_unit_test(a_nested_query_is_a_table_of_the_outer_one),
		cmocka_unit_test(nested_live),
		cmocka_unit_test(groups_beyond_the_limit_are_in_other),
		cmocka_unit_test(events_of_a_delivered_window_are_counted_as_late),
		cmocka_unit_test(idle_windows),
		cmocka_unit_test(node_count),
		cmocka_unit_test(broken_node),
		cmocka_unit_test(an_endless_source_ends_by_done_or_for),
		cmocka_unit_test(a_snapshot_shows_the_groups_so_far),
		cmocka_unit_test(refused_output),
		cmocka_unit_test(sql_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
