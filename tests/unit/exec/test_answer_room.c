/* test_answer_room.c - rows that wait for their order, and more of them than there is room for: the
 * right ones stay, the rest is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/answer/answer.h"
#include "exec/coord/coord_impl.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "tests/support/fake_catalog.h"

#define ROOM (8 << 20)
enum { ROWS = 200, TEXT = 1 << 20 };

struct got {
	int64_t pid[ROWS];
	unsigned n;
};

static int take(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct got *g = self;

	(void)time_ns;
	g->pid[g->n++] = v[0].i;
	return 0;
}

/* Feeds rows with pids in a mixed order; says how many were left out. */
static int64_t run(const char *text, size_t bytes, struct got *g)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_names scope = {.catalog = rn_fake_catalog()};
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_file *f = rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)));
	struct rn_answer_sink to = {.self = g, .row = take};
	struct rn_room *room = rn_room_create(ROOM, NULL);
	struct rn_err err = {0};
	struct rn_answer *w;
	struct rn_plan *p = NULL;
	char *big = calloc(1, bytes + 1);
	int64_t shed;

	memset(big, 'x', bytes);
	if (!rn_diag_errors(d) && rn_resolve(a, d, f->stmts->query, &scope))
		p = rn_plan_query(a, d, f->stmts->query, &scope, &(struct rn_plan_opts){0});
	assert_non_null(p);
	assert_int_equal(rn_answer_create(p, &to, false, &w, &err), 0);
	rn_answer_room(w, room, NULL);
	for (int i = 0; i < ROWS; i++) {
		struct rn_value v[2] = {rn_int(i * 77 % ROWS), rn_strn(big, bytes)};
		int64_t time_ns = i;

		assert_int_equal(rn_answer_rows(w, &(struct rn_rows){.nrows = 1,
								     .ncols = 2,
								     .values = v,
								     .time_ns = &time_ns}),
				 0);
	}
	shed = rn_answer_shed(w);
	assert_int_equal(rn_answer_end(w, NULL, NULL, 0), 0);
	rn_answer_destroy(w);
	if (p->limit >= 0)
		assert_true(rn_room_take(room, 3, ROOM / 2)); /* it has given all back */
	rn_room_destroy(room);
	free(big);
	rn_arena_destroy(a);
	return shed;
}

static void in_order(const struct got *g, int64_t first)
{
	for (unsigned i = 0; i < g->n; i++)
		assert_true(g->pid[i] == first + (first ? -(int64_t)i : (int64_t)i));
}

static void limit_fits(void **state)
{
	struct got g = {0};

	(void)state;
	assert_int_equal(run("pid, name of io order by pid limit 3", TEXT, &g), 0);
	assert_int_equal(g.n, 3);
	in_order(&g, 0);
	g.n = 0;
	assert_int_equal(run("pid, name of io order by pid desc limit 3", TEXT, &g), 0);
	assert_int_equal(g.n, 3);
	in_order(&g, ROWS - 1);
}

/* The limit asks for more than there is room for: the first ones are kept. */
static void limit_too_much(void **state)
{
	struct got g = {0};
	int64_t shed = run("pid, name of io order by pid limit 50", TEXT, &g);

	(void)state;
	assert_in_range(g.n, 1, 8);
	assert_in_range(shed, 1, ROWS);
	in_order(&g, 0);
}

static void no_limit(void **state)
{
	struct got g = {0};
	int64_t shed;

	(void)state;
	assert_int_equal(run("pid, name of io order by pid", 100, &g), 0);
	assert_int_equal(g.n, ROWS);
	in_order(&g, 0);
	g.n = 0;
	shed = run("pid, name of io order by pid", TEXT, &g);
	assert_in_range(g.n, 1, 8);
	assert_int_equal(g.n + shed, ROWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(limit_fits),
					   cmocka_unit_test(limit_too_much),
					   cmocka_unit_test(no_limit)};

	return cmocka_run_group_tests_name("answer_room", tests, NULL, NULL);
}
