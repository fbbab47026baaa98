/* fold.c - makes the picture of the rows: lanes, boxes of folded hops, and edges between them. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/map.h"
#include "lang/base/vec.h"
#include "repl/picture/picture_impl.h"
#include "repl/render/ledger.h"

/* ---- rows in order ---- */

static int by_number(const void *a, const void *b)
{
	const struct rn_picture_hop *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int by_hop(const void *a, const void *b)
{
	const struct rn_picture_cause *x = a, *y = b;

	if (x->hop != y->hop)
		return x->hop < y->hop ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Rows come in order, unless the query sorted them. */
static void sort(struct rn_pictured *p)
{
	bool sorted = true;
	uint32_t n = 0;

	for (uint32_t i = 1; i < p->nhops; i++)
		sorted &= p->hops[i - 1].number < p->hops[i].number;
	if (!sorted)
		qsort(p->hops, p->nhops, sizeof(*p->hops), by_number);
	for (uint32_t i = 0; i < p->nhops; i++)
		if (!n || p->hops[n - 1].number != p->hops[i].number)
			p->hops[n++] = p->hops[i];
	p->nhops = n;
	sorted = true;
	for (uint32_t i = 1; i < p->ncauses; i++)
		sorted &= by_hop(&p->causes[i - 1], &p->causes[i]) <= 0;
	if (!sorted)
		qsort(p->causes, p->ncauses, sizeof(*p->causes), by_hop);
}

/* The hop of that number; NULL: it is not among the rows. */
static struct rn_picture_hop *find_hop(const struct rn_pictured *p, int64_t number)
{
	const struct rn_picture_hop key = {.number = number};

	if (number >= 1 && number <= p->nhops && p->hops[number - 1].number == number)
		return &p->hops[number - 1];
	return bsearch(&key, p->hops, p->nhops, sizeof(key), by_number);
}

/* ---- nodes and lanes ---- */

struct lane {
	UT_hash_handle hh;
	struct {
		const char *node, *proc;
		int64_t pid;
	} key;
	uint32_t number; /* in the order of the first hop; later among those of its node */
	uint32_t node;
};

static uint32_t node_of(struct rn_picture_node **nodes, uint32_t *n, uint32_t *cap,
			const char *name)
{
	for (uint32_t i = 0; i < *n; i++)
		if (!strcmp((*nodes)[i].name, name))
			return i;
	rn_vec_room(*nodes, *n, *cap);
	(*nodes)[*n] = (struct rn_picture_node){.name = name};
	return (*n)++;
}

/* Nodes that the answer lacks, in part or whole, also those without a hop. */
static void add_lacking(struct rn_pictured *p, const struct rn_ledgers *ledgers,
			struct rn_picture_node **nodes, uint32_t *n, uint32_t *cap)
{
	/* the ledger of a recording is of all its nodes */
	unsigned live = ledgers && !ledgers->trace_note ? ledgers->n : 0,
		 all = ledgers ? live + ledgers->nunanswered : 0;

	for (unsigned i = 0; i < all; i++) {
		const struct rn_ledger *l = i < live ? &ledgers->nodes[i] : NULL;
		const struct rn_unanswered *u = l ? NULL : &ledgers->unanswered[i - live];
		const char *name = l ? l->node : u->node, *why = l ? l->why : u->why;
		uint32_t number;

		if (l && l->answered)
			continue;
		name = name ? name : "";
		why = why ? why : "no answer";
		/* this may move the nodes */
		number = node_of(nodes, n, cap, rn_picture_text(p, name, strlen(name)));
		(*nodes)[number].lacks = rn_picture_text(p, why, strlen(why));
	}
}

static int by_node(const void *a, const void *b)
{
	const struct lane *x = *(struct lane *const *)a, *y = *(struct lane *const *)b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Gives each hop the number of its lane; numbers stand by node. */
static void make_lanes(struct rn_pictured *p, const struct rn_ledgers *ledgers)
{
	struct lane *lanes = NULL, *l, **order;
	struct rn_picture_node *nodes = NULL;
	uint32_t n = 0, nnodes = 0, cap = 0, *place;
	struct rn_picture_lane *out;

	for (uint32_t i = 0; i < p->nhops; i++) {
		struct rn_picture_hop *h = &p->hops[i];
		__typeof__(l->key) key;

		memset(&key, 0, sizeof(key));
		key.node = h->node;
		key.proc = h->proc;
		key.pid = h->pid;
		HASH_FIND(hh, lanes, &key, sizeof(key), l);
		if (!l) {
			l = RN_NEW(p->arena, struct lane);
			l->key = key;
			l->number = n++;
			l->node = node_of(&nodes, &nnodes, &cap, h->node);
			HASH_ADD(hh, lanes, key, sizeof(l->key), l);
		}
		h->lane = l->number;
	}
	add_lacking(p, ledgers, &nodes, &nnodes, &cap);
	order = RN_NEWN(p->arena, struct lane *, n + 1);
	place = RN_NEWN(p->arena, uint32_t, n + 1);
	out = RN_NEWN(p->arena, struct rn_picture_lane, n + 1);
	for (l = lanes; l; l = l->hh.next)
		order[l->number] = l;
	qsort(order, n, sizeof(*order), by_node);
	for (uint32_t i = 0; i < n; i++) {
		place[order[i]->number] = i;
		out[i] = (struct rn_picture_lane){.node = order[i]->node,
						  .proc = order[i]->key.proc,
						  .pid = order[i]->key.pid};
		if (!nodes[order[i]->node].nlanes++)
			nodes[order[i]->node].lane = i;
	}
	for (uint32_t i = 0; i < p->nhops; i++)
		p->hops[i].lane = place[p->hops[i].lane];
	HASH_CLEAR(hh, lanes);
	p->picture.lanes = out;
	p->picture.nlanes = n;
	p->picture.nodes = memcpy(RN_NEWN(p->arena, struct rn_picture_node, nnodes + 1), nodes,
				  nnodes * sizeof(*nodes));
	p->picture.nnodes = nnodes;
	free(nodes);
}

/* The greatest bound of its hops' times. */
static void find_clocks(struct rn_pictured *p)
{
	struct rn_picture_node *nodes = (struct rn_picture_node *)p->picture.nodes;

	for (uint32_t i = 0; i < p->nhops; i++) {
		struct rn_picture_node *n = &nodes[p->picture.lanes[p->hops[i].lane].node];
		int64_t bound = p->hops[i].clock_ns;

		if (n->clock_ns != RN_PICTURE_UNKNOWN &&
		    (bound == RN_PICTURE_UNKNOWN || bound > n->clock_ns))
			n->clock_ns = bound;
	}
}

/* ---- boxes ---- */

/* May a hop, with these causes, go into that box? Each cause must stand before it, so that no edge
 * of the picture goes back. */
static bool folds(const struct rn_pictured *p, const struct rn_picture_box *box, uint32_t number,
		  const struct rn_picture_hop *h, uint32_t cause, uint32_t end)
{
	if (box->object != h->object || box->dir != h->dir || box->side != h->side ||
	    box->tags != h->tags || box->timed != h->timed)
		return false;
	for (uint32_t i = cause; i < end; i++) {
		const struct rn_picture_hop *from = find_hop(p, p->causes[i].from);

		if (from && from->box >= number)
			return false;
	}
	return true;
}

static void fold(struct rn_picture_box *b, const struct rn_picture_hop *h)
{
	b->count++;
	b->last = h->number;
	b->bytes = (int64_t)((uint64_t)b->bytes + (uint64_t)h->bytes); /* of others, any */
	b->begin_ns = h->begin_ns < b->begin_ns ? h->begin_ns : b->begin_ns;
	b->end_ns = h->end_ns > b->end_ns ? h->end_ns : b->end_ns;
	b->depth = h->depth > b->depth ? h->depth : b->depth;
	if (b->clock_ns != RN_PICTURE_UNKNOWN &&
	    (h->clock_ns == RN_PICTURE_UNKNOWN || h->clock_ns > b->clock_ns))
		b->clock_ns = h->clock_ns;
}

/* Notes which of the causes of [*cause, end) are not among the rows. */
static bool is_cut(const struct rn_pictured *p, uint32_t cause, uint32_t end)
{
	bool cut = false;

	for (; cause < end; cause++)
		cut |= !find_hop(p, p->causes[cause].from);
	return cut;
}

static void make_boxes(struct rn_pictured *p)
{
	uint32_t *open = RN_NEWN(p->arena, uint32_t, p->picture.nlanes + 1), n = 0, cause = 0;
	struct rn_picture_lane *lanes = (struct rn_picture_lane *)p->picture.lanes;
	/* a box for each hop, of which folding leaves the last ones untouched: copies cost more */
	struct rn_picture_box *boxes = rn_malloc(rn_vec_bytes(boxes, p->nhops + (size_t)1));

	rn_memory_large(boxes, rn_vec_bytes(boxes, p->nhops));
	for (uint32_t i = 0; i < p->nhops; i++) {
		struct rn_picture_hop *h = &p->hops[i];
		uint32_t end = cause, at = open[h->lane]; /* 1 + the box */

		while (end < p->ncauses && p->causes[end].hop <= h->number)
			end++;
		if (at && folds(p, &boxes[at - 1], at - 1, h, cause, end)) {
			fold(&boxes[at - 1], h);
		} else {
			boxes[n++] = (struct rn_picture_box){.lane = h->lane,
							     .count = 1,
							     .hop = h->number,
							     .last = h->number,
							     .at_ns = h->at_ns,
							     .begin_ns = h->begin_ns,
							     .end_ns = h->end_ns,
							     .clock_ns = h->clock_ns,
							     .bytes = h->bytes,
							     .name = h->name,
							     .object = h->object,
							     .tags = h->tags,
							     .depth = h->depth,
							     .timed = h->timed,
							     .dir = h->dir,
							     .side = h->side};
			at = open[h->lane] = n;
			lanes[h->lane].nboxes++;
		}
		h->box = at - 1;
		boxes[at - 1].cut |= h->cut || is_cut(p, cause, end);
		cause = end;
	}
	p->boxes = rn_realloc(boxes, rn_vec_bytes(boxes, n + (size_t)1));
	p->picture.boxes = p->boxes;
	p->picture.nboxes = n;
}

/* ---- edges ---- */

static int by_ends(const void *a, const void *b)
{
	const struct rn_picture_edge *x = a, *y = b;
	int cmp;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	cmp = strcmp(x->link, y->link);
	return cmp ? cmp : strcmp(x->tags, y->tags);
}

/* Edges that are alike become one, with the most choices and the first lag. */
static uint32_t merge(struct rn_picture_edge *edges, uint32_t n)
{
	uint32_t kept = 0;

	bool sorted = true;

	for (uint32_t i = 1; i < n && sorted; i++)
		sorted = by_ends(&edges[i - 1], &edges[i]) <= 0;
	if (!sorted)
		qsort(edges, n, sizeof(*edges), by_ends);
	for (uint32_t i = 0; i < n; i++) {
		struct rn_picture_edge *e = kept ? &edges[kept - 1] : NULL;

		if (e && !by_ends(e, &edges[i])) {
			e->count++;
			e->choices = edges[i].choices > e->choices ? edges[i].choices : e->choices;
		} else {
			edges[kept++] = edges[i];
		}
	}
	return kept;
}

static void make_edges(struct rn_pictured *p)
{
	struct rn_picture_edge *edges = RN_NEWN(p->arena, struct rn_picture_edge, p->ncauses + 1);
	struct rn_picture_box *boxes = p->picture.boxes;
	uint32_t n = 0;

	rn_memory_large(edges, rn_vec_bytes(edges, p->ncauses));
	for (uint32_t i = 0; i < p->ncauses; i++) {
		const struct rn_picture_cause *c = &p->causes[i];
		const struct rn_picture_hop *from = find_hop(p, c->from), *to = find_hop(p, c->hop);

		if (from && to && from->box != to->box)
			edges[n++] = (struct rn_picture_edge){.from = from->box,
							      .to = to->box,
							      .count = 1,
							      .choices = c->choices,
							      .lag_ns = c->timed ? c->lag_ns : 0,
							      .timed = c->timed,
							      .link = c->link,
							      .tags = c->tags,
							      .inside = from->lane == to->lane};
	}
	n = merge(edges, n);
	for (uint32_t i = 0; i < n; i++) {
		boxes[edges[i].from].nout++;
		boxes[edges[i].to].nin++;
	}
	p->picture.edges = edges;
	p->picture.nedges = n;
}

/* ---- what the answer covers ---- */

static void take_ledger(struct rn_pictured *p, const struct rn_ledgers *ledgers)
{
	struct rn_picture *out = &p->picture;
	const char **lines = NULL;
	uint32_t n = 0, cap = 0;
	char *text = NULL;
	size_t bytes;
	FILE *to;

	out->complete = ledgers && rn_ledger_complete(ledgers);
	if (!ledgers)
		return;
	to = open_memstream(&text, &bytes);
	if (!to)
		abort();
	rn_ledger_write(to, ledgers, false);
	(void)fclose(to);
	for (char *s = text, *end; *s; s = end + (*end != 0)) {
		end = s + strcspn(s, "\n");
		if (end == s)
			continue;
		rn_vec_room_in(p->arena, lines, n, cap);
		lines[n++] = rn_picture_text(p, s, (size_t)(end - s));
	}
	free(text);
	out->ledger = lines;
	out->nledger = n;
}

const struct rn_picture *rn_picture_end(struct rn_pictured *pictured,
					const struct rn_ledgers *ledgers)
{
	struct rn_picture *out = &pictured->picture;

	sort(pictured);
	make_lanes(pictured, ledgers);
	find_clocks(pictured);
	make_boxes(pictured);
	make_edges(pictured);
	take_ledger(pictured, ledgers);
	out->hops = pictured->nhops;
	out->first_ns = pictured->nhops ? INT64_MAX : 0;
	for (uint32_t i = 0; i < pictured->nhops; i++) {
		const struct rn_picture_hop *h = &pictured->hops[i];

		out->first_ns = h->at_ns < out->first_ns ? h->at_ns : out->first_ns;
		out->last_ns = h->end_ns > out->last_ns ? h->end_ns : out->last_ns;
	}
	rn_picture_find_gaps(out, pictured->arena);
	return out;
}
