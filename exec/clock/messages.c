/* messages.c - messages between nodes: what they tell about both clocks, and which are kept for
 * later.
 *
 * A message implies that the least time of its receive is no less than that of its send, and that
 * the greatest time of its send is no greater than that of its receive. If that is new, it becomes
 * a point of a hull. For each receiver the most telling messages are kept. If there are too many,
 * one of each two neighbours is dropped: the one that both clocks already put in order by more (its
 * margin is larger). */
#include "exec/clock/clock_impl.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

#include <stdlib.h>

enum { ROUNDS = 16 };

/* Takes a message into account. Returns whether something followed from it. margin: how far apart
 * the times are anyway. */
static bool derive(struct rn_clocks *c, const struct rn_clock_sample *m, int64_t *margin)
{
	int64_t lo_a, hi_a, lo_b, hi_b;
	bool news = false;

	rn_clock_limits(c, m->from, m->sent_ns, &lo_a, &hi_a);
	rn_clock_limits(c, m->to, m->received_ns, &lo_b, &hi_b);
	if (lo_a != INT64_MIN && lo_a > lo_b)
		news |= rn_clock_derive(c, m->to, m->received_ns, lo_a, false) > 0;
	if (hi_b != INT64_MAX && hi_b < hi_a)
		news |= rn_clock_derive(c, m->from, m->sent_ns, hi_b, true) > 0;
	if (margin) {
		*margin = INT64_MIN;
		if (lo_a != INT64_MIN && hi_a != INT64_MAX && lo_b != INT64_MIN &&
		    hi_b != INT64_MAX)
			*margin = lo_b - lo_a < hi_b - hi_a ? lo_b - lo_a : hi_b - hi_a;
	}
	return news;
}

static bool violates(struct rn_clocks *c, const struct rn_clock_sample *m)
{
	int64_t sent_bound, received_bound,
		sent = rn_clocks_align(c, m->from, m->sent_ns, &sent_bound),
		received = rn_clocks_align(c, m->to, m->received_ns, &received_bound);

	return sent_bound >= 0 && received_bound >= 0 && sent > received;
}

/* True if the message seems to be received before it was sent, and nothing more can be learnt: even
 * the bounds say so. */
static bool impossible(struct rn_clocks *c, const struct rn_clock_sample *m)
{
	int64_t lo, hi, other;

	rn_clock_limits(c, m->from, m->sent_ns, &lo, &other);
	rn_clock_limits(c, m->to, m->received_ns, &other, &hi);
	return lo != INT64_MIN && hi != INT64_MAX && lo > hi;
}

static int by_time(const void *a, const void *b)
{
	const struct rn_clock_sample *x = a, *y = b;

	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static void thin(struct rn_clocks *c, struct rn_clock *k)
{
	unsigned n = 0;

	qsort(k->kept, k->nkept, sizeof(*k->kept), by_time);
	for (unsigned i = 0; i + 1 < k->nkept; i += 2) {
		unsigned stays = k->kept[i + 1].margin_ns < k->kept[i].margin_ns;

		k->lost_violations += impossible(c, &k->kept[i + !stays]);
		k->kept[n++] = k->kept[i + stays];
	}
	k->nkept = n;
}

static void keep(struct rn_clocks *c, struct rn_clock *k, struct rn_clock_sample m)
{
	derive(c, &m, &m.margin_ns);
	if (k->nkept == RN_KEPT_MESSAGES)
		thin(c, k);
	rn_vec_room(k->kept, k->nkept, k->kept_cap);
	k->kept[k->nkept++] = m;
}

void rn_clocks_message(struct rn_clocks *clocks, unsigned a, int64_t sent_ns, unsigned b,
		       int64_t received_ns)
{
	clocks->node[b].messages++;
	if (a == b) /* one clock: nothing follows */
		return;
	clocks->node[a].messages++;
	keep(clocks, &clocks->node[b],
	     (struct rn_clock_sample){.sent_ns = sent_ns,
				      .received_ns = received_ns,
				      .at_ns = received_ns,
				      .from = a,
				      .to = b});
}

void rn_clocks_trip_through(struct rn_clocks *clocks, unsigned from, int64_t sent_ns, unsigned node,
			    int64_t node_ns, int64_t received_ns)
{
	struct rn_clock *k = &clocks->node[node];

	if (received_ns < sent_ns || from == node || k->same)
		return;
	k->trips++;
	keep(clocks, k,
	     (struct rn_clock_sample){.sent_ns = sent_ns,
				      .received_ns = node_ns,
				      .at_ns = node_ns,
				      .from = from,
				      .to = node});
	keep(clocks, k,
	     (struct rn_clock_sample){.sent_ns = node_ns,
				      .received_ns = received_ns,
				      .at_ns = node_ns,
				      .from = node,
				      .to = from});
}

static void agree(struct rn_clocks *c)
{
	bool news = true;

	/* Least times grow with time, greatest times against it, so rounds go both ways in turn. */
	for (unsigned round = 0; round < ROUNDS && news; round++) {
		news = false;
		for (unsigned i = 0; i < c->n; i++) {
			struct rn_clock *k = &c->node[i];

			if (!round && k->nkept)
				qsort(k->kept, k->nkept, sizeof(*k->kept), by_time);
			for (unsigned j = 0; j < k->nkept; j++)
				news |= derive(c, &k->kept[round % 2 ? k->nkept - 1 - j : j], NULL);
		}
	}
}

void rn_clocks_reconcile(struct rn_clocks *clocks)
{
	agree(clocks);
	for (unsigned i = 0; i < clocks->n; i++) {
		struct rn_clock *k = &clocks->node[i];

		k->violations = k->lost_violations;
		for (unsigned j = 0; j < k->nkept; j++)
			k->violations += violates(clocks, &k->kept[j]);
	}
}

size_t rn_clocks_settle(struct rn_clocks *clocks, const struct rn_clock_message *message, size_t n)
{
	size_t wrong = n;
	bool news = true;

	rn_clocks_reconcile(clocks);
	for (unsigned round = 0; round < ROUNDS && wrong && news; round++) {
		wrong = 0;
		news = false;
		for (size_t i = 0; i < n; i++) {
			struct rn_clock_sample k = {.from = message[i].a,
						    .to = message[i].b,
						    .sent_ns = message[i].sent_ns,
						    .received_ns = message[i].received_ns};

			if (!violates(clocks, &k))
				continue;
			wrong++;
			news |= derive(clocks, &k, NULL);
		}
		if (wrong && news)
			rn_clocks_reconcile(clocks);
	}
	return wrong;
}
