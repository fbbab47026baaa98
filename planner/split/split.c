/* split.c - places each conjunct and the grouping of every fragment, with the reason, and lays out
 * the row.
 *
 * Afterwards conjuncts are sorted kernel, node, coordinator (stable). fragment.fields lists each
 * field that is used above the kernel exactly once, in the order of first use. E_FIELD.index is the
 * field's index there, and -1 in expressions that the kernel runs. */
#include "planner/split/place.h"
#include "planner/split/split.h"

struct layout {
	struct rn_arena *arena;
	struct rn_fragment *fragment;
	bool kernel; /* this expression needs no place in the row */
};

static void lay_out(void *self, struct rn_expr *e)
{
	struct layout *l = self;
	struct rn_fragment *f = l->fragment;
	unsigned i;

	if (e->kind != RN_E_FIELD)
		return;
	e->index = -1;
	if (l->kernel)
		return;
	for (i = 0; i < f->nfields && f->fields[i] != e->field; i++)
		;
	if (i == f->nfields)
		f->fields[f->nfields++] = e->field;
	e->index = (int)i;
}

static void add(struct layout *l, struct rn_expr *e, enum rn_place place)
{
	l->kernel = place == RN_AT_KERNEL;
	rn_expr_walk(e, lay_out, l);
}

static void lay_out_row(struct rn_arena *a, struct rn_fragment *f)
{
	struct layout l = {.arena = a, .fragment = f};
	/* events whose group finds no room in the kernel are rows */
	enum rn_place place = rn_fragment_spills(f) ? RN_AT_NODE : f->agg_place;

	f->fields = RN_NEWN(a, const struct rn_field *, f->cls->nfields + f->nlive + 1);
	f->nfields = 0;
	for (unsigned i = 0; i < f->nkeys; i++)
		if (f->derived >> i & 1)
			add(&l, f->keys[i], RN_AT_NODE);
	f->nfine = f->nfields;
	for (unsigned i = 0; i < f->nwhere; i++)
		add(&l, f->where[i].expr, f->where[i].judged ? RN_AT_NODE : f->where[i].place);
	for (unsigned i = 0; i < f->nkeys; i++)
		if (!(f->derived >> i & 1))
			add(&l, f->keys[i], place);
	for (unsigned i = 0; i < f->naggs; i++) {
		add(&l, f->aggs[i].arg, place);
		add(&l, f->aggs[i].where, place);
	}
	for (unsigned i = 0; i < f->ncols; i++)
		add(&l, f->cols[i].expr, RN_AT_NODE);
}

static void place_conjunct(struct rn_arena *a, const struct rn_plan *p, struct rn_conjunct *c,
			   const struct rn_plan_opts *o, unsigned *nodes)
{
	const char *why = rn_place_source(p);

	c->place = RN_AT_NODE;
	c->judged = false;
	if (!rn_plan_is_local(p) && o->no_pushdown) {
		c->place = RN_AT_COORDINATOR;
		why = "push-down is off";
	} else if (!why && o->no_kernel) {
		why = "the kernel's part is off";
	} else if (!why) {
		c->judged = rn_place_judged(p, c->expr);
		why = c->judged ? NULL : rn_place_predicate(a, c->expr, nodes);
		if (!why)
			c->place = RN_AT_KERNEL;
		if (c->judged)
			why = "the node judges each name once";
	}
	c->reason = why ? why : "";
}

static void sort_by_place(struct rn_arena *a, struct rn_fragment *f)
{
	struct rn_conjunct *w = RN_NEWN(a, struct rn_conjunct, f->nwhere ? f->nwhere : 1);
	unsigned n = 0;

	for (int place = RN_AT_KERNEL; place <= RN_AT_COORDINATOR; place++)
		for (unsigned i = 0; i < f->nwhere; i++)
			if ((int)f->where[i].place == place)
				w[n++] = f->where[i];
	f->where = w;
}

static void place_groups(struct rn_plan *p, const struct rn_plan_opts *o)
{
	struct rn_fragment *f = &p->frag;

	if (o->no_pushdown || o->no_kernel)
		f->derived = 0;
	if (!rn_plan_is_local(p) && o->no_pushdown) {
		f->agg_place = RN_AT_COORDINATOR;
		f->agg_reason = "push-down is off";
	} else if (o->no_kernel && f->agg_place == RN_AT_KERNEL) {
		f->agg_place = RN_AT_NODE;
		f->agg_reason = "the kernel's part is off";
	} else if (!*f->agg_reason) {
		f->agg_reason = "the rules are off";
	}
}

void rn_split(struct rn_arena *arena, struct rn_plan *plan, const struct rn_plan_opts *opts)
{
	struct rn_fragment *f = &plan->frag;
	unsigned nodes = 0;

	if (plan->child)
		rn_split(arena, plan->child, opts);
	for (unsigned i = 0; i < plan->nsets; i++)
		rn_split(arena, plan->sets[i], opts);
	for (unsigned i = 0; i < f->nwhere; i++)
		place_conjunct(arena, plan, &f->where[i], opts, &nodes);
	sort_by_place(arena, f);
	if (plan->kind == RN_PLAN_GROUPS)
		place_groups(plan, opts);
	/* a node that does not test the last predicate cannot count the events that pass */
	if (f->nwhere && f->where[f->nwhere - 1].place == RN_AT_COORDINATOR)
		f->limit = -1;
	lay_out_row(arena, f);
}
