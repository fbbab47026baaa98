/* leaf_ledger.c - the ledger of a leaf: what it has covered so far, and at its end, when the rest
 * is delivered. */
#include <errno.h>
#include <string.h>
#include "exec/coord/leaf_impl.h"
#include "lang/base/clock.h"
#include "exec/wire/loopback.h"

enum { SO_FAR_ARENA = 256 << 20 };

static void keep_ledger(struct rn_leaf *c, struct rn_ledgers *all, struct rn_ledger *l)
{
	struct rn_ledger *more;

	l->node = rn_arena_strdup(c->a, l->node ? l->node : "");
	if (l->why)
		l->why = rn_arena_strdup(c->a, l->why);
	if (l->place)
		l->place = rn_arena_strdup(c->a, l->place);
	for (unsigned i = 0; i < all->n; i++)
		if (!strcmp(all->l[i].node, l->node)) {
			rn_ledger_add(&all->l[i], l);
			return;
		}
	if (!(all->n & (all->n - 1))) { /* full: its room is doubled */
		more = RN_NEWN(c->a, struct rn_ledger, all->n ? 2 * all->n : 1);
		if (all->n)
			memcpy(more, all->l, all->n * sizeof(*more));
		all->l = more;
	}
	all->l[all->n++] = *l;
}

/* Adds a node's ledger to the whole. */
static void count_in(struct rn_leaf *c, struct rn_ledger *l)
{
	if (l->begin_ns && (!c->span->begin || l->begin_ns < c->span->begin))
		c->span->begin = l->begin_ns;
	if (l->end_ns > c->span->end)
		c->span->end = l->end_ns;
	if (rn_leaf_tests(c)) /* own_ledger tells it: rows of all nodes are tested here together */
		l->n[RN_L_MATCHED] = 0;
}

static void remote_ledger(void *self, const struct rn_ledger *from)
{
	struct rn_leaf *c = self;
	struct rn_ledger l = *from;

	count_in(c, &l);
	keep_ledger(c, c->all, &l);
}

/* ---- until now ---- */

struct so_far {
	struct rn_leaf *c;
	struct rn_ledgers l;
};

static void put(void *self, const struct rn_ledger *from)
{
	struct so_far *s = self;
	/* its pointers are valid while the node takes it */
	struct rn_ledger *l = &s->l.l[s->l.n], own = *from;

	if (rn_leaf_tests(s->c))
		own.n[RN_L_MATCHED] = 0;

	/* of queries before this one: sets */
	for (unsigned i = 0; i < (s->c->all ? s->c->all->n : 0); i++)
		if (!strcmp(s->l.l[i].node, from->node))
			l = &s->l.l[i];
	if (l < &s->l.l[s->l.n]) {
		rn_ledger_add(l, &own);
	} else {
		*l = own;
		s->l.n++;
	}
}

void rn_leaf_so_far(struct rn_leaf *c)
{
	const struct rn_ledgers *before = c->all;
	unsigned n = before ? before->n : 0;
	struct rn_fleet_status status = {0};
	struct so_far s = {.c = c};
	struct rn_arena *a;

	if (!c->o->so_far || rn_plan_is_local(c->p))
		return;
	if (c->fleet)
		rn_fleet_status(c->fleet, &status);
	a = rn_arena_create(SO_FAR_ARENA);
	s.l = (struct rn_ledgers){.l = RN_NEWN(a, struct rn_ledger, n + c->n + status.nodes + 1),
				  .n = n,
				  .so_far = true,
				  .trace_note = before ? before->trace_note : NULL};
	if (n)
		memcpy(s.l.l, before->l, n * sizeof(*before->l));
	for (unsigned i = 0; i < c->n; i++) {
		struct rn_ledger l = {
			.answered = true, .begin_ns = c->m[i].begin_ns, .end_ns = rn_epoch_ns()};

		rn_agent_ledger(c->m[i].agent, &l);
		l.node = c->m[i].name;
		l.answered &= !c->m[i].failed;
		l.why = c->m[i].failed ? c->m[i].err.text : l.why;
		put(&s, &l);
	}
	if (c->fleet)
		rn_fleet_so_far(c->fleet, put, &s);
	if (s.l.n)
		rn_leaf_own_counts(c, &s.l.l[0]);
	c->o->so_far(c->o->started_self, &s.l);
	rn_arena_destroy(a);
}

/* ---- the end ---- */

static int finish_member(struct rn_leaf *c, struct member *m, struct rn_ledgers *all)
{
	struct rn_ledger l = {0};
	struct rn_err err = {0};
	int r = rn_agent_finish(m->agent, &l, &err);

	if (r < 0 && (c->n == 1 || c->refused)) {
		*c->err = err;
		return r;
	}
	if (m->failed) {
		l.answered = false;
		l.why = m->err.text;
	} else if (r < 0) {
		l.why = err.text;
	} else if (c->p->from && !m->ended && rn_stopped(c->o->stop)) {
		l.answered = false;
		l.why = "interrupted before the end of the recording";
	}
	if (rn_plan_is_local(c->p)) {
		c->overflow += l.n[RN_L_OVERFLOW];
		c->unpaired += l.n[RN_L_UNPAIRED];
		return 0;
	}
	if (!l.begin_ns) {
		l.begin_ns = m->begin_ns;
		l.end_ns = rn_epoch_ns();
	}
	count_in(c, &l);
	if (c->o->frames) {
		r = rn_loopback_ledger(c->a, &l, c->err);
		if (r < 0)
			return r;
	}
	keep_ledger(c, all, &l);
	return 0;
}

void rn_leaf_own_counts(struct rn_leaf *c, struct rn_ledger *sum)
{
	sum->n[RN_L_LOST_MAP] += c->other;
	sum->n[RN_L_LATE] += c->late;
	sum->n[RN_L_OVERFLOW] += rn_answer_overflow(c->answer) + c->given_overflow;
	sum->n[RN_L_UNPAIRED] += rn_answer_unpaired(c->answer) + c->given_unpaired;
	sum->n[RN_L_SHED] += c->shed + rn_answer_shed(c->answer);
	sum->n[RN_L_FORGOTTEN] += rn_answer_forgotten(c->answer) + c->given_forgotten;
	for (unsigned i = 0; i < c->nb; i++)
		rn_relay_ledger(c->b[i].relay, sum);
	if (rn_leaf_tests(c)) /* only this side knows what matched */
		sum->n[RN_L_MATCHED] = 0;
	for (unsigned i = 0; i <= c->n; i++) {
		struct rn_ledger one = {.answered = true};

		if (c->m[i].stage)
			rn_stage_ledger(c->m[i].stage, &one);
		rn_ledger_add(sum, &one);
	}
}

/* Adds to the first node's ledger what belongs to no node. That is groups that did not fit at a
 * relay or here, results of more than 64 bits, events left out here, and rows that passed what is
 * tested here. The answer is complete by now. */
static void own_ledger(struct rn_leaf *c, struct rn_ledgers *all)
{
	struct rn_ledger l = {.node = all->n ? all->l[0].node : "coordinator", .answered = true};

	rn_leaf_own_counts(c, &l);
	l.n[RN_L_OVERFLOW] += c->overflow;
	l.n[RN_L_UNPAIRED] += c->unpaired;
	if (l.n[RN_L_LOST_MAP] || l.n[RN_L_LATE] || l.n[RN_L_SHED] || l.n[RN_L_OVERFLOW] ||
	    l.n[RN_L_UNPAIRED] || l.n[RN_L_FORGOTTEN] || l.n[RN_L_MATCHED])
		keep_ledger(c, all, &l);
}

int rn_leaf_end(struct rn_leaf *c, struct rn_ledgers *all)
{
	int r = 0;

	c->all = all;
	for (unsigned i = 0; i < c->n; i++) {
		int s = finish_member(c, &c->m[i], all);

		if (!r)
			r = s;
	}
	if (c->fleet && !r)
		r = rn_fleet_finish(c->fleet, remote_ledger, c, c->err);
	if (c->reorder && r >= 0)
		r = rn_reorder_release(c->reorder, INT64_MAX);
	for (unsigned i = 0; i < c->nb && r >= 0; i++)
		r = rn_relay_flush(c->b[i].relay, INT64_MAX);
	if (r >= 0)
		r = rn_leaf_flush_stages(c, INT64_MAX);
	/* also the last windows come after their counts */
	if (c->o->so_far && r >= 0 && !rn_plan_is_local(c->p)) {
		struct rn_ledgers known = *all;

		known.so_far = true;
		c->o->so_far(c->o->started_self, &known);
	}
	/* up to the window that it ended in */
	if (c->groups && r >= 0 && rn_leaf_by_clock(c) && c->span->end)
		r = rn_answer_groups(c->answer, c->groups,
				     rn_window_start(c->span->end - 1, c->frag->every_ns) +
					     c->frag->every_ns,
				     false, false);
	if (c->groups && r >= 0)
		r = rn_answer_groups(c->answer, c->groups, INT64_MAX, true, false);
	if (c->p->rows_every_ns && r >= 0)
		r = rn_leaf_window_deliver(c, INT64_MAX);
	if (r >= 0)
		r = rn_answer_end(c->answer, c->fleet, c->begin_ns);
	own_ledger(c, all);
	return r < 0 ? r : 0;
}
