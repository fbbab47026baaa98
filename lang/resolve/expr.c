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
static void type_sides(struct rn_resolve_scope *scope, struct rn_ast_expr *left,
		       struct rn_ast_expr *right, enum rn_op op)
{
	bool bare_l = left->kind == RN_AST_NAME && !rn_resolve_knows_name(scope, left);
	bool bare_r = right->kind == RN_AST_NAME && !rn_resolve_knows_name(scope, right);

	if (rn_resolve_is_dashed(scope, right) && !bare_l) {
		rn_resolve_expr(scope, left, scope->place);
		if (!rn_resolve_report_dashed(scope, right, left, op))
			rn_resolve_expr(scope, right, scope->place);
	} else if (rn_resolve_is_dashed(scope, left) && !bare_r) {
		rn_resolve_expr(scope, right, scope->place);
		if (!rn_resolve_report_dashed(scope, left, right, op))
			rn_resolve_expr(scope, left, scope->place);
	} else if (bare_r) {
		rn_resolve_expr(scope, left, scope->place);
		rn_resolve_adopt_bareword(scope, right, left);
	} else if (bare_l) {
		rn_resolve_expr(scope, right, scope->place);
		rn_resolve_adopt_bareword(scope, left, right);
	} else {
		rn_resolve_expr(scope, left, scope->place);
		rn_resolve_expr(scope, right, scope->place);
	}
}

/* Makes a quoted address beside an address an address, and so on. A field gets a note if a string
 * was likely meant. */
static void settle_sides(struct rn_resolve_scope *s, struct rn_ast_expr *l, struct rn_ast_expr *r)
{
	rn_resolve_note_bareword(s, r, l);
	rn_resolve_coerce_literal(s, r, l);
	rn_resolve_coerce_literal(s, l, r);
}

void rn_resolve_compare(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			struct rn_ast_expr *left, struct rn_ast_expr *right)
{
	rn_resolve_named_words(scope, left, right);
	type_sides(scope, left, right, expr->op);
	settle_sides(scope, left, right);
	rn_resolve_note_call(scope, right, left);
	rn_resolve_note_call(scope, left, right);
	expr->ty = rn_resolve_check_comparable(scope, expr, left, right) ? ty(RN_T_BOOL, RN_U_NONE)
									 : ty_error();
	if (!is_error(expr))
		rn_resolve_note_never(scope, expr->op, left, right);
}

bool rn_resolve_check_regex(struct rn_resolve_scope *scope, const struct rn_ast_expr *pattern)
{
	struct rn_err err = {0};
	struct rn_diag_item *it;
	regex_t re;
	int r = rn_regex_compile(&re, pattern->value.s, pattern->value.len, &err);

	if (!r) {
		regfree(&re);
		return true;
	}
	if (r == -E2BIG)
		it = scope_error(scope, "E-LIMIT-REGEX", pattern->span,
				 "a regular expression beyond the limits: %s", err.text);
	else
		it = scope_error(scope, "E-TYPE", pattern->span, "not a regular expression: %s",
				 err.text);
	if (*err.hint)
		scope_hint(scope, it, "%s", err.hint);
	else if (pattern->kind == RN_AST_LITERAL && pattern->value.len &&
		 pattern->value.s[0] == '*')
		scope_hint(scope, it, "a glob is matched by `~`: file ~ \"%.*s\"",
			   (int)pattern->value.len, pattern->value.s);
	return false;
}

/* The glob's last `[`, if no `]` closes it; else NULL. */
static const char *unclosed(const char *glob)
{
	const char *open = strrchr(glob, '[');

	return open && !strchr(open + 1, ']') && (open == glob || open[-1] != '\\') ? open : NULL;
}

/* Notes a glob that will match nothing, and returns true. It has no wildcard, and looks like a
 * pattern of SQL, like a regular expression, or unfinished. */
static bool note_glob(struct rn_resolve_scope *scope, const struct rn_ast_expr *e,
		      const struct rn_ast_expr *l, const struct rn_ast_expr *pattern)
{
	const char *text = rn_arena_strndup(scope->resolver->arena, pattern->value.s,
					    pattern->value.len),
		   *what = rn_print_expr(scope->resolver->arena, l);
	const char *open = unclosed(text);
	size_t n = strlen(text);
	bool wild = strpbrk(text, "*?[") != NULL,
	     anchored = n && (text[0] == '^' || text[n - 1] == '$');
	struct rn_diag_item *it;
	char *glob;

	if (anchored || (n > 1 && !strncmp(text, ".*", 2))) {
		it = rn_diag_add(
			scope->resolver->diag, RN_NOTE, "N-GLOB", pattern->span, "in a glob, %s",
			anchored ? "`^` and `$` stand for themselves" : "a dot stands for itself");
		scope_hint(scope, it,
			   e->op == RN_OP_GLOB ? "a regular expression is written %s =~ \"%s\""
					       : "a regular expression is written not %s =~ \"%s\"",
			   what, text);
	} else if (!wild && strchr(text, '%')) {
		it = rn_diag_add(scope->resolver->diag, RN_NOTE, "N-GLOB", pattern->span,
				 "in a glob, `%%` stands for itself");
		glob = rn_arena_strdup(scope->resolver->arena, text);
		for (char *p = glob; *p; p++)
			if (*p == '%')
				*p = '*';
		scope_hint(scope, it, "globs use * and ?: %s %s \"%s\"", what, rn_op_text(e->op),
			   glob);
	} else if (open) {
		it = rn_diag_add(scope->resolver->diag, RN_NOTE, "N-GLOB", pattern->span,
				 "in a glob, a `[` without its `]` stands for itself");
		scope_hint(scope, it, "close it, or write [[] for a `[`: %s %s \"%.*s[[]%s\"", what,
			   rn_op_text(e->op), (int)(open - text), text, open + 1);
	} else {
		return false;
	}
	return true;
}

/* text ~ "glob", text !~ "glob", text =~ "regex" */
static void resolve_match(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	struct rn_ast_expr *l = expr->args, *r = l->next;
	struct rn_diag_item *it;

	type_sides(scope, l, r, expr->op);
	expr->ty = ty_error();
	if (is_error(l) || is_error(r))
		return;
	if (!is_text(l->ty) && l->ty.type != RN_T_STACK) {
		it = scope_error(scope, "E-TYPE", l->span, "`%s` matches strings, and this is %s",
				 rn_op_text(expr->op), rn_resolve_type_phrase(l->ty));
		if (l->ty.type == RN_T_IP)
			scope_hint(scope, it, "write cidr(%s, \"10.0.0.0/8\")",
				   rn_print_expr(scope->resolver->arena, l));
		return;
	}
	if (!is_string_literal(r)) {
		it = scope_error(scope, "E-TYPE", r->span,
				 "the pattern of `%s` is a constant string", rn_op_text(expr->op));
		it->also = l->span;
		scope_hint(scope, it, "write it in quotes: \"%s\"",
			   rn_print_expr(scope->resolver->arena, r));
		return;
	}
	if (expr->op == RN_OP_REGEX)
		rn_resolve_check_regex(scope, r);
	else if (!note_glob(scope, expr, l, r))
		rn_resolve_note_never(scope, expr->op, l, r);
	expr->ty = ty(RN_T_BOOL, RN_U_NONE);
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

static void resolve_logic(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	struct rn_diag_item *it;
	bool bad = false;

	for (struct rn_ast_expr *x = expr->args; x; x = x->next) {
		rn_resolve_expr(scope, x, scope->place);
		if (is_error(x)) {
			bad = true;
		} else if (x->ty.type != RN_T_BOOL) {
			it = scope_error(scope, "E-TYPE", x->span,
					 "`%s` needs conditions, and this is %s",
					 rn_op_text(expr->op), rn_resolve_type_phrase(x->ty));
			if (same_again(expr, x))
				scope_hint(scope, it, "several values are written %s in (%s, %s%s)",
					   rn_print_expr(scope->resolver->arena,
							 first_of_or(expr)->args),
					   rn_print_expr(scope->resolver->arena,
							 first_of_or(expr)->args->next),
					   expr->args == first_of_or(expr) ? "" : "..., ",
					   rn_print_expr(scope->resolver->arena, x));
			else
				scope_hint(scope, it, "compare it with something: %s = ...",
					   rn_print_expr(scope->resolver->arena, x));
			bad = true;
		}
	}
	expr->ty = bad ? ty_error() : ty(RN_T_BOOL, RN_U_NONE);
}

static void resolve_negation(struct rn_resolve_scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *x = e->args;

	rn_resolve_expr(s, x, s->place);
	e->ty = ty_error();
	if (is_error(x))
		return;
	if (rn_resolve_refuse_hex(s, x))
		return;
	if (is_number(x->ty) && x->ty.unit != RN_U_EPOCH) {
		e->ty = x->ty;
		return;
	}
	scope_error(s, "E-TYPE", x->span, "`-` needs a number, and this is %s",
		    rn_resolve_type_phrase(x->ty));
}

/* expr in (scope), where scope is a result or a view, whose values need a query. Returns true after
 * an error: a string makes no sense there. */
static bool said_of_result(struct rn_resolve_scope *scope, const struct rn_ast_expr *left,
			   const struct rn_ast_expr *expr)
{
	const struct rn_lets *lets = scope->resolver->nviews ? NULL : scope->resolver->names->lets;
	const struct rn_let *let =
		expr->kind == RN_AST_NAME && lets ? lets->find(lets->self, expr->name) : NULL;
	const struct rn_views *v = scope->resolver->names->views;
	const char *what = let ? "result of a `let`" : "view",
		   *column = rn_print_expr(scope->resolver->arena, left), *origin;
	struct rn_diag_item *it;

	if (expr->kind != RN_AST_NAME || is_error(left) ||
	    (!let && (!v || !v->find(v->self, expr->name, &origin))))
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
		it = rn_diag_add(scope->resolver->diag, RN_NOTE, "N-BAREWORD", expr->span,
				 "`%s` is a string here, not the %s of that name", expr->name,
				 what);
	else
		it = scope_error(scope, "E-TYPE", expr->span,
				 "`%s` is a %s: `in` takes its values from a query", expr->name,
				 what);
	scope_hint(scope, it, "write in (%s of %s)", column, expr->name);
	return !is_text(left->ty);
}

/* Resolves one element of x in (...). It must be a constant, so a bareword is a string even if a
 * field has that name. */
static bool resolve_element(struct rn_resolve_scope *scope, struct rn_ast_expr *e,
			    struct rn_ast_expr *left, struct rn_ast_expr *x)
{
	double ignored;

	if (said_of_result(scope, left, x))
		return false;
	if (left->ty.unit >= RN_U_OPEN)
		rn_resolve_adopt_named(scope, x, (enum rn_unit)left->ty.unit);
	rn_resolve_adopt_numbered(scope, x, left);
	if (x->kind == RN_AST_NAME)
		rn_resolve_adopt_bareword(scope, x, left);
	else if (!rn_resolve_is_dashed(scope, x) ||
		 !rn_resolve_report_dashed(scope, x, left, RN_OP_EQ))
		rn_resolve_expr(scope, x, scope->place);
	rn_resolve_fold_bits(scope, x);
	rn_resolve_coerce_literal(scope, x, left);
	rn_resolve_note_call(scope, x, left);
	if (!rn_resolve_check_comparable(scope, e, left, x))
		return false;
	if (x->kind == RN_AST_LITERAL || rn_resolve_constant_number(x, &ignored)) {
		rn_resolve_note_never(scope, RN_OP_NONE, left, x);
		return true;
	}
	scope_error(scope, "E-TYPE", x->span, "a list after `in` holds constants");
	return false;
}

/* Resolves a query that is asked before the one around it, and returns its one column; NULL, and
 * reported, if it has not one. */
static const struct rn_ast_expr *resolve_asked(struct rn_resolve_scope *scope,
					       struct rn_ast_expr *expr)
{
	struct rn_ast_query *query = expr->query;
	struct rn_diag_item *it;

	if (!query->from) {
		query->from = scope->query->from;
		query->from_span = scope->query->from_span;
		query->from_outside = true;
	}
	scope->resolver->windowed = false; /* it is asked once */
	rn_resolve_query(scope->resolver, query, scope->catalog);
	scope->resolver->windowed = scope->windowed;
	if (!query->items)
		return NULL; /* its source was reported */
	if (query->items->next) {
		unsigned n = 0;

		for (const struct rn_ast_item *i = query->items; i; i = i->next)
			n++;
		it = scope_error(scope, "E-TYPE", query->span,
				 "a query %s has one column, and this has %u",
				 expr->kind == RN_AST_IN ? "after `in`" : "as a value", n);
		if (query->by)
			scope_hint(scope, it,
				   "keys of `by` are columns: take them from an outer query, `a of "
				   "(...)`");
		return NULL;
	}
	return query->items->expr;
}

static bool resolve_subquery(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const struct rn_ast_expr *only = resolve_asked(scope, expr);
	struct rn_ast_expr column;

	if (!only)
		return false;
	column = *only;
	column.span = expr->query->span;
	return rn_resolve_check_comparable(scope, expr, expr->args, &column);
}

static void resolve_value(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const struct rn_ast_expr *only;

	expr->ty = ty_error();
	if (scope->place == IN_CONSTANT) {
		scope_error(scope, "E-TYPE", expr->span, "a constant is needed here");
		return;
	}
	if (scope->place == IN_KEY) {
		scope_error(scope, "E-TYPE", expr->span,
			    "a query as a value is the same for all events: no key of groups");
		return;
	}
	only = resolve_asked(scope, expr);
	if (!only || is_error(only))
		return;
	if (only->ty.type == RN_T_HIST || only->ty.type == RN_T_LIST ||
	    only->ty.type == RN_T_STACK) {
		scope_error(scope, "E-TYPE", expr->span, "%s is no single value",
			    rn_resolve_type_phrase(only->ty));
		return;
	}
	expr->ty = only->ty;
}

/* ---- in live ---- */

/* The set of `pid in live (pid of exec where proc = java)` changes while the query around it runs:
 * the kernel adds a process when it begins a program of which the condition holds, and its
 * children. So the query names no more than one condition on programs that begin. The planner
 * checks that the kernel can test it. */
static const char live_example[] = "pid in live (pid of exec where proc = java)";

static bool is_process(const struct rn_ast_expr *e)
{
	return e->kind == RN_AST_NAME && (!strcmp(e->name, "pid") || !strcmp(e->name, "ppid"));
}

static bool is_source_of_set(const struct rn_ast_source *src)
{
	return src && src->kind == RN_SRC_CLASS && src->cls && !src->next &&
	       (!strcmp(src->cls->name, "exec") || !strcmp(src->cls->name, "processes"));
}

/* The first clause other than `where`; an empty span: there is none. */
static struct rn_span other_clause(const struct rn_ast_query *q)
{
	for (int c = 0; c < RN_CLAUSES; c++)
		if (c != RN_C_WHERE && q->clause[c].end > q->clause[c].start)
			return q->clause[c];
	return (struct rn_span){0};
}

static bool resolve_live(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	struct rn_ast_query *q = expr->query;
	const struct rn_ast_expr *only = resolve_asked(scope, expr);
	struct rn_span clause = other_clause(q);
	struct rn_diag_item *it;

	if (!only || is_error(only) || is_error(expr->args))
		return false;
	if (q->from) {
		it = scope_error(scope, "E-TYPE", expr->live_span,
				 "`in live` asks for processes that run, and a recording has none");
		scope_hint(
			scope, it,
			"without `live` the recording itself is asked: pid in (pid of exec ...)");
	} else if (!is_process(expr->args)) {
		it = scope_error(scope, "E-TYPE", expr->args->span,
				 "`in live` asks of `pid` or `ppid`, and of nothing else");
		scope_hint(scope, it, "for instance %s", live_example);
	} else if (q->what != RN_WHAT_LIST || only->kind != RN_AST_NAME ||
		   strcmp(only->name, "pid") != 0 || !is_source_of_set(q->source)) {
		it = scope_error(
			scope, "E-TYPE", q->span,
			"after `in live` stands `pid of exec` or `pid of processes`, with `where`");
		scope_hint(scope, it, "for instance %s", live_example);
	} else if (clause.end) {
		it = scope_error(scope, "E-CLAUSE", clause,
				 "the set after `in live` ends with the query: it takes `where` "
				 "alone");
		scope_hint(scope, it, "for instance %s", live_example);
	} else {
		return true;
	}
	return false;
}

static void resolve_in(struct rn_resolve_scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *left = e->args;
	bool ok = true;

	rn_resolve_expr(s, left, s->place);
	if (left->kind == RN_AST_LITERAL && !is_error(left)) {
		scope_error(s, "E-TYPE", left->span,
			    "`in` asks of a field, and this is a constant");
		ok = false;
	}
	if (e->live) {
		ok &= resolve_live(s, e);
	} else if (e->query) {
		ok &= resolve_subquery(s, e);
	} else {
		for (struct rn_ast_expr *x = left->next; x; x = x->next)
			ok &= resolve_element(s, e, left, x);
	}
	e->ty = ok && !is_error(left) ? ty(RN_T_BOOL, RN_U_NONE) : ty_error();
}

static void resolve_range(struct rn_resolve_scope *s, struct rn_ast_expr *e)
{
	struct rn_ast_expr *x = e->args, *low = x->next, *high = low->next;
	bool ok;

	rn_resolve_named_words(s, x, low);
	rn_resolve_named_words(s, x, high);
	type_sides(s, x, low, RN_OP_EQ);
	settle_sides(s, x, low);
	ok = rn_resolve_check_comparable(s, e, x, low);
	if (high->kind == RN_AST_NAME && !rn_resolve_knows_name(s, high))
		rn_resolve_adopt_bareword(s, high, x);
	else
		rn_resolve_expr(s, high, s->place);
	rn_resolve_coerce_literal(s, high, x);
	ok = ok && rn_resolve_check_comparable(s, e, x, high);
	if (ok)
		rn_resolve_note_never(s, RN_OP_LE, x, high);
	e->ty = ok ? ty(RN_T_BOOL, RN_U_NONE) : ty_error();
}

static void resolve_binary(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	switch (expr->op) {
	case RN_OP_AND:
	case RN_OP_OR: resolve_logic(scope, expr); break;
	case RN_OP_GLOB:
	case RN_OP_NGLOB:
	case RN_OP_REGEX: resolve_match(scope, expr); break;
	case RN_OP_ADD:
	case RN_OP_SUB:
	case RN_OP_MUL:
	case RN_OP_DIV:
	case RN_OP_MOD:
		rn_resolve_expr(scope, expr->args, scope->place);
		rn_resolve_expr(scope, expr->args->next, scope->place);
		rn_resolve_type_arithmetic(scope, expr);
		break;
	case RN_OP_BITOR:
	case RN_OP_BITXOR:
	case RN_OP_BITAND:
	case RN_OP_SHL:
	case RN_OP_SHR:
		if (!rn_resolve_mask(scope, expr))
			rn_resolve_named_words(scope, expr, NULL);
		rn_resolve_expr(scope, expr->args, scope->place);
		rn_resolve_expr(scope, expr->args->next, scope->place);
		rn_resolve_type_bits(scope, expr);
		break;
	default: rn_resolve_compare(scope, expr, expr->args, expr->args->next); break;
	}
}

void rn_resolve_expr(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
		     enum rn_name_context place)
{
	enum rn_name_context outer = scope->place;
	bool within = scope->within;

	scope->place = place;
	scope->within = scope->deep;
	scope->deep = true;
	expr->column = -1;
	switch (expr->kind) {
	case RN_AST_LITERAL: type_literal(expr); break;
	case RN_AST_NAME: rn_resolve_name(scope, expr); break;
	case RN_AST_PARAM: expr->ty = ty_error(); break; /* substituted or reported before */
	case RN_AST_CALL: rn_resolve_call(scope, expr); break;
	case RN_AST_UNARY:
		if (expr->op == RN_OP_NOT)
			resolve_logic(scope, expr);
		else
			resolve_negation(scope, expr);
		break;
	case RN_AST_BINARY: resolve_binary(scope, expr); break;
	case RN_AST_IN: resolve_in(scope, expr); break;
	case RN_AST_BETWEEN: resolve_range(scope, expr); break;
	case RN_AST_ASKED: resolve_value(scope, expr); break;
	}
	scope->place = outer;
	scope->deep = scope->within;
	scope->within = within;
}

void rn_resolve_condition(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			  enum rn_name_context place, const char *clause)
{
	struct rn_diag_item *it;

	rn_resolve_expr(scope, expr, place);
	if (is_error(expr) || expr->ty.type == RN_T_BOOL)
		return;
	it = scope_error(scope, "E-TYPE", expr->span, "`%s` needs a condition, and this is %s",
			 clause, rn_resolve_type_phrase(expr->ty));
	scope_hint(scope, it, "compare it with something: %s = ...",
		   rn_print_expr(scope->resolver->arena, expr));
	expr->ty = ty_error();
}
