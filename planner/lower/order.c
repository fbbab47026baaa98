/* order.c - `order by`, `top N`, `limit`, and the order of a grouped answer without them.
 *
 * Groups are ordered by the first aggregate, greatest first, if it is a number; then by the keys.
 * Rows stay as they come. `top N` orders by its expression, or by the first aggregate, or by the
 * last numeric column, greatest first. The keys of a grouped answer are always appended, so that
 * its order is total. */
#include <string.h>
#include "planner/lower/lower.h"
#include "lang/syntax/print.h"

static bool is_number(struct rn_ty t)
{
	return t.type == RN_T_INT || t.type == RN_T_FLOAT;
}

static void add_order(struct rn_lower *l, int column, bool desc)
{
	struct rn_plan *p = l->plan;
	struct rn_order *order;

	for (unsigned i = 0; i < p->norder; i++)
		if (p->order[i].column == column)
			return; /* already ordered by it: a second time changes nothing */
	order = RN_NEWN(l->arena, struct rn_order, p->norder + 1);
	if (p->norder)
		memcpy(order, p->order, p->norder * sizeof(*order));
	order[p->norder++] = (struct rn_order){.column = column, .desc = desc};
	p->order = order;
	p->out[column].known = rn_plan_unsure(p, (unsigned)column);
}

static struct rn_column *append_column(struct rn_lower *l, struct rn_column *cols, unsigned n,
				       const char *label, struct rn_expr *e)
{
	struct rn_column *out = RN_NEWN(l->arena, struct rn_column, n + 1);

	if (n)
		memcpy(out, cols, n * sizeof(*out));
	out[n] = (struct rn_column){.label = label, .expr = e, .ty = e->ty};
	return out;
}

/* The index of the output column that holds e: a shown one, or a hidden one added for it. */
static int column_of(struct rn_lower *l, struct rn_expr *e, const char *label)
{
	struct rn_plan *p = l->plan;
	bool groups = p->kind == RN_PLAN_GROUPS;

	for (unsigned i = 0; i < p->nout; i++)
		if (rn_expr_equal(groups ? p->out[i].expr : p->frag.cols[i].expr, e))
			return (int)i;
	if (!groups) {
		p->frag.cols = append_column(l, p->frag.cols, p->frag.ncols++, label, e);
		e = rn_expr_ref(l->arena, RN_E_COLUMN, (int)p->nout, e->ty);
	}
	p->out = append_column(l, p->out, p->nout++, label, e);
	p->nhidden++;
	return (int)p->nout - 1;
}

/* Handles an expression of `order by` or `top N by`: an own column by its label, or anything that a
 * column can hold. */
static bool order_by(struct rn_lower *lower, const struct rn_ast_expr *expr, bool desc)
{
	struct rn_plan *p = lower->plan;
	const char *text = rn_print_expr(lower->arena, expr),
		   *name = expr->kind == RN_AST_NAME ? expr->name : text;
	struct rn_expr *x;

	for (unsigned i = 0; i < p->nout - p->nhidden; i++)
		if (!strcmp(p->out[i].label, name)) {
			add_order(lower, (int)i, desc);
			return true;
		}
	if (rn_plan_has_window(p) && !strcmp(name, "window")) {
		if (desc)
			rn_diag_add(lower->diag, RN_ERROR, "E-LATER", expr->span,
				    "windows come in the order of time, the first one first");
		/* windows come in this order anyway; top and limit apply within one */
		return !desc;
	}
	if (p->kind == RN_PLAN_FLOW) {
		rn_diag_add(lower->diag, RN_ERROR, "E-NAME-FIELD", expr->span,
			    "`%s` is not a column of a flow", text);
		return false;
	}
	x = p->kind == RN_PLAN_GROUPS ? rn_lower_grouped(lower, expr) : rn_lower_input(lower, expr);
	if (!x)
		return false;
	add_order(lower, column_of(lower, x, text), desc);
	return true;
}

/* Was this column of a let's result an aggregate there? */
static bool made_of_aggregate(const struct rn_let *let, const struct rn_field *f)
{
	unsigned i = let->shape->every_ns > 0;

	for (const struct rn_ast_item *it = let->shape->items; it; it = it->next, i++)
		if (i == f->id)
			return it->expr->agg;
	return false;
}

/* The column that a person means by "the greatest"; -1 if there is none. Groups are ordered by the
 * first aggregate or, without `top`, not at all; `top` takes the first aggregate that is a
 * number. */
static int best_column(const struct rn_plan *plan, bool top)
{
	const struct rn_plan *groups = plan;
	unsigned n = plan->nout - plan->nhidden;

	if (plan->kind == RN_PLAN_GROUPS) {
		for (unsigned i = 0; i < n; i++)
			if (rn_expr_has(plan->out[i].expr, RN_E_AGG) &&
			    (is_number(plan->out[i].ty) || !top))
				return is_number(plan->out[i].ty) ? (int)i : -1;
		return -1;
	}
	for (unsigned i = 0; plan->given && i < n; i++)
		if (plan->frag.cols[i].expr->kind == RN_E_FIELD && is_number(plan->out[i].ty) &&
		    made_of_aggregate(plan->given, plan->frag.cols[i].expr->field))
			return (int)i;
	/* rows that show a nested answer's columns: its first aggregate, if shown */
	groups = plan->child;
	for (unsigned i = 0; groups && groups->kind == RN_PLAN_GROUPS && i < n; i++) {
		const struct rn_expr *expr = plan->frag.cols[i].expr;
		unsigned window = rn_plan_has_window(groups);

		if (expr->kind == RN_E_FIELD && expr->field->id >= window && is_number(expr->ty) &&
		    rn_expr_has(groups->out[expr->field->id - window].expr, RN_E_AGG))
			return (int)i;
	}
	for (unsigned i = n; i-- > 0;)
		if (is_number(plan->out[i].ty))
			return (int)i;
	return -1;
}

static void order_by_keys(struct rn_lower *l)
{
	struct rn_plan *p = l->plan;

	for (unsigned k = 0; p->kind == RN_PLAN_GROUPS && k < p->frag.nkeys; k++) {
		struct rn_expr *key = rn_expr_ref(l->arena, RN_E_KEY, (int)k, p->frag.keys[k]->ty);

		add_order(l, column_of(l, key, rn_expr_text(l->arena, p->frag.keys[k])), false);
	}
}

static void limit_to(struct rn_plan *p, int64_t n)
{
	if (p->limit < 0 || n < p->limit)
		p->limit = n;
}

/* The shown column, plus 1, by which `top` chooses, if its values add up; 0: they do not. */
static unsigned share_column(const struct rn_plan *p)
{
	const struct rn_expr *e;
	int column = p->norder && p->order[0].desc ? p->order[0].column : -1;

	if (p->kind != RN_PLAN_GROUPS || !p->frag.nkeys || column < 0 ||
	    column >= (int)(p->nout - p->nhidden))
		return 0;
	e = p->out[column].expr;
	return e->kind == RN_E_AGG && rn_agg_adds_up(p->frag.aggs[e->index].def)
		       ? (unsigned)column + 1
		       : 0;
}

bool rn_lower_order(struct rn_lower *lower)
{
	const struct rn_ast_query *query = lower->query;
	struct rn_plan *p = lower->plan;
	bool top = query->has_top || query->what == RN_WHAT_TOP, ok = true;
	int best;

	lower->over_output = true;
	if (query->has_top)
		limit_to(p, query->top);
	if (query->what == RN_WHAT_TOP)
		limit_to(p, query->what_top);
	if (query->has_limit)
		limit_to(p, query->limit);
	if (query->top_by)
		ok = order_by(lower, query->top_by, true);
	for (const struct rn_ast_item *it = query->order; it && ok; it = it->next)
		ok = order_by(lower, it->expr, it->desc);
	if (!ok)
		return false;
	p->order_default = !p->norder;
	if (!p->norder && (p->frag.nkeys || (top && p->kind != RN_PLAN_GROUPS))) {
		best = best_column(p, top);
		if (best >= 0)
			add_order(lower, best, true);
		else if (top && p->kind != RN_PLAN_GROUPS) {
			rn_diag_hint(lower->diag,
				     rn_diag_add(lower->diag, RN_ERROR, "E-TYPE",
						 query->has_top ? query->top_span : query->span,
						 "`top` finds no number to order by"),
				     "say what by: `top N by EXPRESSION`, or use `limit N`");
			return false;
		}
	}
	order_by_keys(lower);
	p->share = query->has_top && !query->having ? share_column(p) : 0;
	return true;
}
