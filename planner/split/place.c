/* place.c - which expressions the kernel can evaluate, as tables and one recursive check.
 *
 * Conservative: an unknown combination goes to the node, which can evaluate everything. Reasons are
 * short clauses that read well after the expression: "regex: not in the kernel". */
#include <stdio.h>
#include <string.h>
#include "lang/catalog/numbering.h"
#include "planner/split/place.h"
#include "planner/split/range.h"

const char *rn_place_name(enum rn_place p)
{
	static const char *const names[] = {"kernel", "node", "coordinator"};

	return names[p];
}

static bool is_int(const struct rn_expr *e)
{
	return e->ty.type == RN_T_INT || e->ty.type == RN_T_BOOL;
}
static bool is_const(const struct rn_expr *e)
{
	return e->kind == RN_E_CONST;
}
/* Is it of a type that the kernel compares only as a field against a constant? */
static bool is_text(const struct rn_expr *e)
{
	return e->ty.type == RN_T_STR || e->ty.type == RN_T_IP;
}

static const char *place(struct rn_arena *a, const struct rn_expr *e);

static const char *place_field(struct rn_arena *a, const struct rn_expr *e)
{
	if (e->ty.type == RN_T_FLOAT)
		return "floating point: not in the kernel";
	if (e->field->where & RN_IN_KERNEL)
		return NULL;
	return rn_arena_printf(a, "`%s`: %s", e->name,
			       e->field->not_kernel ? e->field->not_kernel
						    : "only user space knows it");
}

static const char *place_const(const struct rn_expr *e)
{
	if (e->value.kind == RN_FLOAT)
		return "floating point: not in the kernel";
	if (e->value.kind == RN_NULL)
		return "null: not in the kernel";
	if (e->ty.type == RN_T_STR && e->value.len > RN_KERNEL_STRING)
		return "a string of more than 63 bytes: not in the kernel";
	return NULL;
}

static const char *place_glob(struct rn_arena *a, const struct rn_expr *e)
{
	const struct rn_expr *x = e->arg[0], *pattern = e->arg[1];

	if (!is_const(pattern))
		return "a pattern that is not constant: not in the kernel";
	if (x->ty.type == RN_T_STACK)
		return "the text of a stack is made on the node";
	if (x->kind != RN_E_FIELD || x->ty.type != RN_T_STR)
		return "a pattern over anything but a string field: not in the kernel";
	if (pattern->value.len > RN_KERNEL_STRING)
		return "a pattern of more than 63 bytes: not in the kernel";
	if (memchr(pattern->value.s, '[', pattern->value.len))
		return "a pattern with brackets: not in the kernel";
	if (x->field->numbering && x->field->numbering->flags)
		return "a pattern over names of flags: not in the kernel";
	if (x->field->numbering && !rn_numbering_glob(pattern->value.s, pattern->value.len))
		return "a pattern that numbers without a name may match: not in the kernel";
	return x->field->where & RN_IN_GLOB ? NULL : place_field(a, x);
}

/* gfp_flags & "__GFP_IO" */
static bool is_mask(const struct rn_expr *e)
{
	return e->kind == RN_E_OP && rn_expr_numbered(e);
}

static const char *place_mask(struct rn_arena *arena, const struct rn_expr *mask,
			      const struct rn_expr *with)
{
	const char *why = place_field(arena, mask->arg[0]);

	return why ? why : place_const(with);
}

/* x = y and x != y: numbers of any form, strings and addresses as a field against a constant. */
static const char *place_equal(struct rn_arena *arena, const struct rn_expr *x,
			       const struct rn_expr *y)
{
	const char *why;

	if (!is_int(x) || !is_int(y)) {
		if (x->ty.type == RN_T_FLOAT || y->ty.type == RN_T_FLOAT)
			return "floating point: not in the kernel";
		if (x->ty.type == RN_T_BYTES || y->ty.type == RN_T_BYTES)
			return "comparing payload: not in the kernel";
		if (!is_text(x) || !is_text(y))
			return rn_arena_printf(arena, "comparing a %s: not in the kernel",
					       rn_type_name(is_text(x) ? y->ty : x->ty));
		if (is_mask(x) && is_const(y))
			return place_mask(arena, x, y);
		if (is_mask(y) && is_const(x))
			return place_mask(arena, y, x);
		if (!(x->kind == RN_E_FIELD && is_const(y)) &&
		    !(y->kind == RN_E_FIELD && is_const(x)))
			return x->kind == RN_E_CALL || y->kind == RN_E_CALL
				       ? "a function of strings: not in the kernel"
				       : "comparing two strings: not in the kernel";
	}
	why = place(arena, x);
	return why ? why : place(arena, y);
}

static const char *place_op(struct rn_arena *arena, const struct rn_expr *expr)
{
	const struct rn_expr *x = expr->arg[0], *y = expr->narg > 1 ? expr->arg[1] : expr->arg[0];
	const char *why;

	switch (expr->op) {
	case RN_OP_REGEX: return "regex: not in the kernel";
	case RN_OP_GLOB:
	case RN_OP_NGLOB: return place_glob(arena, expr);
	case RN_OP_EQ:
	case RN_OP_NE: return place_equal(arena, x, y);
	case RN_OP_NOT:
	case RN_OP_AND:
	case RN_OP_OR: break;
	case RN_OP_SHL:
	case RN_OP_SHR:
		if (!is_const(y) || y->value.kind != RN_INT || y->value.i < 0 || y->value.i > 63)
			return "a shift by anything but a constant: not in the kernel";
		break;
	case RN_OP_DIV:
	case RN_OP_MOD:
		if (expr->ty.type == RN_T_FLOAT && is_int(x) && is_int(y))
			return "a quotient with a fraction: not in the kernel";
		if (x->ty.type != RN_T_FLOAT && y->ty.type != RN_T_FLOAT &&
		    !(is_const(y) && y->value.kind == RN_INT && y->value.i > 0))
			return "division by anything but a positive constant: not in the kernel";
		/* fall through */
	default:
		if (x->ty.type == RN_T_FLOAT || y->ty.type == RN_T_FLOAT)
			return "floating point: not in the kernel";
		if (x->ty.type == RN_T_STR && y->ty.type == RN_T_STR)
			return "order of strings: not in the kernel";
		if (!is_int(x) || !is_int(y))
			return rn_arena_printf(arena, "`%s` of a %s: not in the kernel",
					       rn_op_text(expr->op), rn_type_name(x->ty));
	}
	why = place(arena, x);
	return why || expr->narg < 2 ? why : place(arena, y);
}

/* Is it a number, the name of a task, a path or a word? The kernel finds it in a set of any size.
 */
static bool has_set(const struct rn_expr *e)
{
	return is_int(e) ||
	       (e->kind == RN_E_FIELD && e->ty.type == RN_T_STR && e->field->kind != RN_KIND_OTHER);
}

static const char *place_in(struct rn_arena *a, const struct rn_expr *e)
{
	const struct rn_expr *x = e->arg[0];
	const char *why = NULL;

	if (e->index && e->of.type == RN_T_FLOAT)
		return "floating point: not in the kernel";
	if (!has_set(x) && e->index)
		return "the set is the answer of another query, of such texts: not in the kernel";
	if (!has_set(x) && e->narg - 1 > RN_KERNEL_IN)
		return "a list of more than 64 such texts: not in the kernel";
	if (!is_int(x) && !(is_text(x) && x->kind == RN_E_FIELD) && !is_mask(x))
		return rn_arena_printf(a, "a list compared with %s: not in the kernel",
				       x->kind == RN_E_FIELD
					       ? rn_arena_printf(a, "a %s", rn_type_name(x->ty))
					       : "an expression that is no number");
	for (unsigned i = 1; i < e->narg && !why; i++)
		why = place_const(e->arg[i]);
	if (!why && is_mask(x))
		why = place_field(a, x->arg[0]);
	return why || is_mask(x) ? why : place(a, x);
}

/* if(c, a, b): the kernel would leave out an event that lacks what one branch uses, even if the
 * other branch is taken. */
static const char *place_choice(struct rn_arena *a, const struct rn_expr *e)
{
	const char *why = NULL;

	if (!is_int(e))
		return e->ty.type == RN_T_FLOAT ? "floating point: not in the kernel"
						: "a choice of texts: not in the kernel";
	for (unsigned i = 0; i < e->narg && !why; i++) {
		if (rn_expr_unsure(e->arg[i]))
			return "if() of what may be unknown: not in the kernel";
		why = place(a, e->arg[i]);
	}
	return why;
}

/* Does the kernel have the field as a text? Words, like names of calls, it has as numbers. */
static bool has_length(const struct rn_expr *e)
{
	return e->kind == RN_E_FIELD && e->ty.type == RN_T_STR && e->field->kind != RN_KIND_WORD;
}

static const char *place_call(struct rn_arena *arena, const struct rn_expr *expr)
{
	const char *why = NULL;

	if (expr->func == &rn_func_is_null)
		return "null: not in the kernel";
	if (expr->func == &rn_func_in_live)
		return place(arena, expr->arg[0]);
	if (rn_func_chooses(expr->func))
		return place_choice(arena, expr);
	if (!expr->func->kernel)
		return rn_arena_printf(arena, "%s(): not in the kernel", expr->func->name);
	if (!strcmp(expr->func->name, "len") && !has_length(expr->arg[0]))
		return "len() of anything but a path, a task's name or a tracepoint's text: not in "
		       "the kernel";
	for (unsigned i = 0; i < expr->narg && !why; i++) {
		if (i && !is_const(expr->arg[i]))
			return rn_arena_printf(
				arena,
				"%s() with an argument that is not constant: not in the kernel",
				expr->func->name);
		if (i && expr->arg[i]->value.kind == RN_INT && expr->arg[i]->value.i <= 0)
			return rn_arena_printf(
				arena,
				"%s() with a constant that is not positive: not in the kernel",
				expr->func->name);
		if (!i && !is_int(expr->arg[i]) && expr->arg[i]->kind != RN_E_FIELD)
			return rn_arena_printf(arena, "%s() of an expression: not in the kernel",
					       expr->func->name);
		why = place(arena, expr->arg[i]);
	}
	return why;
}

static const char *place(struct rn_arena *a, const struct rn_expr *e)
{
	switch (e->kind) {
	case RN_E_CONST: return place_const(e);
	case RN_E_FIELD: return place_field(a, e);
	case RN_E_OP: return place_op(a, e);
	case RN_E_IN: return place_in(a, e);
	case RN_E_CALL: return place_call(a, e);
	case RN_E_ASKED: return "the value is the answer of another query: not in the kernel";
	case RN_E_KEY:
	case RN_E_AGG:
	case RN_E_COLUMN: break;
	}
	return "only the coordinator knows it";
}

/* The number of intermediate results kept while e is computed: one for each left side whose right
 * side is not a constant. */
static unsigned temps(const struct rn_expr *e)
{
	unsigned most = 0;

	for (unsigned i = 0; i < e->narg; i++) {
		unsigned n =
			is_const(e->arg[i]) ? 0 : temps(e->arg[i]) + (i == 1 && e->op > RN_OP_AND);

		if (n > most)
			most = n;
	}
	return most;
}

const char *rn_place_expr(struct rn_arena *arena, const struct rn_expr *expr)
{
	const char *why = place(arena, expr);

	if (why)
		return why;
	if (temps(expr) > RN_KERNEL_TEMPS)
		return "nested too deeply: not in the kernel";
	return rn_range_beyond(expr) ? "arithmetic that may exceed 64 bits: not in the kernel"
				     : NULL;
}

static unsigned weight(const struct rn_expr *e)
{
	unsigned n = e->kind == RN_E_OP && (e->op == RN_OP_GLOB || e->op == RN_OP_NGLOB)
			     ? RN_KERNEL_GLOB
			     : 1;

	/* a set is one lookup */
	for (unsigned i = 0; i < (e->kind == RN_E_IN && e->narg - 1 > RN_KERNEL_IN ? 1 : e->narg);
	     i++)
		n += weight(e->arg[i]);
	return n;
}

const char *rn_place_predicate(struct rn_arena *arena, const struct rn_expr *expr, unsigned *nodes)
{
	const char *why = rn_place_expr(arena, expr);

	if (why)
		return why;
	if (*nodes + weight(expr) > RN_KERNEL_NODES)
		return "more conditions than a program in the kernel may hold";
	*nodes += weight(expr);
	return NULL;
}

bool rn_place_judged(const struct rn_plan *plan, const struct rn_expr *expr)
{
	/* a search for tags has conditions of its own, and the ends of a pair have none */
	return !plan->frag.cls->pair && !plan->frag.ntags && strcmp(plan->frag.cls->name, "tag") &&
	       rn_expr_judged(expr);
}

const char *rn_place_key_set(const struct rn_fragment *fragment)
{
	/* a tracepoint's text is stored in full; names of tasks and files are shorter */
	unsigned text = fragment->cls->arg || (fragment->ends && (fragment->ends[0].class_arg ||
								  fragment->ends[1].class_arg))
				? 128
				: 24,
		 bytes = 0;

	if (fragment->nkeys > RN_KERNEL_KEYS)
		return "more than 8 keys: not in the kernel";
	for (unsigned i = 0; i < fragment->nkeys; i++)
		bytes += fragment->keys[i]->ty.type == RN_T_STR                            ? text
			 : fragment->keys[i]->ty.type == RN_T_IP                           ? 24
			 : fragment->keys[i]->ty.type == RN_T_STACK                        ? 16
			 : fragment->keys[i]->ty.type == RN_T_TAGS && fragment->ntags > 64 ? 128
											   : 8;
	return bytes > RN_KERNEL_KEY_BYTES ? "keys of so much text: not in the kernel" : NULL;
}

const char *rn_place_key(struct rn_arena *arena, const struct rn_expr *expr)
{
	if (expr->kind == RN_E_FIELD && (is_int(expr) || is_text(expr) ||
					 expr->ty.type == RN_T_TAGS || expr->ty.type == RN_T_STACK))
		return place_field(arena, expr);
	if (expr->kind == RN_E_FIELD)
		return rn_arena_printf(arena, "a key of type %s: not in the kernel",
				       rn_type_name(expr->ty));
	if (expr->ty.type == RN_T_FLOAT)
		return "floating point: not in the kernel";
	if (!is_int(expr))
		return expr->kind == RN_E_CALL
			       ? rn_arena_printf(arena, "%s(): not in the kernel", expr->func->name)
			       : "a key that is computed text: not in the kernel";
	return rn_place_expr(arena, expr);
}

const char *rn_place_agg(struct rn_arena *arena, const struct rn_agg_call *call)
{
	const struct rn_expr *x = call->arg;
	const char *why = call->def->not_kernel;

	if (!why && call->where)
		why = rn_place_expr(arena, call->where);
	if (why)
		return why;
	if (!x)
		return NULL;
	if (call->fixed)
		return "floating point: not in the kernel";
	if (!is_int(x) && call->def->cell == RN_CELL_HLL && x->kind == RN_E_FIELD && is_text(x))
		return x->field->numbering
			       ? "names and numbers without one: not hashed in the kernel"
			       : place_field(arena, x);
	if (!is_int(x))
		return rn_arena_printf(arena, "%s() of a %s: not in the kernel",
				       call->def->sig.name, rn_type_name(x->ty));
	return rn_place_expr(arena, x);
}

const char *rn_place_source(const struct rn_plan *plan)
{
	if (plan->child)
		return "the rows of a nested query are at the coordinator";
	if (plan->given)
		return "the rows of a result are at the coordinator";
	if (plan->from)
		return "recorded trace: no kernel";
	if (plan->frag.cls->kind == RN_CLASS_TABLE)
		return "a table is read in user space";
	return NULL;
}
