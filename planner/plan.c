/* plan.c - planning from end to end: lower, rewrite, split. */
#include "planner/lower.h"
#include "planner/rules.h"
#include "planner/split.h"

struct rn_plan *rn_plan_query(struct rn_arena *a, struct rn_diag *d, struct rn_ast_query *q, const struct rn_names *names,
			      const struct rn_plan_opts *opts)
{
	static const struct rn_plan_opts defaults;
	struct rn_plan *p = rn_lower_query(a, d, q, names, NULL, false);

	if (!p || rn_diag_errors(d))
		return NULL;
	if (!opts)
		opts = &defaults;
	if (!opts->no_rules)
		rn_rules_apply(a, p);
	rn_split(a, p, opts);
	return p;
}
