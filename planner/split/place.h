/* place.h - can the kernel evaluate an expression? If not, why, in words for the user.
 *
 * Only this file knows what the kernel's code generator accepts; probes/ compiles all that is
 * allowed here. The functions are pure. NULL means yes; anything else is the reason (static or in
 * the arena). */
#ifndef RN_PLANNER_SPLIT_PLACE_H
#define RN_PLANNER_SPLIT_PLACE_H
#include "planner/plan/plan.h"

enum {
	RN_KERNEL_KEYS = 8,
	RN_KERNEL_KEY_BYTES = 480,
	RN_KERNEL_AGGS = 64,
	RN_KERNEL_IN = 64,
	RN_KERNEL_STRING = 63,
	RN_KERNEL_TEMPS = 4, /* intermediate results that an expression keeps at once */
	/* for all predicates of a fragment together; a glob counts as RN_KERNEL_GLOB */
	RN_KERNEL_NODES = 1024,
	RN_KERNEL_GLOB = 16,
};

/* Checks an expression by itself. */
const char *rn_place_expr(struct rn_arena *arena, const struct rn_expr *expr);
/* Checks the next predicate of a fragment. *nodes is 0 before the first, and sums up what the
 * kernel has accepted so far. */
const char *rn_place_predicate(struct rn_arena *arena, const struct rn_expr *expr, unsigned *nodes);
/* Can the kernel test the condition by what the node has judged (rn_conjunct.judged)? */
bool rn_place_judged(const struct rn_plan *plan, const struct rn_expr *expr);
/* Checks all keys together: not too many, not too wide. */
const char *rn_place_key_set(const struct rn_fragment *fragment);
/* Checks a grouping key: a number, or a field whose values the kernel can tell apart. */
const char *rn_place_key(struct rn_arena *arena, const struct rn_expr *expr);
/* Checks an aggregate's update with its argument. */
const char *rn_place_agg(struct rn_arena *arena, const struct rn_agg_call *call);
/* Checks the whole source: the kernel cannot read a table or a nested query. */
const char *rn_place_source(const struct rn_plan *plan);
#endif
