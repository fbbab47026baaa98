/* continuous.c - see continuous.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "repl/engine/continuous.h"
#include "lang/syntax/print.h"
#include "lang/resolve/resolve.h"
#include "lang/base/nearest.h"
#include "lang/syntax/parse.h"
#include "lang/resolve/param_kinds.h"

/* ---- the text ---- */

static const struct rn_view *find(struct rn_viewstore *s, struct rn_arena *a, const char *name)
{
	for (const struct rn_view *const *v = rn_views_list(s, a, true); *v; v++) {
		if (!strcmp((*v)->name, name))
			return *v;
	}
	return NULL;
}

static const struct rn_ast_stmt *declaration(struct rn_arena *a, const struct rn_view *v)
{
	struct rn_diag *d = rn_diag_new(a);
	const struct rn_ast_stmt *st =
		rn_parse(a, d, rn_diag_source(d, v->origin, v->text, strlen(v->text)))->stmts;

	while (st && st->kind != RN_STMT_VIEW)
		st = st->next;
	return st;
}

const char *rn_continuous_doc(struct rn_viewstore *store, const char *name, struct rn_arena *arena)
{
	const struct rn_view *v = find(store, arena, name);

	return v ? v->doc : NULL;
}

static const char *value_of(const char *const *params, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *p = params; p && *p; p++) {
		if (!strncmp(*p, name, n) && (*p)[n] == '=')
			return *p + n + 1;
	}
	return NULL;
}

/* Keep a number, with or without a unit, as it is; quote anything else as a string. */
static const char *literal(struct rn_arena *a, const char *value)
{
	const char *expr = rn_arena_printf(a, "count of read where %s = 0", value);
	struct rn_diag *d = rn_diag_new(a);
	size_t digits = strspn(value, "-0123456789.");

	if (digits && value[0] != '.' && value[digits - 1] != '-' &&
	    !value[strcspn(value, " \t\n;()\"'")]) {
		rn_parse(a, d, rn_diag_source(d, "value", expr, strlen(expr)));
		if (!rn_diag_errors(d))
			return value;
	}
	return rn_print_expr(a, &(struct rn_ast_expr){.kind = RN_AST_LITERAL,
						      .value = rn_strn(value, strlen(value)),
						      .quoted = true,
						      .ty = {RN_T_STR, RN_U_NONE}});
}

static bool has_param(const struct rn_ast_stmt *st, const char *text)
{
	for (const struct rn_ast_param *p = st->params; p; p = p->next) {
		size_t n = strlen(p->name);

		if (!strncmp(p->name, text, n) && text[n] == '=')
			return true;
	}
	return false;
}

static const char *signature(struct rn_arena *a, const struct rn_ast_stmt *st)
{
	struct rn_ast_stmt own = *st;

	return rn_arena_printf(a, "%s(%s)", st->name, rn_param_signature(a, &own));
}

static int no_view(struct rn_viewstore *store, const char *name, struct rn_arena *arena,
		   struct rn_err *err)
{
	const struct rn_view *const *view = rn_views_list(store, arena, true);
	const struct rn_err *problem = rn_views_problem(store);
	unsigned n = 0;
	const char **names, *near;

	if (problem->code) {
		*err = *problem;
		return err->code;
	}
	while (view[n])
		n++;
	names = RN_NEWN(arena, const char *, n + 1);
	for (unsigned i = 0; i < n; i++)
		names[i] = view[i]->name;
	near = rn_nearest(name, names);
	rn_err_set(err, -ENOENT, "there is no view `%s`", name);
	if (strchr(name, '('))
		rn_err_hint(err, "write values after the name: VIEW NAME=VALUE");
	else if (near)
		rn_err_hint(err, "did you mean `%s`?", near);
	else
		rn_err_hint(
			err,
			"`runnel list` shows them; a query gets a name by `view NAME := QUERY`");
	return err->code;
}

const char *rn_continuous_text(struct rn_viewstore *store, const char *name,
			       const char *const *params, struct rn_arena *arena,
			       struct rn_err *err)
{
	const struct rn_view *view = find(store, arena, name);
	const struct rn_ast_stmt *st = view ? declaration(arena, view) : NULL;
	const char *text = "", *use = "";

	if (!st) {
		no_view(store, name, arena, err);
		return NULL;
	}
	for (const char *const *p = params; p && *p; p++) {
		if (has_param(st, *p))
			continue;
		rn_err_set(err, -EINVAL, "the view `%s` has no parameter `%.*s`", name,
			   (int)strcspn(*p, "="), *p);
		rn_err_hint(err, "it is %s", signature(arena, st));
		return NULL;
	}
	for (const struct rn_ast_param *p = st->params; p; p = p->next) {
		const char *given = value_of(params, p->name);

		if (!given && !p->deflt) {
			rn_err_set(err, -EINVAL, "the view `%s` needs a value for `%s`", name,
				   p->name);
			rn_err_hint(err, "write %s=VALUE behind its name; it is %s", p->name,
				    signature(arena, st));
			return NULL;
		}
		text = rn_arena_printf(arena, "%s%s%s", text, *text ? ", " : "",
				       given ? literal(arena, given)
					     : rn_print_expr(arena, p->deflt));
	}
	if (!view->saved && !strncmp(view->origin, "stdlib/", 7))
		use = rn_arena_printf(arena, "use %.*s; ", (int)strcspn(view->origin + 7, "."),
				      view->origin + 7);
	return rn_arena_printf(arena, *text ? "%sevents of %s(%s)" : "%sevents of %s", use, name,
			       text);
}

/* Find the value of the parameter `name` in the words of the command line: *at is its place. Return
 * its length; 0: not given. */
static size_t typed_value(const char *view, const char *const *params, const char *name, size_t *at)
{
	const char *given = value_of(params, name);

	*at = strlen(view);
	for (const char *const *p = params; given && *p && (given < *p || given > *p + strlen(*p));
	     p++)
		*at += 1 + strlen(*p);
	*at += 1 + strlen(name) + 1;
	return given ? strlen(given) : 0;
}

void rn_continuous_as_typed(struct rn_script *script, const char *name, const char *const *params)
{
	const struct rn_view *view = find(script->engine->views, script->arena, name);
	const struct rn_ast_stmt *st = view ? declaration(script->arena, view) : NULL;
	const struct rn_ast_query *query =
		script->njobs ? script->jobs[script->njobs - 1].stmt->query : NULL;
	const struct rn_ast_expr *value = query && query->source ? query->source->view_args : NULL;
	const char *typed = name;
	uint16_t src;

	for (const char *const *p = params; p && *p; p++)
		typed = rn_arena_printf(script->arena, "%s %s", typed, *p);
	src = rn_diag_source(script->diag, "command line", typed, strlen(typed));
	for (const struct rn_ast_param *p = st ? st->params : NULL; p && value;
	     p = p->next, value = value->next) {
		size_t at, n = typed_value(name, params, p->name, &at);

		for (const struct rn_diag_item *it = rn_diag_first(script->diag); it && n;
		     it = it->next) {
			if (it->span.src == script->src && it->span.start >= value->span.start &&
			    it->span.end <= value->span.end)
				/* we own the item, as we own its diag */
				((struct rn_diag_item *)it)->span =
					(struct rn_span){(uint32_t)at, (uint32_t)(at + n), src};
		}
	}
}

/* ---- how it is kept ---- */

static struct rn_ast_query *below(const struct rn_ast_query *q)
{
	return q && q->source && q->source->kind == RN_SRC_QUERY ? q->source->query : NULL;
}

static bool reads_table(const struct rn_ast_query *q)
{
	for (const struct rn_ast_query *inner = below(q); inner; inner = below(q))
		q = inner;
	return q && q->source && q->source->kind == RN_SRC_CLASS && q->source->cls &&
	       q->source->cls->kind == RN_CLASS_TABLE && !q->from;
}

/* Does q give its rows only at the end of a window, once all is known? */
static bool is_of_a_window(const struct rn_ast_query *q)
{
	return q->grouped || q->order || q->has_top || q->what == RN_WHAT_TOP ||
	       q->what == RN_WHAT_FLOW;
}

enum rn_continuous_kind rn_continuous_query(struct rn_ast_query *query, int64_t every_ns,
					    bool asked, struct rn_diag *diag)
{
	struct rn_ast_query *own = NULL;
	bool whole = false;
	const struct rn_ast_item *window;

	for (struct rn_ast_query *x = query; x; x = below(x)) {
		own = own || !x->every_ns ? own : x;
		whole |= is_of_a_window(x);
	}
	if (own && asked) {
		rn_diag_hint(diag,
			     rn_diag_add(diag, RN_ERROR, "E-KEEP", query->span,
					 "the view has windows of its own"),
			     "leave --every out");
		return RN_CONTINUOUS_NOT;
	}
	if (!reads_table(query) && !whole)
		return RN_CONTINUOUS_ROWS;
	window = rn_ast_column(query, "window");
	if (window && !rn_ast_is_window(query, window)) {
		rn_diag_hint(diag,
			     rn_diag_add(diag, RN_ERROR, "E-KEEP", window->span,
					 "two columns are called `window`: of a view that is kept "
					 "running the start of each window is one"),
			     "name this one otherwise");
		return RN_CONTINUOUS_NOT;
	}
	if (reads_table(query) && !own)
		return RN_CONTINUOUS_TABLE;
	/* as if the query ended with `every`: rows say which window they are of, if they do not
	 * yet */
	*(window ? &query->rows_every_ns : &query->every_ns) = own ? own->every_ns : every_ns;
	return RN_CONTINUOUS_WINDOWS;
}
