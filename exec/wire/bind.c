/* bind.c - gives the names of a received fragment their meaning on this node, and checks every type
 * again.
 *
 * A coordinator may be of another version, or hostile: what passes here must be safe to evaluate
 * and to compile to BPF. Expressions on rows may name fields only. Keys, aggregates and columns of
 * a child query belong to the coordinator. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exec/wire/codec.h"
#include "lang/values/json.h"
#include "lang/catalog/funcs.h"
#include "lang/catalog/list.h"
#include "lang/catalog/numbering.h"

enum { MAX_LINEAR = 1 << 16 };

struct binder {
	struct rn_fragment *fragment;
	struct rn_arena *arena; /* the fragment's */
	/* the class whose fields the current expression uses: the fragment's, or that of an end of
	 * a pair */
	const struct rn_class *cls;
	const struct rn_catalog *catalog;
	struct rn_err *err;
	enum rn_place place; /* of the current expression */
	/* it is a condition of an end of a pair: the pairing reads its fields */
	bool of_end;
};

static int refuse(struct binder *b, const char *what, const char *name)
{
	return rn_err_set(b->err, -EINVAL, "this node refuses the fragment: %s%s%s%s", what,
			  *name ? " `" : "", name, *name ? "`" : "");
}

/* The catalogue knows which step of a member this kernel does not have. */
static int no_field(struct binder *b, const char *name)
{
	char why[600] = "", *way;

	if (rn_is_member(name) && b->cls->member)
		b->cls->member(b->cls->member_self, b->cls, name, why, sizeof(why));
	if (!why[0])
		return refuse(b, "its source has no field", name);
	way = strchr(why, '\n');
	if (way)
		*way++ = 0;
	rn_err_set(b->err, -EINVAL, "the kernel of this node cannot give `%s`: %s", name, why);
	if (way)
		rn_err_hint(b->err, "%s", way);
	return -EINVAL;
}

static bool is_text(const struct rn_expr *e)
{
	return rn_is_text(e->ty);
}
static bool is_number(const struct rn_expr *e)
{
	return rn_is_number(e->ty);
}

static bool const_ok(const struct rn_expr *e)
{
	switch (e->value.kind) {
	case RN_BOOL:
	case RN_INT: return e->ty.type == RN_T_BOOL || e->ty.type == RN_T_INT;
	case RN_FLOAT: return e->ty.type == RN_T_FLOAT;
	case RN_STR: return e->ty.type == RN_T_IP ? e->value.len == RN_IP_BYTES : rn_is_text(e->ty);
	default: return e->ty.type != RN_T_ERROR;
	}
}

/* A field of the class, or that of a live set. In a list, a condition on the events of one class
 * may have a field that others lack. */
static const struct rn_field *find_field(const struct binder *b, const char *name, struct rn_ty ty)
{
	const struct rn_live_set *set = rn_live_set_named(b->fragment, name);
	const struct rn_field *field = set ? set->field : rn_class_field(b->cls, name);

	return field || (!b->cls->list && !b->cls->each)
		       ? field
		       : rn_class_some_field(b->catalog, b->cls, name, ty);
}

/* globbed: it stands before a glob. */
static int bind_field(struct binder *b, struct rn_expr *e, bool globbed)
{
	const struct rn_field *field = find_field(b, e->name, e->ty);

	if (!field)
		return no_field(b, e->name);
	if (field->ty.type != e->ty.type || field->ty.unit != e->ty.unit)
		return refuse(b, "another type here has field", e->name);
	if (b->place == RN_AT_KERNEL &&
	    !(field->where & (RN_IN_KERNEL | (globbed ? RN_IN_GLOB : 0))))
		return refuse(b, "not evaluated in this kernel is field", e->name);
	e->field = field;
	e->index = -1;
	for (unsigned i = 0; i < b->fragment->nfields; i++)
		if (b->fragment->fields[i] == field)
			e->index = (int)i;
	if (e->index < 0 && b->place != RN_AT_KERNEL && !b->of_end)
		return refuse(b, "not among the fields of its rows is", e->name);
	return 0;
}

static bool comparable(const struct rn_expr *x, const struct rn_expr *y)
{
	if (is_number(x) && is_number(y))
		return true;
	return is_text(x) && is_text(y) && (x->ty.type == RN_T_IP) == (y->ty.type == RN_T_IP);
}

static bool op_ok(const struct rn_expr *expr)
{
	const struct rn_expr *x = expr->arg[0], *y = expr->narg > 1 ? expr->arg[1] : NULL;
	bool logic = expr->ty.type == RN_T_BOOL;

	if (!y)
		return is_number(x) &&
		       (expr->op == RN_OP_NOT ? logic
					      : expr->op == RN_OP_NEG && !logic && is_number(expr));
	switch (expr->op) {
	case RN_OP_AND:
	case RN_OP_OR: return logic && is_number(x) && is_number(y);
	case RN_OP_EQ:
	case RN_OP_NE:
	case RN_OP_LT:
	case RN_OP_LE:
	case RN_OP_GT:
	case RN_OP_GE: return logic && comparable(x, y);
	case RN_OP_GLOB:
	case RN_OP_NGLOB: return logic && is_text(x) && is_text(y);
	case RN_OP_REGEX:
		return logic && is_text(x) && is_text(y) && y->kind == RN_E_CONST &&
		       y->value.kind == RN_STR;
	case RN_OP_NOT:
	case RN_OP_NEG: return false;
	case RN_OP_BITAND:
		if (expr->ty.type == RN_T_STR) {
			const struct rn_field *f = rn_expr_numbered(expr);

			return f && f->numbering->flags && y->kind == RN_E_CONST &&
			       y->value.kind == RN_STR;
		}
		/* fall through */
	case RN_OP_BITOR:
	case RN_OP_BITXOR:
	case RN_OP_SHL:
	case RN_OP_SHR:
		return expr->ty.type == RN_T_INT && x->ty.type == RN_T_INT &&
		       y->ty.type == RN_T_INT;
	default: return !logic && is_number(expr) && is_number(x) && is_number(y);
	}
}

static int bind_call(struct binder *b, struct rn_expr *e)
{
	const struct rn_func *fn = rn_func_find(e->name);
	unsigned like;

	if (!fn || e->narg < fn->min_args || e->narg > fn->max_args)
		return refuse(b, "no such function, or not with so many arguments:", e->name);
	for (unsigned i = 0; i < e->narg; i++)
		if (!rn_func_takes(fn, i, e->arg[i]->ty))
			return refuse(b, "an argument of another type has", e->name);
	if (fn->result.type != RN_T_ERROR && fn->result.type != e->ty.type)
		return refuse(b, "another result has", e->name);
	/* if(c, a, b) is like a and b, other functions are like their first argument */
	like = rn_func_chooses(fn) ? 1 : 0;
	if (fn->result.type == RN_T_ERROR && e->narg && is_text(e->arg[like]) != is_text(e))
		return refuse(b, "another result has", e->name);
	if (b->place == RN_AT_KERNEL && !fn->kernel)
		return refuse(b, "not evaluated in a kernel is", e->name);
	e->func = fn;
	return 0;
}

static bool is_globbed(const struct rn_expr *expr, unsigned i)
{
	return expr->kind == RN_E_OP && !i && expr->arg[i]->kind == RN_E_FIELD &&
	       (expr->op == RN_OP_GLOB || expr->op == RN_OP_NGLOB);
}

/* Gives constants beside flags the order of names that this kernel has. */
static void order_flags(struct binder *b, struct rn_expr *expr)
{
	bool compares = expr->kind == RN_E_IN ||
			(expr->kind == RN_E_OP && (expr->op == RN_OP_EQ || expr->op == RN_OP_NE));

	for (unsigned i = 0; compares && i < expr->narg; i++) {
		const struct rn_field *f = rn_expr_numbered(expr->arg[i]);

		for (unsigned k = 0; f && k < expr->narg; k++)
			if (k != i && expr->arg[k]->kind == RN_E_CONST &&
			    expr->arg[k]->value.kind == RN_STR)
				expr->arg[k]->value = rn_numbering_ordered(b->arena, f->numbering,
									   &expr->arg[k]->value);
	}
}

static int bind_expr(struct binder *b, struct rn_expr *expr)
{
	unsigned deep = expr->kind == RN_E_IN ? 1 : expr->narg;
	int err;

	if (expr->ty.type == RN_T_ERROR)
		return refuse(b, "an expression without a type", "");
	for (unsigned i = 0; i < deep; i++)
		if ((err = is_globbed(expr, i) ? bind_field(b, expr->arg[i], true)
					       : bind_expr(b, expr->arg[i])))
			return err;
	switch (expr->kind) {
	case RN_E_CONST: return const_ok(expr) ? 0 : refuse(b, "a constant of another type", "");
	case RN_E_FIELD: return bind_field(b, expr, false);
	case RN_E_OP:
		order_flags(b, expr);
		return op_ok(expr) ? 0 : refuse(b, "wrong types for", rn_op_text(expr->op));
	case RN_E_IN:
		order_flags(b, expr);
		for (unsigned i = 1; i < expr->narg; i++)
			if (!const_ok(expr->arg[i]) || !comparable(expr->arg[0], expr->arg[i]))
				return refuse(b, "a constant of another type in a list", "");
		return expr->ty.type == RN_T_BOOL ? 0 : refuse(b, "wrong types for", "in");
	case RN_E_CALL: return bind_call(b, expr);
	default: return refuse(b, "an expression that belongs to the coordinator", "");
	}
}

static bool params_ok(const struct rn_agg_call *c)
{
	const double *p = c->param;

	if (c->def->cell == RN_CELL_LINEAR)
		return p[2] > 0 && p[1] > p[0] && (p[1] - p[0]) / p[2] <= MAX_LINEAR;
	if (c->def->cell == RN_CELL_LOGLIN)
		return p[0] >= 0 && p[0] <= 1;
	return true;
}

static int find_agg(struct binder *b, struct rn_agg_call *c)
{
	const char *name = c->def->sig.name;

	c->def = NULL;
	for (const struct rn_agg *const *d = rn_aggs; *d && !c->def; d++)
		if (!strcmp((*d)->sig.name, name))
			c->def = *d;
	if (!c->def)
		return refuse(b, "no such aggregate:", name);
	if (c->arg ? c->def->sig.arg == RN_ARG_NONE
		   : c->def->sig.arg != RN_ARG_NONE && !c->def->sig.arg_optional)
		return refuse(b, "one argument too few or too many has", name);
	if (!params_ok(c))
		return refuse(b, "a parameter out of range has", name);
	c->fixed = c->arg && c->arg->ty.type == RN_T_FLOAT;
	return 0;
}

static int bind_agg(struct binder *b, struct rn_agg_call *c)
{
	int err = find_agg(b, c);

	if (err || (c->arg && (err = bind_expr(b, c->arg))) ||
	    (c->where && (err = bind_expr(b, c->where))))
		return err;
	if (c->where && c->where->ty.type != RN_T_BOOL)
		return refuse(b, "no condition chooses the events of", c->def->sig.name);
	if (c->arg && c->def->sig.arg > RN_ARG_ANY && !is_number(c->arg))
		return refuse(b, "no number is the argument of", c->def->sig.name);
	if (b->place == RN_AT_KERNEL && (c->def->not_kernel || rn_agg_uses_blob(c)))
		return refuse(b, "not evaluated in a kernel is", c->def->sig.name);
	return 0;
}

int rn_fragment_bind_aggs(struct rn_fragment *fragment, struct rn_err *err)
{
	struct binder b = {.fragment = fragment, .err = err};
	int bad = 0;

	for (unsigned i = 0; i < fragment->naggs && !bad; i++)
		bad = find_agg(&b, &fragment->aggs[i]);
	return bad;
}

static int find_class(struct binder *b, struct rn_arena *arena, const struct rn_catalog *c,
		      const char *name, const char *arg, const struct rn_class **out)
{
	char why[256] = "";

	*out = rn_class_find(arena, c, name, arg, why, sizeof(why));
	if (!*out && *why)
		return rn_err_set(b->err, -ENOENT, "this node refuses the fragment: %.*s",
				  rn_catalog_why(why), why);
	if (!*out)
		return refuse(b, "no event class or table here is named", name);
	if ((*out)->later)
		return refuse(b, (*out)->later, name);
	return (*out)->needs_arg && !arg && !b->fragment->ntags
		       ? refuse(b, "it does not say which", name)
		       : 0;
}

static int bind_where(struct binder *b, struct rn_conjunct *w, unsigned n)
{
	int bad;

	for (unsigned i = 0; i < n; i++) {
		b->place = w[i].judged ? RN_AT_NODE : w[i].place;
		if ((bad = bind_expr(b, w[i].expr)))
			return bad;
		if (w[i].judged && (w[i].place != RN_AT_KERNEL || b->of_end || b->fragment->ends ||
				    b->fragment->ntags || !rn_expr_judged(w[i].expr)))
			return refuse(b, "a condition that cannot be judged", "");
		if (!is_number(w[i].expr))
			return refuse(b, "a condition that is neither true nor false", "");
	}
	return 0;
}

/* Binds the ends, their conditions (tested where events are paired, or nowhere) and the keys. Then
 * makes the class as the planner did. */
static int bind_pair(struct binder *b, struct rn_arena *arena, const struct rn_catalog *catalog)
{
	struct rn_fragment *fragment = b->fragment;
	const struct rn_class *end[2];
	const char *why;
	int bad;

	if (strcmp(fragment->class_name, "between")) /* others recognize the pair by this name */
		return refuse(b, "no pair is the class", fragment->class_name);
	for (unsigned i = 0; i < 2; i++) {
		if ((bad = find_class(b, arena, catalog, fragment->ends[i].class_name,
				      fragment->ends[i].class_arg, &end[i])))
			return bad;
		if ((why = rn_pair_end_trouble(arena, end[i])))
			return refuse(b, why, fragment->ends[i].class_name);
		b->cls = end[i];
		b->of_end = true;
		bad = bind_where(b, fragment->ends[i].where, fragment->ends[i].nwhere);
		b->of_end = false;
		if (bad)
			return bad;
		for (unsigned k = 0; k < fragment->ends[i].nwhere; k++)
			if (fragment->ends[i].where[k].place !=
			    (end[i]->recorded ? RN_AT_NODE : RN_AT_KERNEL))
				return refuse(b,
					      "the node that pairs events cannot test a condition "
					      "of an end",
					      "");
	}
	for (unsigned k = 0; k < fragment->npair_keys; k++) {
		const struct rn_field *key[2];

		for (unsigned i = 0; i < 2; i++)
			if (!(key[i] = rn_class_field(end[i], fragment->pair_keys[k].name[i])))
				return refuse(b, "an end of the pair has no field",
					      fragment->pair_keys[k].name[i]);
		if ((why = rn_pair_key_trouble(arena, key[0], key[1], end[0]->recorded)))
			return refuse(b, why, fragment->pair_keys[k].name[0]);
	}
	fragment->cls =
		rn_pair_class(arena, end[0], end[1], fragment->pair_keys, fragment->npair_keys);
	return 0;
}

/* Events of exec add to a set, by conditions that the kernel tests. Rows of `processes` are in it
 * at the beginning. */
static int bind_live_set(struct binder *b, struct rn_arena *arena, const struct rn_catalog *catalog,
			 struct rn_live_set *set)
{
	struct rn_fragment *exec = set->exec, *begin = set->begin;
	const char *name = set->field->name;
	int bad;

	if (rn_class_field(b->fragment->cls, name) || b->fragment->cls->kind != RN_CLASS_EVENT ||
	    b->fragment->cls->recorded ||
	    !(set->field = rn_live_field(arena, b->fragment->cls, name, set->of_parent)))
		return refuse(b, "its source has no live sets", name);
	if ((bad = rn_fragment_bind(arena, exec, catalog, b->err)) ||
	    (begin && (bad = rn_fragment_bind(arena, begin, catalog, b->err))))
		return bad;
	if (strcmp(exec->class_name, "exec") != 0 || exec->grouped || exec->nfields ||
	    (begin && (strcmp(begin->class_name, "processes") != 0 || begin->grouped ||
		       begin->ncols != 1 || begin->cols[0].expr->kind != RN_E_FIELD ||
		       strcmp(begin->cols[0].expr->name, "pid") != 0)))
		return refuse(b, "a live set of other events than exec", name);
	for (unsigned i = 0; i < exec->nwhere; i++)
		if (exec->where[i].place != RN_AT_KERNEL || exec->where[i].judged)
			return refuse(b,
				      "a live set with a condition that the kernel does not test",
				      name);
	for (unsigned i = 0; begin && i < begin->nwhere; i++)
		if (begin->where[i].place != RN_AT_NODE)
			return refuse(b, "a live set with a condition that is not the node's",
				      name);
	exec->adds = true;
	return 0;
}

static int bind_live_sets(struct binder *b, struct rn_arena *arena,
			  const struct rn_catalog *catalog)
{
	int bad = 0;

	for (unsigned i = 0; i < b->fragment->nlive && !bad; i++)
		bad = bind_live_set(b, arena, catalog, b->fragment->live[i]);
	return bad;
}

static int bind_class(struct binder *b, struct rn_arena *arena, const struct rn_catalog *catalog)
{
	struct rn_fragment *fragment = b->fragment;
	int bad = fragment->ends ? bind_pair(b, arena, catalog)
				 : find_class(b, arena, catalog, fragment->class_name,
					      fragment->class_arg, &fragment->cls);

	if (bad)
		return bad;
	b->cls = fragment->cls;
	if ((bad = bind_live_sets(b, arena, catalog)))
		return bad;
	for (unsigned i = 0; i < fragment->nfields; i++) {
		const struct rn_field *field =
			find_field(b, fragment->fields[i]->name, fragment->fields[i]->ty);

		if (!field)
			return no_field(b, fragment->fields[i]->name);
		if (field->ty.type != fragment->fields[i]->ty.type ||
		    field->ty.unit != fragment->fields[i]->ty.unit)
			return refuse(b, "another type here has field", fragment->fields[i]->name);
		fragment->fields[i] = field;
	}
	return 0;
}

/* Can the kernel group by what the keys are computed from? */
static int check_derived(struct binder *b)
{
	const struct rn_fragment *f = b->fragment;

	if (!f->derived)
		return f->nfine ? refuse(b, "fields to group by, and no key of them", "") : 0;
	if (!f->grouped || f->agg_place != RN_AT_KERNEL || f->ends || f->nkeys > 63 ||
	    f->derived >> f->nkeys || f->nfine > f->nfields)
		return refuse(b, "keys that cannot be computed from others", "");
	for (unsigned i = 0; i < f->nfine; i++)
		if (!(f->fields[i]->where & (RN_IN_KERNEL | RN_IN_KEY)))
			return refuse(b, "not a key in this kernel is field", f->fields[i]->name);
	return 0;
}

/* Does the key use a field that the kernel does not group by? */
static bool beyond_fine(const struct rn_fragment *f, const struct rn_expr *e)
{
	bool beyond = e->kind == RN_E_FIELD && e->index >= (int)f->nfine;

	for (unsigned i = 0; i < e->narg; i++)
		beyond |= beyond_fine(f, e->arg[i]);
	return beyond;
}

int rn_fragment_bind(struct rn_arena *arena, struct rn_fragment *fragment,
		     const struct rn_catalog *catalog, struct rn_err *err)
{
	struct binder b = {.fragment = fragment, .arena = arena, .catalog = catalog, .err = err};
	int bad;

	if ((bad = bind_class(&b, arena, catalog)) ||
	    (bad = bind_where(&b, fragment->where, fragment->nwhere)))
		return bad;
	if ((bad = check_derived(&b)))
		return bad;
	for (unsigned i = 0; i < fragment->nkeys; i++) {
		b.place = !fragment->grouped || fragment->derived >> i & 1 ? RN_AT_NODE
									   : fragment->agg_place;
		if ((bad = bind_expr(&b, fragment->keys[i])))
			return bad;
		if (fragment->derived >> i & 1 && beyond_fine(fragment, fragment->keys[i]))
			return refuse(
				&b, "a key is computed from what the kernel does not group by", "");
	}
	b.place = fragment->grouped ? fragment->agg_place : RN_AT_NODE;
	for (unsigned i = 0; i < fragment->naggs; i++)
		if ((bad = bind_agg(&b, &fragment->aggs[i])))
			return bad;
	b.place = RN_AT_NODE;
	for (unsigned i = 0; i < fragment->ncols; i++)
		if ((bad = bind_expr(&b, fragment->cols[i].expr)))
			return bad;
	return 0;
}
