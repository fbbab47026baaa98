/* test_output.c - the printers: JSON, CSV, tables, histograms, and text that must not reach a
 * terminal as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "lang/values/show.h"
#include "repl/out/output.h"
#include "tests/support/hist_text.h"
#include "exec/fleet/fleet.h"
#include "repl/out/progress.h"

#define STR(s) rn_strn(s, sizeof(s) - 1)

/* Two rows through a printer of a format, whole text compared. */
static void expect(const char *format, const struct rn_column *cols, unsigned ncols,
		   const struct rn_value *rows, unsigned nrows, const char *wanted)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = tmpfile();
	struct rn_printer *p;
	struct rn_answer_shape r;

	assert_non_null(f);
	p = rn_printer_create(rn_format_find(format), f);
	r = (struct rn_answer_shape){.cols = (struct rn_column *)cols, .ncols = ncols};
	p->out.begin(p->out.self, &r);
	for (unsigned i = 0; i < nrows; i++)
		p->out.row(p->out.self, rows + (size_t)i * ncols);
	p->out.end(p->out.self);
	assert_int_equal(p->rows, nrows);
	rn_printer_destroy(p);
	len = (size_t)ftell(f);
	text = calloc(1, len + 1);
	rewind(f);
	assert_int_equal(fread(text, 1, len, f), len);
	assert_string_equal(text, wanted);
	free(text);
	fclose(f);
}

static const struct rn_column cols[] = {
	{"proc", NULL, {RN_T_STR, 0}},
	{"count", NULL, {RN_T_INT, 0}},
	{"p99(latency)", NULL, {RN_T_INT, RN_U_NS}},
	{"sum(bytes)", NULL, {RN_T_INT, RN_U_BYTE}},
	{"error", NULL, {RN_T_INT, RN_U_ERRNO}},
	{"share", NULL, {RN_T_FLOAT, 0}},
	{"ok", NULL, {RN_T_BOOL, 0}},
};
static const struct rn_value rows[] = {
	{RN_STR, 4, {.s = "java"}}, {RN_INT, 0, {.i = 12}},          {RN_INT, 0, {.i = 1500}},
	{RN_INT, 0, {.i = 4096}},   {RN_INT, 0, {.i = 2}},           {RN_FLOAT, 0, {.f = 0.1}},
	{RN_BOOL, 0, {.i = 1}},     {RN_STR, 6, {.s = "a,\"b\"\n"}}, {RN_INT, 0, {.i = -1}},
	{RN_NULL, 0, {0}},          {RN_INT, 0, {.i = 0}},           {RN_INT, 0, {.i = 0}},
	{RN_FLOAT, 0, {.f = 3}},    {RN_BOOL, 0, {.i = 0}},
};

static void json_rows(void **state)
{
	(void)state;
	expect("json", cols, 7, rows, 2,
	       "{\"proc\": \"java\", \"count\": 12, \"p99(latency)\": 1500, \"sum(bytes)\": 4096, "
	       "\"error\": \"ENOENT\", "
	       "\"share\": 0.1, \"ok\": true}\n"
	       "{\"proc\": \"a,\\\"b\\\"\\n\", \"count\": -1, \"p99(latency)\": null, "
	       "\"sum(bytes)\": 0, \"error\": \"\", "
	       "\"share\": 3, \"ok\": false}\n");
}

static void csv_rows(void **state)
{
	(void)state;
	expect("csv", cols, 7, rows, 2,
	       "proc,count,p99(latency),sum(bytes),error,share,ok\n"
	       "java,12,1500,4096,ENOENT,0.1,true\n"
	       "\"a,\"\"b\"\"\n\",-1,,0,\"\",3,false\n");
}

static void table_rows(void **state)
{
	static const struct rn_column two[] = {{"proc", NULL, {RN_T_STR, 0}},
					       {"n", NULL, {RN_T_INT, 0}},
					       {"e", NULL, {RN_T_STR, 0}}};

	const struct rn_value v[] = {STR("java"),   rn_int(5), STR("x"), STR("\033[31mred\xff"),
				     rn_int(12345), STR("")};

	(void)state;
	expect("table", two, 3, v, 2,
	       "proc                 n  e\n"
	       "java                 5  x\n"
	       "\\x1b[31mred\\xff  12345\n");
}

/* Windows that come one by one: a blank line behind the histograms of each. */
static void histograms_row_by_row(void **state)
{
	static const struct rn_column of[] = {{"n", NULL, {RN_T_INT, 0}},
					      {"h", NULL, {RN_T_HIST, RN_U_NONE}}};
	struct rn_arena *a = rn_arena_create(1 << 16);
	const struct rn_value v[] = {rn_int(1), hist_of(a, "[[1,2,1]]")};
	char text[2048] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct rn_printer *p = rn_printer_create(rn_format_find("table"), f);
	const char *first, *second;

	(void)state;
	p->out.begin(p->out.self,
		     &(struct rn_answer_shape){.cols = (struct rn_column *)of, .ncols = 2});
	for (int i = 0; i < 2; i++) {
		p->out.row(p->out.self, v);
		p->tick(p);
	}
	p->out.end(p->out.self);
	rn_printer_destroy(p);
	fclose(f);
	first = strstr(text, "|\n\n");
	assert_non_null(first);
	second = strstr(first + 1, "|\n");
	assert_non_null(second);
	assert_string_equal(second, "|\n"); /* and none at the end */
}

static int take_row(void *self, const struct rn_value *v)
{
	(void)v;
	fputs("ROW\n", self);
	return 0;
}

/* The line is gone before a row, stays away while rows come, and is back when they do not. */
static void progress_makes_way_for_rows(void **state)
{
	char text[1024] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct rn_progress p = {0};
	struct rn_output to = {.self = f, .row = take_row};
	struct rn_output out = rn_progress_output(&p, &to, &(struct rn_terminal){.width = 60});

	(void)state;
	p.f = f;
	p.begin_ns -= 3500000000;
	rn_progress_show(&p, &(struct rn_fleet_status){.seen = 0});
	rn_progress_show(&p, &(struct rn_fleet_status){.seen = 12345});
	out.row(out.self, NULL);
	rn_progress_show(&p, &(struct rn_fleet_status){.seen = 12346});
	rn_progress_show(&p, &(struct rn_fleet_status){.seen = 12346});
	out.end(out.self);
	rn_progress_erase(&p);
	p.width = 6;
	rn_progress_show(&p, &(struct rn_fleet_status){.seen = 12346});
	fclose(f);
	assert_string_equal(text, "\rwaiting: nothing yet, 3 s\033[K\rwaiting: 12,345 events seen, "
				  "none matched yet\033[K\r\033[KROW\n"
				  "\r1 row, 3 s\033[K\r\033[K\r1 row\033[K");
}

/* Keys that are numbers cannot say "(other)" themselves. */
static void row_of_other(void **state)
{
	static const struct rn_column two[] = {{"pid", NULL, {RN_T_INT, 0}},
					       {"count", NULL, {RN_T_INT, 0}}};
	static const char *const wanted[][2] = {
		{"table", "    pid  count\n(other)     15\n      7      2\n"},
		{"csv", "pid,count\n(other),15\n7,2\n"},
		{"json",
		 "{\"pid\": null, \"count\": 15, \"other\": true}\n{\"pid\": 7, \"count\": 2}\n"},
	};
	const struct rn_value v[][2] = {{rn_null(), rn_int(15)}, {rn_int(7), rn_int(2)}};

	(void)state;
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		char text[256] = "";
		FILE *f = fmemopen(text, sizeof(text), "w");
		struct rn_printer *p = rn_printer_create(rn_format_find(wanted[i][0]), f);

		p->out.begin(p->out.self, &(struct rn_answer_shape){.cols = (struct rn_column *)two,
								    .ncols = 2});
		p->out.other(p->out.self, 0);
		p->out.row(p->out.self, v[0]);
		p->out.row(p->out.self, v[1]);
		p->out.end(p->out.self);
		rn_printer_destroy(p);
		fclose(f);
		assert_string_equal(text, wanted[i][1]);
	}
}

/* Rows that come one by one on a terminal too narrow for them: the day stands above them, what says
 * least is left out, and the header comes again only where the columns are others than below the
 * last one. */
static void narrow_rows(void **state)
{
	static const struct rn_column wide[] = {
		{"time", .ty = {RN_T_INT, RN_U_EPOCH}, .show = RN_SHOW_TIME},
		{"exe", .ty = {RN_T_STR, 0}, .show = 115},
		{"start", .ty = {RN_T_INT, RN_U_EPOCH}, .show = RN_SHOW_START},
		{"begin", .ty = {RN_T_INT, RN_U_EPOCH}, .show = RN_SHOW_BEGIN},
		{"file", .ty = {RN_T_STR, 0}, .show = RN_SHOW_FILE},
		{"bytes", .ty = {RN_T_INT, RN_U_BYTE}, .show = RN_SHOW_BYTES},
	};
	const int64_t day = 86400000000000, noon = 20000 * day + day / 2;
	char text[2048] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct rn_printer *p = rn_printer_create(rn_format_find("table"), f);

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	p->term = (struct rn_terminal){.tty = true, .width = 60};
	p->out.begin(p->out.self,
		     &(struct rn_answer_shape){.cols = (struct rn_column *)wide, .ncols = 6});
	/* the second path is wider, the third row is of the next day */
	for (int i = 0; i < 3; i++) {
		const int64_t at = noon + (i == 2 ? day : 0);
		const struct rn_value v[] = {rn_int(at),
					     STR("/usr/bin/x"),
					     rn_int(noon),
					     rn_int(at),
					     i ? STR("/tmp/a/path/that/is/wider/than/the/first")
					       : STR("/tmp/y"),
					     rn_int(8)};

		p->out.row(p->out.self, v);
		p->tick(p);
	}
	p->out.end(p->out.self);
	assert_string_equal(p->no_room, "start, begin");
	assert_int_equal(p->nextra, 0);
	rn_printer_destroy(p);
	fclose(f);
	assert_string_equal(text, "rows of 2024-10-04:\n"
				  "time             exe              file                 bytes\n"
				  "12:00:00.000000  /usr/bin/x       /tmp/y                 8 B\n"
				  "12:00:00.000000  /usr/bin/x       /tmp/a/…he/first       8 B\n"
				  "rows of 2024-10-05:\n"
				  "12:00:00.000000  /usr/bin/x       /tmp/a/…he/first       8 B\n");
}

static void text_wraps(void **state)
{
	static const struct {
		const char *text;
		unsigned width, more;
		const char *wanted;
	} cases[] = {
		{"one two three", 0, 0, "one two three\n"},
		{"one two three", 7, 0, "one two\nthree\n"},
		{"one two three", 13, 0, "one two three\n"},
		{"  one two three", 9, 2, "  one two\n    three\n"},
		{"seventeen letters", 5, 0, "seventeen\nletters\n"},
		{"a\n\nb\n", 5, 0, "a\n\nb\n"},
		{"\033[1mone\033[0m two", 7, 0, "\033[1mone\033[0m two\n"},
		{"漢字 漢字", 8, 1, "漢字\n 漢字\n"},
		{"", 5, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[256] = "";
		FILE *f = fmemopen(text, sizeof(text), "w");

		rn_text_wrap(f, cases[i].text, cases[i].width, cases[i].more);
		fclose(f);
		assert_string_equal(text, cases[i].wanted);
	}
}

static void empty_answers(void **state)
{
	(void)state;
	expect("json", cols, 2, NULL, 0, "");
	expect("csv", cols, 2, NULL, 0, "proc,count\n");
	expect("table", cols, 2, NULL, 0, "");
}

static const struct rn_terminal narrow = {.width = 40};

static void drawn(enum rn_unit unit, const char *json, const char *want)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_value hist = hist_of(a, json);
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	rn_hist_draw(f, a, (struct rn_ty){RN_T_HIST, unit}, &hist, &narrow);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
	rn_arena_destroy(a);
}

/* No bucket of fractions is a number of its own, though its bounds may be integers. The last
 * possible bound is none. */
static void bounds_of_histograms(void **state)
{
	(void)state;
	drawn(RN_U_NONE,
	      "[[-4.6116860184273879e+18,0,1],[0.25,0.5,1],[0.5,1,2],[1,2,0],[2,4."
	      "6116860184273879e+18,2]]",
	      "  (..., 0)     1 |@@@@@@@@@@@          |\n"
	      "  [0.25, 0.5)  1 |@@@@@@@@@@@          |\n"
	      "  [0.5, 1)     2 |@@@@@@@@@@@@@@@@@@@@@|\n"
	      "  [1, 2)       0 |                     |\n"
	      "  [2, ...)     2 |@@@@@@@@@@@@@@@@@@@@@|\n");
	drawn(RN_U_NONE, "[]", "");
	drawn(RN_U_BYTE, "[[-9223372036854775808,0,1],[0,50,1],[50,9223372036854775807,1]]",
	      "  (..., 0 B)   1 |@@@@@@@@@@@@@@@@@@@@@|\n"
	      "  [0 B, 50 B)  1 |@@@@@@@@@@@@@@@@@@@@@|\n"
	      "  [50 B, ...)  1 |@@@@@@@@@@@@@@@@@@@@@|\n");
}

static void a_histogram_is_drawn_and_written(void **state)
{
	static const struct rn_column h[] = {{"h", NULL, {RN_T_HIST, RN_U_NS}}};
	struct rn_arena *a = rn_arena_create(1 << 20);
	const struct rn_value v[] = {hist_of(a, "[[1000,2000,30],[2000,4000,0],[4000,8000,60]]")};
	struct rn_value drawn_one =
		hist_of(a, "[[0,1,1],[1,2,0],[2,4,4],[-9223372036854775808,9,4]]");
	char *text;
	size_t len;
	FILE *f;

	(void)state;
	expect("json", h, 1, v, 1, "{\"h\": [[1000,2000,30],[2000,4000,0],[4000,8000,60]]}\n");
	expect("csv", h, 1, v, 1, "h\n\"[[1000,2000,30],[2000,4000,0],[4000,8000,60]]\"\n");
	text = NULL;
	len = 0;
	f = open_memstream(&text, &len);
	assert_int_equal(
		rn_hist_draw(f, a, (struct rn_ty){RN_T_HIST, RN_U_NONE}, &drawn_one, &narrow), 4);
	fclose(f);
	assert_string_equal(text, "  [0]       1 |@@@@@@                  |\n"
				  "  [1]       0 |                        |\n"
				  "  [2, 4)    4 |@@@@@@@@@@@@@@@@@@@@@@@@|\n"
				  "  (..., 9)  4 |@@@@@@@@@@@@@@@@@@@@@@@@|\n");
	free(text);
	rn_arena_destroy(a);
}

static void json_text_is_utf8(void **state)
{
	char *text;
	size_t len;
	FILE *f;

	(void)state;
	text = NULL;
	len = 0;
	f = open_memstream(&text, &len);
	rn_json_string(f, "\xc3\xa9\xff\xed\xa0\x80\x01\"\\", 9);
	fclose(f);
	assert_string_equal(
		text,
		"\"\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u0001\\\"\\\\\"");
	free(text);
}

/* Groups are found again by all bytes of their keys: an address has many that are 0. */
static void windows_are_compared(void **state)
{
	struct rn_expr key = {.kind = RN_E_KEY}, agg = {.kind = RN_E_AGG};
	struct rn_column c[] = {{.label = "window", .ty = {RN_T_INT, RN_U_EPOCH}},
				{.label = "peer", .expr = &key, .ty = {RN_T_IP}},
				{.label = "count", .expr = &agg, .ty = {RN_T_INT}}};
	struct rn_answer_shape shape = {.cols = c, .ncols = 3, .every_ns = 1000000000};
	struct rn_plan plan = {.kind = RN_PLAN_GROUPS};
	char ip[RN_IP_BYTES] = {[10] = (char)0xff, [11] = (char)0xff, [12] = 10, [17] = 9};
	static const int counts[2][3] = {{5, 7, -1}, {6, 4, 1}};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct rn_printer *p = rn_printer_windows(f, &plan, "count of connect by peer every 1s");

	(void)state;
	p->out.begin(p->out.self, &shape);
	for (int w = 0; w < 2; w++) {
		for (int i = 0; i < 3; i++) {
			ip[15] = (char)(i + 1);
			if (counts[w][i] >= 0)
				p->out.row(p->out.self,
					   (struct rn_value[]){
						   rn_int(1728043200000000000 + w * 1000000000LL),
						   rn_strn(ip, RN_IP_BYTES), rn_int(counts[w][i])});
		}
	}
	p->out.end(p->out.self);
	rn_printer_destroy(p);
	fclose(f);
	assert_string_equal(text, "12:00:01  count of connect by peer every 1s\n"
				  "peer        count  change\n"
				  "10.0.0.1:9      6  +1\n"
				  "10.0.0.2:9      4  -3\n"
				  "10.0.0.3:9      1  new\n");
	free(text);
}

static void text_is_cut_in_the_middle(void **state)
{
	char buf[64];

	(void)state;
	rn_text_cut(buf, "/var/lib/postgresql/base/1", 26, 13);
	assert_string_equal(buf, "/var/l\xe2\x80\xa6"
				 "base/1");
	rn_text_cut(buf, "short", 5, 13);
	assert_string_equal(buf, "short");
	rn_text_cut(buf, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10, 3);
	assert_string_equal(buf, "\xc3\xa9\xe2\x80\xa6\xc3\xa9");
	rn_text_cut(buf, "\u6f22\u5b57\u4eee\u540d", 12, 6); /* two columns each */
	assert_string_equal(buf, "\u6f22\u2026\u540d");
	rn_text_cut(buf, "/tmp/orders/in.txt => /tmp/b", 28, 20);
	assert_string_equal(buf, "/tmp\u2026n.txt => /tmp/b");
	rn_text_cut(buf, "127.0.0.1:9000 -> 127.0.0.1:40000", 33, 24);
	assert_string_equal(buf, "127.\u2026:9000 -> 127.\u202640000");
	rn_text_cut(buf, "a => /tmp/a/long/path/of/it", 27, 16);
	assert_string_equal(buf, "a => /tmp/\u2026of/it");
	rn_text_cut(buf, "/tmp/a => /tmp/b", 16, 9);
	assert_string_equal(buf, "/tmp\u2026mp/b");
	assert_int_equal(rn_utf8_width("e\u0301\u6f22\xff", 7), 4);
	assert_int_equal(rn_text_head("\u6f22\u5b57", 6, 3), 3);
	assert_string_equal(rn_text_commas(buf, -1234567), "-1,234,567");
	assert_string_equal(rn_text_commas(buf, 123), "123");
}

static void lines_break_between_words(void **state)
{
	static const struct {
		const char *text;
		unsigned width;
		size_t want;
	} t[] = {
		{"one two three", 20, 13}, {"one two three", 8, 7},
		{"one two three", 7, 7},   {"one two three", 6, 3},
		{"onetwothree", 4, 4},     {"one  two", 5, 3},
		{"\u6f22\u5b57", 1, 3},    {"", 5, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		assert_int_equal(rn_text_line(t[i].text, strlen(t[i].text), t[i].width), t[i].want);
}

static void floats_read_back(void **state)
{
	const double v[] = {0.1, 1.0 / 3, 1e300, -2.5e-7, 123456789.125};
	char buf[40];

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		rn_float_text(buf, sizeof(buf), v[i]);
		assert_true(strtod(buf, NULL) == v[i]);
	}
	rn_float_text(buf, sizeof(buf), 0.1);
	assert_string_equal(buf, "0.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_rows),
		cmocka_unit_test(csv_rows),
		cmocka_unit_test(table_rows),
		cmocka_unit_test(row_of_other),
		cmocka_unit_test(progress_makes_way_for_rows),
		cmocka_unit_test(narrow_rows),
		cmocka_unit_test(text_wraps),
		cmocka_unit_test(empty_answers),
		cmocka_unit_test(a_histogram_is_drawn_and_written),
		cmocka_unit_test(histograms_row_by_row),
		cmocka_unit_test(bounds_of_histograms),
		cmocka_unit_test(json_text_is_utf8),
		cmocka_unit_test(windows_are_compared),
		cmocka_unit_test(text_is_cut_in_the_middle),
		cmocka_unit_test(lines_break_between_words),
		cmocka_unit_test(floats_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
