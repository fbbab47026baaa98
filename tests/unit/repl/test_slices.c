/* test_slices.c - a picture that is too much is folded: by slices, then by program, then by
 * node, and nothing of it is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "repl/picture/slices.h"

enum { LANES = 8, BOXES = 64, EDGES = BOXES - 1 };

static const struct rn_picture_node nodes[] = {{.name = "a", .nlanes = 4},
					       {.name = "b", .lane = 4, .nlanes = 4}};

/* Boxes of eight processes in turn, each from the one before: two programs on each of two nodes. */
static struct rn_picture chain(struct rn_picture_lane *lanes, struct rn_picture_box *boxes,
			       struct rn_picture_edge *edges)
{
	for (uint32_t i = 0; i < LANES; i++)
		lanes[i] = (struct rn_picture_lane){.node = i / 4,
						    .proc = i % 2 ? "cat" : "nc",
						    .pid = i,
						    .nboxes = BOXES / LANES};
	for (uint32_t i = 0; i < BOXES; i++)
		boxes[i] = (struct rn_picture_box){.lane = i * 3 % LANES,
						   .count = 2,
						   .hop = 2 * i + 1,
						   .last = 2 * i + 2,
						   .begin_ns = 1000 + i * 10,
						   .end_ns = 1000 + i * 10 + 5,
						   .bytes = i,
						   .name = "read",
						   .object = i % 2 ? "x" : "y",
						   .tags = i < BOXES / 2 ? "t1" : "t1,t2",
						   .timed = true,
						   .dir = RN_PICTURE_IN};
	for (uint32_t i = 0; i < EDGES; i++)
		edges[i] = (struct rn_picture_edge){.from = i,
						    .to = i + 1,
						    .count = 1,
						    .choices = i == 7 ? 3 : 1,
						    .link = "order",
						    .tags = "t1"};
	return (struct rn_picture){.nodes = nodes,
				   .lanes = lanes,
				   .boxes = boxes,
				   .edges = edges,
				   .nnodes = 2,
				   .nlanes = LANES,
				   .nboxes = BOXES,
				   .nedges = EDGES,
				   .hops = 2L * BOXES,
				   .first_ns = 1000};
}

/* What must hold of any: each hop is in a box, edges have their ends, lanes count their boxes. */
static void expect_whole(const struct rn_picture_sliced *s)
{
	const struct rn_picture *p = &s->picture;
	uint32_t hops = 0, links = 0, processes = 0, boxes = 0;
	int64_t bytes = 0;

	for (uint32_t i = 0; i < p->nboxes; i++) {
		hops += p->boxes[i].count;
		bytes += p->boxes[i].bytes;
		assert_true(p->boxes[i].lane < p->nlanes);
	}
	for (uint32_t i = 0; i < p->nedges; i++) {
		links += p->edges[i].count;
		assert_true(p->edges[i].from < p->nboxes && p->edges[i].to < p->nboxes);
		assert_true(p->edges[i].from != p->edges[i].to);
		assert_true(!i || p->edges[i - 1].to < p->edges[i].to ||
			    (p->edges[i - 1].to == p->edges[i].to &&
			     p->edges[i - 1].from < p->edges[i].from));
	}
	for (uint32_t i = 0; i < p->nlanes; i++) {
		processes += s->processes[i];
		boxes += p->lanes[i].nboxes;
	}
	assert_int_equal(hops, 2 * BOXES);
	assert_int_equal(bytes, BOXES * (BOXES - 1) / 2);
	assert_true(links <= EDGES);
	assert_int_equal(processes, LANES);
	assert_int_equal(boxes, p->nboxes);
	assert_int_equal(p->nodes[0].nlanes + p->nodes[1].nlanes, p->nlanes);
}

static void sliced_to(uint32_t most, uint32_t slices, uint32_t lanes, uint32_t boxes)
{
	struct rn_picture_lane l[LANES];
	struct rn_picture_box b[BOXES];
	struct rn_picture_edge e[EDGES];
	const struct rn_picture p = chain(l, b, e);
	struct rn_arena *arena = rn_arena_create(SIZE_MAX);
	struct rn_picture_sliced s;

	rn_picture_slice(&p, most, arena, &s);
	expect_whole(&s);
	assert_int_equal(s.slices, slices);
	assert_int_equal(s.picture.nlanes, lanes);
	assert_int_equal(s.picture.nboxes, boxes);
	rn_arena_destroy(arena);
}

static void processes_in_slices(void **state)
{
	(void)state;
	sliced_to(BOXES, 1024, 8, BOXES);
	sliced_to(BOXES - 1, 4, 8, 32);
	sliced_to(31, 1, 8, 8);
}

static void programs_then_nodes(void **state)
{
	(void)state;
	sliced_to(7, 1, 4, 4);
	sliced_to(3, 1, 2, 2);
	sliced_to(1, 1, 2, 2); /* it goes no further */
}

static void what_boxes_have(void **state)
{
	struct rn_picture_lane l[LANES];
	struct rn_picture_box b[BOXES];
	struct rn_picture_edge e[EDGES];
	const struct rn_picture p = chain(l, b, e);
	struct rn_arena *arena = rn_arena_create(SIZE_MAX);
	struct rn_picture_sliced s;
	const struct rn_picture_box *first;

	(void)state;
	rn_picture_slice(&p, 3, arena, &s);
	first = &s.picture.boxes[0];
	assert_int_equal(first->hop, 1);
	assert_int_equal(first->begin_ns, 1000);
	assert_string_equal(first->name, "read");
	assert_string_equal(first->object, "");
	assert_string_equal(first->tags, "t1,t2");
	assert_int_equal(first->dir, RN_PICTURE_IN);
	assert_int_equal(s.picture.nedges, 2);
	assert_int_equal(s.picture.edges[0].choices > 1 || s.picture.edges[1].choices > 1, 1);
	rn_arena_destroy(arena);
}

static void of_nothing(void **state)
{
	const struct rn_picture p = {0};
	struct rn_arena *arena = rn_arena_create(SIZE_MAX);
	struct rn_picture_sliced s;

	(void)state;
	rn_picture_slice(&p, 0, arena, &s);
	assert_int_equal(s.picture.nboxes, 0);
	assert_int_equal(s.picture.nedges, 0);
	rn_arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_in_slices),
		cmocka_unit_test(programs_then_nodes),
		cmocka_unit_test(what_boxes_have),
		cmocka_unit_test(of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
