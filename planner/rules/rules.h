/* rules.h - the rewrites of a logical plan: one file each in planner/rules/, one table in
 * planner/rules/rules.c.
 *
 * A rule takes a whole plan and returns one that differs from the written query only in cost: the
 * answer stays the same, row by row. Rules see every plan of a query, parents before their children
 * and sets. The order of the table matters; its comment explains it. */
#ifndef RN_PLANNER_RULES_RULES_H
#define RN_PLANNER_RULES_RULES_H
#include "planner/plan/plan.h"

struct rn_rule {
	const char *name;
	const char *doc;
	void (*apply)(struct rn_arena *arena, struct rn_plan *plan);
};
extern const struct rn_rule rn_rules[]; /* ends with name NULL */
void rn_rules_apply(struct rn_arena *arena, struct rn_plan *plan);

void rn_rule_fold(struct rn_arena *arena, struct rn_plan *plan);        /* fold.c */
void rn_rule_quotient(struct rn_arena *arena, struct rn_plan *plan);    /* quotient.c */
void rn_rule_texts(struct rn_arena *arena, struct rn_plan *plan);       /* texts.c */
void rn_rule_merge(struct rn_arena *arena, struct rn_plan *plan);       /* merge.c */
void rn_rule_regexes(struct rn_arena *arena, struct rn_plan *plan);     /* regexes.c */
void rn_rule_having(struct rn_arena *arena, struct rn_plan *plan);      /* having.c */
void rn_rule_pushdown(struct rn_arena *arena, struct rn_plan *plan);    /* pushdown.c */
void rn_rule_prune(struct rn_arena *arena, struct rn_plan *plan);       /* prune.c */
void rn_rule_trivial(struct rn_arena *arena, struct rn_plan *plan);     /* trivial.c */
void rn_rule_cheap_first(struct rn_arena *arena, struct rn_plan *plan); /* cheap_first.c */
void rn_rule_limit(struct rn_arena *arena, struct rn_plan *plan);       /* limit.c */
void rn_rule_aggsplit(struct rn_arena *arena, struct rn_plan *plan);    /* aggsplit.c */

/* ---- fold.c ---- */

/* Returns the value of an expression that is the same for every event. Changes expr in place if it
 * can. */
struct rn_expr *rn_fold_expr(struct rn_arena *arena, struct rn_expr *expr);

/* ---- rules.c ---- */

/* Replacing columns by their expressions can make an expression grow without end (`x + x as x of (x
 * + x as x of ...`). Returns true if e stays within a fragment's limits once source(c, number)
 * replaces every field of it. Adds its size then to *nodes. */
enum { RN_MAX_NODES = 1 << 14 };
bool rn_rule_fits(const struct rn_expr *expr, const struct rn_plan *plan,
		  const struct rn_expr *(*source)(const struct rn_plan *plan, unsigned column),
		  uint64_t *nodes);

/* Calls fn for every expression that a fragment or its coordinator holds, and puts fn's result in
 * its place. */
void rn_plan_rewrite(struct rn_plan *plan, struct rn_expr *(*fn)(void *self, struct rn_expr *expr),
		     void *self);
/* The same for the expressions over the source's row only: where, keys, arguments, columns. */
void rn_fragment_rewrite(struct rn_fragment *fragment,
			 struct rn_expr *(*fn)(void *self, struct rn_expr *expr), void *self);
#endif
