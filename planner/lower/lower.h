/* lower.h - from the resolved AST to the logical plan: shared by the files that do it.
 *
 * Lowering keeps the meaning and drops the sugar. Names become fields, keys, aggregates or columns;
 * `between` becomes two comparisons; the WHERE becomes a list of conjuncts. It refuses what this
 * version does not execute, and does not optimise. */
#ifndef RN_PLANNER_LOWER_LOWER_H
#define RN_PLANNER_LOWER_LOWER_H
#include "planner/plan/plan.h"

enum { RN_MAX_KEYS = 64, RN_MAX_GROUPS = 16384 };

struct rn_lower {
	struct rn_arena *arena;
	struct rn_diag *diag;
	const struct rn_names *names;
	const struct rn_ast_query *query;
	struct rn_plan *plan;
	struct rn_lower *outer; /* the query around this one; or NULL */
	/* in `having` and `order by`: search names among the columns of the output first */
	bool over_output;
	/* unknown names are no error: the caller tries something else */
	bool trying;
	bool is_set;    /* this query is the one in `in (query)` */
	int64_t now_ns; /* of the outermost: what now() is; 0: it was not asked for */
};

/* lower.c: returns NULL after reporting why. */
struct rn_plan *rn_lower_query(struct rn_arena *arena, struct rn_diag *diag,
			       struct rn_ast_query *query, const struct rn_names *names,
			       struct rn_lower *outer, bool is_set);
/* expr.c. Lowers over the source's row: where, by, arguments of aggregates, columns of rows.
 * Returns NULL after a report. */
struct rn_expr *rn_lower_input(struct rn_lower *lower, const struct rn_ast_expr *expr);
/* Lowers over groups: keys and aggregates (which it adds to the fragment as they come up). */
struct rn_expr *rn_lower_grouped(struct rn_lower *lower, const struct rn_ast_expr *expr);
bool rn_ast_has_agg(const struct rn_ast_expr *expr);
/* source.c: fills the fragment's class, tags or child. */
bool rn_lower_source(struct rn_lower *lower);
/* Sets the duration. If both a query and its nested query have `for`, the shorter one applies.
 * for_ns: 0 for none. */
void rn_plan_ends_by(struct rn_plan *plan, int64_t for_ns);
/* order.c: order, top, limit, and the default order of groups. */
bool rn_lower_order(struct rn_lower *lower);
/* unsupported.c: reports what this version does not execute; true if there is nothing. */
bool rn_refuse_query(struct rn_lower *lower);
/* The same after lowering, for what only the plan shows. */
bool rn_refuse_plan(struct rn_lower *lower);

/* ---- lower.c ---- */

/* Appends a conjunct for each operand of the ANDs of expr. */
void rn_plan_add_where(struct rn_arena *arena, struct rn_fragment *fragment, struct rn_expr *expr);

/* ---- live.c ---- */

/* Lowers `x in live (query)`; lower: of what stands before `in`. NULL after a report. */
struct rn_expr *rn_lower_live(struct rn_lower *lower, const struct rn_ast_expr *expr,
			      struct rn_expr *of);
/* Once the rules have moved all conditions to the events that they are about: gives each fragment
 * the sets that it asks, in plan and those below it. Reports a set that no kernel can keep. */
bool rn_place_live_sets(struct rn_arena *arena, struct rn_diag *diag, struct rn_plan *plan);

/* ---- nulls.c ---- */

/* Gives each aggregate whose argument can be NULL by a division a companion that counts how often
 * it was (rn_agg_call.nulls_of), in plan and those below it. */
void rn_count_nulls(struct rn_arena *arena, struct rn_plan *plan);
#endif
