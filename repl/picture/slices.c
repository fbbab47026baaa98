/* slices.c - see slices.h. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/columns.h"
#include "repl/picture/picture_impl.h"
#include "repl/picture/slices.h"

enum { SLICES = 1024, FEWER = 4 };

struct slicing {
	const struct rn_picture *p;
	struct rn_picture_columns columns;
	uint32_t slices, nboxes, nedges;
	uint32_t *of; /* the new box of each box */
	struct ends {
		uint32_t from, to; /* new boxes */
		uint32_t edge;
	} * ends; /* edges between two new boxes, by `to`, then `from`, then as they were */
	uint32_t nends;
};

static int by_ends(const void *a, const void *b)
{
	const struct ends *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Numbers the new boxes in the order of their first ones, and counts them and their edges. */
static void number(struct slicing *s)
{
	struct {
		uint32_t slice, box; /* the last of a column; slices are counted from 1 */
	} *last = rn_calloc(s->columns.n + 1, sizeof(*last));

	s->nboxes = s->nedges = s->nends = 0;
	for (uint32_t i = 0; i < s->p->nboxes; i++) {
		uint32_t column = s->columns.of[s->p->boxes[i].lane],
			 slice = 1 + (uint32_t)((uint64_t)i * s->slices / s->p->nboxes);

		if (last[column].slice != slice) {
			last[column].slice = slice;
			last[column].box = s->nboxes++;
		}
		s->of[i] = last[column].box;
	}
	free(last);
	for (uint32_t i = 0; i < s->p->nedges; i++) {
		const struct rn_picture_edge *e = &s->p->edges[i];
		uint32_t from = s->of[e->from], to = s->of[e->to];

		if (from != to)
			s->ends[s->nends++] = (struct ends){from, to, i};
	}
	qsort(s->ends, s->nends, sizeof(*s->ends), by_ends);
	for (uint32_t i = 0; i < s->nends; i++)
		s->nedges += !i || s->ends[i].from != s->ends[i - 1].from ||
			     s->ends[i].to != s->ends[i - 1].to;
}

/* Finds the columns and the slices; the columns are the caller's to free. */
static void choose(struct slicing *s, uint32_t most)
{
	rn_picture_columns(s->p, UINT32_MAX, &s->columns);
	for (;;) {
		uint32_t n = s->columns.n;

		for (s->slices = SLICES; s->slices; s->slices /= FEWER) {
			number(s);
			if (s->nboxes <= most && s->nedges <= most)
				return;
			if (s->slices == 1)
				break;
		}
		rn_picture_columns_free(&s->columns);
		rn_picture_columns(s->p, n ? n - 1 : 0, &s->columns);
		if (s->columns.n >= n) {
			number(s);
			return;
		}
	}
}

static const char *common(const char *a, const char *b)
{
	return strcmp(a, b) == 0 ? a : "";
}

static bool has_tag(const char *tags, const char *tag, size_t n)
{
	for (const char *s = tags; *s; s += strcspn(s, ","), s += *s == ',')
		if (strcspn(s, ",") == n && !memcmp(s, tag, n))
			return true;
	return false;
}

/* The tags of a, then those of b that a has not. */
static const char *all_tags(struct rn_arena *arena, const char *a, const char *b)
{
	size_t room = strlen(a) + strlen(b) + 2, end = strlen(a), n;
	char *both = NULL;

	if (a == b)
		return a;
	for (; *b; b += n, b += *b == ',') {
		n = strcspn(b, ",");
		if (!n || has_tag(both ? both : a, b, n))
			continue;
		if (!both)
			both = memcpy(rn_arena_alloc(arena, room), a, end + 1);
		if (end)
			both[end++] = ',';
		memcpy(both + end, b, n);
		end += n;
		both[end] = 0;
	}
	return both ? both : a;
}

static void join_box(struct rn_arena *arena, struct rn_picture_box *to,
		     const struct rn_picture_box *b)
{
	to->count += b->count;
	to->last = b->last > to->last ? b->last : to->last;
	to->at_ns = b->at_ns < to->at_ns ? b->at_ns : to->at_ns;
	to->begin_ns = b->begin_ns < to->begin_ns ? b->begin_ns : to->begin_ns;
	to->end_ns = b->end_ns > to->end_ns ? b->end_ns : to->end_ns;
	if (b->clock_ns < 0 || (to->clock_ns >= 0 && b->clock_ns > to->clock_ns))
		to->clock_ns = b->clock_ns;
	to->bytes += b->bytes;
	to->name = common(to->name, b->name);
	to->object = common(to->object, b->object);
	to->tags = all_tags(arena, to->tags, b->tags);
	to->depth = b->depth > to->depth ? b->depth : to->depth;
	to->timed &= b->timed;
	to->cut |= b->cut;
	to->dir = to->dir == b->dir ? to->dir : RN_PICTURE_NEITHER;
	to->side = b->side > to->side ? b->side : to->side;
}

static void join_edge(struct rn_arena *arena, struct rn_picture_edge *to,
		      const struct rn_picture_edge *e)
{
	to->count += e->count;
	to->choices = e->choices > to->choices ? e->choices : to->choices;
	to->link = common(to->link, e->link);
	to->tags = all_tags(arena, to->tags, e->tags);
}

static void make_lanes(const struct slicing *s, struct rn_arena *arena,
		       struct rn_picture_sliced *out)
{
	struct rn_picture *p = &out->picture;
	struct rn_picture_lane *lanes = RN_NEWN(arena, struct rn_picture_lane, s->columns.n + 1);
	uint32_t *processes = RN_NEWN(arena, uint32_t, s->columns.n + 1);
	struct rn_picture_node *nodes = RN_NEWN(arena, struct rn_picture_node, p->nnodes + 1);

	for (uint32_t i = 0; i < p->nnodes; i++) {
		nodes[i] = s->p->nodes[i];
		nodes[i].nlanes = 0;
	}
	for (uint32_t i = 0; i < s->columns.n; i++) {
		const struct rn_picture_column *c = &s->columns.list[i];

		lanes[i] =
			(struct rn_picture_lane){.node = c->node, .proc = c->proc, .pid = c->pid};
		processes[i] = c->lanes;
		if (!nodes[c->node].nlanes++)
			nodes[c->node].lane = i;
	}
	for (uint32_t i = 0; i < s->nboxes; i++)
		lanes[p->boxes[i].lane].nboxes++;
	p->nodes = nodes;
	p->lanes = lanes;
	p->nlanes = s->columns.n;
	out->processes = processes;
}

static void make_boxes(const struct slicing *s, struct rn_arena *arena, struct rn_picture *p)
{
	uint32_t n = 0;

	p->boxes = RN_NEWN(arena, struct rn_picture_box, s->nboxes + 1);
	p->nboxes = s->nboxes;
	for (uint32_t i = 0; i < s->p->nboxes; i++) {
		const struct rn_picture_box *b = &s->p->boxes[i];

		if (s->of[i] < n) {
			join_box(arena, &p->boxes[s->of[i]], b);
			continue;
		}
		p->boxes[n] = *b;
		p->boxes[n].lane = s->columns.of[b->lane];
		p->boxes[n].nin = p->boxes[n].nout = 0;
		n++;
	}
}

static void make_edges(const struct slicing *s, struct rn_arena *arena, struct rn_picture *p)
{
	struct rn_picture_edge *edges = RN_NEWN(arena, struct rn_picture_edge, s->nedges + 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nends; i++) {
		const struct ends *x = &s->ends[i];

		if (n && edges[n - 1].from == x->from && edges[n - 1].to == x->to) {
			join_edge(arena, &edges[n - 1], &s->p->edges[x->edge]);
			continue;
		}
		edges[n] = s->p->edges[x->edge];
		edges[n].from = x->from;
		edges[n].to = x->to;
		edges[n].inside = p->boxes[x->from].lane == p->boxes[x->to].lane;
		n++;
		p->boxes[x->from].nout++;
		p->boxes[x->to].nin++;
	}
	p->edges = edges;
	p->nedges = n;
}

void rn_picture_slice(const struct rn_picture *picture, uint32_t most, struct rn_arena *arena,
		      struct rn_picture_sliced *out)
{
	struct slicing s = {.p = picture};

	s.of = rn_calloc(picture->nboxes + 1, sizeof(*s.of));
	s.ends = rn_calloc(picture->nedges + 1, sizeof(*s.ends));
	choose(&s, most);
	out->picture = *picture;
	out->slices = s.slices;
	make_boxes(&s, arena, &out->picture);
	make_edges(&s, arena, &out->picture);
	make_lanes(&s, arena, out);
	rn_picture_find_gaps(&out->picture, arena);
	rn_picture_columns_free(&s.columns);
	free(s.of);
	free(s.ends);
}
