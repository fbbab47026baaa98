/* expr.h - the typed expression tree of plans and fragments: what travels to nodes, is evaluated there, or becomes BPF.
 *
 * Unlike the AST it has no names to resolve and no sugar: `between` is two comparisons, `in (list)` is IN over constants,
 * fields are indices into the row that the expression is evaluated over. */
#ifndef RN_PLANNER_EXPR_H
#define RN_PLANNER_EXPR_H
#include "lang/ast.h"

enum rn_expr_kind {
	RN_E_CONST,  /* value */
	RN_E_FIELD,  /* field: of the fragment's source; index: its place in rn_fragment.fields */
	RN_E_KEY,    /* index: grouping key (coordinator) */
	RN_E_AGG,    /* index: aggregate result (coordinator) */
	RN_E_COLUMN, /* index: output column of the child query */
	RN_E_OP,     /* op over arg[0], arg[1] */
	RN_E_IN,     /* arg[0] in arg[1..narg) which are constants */
	RN_E_CALL,   /* func(arg...) */
};

struct rn_expr {
	enum rn_expr_kind kind;
	enum rn_op op;
	struct rn_ty ty;
	struct rn_span span;            /* where it was written, for reasons and late errors */
	int index;
	const struct rn_field *field;   /* FIELD; re-bound by name at the node that receives it */
	const char *name;               /* FIELD: its name */
	const struct rn_func *func;
	struct rn_value value;
	struct rn_expr **arg;
	unsigned narg;
	const void *compiled;           /* evaluator's own (compiled regex); not serialised */
};

/* Canonical text, for dumps, explain and reasons: as the language writes it. */
const char *rn_expr_text(struct rn_arena *a, const struct rn_expr *e);
bool rn_expr_equal(const struct rn_expr *a, const struct rn_expr *b);
#endif
