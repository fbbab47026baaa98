/* pushdown.c - moves predicates over a nested query's columns into the nested query.
 *
 * Over groups: predicates on keys only (a key is the same for every event of its group). Over
 * ordered rows: all. Not past a limit, which counts the rows before the predicate; not past
 * aggregates; not past a flow, which needs every hop. */
#include "planner/rules/rules.h"
#include "lang/base/limits.h"

struct push {
	struct rn_arena *arena;
	const struct rn_plan *child;
	bool ok, any; /* every field could be replaced; there was one */
};

/* The expression of a child's column, over the child's own row; NULL if it has none. */
static const struct rn_expr *source_of(const struct rn_plan *c, unsigned column)
{
	const struct rn_expr *e;

	if (rn_plan_has_window(c) && column-- == 0)
		return NULL; /* the window */
	if (c->kind == RN_PLAN_ROWS)
		return c->frag.cols[column].expr;
	e = c->out[column].expr;
	return e->kind == RN_E_KEY ? c->frag.keys[e->index] : NULL;
}

static void check(void *self, struct rn_expr *e)
{
	struct push *x = self;

	if ((e->kind == RN_E_IN || e->kind == RN_E_ASKED) && e->index)
		x->ok = false; /* its set belongs to the parent */
	if (e->kind != RN_E_FIELD)
		return;
	x->any = true;
	if (!source_of(x->child, e->field->id))
		x->ok = false;
}

static struct rn_expr *replace(struct push *x, struct rn_expr *e)
{
	if (e->kind == RN_E_FIELD)
		return rn_expr_clone(x->arena, source_of(x->child, e->field->id));
	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = replace(x, e->arg[i]);
	return e;
}

static void append(struct rn_arena *a, struct rn_fragment *f, struct rn_conjunct c)
{
	struct rn_conjunct *w = RN_NEWN(a, struct rn_conjunct, f->nwhere + 1);

	for (unsigned i = 0; i < f->nwhere; i++)
		w[i] = f->where[i];
	w[f->nwhere++] = c;
	f->where = w;
}

void rn_rule_pushdown(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_plan *c = plan->child;
	struct rn_fragment *fragment = &plan->frag;
	unsigned kept = 0;

	/* a share is of all groups, a delta of all rows */
	if (!c || c->limit >= 0 || c->kind == RN_PLAN_FLOW || c->nrow_key ||
	    rn_plan_calls(c, &rn_func_share))
		return;
	for (unsigned i = 0; i < fragment->nwhere; i++) {
		struct push x = {.arena = arena, .child = c, .ok = c->frag.nwhere < RN_MAX_LIST};
		uint64_t nodes = 0;

		rn_expr_walk(fragment->where[i].expr, check, &x);
		if (x.ok && x.any && rn_rule_fits(fragment->where[i].expr, c, source_of, &nodes)) {
			fragment->where[i].expr = replace(&x, fragment->where[i].expr);
			append(arena, &c->frag, fragment->where[i]);
		} else {
			fragment->where[kept++] = fragment->where[i];
		}
	}
	fragment->nwhere = kept;
}
