/* expr.c - typed AST expressions to rn_expr, over the source's row or over groups.
 *
 * Consumes a tree that resolution has typed. An error found here is a hole in resolution. It is
 * still reported rather than asserted, because the text is the user's. */
#include <string.h>
#include "planner/lower/lower.h"
#include "planner/rules/rules.h"
#include "lang/syntax/print.h"
#include "lang/catalog/funcs.h"
#include "lang/base/clock.h"
#include "lang/base/limits.h"
#include "lang/values/units.h"
#include "lang/values/zone.h"

static const struct rn_ty BOOL_TY = {RN_T_BOOL, 0};

bool rn_ast_has_agg(const struct rn_ast_expr *expr)
{
	if (expr->kind == RN_AST_CALL && expr->agg)
		return true;
	for (const struct rn_ast_expr *x = expr->args; x; x = x->next)
		if (rn_ast_has_agg(x))
			return true;
	return false;
}

static struct rn_expr *constant(struct rn_lower *l, const struct rn_ast_expr *e)
{
	struct rn_expr *c = rn_expr_new(l->arena, RN_E_CONST, e->ty, e->span);

	c->value = e->value;
	if (c->value.kind == RN_STR)
		c->value.s = rn_arena_strndup(l->arena, c->value.s, c->value.len);
	return c;
}

static struct rn_expr *unknown(struct rn_lower *l, const struct rn_ast_expr *e)
{
	if (l->trying)
		return NULL;
	rn_diag_add(l->diag, RN_ERROR, "E-NAME-FIELD", e->span, "`%s` is not known here",
		    rn_print_expr(l->arena, e));
	return NULL;
}

static struct rn_expr *field_expr(struct rn_lower *l, const struct rn_ast_expr *e,
				  const struct rn_field *f)
{
	struct rn_expr *x = rn_expr_new(l->arena, RN_E_FIELD, f->ty, e->span);

	x->field = f;
	x->name = f->name;
	x->index = -1;
	return x;
}

/* The item with this label in the list or in `by`, other than e itself. */
static const struct rn_ast_item *output_item(struct rn_lower *l, const struct rn_ast_expr *e)
{
	for (const struct rn_ast_item *it = l->query->items; it; it = it->next)
		if (it->label && !strcmp(it->label, e->name) && it->expr != e)
			return it;
	for (const struct rn_ast_item *it = l->query->by; it; it = it->next)
		if (it->label && !strcmp(it->label, e->name) && it->expr != e)
			return it;
	return NULL;
}

/* Lowers an output column's own expression. Its names do not refer to the output. */
static struct rn_expr *output_column(struct rn_lower *l, const struct rn_ast_item *it,
				     struct rn_expr *(*lower)(struct rn_lower *l,
							      const struct rn_ast_expr *e))
{
	struct rn_expr *x;

	l->over_output = false;
	x = lower(l, it->expr);
	l->over_output = true;
	return x;
}

/* Lowers a name over the source's row. rn_lower_source made the fields of a nested query from its
 * columns. */
static struct rn_expr *input_name(struct rn_lower *lower, const struct rn_ast_expr *expr)
{
	const struct rn_class *cls = lower->plan->frag.cls;
	const struct rn_ast_item *it = lower->over_output && lower->plan->kind == RN_PLAN_ROWS
					       ? output_item(lower, expr)
					       : NULL;
	const struct rn_field *field = NULL;
	unsigned i;

	if (it)
		return output_column(lower, it, rn_lower_input);
	/* by number, because a nested query can have two columns of one name */
	if (rn_plan_is_local(lower->plan) && expr->column >= 0) {
		i = (unsigned)expr->column + (lower->plan->given
						      ? lower->plan->given->shape->every_ns > 0
						      : rn_plan_has_window(lower->plan->child));
		if (i < cls->nfields && !strcmp(cls->fields[i]->name, expr->name))
			field = cls->fields[i];
	}
	if (!field)
		field = rn_class_field(cls, expr->name);
	if (!field && !rn_plan_is_local(lower->plan))
		field = expr->field;
	return field ? field_expr(lower, expr, field) : unknown(lower, expr);
}

typedef struct rn_expr *lower_fn(struct rn_lower *l, const struct rn_ast_expr *e);

/* x between lo and hi is x >= lo and x <= hi. */
static struct rn_expr *between(struct rn_lower *l, const struct rn_ast_expr *expr, lower_fn *lower)
{
	struct rn_expr *x = lower(l, expr->args);
	struct rn_expr *lo = x ? lower(l, expr->args->next) : NULL;
	struct rn_expr *hi = lo ? lower(l, expr->args->next->next) : NULL;
	struct rn_expr *ge, *le;
	uint64_t nodes = 0;
	unsigned depth = 0;

	if (!hi)
		return NULL;
	/* x occurs twice: nested ones would double at each level */
	rn_expr_measure(x, &nodes, &depth);
	if (nodes > RN_MAX_LIST) {
		rn_diag_add(l->diag, RN_ERROR, "E-LIMIT-DEPTH", expr->span,
			    "`between` of an expression that is too long");
		return NULL;
	}
	ge = rn_expr_op(l->arena, RN_OP_GE, BOOL_TY, x, lo);
	le = rn_expr_op(l->arena, RN_OP_LE, BOOL_TY, rn_expr_clone(l->arena, x), hi);
	return rn_expr_op(l->arena, RN_OP_AND, BOOL_TY, ge, le);
}

/* Adds the query to those that are asked before the plan. Returns its number + 1; 0 after a
 * report. */
static unsigned asked_first(struct rn_lower *l, struct rn_ast_query *query)
{
	struct rn_plan *p = l->plan, **sets,
		       *set = rn_lower_query(l->arena, l->diag, query, l->names, l, true);

	if (!set)
		return 0;
	sets = RN_NEWN(l->arena, struct rn_plan *, p->nsets + 1);
	if (p->nsets)
		memcpy(sets, p->sets, p->nsets * sizeof(struct rn_plan *));
	sets[p->nsets++] = set;
	p->sets = sets;
	return p->nsets;
}

static struct rn_expr *asked(struct rn_lower *l, const struct rn_ast_expr *expr)
{
	struct rn_expr *e = rn_expr_new(l->arena, RN_E_ASKED, expr->ty, expr->span);

	e->index = (int)asked_first(l, expr->query);
	return e->index ? e : NULL;
}

static struct rn_expr *in_query(struct rn_lower *l, const struct rn_ast_expr *expr, lower_fn *lower)
{
	struct rn_expr *x = lower(l, expr->args), *in;
	unsigned set = x ? asked_first(l, expr->query) : 0;

	if (!set)
		return NULL;
	in = rn_expr_new(l->arena, RN_E_IN, BOOL_TY, expr->span);
	in->index = (int)set;
	in->of = l->plan->sets[set - 1]->out[0].ty;
	in->narg = 1;
	in->arg = RN_NEWN(l->arena, struct rn_expr *, 1);
	in->arg[0] = x;
	return in;
}

/* Constants stay a list; other elements become `x = y or ...`. */
static struct rn_expr *in_list(struct rn_lower *l, const struct rn_ast_expr *expr, lower_fn *lower)
{
	struct rn_expr *x = lower(l, expr->args), *in, *rest = NULL;
	unsigned n = 0;

	if (!x)
		return NULL;
	for (const struct rn_ast_expr *y = expr->args->next; y; y = y->next)
		n++;
	in = rn_expr_new(l->arena, RN_E_IN, BOOL_TY, expr->span);
	in->arg = RN_NEWN(l->arena, struct rn_expr *, n + 1);
	in->arg[in->narg++] = x;
	for (const struct rn_ast_expr *ast = expr->args->next; ast; ast = ast->next) {
		struct rn_expr *y = lower(l, ast), *eq;

		if (!y)
			return NULL;
		y = rn_fold_expr(l->arena, y);
		if (y->kind == RN_E_CONST) {
			in->arg[in->narg++] = y;
			continue;
		}
		eq = rn_expr_op(l->arena, RN_OP_EQ, BOOL_TY, rn_expr_clone(l->arena, x), y);
		rest = rest ? rn_expr_op(l->arena, RN_OP_OR, BOOL_TY, rest, eq) : eq;
	}
	if (in->narg == 1)
		return rest;
	return rest ? rn_expr_op(l->arena, RN_OP_OR, BOOL_TY, in, rest) : in;
}

static struct rn_expr *call_of(struct rn_lower *l, const char *func, struct rn_ty ty,
			       struct rn_expr *x)
{
	struct rn_expr *c = rn_expr_new(l->arena, RN_E_CALL, ty, x->span);

	c->func = rn_func_find(func);
	c->arg = RN_NEWN(l->arena, struct rn_expr *, 1);
	c->arg[0] = x;
	c->narg = 1;
	return c;
}

/* Makes the units of a product explicit, so that what evaluates it need not know them: bytes /
 * latency becomes bytes / latency * 1e9, as durations count ns and rates count seconds. A duration
 * or a size that comes of floats is rounded. */
static struct rn_expr *product(struct rn_lower *l, struct rn_expr *op)
{
	struct rn_ty a = op->arg[0]->ty, b = op->arg[1]->ty, ty = op->ty;
	enum rn_unit unit;
	int shift = 0;
	struct rn_expr *ns;

	rn_unit_product((enum rn_unit)a.unit, op->op == RN_OP_DIV, (enum rn_unit)b.unit, &unit,
			&shift);
	if (ty.type == RN_T_INT && !shift && a.type != RN_T_FLOAT && b.type != RN_T_FLOAT)
		return op;
	op->ty.type = RN_T_FLOAT;
	if (shift) {
		ns = rn_expr_new(l->arena, RN_E_CONST, (struct rn_ty){RN_T_FLOAT, 0}, op->span);
		ns->value = rn_float(1e9);
		op = rn_expr_op(l->arena, shift > 0 ? RN_OP_MUL : RN_OP_DIV, op->ty, op, ns);
		op->span = ns->span;
	}
	return ty.type == RN_T_INT ? call_of(l, "round", ty, op) : op;
}

static struct rn_expr *operation(struct rn_lower *l, const struct rn_ast_expr *e, lower_fn *lower)
{
	struct rn_expr *x = lower(l, e->args), *y = NULL, *op;

	if (!x)
		return NULL;
	if (e->kind == RN_AST_BINARY) {
		y = lower(l, e->args->next);
		if (!y)
			return NULL;
	}
	op = rn_expr_op(l->arena, e->op, e->ty, x, y);
	op->span = e->span;
	if (e->op == RN_OP_MUL || e->op == RN_OP_DIV)
		op = product(l, op);
	/* `-5` is a number, not an operation on one */
	return e->op == RN_OP_NEG && x->kind == RN_E_CONST ? rn_fold_expr(l->arena, op) : op;
}

/* The time at which the query was planned: one for all of it. */
static struct rn_expr *now(struct rn_lower *l, struct rn_expr *e)
{
	while (l->outer)
		l = l->outer;
	if (!l->now_ns)
		l->now_ns = rn_epoch_ns();
	e->kind = RN_E_CONST;
	e->value = rn_int(l->now_ns);
	return e;
}

static struct rn_expr *local_zone(struct rn_lower *l)
{
	struct rn_expr *c =
		rn_expr_new(l->arena, RN_E_CONST, (struct rn_ty){RN_T_STR, 0}, (struct rn_span){0});
	const char *text = rn_zone_text(l->arena);

	c->value = rn_strn(text, strlen(text));
	return c;
}

static struct rn_expr *call(struct rn_lower *l, const struct rn_ast_expr *expr, lower_fn *lower)
{
	struct rn_expr *c = rn_expr_new(l->arena, RN_E_CALL, expr->ty, expr->span);

	c->func = expr->func ? expr->func : rn_func_find(expr->name);
	if (!c->func)
		return unknown(l, expr);
	if (c->func->name == rn_func_now)
		return now(l, c);
	c->arg = RN_NEWN(l->arena, struct rn_expr *, c->func->max_args);
	for (const struct rn_ast_expr *x = expr->args; x; x = x->next) {
		struct rn_expr *y = lower(l, x);

		if (!y)
			return NULL;
		c->arg[c->narg++] = rn_fold_expr(l->arena, y);
	}
	if (rn_func_written(c->func) < c->func->max_args)
		c->arg[c->narg++] = local_zone(l);
	return c;
}

/* Lowers what is the same over rows and over groups. */
static struct rn_expr *common(struct rn_lower *l, const struct rn_ast_expr *e, lower_fn *lower)
{
	switch (e->kind) {
	case RN_AST_LITERAL: return constant(l, e);
	case RN_AST_BETWEEN: return between(l, e, lower);
	case RN_AST_IN:
		return e->live    ? rn_lower_live(l, e, lower(l, e->args))
		       : e->query ? in_query(l, e, lower)
				  : in_list(l, e, lower);
	case RN_AST_UNARY:
	case RN_AST_BINARY: return operation(l, e, lower);
	case RN_AST_CALL: return call(l, e, lower);
	case RN_AST_ASKED: return asked(l, e);
	case RN_AST_NAME:
	case RN_AST_PARAM: break;
	}
	return unknown(l, e);
}

struct rn_expr *rn_lower_input(struct rn_lower *lower, const struct rn_ast_expr *expr)
{
	if (expr->kind == RN_AST_NAME)
		return input_name(lower, expr);
	if (expr->kind == RN_AST_CALL && expr->agg) {
		rn_diag_add(lower->diag, RN_ERROR, "E-AGG-WHERE", expr->span,
			    "`%s` is an aggregate: it has no value for a single event",
			    rn_print_expr(lower->arena, expr));
		return NULL;
	}
	return common(lower, expr, rn_lower_input);
}

/* ---- over groups ---- */

/* The constants after the argument. */
static bool agg_params(struct rn_lower *l, struct rn_agg_call *c, const struct rn_ast_expr *x,
		       const struct rn_ast_expr *end)
{
	if (strcmp(c->def->sig.name, rn_quantile_form))
		c->param[0] = c->def->preset;
	for (unsigned i = 0; x && x != end && i < 3; x = x->next, i++) {
		struct rn_expr *y = rn_lower_input(l, x);

		if (!y)
			return false;
		y = rn_fold_expr(l->arena, y);
		if (y->kind != RN_E_CONST ||
		    (y->value.kind != RN_INT && y->value.kind != RN_FLOAT)) {
			rn_diag_add(l->diag, RN_ERROR, "E-TYPE", x->span,
				    "%s() wants a constant number here", c->def->sig.name);
			return false;
		}
		c->param[i] = y->value.kind == RN_INT ? (double)y->value.i : y->value.f;
	}
	return true;
}

static bool same_call(const struct rn_agg_call *a, const struct rn_agg_call *b)
{
	for (unsigned i = 0; i < sizeof(a->param) / sizeof(a->param[0]); i++)
		if (a->param[i] != b->param[i])
			return false;
	return a->def == b->def && rn_expr_equal(a->arg, b->arg) &&
	       rn_expr_equal(a->where, b->where);
}

/* Lowers the arguments: the first one, the constants after it, and the condition. What only counts
 * is a sum of the condition, which needs no state of its own. */
static bool agg_args(struct rn_lower *lower, const struct rn_ast_expr *expr,
		     struct rn_agg_call *call)
{
	const struct rn_ast_expr *arg = expr->args, *condition = NULL;

	if (expr->partial)
		for (condition = arg; condition->next; condition = condition->next)
			;
	if (condition && !(call->where = rn_lower_input(lower, condition)))
		return false;
	if (arg == condition)
		arg = NULL;
	if (arg && !(call->arg = rn_lower_input(lower, arg)))
		return false;
	if (condition && !arg) {
		call->arg = call->where;
		call->where = NULL;
		if (call->def->sig.arg == RN_ARG_NONE)
			call->def = rn_agg_find("sum");
	}
	call->fixed = call->arg && call->arg->ty.type == RN_T_FLOAT;
	return agg_params(lower, call, arg ? arg->next : NULL, condition);
}

/* Keeps each different aggregate of the query once, even if the query writes it often. */
static struct rn_expr *aggregate(struct rn_lower *lower, const struct rn_ast_expr *expr)
{
	struct rn_fragment *fragment = &lower->plan->frag;
	struct rn_agg_call call = {.def = rn_agg_find(expr->agg->name),
				   .ty = expr->ty,
				   .text = rn_print_expr(lower->arena, expr)},
			   *aggs;
	unsigned i;

	if (!call.def) {
		rn_diag_add(lower->diag, RN_ERROR, "E-LATER", expr->span,
			    "the aggregate `%s` is not executed by this version", expr->name);
		return NULL;
	}
	if (!strcmp(expr->agg->name, rn_quantile_form))
		rn_quantile_of(expr->name, &call.param[0]);
	if (!agg_args(lower, expr, &call))
		return NULL;
	for (i = 0; i < fragment->naggs && !same_call(&fragment->aggs[i], &call); i++)
		;
	if (i == fragment->naggs) {
		aggs = RN_NEWN(lower->arena, struct rn_agg_call, fragment->naggs + 1);
		if (fragment->naggs)
			memcpy(aggs, fragment->aggs, fragment->naggs * sizeof(*aggs));
		aggs[fragment->naggs++] = call;
		fragment->aggs = aggs;
	}
	return rn_expr_ref(lower->arena, RN_E_AGG, (int)i, expr->ty);
}

static bool has_query(const struct rn_ast_expr *e)
{
	if (e->query)
		return true;
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		if (has_query(x))
			return true;
	return false;
}

/* The key that this part without aggregates equals as a whole; NULL, silently, if none. */
/* A key with a query in it, by its text: lowering it twice would make its set twice. */
static struct rn_expr *key_of_text(struct rn_lower *l, const struct rn_ast_expr *e)
{
	const struct rn_fragment *f = &l->plan->frag;
	const struct rn_ast_item *by = l->query->by;
	const char *text = rn_print_expr(l->arena, e);

	/* of keys that are written twice, the place in the list is not that in the fragment */
	for (unsigned k = 0; by && k < f->nkeys; k++, by = by->next)
		if (!strcmp(text, rn_print_expr(l->arena, by->expr)))
			return rn_expr_ref(l->arena, RN_E_KEY, (int)k, f->keys[k]->ty);
	return NULL;
}

static struct rn_expr *key_ref(struct rn_lower *l, const struct rn_ast_expr *e)
{
	const struct rn_fragment *f = &l->plan->frag;
	struct rn_expr *x;

	if (has_query(e))
		return key_of_text(l, e);
	l->trying = true;
	x = rn_lower_input(l, e);
	l->trying = false;
	for (unsigned k = 0; x && k < f->nkeys; k++)
		if (rn_expr_equal(x, f->keys[k]))
			return rn_expr_ref(l->arena, RN_E_KEY, (int)k, x->ty);
	return NULL;
}

static struct rn_expr *grouped_name(struct rn_lower *l, const struct rn_ast_expr *e)
{
	const struct rn_ast_item *it = l->over_output ? output_item(l, e) : NULL;
	struct rn_expr *x = it ? output_column(l, it, rn_lower_grouped) : key_ref(l, e);

	if (x || rn_diag_errors(l->diag))
		return x;
	if (l->query->every_ns && !strcmp(e->name, "window"))
		rn_diag_hint(l->diag,
			     rn_diag_add(l->diag, RN_ERROR, "E-LATER", e->span,
					 "computing with `window` is not executed by this version"),
			     "choose events by `time` in `where`");
	else
		rn_diag_add(l->diag, RN_ERROR, "E-GROUP-KEY", e->span,
			    "`%s` is neither a key nor an aggregate", e->name);
	return NULL;
}

struct rn_expr *rn_lower_grouped(struct rn_lower *lower, const struct rn_ast_expr *expr)
{
	struct rn_expr *x;

	if (expr->kind == RN_AST_CALL && expr->agg)
		return aggregate(lower, expr);
	if (expr->kind == RN_AST_LITERAL)
		return constant(lower, expr);
	if (expr->kind == RN_AST_NAME)
		return grouped_name(lower, expr);
	if (!rn_ast_has_agg(expr)) {
		x = key_ref(lower, expr);
		if (x)
			return x;
	}
	return common(lower, expr, rn_lower_grouped);
}
