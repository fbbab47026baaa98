/* layout.c - places the vertices of a graph: layers by depth, few crossings of edges.
 *
 * Each layer is ordered by the medians of its vertices' neighbours, to and fro, and the order with
 * the fewest crossings is kept (Eades and Wormald, "Edge crossings in drawings of bipartite
 * graphs", Algorithmica 11, 1994; Sugiyama's layers). An edge over several layers counts with its
 * two ends alone. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/picture_impl.h"

enum { SWEEPS = 8 };

struct layout {
	struct rn_graph *p;
	uint32_t *start; /* of each layer in `order`; one more at the end */
	uint32_t *order; /* vertices by layer and place */
	/* the edges of each vertex, by the ends of edges: [to, from]; and where those of a vertex
	 * begin
	 */
	uint32_t *edges[2], *first[2];
	uint32_t *best; /* places with the fewest crossings */
	uint64_t crossings;
};

static uint32_t end_of(const struct layout *l, uint32_t edge, unsigned side)
{
	return side ? l->p->edges[edge].from : l->p->edges[edge].to;
}

static void index_edges(struct layout *l, unsigned side)
{
	uint32_t *first = rn_calloc(l->p->nvertices + 3, sizeof(*first)),
		 *edges = rn_calloc(l->p->nedges + 1, sizeof(*edges));

	for (uint32_t i = 0; i < l->p->nedges; i++)
		first[end_of(l, i, side) + 2]++;
	for (uint32_t i = 2; i <= l->p->nvertices + 1; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < l->p->nedges; i++)
		edges[first[end_of(l, i, side) + 1]++] = i;
	l->first[side] = first;
	l->edges[side] = edges;
}

/* Vertices stand in the order in which the data came to them. An edge that leads back to an earlier
 * one counts for no layer. */
static void find_layers(struct rn_graph *p)
{
	p->nlayers = p->nvertices ? 1 : 0;
	for (uint32_t i = 0; i < p->nvertices; i++)
		p->vertices[i].layer = 0;
	for (uint32_t i = 0; i < p->nedges; i++) {
		const struct rn_graph_edge *e = &p->edges[i];
		uint32_t layer = p->vertices[e->from].layer + 1;

		if (e->from < e->to && layer > p->vertices[e->to].layer)
			p->vertices[e->to].layer = layer;
	}
	for (uint32_t i = 0; i < p->nvertices; i++)
		if (p->vertices[i].layer >= p->nlayers)
			p->nlayers = p->vertices[i].layer + 1;
}

static void fill_layers(struct layout *l)
{
	struct rn_graph *p = l->p;
	uint32_t *at = rn_calloc(p->nlayers + 1, sizeof(*at));

	l->start = rn_calloc(p->nlayers + 2, sizeof(*l->start));
	l->order = rn_calloc(p->nvertices + 1, sizeof(*l->order));
	for (uint32_t i = 0; i < p->nvertices; i++)
		l->start[p->vertices[i].layer + 1]++;
	for (uint32_t i = 1; i <= p->nlayers; i++)
		l->start[i] += l->start[i - 1];
	memcpy(at, l->start, p->nlayers * sizeof(*at));
	for (uint32_t i = 0; i < p->nvertices; i++) {
		uint32_t layer = p->vertices[i].layer;

		p->vertices[i].place = at[layer] - l->start[layer];
		l->order[at[layer]++] = i;
	}
	free(at);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The middle of the places of a vertex's neighbours at one side, as a part of their layers; its own
 * place if it has none. */
static double median_of(const struct layout *l, uint32_t vertex, unsigned side)
{
	const struct rn_graph_vertex *b = &l->p->vertices[vertex], *other;
	uint32_t from = l->first[side][vertex], n = l->first[side][vertex + 1] - from;
	double *v, m;

	if (!n)
		return (b->place + 0.5) / (l->start[b->layer + 1] - l->start[b->layer]);
	v = rn_calloc(n, sizeof(*v));
	for (uint32_t i = 0; i < n; i++) {
		other = &l->p->vertices[end_of(l, l->edges[side][from + i], !side)];
		v[i] = (other->place + 0.5) / (l->start[other->layer + 1] - l->start[other->layer]);
	}
	qsort(v, n, sizeof(*v), by_value);
	m = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	free(v);
	return m;
}

struct keyed {
	double median;
	uint32_t place, vertex;
};

static int by_median(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->median < y->median || x->median > y->median)
		return x->median < y->median ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static void sort_layer(struct layout *l, uint32_t layer, unsigned side)
{
	uint32_t from = l->start[layer], n = l->start[layer + 1] - from;
	struct keyed *k = rn_calloc(n + 1, sizeof(*k));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t vertex = l->order[from + i];

		k[i] = (struct keyed){median_of(l, vertex, side), i, vertex};
	}
	qsort(k, n, sizeof(*k), by_median);
	for (uint32_t i = 0; i < n; i++) {
		l->order[from + i] = k[i].vertex;
		l->p->vertices[k[i].vertex].place = i;
	}
	free(k);
}

/* ---- crossings ---- */

struct ends {
	uint32_t a, b;
};

static int by_ends(const void *a, const void *b)
{
	const struct ends *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/* How many edges that lead from this layer to the next one cross: pairs whose ends stand the other
 * way round, counted by a tree of sums (Fenwick, 1994). */
static uint64_t crossings_of(const struct layout *l, uint32_t layer, struct ends *ends,
			     uint32_t *sums)
{
	uint32_t n = 0, room = l->start[layer + 2] - l->start[layer + 1];
	uint64_t crossings = 0;

	for (uint32_t i = l->start[layer]; i < l->start[layer + 1]; i++) {
		uint32_t vertex = l->order[i];

		for (uint32_t k = l->first[1][vertex]; k < l->first[1][vertex + 1]; k++) {
			const struct rn_graph_vertex *to =
				&l->p->vertices[l->p->edges[l->edges[1][k]].to];

			if (to->layer == layer + 1)
				ends[n++] = (struct ends){l->p->vertices[vertex].place, to->place};
		}
	}
	qsort(ends, n, sizeof(*ends), by_ends);
	memset(sums, 0, (room + 1) * sizeof(*sums));
	for (uint32_t i = 0; i < n; i++) {
		crossings += i;
		for (uint32_t k = ends[i].b + 1; k; k &= k - 1)
			crossings -= sums[k];
		for (uint32_t k = ends[i].b + 1; k <= room; k += k & -k)
			sums[k]++;
	}
	return crossings;
}

static void keep_best(struct layout *l)
{
	struct ends *ends = rn_calloc(l->p->nedges + 1, sizeof(*ends));
	uint32_t *sums = rn_calloc(l->p->nvertices + 2, sizeof(*sums));
	uint64_t all = 0;

	for (uint32_t layer = 0; layer + 1 < l->p->nlayers; layer++)
		all += crossings_of(l, layer, ends, sums);
	free(ends);
	free(sums);
	if (all >= l->crossings)
		return;
	l->crossings = all;
	for (uint32_t i = 0; i < l->p->nvertices; i++)
		l->best[i] = l->p->vertices[i].place;
}

void rn_picture_layout(struct rn_graph *graph)
{
	struct layout l = {.p = graph, .crossings = UINT64_MAX};
	struct rn_graph *p = l.p;

	find_layers(p);
	fill_layers(&l);
	index_edges(&l, 0);
	index_edges(&l, 1);
	l.best = rn_calloc(p->nvertices + 1, sizeof(*l.best));
	keep_best(&l);
	for (unsigned sweep = 0; sweep < SWEEPS && l.crossings; sweep++) {
		for (uint32_t i = 1; i < p->nlayers && sweep % 2 == 0; i++)
			sort_layer(&l, i, 0);
		for (uint32_t i = p->nlayers; i-- > 1 && sweep % 2;)
			sort_layer(&l, i - 1, 1);
		keep_best(&l);
	}
	for (uint32_t i = 0; i < p->nvertices; i++)
		p->vertices[i].place = l.best[i];
	for (unsigned side = 0; side < 2; side++) {
		free(l.edges[side]);
		free(l.first[side]);
	}
	free(l.start);
	free(l.order);
	free(l.best);
}
