/* graph.c - what hangs together by causes, and how far each hop is from where its data began.
 *
 * The hops of one flow are a set. Each set is a tree whose root stands for it; a search halves the
 * way to the root (union-find: Tarjan and van Leeuwen, Worst-case analysis of set union algorithms,
 * 1984).
 *
 * A hop lies on a path that begins and ends as wanted if it is reached from the beginning of such a
 * path, and its end is reached from it: one pass along the order, one back. */
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
	a->holds |= b->holds & 1u << RN_FLOW_IF_THROUGH;
}

/* A false pairing can name a cause that comes later: it counts for no depth. */
static void deepen(struct rn_flow_hop *hop)
{
	hop->depth = 0;
	for (const struct rn_cause *c = hop->causes; c; c = c->next)
		if (c->from && c->from->number < hop->number && c->from->depth >= hop->depth)
			hop->depth = c->from->depth + 1;
}

static bool asks(const struct rn_flow *flow, enum rn_flow_condition c)
{
	return flow->condition[c] >= 0;
}

static bool holds(const struct rn_flow_hop *hop, enum rn_flow_condition c)
{
	return hop->holds >> c & 1;
}

/* Passes the marks on: `starting` to what came from a hop, `ending` to what a hop came from. A
 * cause that comes later is a false pairing, and passes nothing on. */
static void follow_paths(const struct rn_flow *flow, struct rn_flow_hop **order)
{
	for (uint32_t i = 0; i < flow->n && asks(flow, RN_FLOW_IF_STARTING); i++)
		for (const struct rn_cause *c = order[i]->causes; c; c = c->next)
			if (c->from && c->from->number < order[i]->number)
				order[i]->holds |= c->from->holds & 1u << RN_FLOW_IF_STARTING;
	for (uint32_t i = flow->n; i-- && asks(flow, RN_FLOW_IF_ENDING);)
		for (const struct rn_cause *c = order[i]->causes; c; c = c->next)
			if (c->from && c->from->number < order[i]->number)
				c->from->holds |= order[i]->holds & 1u << RN_FLOW_IF_ENDING;
}

static bool is_wanted(const struct rn_flow *flow, struct rn_flow_hop *hop)
{
	bool wanted = true;

	if (asks(flow, RN_FLOW_IF_THROUGH))
		wanted = holds(root_of(hop), RN_FLOW_IF_THROUGH);
	for (unsigned c = RN_FLOW_IF_STARTING; c <= RN_FLOW_IF_ENDING; c++)
		wanted &= !asks(flow, c) || holds(hop, c);
	return wanted;
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
	follow_paths(flow, order);
	for (uint32_t i = 0; i < flow->n; i++)
		order[i]->number = is_wanted(flow, order[i]) ? ++n : 0;
}
