/* test_cover.c - which part of a window was covered: its boundaries, gaps, what is never covered,
 * and what stands behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "exec/groups/cover.h"
#include "repl/render/partial.h"

static void is(const struct rn_cover *c, int64_t from, int64_t until, int64_t ns, int64_t begin,
	       int64_t end)
{
	struct rn_span_ns hull;

	assert_int_equal(rn_cover_of(c, from, until, &hull), ns);
	assert_int_equal(hull.begin, begin);
	assert_int_equal(hull.end, end);
}

static void a_window_is_covered_where_its_node_looked(void **state)
{
	static const struct rn_span_ns span[] = {{100, 250}, {400, INT64_MAX}};
	static const struct rn_cover live = {span, 2}, none = {span, 0};

	(void)state;
	is(&live, 0, 100, 0, 0, 0); /* it begins where the window ends */
	is(&live, 0, 101, 1, 100, 101);
	is(&live, 100, 200, 100, 100, 200); /* whole: from its first moment on */
	is(&live, 200, 300, 50, 200, 250);
	is(&live, 250, 400, 0, 250, 250);   /* the gap, whose ends do not belong to it */
	is(&live, 200, 500, 150, 200, 500); /* around the gap */
	is(&live, 400, 500, 100, 400, 500);
	is(&none, 0, 500, 0, 0, 0);
	is(&live, INT64_MIN, 500, 250, 100, 500);
	assert_int_equal(rn_cover_of(&live, 100, 200, NULL), 100);
}

static void spans_of_nodes(void **state)
{
	struct rn_span_ns s[] = {{500, 600}, {100, 200}, {150, 300}, {300, 350},
				 {0, 900},   {700, 700}, {800, 750}};

	(void)state;
	/* those without a beginning, or that end before it, are none */
	assert_int_equal(rn_cover_tidy(s, 7), 2);
	assert_int_equal(s[0].begin, 100);
	assert_int_equal(s[0].end, 350);
	assert_int_equal(s[1].begin, 500);
	assert_int_equal(s[1].end, 600);
	assert_int_equal(rn_cover_tidy(s, 0), 0);
}

static void a_mark_says_how_much_of_a_window_was_covered(void **state)
{
	static const struct {
		int64_t part, whole;
		const char *text;
	} is[] = {
		{400000000, 1000000000, " (0.4 of 1 s)"},
		{0, 1000000000, " (0 of 1 s)"},
		{999999000, 1000000000, " (0.999999 of 1 s)"},
		{970000000, 1000000000, " (0.97 of 1 s)"},
		{3000000, 1000000000, " (0.003 of 1 s)"},
		{69000000, 500000000, " (69.0 of 500 ms)"},
		{90000000000, 120000000000, " (1.5 of 2 min)"},
		{4000000000, 90000000000, " (0.1 of 1.5 min)"},
		{2500000, 10000000, " (2.5 of 10 ms)"},
		{5400000000000, 86400000000000, " (1.5 of 24 h)"},
	};
	char buf[RN_PARTIAL_BYTES];

	(void)state;
	for (unsigned i = 0; i < sizeof(is) / sizeof(*is); i++)
		assert_string_equal(rn_partial_text(buf, is[i].part, is[i].whole), is[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_is_covered_where_its_node_looked),
		cmocka_unit_test(spans_of_nodes),
		cmocka_unit_test(a_mark_says_how_much_of_a_window_was_covered)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
