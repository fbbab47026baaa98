/* graph.c - what hangs together by causes, and how far each hop is from where its data began.
 *
 * The hops of one flow are a set. Each set is a tree whose root stands for it; a search halves the
 * way to the root (union-find: Tarjan and van Leeuwen, Worst-case analysis of set union algorithms,
 * 1984). */
#include "exec/flow/flow_impl.h"

static struct rn_flow_hop *root_of(struct rn_flow_hop *h)
{
	while (h->part) {
		if (h->part->part)
			h->part = h->part->part;
		h = h->part;
	}
	return h;
}

/* The root is the hop that comes first. */
static void join(struct rn_flow_hop *a, struct rn_flow_hop *b)
{
	a = root_of(a);
	b = root_of(b);
	if (a == b)
		return;
	if (b->number < a->number) {
		struct rn_flow_hop *t = a;

		a = b;
		b = t;
	}
	b->part = a;
	a->holds |= b->holds;
}

/* A false pairing can name a cause that comes later: it counts for no depth. */
static void deepen(struct rn_flow_hop *hop)
{
	hop->depth = 0;
	for (const struct rn_cause *c = hop->causes; c; c = c->next)
		if (c->from && c->from->number < hop->number && c->from->depth >= hop->depth)
			hop->depth = c->from->depth + 1;
}

void rn_flow_graph(struct rn_flow *flow, struct rn_flow_hop **order)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < flow->n; i++) {
		deepen(order[i]);
		for (struct rn_cause *c = order[i]->causes; c; c = c->next)
			if (c->from)
				join(order[i], c->from);
	}
	for (uint32_t i = 0; i < flow->n && flow->through >= 0; i++)
		order[i]->number = root_of(order[i])->holds ? ++n : 0;
}
