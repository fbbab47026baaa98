/* test_pairing.c - pairs of events outside of the kernel, against the rule said in the plainest
 * way: a list that is searched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/trace/pairing.h"

static void first(struct rn_pairing *p, int node, int64_t a, int64_t b, int64_t row)
{
	rn_pairing_first(p, node, (int64_t[]){a, b}, &(struct rn_pairing_first){row * 10, row});
}

static int64_t second(struct rn_pairing *p, int node, int64_t a, int64_t b)
{
	struct rn_pairing_first f;

	if (!rn_pairing_second(p, node, (int64_t[]){a, b}, &f))
		return -1;
	assert_int_equal(f.time_ns, f.row * 10);
	return f.row;
}

static void counts_are(const struct rn_pairing *p, int64_t open, int64_t reopened, int64_t lost)
{
	struct rn_pairing_counts c = rn_pairing_counts(p);

	assert_int_equal(c.open, open);
	assert_int_equal(c.reopened, reopened);
	assert_int_equal(c.lost, lost);
}

static void the_rule(void **state)
{
	struct rn_pairing *p = rn_pairing_create(2, 3);
	int n = rn_pairing_node(p, "one", 3), m = rn_pairing_node(p, "two and more", 3);

	(void)state;

	assert_int_equal(rn_pairing_node(p, "one", 3), n);
	assert_int_equal(rn_pairing_node(p, "two", 3), m);
	assert_true(n != m);
	assert_int_equal(second(p, n, 1, 1), -1); /* before any first one */
	first(p, n, 1, 1, 1);
	assert_int_equal(second(p, n, 1, 2), -1); /* all keys */
	assert_int_equal(second(p, m, 1, 1), -1); /* and the node */
	first(p, n, 1, 1, 2);                     /* the later one counts */
	counts_are(p, 1, 1, 0);
	assert_int_equal(second(p, n, 1, 1), 2);
	assert_int_equal(second(p, n, 1, 1), -1); /* once */
	for (int i = 0; i < 3; i++)
		first(p, n, i, 0, 10 + i), first(p, m, i, 0, 20 + i);
	first(p, n, 0, 0, 13); /* it begins to wait again */
	first(p, n, 3, 0, 14); /* and 1 has waited longest */
	counts_are(p, 6, 2, 1);
	assert_int_equal(second(p, n, 1, 0), -1);
	assert_int_equal(second(p, n, 0, 0), 13);
	assert_int_equal(second(p, n, 2, 0), 12);
	assert_int_equal(second(p, n, 3, 0), 14);
	assert_int_equal(second(p, m, 1, 0), 21);
	counts_are(p, 2, 2, 1);
	rn_pairing_destroy(p);
}

/* Random events of few and of many keys on three nodes, beside a list of those that wait, the
 * oldest first. */
enum { EVENTS = 60000, MOST = 700, NODES = 3 };
static void as_a_list_would(void **state)
{
	static struct {
		int node;
		int64_t key, row;
	} wait[NODES * MOST + 1];
	struct rn_pairing *p = rn_pairing_create(2, MOST);
	struct rn_pairing_counts c = {0};
	unsigned seed = 7, n = 0;
	int node[NODES];

	(void)state;

	for (int i = 0; i < NODES; i++)
		node[i] = rn_pairing_node(p, &"abc"[i], 1);
	for (int64_t row = 0; row < EVENTS; row++) {
		int at = node[rand_r(&seed) % NODES], mine = 0, oldest = -1;
		int64_t key = rand_r(&seed) % (row % 20000 < 10000 ? 50 : 4000);
		unsigned found = n;

		for (unsigned i = 0; i < n; i++) {
			if (wait[i].node != at)
				continue;
			if (!mine++)
				oldest = (int)i;
			if (wait[i].key == key)
				found = i;
		}
		if (rand_r(&seed) % 5 < 2) {
			assert_int_equal(second(p, at, key, -key),
					 found < n ? wait[found].row : -1);
			if (found == n)
				continue;
			memmove(&wait[found], &wait[found + 1], (--n - found) * sizeof(*wait));
			continue;
		}
		c.reopened += found < n;
		c.lost += found == n && mine == MOST;
		if (found == n && mine == MOST)
			found = (unsigned)oldest;
		if (found < n)
			memmove(&wait[found], &wait[found + 1], (--n - found) * sizeof(*wait));
		wait[n].node = at, wait[n].key = key, wait[n++].row = row;
		first(p, at, key, -key, row);
	}
	counts_are(p, n, c.reopened, c.lost);
	assert_true(c.lost > 1000 && c.reopened > 1000);
	rn_pairing_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_rule),
					   cmocka_unit_test(as_a_list_would)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
