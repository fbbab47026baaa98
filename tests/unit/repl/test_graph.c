/* test_graph.c - the graph of a picture: which objects are one, how hops fold into edges, and where
 * the vertices stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/base/str.h"
#include "repl/picture/graph.h"

static const struct rn_picture_node nodes[] = {{.name = "n1"}, {.name = "n2"}};
static const struct rn_picture_lane lanes[] = {
	{.node = 0, .proc = "a", .pid = 1},
	{.node = 0, .proc = "b", .pid = 2},
	{.node = 1, .proc = "c", .pid = 3},
};

/* A hop from `at` on, which takes 1 ns. */
#define HOP(l, d, what, at, ...) \
	{ \
		.lane = l, .count = 1, .dir = RN_PICTURE_##d, .object = what, .at_ns = at, \
		.begin_ns = at, .end_ns = (at) + 1, .bytes = 10, .name = "call", .tags = "t1", \
		.timed = true, __VA_ARGS__ \
	}
#define LINK(f, t, word, n) \
	{ \
		.from = f, .to = t, .count = 1, .link = word, .choices = n, .tags = "t1" \
	}

static const char *name_of(struct rn_arena *arena, const struct rn_graph *g, uint32_t i)
{
	const struct rn_graph_vertex *v = &g->vertices[i];

	return v->node == RN_GRAPH_NONE
		       ? v->name
		       : rn_arena_printf(arena, "%s:%s", nodes[v->node].name, v->name);
}

/* Edges as "from word hops [links choices] to" and a line break, in their order. */
static void expect(struct rn_picture_box *boxes, uint32_t nboxes,
		   const struct rn_picture_edge *edges, uint32_t nedges, const char *want)
{
	struct rn_arena *arena = rn_arena_create(1 << 20);
	const struct rn_picture p = {.nodes = nodes,
				     .lanes = lanes,
				     .boxes = boxes,
				     .edges = edges,
				     .nnodes = 2,
				     .nlanes = 3,
				     .nboxes = nboxes,
				     .nedges = nedges};
	struct rn_strbuf got;
	struct rn_graph g;
	int64_t hops = 0;

	rn_picture_graph(&p, arena, &g);
	rn_strbuf_init(&got, arena);
	for (uint32_t i = 0; i < g.nedges; i++) {
		const struct rn_graph_edge *e = &g.edges[i];

		rn_strbuf_printf(&got, "%s %s %d [%s %u] %s\n", name_of(arena, &g, e->from),
				 e->word, (int)e->hops, e->links, e->choices,
				 name_of(arena, &g, e->to));
		if (e->from < e->to)
			assert_true(g.vertices[e->from].layer < g.vertices[e->to].layer);
		assert_true(e->first_ns < e->last_ns);
	}
	assert_string_equal(rn_strbuf_cstr(&got), want);
	for (uint32_t i = 0; i < g.nvertices; i++) {
		const struct rn_graph_vertex *v = &g.vertices[i];

		assert_true(v->layer < g.nlayers);
		for (uint32_t k = 0; k < i; k++)
			assert_true(g.vertices[k].layer != v->layer ||
				    g.vertices[k].place != v->place);
		hops += v->kind == RN_GRAPH_PROCESS ? v->hops : 0;
	}
	assert_int_equal(hops, nboxes);
	for (uint32_t i = 0; i < nboxes; i++)
		assert_true(g.uses[i][0] != RN_GRAPH_NONE || g.uses[i][1] != RN_GRAPH_NONE);
	rn_arena_destroy(arena);
}
#define EXPECT(boxes, edges, want) \
	expect(boxes, sizeof(boxes) / sizeof(*(boxes)), edges, sizeof(edges) / sizeof(*(edges)), \
	       want)

/* Calls of one process on one object in one direction are one edge, whatever stands between. */
static void hops_fold_to_edges(void **state)
{
	struct rn_picture_box boxes[] = {
		HOP(0, OUT, "/f", 1), HOP(1, IN, "/f", 3),  HOP(0, OUT, "/f", 5),
		HOP(1, IN, "/f", 7),  HOP(1, OUT, "/g", 9),
	};
	static const struct rn_picture_edge edges[] = {LINK(0, 1, "file", 1), LINK(2, 3, "file", 2),
						       LINK(1, 4, "process", 2)};

	(void)state;
	EXPECT(boxes, edges,
	       "n1:a write 2 [ 0] n1:/f\n"
	       "n1:/f read 2 [file 2] n1:b\n"
	       "n1:b write 1 [process 2] n1:/g\n");
}

/* A connection has two names and two nodes. A file of the same name on another node is another. */
static void both_ends_are_one_object(void **state)
{
	struct rn_picture_box boxes[] = {
		HOP(0, OUT, "10.0.0.1:5 -> 10.0.0.2:80", 1),
		HOP(2, IN, "10.0.0.2:80 -> 10.0.0.1:5", 3),
		HOP(0, OUT, "/f", 5),
		HOP(2, OUT, "/f", 7),
	};
	static const struct rn_picture_edge edges[] = {LINK(0, 1, "exact", 1)};

	(void)state;
	EXPECT(boxes, edges,
	       "n1:a send 1 [ 0] 10.0.0.1:5 -> 10.0.0.2:80\n"
	       "10.0.0.1:5 -> 10.0.0.2:80 receive 1 [exact 1] n2:c\n"
	       "n1:a write 1 [ 0] n1:/f\n"
	       "n2:c write 1 [ 0] n2:/f\n");
}

/* Names that differ are one object if a certain link joins them; a guess does not. */
static void links_tell_which_objects_are_one(void **state)
{
	struct rn_picture_box known[] = {HOP(0, OUT, "socket:[1]", 1), HOP(1, IN, "socket:[2]", 3)};
	struct rn_picture_box guess[] = {HOP(0, OUT, "socket:[1]", 1), HOP(1, IN, "socket:[2]", 3)};
	struct rn_picture_box name[] = {HOP(0, OUT, "/old", 1), HOP(1, IN, "/new", 3)};
	static const struct rn_picture_edge sure[] = {LINK(0, 1, "order", 1)},
					    perhaps[] = {LINK(0, 1, "order", 2)},
					    file[] = {LINK(0, 1, "file", 2)};

	(void)state;
	EXPECT(known, sure,
	       "n1:a send 1 [ 0] n1:socket:[1]\nn1:socket:[1] receive 1 [order 1] n1:b\n");
	EXPECT(guess, perhaps,
	       "n1:a send 1 [ 0] n1:socket:[1]\nn1:socket:[2] receive 1 [order 2] n1:b\n");
	EXPECT(name, file, "n1:a write 1 [ 0] n1:/old\nn1:/old read 1 [file 2] n1:b\n");
}

/* A copy in the kernel reads one file and writes another. A child has its parent's data without a
 * call. A file of FUSE has what its server wrote to the device. */
static void copies_children_and_fuse(void **state)
{
	struct rn_picture_box copy[] = {HOP(0, OUT, "/f", 1), HOP(1, OUT, "/f => /g", 3)};
	struct rn_picture_box child[] = {HOP(0, IN, "/f", 1), HOP(1, OUT, "/g", 3)};
	struct rn_picture_box fuse[] = {HOP(0, OUT, "/dev/fuse", 1), HOP(1, IN, "/mnt/f", 3)};
	static const struct rn_picture_edge copied[] = {LINK(0, 1, "file", 1)},
					    forked[] = {LINK(0, 1, "inherit", 1)},
					    served[] = {LINK(0, 1, "fuse", 1)};

	(void)state;
	copy[1].name = "copy_file_range";
	EXPECT(copy, copied,
	       "n1:a write 1 [ 0] n1:/f\n"
	       "n1:/f copy 1 [file 1] n1:b\n"
	       "n1:b copy 1 [ 0] n1:/g\n");
	EXPECT(child, forked,
	       "n1:/f read 1 [ 0] n1:a\n"
	       "n1:a inherit 1 [inherit 1] n1:b\n"
	       "n1:b write 1 [ 0] n1:/g\n");
	EXPECT(fuse, served,
	       "n1:a write 1 [ 0] n1:/dev/fuse\n"
	       "n1:/dev/fuse fuse 1 [fuse 1] n1:/mnt/f\n"
	       "n1:/mnt/f read 1 [fuse 1] n1:b\n");
}

/* Anybody may give a file a name that has an arrow. */
static void files_keep_their_names(void **state)
{
	struct rn_picture_box boxes[] = {HOP(0, OUT, "/a -> /b", 1), HOP(1, OUT, "/a => /b", 3)};
	static const struct rn_picture_edge none[1];

	(void)state;
	expect(boxes, 2, none, 0,
	       "n1:a write 1 [ 0] n1:/a -> /b\n"
	       "n1:b write 1 [ 0] n1:/a => /b\n");
}

/* A process that writes a file and reads it again stands above it: what leads back has no layer. */
static void circles_end(void **state)
{
	struct rn_picture_box boxes[] = {HOP(0, OUT, "/f", 1), HOP(0, IN, "/f", 3),
					 HOP(0, OUT, "/f", 5)};
	static const struct rn_picture_edge edges[] = {LINK(0, 1, "file", 1),
						       LINK(1, 2, "process", 1)};

	(void)state;
	EXPECT(boxes, edges,
	       "n1:/f read 1 [file 1] n1:a\n"
	       "n1:a write 2 [process 1] n1:/f\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_fold_to_edges),
		cmocka_unit_test(both_ends_are_one_object),
		cmocka_unit_test(links_tell_which_objects_are_one),
		cmocka_unit_test(copies_children_and_fuse),
		cmocka_unit_test(files_keep_their_names),
		cmocka_unit_test(circles_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
