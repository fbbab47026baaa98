/* leaf_sink.c - takes what nodes send into the answer: rows and partial states; predicates and
 * groups of raw fragments; and windows, which are delivered once. */
#include "exec/coord/leaf_impl.h"
#include "lang/base/clock.h"

/* ---- what comes in ---- */

int rn_leaf_rows(void *self, const struct rn_rows *r)
{
	struct rn_leaf *c = self;
	int s = c->p->rows_every_ns ? rn_leaf_window_rows(c, r) : rn_answer_rows(c->answer, r);

	if (s < 0)
		c->refused = s;
	return s;
}

/* The window is delivered already: this is counted, not shown. */
static void count_late(struct rn_leaf *c, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		c->late += p->p[i].events;
}

int rn_leaf_partials(void *self, const struct rn_partials *p)
{
	struct rn_leaf *c = self;

	if (c->peek)
		rn_groups_merge(c->peek, p);
	else if (!c->p->frag.every_ns || p->window_ns >= c->mark_ns)
		c->other += rn_groups_merge(c->groups, p);
	else
		count_late(c, p);
	return 0;
}

static int ordered_rows(void *self, const struct rn_rows *r)
{
	struct member *m = self;
	int s = m->stage ? rn_stage_rows(m->stage, r) : rn_leaf_rows(m->c, r);

	return s < 0 ? s : 0;
}

static int in_rows(void *self, const struct rn_rows *r)
{
	struct member *m = self;

	return m->c->reorder ? rn_reorder_rows(m->c->reorder, r) : ordered_rows(m, r);
}

static int in_partials(void *self, const struct rn_partials *p)
{
	struct member *m = self;

	return rn_leaf_partials(m->c, p);
}

struct rn_sink rn_leaf_sink_in(struct member *m)
{
	return (struct rn_sink){.self = m, .rows = in_rows, .partials = in_partials};
}

struct rn_sink rn_leaf_sink_ordered(struct member *m)
{
	return (struct rn_sink){.self = m, .rows = ordered_rows};
}

/* ---- rows of raw fragments: predicates and groups, member by member ---- */

static int staged_rows(void *self, const struct rn_rows *r)
{
	struct member *m = self;

	return rn_leaf_rows(m->c, r);
}

static int staged_partials(void *self, const struct rn_partials *p)
{
	struct member *m = self;
	struct rn_sink own = {.self = m->c, .rows = rn_leaf_rows, .partials = rn_leaf_partials};

	return rn_covered_partials(&m->covered, p, rn_epoch_ns(), &own);
}

static int open_stage(struct rn_leaf *c, struct member *m, const struct rn_cover *cover)
{
	struct rn_sink own = {.self = m, .rows = staged_rows, .partials = staged_partials};

	rn_covered_init(&m->covered, c->frag, cover);
	return rn_stage_create(c->frag, 1u << RN_AT_COORDINATOR, true, &own, &m->stage, c->err);
}

int rn_leaf_open_stages(struct rn_leaf *c)
{
	int r = 0;

	if (!rn_fragment_raw(c->frag))
		return 0;
	c->fleet_span = (struct rn_span_ns){0, INT64_MAX};
	c->fleet_cover = (struct rn_cover){&c->fleet_span, 1};
	for (unsigned i = 0; i < c->n && !r; i++)
		r = open_stage(c, &c->m[i], &c->fleet_cover); /* its own, once it has started */
	return r || !c->fleet ? r : open_stage(c, &c->m[c->n], &c->fleet_cover);
}

int rn_leaf_flush_stages(struct rn_leaf *c, int64_t before_ns)
{
	int r = 0;

	if (c->fleet && c->span->begin)
		c->fleet_span = (struct rn_span_ns){c->span->begin,
						    c->span->end ? c->span->end : INT64_MAX};
	for (unsigned i = 0; i <= c->n && r >= 0; i++)
		r = c->m[i].stage ? rn_stage_flush(c->m[i].stage, before_ns) : 0;
	return r;
}

int rn_leaf_peek_stages(struct rn_leaf *c, const struct rn_sink *sink)
{
	int r = 0;

	(void)sink; /* c->peek is set */
	for (unsigned i = 0; i <= c->n && r >= 0; i++) {
		struct rn_sink own = {
			.self = &c->m[i], .rows = staged_rows, .partials = staged_partials};

		r = c->m[i].stage ? rn_stage_peek(c->m[i].stage, &own) : 0;
	}
	return r;
}

bool rn_leaf_tests(const struct rn_leaf *c)
{
	for (unsigned i = 0; i <= c->n; i++)
		if (c->m[i].stage)
			return rn_stage_tests(c->m[i].stage);
	return false;
}

bool rn_leaf_by_clock(const struct rn_leaf *c)
{
	const struct rn_plan *p = c->p;

	while (p->child)
		p = p->child;
	return c->frag->every_ns && !p->from && !p->given;
}

int rn_leaf_deliver(struct rn_leaf *c, int64_t mark_ns)
{
	int r = 0;

	if (mark_ns <= c->mark_ns)
		return 0;
	for (unsigned i = 0; i < c->nb && r >= 0; i++)
		r = rn_relay_flush(c->b[i].relay, mark_ns);
	if (r >= 0)
		r = rn_leaf_flush_stages(c, mark_ns);
	if (c->reorder && r >= 0)
		r = rn_reorder_release(c->reorder, mark_ns);
	if (r >= 0)
		r = c->groups ? rn_answer_groups(c->answer, c->groups, mark_ns, false, false)
		    : c->p->rows_every_ns ? rn_leaf_window_deliver(c, mark_ns)
					  : rn_answer_mark(c->answer, mark_ns);
	c->mark_ns = mark_ns;
	return r;
}
