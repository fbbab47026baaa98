/* expr.c - making, copying, walking and comparing expression trees.
 *
 * Trees are small. Two places of a plan never share one, because rewriting one place must not
 * change the other. Code that puts an expression in a second place clones it. */
#include <string.h>
#include "planner/plan/expr.h"

struct rn_expr *rn_expr_new(struct rn_arena *arena, enum rn_expr_kind kind, struct rn_ty ty,
			    struct rn_span span)
{
	struct rn_expr *e = RN_NEW(arena, struct rn_expr);

	e->kind = kind;
	e->ty = ty;
	e->span = span;
	return e;
}

struct rn_expr *rn_expr_op(struct rn_arena *arena, enum rn_op op, struct rn_ty ty,
			   struct rn_expr *left, struct rn_expr *right)
{
	struct rn_expr *e = rn_expr_new(arena, RN_E_OP, ty, left->span);

	if (right && right->span.src == left->span.src && right->span.end > e->span.end)
		e->span.end = right->span.end;
	e->op = op;
	e->narg = right ? 2 : 1;
	e->arg = RN_NEWN(arena, struct rn_expr *, e->narg);
	e->arg[0] = left;
	if (right)
		e->arg[1] = right;
	return e;
}

struct rn_expr *rn_expr_ref(struct rn_arena *arena, enum rn_expr_kind kind, int index,
			    struct rn_ty ty)
{
	struct rn_expr *e = rn_expr_new(arena, kind, ty, (struct rn_span){0});

	e->index = index;
	return e;
}

const struct rn_field *rn_expr_numbered(const struct rn_expr *expr)
{
	const struct rn_expr *x = expr;

	if (x->kind == RN_E_OP && x->op == RN_OP_BITAND && x->ty.type == RN_T_STR && x->narg)
		x = x->arg[0];
	return x->kind == RN_E_FIELD && x->field && x->field->numbering ? x->field : NULL;
}

struct rn_expr *rn_expr_clone(struct rn_arena *arena, const struct rn_expr *expr)
{
	struct rn_expr *n;

	if (!expr)
		return NULL;
	n = RN_NEW(arena, struct rn_expr);
	*n = *expr;
	n->compiled = NULL;
	n->arg = expr->narg ? RN_NEWN(arena, struct rn_expr *, expr->narg) : NULL;
	for (unsigned i = 0; i < expr->narg; i++)
		n->arg[i] = rn_expr_clone(arena, expr->arg[i]);
	return n;
}

void rn_expr_walk(struct rn_expr *expr, void (*visit)(void *self, struct rn_expr *e), void *self)
{
	if (!expr)
		return;
	visit(self, expr);
	for (unsigned i = 0; i < expr->narg; i++)
		rn_expr_walk(expr->arg[i], visit, self);
}

void rn_expr_look(const struct rn_expr *expr, void (*visit)(void *self, const struct rn_expr *e),
		  void *self)
{
	if (!expr)
		return;
	visit(self, expr);
	for (unsigned i = 0; i < expr->narg; i++)
		rn_expr_look(expr->arg[i], visit, self);
}

static void measure(const struct rn_expr *e, unsigned level, uint64_t *nodes, unsigned *depth)
{
	++*nodes;
	if (level > *depth)
		*depth = level;
	for (unsigned i = 0; i < e->narg; i++)
		measure(e->arg[i], level + 1, nodes, depth);
}

void rn_expr_measure(const struct rn_expr *expr, uint64_t *nodes, unsigned *depth)
{
	measure(expr, 1, nodes, depth);
}

/* What an operator or a function does not take: values of one argument. */
struct gap {
	const struct rn_expr *of; /* NULL: it takes all */
	enum rn_op op;            /* how they compare with `with` */
	int64_t with, beyond;     /* beyond != 0: those above it, too */
};

static bool takes_constant(const struct gap *g)
{
	const struct rn_value *v = &g->of->value;
	double x = v->kind == RN_FLOAT ? v->f : (double)v->i;

	if (g->of->kind != RN_E_CONST)
		return false;
	switch (g->op) {
	case RN_OP_EQ: return x != (double)g->with;
	case RN_OP_LT: return x >= (double)g->with && (!g->beyond || x <= (double)g->beyond);
	default: return x > (double)g->with;
	}
}

static struct gap gap_of(const struct rn_expr *e)
{
	struct gap g = {0};

	if ((e->kind == RN_E_OP && (e->op == RN_OP_DIV || e->op == RN_OP_MOD)) ||
	    (e->kind == RN_E_CALL && e->narg == 2 && e->func->arg[1] == RN_ARG_DIVISOR))
		g = (struct gap){.of = e->arg[1], .op = RN_OP_EQ};
	else if (e->kind == RN_E_OP && (e->op == RN_OP_SHL || e->op == RN_OP_SHR))
		g = (struct gap){.of = e->arg[1], .op = RN_OP_LT, .beyond = 63};
	else if (e->kind == RN_E_CALL && e->narg && e->func->arg[0] == RN_ARG_NOT_NEGATIVE)
		g = (struct gap){.of = e->arg[0], .op = RN_OP_LT};
	else if (e->kind == RN_E_CALL && e->narg && e->func->arg[0] == RN_ARG_POSITIVE)
		g = (struct gap){.of = e->arg[0], .op = RN_OP_LE};
	if (g.of && takes_constant(&g))
		g.of = NULL;
	return g;
}

static struct rn_expr *compared(struct rn_arena *arena, const struct rn_expr *x, enum rn_op op,
				int64_t with)
{
	static const struct rn_ty truth = {RN_T_BOOL, RN_U_NONE};
	struct rn_expr *c = rn_expr_new(arena, RN_E_CONST, x->ty, x->span);

	c->value = x->ty.type == RN_T_FLOAT ? rn_float((double)with) : rn_int(with);
	return rn_expr_op(arena, op, truth, rn_expr_clone(arena, x), c);
}

struct rn_expr *rn_expr_gap(struct rn_arena *arena, const struct rn_expr *expr)
{
	struct gap g = gap_of(expr);
	struct rn_expr *below;

	if (!g.of)
		return NULL;
	below = compared(arena, g.of, g.op, g.with);
	return g.beyond ? rn_expr_op(arena, RN_OP_OR, below->ty, below,
				     compared(arena, g.of, RN_OP_GT, g.beyond))
			: below;
}

static void find_gap(void *self, const struct rn_expr *e)
{
	*(bool *)self |= gap_of(e).of != NULL;
}

bool rn_expr_has_gap(const struct rn_expr *expr)
{
	bool found = false;

	if (expr)
		rn_expr_look(expr, find_gap, &found);
	return found;
}

bool rn_expr_has(const struct rn_expr *expr, enum rn_expr_kind kind)
{
	if (!expr)
		return false;
	if (expr->kind == kind)
		return true;
	for (unsigned i = 0; i < expr->narg; i++)
		if (rn_expr_has(expr->arg[i], kind))
			return true;
	return false;
}

bool rn_expr_unsure(const struct rn_expr *expr)
{
	if (!expr)
		return false;
	if (expr->kind == RN_E_FIELD)
		return expr->field && expr->field->unsure;
	if (expr->kind == RN_E_CALL && expr->func == &rn_func_is_null)
		return false; /* it asks just that */
	for (unsigned i = expr->kind == RN_E_CALL && rn_func_chooses(expr->func); i < expr->narg;
	     i++)
		if (rn_expr_unsure(expr->arg[i]))
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
	case RN_E_ASKED:
	case RN_E_IN: return a->index == b->index;
	case RN_E_OP: return a->op == b->op;
	case RN_E_CALL: return a->func == b->func && (!a->live || !strcmp(a->name, b->name));
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

/* Sets *field to the field of expr, a comparison with constants. */
static bool compares(const struct rn_expr *expr, const struct rn_field **field)
{
	const struct rn_expr *x = expr->narg ? expr->arg[0] : NULL;

	if (!x || x->kind != RN_E_FIELD || !(x->field->where & RN_IN_KEY) ||
	    (*field && *field != x->field))
		return false;
	for (unsigned i = 1; i < expr->narg; i++)
		if (expr->arg[i]->kind != RN_E_CONST || expr->arg[i]->value.kind != RN_STR)
			return false;
	*field = x->field;
	return true;
}

static bool judges(const struct rn_expr *expr, const struct rn_field **field)
{
	if (expr->kind == RN_E_IN)
		return !expr->index && compares(expr, field);
	if (expr->kind != RN_E_OP)
		return false;
	switch (expr->op) {
	case RN_OP_NOT: return judges(expr->arg[0], field);
	case RN_OP_AND:
	case RN_OP_OR: return judges(expr->arg[0], field) && judges(expr->arg[1], field);
	case RN_OP_EQ:
	case RN_OP_NE:
	case RN_OP_GLOB:
	case RN_OP_NGLOB: return compares(expr, field);
	default: return false;
	}
}

const struct rn_field *rn_expr_judged(const struct rn_expr *expr)
{
	const struct rn_field *field = NULL;

	return judges(expr, &field) ? field : NULL;
}
