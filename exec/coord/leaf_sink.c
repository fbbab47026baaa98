/* leaf_sink.c - takes what nodes send into the answer: rows and partial states; predicates and
 * groups of raw fragments; and windows, which are delivered once. */
#include "exec/coord/leaf_impl.h"
#include "lang/base/clock.h"

/* ---- what comes in ---- */

int rn_leaf_rows(void *self, const struct rn_rows *rows)
{
	struct rn_leaf *c = self;
	int s = c->plan->rows_every_ns ? rn_leaf_window_rows(c, rows)
				       : rn_answer_rows(c->answer, rows);

	if (s < 0)
		c->refused = s;
	return s;
}

/* The window is delivered already: this is counted, not shown. */
static void count_late(struct rn_leaf *c, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		c->late += p->parts[i].events;
}

int rn_leaf_partials(void *self, const struct rn_partials *partials)
{
	struct rn_leaf *c = self;

	if (c->peek)
		rn_groups_merge(c->peek, partials);
	else if (!c->plan->frag.every_ns || partials->window_ns >= c->mark_ns)
		c->other += rn_groups_merge(c->groups, partials);
	else
		count_late(c, partials);
	return 0;
}

static int ordered_rows(void *self, const struct rn_rows *r)
{
	struct rn_leaf_member *m = self;
	int s = m->stage ? rn_stage_rows(m->stage, r) : rn_leaf_rows(m->leaf, r);

	return s < 0 ? s : 0;
}

static int in_rows(void *self, const struct rn_rows *r)
{
	struct rn_leaf_member *m = self;

	return m->leaf->reorder ? rn_reorder_rows(m->leaf->reorder, r) : ordered_rows(m, r);
}

static int in_partials(void *self, const struct rn_partials *p)
{
	struct rn_leaf_member *m = self;

	return rn_leaf_partials(m->leaf, p);
}

struct rn_sink rn_leaf_sink_in(struct rn_leaf_member *member)
{
	return (struct rn_sink){.self = member, .rows = in_rows, .partials = in_partials};
}

struct rn_sink rn_leaf_sink_ordered(struct rn_leaf_member *member)
{
	return (struct rn_sink){.self = member, .rows = ordered_rows};
}

/* ---- rows of raw fragments: predicates and groups, member by member ---- */

static int staged_rows(void *self, const struct rn_rows *r)
{
	struct rn_leaf_member *m = self;

	return rn_leaf_rows(m->leaf, r);
}

static int staged_partials(void *self, const struct rn_partials *p)
{
	struct rn_leaf_member *m = self;
	struct rn_sink own = {.self = m->leaf, .rows = rn_leaf_rows, .partials = rn_leaf_partials};

	return rn_covered_partials(&m->covered, p, rn_epoch_ns(), &own);
}

static int open_stage(struct rn_leaf *c, struct rn_leaf_member *m, const struct rn_cover *cover)
{
	struct rn_sink own = {.self = m, .rows = staged_rows, .partials = staged_partials};

	rn_covered_init(&m->covered, c->frag, cover);
	return rn_stage_create(c->frag, 1u << RN_AT_COORDINATOR, true, &own, &m->stage, c->err);
}

int rn_leaf_open_stages(struct rn_leaf *leaf)
{
	int r = 0;

	if (!rn_fragment_raw(leaf->frag))
		return 0;
	leaf->fleet_span = (struct rn_span_ns){0, INT64_MAX};
	leaf->fleet_cover = (struct rn_cover){&leaf->fleet_span, 1};
	for (unsigned i = 0; i < leaf->n && !r; i++)
		r = open_stage(leaf, &leaf->members[i],
			       &leaf->fleet_cover); /* its own, once it has started */
	return r || !leaf->fleet ? r
				 : open_stage(leaf, &leaf->members[leaf->n], &leaf->fleet_cover);
}

int rn_leaf_flush_stages(struct rn_leaf *leaf, int64_t before_ns)
{
	int r = 0;

	if (leaf->fleet && leaf->span->begin)
		leaf->fleet_span = (struct rn_span_ns){
			leaf->span->begin, leaf->span->end ? leaf->span->end : INT64_MAX};
	for (unsigned i = 0; i <= leaf->n && r >= 0; i++)
		r = leaf->members[i].stage ? rn_stage_flush(leaf->members[i].stage, before_ns) : 0;
	return r;
}

int rn_leaf_peek_stages(struct rn_leaf *leaf, const struct rn_sink *sink)
{
	int r = 0;

	(void)sink; /* leaf->peek is set */
	for (unsigned i = 0; i <= leaf->n && r >= 0; i++) {
		struct rn_sink own = {.self = &leaf->members[i],
				      .rows = staged_rows,
				      .partials = staged_partials};

		r = leaf->members[i].stage ? rn_stage_peek(leaf->members[i].stage, &own) : 0;
	}
	return r;
}

bool rn_leaf_tests(const struct rn_leaf *leaf)
{
	for (unsigned i = 0; i <= leaf->n; i++)
		if (leaf->members[i].stage)
			return rn_stage_tests(leaf->members[i].stage);
	return false;
}

bool rn_leaf_by_clock(const struct rn_leaf *leaf)
{
	const struct rn_plan *p = leaf->plan;

	while (p->child)
		p = p->child;
	return leaf->frag->every_ns && !p->from && !p->given;
}

int rn_leaf_deliver(struct rn_leaf *leaf, int64_t mark_ns)
{
	int r = 0;

	if (mark_ns <= leaf->mark_ns)
		return 0;
	for (unsigned i = 0; i < leaf->nb && r >= 0; i++)
		r = rn_relay_flush(leaf->branches[i].relay, mark_ns);
	if (r >= 0)
		r = rn_leaf_flush_stages(leaf, mark_ns);
	if (leaf->reorder && r >= 0)
		r = rn_reorder_release(leaf->reorder, mark_ns);
	if (r >= 0)
		r = leaf->groups
			    ? rn_answer_groups(leaf->answer, leaf->groups, mark_ns, false, false)
		    : leaf->plan->rows_every_ns ? rn_leaf_window_deliver(leaf, mark_ns)
						: rn_answer_mark(leaf->answer, mark_ns);
	leaf->mark_ns = mark_ns;
	return r;
}
