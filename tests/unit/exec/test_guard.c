/* test_guard.c - what a thread's memory is counted as, what is refused when it is to end, and that
 * a query is ended from outside of its work. */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/node/guard.h"
#include "lang/base/arena.h"
#include "lang/values/regex.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COUNTED = 0 };
#else
enum { COUNTED = 1 };
#endif

static void memory_is_counted(void **state)
{
	struct rn_account a = {0}, *before = rn_account_use(&a);
	char *p, *q, *r;
	void *s = NULL;

	(void)state;
	if (!COUNTED) {
		rn_account_use(before);
		skip();
	}
	p = malloc(1000000);
	assert_true(p && rn_account_bytes(&a) >= 1000000 && rn_account_bytes(&a) < 1100000);
	q = calloc(1000, 1000);
	r = realloc(p, 3000000);
	assert_true(q && r && rn_account_bytes(&a) >= 4000000 && rn_account_bytes(&a) < 4200000);
	assert_int_equal(posix_memalign(&s, 4096, 1000000), 0);
	assert_true(rn_account_bytes(&a) >= 5000000);
	assert_int_equal(posix_memalign(&s, 3, 1), EINVAL);
	rn_account_give(&a, q); /* another thread's from now on */
	rn_account_use(NULL);
	free(q);
	rn_account_use(&a);
	free(r);
	free(s);
	free(NULL);
	assert_int_equal(rn_account_bytes(&a), 0);
	rn_account_use(before);
}

static void only_what_may_fail_is_refused(void **state)
{
	struct rn_account a = {0}, *before = rn_account_use(&a);
	struct rn_arena *arena = rn_arena_create(1 << 20);
	struct rn_err err = {0};
	regex_t re;
	void *p;

	(void)state;
	assert_false(rn_account_ended());
	assert_int_equal(rn_regex_compile(&re, "ab*c", 4, &err), 0);
	rn_account_end(&a);
	assert_true(rn_account_ended() && rn_memory_short() && rn_arena_full(arena));
	p = malloc(100);
	assert_non_null(p);
	free(p);
	if (COUNTED) {
		regex_t other;

		assert_int_equal(rn_regex_compile(&other, "x", 1, &err), -ENOMEM);
		assert_false(rn_regex_match(&re, "abc"));
	}
	p = rn_malloc(100);
	assert_non_null(p);
	free(p);
	rn_account_go_on();
	assert_false(rn_account_ended());
	assert_true(rn_regex_match(&re, "xabbbc"));
	regfree(&re);
	rn_arena_destroy(arena);
	rn_account_use(before);
}

static struct rn_policy policy(enum rn_policy_limit which, int64_t max)
{
	struct rn_policy p = {.path = "/p"};

	p.limit[which].max = max;
	p.limit[which].line = 3;
	return p;
}

static void count_call(void *self)
{
	__atomic_add_fetch((int *)self, 1, __ATOMIC_RELAXED);
}

/* Waits until the query is to end, while it does `work` again and again. */
static void ends_by(enum rn_policy_limit which, int64_t max, void (*work)(void), const char *why)
{
	struct rn_policy p = policy(which, max);
	struct rn_account a = {0}, *before = rn_account_use(&a);
	struct rn_guard *g = NULL;
	struct rn_err err = {0};
	int calls = 0;

	assert_int_equal(rn_guard_create(&p, &a, count_call, &calls, &g, &err), 0);
	assert_non_null(g);
	rn_guard_begin(g);
	alarm(120);
	while (!rn_account_ended())
		work();
	while (!__atomic_load_n(&calls, __ATOMIC_RELAXED))
		usleep(1000);
	assert_true(rn_guard_over(g, &err));
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	rn_account_go_on();
	usleep(200000);
	assert_false(rn_account_ended()); /* once is enough: its end is not disturbed */
	rn_guard_destroy(g);
	alarm(0);
	assert_int_equal(calls, 1);
	rn_account_use(before);
}

static void spin(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

static void rest(void)
{
	usleep(1000);
}

static char *held[100];
static unsigned nheld;

static void hoard(void)
{
	if (nheld < 100) {
		held[nheld] = malloc(1 << 20);
		memset(held[nheld++], 1, 1 << 20);
	}
	usleep(1000);
}

static void queries_are_ended(void **state)
{
	(void)state;
	ends_by(RN_MAX_SECONDS, 1, rest, "the query has run 1 s");
	ends_by(RN_MAX_CPU, 1, spin, "% of a CPU");
	ends_by(RN_MAX_MEMORY, 50, hoard, "the query holds ");
	for (unsigned i = 0; i < nheld; i++)
		free(held[i]);
}

static void what_the_source_takes_counts(void **state)
{
	struct rn_policy p = policy(RN_MAX_MEMORY, 50);
	struct rn_account a = {0}, *before = rn_account_use(&a);
	struct rn_guard *g = NULL;
	struct rn_err err = {0};
	int calls = 0;

	(void)state;
	assert_int_equal(rn_guard_create(&p, &a, count_call, &calls, &g, &err), 0);
	assert_false(rn_guard_over(g, &err));
	rn_guard_tell(g, 0, &(struct rn_cost){.memory_bytes = 60 << 20});
	alarm(120);
	while (!rn_account_ended())
		rest();
	alarm(0);
	assert_true(rn_guard_over(g, &err));
	rn_guard_destroy(g);
	rn_account_use(before);
}

static void nothing_to_watch(void **state)
{
	struct rn_policy none = {.path = "/p"};
	struct rn_account a = {0};
	struct rn_guard *g = NULL;
	struct rn_err err = {0};

	(void)state;
	assert_int_equal(rn_guard_create(&none, &a, count_call, NULL, &g, &err), 0);
	assert_null(g);
	rn_guard_begin(g);
	rn_guard_tell(g, 1, &(struct rn_cost){0});
	assert_false(rn_guard_over(g, &err));
	rn_guard_destroy(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_counted),
		cmocka_unit_test(only_what_may_fail_is_refused),
		cmocka_unit_test(queries_are_ended),
		cmocka_unit_test(what_the_source_takes_counts),
		cmocka_unit_test(nothing_to_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
