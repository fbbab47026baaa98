/* test_reorder.c - rows of several nodes come out in the order of their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "exec/coord/reorder.h"
#include "lang/values/json.h"

struct got {
	int64_t time[4096];
	char text[4096][8];
	unsigned n;
	int refuse;
};

static int take(void *self, const struct rn_rows *r)
{
	struct got *g = self;

	for (uint32_t i = 0; i < r->nrows; i++) {
		g->time[g->n] = r->time_ns[i];
		snprintf(g->text[g->n++], 8, "%.*s", (int)r->values[i * r->ncols].len,
			 r->values[i * r->ncols].s);
	}
	return g->refuse;
}

static void push(struct rn_reorder *q, int64_t time_ns, const char *text)
{
	struct rn_value v = rn_strn(text, strlen(text));

	assert_int_equal(rn_reorder_rows(q, &(struct rn_rows){.nrows = 1,
							      .ncols = 1,
							      .values = &v,
							      .time_ns = &time_ns}),
			 0);
}

static void rows_come_out_by_time(void **state)
{
	static struct got g;
	struct rn_sink to = {.self = &g, .rows = take};
	struct rn_reorder *q = rn_reorder_create(&to);
	uint32_t x = 12345;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		x = x * 1664525u + 1013904223u;
		push(q, x >> 20, "r");
	}
	assert_int_equal(rn_reorder_release(q, 2048), 0);
	for (unsigned i = 0; i < g.n; i++)
		assert_true(g.time[i] < 2048 && (!i || g.time[i - 1] <= g.time[i]));
	assert_in_range(g.n, 1, 1999);
	assert_int_equal(rn_reorder_release(q, INT64_MAX), 0);
	assert_int_equal(g.n, 2000);
	for (unsigned i = 1; i < g.n; i++)
		assert_true(g.time[i - 1] <= g.time[i]);
	rn_reorder_destroy(q);
}

static void equal_times_keep_their_order(void **state)
{
	static struct got g;
	struct rn_sink to = {.self = &g, .rows = take};
	struct rn_reorder *q = rn_reorder_create(&to);
	char text[8];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "%d", i);
		push(q, 7, text);
	}
	rn_reorder_release(q, 8);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_string_equal(g.text[i], text);
	}
	g.refuse = -7;
	push(q, 9, "x");
	assert_int_equal(rn_reorder_release(q, INT64_MAX), -7);
	push(q, 10, "end");
	rn_reorder_destroy(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_come_out_by_time),
					   cmocka_unit_test(equal_times_keep_their_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
