/* test_groups.c - the table of groups: keys, windows, order of visits, the bound and (other), and
 * merging in any grouping. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <xxhash.h>
#include "exec/groups/groups.h"
#include "planner/agg/state.h"
#include "lang/base/hash.h"

static struct rn_expr arg_expr = {.kind = RN_E_FIELD, .ty = {RN_T_INT, 0}};

static struct rn_agg_call call(const char *name)
{
	struct rn_agg_call c = {.arg = &arg_expr, .ty = {RN_T_INT, 0}};

	for (unsigned i = 0; rn_aggs[i]; i++)
		if (!strcmp(rn_aggs[i]->sig.name, name))
			c.def = rn_aggs[i];
	assert_non_null(c.def);
	c.param[0] = c.def->preset;
	if (c.def->sig.arg == RN_ARG_NONE)
		c.arg = NULL;
	return c;
}

struct text {
	char s[65536];
	size_t len;
	const struct rn_agg_call *aggs;
	unsigned naggs, nkeys;
	unsigned visits;
};

static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->len += (size_t)vsnprintf(t->s + t->len, sizeof(t->s) - t->len, fmt, ap);
	va_end(ap);
	assert_true(t->len < sizeof(t->s));
}

static void put_value(struct text *t, const struct rn_value *v)
{
	if (v->kind == RN_STR)
		put(t, "%.*s ", (int)v->len, v->s);
	else if (v->kind == RN_NULL)
		put(t, "NULL ");
	else if (v->kind == RN_FLOAT)
		put(t, "%g ", v->f);
	else
		put(t, "%lld ", (long long)v->i);
}

static int show(void *self, const struct rn_partials *p)
{
	struct text *t = self;
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_finish_ctx f = {.window_ns = 1000000000};

	t->visits++;
	for (uint32_t i = 0; i < p->n; i++) {
		put(t, "%lld: ", (long long)p->window_ns);
		if (p->parts[i].other)
			put(t, "(other) ");
		for (unsigned k = 0; k < t->nkeys && !p->parts[i].other; k++)
			put_value(t, &p->parts[i].key[k]);
		put(t, "x%lld ", (long long)p->parts[i].events);
		for (unsigned k = 0; k < t->naggs; k++) {
			struct rn_value v =
				t->aggs[k].def->finish(&t->aggs[k], &p->parts[i].state[k], &f, a);

			put_value(t, &v);
		}
		t->s[t->len - 1] = '\n';
	}
	rn_arena_destroy(a);
	return 0;
}

static void update(struct rn_groups *g, int64_t window, struct rn_value key, int64_t arg)
{
	struct rn_value args[3] = {rn_int(arg), rn_int(arg), rn_int(arg)};

	rn_groups_update(g, window, &key, args, arg);
}
static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

static void windows_and_keys_in_order(void **state)
{
	struct rn_agg_call aggs[2] = {call("count"), call("sum")};
	struct rn_groups *g = rn_groups_create(aggs, 2, 1, 0);
	struct text t = {.aggs = aggs, .naggs = 2, .nkeys = 1};
	char volatile_key[] = "cat";

	(void)state;
	update(g, 20, str("dd"), 5);
	update(g, 10, str("dd"), 1);
	update(g, 10, str(volatile_key), 2);
	volatile_key[0] = 'X'; /* the table keeps its own */
	update(g, 10, str("dd"), 3);
	update(g, 10, rn_int(7), 1);
	update(g, 10, rn_float(7), 1); /* the same key: numbers that compare equal */
	update(g, 10, rn_null(), 1);
	update(g, 10, rn_int(0), 1); /* not NULL */
	assert_int_equal(rn_groups_count(g), 6);
	rn_groups_visit(g, 20, false, show, &t);
	assert_string_equal(
		t.s,
		"10: NULL x1 1 1\n10: 0 x1 1 1\n10: 7 x2 2 2\n10: cat x1 1 2\n10: dd x2 2 4\n");
	assert_int_equal(t.visits, 1);
	t.len = 0;
	rn_groups_visit(g, 20, true, show, &t);
	assert_int_equal(rn_groups_count(g), 1);
	update(g, 20, str("dd"), 6); /* a table that dropped windows still finds its keys */
	t.len = 0;
	rn_groups_visit(g, INT64_MAX, true, show, &t);
	assert_string_equal(t.s, "20: dd x2 2 11\n");
	assert_int_equal(rn_groups_count(g), 0);
	rn_groups_destroy(g);
}

static void what_does_not_fit_is_in_other(void **state)
{
	struct rn_agg_call aggs[1] = {call("sum")};
	struct rn_groups *g = rn_groups_create(aggs, 1, 1, 2), *h = rn_groups_create(aggs, 1, 1, 0);
	struct text t = {.aggs = aggs, .naggs = 1, .nkeys = 1};
	struct rn_value arg = rn_int(1), key, keys[3] = {rn_int(1), rn_int(9), rn_null()};
	struct rn_partial p[3];
	struct rn_state s[3];
	struct rn_partials parts;

	(void)state;
	for (int i = 0; i < 5; i++) {
		key = rn_int(i);
		assert_int_equal(rn_groups_update(g, 0, &key, &arg, 0), i >= 2);
		rn_groups_update(h, 0, &key, &arg, 0);
	}
	rn_groups_visit(g, INT64_MAX, false, show, &t);
	assert_string_equal(t.s, "0: 0 x1 1\n0: 1 x1 1\n0: (other) x3 3\n");
	/* Merged into a full table: groups that are there stay themselves, the rest joins
	 * (other). */
	for (int i = 0; i < 3; i++) {
		rn_state_init(aggs, &s[i]);
		rn_state_update(aggs, &s[i], &arg, 0, true);
		p[i] = (struct rn_partial){
			.key = &keys[i], .events = 1, .state = &s[i], .other = i == 2};
	}
	parts = (struct rn_partials){.n = 3, .parts = p};
	assert_int_equal(rn_groups_merge(g, &parts), 1);
	t.len = 0;
	rn_groups_visit(g, INT64_MAX, false, show, &t);
	assert_string_equal(t.s, "0: 0 x1 1\n0: 1 x2 2\n0: (other) x5 5\n");
	for (int i = 0; i < 3; i++)
		rn_state_free(aggs, &s[i]);
	rn_groups_destroy(g);
	rn_groups_destroy(h);
}

static int merge_into(void *self, const struct rn_partials *p)
{
	rn_groups_merge(self, p);
	return 0;
}

/* The same events through one table, or through five tables and two relays. */
static void any_tree_of_tables_gives_the_same_groups(void **state)
{
	static const char *const procs[] = {"java", "postgres", "nginx", "dd",
					    "a name that is longer than most names are"};
	struct rn_agg_call aggs[3] = {call("count"), call("p99"), call("set")};
	struct rn_groups *one = rn_groups_create(aggs, 3, 2, 0),
			 *top = rn_groups_create(aggs, 3, 2, 0), *relay[2], *leaf[5];
	static struct text a, b;

	(void)state;
	for (int i = 0; i < 5; i++)
		leaf[i] = rn_groups_create(aggs, 3, 2, 0);
	for (int i = 0; i < 2; i++)
		relay[i] = rn_groups_create(aggs, 3, 2, 0);
	srand(7);
	for (int i = 0; i < 20000; i++) {
		struct rn_value key[2] = {str(procs[rand() % 5]), rn_int(rand() % 3)},
				v = rn_int(rand() % 5000), arg[3] = {v, v, v};
		int64_t window = rand() % 4 * 1000;

		rn_groups_update(one, window, key, arg, i);
		rn_groups_update(leaf[rand() % 5], window, key, arg, i);
	}
	for (int i = 4; i >= 0; i--)
		rn_groups_visit(leaf[i], INT64_MAX, true, merge_into, relay[i % 2]);
	rn_groups_visit(relay[1], 2000, true, merge_into, top);
	rn_groups_visit(relay[0], INT64_MAX, true, merge_into, top);
	rn_groups_visit(relay[1], INT64_MAX, true, merge_into, top);
	a = b = (struct text){.aggs = aggs, .naggs = 3, .nkeys = 2};
	rn_groups_visit(one, INT64_MAX, false, show, &a);
	rn_groups_visit(top, INT64_MAX, false, show, &b);
	assert_int_equal(a.visits, 4);
	assert_string_equal(a.s, b.s);
	for (int i = 0; i < 5; i++)
		rn_groups_destroy(leaf[i]);
	for (int i = 0; i < 2; i++)
		rn_groups_destroy(relay[i]);
	rn_groups_destroy(one);
	rn_groups_destroy(top);
}

static void many_groups(void **state)
{
	struct rn_agg_call aggs[1] = {call("count")};
	struct rn_groups *g = rn_groups_create(aggs, 1, 1, 0);

	(void)state;
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 50000; i++) {
			struct rn_value key = rn_int((int64_t)i << 20), arg = rn_null();

			rn_groups_update(g, 0, &key, &arg, 0);
		}
	assert_int_equal(rn_groups_count(g), 50000);
	rn_groups_destroy(g);
	rn_groups_destroy(NULL);
}

/* Names that somebody has chosen, knowing how 0.1.0 hashed: all in one place of a table of up to
 * 4,096. */
static void chosen_names_do_not_pile_up(void **state)
{
	enum { NAMES = 1000, PLACES = 4096 };
	struct rn_agg_call aggs[1] = {call("count")};
	struct rn_groups *g = rn_groups_create(aggs, 1, 1, 0);
	char name[32];
	uint64_t n = 0;

	(void)state;
	for (uint64_t i = 0; n < NAMES; i++) {
		int len = snprintf(name, sizeof(name), "/tmp/f%llu", (unsigned long long)i);
		uint64_t h = XXH3_64bits_withSeed(name, (size_t)len, 0);

		if ((h ^ h >> 29) & (PLACES - 1))
			continue;
		n++;
		for (int again = 0; again < 3; again++)
			update(g, 0, str(name), 1);
	}
	assert_int_equal(rn_groups_count(g), NAMES);
	/* by chance it is about half of them; if they pile up, half of their square */
	if (rn_groups_steps(g) > 4 * NAMES)
		fail_msg("%llu steps", (unsigned long long)rn_groups_steps(g));
	rn_groups_destroy(g);
}

static void each_table_has_a_secret(void **state)
{
	struct rn_secret a, b;

	(void)state;
	rn_secret_make(&a);
	rn_secret_make(&b);
	for (size_t n = 0; n < 300; n += 13) {
		char bytes[300] = {0};

		assert_true(rn_hash_secret(&a, bytes, n) == rn_hash_secret(&a, bytes, n));
		assert_true(rn_hash_secret(&a, bytes, n) != rn_hash_secret(&b, bytes, n));
	}
	assert_true(rn_hash_seed() != rn_hash_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_and_keys_in_order),
		cmocka_unit_test(what_does_not_fit_is_in_other),
		cmocka_unit_test(any_tree_of_tables_gives_the_same_groups),
		cmocka_unit_test(many_groups),
		cmocka_unit_test(chosen_names_do_not_pile_up),
		cmocka_unit_test(each_table_has_a_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
