/* expr.h - the typed expression tree of plans and fragments. It travels to nodes, is evaluated
 * there, or becomes BPF.
 *
 * Unlike the AST it has no names to resolve and no sugar. `between` is two comparisons, `in (list)`
 * is IN over constants, and fields are indices into the row that the expression is evaluated
 * over. */
#ifndef RN_PLANNER_PLAN_EXPR_H
#define RN_PLANNER_PLAN_EXPR_H
#include "lang/syntax/ast.h"

enum rn_expr_kind {
	RN_E_CONST,  /* value */
	RN_E_FIELD,  /* field: of the fragment's source; index: its place in rn_fragment.fields */
	RN_E_KEY,    /* index: grouping key (coordinator) */
	RN_E_AGG,    /* index: aggregate result (coordinator) */
	RN_E_COLUMN, /* index: column of the fragment, of a query for rows */
	RN_E_OP,     /* op over arg[0], arg[1] */
	/* arg[0] in the constants arg[1..narg); index > 0: in the result of rn_plan.sets[index -
	 * 1] */
	RN_E_IN,
	RN_E_CALL, /* func(arg...) */
	/* the one value of rn_plan.sets[index - 1]; a CONST once that has been asked */
	RN_E_ASKED,
};

struct rn_live_set; /* planner/plan/live_set.h */

struct rn_expr {
	enum rn_expr_kind kind;
	enum rn_op op;
	struct rn_ty ty;
	struct rn_span span; /* where it was written, for reasons and late errors */
	int index;
	const struct rn_field *field; /* FIELD; the receiving node binds it again by name */
	const char *name;             /* FIELD: its name */
	const struct rn_func *func;
	struct rn_value value;
	struct rn_expr **arg;
	unsigned narg;
	/* CALL of rn_func_in_live: its set, until rn_place_live_sets puts a field in its place */
	struct rn_live_set *live;
	struct rn_ty of;      /* IN a query: the type of its column; not serialised */
	const void *compiled; /* evaluator's own (compiled regex); not serialised */
	/* evaluator's own: it uses a field that some events lack; not serialised */
	bool unsure;
	/* evaluator's own: counter for results of more than 64 bits; NULL: none; not serialised */
	uint64_t *overflow;
};

/* ---- expr_text.c ---- */

/* Returns the canonical text, for dumps, explain and reasons: as the language writes it (strings
 * always quoted). An expression knows keys, aggregates and columns only by number: they are
 * `key#0`, `agg#0`, `column#0`. */
const char *rn_expr_text(struct rn_arena *arena, const struct rn_expr *expr);
/* The same with names for KEY, AGG, COLUMN and IN a query. name returns the text for such a node,
 * or NULL for the default. */
const char *rn_expr_text_named(struct rn_arena *arena, const struct rn_expr *expr,
			       const char *(*name)(void *self, const struct rn_expr *expr),
			       void *self);

/* ---- expr.c ---- */

/* Is each node of the same meaning? Spans and field numbers do not count. */
bool rn_expr_equal(const struct rn_expr *a, const struct rn_expr *b);

/* Returns the field of which the text has names that each kernel numbers for itself: `reason`, or
 * gfp_flags & "__GFP_IO"; NULL: any other expression. */
const struct rn_field *rn_expr_numbered(const struct rn_expr *expr);

/* Makers: all allocate in the arena. A clone shares only strings, fields and functions. */
struct rn_expr *rn_expr_new(struct rn_arena *arena, enum rn_expr_kind kind, struct rn_ty ty,
			    struct rn_span span);
struct rn_expr *rn_expr_op(struct rn_arena *arena, enum rn_op op, struct rn_ty ty,
			   struct rn_expr *left, struct rn_expr *right);
struct rn_expr *rn_expr_ref(struct rn_arena *arena, enum rn_expr_kind kind, int index,
			    struct rn_ty ty);
struct rn_expr *rn_expr_clone(struct rn_arena *arena, const struct rn_expr *expr);
/* Calls visit for expr and everything below it, parents first; expr may be NULL. */
void rn_expr_walk(struct rn_expr *expr, void (*visit)(void *self, struct rn_expr *expr),
		  void *self);
/* The same for a visitor that only looks. */
void rn_expr_look(const struct rn_expr *expr, void (*visit)(void *self, const struct rn_expr *expr),
		  void *self);
/* Adds the nodes of expr to *nodes, and raises *depth to its depth. */
void rn_expr_measure(const struct rn_expr *expr, uint64_t *nodes, unsigned *depth);
/* Does expr use a field that some events lack (rn_field.unsure)? expr may be NULL. */
bool rn_expr_unsure(const struct rn_expr *expr);
/* The condition under which the operator or the function at the top of expr has no value, though
 * its arguments have: of x / y it is y = 0. In the arena, of clones. NULL: there is none. */
struct rn_expr *rn_expr_gap(struct rn_arena *arena, const struct rn_expr *expr);
/* Has any node of expr a gap? Then its value can be NULL. expr may be NULL. */
bool rn_expr_has_gap(const struct rn_expr *expr);
/* The one field of a condition that compares a name with constants, if the kernel has a number for
 * it (RN_IN_KEY): user = root or user ~ "www*". NULL: it is no such condition. */
const struct rn_field *rn_expr_judged(const struct rn_expr *expr);
/* True if any node of expr is of that kind. */
bool rn_expr_has(const struct rn_expr *expr, enum rn_expr_kind kind);
#endif
