/* test_gaps.c - which times are marked as gaps, what columns nodes without a lane get, and how a
 * label gives way if there is no room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "repl/picture/canvas.h"
#include "repl/picture/labels.h"
#include "repl/picture/picture_impl.h"

enum { MOST = 64 };

struct times {
	int64_t at, end;
};

/* Finds the gaps between boxes of these times; returns how many there are. */
static uint32_t gaps_of(const struct times *t, uint32_t n, struct rn_picture_gap *out)
{
	struct rn_arena *arena = rn_arena_create(SIZE_MAX);
	struct rn_picture_box boxes[MOST] = {0};
	struct rn_picture p = {
		.boxes = boxes, .nboxes = n, .first_ns = n ? INT64_MAX : 0, .last_ns = INT64_MIN};

	for (uint32_t i = 0; i < n; i++) {
		boxes[i] = (struct rn_picture_box){.at_ns = t[i].at, .end_ns = t[i].end};
		p.first_ns = t[i].at < p.first_ns ? t[i].at : p.first_ns;
		p.last_ns = t[i].end > p.last_ns ? t[i].end : p.last_ns;
	}
	rn_picture_find_gaps(&p, arena);
	if (p.ngaps)
		memcpy(out, p.gaps, p.ngaps * sizeof(*out));
	rn_arena_destroy(arena);
	return p.ngaps;
}

static void a_long_time_is_a_gap(void **state)
{
	const struct times t[] = {{0, 5}, {10, 10}, {2000, 2005}, {2010, 2020}};
	struct rn_picture_gap gap[MOST];

	(void)state;
	assert_int_equal(gaps_of(t, 4, gap), 1);
	assert_int_equal(gap[0].box, 2);
	assert_int_equal(gap[0].ns, 1990);
}

static void even_times_have_none(void **state)
{
	struct times t[MOST];
	struct rn_picture_gap gap[MOST];

	(void)state;
	for (uint32_t i = 0; i < MOST; i++)
		t[i] = (struct times){i * 100, i * 100};
	for (uint32_t n = 0; n < MOST; n++)
		assert_int_equal(gaps_of(t, n, gap), 0);
}

/* A call that goes on fills the time. */
static void a_long_call_is_no_gap(void **state)
{
	const struct times t[] = {{0, 1990}, {10, 10}, {2000, 2005}, {2010, 2020}};
	struct rn_picture_gap gap[MOST];

	(void)state;
	assert_int_equal(gaps_of(t, 4, gap), 0);
}

static void there_are_ten_at_most(void **state)
{
	struct times t[MOST];
	struct rn_picture_gap gap[MOST];

	(void)state;
	for (uint32_t i = 0; i < MOST; i++) /* of 19 ns, a tenth is 1 */
		t[i] = (struct times){i / 3, i / 3};
	assert_true(gaps_of(t, MOST, gap) <= 10);
	assert_int_equal(gaps_of(t, 3 * 19, gap), 10);
}

/* Times of others may be any. */
static void any_times_are_taken(void **state)
{
	const struct times t[] = {
		{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}, {0, -5}, {INT64_MAX, INT64_MIN}};
	struct rn_picture_gap gap[MOST];

	(void)state;
	assert_int_equal(gaps_of(t, 4, gap), 1);
	assert_int_equal(gap[0].ns, INT64_MAX);
}

/* ---- columns ---- */

static void nodes_without_a_lane_have_columns(void **state)
{
	struct rn_picture_node nodes[MOST] = {{.name = "a", .nlanes = 1}};
	const struct rn_picture_lane lane = {.proc = "sh", .pid = 1};
	struct rn_picture p = {.nodes = nodes, .lanes = &lane, .nlanes = 1};
	struct rn_arena *arena = rn_arena_create(SIZE_MAX);
	struct rn_picture_columns c;

	(void)state;
	for (uint32_t i = 1; i < MOST; i++)
		nodes[i] = (struct rn_picture_node){.name = "b", .lacks = "died"};
	p.nnodes = 3;
	rn_picture_columns(&p, 8, &c);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.nempty, 2);
	assert_string_equal(rn_picture_column_node(arena, &p, &c.list[2]), "b");
	assert_string_equal(rn_picture_column_note(arena, &p, &c.list[2], true),
			    "incomplete: died");
	assert_string_equal(rn_picture_column_pids(arena, &c.list[2]), "");
	assert_string_equal(rn_picture_column_pids(arena, &c.list[0]), "1");
	rn_picture_columns_free(&c);
	p.nnodes = MOST; /* more than a quarter: one column */
	rn_picture_columns(&p, 8, &c);
	assert_int_equal(c.n + c.nempty, 2);
	assert_string_equal(rn_picture_column_node(arena, &p, &c.list[1]), "63 nodes");
	assert_string_equal(rn_picture_column_note(arena, &p, &c.list[1], true), "incomplete");
	rn_picture_columns_free(&c);
	rn_arena_destroy(arena);
}

/* ---- labels ---- */

static void a_label_gives_way_in_its_object(void **state)
{
	const struct rn_picture_label label = {.call = "12 in",
					       .object = "/srv/data/part-17/segment-4711.log",
					       .size = "x3 14 KiB",
					       .origin = "<-11 hash"};
	struct rn_arena *arena = rn_arena_create(SIZE_MAX);
	static const struct {
		unsigned width;
		const char *text;
	} wanted[] = {
		{0, "12 in /srv/data/part-17/segment-4711.log x3 14 KiB <-11 hash"},
		{60, "12 in /srv/data/part-17/segment-4711.log x3 14 KiB <-11 hash"},
		{46, "12 in /srv/data/…gment-4711.log x3 14 KiB <-11 hash"},
		{36, "12 in /srv/data/…ment-4711.log <-11 hash"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const char *text = rn_picture_label_text(arena, &label, wanted[i].width);

		assert_true(!wanted[i].width || rn_canvas_columns(text) <= wanted[i].width);
		assert_memory_equal(text, wanted[i].text, 9);
		assert_string_equal(text + strlen(text) - 9, "<-11 hash");
		assert_int_equal(strstr(text, "14 KiB") != NULL,
				 strstr(wanted[i].text, "14 KiB") != NULL);
	}
	for (unsigned width = 4; width < 70; width++)
		assert_true(rn_canvas_columns(rn_picture_label_text(arena, &label, width)) <=
			    width);
	rn_arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_time_is_a_gap),
		cmocka_unit_test(even_times_have_none),
		cmocka_unit_test(a_long_call_is_no_gap),
		cmocka_unit_test(there_are_ten_at_most),
		cmocka_unit_test(any_times_are_taken),
		cmocka_unit_test(nodes_without_a_lane_have_columns),
		cmocka_unit_test(a_label_gives_way_in_its_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
