/* test_diag.c - rendering of diagnostics: places, carets under tabs and UTF-8, second spans, order,
 * limits, colour. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "lang/base/diag.h"

struct fixture {
	struct rn_arena *a;
	struct rn_diag *d;
};

static struct fixture start(const char *text)
{
	struct fixture f = {rn_arena_create(1 << 20), NULL};

	f.d = rn_diag_new(f.a);
	rn_diag_source(f.d, "query", text, strlen(text));
	return f;
}

static void expect(struct fixture f, const char *want)
{
	assert_string_equal(rn_diag_render(f.d, f.a, false), want);
	rn_arena_destroy(f.a);
}

static struct rn_span span(const char *text, const char *part)
{
	uint32_t at = (uint32_t)(strstr(text, part) - text);

	return (struct rn_span){at, at + (uint32_t)strlen(part), 0};
}

static void shows_the_line(void **state)
{
	const char *t = "count of raed by proc";
	struct fixture f = start(t);
	struct rn_diag_item *it = rn_diag_add(f.d, RN_ERROR, "E-NAME-SOURCE", span(t, "raed"),
					      "`%s` is not an event class", "raed");

	(void)state;
	rn_diag_hint(f.d, it, "did you mean `%s`?", "read");
	assert_int_equal(rn_diag_errors(f.d), 1);
	expect(f, "query:1:10: error: `raed` is not an event class [E-NAME-SOURCE]\n"
		  "  count of raed by proc\n"
		  "           ^~~~\n"
		  "  did you mean `read`?\n");
}

/* On a terminal of 40 columns nothing is wider than that, and the caret is where it was. */
static void fits_a_terminal(void **state)
{
	const char *t = "count, sum(bytes), p99(latency) of raed where proc = java by file";
	struct fixture f = start(t);
	struct rn_diag_item *it = rn_diag_add(f.d, RN_ERROR, "E-NAME-SOURCE", span(t, "raed"),
					      "`%s` is not an event class, table or view", "raed");

	(void)state;
	rn_diag_hint(f.d, it, "did you mean `%s`? `runnel list` shows all that there is to ask",
		     "read");
	rn_diag_fit(f.d, 40);
	expect(f, "query:1:36: error: `raed` is not an\n"
		  "    event class, table or view\n"
		  "    [E-NAME-SOURCE]\n"
		  "  ...p99(latency) of raed where proc ...\n"
		  "                     ^~~~\n"
		  "  did you mean `read`? `runnel list`\n"
		  "  shows all that there is to ask\n");
	f = start(t); /* as wide as the line with its two blanks: nothing is cut */
	rn_diag_add(f.d, RN_ERROR, "E-X", span(t, "raed"), "x");
	rn_diag_fit(f.d, (unsigned)strlen(t) + 2);
	expect(f, "query:1:36: error: x [E-X]\n"
		  "  count, sum(bytes), p99(latency) of raed where proc = java by file\n"
		  "                                     ^~~~\n");
}

/* What hints say was meant, in the places of what was written. */
static void mends_a_text(void **state)
{
	const char *t = "p99(latncy) of tracepoint \"sched:swich\" by prok";
	struct fixture f = start(t);

	(void)state;
	assert_null(rn_diag_mend(f.d, f.a, 0));
	rn_diag_hint(f.d, rn_diag_add(f.d, RN_ERROR, "E-X", span(t, "\"sched:swich\""), "x"),
		     "did you mean `%s`?", "sched:sched_switch");
	rn_diag_hint(f.d, rn_diag_add(f.d, RN_ERROR, "E-X", span(t, "latncy"), "x"),
		     "did you mean `latency`? `runnel describe read` lists them");
	/* it overlaps */
	rn_diag_hint(f.d, rn_diag_add(f.d, RN_ERROR, "E-X", span(t, "p99(latncy)"), "x"),
		     "did you mean `p90`?");
	rn_diag_hint(f.d, rn_diag_add(f.d, RN_ERROR, "E-X", span(t, "of"), "x"),
		     "did you mean `in` of the module io? write `use io;` before it");
	rn_diag_hint(f.d, rn_diag_add(f.d, RN_WARNING, "W-X", span(t, "by"), "x"),
		     "did you mean `to`?");
	rn_diag_hint(f.d, rn_diag_add(f.d, RN_ERROR, "E-X", span(t, "prok"), "x"),
		     "did you mean the aggregate `%s`?", "count");
	assert_string_equal(rn_diag_mend(f.d, f.a, 0),
			    "p99(latency) of tracepoint \"sched:sched_switch\" by count");
	rn_arena_destroy(f.a);
}

static void keeps_columns_under_tabs_and_utf8(void **state)
{
	const char *t = "a\n\t\"é日\"\twrong";
	struct fixture f = start(t);

	(void)state;
	rn_diag_add(f.d, RN_WARNING, "W-X", span(t, "wrong"), "odd");
	expect(f, "query:2:7: warning: odd [W-X]\n"
		  "          \"é日\"   wrong\n"
		  "                  ^~~~~\n");
}

static void draws_the_second_span(void **state)
{
	const char *t = "where a by b where c";
	struct fixture f = start(t);
	struct rn_diag_item *it =
		rn_diag_add(f.d, RN_ERROR, "E-CLAUSE-DUP", span(t, "where c"), "twice");

	(void)state;
	it->also = span(t, "where a");
	expect(f, "query:1:14: error: twice [E-CLAUSE-DUP]\n"
		  "  where a by b where c\n"
		  "  ~~~~~~~      ^~~~~~~\n");
}

static void shows_a_second_line_if_needed(void **state)
{
	const char *t = "x (y\nz";
	struct fixture f = start(t);
	struct rn_diag_item *it =
		rn_diag_add(f.d, RN_ERROR, "E-SYNTAX", (struct rn_span){6, 6, 0}, "found the end");

	(void)state;
	it->also = span(t, "(");
	expect(f, "query:2:2: error: found the end [E-SYNTAX]\n"
		  "  z\n"
		  "   ^\n"
		  "  x (y\n"
		  "    ~\n");
}

static void sorts_by_place(void **state)
{
	const char *t = "one two";
	struct fixture f = start(t);

	(void)state;
	rn_diag_add(f.d, RN_ERROR, "E-B", span(t, "two"), "second");
	rn_diag_add(f.d, RN_NOTE, "N-A", span(t, "one"), "first");
	assert_int_equal(rn_diag_errors(f.d), 1);
	assert_string_equal(rn_diag_first(f.d)->text, "second"); /* of arrival */
	expect(f, "query:1:1: note: first [N-A]\n  one two\n  ^~~\n"
		  "query:1:5: error: second [E-B]\n  one two\n      ^~~\n");
}

static void several_sources(void **state)
{
	struct fixture f = start("ab");
	uint16_t view = rn_diag_source(f.d, "view slow", "cd", 2);
	unsigned line, col;
	size_t len;

	(void)state;
	assert_int_equal(view, 1);
	assert_string_equal(rn_diag_text(f.d, view, &len), "cd");
	assert_int_equal(len, 2);
	assert_string_equal(rn_diag_text(f.d, 7, &len), "");
	rn_diag_where(f.d, (struct rn_span){1, 2, view}, &line, &col);
	assert_int_equal(line, 1);
	assert_int_equal(col, 2);
	rn_diag_add(f.d, RN_ERROR, "E-X", (struct rn_span){1, 2, view}, "wrong");
	expect(f, "view slow:1:2: error: wrong [E-X]\n  cd\n   ^\n");
}

static void counts_beyond_the_maximum(void **state)
{
	struct fixture f = start("x");
	const char *text;

	(void)state;
	for (int i = 0; i < RN_DIAG_MAX + 3; i++)
		rn_diag_hint(
			f.d,
			rn_diag_add(f.d, RN_ERROR, "E-X", (struct rn_span){0, 1, 0}, "error %d", i),
			"hint");
	assert_int_equal(rn_diag_errors(f.d), RN_DIAG_MAX + 3);
	text = rn_diag_render(f.d, f.a, false);
	assert_non_null(strstr(text, "error 19 "));
	assert_null(strstr(text, "error 20 "));
	assert_string_equal(text + strlen(text) - strlen("3 more errors are not shown\n"),
			    "3 more errors are not shown\n");
	rn_arena_destroy(f.a);
}

static void colours_only_if_asked(void **state)
{
	struct fixture f = start("abc");

	(void)state;
	rn_diag_hint(f.d, rn_diag_add(f.d, RN_ERROR, "E-X", (struct rn_span){1, 2, 0}, "wrong"),
		     "way out");
	assert_null(strchr(rn_diag_render(f.d, f.a, false), '\033'));
	assert_non_null(strstr(rn_diag_render(f.d, f.a, true), "\033[1;31merror:\033[0m"));
	rn_arena_destroy(f.a);
}

static void hostile_text_is_harmless(void **state)
{
	const char *t = "a\033[31m\xFF z";
	struct fixture f = start(t);

	(void)state;
	rn_diag_add(f.d, RN_ERROR, "E-X", span(t, "z"), "wrong");
	expect(f, "query:1:9: error: wrong [E-X]\n  a?[31m? z\n          ^\n");
}

static void long_lines_are_cut_around_the_error(void **state)
{
	char t[2001];
	struct fixture f;
	const char *text;

	(void)state;
	memset(t, 'x', 2000);
	t[2000] = '\0';
	t[1000] = '!';
	f = start(t);
	rn_diag_add(f.d, RN_ERROR, "E-X", (struct rn_span){1000, 1001, 0}, "wrong");
	text = rn_diag_render(f.d, f.a, false);
	assert_true(strlen(text) < 400);
	assert_non_null(strstr(text, "...xxx"));
	text = strchr(text, '\n') + 1; /* the caret is under the `!` */
	assert_int_equal(strchr(text, '!') - text, strchr(text, '^') - (strchr(text, '\n') + 1));
	rn_arena_destroy(f.a);
}

/* An error of the system is shown with what it is about; a place that is in no text, as another
 * machine may name one, with nothing. */
static void shows_where_the_system_refuses(void **state)
{
	const char *t = "count of write";
	struct fixture f = start(t);
	struct rn_err err = {0};

	(void)state;
	rn_err_set(&err, -1, "no writes here [E-POLICY]");
	assert_null(rn_diag_render_err(f.d, f.a, &err, false));
	err.span = span(t, "write");
	assert_string_equal(rn_diag_render_err(f.d, f.a, &err, false),
			    "query:1:10: error: no writes here [E-POLICY]\n"
			    "  count of write\n"
			    "           ^~~~~\n");
	err.span.end++;
	assert_null(rn_diag_render_err(f.d, f.a, &err, false));
	err.span = (struct rn_span){1, 2, 7};
	assert_null(rn_diag_render_err(f.d, f.a, &err, false));
	rn_err_hint(&err, "ask");
	err.span = (struct rn_span){5, 4, 0};
	assert_null(rn_diag_render_err(f.d, f.a, &err, true));
	assert_int_equal(rn_diag_errors(f.d), 0);
	rn_arena_destroy(f.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_the_line),
		cmocka_unit_test(fits_a_terminal),
		cmocka_unit_test(mends_a_text),
		cmocka_unit_test(keeps_columns_under_tabs_and_utf8),
		cmocka_unit_test(draws_the_second_span),
		cmocka_unit_test(shows_a_second_line_if_needed),
		cmocka_unit_test(sorts_by_place),
		cmocka_unit_test(several_sources),
		cmocka_unit_test(counts_beyond_the_maximum),
		cmocka_unit_test(colours_only_if_asked),
		cmocka_unit_test(hostile_text_is_harmless),
		cmocka_unit_test(long_lines_are_cut_around_the_error),
		cmocka_unit_test(shows_where_the_system_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
