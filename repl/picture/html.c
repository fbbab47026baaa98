/* html.c - the flow as a page that needs no other file and makes no request.
 *
 * The page is repl/page/ with its data between: JSON on one line, in which `<` is \u003c, so that
 * no text ends the element that it stands in. Texts are clean, and stand once each; a row has their
 * numbers. Times are ns since `first`; a bound of -1 is not known.
 *
 *	summary   the picture in a line
 *	first     the epoch's ns at the beginning, as text: it has more than 53 bits
 *	last      the end of the last hop
 *	complete  whether the answer lacks nothing
 *	folded    null; or [boxes, links] of the picture whose boxes were put together
 *	lacking   [what boxes lack, how many boxes], before boxes are put together
 *	ledger    lines of text
 *	nodes     [name, why its part is missing or null, bound]
 *	lanes     [node, proc, pid, processes]: more than one are put together
 *	boxes     [lane, hops, first hop, last hop, at, begin, end, bound, bytes, name, object,
 *	          tags, color, depth, flags, dir, lacks, uses]; flags: 1 timed, 2 cut; uses: the
 *	          numbers of up to two
 *	edges     [from, to, links, choices, lag, link, tags, color, flags]; flags: 1 timed,
 *	          2 inside
 *	gaps      [the box behind it, ns]
 *	vertices  [kind, name, pid, node or -1, lane or -1, first, last, hops, layer, place]
 *	uses      [from, to, word, hops, bytes, first, last, bound, links, choices, tags, color,
 *	          lacks]: the edges of the graph
 *	texts     what the numbers of proc, name, object, tags, lacks and link mean
 *
 * Above RN_PICTURE_MOST boxes or edges it is the picture of slices.h, which the page says. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/map.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "repl/picture/graph.h"
#include "repl/picture/printers.h"
#include "repl/picture/slices.h"
#include "repl/render/json.h"

enum { COLORS = 6 };

/* repl/page/page.sh: the page before and behind its data */
extern const char rn_page_head[], rn_page_foot[];

/* A text by its address: the model keeps equal texts once. */
struct numbered {
	UT_hash_handle hh;
	const char *s;
	uint32_t number;
};
struct page {
	FILE *to;
	const struct rn_picture *p;
	const uint32_t *processes; /* NULL: each lane is one */
	struct rn_graph graph;
	struct rn_arena *arena;
	struct numbered *texts;
	const char **list; /* texts by number */
	uint32_t ntexts, cap;
};

static uint32_t number_of(struct page *g, const char *s)
{
	struct numbered *t, *all = g->texts;

	HASH_FIND_PTR(all, &s, t);
	if (!t) {
		t = RN_NEW(g->arena, struct numbered);
		t->s = s;
		t->number = g->ntexts;
		HASH_ADD_PTR(all, s, t);
		g->texts = all;
		rn_vec_room(g->list, g->ntexts, g->cap);
		g->list[g->ntexts++] = s;
	}
	return t->number;
}

static void put_text(const struct page *g, const char *s)
{
	char *clean = rn_picture_clean(s);

	rn_json_string(g->to, clean, strlen(clean));
	free(clean);
}

/* Times of others may be any: no difference overflows. */
static int64_t since_first(const struct page *g, int64_t ns)
{
	return (int64_t)((uint64_t)ns - (uint64_t)g->p->first_ns);
}

static void put_nodes(struct page *g)
{
	fputs(",\n\"nodes\":[", g->to);
	for (uint32_t i = 0; i < g->p->nnodes; i++) {
		const struct rn_picture_node *n = &g->p->nodes[i];

		fputs(i ? ",[" : "[", g->to);
		put_text(g, n->name);
		putc(',', g->to);
		if (n->lacks)
			put_text(g, n->lacks);
		else
			fputs("null", g->to);
		fprintf(g->to, ",%" PRId64 "]", n->clock_ns);
	}
	fputs("],\n\"lanes\":[", g->to);
	for (uint32_t i = 0; i < g->p->nlanes; i++) {
		const struct rn_picture_lane *l = &g->p->lanes[i];

		fprintf(g->to, "%s[%u,%u,%" PRId64 ",%u]", i ? "," : "", l->node,
			number_of(g, l->proc), l->pid, g->processes ? g->processes[i] : 1);
	}
	putc(']', g->to);
}

static void put_boxes(struct page *g)
{
	fputs(",\n\"boxes\":[", g->to);
	for (uint32_t i = 0; i < g->p->nboxes; i++) {
		const struct rn_picture_box *b = &g->p->boxes[i];

		fprintf(g->to, "%s[%u,%u,%" PRId64 ",%" PRId64, i ? ",\n" : "", b->lane, b->count,
			b->hop, b->last);
		fprintf(g->to, ",%" PRId64 ",%" PRId64 ",%" PRId64, since_first(g, b->at_ns),
			since_first(g, b->begin_ns), since_first(g, b->end_ns));
		fprintf(g->to, ",%" PRId64 ",%" PRId64 ",%u,%u,%u,%u,%u,%u,%u,%u,[", b->clock_ns,
			b->bytes, number_of(g, b->name), number_of(g, b->object),
			number_of(g, b->tags), rn_picture_color(b->tags, COLORS), b->depth,
			(b->timed ? 1u : 0u) | (b->cut ? 2u : 0u), b->dir,
			number_of(g, rn_picture_lacks(b)));
		for (unsigned k = 0, n = 0; k < 2; k++)
			if (g->graph.uses[i][k] != RN_GRAPH_NONE)
				fprintf(g->to, n++ ? ",%u" : "%u", g->graph.uses[i][k]);
		fputs("]]", g->to);
	}
	putc(']', g->to);
}

static void put_edges(struct page *g)
{
	fputs(",\n\"edges\":[", g->to);
	for (uint32_t i = 0; i < g->p->nedges; i++) {
		const struct rn_picture_edge *e = &g->p->edges[i];

		fprintf(g->to, "%s[%u,%u,%u,%u,%" PRId64 ",%u,%u,%u,%u]", i ? ",\n" : "", e->from,
			e->to, e->count, e->choices, e->lag_ns, number_of(g, e->link),
			number_of(g, e->tags), rn_picture_color(e->tags, COLORS),
			(e->timed ? 1u : 0u) | (e->inside ? 2u : 0u));
	}
	putc(']', g->to);
}

static void put_graph(struct page *g)
{
	fputs(",\n\"vertices\":[", g->to);
	for (uint32_t i = 0; i < g->graph.nvertices; i++) {
		const struct rn_graph_vertex *v = &g->graph.vertices[i];

		fprintf(g->to, "%s[%u,%u,%" PRId64 ",%d,%d", i ? ",\n" : "", v->kind,
			number_of(g, v->name), v->pid, v->node == RN_GRAPH_NONE ? -1 : (int)v->node,
			v->lane == RN_GRAPH_NONE ? -1 : (int)v->lane);
		fprintf(g->to, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%u,%u]",
			since_first(g, v->first_ns), since_first(g, v->last_ns), v->hops, v->layer,
			v->place);
	}
	fputs("],\n\"uses\":[", g->to);
	for (uint32_t i = 0; i < g->graph.nedges; i++) {
		const struct rn_graph_edge *e = &g->graph.edges[i];

		fprintf(g->to, "%s[%u,%u,%u,%" PRId64 ",%" PRId64, i ? ",\n" : "", e->from, e->to,
			number_of(g, e->word), e->hops, e->bytes);
		fprintf(g->to, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%u,%u,%u,%u,%u]",
			since_first(g, e->first_ns), since_first(g, e->last_ns), e->clock_ns,
			number_of(g, e->links), e->choices, number_of(g, e->tags),
			rn_picture_color(e->tags, COLORS), number_of(g, e->lacks));
	}
	putc(']', g->to);
}

static void put_gaps(const struct page *g)
{
	fputs(",\n\"gaps\":[", g->to);
	for (uint32_t i = 0; i < g->p->ngaps; i++)
		fprintf(g->to, "%s[%u,%" PRId64 "]", i ? "," : "", g->p->gaps[i].box,
			g->p->gaps[i].ns);
	putc(']', g->to);
}

static void put_texts(const struct page *g, const char *key, const char *const *list, uint32_t n)
{
	fprintf(g->to, ",\n\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			putc(',', g->to);
		put_text(g, list[i]);
	}
	putc(']', g->to);
}

/* Counts the boxes that lack the same; rn_picture_lacks has few words. */
static void put_lacking(const struct page *g, const struct rn_picture *picture)
{
	struct {
		const char *words;
		uint32_t n;
	} lacking[8] = {0};
	unsigned n = 0;

	for (uint32_t i = 0; i < picture->nboxes; i++) {
		const char *words = rn_picture_lacks(&picture->boxes[i]);
		unsigned k = 0;

		while (k < n && lacking[k].words != words)
			k++;
		if (!*words || k == sizeof(lacking) / sizeof(*lacking))
			continue;
		lacking[k].words = words;
		lacking[k].n++;
		n += k == n;
	}
	fputs(",\n\"lacking\":[", g->to);
	for (unsigned k = 0; k < n; k++) {
		fputs(k ? ",[" : "[", g->to);
		put_text(g, lacking[k].words);
		fprintf(g->to, ",%u]", lacking[k].n);
	}
	putc(']', g->to);
}

static void put_data(struct page *g, const struct rn_picture *picture)
{
	char *summary = rn_picture_summary(picture);

	fputs("{\"summary\":", g->to);
	put_text(g, summary);
	free(summary);
	fprintf(g->to, ",\n\"first\":\"%" PRId64 "\",\"last\":%" PRId64, g->p->first_ns,
		since_first(g, g->p->last_ns));
	fprintf(g->to, ",\"complete\":%s,\"folded\":", picture->complete ? "true" : "false");
	if (g->p != picture)
		fprintf(g->to, "[%u,%u]", picture->nboxes, rn_picture_links(picture));
	else
		fputs("null", g->to);
	put_lacking(g, picture);
	put_texts(g, "ledger", picture->ledger, picture->nledger);
	put_nodes(g);
	put_boxes(g);
	put_edges(g);
	put_graph(g);
	put_gaps(g);
	put_texts(g, "texts", g->list, g->ntexts);
	fputs("}\n", g->to);
}

/* Writes JSON so that it cannot end the element around it. */
static void put_inside(FILE *to, const char *json, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *lt = memchr(json + i, '<', n - i);
		size_t run = lt ? (size_t)(lt - json) - i : n - i;

		fwrite(json + i, 1, run, to);
		if (lt)
			fputs("\\u003c", to);
		i += run + (lt != NULL);
	}
}

void rn_picture_html(FILE *to, const struct rn_picture *picture,
		     const struct rn_picture_screen *screen)
{
	struct page g = {.p = picture, .arena = rn_arena_create(SIZE_MAX)};
	struct rn_picture_sliced sliced;
	char *json;
	size_t n;

	(void)screen;
	if (picture->nboxes > RN_PICTURE_MOST || picture->nedges > RN_PICTURE_MOST) {
		rn_picture_slice(picture, RN_PICTURE_MOST, g.arena, &sliced);
		g.p = &sliced.picture;
		g.processes = sliced.processes;
	}
	rn_picture_graph(g.p, g.arena, &g.graph);
	g.to = open_memstream(&json, &n);
	if (!g.to)
		abort();
	put_data(&g, picture);
	(void)fclose(g.to);
	fputs(rn_page_head, to);
	put_inside(to, json, n);
	fputs(rn_page_foot, to);
	free(json);
	HASH_CLEAR(hh, g.texts);
	free(g.list);
	rn_arena_destroy(g.arena);
}
