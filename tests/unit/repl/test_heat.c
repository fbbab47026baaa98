/* test_heat.c - histograms as lines of cells: one axis for all rows, which grows but never lies,
 * and shades that mean the same in each row, with colours and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "repl/out/output.h"
#include "repl/out/shades.h"
#include "tests/support/hist_text.h"

static struct rn_column columns[] = {{.label = "proc", .ty = {RN_T_STR}},
				     {.label = "hist(x)", .ty = {RN_T_HIST, RN_U_NONE}}};
struct group {
	const char *proc, *hist;
	bool waits; /* the row is shown before the next one comes */
};

static void expect(const struct group *rows, unsigned n, const struct rn_terminal *term,
		   const char *wanted)
{
	struct rn_answer_shape shape = {.cols = columns, .ncols = 2};
	struct rn_arena *a = rn_arena_create(1 << 20);
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	struct rn_printer *p = rn_printer_create(rn_format_find("heat"), to);

	p->term = *term;
	p->out.begin(p->out.self, &shape);
	for (unsigned i = 0; i < n; i++) {
		const struct rn_value row[] = {rn_strn(rows[i].proc, strlen(rows[i].proc)),
					       hist_of(a, rows[i].hist)};

		p->out.row(p->out.self, row);
		if (rows[i].waits)
			rn_printer_tick(p);
	}
	p->out.end(p->out.self);
	rn_printer_destroy(p);
	fclose(to);
	assert_string_equal(text, wanted);
	free(text);
	rn_arena_destroy(a);
}

#define LEGEND "shades by count: . 1  : 3  - 10  = 30  + 100  * 300  # 1,000  % 3,000  @ 10,000+\n"

static void a_shade_is_a_count_in_each_row(void **state)
{
	static const struct group rows[] = {
		{"a", "[[1,2,1],[2,4,2],[4,8,3],[8,16,9],[16,32,10],[32,64,29],[64,128,30]]"},
		{"b", "[[64,128,100],[128,256,300],[256,512,1000],[512,1024,3000]]"},
		{"c", "[[512,1024,9999],[1024,2048,10000],[2048,4096,9223372036854775807]]"},
	};

	(void)state;
	expect(rows, 3, &(struct rn_terminal){0},
	       LEGEND "proc  hist(x)\n"
		      "      1 2 4 8 16  64  256 1024\n"
		      "a     ....::::----==\n"
		      "b                 ++**##%%\n"
		      "c                       %%@@@@\n");
}

/* No row has a bucket between; the axis has it, or it would not be one. */
static void the_axis_has_no_gap(void **state)
{
	static const struct group doubling[] = {{"a", "[[0,1,1],[1,2,1]]"}, {"b", "[[16,32,9]]"}},
				  steps[] = {{"a", "[[0,5,1],[5,10,1]]"}, {"b", "[[20,25,9]]"}},
				  negative[] = {{"a", "[[-9223372036854775808,0,1]]"},
						{"b", "[[2,4,9]]"}};

	(void)state;
	expect(doubling, 2, &(struct rn_terminal){0},
	       LEGEND "proc  hist(x)\n      0 1 2 4 8 16\na     ....\nb               ::\n");
	expect(steps, 2, &(struct rn_terminal){0},
	       LEGEND "proc  hist(x)\n      0 5 10  20\na     ....\nb             ::\n");
	expect(negative, 2, &(struct rn_terminal){0},
	       LEGEND "proc  hist(x)\n      ... 1 2\na     ..\nb           ::\n");
}

static void a_later_row_may_have_other_buckets(void **state)
{
	static const struct group rows[] = {{"a", "[[8,16,1]]", true},
					    {"b", "[[8,16,3]]", true},
					    {"c", "[[2,4,9],[4,8,1],[8,16,30]]", true},
					    {"d", "[[16,32,1]]", true},
					    {"e", "[[32,64,1]]", true}};

	(void)state;
	expect(rows, 5, &(struct rn_terminal){0},
	       LEGEND "proc             hist(x)\n"
		      "                 8\n"
		      "a                ..\n"
		      "b                ::\n"
		      "proc             hist(x)\n"
		      "                 2 4 8\n"
		      "c                ::..==\n"
		      "proc             hist(x)\n"
		      "                 2 4 8 16\n"
		      "d                      ..\n"
		      "e                        ..\n");
}

/* 30 buckets on few columns: neighbours share a cell, and their counts are added. */
static void buckets_share_cells_if_they_must(void **state)
{
	char hist[1024] = "[";
	struct group rows[] = {{"a", hist, false}};

	(void)state;
	for (int i = 0; i < 30; i++)
		snprintf(hist + strlen(hist), 30, "%s[%d,%d,5]", i ? "," : "", 10 * i, 10 * i + 10);
	strcat(hist, "]");
	expect(rows, 1, &(struct rn_terminal){.width = 22, .tty = true},
	       "shades by count: . 1\n  : 3  - 10  = 30  +\n  100  * 300  # 1,000\n  % 3,000  @ "
	       "10,000+\n"
	       "proc  hist(x)\n"
	       "      0 40 100 180 260\n"
	       "a     ---------------\n");
}

static void colours_are_those_that_the_terminal_has(void **state)
{
	static const struct group rows[] = {{"a", "[[1,2,1],[2,4,0],[4,8,10000]]"}};
	const struct rn_terminal few = {.tty = true, .color = true, .width = 40},
				 many = {.color = true, .many_colors = true};
	struct rn_arena *a = rn_arena_create(1 << 16);
	char *text = NULL, buf[RN_SHADE_BYTES];
	size_t len;
	FILE *to = open_memstream(&text, &len);
	struct rn_printer *p = rn_printer_create(rn_format_find("heat"), to);
	struct rn_strbuf s;

	p->term = few;
	p->out.begin(p->out.self, &(struct rn_answer_shape){.cols = columns, .ncols = 2});
	p->out.row(p->out.self, (struct rn_value[]){rn_strn("a", 1), hist_of(a, rows[0].hist)});
	p->out.end(p->out.self);
	rn_printer_destroy(p);
	fclose(to);
	assert_non_null(strstr(text, "\na     \033[37;44m..\033[0m  \033[37;41m@@\033[0m\n"));
	free(text);
	(void)state;
	rn_strbuf_init(&s, a);
	rn_shade_put(&s, &many, 9, 1);
	rn_shade_put(&s, &many, 0, 2);
	assert_string_equal(rn_strbuf_cstr(&s), "\033[38;5;196;48;5;196m@\033[0m  ");
	assert_string_equal(rn_shade_on(buf, &many, 1), "\033[38;5;25m");
	assert_string_equal(rn_shade_on(buf, &(struct rn_terminal){0}, 9), "");
	rn_arena_destroy(a);
}

static void a_part_has_a_shade_if_it_is_no_zero(void **state)
{
	(void)state;
	assert_int_equal(rn_shade_of_part(0, 5), 0);
	assert_int_equal(rn_shade_of_part(1, INT64_MAX), 1);
	assert_int_equal(rn_shade_of_part(INT64_MAX, INT64_MAX), RN_SHADES - 1);
	assert_int_equal(rn_shade_of(-1), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shade_is_a_count_in_each_row),
		cmocka_unit_test(the_axis_has_no_gap),
		cmocka_unit_test(a_later_row_may_have_other_buckets),
		cmocka_unit_test(buckets_share_cells_if_they_must),
		cmocka_unit_test(colours_are_those_that_the_terminal_has),
		cmocka_unit_test(a_part_has_a_shade_if_it_is_no_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
