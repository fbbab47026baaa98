/* test_margin.c - the lines at the margin of a flow: how they look, and that an eye that follows a
 * line comes to the hop that the row names, in any flow and at any width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "repl/picture/margin.h"

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static char text[1 << 16];

static void draw(const struct rn_margin_row *rows, uint32_t n, unsigned width, bool ascii)
{
	const struct rn_picture_screen screen = {.width = width, .ascii = ascii};
	struct rn_margin *m = rn_margin_create(rows, n, &screen);
	FILE *to = fmemopen(text, sizeof(text), "w");

	assert_non_null(to);
	assert_true(!m || !width || rn_margin_width(m) <= width);
	for (uint32_t i = 0; i < n && m; i++) {
		rn_margin_print(m, i, to);
		fputs("|\n", to);
	}
	fclose(to);
	if (!m)
		*text = 0;
	rn_margin_destroy(m);
}

static void a_hop_stands_below_the_one_it_came_from(void **state)
{
	static const struct rn_margin_row rows[] = {
		{1, 0, .begins = true}, {2, 1}, {3, 2}, {4, 2},
		{5, 2, .guess = true},  {6, 5}, {7, 0}, {8, 99},
	};

	(void)state;
	draw(rows, COUNT(rows), 0, false);
	assert_string_equal(text, "○     |\n"
				  "●     |\n"
				  "├─●   |\n"
				  "├───● |\n"
				  "└╌●   |\n"
				  "  ●   |\n"
				  "●     |\n"
				  "  ●   |\n");
	draw(rows, COUNT(rows), 0, true);
	assert_string_equal(text, "o     |\n"
				  "*     |\n"
				  "+-*   |\n"
				  "+---* |\n"
				  "`.*   |\n"
				  "  *   |\n"
				  "*     |\n"
				  "  *   |\n");
}

static void a_hop_of_two_hops_has_both_lines(void **state)
{
	static const struct rn_margin_row rows[] = {
		{1, 0, .begins = true}, {2, 0, .begins = true}, {3, 1}, {3, 2}, {4, 3}, {5, 2},
	};

	(void)state;
	draw(rows, COUNT(rows), 0, false);
	assert_string_equal(text, "○   |\n"
				  "│ ○ |\n"
				  "● │ |\n"
				  "├─┤ |\n"
				  "● │ |\n"
				  "  ● |\n");
}

static void without_a_column_an_arrow_says_that_it_came(void **state)
{
	static const struct rn_margin_row rows[] = {
		{1, 0, .begins = true}, {2, 1}, {3, 2}, {4, 1}, {5, 4}, {6, 2},
	};

	(void)state;
	draw(rows, COUNT(rows), 6, false);
	assert_string_equal(text, "○     |\n"
				  "├─●   |\n"
				  "│ ├─▶ |\n"
				  "● │   |\n"
				  "● │   |\n"
				  "  ●   |\n");
}

static void other_orders_have_none(void **state)
{
	static const struct rn_margin_row falling[] = {{2, 1}, {1, 0}}, alone[] = {{1, 0}, {2, 0}};

	(void)state;
	draw(falling, COUNT(falling), 0, false);
	assert_string_equal(text, "");
	draw(alone, COUNT(alone), 0, false);
	assert_string_equal(text, "");
}

/* ---- following the lines ---- */

enum { ROWS = 60, CELLS = 40 };
static char grid[ROWS][CELLS];

/* The picture as letters: a hop is H, one that begins B; the sides to which a corner has arms. */
static void read_grid(uint32_t n)
{
	static const struct {
		const char *glyph;
		char is;
	} names[] = {{"○", 'B'}, {"●", 'H'}, {"│", '|'}, {"┊", '|'}, {"┘", 'e'},
		     {"└", 'e'}, {"┴", 'e'}, {"┤", 't'}, {"├", 't'}, {"┼", 't'},
		     {"─", '-'}, {"╌", '.'}, {"▶", '>'}};
	const char *s = text;

	for (uint32_t r = 0; r < n; r++, s++) {
		memset(grid[r], ' ', CELLS);
		for (unsigned x = 0; *s != '\n'; x++) {
			unsigned k = 0;

			while (k < COUNT(names) && strncmp(s, names[k].glyph, 3) != 0)
				k++;
			grid[r][x] = k < COUNT(names) ? names[k].is : *s;
			s += k < COUNT(names) ? 3 : 1;
		}
	}
}

/* The row of the mark at the upper end of a line; -1: there is none. */
static int climb(int row, int x)
{
	while (row-- > 0) {
		if (grid[row][x] == 'H' || grid[row][x] == 'B')
			return row;
		if (grid[row][x] != '|' && grid[row][x] != 't')
			return -1;
	}
	return -1;
}

/* The row of the hop that the eye finds before this row; -1: none is drawn. */
static int follow(const struct rn_margin_row *rows, int row, bool *dashed)
{
	int from = 0, to, left, right;
	bool arrow;

	while (from < CELLS && grid[row][from] != '-' && grid[row][from] != '.' &&
	       grid[row][from] != '>')
		from++;
	*dashed = false;
	if (from == CELLS) {
		for (int x = 0; x < CELLS; x++)
			if (grid[row][x] == 'H')
				return climb(row, x);
		return -1;
	}
	/* a line goes below those that it crosses */
	for (to = from; to + 2 < CELLS; to++)
		if (!strchr("-.>", grid[row][to + 1]) &&
		    (grid[row][to + 1] != '|' || !strchr("-.>", grid[row][to + 2])))
			break;
	*dashed = grid[row][from] == '.';
	arrow = memchr(grid[row], '>', CELLS) != NULL;
	left = climb(row, from - 1);
	if (grid[row][from - 1] == 'H')
		left = row;
	right = arrow ? row : grid[row][to + 1] == 'H' ? row : climb(row, to + 1);
	assert_true(left >= 0 && right >= 0);
	assert_true((rows[left].hop == rows[row].hop) != (rows[right].hop == rows[row].hop));
	return rows[left].hop == rows[row].hop ? right : left;
}

static uint32_t make_flow(struct rn_margin_row *rows, unsigned seed)
{
	uint32_t n = 0;

	srand(seed);
	for (int64_t hop = 1; n < ROWS - 3; hop += 1 + (rand() % 10 == 0)) {
		int causes = rand() % 8 ? 1 + (rand() % 8 == 0) : 0;
		int64_t reach = 1 + rand() % (seed % 2 ? 3 : 12);

		if (!causes)
			rows[n++] = (struct rn_margin_row){.hop = hop, .begins = rand() % 2};
		for (int i = 0; i < causes; i++)
			rows[n++] =
				(struct rn_margin_row){.hop = hop,
						       .from = hop > reach ? hop - reach - i : 0,
						       .guess = rand() % 4 == 0};
	}
	return n;
}

static void every_line_leads_to_its_hop(void **state)
{
	struct rn_margin_row rows[ROWS];
	unsigned drawn = 0, left_out = 0;

	(void)state;
	for (unsigned seed = 0; seed < 3000; seed++) {
		uint32_t n = make_flow(rows, seed);

		draw(rows, n, seed % 3 == 0 ? 0 : 6 + seed % 12, false);
		read_grid(*text ? n : 0);
		for (uint32_t i = 0; *text && i < n; i++) {
			bool dashed;
			int found = follow(rows, (int)i, &dashed);

			if (found < 0) {
				left_out += rows[i].from > 0;
				continue;
			}
			drawn++;
			if (rows[found].hop != rows[i].from || dashed != rows[i].guess)
				fail_msg("seed %u, row %u of hop %d: the line leads to hop %d\n%s",
					 seed, i, (int)rows[i].hop, (int)rows[found].hop, text);
		}
	}
	/* of numbers that are no hop, and for want of room */
	assert_in_range(left_out, 1, drawn / 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hop_stands_below_the_one_it_came_from),
		cmocka_unit_test(a_hop_of_two_hops_has_both_lines),
		cmocka_unit_test(without_a_column_an_arrow_says_that_it_came),
		cmocka_unit_test(other_orders_have_none),
		cmocka_unit_test(every_line_leads_to_its_hop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
