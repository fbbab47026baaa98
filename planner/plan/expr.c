/* expr.c - making, copying, walking and comparing expression trees.
 *
 * Trees are small. Two places of a plan never share one, because rewriting one place must not
 * change the other. Code that puts an expression in a second place clones it. */
#include <string.h>
#include "planner/plan/expr.h"

struct rn_expr *rn_expr_new(struct rn_arena *a, enum rn_expr_kind kind, struct rn_ty ty,
			    struct rn_span span)
{
	struct rn_expr *e = RN_NEW(a, struct rn_expr);

	e->kind = kind;
	e->ty = ty;
	e->span = span;
	return e;
}

struct rn_expr *rn_expr_op(struct rn_arena *a, enum rn_op op, struct rn_ty ty, struct rn_expr *x,
			   struct rn_expr *y)
{
	struct rn_expr *e = rn_expr_new(a, RN_E_OP, ty, x->span);

	if (y && y->span.src == x->span.src && y->span.end > e->span.end)
		e->span.end = y->span.end;
	e->op = op;
	e->narg = y ? 2 : 1;
	e->arg = RN_NEWN(a, struct rn_expr *, e->narg);
	e->arg[0] = x;
	if (y)
		e->arg[1] = y;
	return e;
}

struct rn_expr *rn_expr_ref(struct rn_arena *a, enum rn_expr_kind kind, int index, struct rn_ty ty)
{
	struct rn_expr *e = rn_expr_new(a, kind, ty, (struct rn_span){0});

	e->index = index;
	return e;
}

struct rn_expr *rn_expr_clone(struct rn_arena *a, const struct rn_expr *e)
{
	struct rn_expr *n;

	if (!e)
		return NULL;
	n = RN_NEW(a, struct rn_expr);
	*n = *e;
	n->compiled = NULL;
	n->arg = e->narg ? RN_NEWN(a, struct rn_expr *, e->narg) : NULL;
	for (unsigned i = 0; i < e->narg; i++)
		n->arg[i] = rn_expr_clone(a, e->arg[i]);
	return n;
}

void rn_expr_walk(struct rn_expr *e, void (*visit)(void *self, struct rn_expr *e), void *self)
{
	if (!e)
		return;
	visit(self, e);
	for (unsigned i = 0; i < e->narg; i++)
		rn_expr_walk(e->arg[i], visit, self);
}

void rn_expr_look(const struct rn_expr *e, void (*visit)(void *self, const struct rn_expr *e),
		  void *self)
{
	if (!e)
		return;
	visit(self, e);
	for (unsigned i = 0; i < e->narg; i++)
		rn_expr_look(e->arg[i], visit, self);
}

static void measure(const struct rn_expr *e, unsigned level, uint64_t *nodes, unsigned *depth)
{
	++*nodes;
	if (level > *depth)
		*depth = level;
	for (unsigned i = 0; i < e->narg; i++)
		measure(e->arg[i], level + 1, nodes, depth);
}

void rn_expr_measure(const struct rn_expr *e, uint64_t *nodes, unsigned *depth)
{
	measure(e, 1, nodes, depth);
}

bool rn_expr_has(const struct rn_expr *e, enum rn_expr_kind kind)
{
	if (!e)
		return false;
	if (e->kind == kind)
		return true;
	for (unsigned i = 0; i < e->narg; i++)
		if (rn_expr_has(e->arg[i], kind))
			return true;
	return false;
}

bool rn_expr_unsure(const struct rn_expr *e)
{
	if (!e)
		return false;
	if (e->kind == RN_E_FIELD)
		return e->field && e->field->unsure;
	for (unsigned i = 0; i < e->narg; i++)
		if (rn_expr_unsure(e->arg[i]))
			return true;
	return false;
}

static bool same_leaf(const struct rn_expr *a, const struct rn_expr *b)
{
	switch (a->kind) {
	case RN_E_CONST:
		return a->value.kind == b->value.kind && !rn_value_cmp(&a->value, &b->value);
	case RN_E_FIELD:
		/* a nested query can have two columns of one name; a fragment from the wire has
		 * only names */
		return a->field && b->field ? a->field == b->field : !strcmp(a->name, b->name);
	case RN_E_KEY:
	case RN_E_AGG:
	case RN_E_COLUMN:
	case RN_E_IN: return a->index == b->index;
	case RN_E_OP: return a->op == b->op;
	case RN_E_CALL: return a->func == b->func;
	}
	return false;
}

bool rn_expr_equal(const struct rn_expr *a, const struct rn_expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->ty.type != b->ty.type || a->ty.unit != b->ty.unit ||
	    a->narg != b->narg || !same_leaf(a, b))
		return false;
	for (unsigned i = 0; i < a->narg; i++)
		if (!rn_expr_equal(a->arg[i], b->arg[i]))
			return false;
	return true;
}
