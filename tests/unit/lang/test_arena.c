/* test_arena.c - the arena's promises: zeroed, aligned, stable, soft cap, reset; and the growing
 * text that lives in it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "lang/base/arena.h"
#include "lang/base/err.h"
#include "lang/base/str.h"
#include "lang/base/utf8.h"

static void gives_zeroed_aligned_memory(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	char *last = NULL;

	(void)state;
	for (size_t n = 0; n < 3000; n += 7) {
		char *p = rn_arena_alloc(a, n);

		assert_int_equal((uintptr_t)p % 16, 0);
		assert_ptr_not_equal(p, last);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xAA, n);
		last = p;
	}
	rn_arena_destroy(a);
}

static void earlier_memory_stays(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 24);
	char *text[200];

	(void)state;
	for (int i = 0; i < 200; i++) {
		text[i] = rn_arena_printf(a, "number %d", i);
		memset(rn_arena_alloc(a, (size_t)i * 997), 0x55, (size_t)i * 997);
	}
	for (int i = 0; i < 200; i++) {
		char want[32];

		snprintf(want, sizeof(want), "number %d", i);
		assert_string_equal(text[i], want);
	}
	rn_arena_destroy(a);
}

static void cap_is_soft(void **state)
{
	struct rn_arena *a = rn_arena_create(1000);

	(void)state;
	rn_arena_alloc(a, 992);
	assert_false(rn_arena_full(a));
	memset(rn_arena_alloc(a, 64), 1, 64);
	assert_true(rn_arena_full(a));
	assert_non_null(rn_arena_alloc(a, 100000));
	rn_arena_reset(a);
	assert_false(rn_arena_full(a));
	rn_arena_destroy(a);
	rn_arena_destroy(NULL);
}

static void reset_zeroes_again(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;
	for (int round = 0; round < 5; round++) {
		unsigned char *p = rn_arena_alloc(a, 3000);

		for (int i = 0; i < 3000; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xFF, 3000);
		memset(rn_arena_alloc(a, 300000), 0xFF, 300000); /* a chunk of its own: goes */
		memset(rn_arena_alloc(a, 900), 0xFF, 900);
		rn_arena_reset(a);
	}
	rn_arena_destroy(a);
}

static void copies_texts(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	char long_text[600];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_string_equal(rn_arena_strndup(a, "abcdef", 3), "abc");
	assert_string_equal(rn_arena_strndup(a, NULL, 0), "");
	assert_string_equal(rn_arena_strdup(a, "x"), "x");
	assert_int_equal(strlen(rn_arena_printf(a, "%s%s", long_text, long_text)),
			 2 * strlen(long_text));
	rn_arena_destroy(a);
}

static void texts_grow(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_strbuf t;

	(void)state;
	rn_strbuf_init(&t, a);
	assert_string_equal(rn_strbuf_cstr(&t), "");
	for (int i = 0; i < 1000; i++)
		rn_strbuf_printf(&t, "%d,", i % 10);
	assert_int_equal(t.len, 2000);
	assert_memory_equal(rn_strbuf_cstr(&t) + 1990, "5,6,7,8,9,", 11);
	rn_strbuf_pad(&t, ' ', 300);
	rn_strbuf_trim(&t, ' ');
	assert_int_equal(t.len, 2000);
	rn_arena_destroy(a);
}

static void utf8_is_strict(void **state)
{
	(void)state;
	assert_int_equal(rn_utf8_len("é", 2), 2);
	assert_int_equal(rn_utf8_len("日", 3), 3);
	assert_int_equal(rn_utf8_len("日", 2), 1);           /* cut short */
	assert_int_equal(rn_utf8_len("\xC0\x80", 2), 1);     /* overlong */
	assert_int_equal(rn_utf8_len("\xED\xA0\x80", 3), 1); /* surrogate */
	assert_int_equal(rn_utf8_len("\xF5\x80\x80\x80", 4), 1);
	assert_int_equal(rn_utf8_decode("\xF0\x9F\x98\x80", 4), 0x1F600);
	assert_int_equal(rn_utf8_decode("\x80", 1), 0x80);
}

static void cap_is_hard_for_what_is_tried(void **state)
{
	struct rn_arena *a = rn_arena_create(1000);
	char *p;

	(void)state;
	assert_null(rn_arena_try(a, SIZE_MAX));
	assert_null(rn_arena_try(a, 1001));
	p = rn_arena_try(a, 400);
	assert_non_null(p);
	memset(p, 1, 400);
	assert_null(rn_arena_try(a, 601));
	assert_non_null(rn_arena_try(a, 500));
	assert_false(rn_arena_full(a));
	for (unsigned i = 0; i < 5; i++)
		assert_non_null(rn_arena_try(a, 0));
	assert_null(rn_arena_try(a, 0));          /* it takes 16 bytes */
	assert_non_null(rn_arena_alloc(a, 5000)); /* not of this kind */
	assert_null(rn_arena_try(a, 1));
	rn_arena_reset(a);
	assert_non_null(rn_arena_try(a, 900));
	rn_arena_destroy(a);
}

/* What a terminal would obey is shown byte by byte; words of all scripts stay. */
static void utf8_is_cleaned(void **state)
{
	static const struct {
		const char *s, *keep, *want;
	} cases[] = {
		{"plain \303\251 \346\227\245", "", "plain \303\251 \346\227\245"},
		{"\033[2J", "", "\\x1b[2J"},
		{"a\tb\n", "", "a\\x09b\\x0a"},
		{"a\tb\n", "\n\t", "a\tb\n"},
		{"\302\233", "", "\\xc2\\x9b"},
		{"\342\200\256x", "\n", "\\xe2\\x80\\xaex"},
		{"\342\200\215", "", "\342\200\215"},
		{"\357\273\277", "", "\\xef\\xbb\\xbf"},
		{"\xff", "", "\\xff"},
		{"\177", "", "\\x7f"},
	};
	static const uint32_t not [] = {0,      0x1f,   0x7f,   0x9f,   0x61c,
					0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
					0x202a, 0x202e, 0x2066, 0x2069, 0xe0041};
	char to[80];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = rn_utf8_clean(to, sizeof(to), cases[i].s, strlen(cases[i].s),
					 cases[i].keep);

		assert_string_equal(to, cases[i].want);
		assert_int_equal(n, strlen(to));
	}
	/* a NUL is never kept */
	assert_int_equal(rn_utf8_clean(to, sizeof(to), "a\0b", 3, "\n"), 6);
	assert_true(rn_utf8_clean(to, 24, "0123456789012345678901234567890", 31, "") < 24);
	for (size_t i = 0; i < sizeof(not ) / sizeof(*not ); i++)
		assert_false(rn_utf8_is_plain(not [i]));
	assert_true(rn_utf8_is_plain(0x20) && rn_utf8_is_plain(0xa0) && rn_utf8_is_plain(0x200d) &&
		    rn_utf8_is_plain(0x1f600));
}

static void errors_chain(void **state)
{
	struct rn_err e;

	(void)state;
	assert_int_equal(rn_err_set(&e, -2, "open %s", "x"), -2);
	rn_err_hint(&e, "create it");
	assert_int_equal(rn_err_wrap(&e, "node %d", 1), -2);
	assert_string_equal(e.text, "node 1: open x");
	assert_string_equal(e.hint, "create it");
	rn_err_set(&e, -1, "%2000d", 1); /* too long: cut, not overrun */
	rn_err_wrap(&e, "%2000d", 1);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_string_equal(e.hint, "");
	assert_int_equal(rn_err_set(NULL, -5, "x"), -5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_zeroed_aligned_memory),
		cmocka_unit_test(earlier_memory_stays),
		cmocka_unit_test(cap_is_soft),
		cmocka_unit_test(reset_zeroes_again),
		cmocka_unit_test(copies_texts),
		cmocka_unit_test(texts_grow),
		cmocka_unit_test(utf8_is_strict),
		cmocka_unit_test(errors_chain),
		cmocka_unit_test(cap_is_hard_for_what_is_tried),
		cmocka_unit_test(utf8_is_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
