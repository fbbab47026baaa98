/* test_words.c - what people read in place of numbers: kinds of block requests, pointers, commas,
 * the share of a row; stacks for flame graphs; and which nodes a query waits for. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/fleet/fleet.h"
#include "lang/values/show.h"
#include "repl/out/progress.h"
#include "repl/out/words.h"

#define S(text) \
	{ \
		RN_STR, sizeof(text) - 1, \
		{ \
			.s = (text) \
		} \
	}
#define I(number) \
	{ \
		RN_INT, 0, \
		{ \
			.i = (number) \
		} \
	}

static char text[4096];

/* All that was written to f, in `text`. */
static const char *written(FILE *f)
{
	size_t n;

	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return text;
}

static bool numbers; /* -v */

static const char *printed(const char *format, bool tty, bool shares, const struct rn_column *cols,
			   unsigned ncols, const struct rn_value *rows, unsigned nrows)
{
	FILE *f = tmpfile();
	struct rn_printer *p;
	struct rn_answer_shape shape = {
		.cols = (struct rn_column *)cols, .ncols = ncols, .shares = shares};

	assert_non_null(f);
	p = rn_printer_create(rn_format_find(format), f);
	p->term.tty = tty;
	p->numbers = numbers;
	p->out.begin(p->out.self, &shape);
	for (unsigned i = 0; i < nrows; i++) {
		if (shares && p->out.share)
			p->out.share(p->out.self, i ? 0.25 : 0.75);
		p->out.row(p->out.self, rows + (size_t)i * ncols);
	}
	p->out.end(p->out.self);
	rn_printer_destroy(p);
	return written(f);
}

static void requests_have_words(void **state)
{
	static const struct {
		const char *letters, *words;
	} t[] = {
		{"R", "read"},
		{"RA", "read, ahead"},
		{"WS", "write, sync"},
		{"WSM", "write, sync, meta"},
		{"WFS", "write, through the cache, sync"},
		{"FWFS", "write, flush first, through the cache, sync"},
		{"FF", "flush"},
		{"F", "flush"},
		{"DS", "discard, sync"},
		{"DE", "secure erase"},
		{"N", "none"},
		{"X", NULL},
		{"WZ", NULL},
		{"", NULL},
	};
	struct rn_arena *a = rn_arena_create(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const char *got = rn_words_request(a, t[i].letters, strlen(t[i].letters));

		if (!t[i].words)
			assert_null(got);
		else
			assert_string_equal(got, t[i].words);
	}
	rn_arena_destroy(a);
}

static const struct rn_column calls[] = {
	{.label = "name", .ty = {RN_T_STR, 0}, .words = RN_WORDS_CALL},
	{.label = "arg0", .ty = {RN_T_INT, 0}, .words = RN_WORDS_ARG},
	{.label = "arg1", .ty = {RN_T_INT, 0}, .words = RN_WORDS_ARG + 1},
};
static const struct rn_value two_calls[] = {S("read"), I(3), I(4096), S("stat"), I(4096), I(0)};

static void pointers_are_hexadecimal(void **state)
{
	(void)state;
	assert_string_equal(printed("table", false, false, calls, 3, two_calls, 2),
			    "name    arg0    arg1\n"
			    "read       3  0x1000\n"
			    "stat  0x1000       0\n");
	assert_string_equal(printed("csv", false, false, calls, 3, two_calls, 2),
			    "name,arg0,arg1\nread,3,4096\nstat,4096,0\n");
}

static const struct rn_column named[] = {
	{.label = "error", .ty = {RN_T_INT, RN_U_ERRNO}},
	{.label = "flags", .ty = {RN_T_INT, RN_U_OPEN}},
	{.label = "state", .ty = {RN_T_INT, RN_U_TCP}},
};
static const struct rn_value two_named[] = {I(ESRCH), I(O_RDWR | O_CREAT),      I(1),
					    I(0),     I(O_RDONLY | 0x80000000), I(99)};

static void numbers_stand_beside_names(void **state)
{
	(void)state;
	assert_string_equal(printed("table", false, false, named, 3, two_named, 2),
			    "error  flags                state\n"
			    "ESRCH  O_RDWR|O_CREAT       TCP_ESTABLISHED\n"
			    "-      O_RDONLY|0x80000000  99\n");
	numbers = true;
	assert_string_equal(printed("table", false, false, named, 3, two_named, 2),
			    "error      flags                             state\n"
			    "ESRCH (3)  O_RDWR|O_CREAT (0x42)             TCP_ESTABLISHED (1)\n"
			    "-          O_RDONLY|0x80000000 (0x80000000)  99\n");
	assert_string_equal(printed("csv", false, false, named, 3, two_named, 2),
			    "error,flags,state\nESRCH,O_RDWR|O_CREAT,TCP_ESTABLISHED\n"
			    "\"\",O_RDONLY|0x80000000,99\n");
	numbers = false;
}

static const struct rn_column counts[] = {
	{.label = "proc", .ty = {RN_T_STR, 0}},
	{.label = "pid", .ty = {RN_T_INT, 0}},
	{.label = "count", .ty = {RN_T_INT, 0}, .words = RN_WORDS_COUNT},
};
static const struct rn_value two_counts[] = {S("dd"),   I(12345), I(1234567),
					     S("cat;"), I(7),     I(999)};

static void a_terminal_gets_commas_and_shares(void **state)
{
	(void)state;
	assert_string_equal(printed("table", false, true, counts, 3, two_counts, 2),
			    "proc    pid    count\n"
			    "dd    12345  1234567\n"
			    "cat;      7      999\n");
	assert_string_equal(printed("table", true, true, counts, 3, two_counts, 2),
			    "proc    pid      count  share\n"
			    "dd    12345  1,234,567   75.0% ###############\n"
			    "cat;      7        999   25.0% #####\n");
}

static void stacks_are_folded(void **state)
{
	static const struct rn_column cols[] = {
		{.label = "proc", .ty = {RN_T_STR, 0}},
		{.label = "ustack", .ty = {RN_T_STACK, 0}},
		{.label = "p99", .ty = {RN_T_INT, RN_U_NS}},
		{.label = "count", .ty = {RN_T_INT, 0}},
	};
	static const struct rn_value rows[] = {
		S("nginx"), S("main;accept"),  I(5), I(17),
		S("a;b\n"), {RN_NULL, 0, {0}}, I(5), I(1),
	};

	(void)state;
	assert_string_equal(printed("folded", false, false, cols, 4, rows, 2),
			    "nginx;main;accept 17\na:b\\x0a 1\n");
}

static const char *waiting(unsigned width, const struct rn_fleet_status *s)
{
	struct rn_progress p = {.f = tmpfile(), .width = width, .waits = true};

	rn_progress_show(&p, s);
	return written(p.f);
}

static void a_wait_for_nodes_is_shown(void **state)
{
	struct rn_fleet_status s = {.waits = true,
				    .ready = 3,
				    .nawaited = 1,
				    .awaited = {"down"},
				    .reached_by = "ssh root@10.91.7.99",
				    .waited_ns = 4200000000};

	(void)state;
	assert_string_equal(
		waiting(120, &s),
		"\r3 of 4 nodes ready; waiting for down: ssh root@10.91.7.99, 4 s\033[K");
	assert_string_equal(waiting(60, &s),
			    "\r3 of 4 nodes ready; waiting for down: ssh root@10.9..., 4 s\033[K");
	assert_string_equal(waiting(40, &s), "\rwaiting for down: ssh root@10.9..., 4 s\033[K");
	s.nawaited = 5;
	s.failed = 1;
	s.awaited[1] = "b";
	s.awaited[2] = "c\033[2J";
	assert_string_equal(waiting(120, &s),
			    "\r3 of 9 nodes ready, 1 failed; waiting for down, b, "
			    "c?[2J and 2 more, 4 s\033[K");
	s = (struct rn_fleet_status){
		.waits = true, .nawaited = 1, .awaited = {"n"}, .waited_ns = 900000000};
	assert_string_equal(waiting(0, &s), "\rwaiting for n, 0 s\033[K");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_have_words),
		cmocka_unit_test(pointers_are_hexadecimal),
		cmocka_unit_test(numbers_stand_beside_names),
		cmocka_unit_test(a_terminal_gets_commas_and_shares),
		cmocka_unit_test(stacks_are_folded),
		cmocka_unit_test(a_wait_for_nodes_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
