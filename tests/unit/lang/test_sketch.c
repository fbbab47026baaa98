/* test_sketch.c - sketches of payload: the numbers that the kernel makes as well, and what they say
 * of two payloads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/values/minhash.h"

static struct rn_sketch of(const void *p, size_t n)
{
	struct rn_sketch s;

	rn_sketch_make(&s, p, n);
	return s;
}

static double similar(const void *p, size_t np, const void *q, size_t nq)
{
	struct rn_sketch a = of(p, np), b = of(q, nq);
	double x = rn_sketch_similarity(&a, &b);

	assert_true(x == rn_sketch_similarity(&b, &a));
	return x;
}

/* One shingle, worked out by hand: x = 1 gives h = 0x9E3779B97F4A7C15, place 9, and 0xE3779B97 of
 * it. */
static void by_hand(void **state)
{
	static const unsigned char one[9] = {1};
	struct rn_sketch s = of(one, 8);
	unsigned char bytes[RN_SKETCH_BYTES];

	(void)state;
	for (unsigned i = 0; i < RN_SKETCH_PLACES; i++)
		assert_int_equal(s.least[i], i == 9 ? 0xE3779B97u : 0xffffffffu);
	rn_sketch_write(&s, bytes);
	assert_memory_equal(bytes + 36, "\x97\x9b\x77\xe3", 4);
	s = of(one, 9); /* and x = 0: place 0, number 0 */
	assert_int_equal(s.least[0], 0);
	assert_int_equal(s.least[9], 0xE3779B97u);
}

static void too_short(void **state)
{
	(void)state;
	assert_true(similar("1234567", 7, "1234567", 7) == 0);
	assert_true(similar("", 0, "12345678", 8) == 0);
	assert_true(similar("12345678", 8, "12345678", 8) == 1);
}

static void round_trip(void **state)
{
	struct rn_sketch a = of("the quick brown fox", 19), b;
	unsigned char bytes[RN_SKETCH_BYTES];

	(void)state;
	rn_sketch_write(&a, bytes);
	rn_sketch_read(&b, bytes);
	assert_memory_equal(&a, &b, sizeof(a));
}

/* The estimate is near the share of shingles in common; order of blocks hardly counts. */
static void the_estimate_is_near_the_share_in_common(void **state)
{
	enum { N = 1 << 16, RUNS = 24 };
	static unsigned char x[N], y[N];
	double sum = 0;

	(void)state;
	srand(7);
	for (unsigned run = 0; run < RUNS; run++) {
		for (unsigned i = 0; i < N; i++)
			x[i] = (unsigned char)rand();
		memcpy(y, x, N);
		assert_true(similar(x, N, y, N) == 1);
		/* the other half is others': a third of all shingles is common */
		for (unsigned i = N / 2; i < N; i++)
			y[i] = (unsigned char)rand();
		sum += similar(x, N, y, N);
		memcpy(y, x + N / 2, N / 2);
		memcpy(y + N / 2, x, N / 2);
		assert_true(similar(x, N, y, N) > 0.7);
	}
	assert_true(sum / RUNS > 1.0 / 3 - 0.12 && sum / RUNS < 1.0 / 3 + 0.12);
	for (unsigned i = 0; i < N; i++)
		y[i] = (unsigned char)rand();
	assert_true(similar(x, N, y, N) < 0.2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(too_short),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(the_estimate_is_near_the_share_in_common),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
