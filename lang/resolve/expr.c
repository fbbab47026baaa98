/* expr.c - the type of every expression: literals, operators, in, between. Names are in
 * barewords.c, calls in calls.c, units in units.c.
 *
 * A comparison is typed as a whole, because one side can decide the other: a bareword beside a
 * string is a string, a quoted address beside an address is an address. */
#include <errno.h>
#include "lang/values/regex.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"

/* The parser may leave the type of a literal to its value. */
static void type_literal(struct rn_ast_expr *e)
{
	if (e->ty.type != RN_T_ERROR)
		return;
	switch (e->value.kind) {
	case RN_BOOL: e->ty = ty(RN_T_BOOL, RN_U_NONE); break;
	case RN_INT: e->ty = ty(RN_T_INT, e->ty.unit); break;
	case RN_FLOAT: e->ty = ty(RN_T_FLOAT, e->ty.unit); break;
	case RN_STR: e->ty = ty(RN_T_STR, RN_U_NONE); break;
	default: break; /* a parameter without a value, already reported */
	}
}

/* Types both sides of a comparison: known names first, then a bareword by the other side. */
static void type_sides(struct scope *s, struct rn_ast_expr *l, struct rn_ast_expr *r, enum rn_op op)
{
	bool bare_l = l->kind == RN_AST_NAME && !name_known(s, l);
	bool bare_r = r->kind == RN_AST_NAME && !name_known(s, r);

	if (is_dashed(s, r) && !bare_l) {
		resolve_expr(s, l, s->place);
		if (!report_dashed(s, r, l, op))
			resolve_expr(s, r, s->place);
	} else if (is_dashed(s, l) && !bare_r) {
		resolve_expr(s, r, s->place);
		if (!report_dashed(s, l, r, op))
			resolve_expr(s, l, s->place);
	} else if (bare_r) {
		resolve_expr(s, l, s->place);
		adopt_bareword(s, r, l);
	} else if (bare_l) {
		resolve_expr(s, r, s->place);
		adopt_bareword(s, l, r);
	} else {
		resolve_expr(s, l, s->place);
		resolve_expr(s, r, s->place);
	}
}

/* Makes a quoted address beside an address an address, and so on. A field gets a note if a string
 * was likely meant. */
static void settle_sides(struct scope *s, struct rn_ast_expr *l, struct rn_ast_expr *r)
{
	note_bareword(s, r, l);
	coerce_literal(s, r, l);
	coerce_literal(s, l, r);
}

void resolve_compare(struct scope *s, struct rn_ast_expr *e, struct rn_ast_expr *l,
		     struct rn_ast_expr *r)
{
	type_sides(s, l, r, e->op);
	settle_sides(s, l, r);
	note_call_name(s, r, l);
	note_call_name(s, l, r);
	e->ty = check_comparable(s, e, l, r) ? ty(RN_T_BOOL, RN_U_NONE) : ty_error();
	if (!is_error(e))
		note_never(s, e->op, l, r);
}

static void check_regex(struct scope *s, const struct rn_ast_expr *pattern)
{
	struct rn_err err = {0};
	struct rn_diag_item *it;
	regex_t re;
	int r = rn_regex_compile(&re, pattern->value.s, pattern->value.len, &err);

	if (!r) {
		regfree(&re);
		return;
	}
	if (r == -E2BIG)
		it = report(s, "E-LIMIT-REGEX", pattern->span,
			    "a regular expression beyond the limits: %s", err.text);
	else
		it = report(s, "E-TYPE", pattern->span, "not a regular expression: %s", err.text);
	if (*err.hint)
		hint(s, it, "%s", err.hint);
}

/* The glob's last `[`, if no `]` closes it; else NULL. */
static const char *unclosed(const char *glob)
{
	const char *open = strrchr(glob, '[');

	return open && !strchr(open + 1, ']') && (open == glob || open[-1] != '\\') ? open : NULL;
}

/* Notes a glob that will match nothing, and returns true. It has no wildcard, and looks like a
 * pattern of SQL, like a regular expression, or unfinished. */
static bool note_glob(struct scope *s, const struct rn_ast_expr *e, const struct rn_ast_expr *l,
		      const struct rn_ast_expr *pattern)
{
	const char *text = rn_arena_strndup(s->r->a, pattern->value.s, pattern->value.len),
		   *what = rn_print_expr(s->r->a, l);
	const char *open = unclosed(text);
	size_t n = strlen(text);
	bool wild = strpbrk(text, "*?[") != NULL,
	     anchored = n && (text[0] == '^' || text[n - 1] == '$');
	struct rn_diag_item *it;
	char *glob;

	if (anchored || (n > 1 && !strncmp(text, ".*", 2))) {
		it = rn_diag_add(s->r->d, RN_NOTE, "N-GLOB", pattern->span, "in a glob, %s",
				 anchored ? "`^` and `$` stand for themselves"
					  : "a dot stands for itself");
		hint(s, it,
		     e->op == RN_OP_GLOB ? "a regular expression is written %s =~ \"%s\""
					 : "a regular expression is written not %s =~ \"%s\"",
		     what, text);
	} else if (!wild && strchr(text, '%')) {
		it = rn_diag_add(s->r->d, RN_NOTE, "N-GLOB", pattern->span,
				 "in a glob, `%%` stands for itself");
		glob = rn_arena_strdup(s->r->a, text);
		for (char *p = glob; *p; p++)
			if (*p == '%')
				*p = '*';
		hint(s, it, "globs use * and ?: %s %s \"%s\"", what, rn_op_text(e->op), glob);
	} else if (open) {
		it = rn_diag_add(s->r->d, RN_NOTE, "N-GLOB", pattern->span,
				 "in a glob, a `[` without its `]` stands for itself");
		hint(s, it, "close it, or write [[] for a `[`: %s %s \"%.*s[[]%s\"", what,
		     rn_op_text(e->op), (int)(open - text), text, open + 1);
	} else {
		return false;
	}
	return true;
}

/* text ~ "glob", text !~ "glob", text =~ "regex" */
static void resolve_match(struct scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *l = e->args, *r = l->next;
	struct rn_diag_item *it;

	type_sides(s, l, r, e->op);
	e->ty = ty_error();
	if (is_error(l) || is_error(r))
		return;
	if (!is_text(l->ty) && l->ty.type != RN_T_STACK) {
		it = report(s, "E-TYPE", l->span, "`%s` matches strings, and this is %s",
			    rn_op_text(e->op), type_phrase(l->ty));
		if (l->ty.type == RN_T_IP)
			hint(s, it, "write cidr(%s, \"10.0.0.0/8\")", rn_print_expr(s->r->a, l));
		return;
	}
	if (!is_string_literal(r)) {
		it = report(s, "E-TYPE", r->span, "the pattern of `%s` is a constant string",
			    rn_op_text(e->op));
		it->also = l->span;
		hint(s, it, "write it in quotes: \"%s\"", rn_print_expr(s->r->a, r));
		return;
	}
	if (e->op == RN_OP_REGEX)
		check_regex(s, r);
	else if (!note_glob(s, e, l, r))
		note_never(s, e->op, l, r);
	e->ty = ty(RN_T_BOOL, RN_U_NONE);
}

/* Returns A for `A or B or C`. */
static const struct rn_ast_expr *first_of_or(const struct rn_ast_expr *e)
{
	while (e->kind == RN_AST_BINARY && e->op == RN_OP_OR)
		e = e->args;
	return e;
}

/* proc = "x" or "y": is x of that kind? */
static bool same_again(const struct rn_ast_expr *e, const struct rn_ast_expr *x)
{
	const struct rn_ast_expr *first = first_of_or(e);

	return e->op == RN_OP_OR && x != first && x->kind == RN_AST_LITERAL &&
	       first->kind == RN_AST_BINARY && first->op == RN_OP_EQ &&
	       first->args->next->kind == RN_AST_LITERAL &&
	       first->args->next->ty.type == x->ty.type;
}

static void resolve_logic(struct scope *s, struct rn_ast_expr *e)
{
	struct rn_diag_item *it;
	bool bad = false;

	for (struct rn_ast_expr *x = e->args; x; x = x->next) {
		resolve_expr(s, x, s->place);
		if (is_error(x)) {
			bad = true;
		} else if (x->ty.type != RN_T_BOOL) {
			it = report(s, "E-TYPE", x->span, "`%s` needs conditions, and this is %s",
				    rn_op_text(e->op), type_phrase(x->ty));
			if (same_again(e, x))
				hint(s, it, "several values are written %s in (%s, %s%s)",
				     rn_print_expr(s->r->a, first_of_or(e)->args),
				     rn_print_expr(s->r->a, first_of_or(e)->args->next),
				     e->args == first_of_or(e) ? "" : "..., ",
				     rn_print_expr(s->r->a, x));
			else
				hint(s, it, "compare it with something: %s = ...",
				     rn_print_expr(s->r->a, x));
			bad = true;
		}
	}
	e->ty = bad ? ty_error() : ty(RN_T_BOOL, RN_U_NONE);
}

static void resolve_negation(struct scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *x = e->args;

	resolve_expr(s, x, s->place);
	e->ty = ty_error();
	if (is_error(x))
		return;
	if (refuse_hex(s, x))
		return;
	if (is_number(x->ty) && x->ty.unit != RN_U_EPOCH) {
		e->ty = x->ty;
		return;
	}
	report(s, "E-TYPE", x->span, "`-` needs a number, and this is %s", type_phrase(x->ty));
}

/* x in (s), where s is a result or a view, whose values need a query. Returns true after an error:
 * a string makes no sense there. */
static bool said_of_result(struct scope *s, const struct rn_ast_expr *left,
			   const struct rn_ast_expr *x)
{
	const struct rn_lets *lets = s->r->nviews ? NULL : s->r->names->lets;
	const struct rn_let *let =
		x->kind == RN_AST_NAME && lets ? lets->find(lets->self, x->name) : NULL;
	const struct rn_views *v = s->r->names->views;
	const char *what = let ? "result of a `let`" : "view",
		   *column = rn_print_expr(s->r->a, left), *origin;
	struct rn_diag_item *it;

	if (x->kind != RN_AST_NAME || is_error(left) ||
	    (!let && (!v || !v->find(v->self, x->name, &origin))))
		return false;
	if (let && let->shape && let->shape->items) {
		const struct rn_ast_item *i = let->shape->items;

		while (i && i->label && strcmp(i->label, column))
			i = i->next;
		column = i && i->label              ? i->label
			 : let->shape->items->label ? let->shape->items->label
						    : column;
	}
	if (is_text(left->ty))
		it = rn_diag_add(s->r->d, RN_NOTE, "N-BAREWORD", x->span,
				 "`%s` is a string here, not the %s of that name", x->name, what);
	else
		it = report(s, "E-TYPE", x->span,
			    "`%s` is a %s: `in` takes its values from a query", x->name, what);
	hint(s, it, "write in (%s of %s)", column, x->name);
	return !is_text(left->ty);
}

/* Resolves one element of x in (...). It must be a constant, so a bareword is a string even if a
 * field has that name. */
static bool resolve_element(struct scope *s, struct rn_ast_expr *e, struct rn_ast_expr *left,
			    struct rn_ast_expr *x)
{
	double ignored;

	if (said_of_result(s, left, x))
		return false;
	if (x->kind == RN_AST_NAME)
		adopt_bareword(s, x, left);
	else if (!is_dashed(s, x) || !report_dashed(s, x, left, RN_OP_EQ))
		resolve_expr(s, x, s->place);
	coerce_literal(s, x, left);
	note_call_name(s, x, left);
	if (!check_comparable(s, e, left, x))
		return false;
	if (x->kind == RN_AST_LITERAL || constant_number(x, &ignored)) {
		note_never(s, RN_OP_NONE, left, x);
		return true;
	}
	report(s, "E-TYPE", x->span, "a list after `in` holds constants");
	return false;
}

static bool resolve_subquery(struct scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_query *q = e->query;
	struct rn_ast_expr *left = e->args, column;
	struct rn_diag_item *it;

	if (!q->from) {
		q->from = s->q->from;
		q->from_span = s->q->from_span;
		q->from_outside = true;
	}
	resolve_query(s->r, q, s->catalog);
	if (!q->items)
		return false; /* its source was reported */
	if (q->items->next) {
		unsigned n = 0;

		for (const struct rn_ast_item *i = q->items; i; i = i->next)
			n++;
		it = report(s, "E-TYPE", q->span,
			    "a query after `in` has one column, and this has %u", n);
		if (q->by)
			hint(s, it,
			     "keys of `by` are columns: take them from an outer query, `a of "
			     "(...)`");
		return false;
	}
	column = *q->items->expr;
	column.span = q->span;
	return check_comparable(s, e, left, &column);
}

static void resolve_in(struct scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *left = e->args;
	bool ok = true;

	resolve_expr(s, left, s->place);
	if (left->kind == RN_AST_LITERAL && !is_error(left)) {
		report(s, "E-TYPE", left->span, "`in` asks of a field, and this is a constant");
		ok = false;
	}
	if (e->query) {
		ok &= resolve_subquery(s, e);
	} else {
		for (struct rn_ast_expr *x = left->next; x; x = x->next)
			ok &= resolve_element(s, e, left, x);
	}
	e->ty = ok && !is_error(left) ? ty(RN_T_BOOL, RN_U_NONE) : ty_error();
}

static void resolve_range(struct scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *x = e->args, *low = x->next, *high = low->next;
	bool ok;

	type_sides(s, x, low, RN_OP_EQ);
	settle_sides(s, x, low);
	ok = check_comparable(s, e, x, low);
	if (high->kind == RN_AST_NAME && !name_known(s, high))
		adopt_bareword(s, high, x);
	else
		resolve_expr(s, high, s->place);
	coerce_literal(s, high, x);
	ok = ok && check_comparable(s, e, x, high);
	if (ok)
		note_never(s, RN_OP_LE, x, high);
	e->ty = ok ? ty(RN_T_BOOL, RN_U_NONE) : ty_error();
}

static void resolve_binary(struct scope *s, struct rn_ast_expr *e)
{
	switch (e->op) {
	case RN_OP_AND:
	case RN_OP_OR: resolve_logic(s, e); break;
	case RN_OP_GLOB:
	case RN_OP_NGLOB:
	case RN_OP_REGEX: resolve_match(s, e); break;
	case RN_OP_ADD:
	case RN_OP_SUB:
	case RN_OP_MUL:
	case RN_OP_DIV:
	case RN_OP_MOD:
		resolve_expr(s, e->args, s->place);
		resolve_expr(s, e->args->next, s->place);
		type_arithmetic(s, e);
		break;
	default: resolve_compare(s, e, e->args, e->args->next); break;
	}
}

void resolve_expr(struct scope *s, struct rn_ast_expr *e, enum place place)
{
	enum place outer = s->place;

	s->place = place;
	e->column = -1;
	switch (e->kind) {
	case RN_AST_LITERAL: type_literal(e); break;
	case RN_AST_NAME: resolve_name(s, e); break;
	case RN_AST_PARAM: e->ty = ty_error(); break; /* substituted or reported before */
	case RN_AST_CALL: resolve_call(s, e); break;
	case RN_AST_UNARY:
		if (e->op == RN_OP_NOT)
			resolve_logic(s, e);
		else
			resolve_negation(s, e);
		break;
	case RN_AST_BINARY: resolve_binary(s, e); break;
	case RN_AST_IN: resolve_in(s, e); break;
	case RN_AST_BETWEEN: resolve_range(s, e); break;
	}
	s->place = outer;
}

void resolve_condition(struct scope *s, struct rn_ast_expr *e, enum place place, const char *clause)
{
	struct rn_diag_item *it;

	resolve_expr(s, e, place);
	if (is_error(e) || e->ty.type == RN_T_BOOL)
		return;
	it = report(s, "E-TYPE", e->span, "`%s` needs a condition, and this is %s", clause,
		    type_phrase(e->ty));
	hint(s, it, "compare it with something: %s = ...", rn_print_expr(s->r->a, e));
	e->ty = ty_error();
}
