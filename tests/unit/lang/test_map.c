/* test_map.c - hash tables: what is added is found, deleted once, and visited in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/base/map.h"

enum { MANY = 20000 };

struct entry {
	UT_hash_handle hh;
	struct {
		uint64_t high, low;
	} key;
	unsigned number;
};

static struct entry *find(struct entry *map, unsigned i)
{
	struct entry key = {.key = {i % 7, i}}, *e;

	HASH_FIND(hh, map, &key.key, sizeof(key.key), e);
	return e;
}

static void entries_are_found_until_deleted(void **state)
{
	struct entry *map = NULL, *e, *next;
	unsigned visited = 0;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		assert_null(find(map, i));
		e = rn_calloc(1, sizeof(*e));
		e->key.high = i % 7;
		e->key.low = i;
		e->number = i;
		HASH_ADD(hh, map, key, sizeof(e->key), e);
	}
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(find(map, i)->number, i);
	HASH_ITER(hh, map, e, next)
	{
		assert_int_equal(e->number, visited++);
		if (e->number % 2) {
			HASH_DEL(map, e);
			free(e);
		}
	}
	assert_int_equal(visited, MANY);
	assert_int_equal(HASH_COUNT(map), MANY / 2);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(find(map, i) != NULL, i % 2 == 0);
	HASH_ITER(hh, map, e, next)
	{
		HASH_DEL(map, e);
		free(e);
	}
	assert_null(map);
}

static void a_key_may_have_no_bytes(void **state)
{
	struct {
		UT_hash_handle hh;
	} *map = NULL, one, *e;

	(void)state;
	HASH_ADD_KEYPTR(hh, map, "", 0, &one);
	HASH_FIND(hh, map, "", 0, e);
	assert_ptr_equal(e, &one);
	HASH_CLEAR(hh, map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found_until_deleted),
		cmocka_unit_test(a_key_may_have_no_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
