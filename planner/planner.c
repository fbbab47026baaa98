/* planner.c - planning from end to end: lower, rewrite, split. */
#include "planner/lower/lower.h"
#include "planner/rules/rules.h"
#include "planner/split/split.h"

/* Length of the windows in column `id` of p's source; 0: none. */
static int64_t window_below(const struct rn_plan *p, unsigned id)
{
	unsigned column;
	int64_t ns;

	if (p->given)
		return p->given->window_ns && p->given->window == id ? p->given->window_ns : 0;
	ns = p->child ? rn_plan_window(p->child, &column) : 0;
	return ns && column == id ? ns : 0;
}

static const struct rn_expr *source_of(const struct rn_plan *p, const struct rn_expr *e)
{
	if (e->kind == RN_E_COLUMN && p->kind == RN_PLAN_ROWS)
		return p->frag.cols[e->index].expr;
	return e->kind == RN_E_KEY ? p->frag.keys[e->index] : e;
}

static bool reads_table(const struct rn_plan *p)
{
	while (p->child)
		p = p->child;
	return !p->given && p->frag.cls->kind == RN_CLASS_TABLE;
}

int64_t rn_plan_window(const struct rn_plan *plan, unsigned *column)
{
	*column = 0;
	if (reads_table(plan))
		return 0;
	if (rn_plan_has_window(plan))
		return plan->over_ns ? plan->over_ns : plan->every_ns;
	for (unsigned i = 0; rn_plan_is_local(plan) && i < plan->nout - plan->nhidden; i++) {
		const struct rn_expr *e = source_of(plan, plan->out[i].expr);
		int64_t ns = e->kind == RN_E_FIELD ? window_below(plan, e->field->id) : 0;

		*column = i;
		if (ns)
			return ns;
	}
	return 0;
}

/* Aligns a live query to whole windows, if some fit. They are those of the outermost query if their
 * length divides `for`, else those of a query inside. */
static void align(struct rn_plan *p)
{
	struct rn_plan *leaf = p;

	for (unsigned i = 0; i < p->nsets; i++)
		align(p->sets[i]);
	while (leaf->child)
		leaf = leaf->child;
	for (; p && !leaf->align_ns; p = p->child)
		if (p->every_ns && leaf->for_ns && leaf->for_ns % p->every_ns == 0 && !leaf->from &&
		    !leaf->given && leaf->frag.cls->kind != RN_CLASS_TABLE)
			leaf->align_ns = p->every_ns;
}

struct rn_plan *rn_plan_query(struct rn_arena *arena, struct rn_diag *diag,
			      struct rn_ast_query *query, const struct rn_names *names,
			      const struct rn_plan_opts *opts)
{
	static const struct rn_plan_opts defaults;
	struct rn_plan *p = rn_lower_query(arena, diag, query, names, NULL, false);

	if (!p || rn_diag_errors(diag))
		return NULL;
	if (!opts)
		opts = &defaults;
	if (!opts->no_rules)
		rn_rules_apply(arena, p);
	if (!rn_place_live_sets(arena, diag, p))
		return NULL;
	rn_count_nulls(arena, p);
	rn_split(arena, p, opts);
	/* what was noted before matters more */
	if (!opts->no_rules && !opts->no_kernel && !opts->no_pushdown && !rn_diag_first(diag))
		rn_split_note_rows(arena, diag, p);
	align(p);
	return p;
}
