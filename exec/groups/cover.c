/* cover.c - see cover.h. */
#include <stdlib.h>
#include <string.h>
#include "exec/groups/cover.h"

enum { SCRATCH = 256 << 20 };

int64_t rn_cover_of(const struct rn_cover *cover, int64_t from_ns, int64_t until_ns,
		    struct rn_span_ns *hull)
{
	struct rn_span_ns all = {from_ns, from_ns};
	int64_t sum = 0;

	for (unsigned i = 0; i < cover->n; i++) {
		int64_t begin = cover->span[i].begin > from_ns ? cover->span[i].begin : from_ns;
		int64_t end = cover->span[i].end < until_ns ? cover->span[i].end : until_ns;

		if (begin >= end)
			continue;
		if (!sum)
			all.begin = begin;
		all.end = end;
		sum += end - begin;
	}
	if (hull)
		*hull = all;
	return sum;
}

static int by_begin(const void *a, const void *b)
{
	const struct rn_span_ns *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

unsigned rn_cover_tidy(struct rn_span_ns *span, unsigned n)
{
	unsigned kept = 0;

	qsort(span, n, sizeof(*span), by_begin);
	for (unsigned i = 0; i < n; i++) {
		if (span[i].begin <= 0 || span[i].end <= span[i].begin)
			continue;
		if (kept && span[i].begin <= span[kept - 1].end)
			span[kept - 1].end =
				span[i].end > span[kept - 1].end ? span[i].end : span[kept - 1].end;
		else
			span[kept++] = span[i];
	}
	return kept;
}

void rn_covered_init(struct rn_covered *covered, const struct rn_fragment *fragment,
		     const struct rn_cover *cover)
{
	bool rates = false;

	for (unsigned i = 0; fragment->grouped && i < fragment->naggs; i++)
		rates |= rn_agg_has_rate(fragment->aggs[i].def);
	*covered = (struct rn_covered){.fragment = fragment,
				       .cover = cover,
				       .scratch = rates ? rn_arena_create(SCRATCH) : NULL};
}

void rn_covered_release(struct rn_covered *covered)
{
	if (covered->scratch)
		rn_arena_destroy(covered->scratch);
	covered->scratch = NULL;
}

/* If nothing is covered, events came while probes were attached or detached: they count as of a
 * whole window. */
static int64_t covered_ns(const struct rn_covered *c, int64_t window_ns, int64_t now_ns)
{
	int64_t every = c->fragment->every_ns, ns;

	if (every)
		ns = rn_cover_of(c->cover, window_ns,
				 window_ns > INT64_MAX - every ? INT64_MAX : window_ns + every,
				 NULL);
	else
		ns = rn_cover_of(c->cover, INT64_MIN, now_ns, NULL);
	return ns > 0 ? ns : every ? every : RN_RATE_NS;
}

/* A copy of the group, with its rates divided. */
static struct rn_partial divided(struct rn_covered *c, const struct rn_partial *from,
				 int64_t whole_ns, int64_t covered)
{
	const struct rn_fragment *f = c->fragment;
	struct rn_partial to = *from;

	to.state = RN_NEWN(c->scratch, struct rn_state, f->naggs);
	memcpy(to.state, from->state, f->naggs * sizeof(*to.state));
	for (unsigned i = 0; i < f->naggs; i++) {
		if (!rn_agg_has_rate(f->aggs[i].def) || !to.state[i].words)
			continue;
		to.state[i].words = RN_NEWN(c->scratch, int64_t, 4); /* it has no other slot */
		memcpy(to.state[i].words, from->state[i].words, 4 * sizeof(int64_t));
		rn_agg_cover(to.state[i].words, whole_ns, covered);
	}
	return to;
}

int rn_covered_partials(struct rn_covered *cover, const struct rn_partials *partials,
			int64_t now_ns, const struct rn_sink *to)
{
	int64_t whole = cover->fragment->every_ns ? cover->fragment->every_ns : RN_RATE_NS, covered;
	struct rn_partials own = *partials;

	if (!cover->scratch || !partials->n)
		return to->partials(to->self, partials);
	covered = covered_ns(cover, partials->window_ns, now_ns);
	rn_arena_reset(cover->scratch);
	own.parts = RN_NEWN(cover->scratch, struct rn_partial, partials->n);
	for (uint32_t i = 0; i < partials->n; i++)
		own.parts[i] = divided(cover, &partials->parts[i], whole, covered);
	return to->partials(to->self, &own);
}
