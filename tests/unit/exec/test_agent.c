/* test_agent.c - one fragment on one node: windows close as time passes, limits, peeks, sources
 * that form groups themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <time.h>
#include <cmocka.h>
#include "exec/node/agent.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/fake_provider.h"

#define SECOND 1000000000ll
enum { NROWS = 6, MAX_FIELDS = 64 };

struct lab {
	struct rn_arena *a;
	struct rn_plan *p;
	struct rn_value v[NROWS * MAX_FIELDS];
	int64_t time[NROWS];
	struct rn_fake_rows rows;
	struct rn_provider provider;
	/* what came out */
	unsigned nrows, nparts;
	int64_t window[16], events[16];
};

static int take_rows(void *self, const struct rn_rows *r)
{
	struct lab *l = self;

	l->nrows += r->nrows;
	return 0;
}

static int take_partials(void *self, const struct rn_partials *p)
{
	struct lab *l = self;

	l->window[l->nparts] = p->window_ns;
	for (uint32_t i = 0; i < p->n; i++)
		l->events[l->nparts] += p->parts[i].events;
	l->nparts++;
	return 0;
}

static struct lab *lab_new(const char *text, bool no_kernel)
{
	static const int64_t seconds[NROWS] = {0, 0, 1, 1, 4, 5};
	const struct rn_catalog *c;
	const struct rn_class *cls;
	struct lab *l = calloc(1, sizeof(*l));
	struct rn_diag *d;
	struct rn_names names = {0};
	struct rn_ast_file *f;

	names.catalog = c = rn_fake_catalog();
	cls = c->find(c->self, "io", NULL, NULL, 0);
	for (unsigned i = 0; i < NROWS; i++) {
		rn_fake_row(l->v + i * cls->nfields, cls);
		rn_fake_set(l->v + i * cls->nfields, cls, "pid", rn_int(i % 2));
		l->time[i] = seconds[i] * SECOND;
	}
	l->rows = (struct rn_fake_rows){.v = l->v,
					.time_ns = l->time,
					.nrows = NROWS,
					.ncols = cls->nfields,
					.cls = cls,
					.batch = 1};
	l->provider = rn_fake_provider(&l->rows);
	l->a = rn_arena_create(RN_ARENA_CAP);
	d = rn_diag_new(l->a);
	f = rn_parse(l->a, d, rn_diag_source(d, "query", text, strlen(text)));
	if (!rn_diag_errors(d) && rn_resolve(l->a, d, f->stmts->query, &names))
		l->p = rn_plan_query(l->a, d, f->stmts->query, &names,
				     &(struct rn_plan_opts){.no_kernel = no_kernel});
	assert_non_null(l->p);
	return l;
}

static void lab_free(struct lab *l)
{
	rn_arena_destroy(l->a);
	free(l);
}

static struct rn_agent *open_agent(struct lab *l)
{
	struct rn_sink sink = {.self = l, .rows = take_rows, .partials = take_partials};
	struct rn_agent *g = NULL;
	struct rn_err err = {0};

	assert_int_equal(
		rn_agent_open("n1", &l->provider, &l->p->frag, NULL, NULL, &sink, &g, &err), 0);
	assert_int_equal(rn_agent_start(g, &err), 0);
	return g;
}

static void windows_are_sent_once_their_watermark_passes(void **state)
{
	struct lab *l = lab_new("count of io every 1s", true);
	struct rn_agent *g = open_agent(l);
	struct rn_ledger ledger;
	struct rn_err err = {0};
	int steps = 0;

	(void)state;
	assert_true(rn_agent_watermark(g) == INT64_MIN);
	while (!rn_agent_step(g, 0, &err))
		/* the row of second 4 is in: 0 and 1 are behind it and gone, 4 is open */
		if (++steps == 5) {
			assert_int_equal(l->nparts, 2);
			assert_int_equal(l->window[1], SECOND);
			assert_int_equal(rn_agent_watermark(g), 3 * SECOND);
		}
	assert_int_equal(l->nparts, 4); /* the end closes what is open */
	assert_true(rn_agent_watermark(g) == INT64_MAX);
	assert_int_equal(rn_agent_finish(g, &ledger, &err), 0);
	assert_int_equal(l->nparts, 4);
	assert_int_equal(l->events[0] + l->events[1] + l->events[2] + l->events[3], NROWS);
	assert_int_equal(ledger.n[RN_L_SEEN], NROWS);
	assert_true(ledger.answered);
	assert_string_equal(ledger.node, "n1");
	rn_agent_close(g);
	assert_int_equal(l->rows.closed, 1);
	lab_free(l);
}

static void a_limit_ends_the_agents_query(void **state)
{
	struct lab *l = lab_new("pid of io where pid = 1 limit 2", true);
	struct rn_agent *g = open_agent(l);
	struct rn_err err = {0};
	int steps = 1;

	(void)state;
	while (!rn_agent_step(g, 0, &err))
		steps++;
	assert_int_equal(steps, 4); /* rows 1 and 3 match */
	assert_int_equal(l->nrows, 2);
	assert_int_equal(rn_agent_step(g, 0, &err), 1);
	rn_agent_close(g);
	lab_free(l);
}

/* What matched is what passed where it was tested last: here, not in the source, which saw all
 * six. */
static void matched_counts_what_passed_the_last_test(void **state)
{
	static const struct {
		const char *text;
		bool no_kernel;
		int64_t want;
	} cases[] = {
		{"count of io", true, NROWS},
		{"count of io where pid = 1", true, 3},
		{"count of io where file =~ \"zzzz\"", false, 0},
		{"pid of io where pid = 1 limit 2", true, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lab *l = lab_new(cases[i].text, cases[i].no_kernel);
		struct rn_agent *g = open_agent(l);
		struct rn_ledger ledger;
		struct rn_err err = {0};

		while (!rn_agent_step(g, 0, &err))
			;
		assert_int_equal(rn_agent_finish(g, &ledger, &err), 0);
		assert_int_equal(ledger.n[RN_L_MATCHED], cases[i].want);
		rn_agent_close(g);
		lab_free(l);
	}
}

static void a_peek_leaves_the_groups(void **state)
{
	struct lab *l = lab_new("count of io by pid", true), seen = {0};
	struct rn_agent *g = open_agent(l);
	struct rn_sink look = {.self = &seen, .rows = take_rows, .partials = take_partials};
	struct rn_ledger ledger;
	struct rn_err err = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		rn_agent_step(g, 0, &err);
	assert_int_equal(rn_agent_peek(g, &look, &err), 0);
	assert_int_equal(seen.events[0], 3);
	assert_int_equal(l->nparts, 0);
	rn_agent_finish(g, &ledger, &err);
	assert_int_equal(l->rows.stopped, 1);
	assert_int_equal(l->events[0], NROWS); /* stopped, the source still has the rest */
	rn_agent_close(g);
	lab_free(l);
}

/* What a plan gives to the kernel cannot run over a source without one: refused, not misread. */
static void no_kernel(void **state)
{
	struct lab *l = lab_new("count of io where pid = 1 by proc", false);
	struct rn_sink sink = {.self = l, .rows = take_rows, .partials = take_partials};
	struct rn_agent *g = NULL;
	struct rn_err err = {0};

	(void)state;
	assert_int_equal(l->p->frag.agg_place, RN_AT_KERNEL);
	assert_int_equal(
		rn_agent_open("n1", &l->provider, &l->p->frag, NULL, NULL, &sink, &g, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "kernel"));
	lab_free(l);
}

/* ---- a source that forms groups ---- */

struct k_source {
	struct rn_source base;
	int flips, peeks;
	int64_t window_ns;
	bool stopped;
};

static int k_open(void *self, const struct rn_fragment *f, const struct rn_scope *scope,
		  struct rn_source **out, struct rn_err *err)
{
	(void)f;
	(void)scope;
	(void)err;
	*out = self;
	return 0;
}

static int k_start(struct rn_source *source, struct rn_err *err)
{
	struct k_source *s = (struct k_source *)source;

	(void)s;
	(void)err;
	return 0;
}

static int k_poll(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		  struct rn_err *err)
{
	struct k_source *s = (struct k_source *)source;

	(void)s;
	(void)sink;
	(void)timeout_ms;
	(void)err;
	return 0;
}

static int k_flip(struct rn_source *source, const struct rn_sink *sink, int64_t window_ns,
		  bool only_peek, struct rn_err *err)
{
	struct k_source *s = (struct k_source *)source;
	struct rn_state none[4] = {0};
	struct rn_value key = rn_int(1);
	struct rn_partial p = {.key = &key, .events = 1, .state = none};

	(void)err;
	s->flips += !only_peek;
	s->peeks += only_peek;
	if (!only_peek)
		assert_true(window_ns > s->window_ns || !window_ns);
	s->window_ns = window_ns;
	return sink->partials(sink->self,
			      &(struct rn_partials){.window_ns = window_ns, .n = 1, .parts = &p});
}

static int k_stop(struct rn_source *source, struct rn_err *err)
{
	struct k_source *s = (struct k_source *)source;

	(void)err;
	s->stopped = true;
	return 0;
}

static void k_ledger(struct rn_source *source, struct rn_ledger *l)
{
	struct k_source *s = (struct k_source *)source;

	(void)s;
	(void)l;
}
static void k_close(struct rn_source *source)
{
	struct k_source *s = (struct k_source *)source;

	(void)s;
}

static const struct rn_provider_ops k_provider = {.open = k_open};

static void in_source(void **state)
{
	static const struct rn_source_ops ops = {.start = k_start,
						 .poll = k_poll,
						 .deliver_window = k_flip,
						 .stop = k_stop,
						 .ledger = k_ledger,
						 .close = k_close};
	struct k_source k = {.base.ops = &ops};
	struct lab *l = lab_new("count of io by pid every 10ms", false), seen = {0};
	struct rn_sink look = {.self = &seen, .rows = take_rows, .partials = take_partials};
	struct rn_agent *g;
	struct rn_ledger ledger;
	struct rn_err err = {0};

	(void)state;
	l->provider = (struct rn_provider){.ops = &k_provider, .self = &k};
	g = open_agent(l);
	while (k.flips < 3)
		assert_int_equal(rn_agent_step(g, 1, &err), 0);
	assert_int_equal(l->nparts, 3);
	assert_int_equal(rn_agent_peek(g, &look, &err), 0);
	assert_int_equal(k.peeks, 1);
	assert_int_equal(seen.nparts, 1);
	k.window_ns = 0;
	assert_int_equal(rn_agent_finish(g, &ledger, &err), 0);
	assert_int_equal(k.flips, 4);
	assert_true(k.stopped);
	for (unsigned i = 0; i < l->nparts; i++)
		assert_int_equal(l->window[i] % 10000000, 0);
	rn_agent_close(g);
	lab_free(l);
}

/* ---- a query that is held: whole windows and nothing else ---- */

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* Rows before the first moment and from the last one on are not in the answer; it ends by
 * itself. */
static void held_rows(void **state)
{
	struct lab *l = lab_new("count of io every 1s", true);
	int64_t first = now_ns() / SECOND * SECOND - 10 * SECOND;
	const int64_t at[NROWS] = {first - 1,
				   first,
				   first + SECOND - 1,
				   first + SECOND,
				   first + 2 * SECOND - 1,
				   first + 2 * SECOND};
	struct rn_agent *g;
	struct rn_ledger ledger;
	struct rn_err err = {0};
	int steps = 0;

	(void)state;
	memcpy(l->time, at, sizeof(at));
	l->p->frag.held = l->rows.idle = true;
	g = open_agent(l);
	rn_agent_hold(g, first, first + 2 * SECOND);
	while (!rn_agent_step(g, 0, &err) && steps < 100)
		steps++;
	/* its end has passed, so it needs no more than to read what is there */
	assert_in_range(steps, NROWS - 1, NROWS + 1);
	assert_int_equal(rn_agent_finish(g, &ledger, &err), 0);
	assert_int_equal(l->nparts, 2);
	assert_true(l->window[0] == first && l->window[1] == first + SECOND);
	assert_int_equal(l->events[0], 2);
	assert_int_equal(l->events[1], 2);
	assert_int_equal(ledger.n[RN_L_MATCHED], 4);
	rn_agent_close(g);
	lab_free(l);
}

static int64_t gates[4];
static unsigned ngates;

static void k_gate(struct rn_source *source, int64_t from_ns)
{
	struct k_source *s = (struct k_source *)source;

	(void)s;
	gates[ngates++ % 4] = from_ns;
}

/* The agent tells a source that forms groups when to begin. At the end the source gives the last
 * window and is shut. */
static void held_in_source(void **state)
{
	static const struct rn_source_ops ops = {.start = k_start,
						 .poll = k_poll,
						 .deliver_window = k_flip,
						 .stop = k_stop,
						 .ledger = k_ledger,
						 .close = k_close,
						 .gate = k_gate};
	enum { WINDOW = 10000000 };
	struct lab *l = lab_new("count of io by pid every 10ms", false);
	int64_t first = (now_ns() / WINDOW + 2) * WINDOW;
	struct k_source k = {.base.ops = &ops};
	struct rn_agent *g;
	struct rn_ledger ledger;
	struct rn_err err = {0};

	(void)state;
	l->provider = (struct rn_provider){.ops = &k_provider, .self = &k};
	l->p->frag.held = true;
	g = open_agent(l);
	rn_agent_hold(g, first, first + 3 * WINDOW);
	while (!rn_agent_step(g, 1, &err))
		;
	assert_int_equal(rn_agent_finish(g, &ledger, &err), 0);
	assert_in_range(k.flips, 1, 3); /* one that is held up closes several windows at once */
	assert_int_equal(l->nparts, k.flips);
	assert_true(l->window[0] == first && l->window[l->nparts - 1] < first + 3 * WINDOW);
	assert_int_equal(ngates, 2);
	assert_true(gates[0] == first && gates[1] == INT64_MAX);
	assert_true(ledger.begin_ns == first && ledger.end_ns == first + 3 * WINDOW);
	rn_agent_close(g);
	lab_free(l);
}

/* Some probes are detached later than others: what they see after the end is in neither the rows
 * nor the counts. */
static void after_the_end(void **state)
{
	struct lab *l = lab_new("pid of io", true);
	struct rn_agent *g;
	struct rn_ledger ledger;
	struct rn_err err = {0};

	(void)state;
	l->time[NROWS - 1] = INT64_MAX / 2;
	g = open_agent(l);
	assert_int_equal(rn_agent_finish(g, &ledger, &err), 0);
	assert_int_equal(l->nrows, NROWS - 1);
	assert_int_equal(ledger.n[RN_L_SEEN], NROWS - 1);
	assert_int_equal(ledger.n[RN_L_MATCHED], NROWS - 1);
	assert_true(ledger.end_ns < l->time[NROWS - 1]);
	rn_agent_close(g);
	lab_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_sent_once_their_watermark_passes),
		cmocka_unit_test(a_limit_ends_the_agents_query),
		cmocka_unit_test(matched_counts_what_passed_the_last_test),
		cmocka_unit_test(a_peek_leaves_the_groups),
		cmocka_unit_test(no_kernel),
		cmocka_unit_test(in_source),
		cmocka_unit_test(held_rows),
		cmocka_unit_test(held_in_source),
		cmocka_unit_test(after_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
