/* test_vec.c - arrays that grow, of the heap and of an arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "lang/base/vec.h"

enum { MANY = 10000 };

static void elements_survive_growth(void **state)
{
	int *list = NULL;
	unsigned n = 0, cap = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		rn_vec_room(list, n, cap);
		assert_true(n < cap);
		list[n++] = i;
	}
	for (int i = 0; i < MANY; i++)
		assert_int_equal(list[i], i);
	assert_true(cap < 2 * MANY);
	free(list);
}

static void elements_in_an_arena_survive_growth(void **state)
{
	struct rn_arena *arena = rn_arena_create(1 << 20);
	short *list = NULL;
	size_t n = 0, cap = 0;

	(void)state;
	for (short i = 0; i < MANY; i++) {
		rn_vec_room_in(arena, list, n, cap);
		list[n++] = i;
	}
	for (short i = 0; i < MANY; i++)
		assert_int_equal(list[i], i);
	rn_arena_destroy(arena);
}

static void room_for_many_is_made_at_once(void **state)
{
	char *text = NULL;
	uint32_t n = 0, cap = 0;

	(void)state;
	rn_vec_room_for(text, n, cap, 0);
	assert_int_equal(cap, 0);
	rn_vec_room_for(text, n, cap, 1000);
	assert_true(cap >= 1000 && cap < 2000);
	n = 1000;
	rn_vec_room_for(text, n, cap, cap - n);
	assert_true(cap < 2000);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_survive_growth),
		cmocka_unit_test(elements_in_an_arena_survive_growth),
		cmocka_unit_test(room_for_many_is_made_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
