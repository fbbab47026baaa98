/* order.c - one order of the hops of all nodes: causes first, then time.
 *
 * Hops of one node keep the order of that node's clock: it is one clock, and exact. Between nodes
 * the aligned times decide, with one exception. A receive that was paired with another node's send
 * waits for it, and so do all later hops of its node. So no hop comes before its cause, however
 * wrong a clock is. Causes in a circle come from a false pairing: then the earliest waiting hop
 * goes on. */
#include <stdlib.h>
#include "exec/flow/flow_impl.h"
#include "lang/base/memory.h"

struct lane {
	struct rn_flow_hop **at, **end;
	uint32_t next_waiting /* 1 + */;
	bool waits;
}; /* of a node */
struct merge {
	struct lane *lane;
	uint32_t *heap, nheap, nlanes;
};

static int by_time(const struct rn_flow_hop *x, const struct rn_flow_hop *y, int64_t tx, int64_t ty)
{
	if (tx != ty)
		return tx < ty ? -1 : 1;
	if (x->out != y->out)
		return x->out ? -1 : 1; /* a send precedes its receive */
	return (x->arrival > y->arrival) - (x->arrival < y->arrival);
}

static int by_node(const void *a, const void *b)
{
	const struct rn_flow_hop *x = *(struct rn_flow_hop *const *)a,
				 *y = *(struct rn_flow_hop *const *)b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return by_time(x, y, x->order_ns, y->order_ns);
}

static bool before(const struct merge *m, uint32_t a, uint32_t b)
{
	const struct rn_flow_hop *x = *m->lane[a].at, *y = *m->lane[b].at;

	return by_time(x, y, x->aligned_ns, y->aligned_ns) < 0;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static void push(struct merge *m, uint32_t lane)
{
	uint32_t i = m->nheap++;

	for (m->heap[i] = lane; i && before(m, m->heap[i], m->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&m->heap[i], &m->heap[(i - 1) / 2]);
}

static uint32_t pop(struct merge *m)
{
	uint32_t top = m->heap[0];

	m->heap[0] = m->heap[--m->nheap];
	for (uint32_t i = 0, c; (c = 2 * i + 1) < m->nheap; i = c) {
		if (c + 1 < m->nheap && before(m, m->heap[c + 1], m->heap[c]))
			c++;
		if (!before(m, m->heap[c], m->heap[i]))
			break;
		swap(&m->heap[i], &m->heap[c]);
	}
	return top;
}

/* Lets the lane's next hop go, or makes the lane wait for a hop that must go before. */
static void enter(struct merge *m, uint32_t lane)
{
	struct lane *l = &m->lane[lane];
	struct rn_flow_hop *cause;

	if (l->at == l->end)
		return;
	cause = (*l->at)->cause;
	l->waits = cause && !cause->number;
	if (l->waits) {
		l->next_waiting = cause->waiting;
		cause->waiting = lane + 1;
	} else {
		push(m, lane);
	}
}

/* All lanes wait: lets the earliest one go. The hop that it waited for may wake it again later, and
 * then finds it gone. */
static void force(struct merge *m)
{
	uint32_t best = m->nlanes;

	for (uint32_t i = 0; i < m->nlanes; i++)
		if (m->lane[i].waits && (best == m->nlanes || before(m, i, best)))
			best = i;
	if (best == m->nlanes)
		return;
	for (uint32_t *at = &(*m->lane[best].at)->cause->waiting; *at;
	     at = &m->lane[*at - 1].next_waiting)
		if (*at == best + 1) {
			*at = m->lane[best].next_waiting;
			break;
		}
	m->lane[best].waits = false;
	push(m, best);
}

static uint32_t merge(struct merge *m, struct rn_flow_hop **order, uint32_t n)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < m->nlanes; i++)
		enter(m, i);
	while (done < n) {
		uint32_t lane, next;
		struct rn_flow_hop *hop;

		if (!m->nheap)
			force(m);
		lane = pop(m);
		hop = *m->lane[lane].at++;
		order[done++] = hop;
		hop->number = done;
		for (uint32_t w = hop->waiting; w; w = next) {
			next = m->lane[w - 1].next_waiting;
			m->lane[w - 1].waits = false;
			push(m, w - 1);
		}
		enter(m, lane);
	}
	return done;
}

void rn_flow_order(struct rn_flow *flow, struct rn_flow_hop **order)
{
	struct rn_flow_hop **all = rn_malloc((flow->n + 1) * sizeof(struct rn_flow_hop *));
	struct merge m = {.lane = rn_calloc(flow->nnodes + 1, sizeof(*m.lane)),
			  .heap = rn_malloc((flow->nnodes + 1) * sizeof(*m.heap)),
			  .nlanes = flow->nnodes};
	uint32_t n = 0;

	for (struct rn_flow_hop *hop = flow->first; hop; hop = hop->next) {
		hop->number = hop->waiting = 0;
		all[n++] = hop;
	}
	if (n)
		qsort(all, n, sizeof(struct rn_flow_hop *), by_node);
	for (uint32_t i = 0; i < n; i++) {
		struct lane *l = &m.lane[all[i]->node];

		if (!l->at)
			l->at = &all[i];
		l->end = &all[i + 1];
	}
	merge(&m, order, n);
	free(all);
	free(m.lane);
	free(m.heap);
}
