/* merge.c - merges a nested query of plain rows into the query around it.
 *
 *     count of (proc, bytes of read where bytes > 0) by proc    becomes    count of read where
 *                                                               bytes > 0 by proc
 *
 * Without it every row would travel to the coordinator. A child is merged only if it is no more
 * than a filter and a projection. A limit decides which rows exist, an order how they come, and
 * groups are answers of their own. */
#include <string.h>
#include "planner/rules/rules.h"
#include "lang/base/limits.h"

struct merge {
	struct rn_arena *arena;
	const struct rn_plan *child;
};

static bool is_plain(const struct rn_plan *p, const struct rn_plan *c)
{
	return c->kind == RN_PLAN_ROWS && c->limit < 0 && !c->norder && !c->nhidden &&
	       !c->shows_window && !c->into && !c->last_ns && !c->frag.sample && !c->nodes &&
	       (!p->from || (c->from && !strcmp(p->from, c->from)));
}

static const struct rn_expr *source_of(const struct rn_plan *c, unsigned column)
{
	return c->frag.cols[column].expr;
}

/* Merging must not turn a small query into a fragment that every node refuses. */
static bool fits(struct rn_plan *p, const struct rn_plan *c)
{
	const struct rn_fragment *f = &p->frag;
	uint64_t nodes = 0;
	bool ok = f->nwhere + c->frag.nwhere <= RN_MAX_LIST;

	for (unsigned i = 0; i < f->nwhere && ok; i++)
		ok = rn_rule_fits(f->where[i].expr, c, source_of, &nodes);
	for (unsigned i = 0; i < f->nkeys && ok; i++)
		ok = rn_rule_fits(f->keys[i], c, source_of, &nodes);
	for (unsigned i = 0; i < f->naggs && ok; i++)
		ok = (!f->aggs[i].arg || rn_rule_fits(f->aggs[i].arg, c, source_of, &nodes)) &&
		     (!f->aggs[i].where || rn_rule_fits(f->aggs[i].where, c, source_of, &nodes));
	for (unsigned i = 0; i < f->ncols && ok; i++)
		ok = rn_rule_fits(f->cols[i].expr, c, source_of, &nodes);
	return ok;
}

/* Replaces a column of the child by its expression. */
static struct rn_expr *substitute(void *self, struct rn_expr *e)
{
	struct merge *m = self;

	if (e->kind == RN_E_FIELD)
		return rn_expr_clone(m->arena, m->child->frag.cols[e->field->id].expr);
	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = substitute(m, e->arg[i]);
	return e;
}

/* Adds to the number of each set that the expression has. */
static struct rn_expr *renumber(void *self, struct rn_expr *e)
{
	if ((e->kind == RN_E_IN || e->kind == RN_E_ASKED) && e->index)
		e->index += (int)*(unsigned *)self;
	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = renumber(self, e->arg[i]);
	return e;
}

/* Appends the child's sets to the parent's own. */
static void take_sets(struct rn_arena *a, struct rn_plan *p, struct rn_plan *c)
{
	struct rn_plan **sets;

	if (!c->nsets)
		return;
	rn_fragment_rewrite(&c->frag, renumber, &p->nsets);
	for (unsigned i = 0; i < 2 && c->frag.ends; i++)
		for (unsigned k = 0; k < c->frag.ends[i].nwhere; k++)
			renumber(&p->nsets, c->frag.ends[i].where[k].expr);
	sets = RN_NEWN(a, struct rn_plan *, p->nsets + c->nsets);
	if (p->nsets)
		memcpy(sets, p->sets, p->nsets * sizeof(struct rn_plan *));
	memcpy(sets + p->nsets, c->sets, c->nsets * sizeof(struct rn_plan *));
	p->sets = sets;
	p->nsets += c->nsets;
}

static void take_where(struct rn_arena *a, struct rn_fragment *f, const struct rn_fragment *child)
{
	struct rn_conjunct *w = RN_NEWN(a, struct rn_conjunct, f->nwhere + child->nwhere);

	/* the child's first: the parent expects only events that pass them */
	if (child->nwhere)
		memcpy(w, child->where, child->nwhere * sizeof(*w));
	if (f->nwhere)
		memcpy(w + child->nwhere, f->where, f->nwhere * sizeof(*w));
	f->where = w;
	f->nwhere += child->nwhere;
}

static const char *merged_names(struct rn_arena *a, const struct rn_plan *p,
				const struct rn_plan *c)
{
	const char *s = p->view ? rn_arena_printf(a, "view %s", p->view) : "nested query";

	if (p->merged)
		s = rn_arena_printf(a, "%s, %s", p->merged, s);
	return c->merged ? rn_arena_printf(a, "%s, %s", s, c->merged) : s;
}

static void merge(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_plan *c = plan->child;
	struct merge m = {.arena = arena, .child = c};
	struct rn_fragment *fragment = &plan->frag;

	take_sets(arena, plan, c);
	rn_fragment_rewrite(fragment, substitute, &m);
	take_where(arena, fragment, &c->frag);
	fragment->cls = c->frag.cls;
	fragment->class_name = c->frag.class_name;
	fragment->class_arg = c->frag.class_arg;
	fragment->span = c->frag.span;
	fragment->ends = c->frag.ends;
	fragment->pair_keys = c->frag.pair_keys;
	fragment->npair_keys = c->frag.npair_keys;
	fragment->tags = c->frag.tags;
	fragment->ntags = c->frag.ntags;
	fragment->scan_cap_bytes = c->frag.scan_cap_bytes;
	fragment->scan_rate_bytes = c->frag.scan_rate_bytes;
	fragment->no_clean_cache = c->frag.no_clean_cache;
	fragment->max_functions = c->frag.max_functions;
	plan->from = c->from;
	if (!plan->for_ns)
		plan->for_ns = c->for_ns;
	plan->merged = merged_names(arena, plan, c);
	plan->child = c->child;
	plan->given = c->given;
	plan->view = c->view;
}

/* Windows, first and last use the event's own time. A row of a nested query keeps that time, so
 * merging changes nothing. */
void rn_rule_merge(struct rn_arena *arena, struct rn_plan *plan)
{
	while (plan->child && is_plain(plan, plan->child) && plan->kind != RN_PLAN_FLOW &&
	       fits(plan, plan->child))
		merge(arena, plan);
}
