/* graph.c - makes the graph of a picture: vertices of processes and objects, and edges of folded
 * boxes.
 *
 * An object is known by its text and node. Two of them are one if a link that is certain
 * leads from one to the other: the ends of a connection, a file under another name.
 *
 * A connection is known by its arrow, A -> B. Files may have that in their names, too. But the path
 * of a file begins with a slash, and only a copy has two objects. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/map.h"
#include "lang/base/str.h"
#include "lang/base/vec.h"
#include "lang/catalog/direction.h"
#include "repl/picture/picture_impl.h"
#include "repl/picture/printers.h"

enum { WORDS = 30 /* different ones, of evidence */ };

/* An object as the boxes name it. */
struct thing {
	UT_hash_handle hh;
	const char *name; /* as the first box has it */
	uint32_t number, node;
	uint8_t kind;
	char key[];
};
/* The two sides of a box: the object that it takes from, and the one that it puts into. */
struct sides {
	uint32_t in, out;
};
struct use {
	UT_hash_handle hh;
	struct {
		uint32_t from, to;
		const char *word;
	} key;
	struct rn_graph_edge edge;
	uint32_t links;       /* bits of words */
	const char *last_tag; /* the list that was joined last */
	uint32_t number;
};
struct builder {
	const struct rn_picture *p;
	struct rn_arena *arena;
	struct thing *things;
	uint32_t nthings, cap;
	const struct thing **list; /* by number */
	uint32_t *same;            /* of each thing another one that is the same, or itself */
	struct sides *sides;       /* of each box */
	uint32_t *vertex;          /* of each lane, then of each thing: 1 + its number */
	const char *words[WORDS];
	unsigned nwords;
	struct use *uses;
	struct rn_graph *out;
};

/* ---- objects ---- */

static bool starts(const char *s, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(s, with, strlen(with));
}

static bool is_loopback(const char *s, size_t n)
{
	return starts(s, n, "127.") || starts(s, n, "[::1]") || starts(s, n, "::1");
}

/* The arrow between the ends of a connection; NULL: it is none. */
static const char *arrow_of(const char *s, size_t n)
{
	return n && *s != '/' ? memmem(s, n, " -> ", 4) : NULL;
}

static enum rn_graph_kind kind_of(const char *s, size_t n)
{
	return starts(s, n, "pipe:[")                                ? RN_GRAPH_PIPE
	       : starts(s, n, "socket:[") || arrow_of(s, n)          ? RN_GRAPH_SOCKET
	       : starts(s, n, "/dev/") && !starts(s, n, "/dev/shm/") ? RN_GRAPH_DEVICE
								     : RN_GRAPH_FILE;
}

/* The key of an object. Both ends of a connection have the same; that of the loopback interface
 * belongs to a node, as files do. */
static const char *key_of(struct builder *b, const char *s, size_t n, uint32_t node)
{
	const char *arrow = arrow_of(s, n);
	size_t first = arrow ? (size_t)(arrow - s) : 0, second = n - first - 4;
	int cmp;

	if (!arrow)
		return rn_arena_printf(b->arena, "%u %.*s", node, (int)n, s);
	cmp = memcmp(s, arrow + 4, first < second ? first : second);
	if (cmp > 0 || (!cmp && first > second))
		return rn_arena_printf(b->arena, "%d %.*s -> %.*s",
				       is_loopback(s, first) ? (int)node : -1, (int)second,
				       arrow + 4, (int)first, s);
	return rn_arena_printf(b->arena, "%d %.*s", is_loopback(s, first) ? (int)node : -1, (int)n,
			       s);
}

static uint32_t thing_of(struct builder *b, const char *s, size_t n, uint32_t node)
{
	const char *key = key_of(b, s, n, node);
	struct thing *t, *all = b->things;
	size_t len = strlen(key);

	HASH_FIND(hh, all, key, len, t);
	if (t)
		return t->number;
	t = rn_arena_alloc(b->arena, sizeof(*t) + len + 1);
	memcpy(t->key, key, len + 1);
	t->name = s[n] ? rn_arena_strndup(b->arena, s, n) : s;
	t->node = node;
	t->kind = (uint8_t)kind_of(s, n);
	t->number = b->nthings;
	HASH_ADD_KEYPTR(hh, all, t->key, len, t);
	b->things = all;
	rn_vec_room_in(b->arena, b->list, b->nthings, b->cap);
	b->list[b->nthings++] = t;
	return t->number;
}

static void find_sides(struct builder *b)
{
	for (uint32_t i = 0; i < b->p->nboxes; i++) {
		const struct rn_picture_box *box = &b->p->boxes[i];
		bool copies = rn_call_dir(box->name, strlen(box->name)) == RN_DIR_THROUGH;
		const char *s = box->object, *copy = copies ? strstr(s, " => ") : NULL;
		uint32_t node = b->p->lanes[box->lane].node;

		b->sides[i] = (struct sides){RN_GRAPH_NONE, RN_GRAPH_NONE};
		if (copy) {
			b->sides[i].in = thing_of(b, s, (size_t)(copy - s), node);
			b->sides[i].out = thing_of(b, copy + 4, strlen(copy + 4), node);
		} else if (box->dir == RN_PICTURE_IN) {
			b->sides[i].in = thing_of(b, s, strlen(s), node);
		} else {
			b->sides[i].out = thing_of(b, s, strlen(s), node);
		}
	}
}

/* ---- objects that are the same ---- */

static uint32_t root(struct builder *b, uint32_t thing)
{
	while (b->same[thing] != thing)
		thing = b->same[thing] = b->same[b->same[thing]];
	return thing;
}

/* A link of an object: its two ends are hops on the same one, under whatever names. */
static bool is_of_object(const struct rn_picture_edge *e)
{
	static const char *const words[] = {"exact", "nat", "order"};

	if (!strcmp(e->link, "file")) /* whichever hop it was */
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words) && e->choices == 1; i++)
		if (!strcmp(e->link, words[i]))
			return true;
	return false;
}

static void join(struct builder *b)
{
	b->same = RN_NEWN(b->arena, uint32_t, b->nthings + 1);
	for (uint32_t i = 0; i < b->nthings; i++)
		b->same[i] = i;
	for (uint32_t i = 0; i < b->p->nedges; i++) {
		const struct rn_picture_edge *e = &b->p->edges[i];
		uint32_t out = b->sides[e->from].out, in = b->sides[e->to].in;

		if (out == RN_GRAPH_NONE || in == RN_GRAPH_NONE || !is_of_object(e))
			continue;
		out = root(b, out);
		in = root(b, in);
		b->same[out > in ? out : in] = out > in ? in : out;
	}
}

/* ---- vertices ---- */

static uint32_t add_vertex(struct builder *b, uint32_t slot, struct rn_graph_vertex vertex)
{
	struct rn_graph *g = b->out;

	vertex.first_ns = INT64_MAX;
	vertex.last_ns = INT64_MIN;
	g->vertices[g->nvertices++] = vertex;
	b->vertex[slot] = g->nvertices;
	return g->nvertices - 1;
}

static uint32_t vertex_of_lane(struct builder *b, uint32_t lane)
{
	const struct rn_picture_lane *l = &b->p->lanes[lane];

	if (b->vertex[lane])
		return b->vertex[lane] - 1;
	return add_vertex(b, lane,
			  (struct rn_graph_vertex){.name = l->proc,
						   .pid = l->pid,
						   .node = l->node,
						   .lane = lane,
						   .kind = RN_GRAPH_PROCESS});
}

static uint32_t vertex_of_thing(struct builder *b, uint32_t thing)
{
	const struct thing *t = b->list[root(b, thing)];
	uint32_t slot = b->p->nlanes + t->number;

	if (b->vertex[slot])
		return b->vertex[slot] - 1;
	return add_vertex(
		b, slot,
		(struct rn_graph_vertex){
			.name = t->name, .node = t->node, .lane = RN_GRAPH_NONE, .kind = t->kind});
}

static void live(struct rn_graph_vertex *v, const struct rn_picture_box *box)
{
	v->first_ns = box->begin_ns < v->first_ns ? box->begin_ns : v->first_ns;
	v->last_ns = box->end_ns > v->last_ns ? box->end_ns : v->last_ns;
	v->hops += box->count;
}

/* ---- edges ---- */

static struct use *use_of(struct builder *b, uint32_t from, uint32_t to, const char *word)
{
	__typeof__(((struct use *)0)->key) key;
	struct use *u, *all = b->uses;

	memset(&key, 0, sizeof(key));
	key.from = from;
	key.to = to;
	key.word = word;
	HASH_FIND(hh, all, &key, sizeof(key), u);
	if (u)
		return u;
	u = RN_NEW(b->arena, struct use);
	u->key = key;
	u->edge = (struct rn_graph_edge){.from = from,
					 .to = to,
					 .word = word,
					 .first_ns = INT64_MAX,
					 .last_ns = INT64_MIN,
					 .links = "",
					 .tags = "",
					 .lacks = ""};
	u->number = b->out->nedges++;
	HASH_ADD(hh, all, key, sizeof(u->key), u);
	b->uses = all;
	return u;
}

static bool has_tag(const char *list, const char *tag, size_t n)
{
	for (const char *s = list; *s; s += strcspn(s, ","), s += *s == ',')
		if (!strncmp(s, tag, n) && (!s[n] || s[n] == ','))
			return true;
	return false;
}

static void join_tags(struct builder *b, struct use *u, const char *tags)
{
	if (tags == u->last_tag)
		return;
	u->last_tag = tags;
	if (!*u->edge.tags) {
		u->edge.tags = tags;
		return;
	}
	for (const char *s = tags, *end; *s; s = end + (*end == ',')) {
		end = s + strcspn(s, ",");
		if (!has_tag(u->edge.tags, s, (size_t)(end - s)))
			u->edge.tags = rn_arena_printf(b->arena, "%s,%.*s", u->edge.tags,
						       (int)(end - s), s);
	}
}

static void join_evidence(struct builder *b, struct use *u, const struct rn_picture_edge *e)
{
	unsigned i = 0;

	u->edge.choices = e->choices > u->edge.choices ? e->choices : u->edge.choices;
	while (i < b->nwords && strcmp(b->words[i], e->link))
		i++;
	if (i == b->nwords && i < WORDS)
		b->words[b->nwords++] = e->link;
	if (i < WORDS && *e->link)
		u->links |= 1u << i;
}

/* The words of evidence, as a list. */
static const char *links_of(struct builder *b, const struct use *u)
{
	const char *all = "";

	for (unsigned i = 0; i < b->nwords; i++)
		if (u->links >> i & 1)
			all = *all ? rn_arena_printf(b->arena, "%s, %s", all, b->words[i])
				   : b->words[i];
	return all;
}

/* Adds a box to the edge between two vertices. */
static struct use *add(struct builder *b, uint32_t from, uint32_t to, const char *word,
		       const struct rn_picture_box *box)
{
	struct use *u = use_of(b, from, to, word);
	struct rn_graph_edge *e = &u->edge;

	e->hops += box->count;
	e->bytes = (int64_t)((uint64_t)e->bytes + (uint64_t)box->bytes); /* of others, any */
	e->first_ns = box->begin_ns < e->first_ns ? box->begin_ns : e->first_ns;
	e->last_ns = box->end_ns > e->last_ns ? box->end_ns : e->last_ns;
	if (box->clock_ns == RN_PICTURE_UNKNOWN || e->clock_ns == RN_PICTURE_UNKNOWN)
		e->clock_ns = RN_PICTURE_UNKNOWN;
	else
		e->clock_ns = box->clock_ns > e->clock_ns ? box->clock_ns : e->clock_ns;
	if (!*e->lacks)
		e->lacks = rn_picture_lacks(box);
	join_tags(b, u, box->tags);
	return u;
}

static const char *word_of(const struct rn_picture_box *box, uint8_t kind, bool copy)
{
	bool in = box->dir == RN_PICTURE_IN, socket = kind == RN_GRAPH_SOCKET;

	return copy                             ? "copy"
	       : box->dir == RN_PICTURE_NEITHER ? box->name
	       : in                             ? (socket ? "receive" : "read")
						: (socket ? "send" : "write");
}

/* An edge without hops of its own, between two processes or two objects. */
static void add_link(struct builder *b, const struct rn_picture_edge *e, uint32_t from, uint32_t to)
{
	const struct rn_picture_box *at = &b->p->boxes[e->to];
	struct use *u = use_of(b, from, to, e->link);

	u->edge.first_ns = at->begin_ns < u->edge.first_ns ? at->begin_ns : u->edge.first_ns;
	u->edge.last_ns = at->end_ns > u->edge.last_ns ? at->end_ns : u->edge.last_ns;
	u->edge.hops += e->count;
	u->edge.clock_ns = at->clock_ns;
	join_tags(b, u, e->tags);
	join_evidence(b, u, e);
}

/* Takes a box, and the edges [edge, end) of the picture that lead to it. */
static void add_box(struct builder *b, uint32_t i, uint32_t edge, uint32_t end)
{
	const struct rn_picture_box *box = &b->p->boxes[i];
	const struct sides *s = &b->sides[i];
	bool copy = s->in != RN_GRAPH_NONE && s->out != RN_GRAPH_NONE;
	struct use *u[2] = {NULL, NULL};
	uint32_t at[2];

	for (; edge < end; edge++) {
		const struct rn_picture_edge *e = &b->p->edges[edge];
		const struct sides *of = &b->sides[e->from];

		if (!strcmp(e->link, "inherit"))
			add_link(b, e, vertex_of_lane(b, b->p->boxes[e->from].lane),
				 vertex_of_lane(b, box->lane));
		else if (!strcmp(e->link, "fuse") && of->out != RN_GRAPH_NONE &&
			 s->in != RN_GRAPH_NONE)
			add_link(b, e, vertex_of_thing(b, of->out), vertex_of_thing(b, s->in));
	}
	at[0] = s->in != RN_GRAPH_NONE ? vertex_of_thing(b, s->in) : RN_GRAPH_NONE;
	at[1] = vertex_of_lane(b, box->lane);
	live(&b->out->vertices[at[1]], box);
	if (at[0] != RN_GRAPH_NONE) {
		live(&b->out->vertices[at[0]], box);
		u[0] = add(b, at[0], at[1], word_of(box, b->list[root(b, s->in)]->kind, copy), box);
	}
	if (s->out != RN_GRAPH_NONE) {
		at[0] = vertex_of_thing(b, s->out);
		live(&b->out->vertices[at[0]], box);
		u[1] = add(b, at[1], at[0], word_of(box, b->list[root(b, s->out)]->kind, copy),
			   box);
	}
	for (unsigned k = 0; k < 2; k++)
		b->out->uses[i][k] = u[k] ? u[k]->number : RN_GRAPH_NONE;
}

/* The evidence of a copy is of what it read, as its data came from there. */
static void add_evidence(struct builder *b, struct use *const *by_number)
{
	for (uint32_t i = 0; i < b->p->nedges; i++) {
		const struct rn_picture_edge *e = &b->p->edges[i];
		const uint32_t *uses = b->out->uses[e->to];
		uint32_t use = uses[0] != RN_GRAPH_NONE ? uses[0] : uses[1];

		if (use != RN_GRAPH_NONE && strcmp(e->link, "inherit"))
			join_evidence(b, by_number[use], e);
	}
}

static int by_ends(const void *a, const void *b)
{
	const struct use *x = *(struct use *const *)a, *y = *(struct use *const *)b;

	if (x->key.to != y->key.to)
		return x->key.to < y->key.to ? -1 : 1;
	if (x->key.from != y->key.from)
		return x->key.from < y->key.from ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Sorts the edges, and gives the boxes their numbers. */
static void finish(struct builder *b)
{
	struct rn_graph *g = b->out;
	struct use **all = RN_NEWN(b->arena, struct use *, g->nedges + 1);
	uint32_t *place = RN_NEWN(b->arena, uint32_t, g->nedges + 1);

	for (struct use *u = b->uses; u; u = u->hh.next)
		all[u->number] = u;
	add_evidence(b, all);
	qsort(all, g->nedges, sizeof(struct use *), by_ends);
	g->edges = RN_NEWN(b->arena, struct rn_graph_edge, g->nedges + 1);
	for (uint32_t i = 0; i < g->nedges; i++) {
		place[all[i]->number] = i;
		all[i]->edge.links = links_of(b, all[i]);
		g->edges[i] = all[i]->edge;
	}
	for (uint32_t i = 0; i < b->p->nboxes; i++)
		for (unsigned k = 0; k < 2; k++)
			if (g->uses[i][k] != RN_GRAPH_NONE)
				g->uses[i][k] = place[g->uses[i][k]];
	for (uint32_t i = 0; i < g->nedges; i++) { /* an object of several nodes belongs to none */
		const struct rn_graph_edge *e = &g->edges[i];
		struct rn_graph_vertex *v = &g->vertices[e->from], *w = &g->vertices[e->to];

		if (v->kind == RN_GRAPH_PROCESS && w->kind != RN_GRAPH_PROCESS &&
		    v->node != w->node)
			w->node = RN_GRAPH_NONE;
		if (w->kind == RN_GRAPH_PROCESS && v->kind != RN_GRAPH_PROCESS &&
		    v->node != w->node)
			v->node = RN_GRAPH_NONE;
	}
}

void rn_picture_graph(const struct rn_picture *picture, struct rn_arena *arena,
		      struct rn_graph *out)
{
	struct builder b = {.p = picture, .arena = arena, .out = out};
	uint32_t edge = 0;

	*out = (struct rn_graph){0};
	b.sides = RN_NEWN(arena, struct sides, picture->nboxes + 1);
	find_sides(&b);
	join(&b);
	out->vertices = RN_NEWN(arena, struct rn_graph_vertex, picture->nlanes + b.nthings + 1);
	out->uses = rn_arena_alloc(arena, (picture->nboxes + (size_t)1) * sizeof(*out->uses));
	b.vertex = RN_NEWN(arena, uint32_t, picture->nlanes + b.nthings + 1);
	for (uint32_t i = 0; i < picture->nboxes; i++) {
		uint32_t end = edge;

		while (end < picture->nedges && picture->edges[end].to == i)
			end++;
		add_box(&b, i, edge, end);
		edge = end;
	}
	finish(&b);
	HASH_CLEAR(hh, b.things);
	HASH_CLEAR(hh, b.uses);
	rn_picture_layout(out);
}
