/* test_limits.c - a running query against the limits of a policy: when it is ended, when not, and
 * what is said. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "exec/node/limits.h"

#define S INT64_C(1000000000)
#define MIB INT64_C(1048576)

static struct rn_policy policy(enum rn_policy_limit which, int64_t max)
{
	struct rn_policy p = {.path = "/p"};

	p.limit[which].max = max;
	p.limit[which].line = 3;
	return p;
}

struct step {
	int64_t at_ns, events, cpu_ns, memory;
};
/* Runs the steps; the number of the one that ends the query, -1: none. */
static int run(enum rn_policy_limit which, int64_t max, const struct step *v, int n,
	       struct rn_err *err)
{
	struct rn_policy p = policy(which, max);
	struct rn_limits *l = rn_limits_create(&p);
	int i;

	assert_non_null(l);
	assert_int_equal(rn_limits_any(l), which != RN_MAX_QUERIES && which != RN_MAX_ALL_GROUPS);
	memset(err, 0, sizeof(*err));
	for (i = 0; i < n; i++) {
		int r = rn_limits_step(l, v[i].at_ns, v[i].events, v[i].cpu_ns, v[i].memory, err);

		assert_true(r == 0 || r == -EDQUOT);
		if (r)
			break;
	}
	rn_limits_destroy(l);
	return i < n ? i : -1;
}

static void time_is_up(void **state)
{
	static const struct step v[] = {
		{500 * S, 0, 0, 0}, {501 * S, 0, 0, 0}, {503 * S - 1, 0, 0, 0}, {503 * S, 0, 0, 0}};
	struct rn_err err;

	(void)state;
	assert_int_equal(run(RN_MAX_SECONDS, 3, v, 4, &err), 3);
	assert_string_equal(err.text, "ended by the policy of this node: the query has run 3 s, "
				      "and 3 s are allowed: /p:3 [E-POLICY]");
	assert_non_null(strstr(err.hint, "raise `max_seconds`"));
	assert_int_equal(run(RN_MAX_SECONDS, 4, v, 4, &err), -1);
	assert_int_equal(run(RN_MAX_QUERIES, 1, v, 4, &err), -1);
}

static void a_flood_ends_at_once(void **state)
{
	static const struct step v[] = {
		{7 * S, 0, 0, 0}, {7 * S + S / 10, 1000, 0, 0}, {7 * S + S / 5, 1001, 0, 0}};
	struct rn_err err;

	(void)state;
	assert_int_equal(run(RN_MAX_EVENTS, 100, v, 3, &err), 2);
	assert_non_null(strstr(
		err.text,
		"the query sees 1001 events/s, and 100 events/s are allowed: /p:3 [E-POLICY]"));
}

/* 1000 events in one second of every ten are 100 a second; one more is too much. */
static void a_burst_counts_over_its_ten_seconds(void **state)
{
	struct step v[600];
	struct rn_err err;

	(void)state;
	for (int more = 0; more < 2; more++) {
		int64_t events = 0;

		for (int i = 0; i < 600; i++) {
			if (i % 100 == 50)
				events += 1000 + (more && i == 350);
			v[i] = (struct step){i * S / 10, events, 0, 0};
		}
		assert_int_equal(run(RN_MAX_EVENTS, 100, v, 600, &err), more ? 350 : -1);
	}
}

static void a_steady_excess_ends_the_query_soon(void **state)
{
	struct step v[400];
	struct rn_err err;

	(void)state;
	for (int i = 0; i < 400; i++)
		v[i] = (struct step){i * S / 5, 0, i * S / 5 / 4, 0};
	assert_int_equal(run(RN_MAX_CPU, 25, v, 400, &err), -1);
	assert_true(run(RN_MAX_CPU, 24, v, 400, &err) >= 45); /* in the tenth second */
	assert_non_null(
		strstr(err.text, "the query takes 25% of a CPU, and 24% of a CPU are allowed"));
}

/* Nobody looked for a minute: what came then is spread over that. */
static void not_looked_at(void **state)
{
	static const struct step v[] = {{0, 0, 0, 0}, {60 * S, 6000, 0, 0}, {120 * S, 12001, 0, 0}};
	struct rn_err err;

	(void)state;
	assert_int_equal(run(RN_MAX_EVENTS, 100, v, 2, &err), -1);
	assert_int_equal(run(RN_MAX_EVENTS, 100, v, 3, &err), 2);
}

static void memory_beyond_its_limit_ends_the_query(void **state)
{
	static const struct step v[] = {{0, 0, 0, 64 * MIB}, {1, 0, 0, 64 * MIB + 1}};
	struct rn_err err;

	(void)state;
	assert_int_equal(run(RN_MAX_MEMORY, 64, v, 2, &err), 1);
	assert_non_null(strstr(err.text, "the query holds 65 MiB, and 64 MiB are allowed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_up),
		cmocka_unit_test(a_flood_ends_at_once),
		cmocka_unit_test(a_burst_counts_over_its_ten_seconds),
		cmocka_unit_test(a_steady_excess_ends_the_query_soon),
		cmocka_unit_test(not_looked_at),
		cmocka_unit_test(memory_beyond_its_limit_ends_the_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
