/* test_ledger.c - every count has a name and a line for people; what makes an answer incomplete;
 * how ledgers add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "planner/plan/ledger.h"
#include "repl/render/ledger.h"

static void each_count_has_a_name_and_a_line(void **state)
{
	(void)state;
	for (int i = 0; i < RN_L_COUNT; i++) {
		assert_true(strlen(rn_ledger_name((enum rn_ledger_item)i)) > 2);
		assert_true(strlen(rn_ledger_doc((enum rn_ledger_item)i, 2)) > 10);
		assert_true(strlen(rn_ledger_doc((enum rn_ledger_item)i, 1)) > 10);
		assert_string_not_equal(rn_ledger_doc((enum rn_ledger_item)i, 1),
					rn_ledger_doc((enum rn_ledger_item)i, 2));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(rn_ledger_name((enum rn_ledger_item)i),
						rn_ledger_name((enum rn_ledger_item)j));
	}
	assert_string_equal(rn_ledger_name(RN_L_LOST_RING), "lost_ring");
	assert_string_equal(rn_ledger_name(RN_L_COUNT), "unknown");
}

static void only_losses_make_an_answer_incomplete(void **state)
{
	static const enum rn_ledger_item harmless[] = {
		RN_L_SEEN,          RN_L_MATCHED,   RN_L_UNPAIRED,    RN_L_BYTES_SEEN,
		RN_L_BYTES_SCANNED, RN_L_SKIPPED,   RN_L_OPEN,        RN_L_REOPENED,
		RN_L_NO_USER,       RN_L_FORGOTTEN, RN_L_KNOWN_CLEAN, RN_L_NO_NAME};
	struct rn_ledger l[2] = {{.node = "a", .answered = true}, {.node = "b", .answered = true}};
	struct rn_ledgers all = {.nodes = l, .n = 2};

	(void)state;
	assert_true(rn_ledger_complete(&all));
	for (int i = 0; i < RN_L_COUNT; i++) {
		bool loss = true;

		for (size_t k = 0; k < sizeof(harmless) / sizeof(*harmless); k++)
			loss &= (int)harmless[k] != i;
		l[1].n[i] = 1;
		assert_int_equal(rn_ledger_complete(&all), !loss);
		l[1].n[i] = 0;
	}
	l[0].hash_key = 7;
	assert_false(rn_ledger_complete(&all));
	l[1].hash_key = 7;
	assert_true(rn_ledger_complete(&all));
	l[0].answered = false;
	assert_false(rn_ledger_complete(&all));
}

static void ledgers_add_up(void **state)
{
	struct rn_ledger a = {
		.node = "a", .answered = true, .begin_ns = 100, .end_ns = 200, .n = {1, 2, 3}};
	struct rn_ledger b = {.node = "b",
			      .answered = false,
			      .why = "gone",
			      .begin_ns = 50,
			      .end_ns = 150,
			      .n = {10, 20, 30}};

	(void)state;
	rn_ledger_add(&a, &b);
	assert_int_equal(a.n[0], 11);
	assert_int_equal(a.n[2], 33);
	assert_int_equal(a.begin_ns, 50);
	assert_int_equal(a.end_ns, 200);
	assert_false(a.answered);
	assert_string_equal(a.why, "gone");
	assert_string_equal(a.node, "a");
}

/* Keys of hashes: those of nodes that answered have to be the same. */
static void keys_of_hashes_must_be_the_same(void **state)
{
	static const struct {
		uint64_t a, b, c;
		bool answered /* a */;
		int first, second; /* -1: alike */
	} cases[] = {
		{0, 0, 0, true, -1, -1}, {7, 7, 7, true, -1, -1},  {7, 7, 0, true, 0, 2},
		{7, 8, 7, true, 0, 1},   {9, 7, 7, false, -1, -1}, {9, 7, 8, false, 1, 2},
	};
	struct rn_ledger l[3] = {
		{.node = "a"}, {.node = "b", .answered = true}, {.node = "c", .answered = true}};
	struct rn_ledgers all = {.nodes = l, .n = 3}, one = {.nodes = l + 1, .n = 1};
	unsigned pair[2];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		l[0].hash_key = cases[i].a;
		l[1].hash_key = cases[i].b;
		l[2].hash_key = cases[i].c;
		l[0].answered = cases[i].answered;
		assert_int_equal(rn_ledger_apart(&all, pair), cases[i].first >= 0);
		assert_true(cases[i].first < 0 ||
			    ((int)pair[0] == cases[i].first && (int)pair[1] == cases[i].second));
	}
	l[1].n[RN_L_OWN_KEY] = 1; /* as a recording knows it */
	l[1].hash_key = 0;
	l[2].hash_key = 0;
	assert_true(rn_ledger_apart(&all, pair));
	assert_false(rn_ledger_apart(&one, pair));
}

/* What makes an answer incomplete has a line of its own in the text of the ledger, not only with
 * -v. */
static void what_makes_it_incomplete_has_a_line(void **state)
{
	(void)state;
	for (int i = 0; i < RN_L_COUNT; i++) {
		struct rn_ledger l = {.node = "a", .answered = true, .clock_bound_ns = -1};
		struct rn_ledgers all = {.nodes = &l, .n = 1};
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		assert_non_null(f);
		l.n[i] = 3;
		rn_ledger_write(f, &all, false);
		fclose(f);
		if (rn_ledger_is_loss((enum rn_ledger_item)i) &&
		    !strstr(text, rn_ledger_doc((enum rn_ledger_item)i, 3)))
			fail_msg("%s is not told: %s", rn_ledger_name((enum rn_ledger_item)i),
				 text);
		free(text);
	}
}

/* Counts of many nodes, some of which lie: a sum stays at the most that a count can be. */
static void a_sum_stays_at_the_most_a_count_can_be(void **state)
{
	struct rn_ledger a = {.answered = true}, b = {.answered = true};

	(void)state;
	assert_true(rn_ledger_sum(40, 2) == 42);
	assert_true(rn_ledger_sum(INT64_MAX, 1) == INT64_MAX);
	a.n[RN_L_LOST_RING] = b.n[RN_L_LOST_RING] = INT64_MAX;
	a.path[RN_PATH_FILE][RN_C_CALLS] = b.path[RN_PATH_FILE][RN_C_CALLS] = INT64_MAX - 1;
	rn_ledger_add(&a, &b);
	assert_true(a.n[RN_L_LOST_RING] == INT64_MAX &&
		    a.path[RN_PATH_FILE][RN_C_CALLS] == INT64_MAX);
	assert_false(rn_ledger_complete(&(struct rn_ledgers){.nodes = &a, .n = 1}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_count_has_a_name_and_a_line),
					   cmocka_unit_test(only_losses_make_an_answer_incomplete),
					   cmocka_unit_test(ledgers_add_up),
					   cmocka_unit_test(what_makes_it_incomplete_has_a_line),
					   cmocka_unit_test(a_sum_stays_at_the_most_a_count_can_be),
					   cmocka_unit_test(keys_of_hashes_must_be_the_same)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
