/* test_deltas.c - the numbers of a table's rows, from one window to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "exec/answer/deltas.h"
#include "lang/base/arena.h"

static struct rn_arena *arena;
static struct rn_plan plan;
static struct rn_column out[4];

/* pid, delta(utime), and what tells processes apart: node, start. */
static int set_up(void **state)
{
	(void)state;
	arena = rn_arena_create(1 << 20);
	for (int i = 0; i < 4; i++)
		out[i].expr = rn_expr_ref(arena, RN_E_COLUMN, i, (struct rn_ty){RN_T_INT, 0});
	out[1].delta = true;
	plan = (struct rn_plan){
		.out = out, .nout = 4, .nhidden = 2, .row_key = 2, .nrow_key = 2, .every_ns = 10};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rn_arena_destroy(arena);
	return 0;
}

static struct rn_value delta_at(struct rn_deltas *d, int64_t time_ns, const char *node,
				int64_t start, struct rn_value utime)
{
	struct rn_value row[4] = {rn_int(7), utime, rn_strn(node, strlen(node)), rn_int(start)};
	struct rn_rows rows = {1, 4, row, &time_ns};

	return rn_deltas_of(d, &rows, arena)->values[1];
}

static int64_t number(struct rn_value v)
{
	assert_int_equal(v.kind, RN_INT);
	return v.i;
}

static void each_row_has_its_own(void **state)
{
	struct rn_deltas *d = rn_deltas_new(&plan);

	(void)state;
	/* the first window, at whatever moment of it */
	assert_int_equal(delta_at(d, 100, "a", 1, rn_int(5)).kind, RN_NULL);
	assert_int_equal(delta_at(d, 103, "b", 1, rn_int(50)).kind, RN_NULL);
	assert_int_equal(number(delta_at(d, 110, "a", 1, rn_int(8))), 3);
	assert_int_equal(number(delta_at(d, 110, "b", 1, rn_int(50))), 0);
	/* new: another process of that node, and a row of another node */
	assert_int_equal(number(delta_at(d, 110, "a", 2, rn_int(4))), 4);
	assert_int_equal(number(delta_at(d, 110, "ab", 1, rn_int(6))), 6);
	/* it fell */
	assert_int_equal(delta_at(d, 120, "a", 1, rn_int(7)).kind, RN_NULL);
	assert_int_equal(number(delta_at(d, 130, "a", 1, rn_int(9))), 2);
	/* it was away for a window */
	assert_int_equal(delta_at(d, 130, "b", 1, rn_int(60)).kind, RN_NULL);
	assert_int_equal(number(delta_at(d, 140, "b", 1, rn_int(61))), 1);
	/* there was no number */
	assert_int_equal(delta_at(d, 140, "a", 1, rn_null()).kind, RN_NULL);
	assert_int_equal(delta_at(d, 150, "a", 1, rn_int(20)).kind, RN_NULL);
	rn_deltas_free(d);
}

static void beyond_64_bits(void **state)
{
	struct rn_deltas *d = rn_deltas_new(&plan);

	(void)state;
	delta_at(d, 0, "a", 1, rn_int(INT64_MIN));
	assert_int_equal(delta_at(d, 10, "a", 1, rn_int(INT64_MAX)).kind, RN_NULL);
	rn_deltas_free(d);
}

/* What ended long ago is forgotten; what lives is not. */
static void memory_is_bounded(void **state)
{
	struct rn_deltas *d = rn_deltas_new(&plan);

	(void)state;
	for (int64_t w = 0; w < 2000; w++) {
		struct rn_value lives = delta_at(d, w * 10, "a", 1, rn_int(w));

		if (w)
			assert_int_equal(number(lives), 1);
		delta_at(d, w * 10, "a", 100 + w, rn_int(1));
		assert_true(rn_deltas_kept(d) <= 70);
	}
	rn_deltas_free(d);
	rn_deltas_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_row_has_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(beyond_64_bits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory_is_bounded, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
