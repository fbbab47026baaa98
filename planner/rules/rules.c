/* rules.c - the table of rules, and the walks that they share.
 *
 * Order: constants first, because all else is then simpler. Quotients compared with them come next.
 * Merging comes before pushing, because a merged query needs no pushing. Pruning comes after
 * pushing, because a pushed predicate may free a column. Cost and limits come last. */
#include "planner/rules/rules.h"
#include "lang/base/limits.h"

const struct rn_rule rn_rules[] = {
	{"fold", "constant expressions are computed once, here", rn_rule_fold},
	{"quotient", "a quotient compared with a constant is compared in whole numbers",
	 rn_rule_quotient},
	{"texts", "what a text begins with, ends with or holds is a glob", rn_rule_texts},
	{"merge", "a view or nested query of plain rows becomes part of the query around it",
	 rn_rule_merge},
	{"having", "conditions on keys alone choose events, not groups", rn_rule_having},
	{"pushdown", "predicates move into nested queries, nearer to the events", rn_rule_pushdown},
	{"prune", "unused columns and aggregates are not computed", rn_rule_prune},
	{"trivial", "conditions that are always true, false, or written twice", rn_rule_trivial},
	{"regexes", "what a regular expression begins or ends with is a glob beside it",
	 rn_rule_regexes},
	{"cheap-first", "predicates in the order of their cost", rn_rule_cheap_first},
	{"limit", "`limit` of unordered rows holds at each node already", rn_rule_limit},
	{"aggsplit", "the kernel makes partial states if it can, if need be by finer keys",
	 rn_rule_aggsplit},
	{NULL, NULL, NULL},
};

/* Parents first. */
static void apply_tree(const struct rn_rule *r, struct rn_arena *a, struct rn_plan *p)
{
	r->apply(a, p);
	if (p->child)
		apply_tree(r, a, p->child);
	for (unsigned i = 0; i < p->nsets; i++)
		apply_tree(r, a, p->sets[i]);
}

void rn_rules_apply(struct rn_arena *arena, struct rn_plan *plan)
{
	for (const struct rn_rule *r = rn_rules; r->name; r++)
		apply_tree(r, arena, plan);
}

struct fit {
	const struct rn_plan *child;
	const struct rn_expr *(*source)(const struct rn_plan *c, unsigned column);
	uint64_t nodes;
	unsigned depth;
};

static void measure(struct fit *f, const struct rn_expr *e, unsigned level)
{
	unsigned below = 0;

	if (e->kind == RN_E_FIELD)
		rn_expr_measure(f->source(f->child, e->field->id), &f->nodes, &below);
	else
		f->nodes++;
	if (level + below > f->depth)
		f->depth = level + below;
	for (unsigned i = 0; i < e->narg; i++)
		measure(f, e->arg[i], level + 1);
}

bool rn_rule_fits(const struct rn_expr *expr, const struct rn_plan *plan,
		  const struct rn_expr *(*source)(const struct rn_plan *c, unsigned column),
		  uint64_t *nodes)
{
	struct fit f = {.child = plan, .source = source};

	measure(&f, expr, 1);
	*nodes += f.nodes;
	return f.depth <= RN_MAX_DEPTH && *nodes <= RN_MAX_NODES;
}

void rn_fragment_rewrite(struct rn_fragment *fragment,
			 struct rn_expr *(*fn)(void *self, struct rn_expr *e), void *self)
{
	for (unsigned i = 0; i < fragment->nwhere; i++)
		fragment->where[i].expr = fn(self, fragment->where[i].expr);
	for (unsigned i = 0; i < fragment->nkeys; i++)
		fragment->keys[i] = fn(self, fragment->keys[i]);
	for (unsigned i = 0; i < fragment->naggs; i++) {
		if (fragment->aggs[i].arg)
			fragment->aggs[i].arg = fn(self, fragment->aggs[i].arg);
		if (fragment->aggs[i].where)
			fragment->aggs[i].where = fn(self, fragment->aggs[i].where);
	}
	for (unsigned i = 0; i < fragment->ncols; i++)
		fragment->cols[i].expr = fn(self, fragment->cols[i].expr);
}

void rn_plan_rewrite(struct rn_plan *plan, struct rn_expr *(*fn)(void *self, struct rn_expr *e),
		     void *self)
{
	rn_fragment_rewrite(&plan->frag, fn, self);
	for (unsigned i = 0; i < plan->nout; i++)
		plan->out[i].expr = fn(self, plan->out[i].expr);
	if (plan->having)
		plan->having = fn(self, plan->having);
}
