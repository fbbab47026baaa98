/* prune.c - drops what a query does not read of its nested query: columns, then aggregates, and the
 * order of rows that only feed groups (aggregates give the same answer in any order).
 *
 * Keys stay, because they decide which groups exist. Columns that the nested query is ordered by
 * also stay, but hidden. An order and an aggregate stay, too, if they use latency or begin: because
 * of them events whose beginning was not seen are left out. At least one column stays, because rows
 * without any could not be counted. */
#include <string.h>
#include "planner/rules/rules.h"

enum { MAX_FIELDS = 1024 };

struct used {
	bool field[MAX_FIELDS]; /* of the child's class, by id */
};

static void mark_field(void *self, struct rn_expr *e)
{
	struct used *u = self;

	if (e->kind == RN_E_FIELD && e->field->id < MAX_FIELDS)
		u->field[e->field->id] = true;
}

static struct rn_expr *mark(void *self, struct rn_expr *e)
{
	rn_expr_walk(e, mark_field, self);
	return e;
}

/* Does its order decide which rows exist? Rows with an unknown value in it are left out. */
static bool chooses(const struct rn_plan *c)
{
	for (unsigned i = 0; i < c->nout; i++)
		if (c->out[i].known)
			return true;
	return false;
}

static bool ordered_by(const struct rn_plan *c, unsigned column)
{
	for (unsigned i = 0; i < c->norder; i++)
		if (c->order[i].column == (int)column)
			return true;
	return false;
}

/* Moves the columns that order lists to their new places. */
static void renumber_order(struct rn_plan *c, const int *to)
{
	for (unsigned i = 0; i < c->norder; i++)
		c->order[i].column = to[c->order[i].column];
}

/* Puts column i of c at index n of out (and of cols, for rows). */
static void place(struct rn_plan *c, struct rn_column *out, struct rn_column *cols, unsigned n,
		  unsigned i, int *to)
{
	out[n] = c->out[i];
	if (c->kind == RN_PLAN_ROWS) {
		cols[n] = c->frag.cols[i];
		out[n].expr->index = (int)n;
	}
	to[i] = (int)n;
}

/* Keeps the class's used fields, with their new numbers. The plan made the fields itself. */
static void renumber_fields(struct rn_arena *arena, struct rn_plan *plan, const struct used *u)
{
	const struct rn_class *old = plan->frag.cls;
	struct rn_class *cls = RN_NEW(arena, struct rn_class);
	const struct rn_field **fields = RN_NEWN(arena, const struct rn_field *, old->nfields);
	unsigned window = rn_plan_has_window(plan->child), n = 0;

	*cls = *old;
	for (unsigned i = 0; i < old->nfields; i++) {
		struct rn_field *field = (struct rn_field *)old->fields[i];

		if (!u->field[field->id] && !(window && field->id == 0))
			continue;
		field->id = (uint16_t)n;
		fields[n++] = field;
	}
	cls->fields = fields;
	cls->nfields = n;
	plan->frag.cls = cls;
}

static void prune_columns(struct rn_arena *arena, struct rn_plan *plan, struct used *u)
{
	struct rn_plan *c = plan->child;
	unsigned window = rn_plan_has_window(c), shown = c->nout - c->nhidden, n = 0, visible;
	struct rn_column *out = RN_NEWN(arena, struct rn_column, c->nout),
			 *cols = RN_NEWN(arena, struct rn_column, c->nout);
	int *to = RN_NEWN(arena, int, c->nout);

	for (unsigned i = 0; i < shown; i++)
		if (u->field[i + window])
			place(c, out, cols, n++, i, to);
	visible = n;
	for (unsigned i = 0; i < c->nout; i++)
		if ((i >= shown || !u->field[i + window]) && ordered_by(c, i))
			place(c, out, cols, n++, i, to);
	c->out = out;
	c->nout = n;
	c->nhidden = n - visible;
	if (c->kind == RN_PLAN_ROWS) {
		c->frag.cols = cols;
		c->frag.ncols = n;
	}
	renumber_order(c, to);
	renumber_fields(arena, plan, u);
}

struct agg_use {
	bool *used;
	int *to;
};

static void mark_agg(void *self, struct rn_expr *e)
{
	if (e->kind == RN_E_AGG)
		((struct agg_use *)self)->used[e->index] = true;
}

static void move_agg(void *self, struct rn_expr *e)
{
	if (e->kind == RN_E_AGG)
		e->index = ((struct agg_use *)self)->to[e->index];
}

static void walk_out(struct rn_plan *c, void (*visit)(void *self, struct rn_expr *e), void *self)
{
	for (unsigned i = 0; i < c->nout; i++)
		rn_expr_walk(c->out[i].expr, visit, self);
	rn_expr_walk(c->having, visit, self);
}

static void prune_aggs(struct rn_arena *a, struct rn_plan *c)
{
	struct rn_fragment *f = &c->frag;
	struct agg_use u = {.used = RN_NEWN(a, bool, f->naggs), .to = RN_NEWN(a, int, f->naggs)};
	unsigned n = 0;

	walk_out(c, mark_agg, &u);
	/* an argument that some events lack decides which events count */
	for (unsigned i = 0; i < f->naggs; i++)
		u.used[i] |= rn_expr_unsure(f->aggs[i].arg) || rn_expr_unsure(f->aggs[i].where);
	for (unsigned i = 0; i < f->naggs; i++)
		if (u.used[i]) {
			u.to[i] = (int)n;
			f->aggs[n++] = f->aggs[i];
		}
	f->naggs = n;
	walk_out(c, move_agg, &u);
}

void rn_rule_prune(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_plan *c = plan->child;
	struct used *u;
	unsigned window, n;
	bool any = false;

	if (!c || c->kind == RN_PLAN_FLOW || plan->frag.cls->nfields > MAX_FIELDS)
		return;
	if (plan->kind == RN_PLAN_GROUPS && c->limit < 0 && !chooses(c))
		c->norder = 0;
	u = RN_NEW(arena, struct used);
	window = rn_plan_has_window(c);
	n = c->nout - c->nhidden;
	rn_fragment_rewrite(&plan->frag, mark, u);
	for (unsigned i = 0; i < n; i++)
		any |= u->field[i + window];
	if (!any && n)
		u->field[window] = true;
	prune_columns(arena, plan, u);
	if (c->kind == RN_PLAN_GROUPS)
		prune_aggs(arena, c);
}
