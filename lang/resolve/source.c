/* source.c - what a query reads: an event class or table, a view (parsed, bound and resolved as a
 * nested query), a nested query, or a pair of events. */
#include <limits.h>
#include "lang/foreign/words.h"
#include "lang/resolve/param_kinds.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"
#include "lang/base/nearest.h"
#include "lang/syntax/parse.h"

enum { MAX_EXPANSIONS = 1000 };

/* Leaves out views that are being expanded: they cannot mend a name inside themselves. */
static const char *const *without_open(const struct rn_resolver *r, const char *const *names)
{
	size_t n = 0, k = 0;
	const char **left;

	while (names && names[n])
		n++;
	left = RN_NEWN(r->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		unsigned v = 0;

		while (v < r->nviews && strcmp(r->view_stack[v], names[i]))
			v++;
		if (v == r->nviews)
			left[k++] = names[i];
	}
	return left;
}

static const char *const *source_names(struct rn_resolve_scope *s)
{
	const struct rn_views *v = s->resolver->names->views;

	const struct rn_lets *l = s->resolver->nviews ? NULL : s->resolver->names->lets;
	const char *const *known = rn_resolve_join_names(
		s->resolver->arena, s->catalog->names ? s->catalog->names(s->catalog->self) : NULL,
		without_open(s->resolver, v && v->names ? v->names(v->self) : NULL));

	return l ? rn_resolve_join_names(s->resolver->arena, known, l->names(l->self)) : known;
}

const char *rn_resolve_tracepoint_called(struct rn_resolve_scope *scope, const char *name)
{
	const char *const *all = scope->catalog->args
					 ? scope->catalog->args(scope->catalog->self, "tracepoint")
					 : NULL;

	for (; all && *all; all++) {
		const char *colon = strchr(*all, ':');

		if (colon && !strcmp(colon + 1, name))
			return *all;
	}
	return NULL;
}

/* Names of events that contain `word`; NULL: none. */
static const char *with_word(const struct rn_resolve_scope *s, const char *const *known,
			     const char *word)
{
	const char *const *lists[] = {
		known, s->catalog->args ? s->catalog->args(s->catalog->self, "tracepoint") : NULL};

	for (size_t i = 0; strlen(word) > 2 && i < 2; i++)
		for (const char *const *k = lists[i]; k && *k; k++)
			if (strstr(*k, word))
				return rn_arena_printf(
					s->resolver->arena,
					"`runnel list '*%s*'` shows what has it in its name", word);
	return NULL;
}

static void hint_foreign(struct rn_resolve_scope *s, struct rn_diag_item *it, const char *name)
{
	const struct rn_class *c = s->catalog->find(s->catalog->self, name, NULL, NULL, 0);

	if (c->later && rn_foreign_instead(name))
		scope_hint(s, it, "`%s` is for a later version; %s", name,
			   rn_foreign_instead(name));
	else
		scope_hint(s, it, "did you mean `%s`?", name);
}

/* Reports a name of version 0.1.0, and shows the query with the present one. */
static void report_renamed(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	const char *was = src->name, *now = rn_class_now(was);
	struct rn_ast_source *source = scope->query->source;
	struct rn_diag_item *it = scope_error(scope, "E-NAME-SOURCE", src->name_span,
					      "`%s` is called `%s` now", was, now);

	if (source != src) {
		scope_hint(scope, it, "did you mean `%s`?", now);
		return;
	}
	source->name = now;
	scope_hint(scope, it, "did you mean `%s`? %s", now,
		   rn_print_query(scope->resolver->arena, scope->query));
	source->name = was;
}

void rn_resolve_report_class(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	const char *tp = rn_resolve_tracepoint_called(scope, src->name),
		   *foreign = rn_foreign_name(RN_FOREIGN_SOURCE, src->name);
	const char *const *known = source_names(scope);
	const char *probe = rn_foreign_probe(src->name, strlen(src->name));
	struct rn_diag_item *it;

	if (src->view_args) {
		const struct rn_views *v = scope->resolver->names->views;

		it = scope_error(scope, "E-NAME-VIEW", src->name_span, "there is no view `%s`",
				 src->name);
		rn_resolve_hint_nearest(
			scope, it, src->name,
			without_open(scope->resolver, v && v->names ? v->names(v->self) : NULL),
			NULL);
		return;
	}
	if (rn_class_now(src->name) != src->name) {
		report_renamed(scope, src);
		return;
	}
	it = scope_error(scope, "E-NAME-SOURCE", src->name_span,
			 "`%s` is not an event class, table or view", src->name);
	if (scope->resolver->nviews && scope->resolver->names->lets &&
	    scope->resolver->names->lets->find(scope->resolver->names->lets->self, src->name)) {
		scope_hint(scope, it, "it is the result of a `let`, which a view cannot read");
		return;
	}
	/* perhaps a class that was not recorded */
	if (!rn_nearest(src->name, known) && scope->query->from &&
	    scope->resolver->names->catalog->names)
		known = scope->resolver->names->catalog->names(
			scope->resolver->names->catalog->self);
	if (scope->query->what == RN_WHAT_FLOW)
		scope_hint(scope, it, "a flow is of a tag: flow of tag %s", src->name);
	else if (probe)
		scope_hint(scope, it, "%s", probe);
	else if (tp)
		scope_hint(scope, it, "a kernel tracepoint is written tracepoint \"%s\"", tp);
	else if (rn_foreign_source(src->name))
		scope_hint(scope, it, "%s", rn_foreign_source(src->name));
	else if (foreign && scope->catalog->find(scope->catalog->self, foreign, NULL, NULL, 0))
		hint_foreign(scope, it, foreign);
	else
		rn_resolve_hint_nearest(scope, it, src->name, known,
					with_word(scope, known, src->name)
						? with_word(scope, known, src->name)
						: "`runnel list` shows them all");
}

void rn_resolve_report_argument(struct rn_resolve_scope *scope, const struct rn_ast_source *src,
				const struct rn_ast_name *arg, const char *why)
{
	const char *what_to_do = strchr(why, '\n');
	struct rn_diag_item *it;

	if (what_to_do) { /* it is unknown whether the class exists, or it is beyond a limit */
		const char *code = strchr(what_to_do + 1, '\n');

		it = scope_error(scope,
				 code ? rn_arena_strdup(scope->resolver->arena, code + 1)
				      : "E-SYSTEM",
				 arg->span, "%.*s", (int)(what_to_do - why), why);
		scope_hint(scope, it, "%.*s",
			   code ? (int)(code - what_to_do - 1) : (int)strlen(what_to_do + 1),
			   what_to_do + 1);
		return;
	}
	if (why[0])
		it = scope_error(scope, "E-NAME-SOURCE", arg->span, "%s", why);
	else
		it = scope_error(scope, "E-NAME-SOURCE", arg->span, "no %s is called `%s`",
				 src->name, arg->text);
	if (rn_class_arg_is_glob(src->name, arg->text))
		scope_hint(scope, it, "`runnel list 'sched:*'` shows tracepoints by such a glob");
	else
		rn_resolve_hint_nearest(
			scope, it, arg->text,
			scope->catalog->args ? scope->catalog->args(scope->catalog->self, src->name)
					     : NULL,
			NULL);
}

/* Checks the arguments of a class that was found. */
static void check_class(struct rn_resolve_scope *scope, struct rn_ast_source *src,
			const struct rn_class *cls, bool tag)
{
	struct rn_diag_item *it;

	if (src->view_args)
		scope_error(scope, "E-NAME-PARAM", src->view_args->span,
			    "`%s` is not a view: it takes no values", src->name);
	if (cls->needs_arg && !src->args && !src->all) {
		it = scope_error(scope, "E-NAME-SOURCE", src->name_span, "`%s` does not say which",
				 src->name);
		if (tag)
			scope_hint(scope, it, "write the tag after it: tag fix283");
		else if (!strcmp(src->name, "tracepoint"))
			scope_hint(scope, it,
				   "write its name after it: tracepoint \"sched:sched_switch\"");
		else if (!strcmp(src->name, "user"))
			scope_hint(scope, it,
				   "write after it where which functions are: user "
				   "\"libc:malloc\", user \"/usr/sbin/nginx:ngx_*\"");
		else if (!strcmp(src->name, "usdt"))
			scope_hint(scope, it,
				   "write after it where which probes are: usdt "
				   "\"/usr/sbin/mysqld:mysql:query__start\"");
		else if (!strcmp(src->name, "kernel"))
			scope_hint(scope, it,
				   "write the name of a function after it, or a glob: "
				   "kernel \"vfs_*\"");
		else if (!strcmp(src->name, "sample"))
			scope_hint(
				scope, it,
				"write after it how often a second each CPU is looked at: sample "
				"99hz");
		else
			scope_hint(scope, it, "write its name after it: %s \"NAME\"", src->name);
	} else if (src->args && !cls->needs_arg && !cls->arg && !cls->later) {
		scope_error(scope, "E-NAME-SOURCE", src->args->span, "`%s` takes no argument",
			    src->name);
	} else if (src->args && src->args->next && !tag && !rn_class_of_functions(cls->name) &&
		   !cls->later) {
		scope_error(scope, "E-NAME-SOURCE", src->args->next->span,
			    "`%s` takes one argument", src->name);
	}
	if (tag)
		rn_resolve_tags(scope, src, cls);
}

/* ---- views ---- */

/* The modules that a text uses, the latest first, after the one that it is part of; NULL: none. */
static const char *const *modules_of(struct rn_arena *arena, const struct rn_ast_file *file,
				     const char *origin)
{
	const char *own = origin && !strncmp(origin, "stdlib/", 7)
				  ? rn_arena_strndup(arena, origin + 7, strcspn(origin + 7, "."))
				  : NULL;
	const char **all;
	unsigned n = own != NULL, at;

	for (const struct rn_ast_stmt *st = file->stmts; st; st = st->next)
		n += st->kind == RN_STMT_USE;
	if (!n)
		return NULL;
	all = RN_NEWN(arena, const char *, n + 1);
	all[0] = own;
	at = n;
	for (const struct rn_ast_stmt *st = file->stmts; st; st = st->next)
		if (st->kind == RN_STMT_USE)
			all[--at] = st->name;
	return all;
}

static struct rn_ast_stmt *view_in(const struct rn_ast_file *file, const char *name)
{
	for (struct rn_ast_stmt *st = file->stmts; st; st = st->next)
		if (st->kind == RN_STMT_VIEW && st->query && !strcmp(st->name, name))
			return st;
	return NULL;
}

/* The text of the module that gives this name to the view that is being expanded; NULL: no
 * module. */
static const char *module_view(struct rn_resolve_scope *s, const char *name, const char **origin)
{
	const struct rn_views *v = s->resolver->names->views;

	for (const char *const *m = s->resolver->modules; m && *m && v && v->module; m++) {
		const char *text = v->module(v->self, *m);
		struct rn_diag *d = rn_diag_new(s->resolver->arena);

		if (!text || !view_in(rn_parse(s->resolver->arena, d,
					       rn_diag_source(d, *m, text, strlen(text))),
				      name))
			continue;
		*origin = rn_arena_printf(s->resolver->arena, "stdlib/%s.rnl", *m);
		return text;
	}
	return NULL;
}

static const struct rn_ast_stmt *parse_view(struct rn_resolve_scope *s,
					    const struct rn_ast_source *src, const char *text,
					    const char *origin, const char *const **modules)
{
	struct rn_resolver *r = s->resolver;
	uint16_t number = rn_diag_source(r->diag, origin ? origin : src->name, text, strlen(text));
	unsigned before = rn_diag_errors(r->diag);
	struct rn_ast_file *file = rn_parse(r->arena, r->diag, number);
	struct rn_ast_stmt *st = view_in(file, src->name);

	if (rn_diag_errors(r->diag) != before || (st && !rn_param_kinds(st, r->diag)))
		return NULL;
	*modules = modules_of(r->arena, file, origin);
	if (st)
		return st;
	rn_diag_add(r->diag, RN_ERROR, "E-NAME-VIEW", src->name_span,
		    "the text saved for `%s` does not define that view", src->name);
	return NULL;
}

/* "slow(threshold, n)" for messages. */
static const char *view_signature(struct rn_arena *a, const struct rn_ast_stmt *view)
{
	struct rn_ast_stmt own = *view;

	return rn_arena_printf(a, "%s(%s)", view->name, rn_param_signature(a, &own));
}

static void refuse_value(struct rn_resolve_scope *s, struct rn_ast_expr *e,
			 const struct rn_ast_param *p, const char *like)
{
	struct rn_diag_item *it = scope_error(s, "E-TYPE", e->span, "`%s` stands for %s", p->name,
					      rn_param_phrase((enum rn_param_kind)p->kind));

	scope_hint(s, it, "%s", like);
	make_literal(e, rn_null(), ty_error(), NULL);
}

static bool has_query(const struct rn_ast_expr *e)
{
	if (e->query)
		return true;
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		if (has_query(x))
			return true;
	return false;
}

/* Checks what is given to a parameter, by the kind of it. A value is a constant, and a bareword is
 * then a string. What a value of the command line became is never a name. */
static void check_value(struct rn_resolve_scope *s, struct rn_ast_expr *e,
			const struct rn_ast_param *p)
{
	bool constant = e->kind == RN_AST_LITERAL;
	double ignored;

	if (constant && e->ty.type == RN_T_ERROR && e->value.kind == RN_NULL)
		return; /* it has no value, which was reported, or the view is only looked at */
	switch ((enum rn_param_kind)p->kind) {
	case RN_PARAM_ANY: return; /* where it is used will tell */
	case RN_PARAM_FIELD:
		if (constant || rn_resolve_has_agg(s, e) || has_query(e))
			refuse_value(s, e, p,
				     "it is a field, or made of fields: proc, basename(file)");
		return;
	case RN_PARAM_CONDITION:
		if ((constant && e->value.kind != RN_BOOL) || rn_resolve_has_agg(s, e))
			refuse_value(s, e, p, "it is a condition on events: (proc = java)");
		return;
	case RN_PARAM_SOURCE:
		if (e->kind != RN_AST_NAME && e->kind != RN_AST_ASKED && e->kind != RN_AST_CALL)
			refuse_value(s, e, p,
				     "it is a class or a view, or a query in parentheses: (events "
				     "of tracepoint \"sched:*\")");
		return;
	case RN_PARAM_VALUE: break;
	}
	if (e->kind == RN_AST_NAME)
		make_literal(e, rn_strn(e->name, strlen(e->name)), ty(RN_T_STR, RN_U_NONE), NULL);
	if (e->kind == RN_AST_LITERAL || rn_resolve_constant_number(e, &ignored))
		return;
	scope_error(s, "E-TYPE", e->span, "the value of a parameter is a constant");
	make_literal(e, rn_null(), ty_error(), NULL);
}

/* Is the argument written as NAME = VALUE? To a view that takes conditions, proc = java is one,
 * unless it has a parameter of that name. */
static bool is_named(const struct rn_ast_stmt *view, const struct rn_ast_expr *arg)
{
	bool conditions = false;

	if (arg->kind != RN_AST_BINARY || arg->op != RN_OP_EQ || arg->args->kind != RN_AST_NAME)
		return false;
	for (const struct rn_ast_param *p = view->params; p; p = p->next) {
		if (!strcmp(p->name, arg->args->name))
			return true;
		conditions |= p->kind == RN_PARAM_CONDITION;
	}
	return !conditions;
}

/* name: of a parameter; NULL: it is not about one. */
static void report_value(struct rn_resolve_scope *s, const struct rn_ast_stmt *view,
			 struct rn_span at, const char *what, const char *name)
{
	struct rn_diag *d = s->resolver->diag;

	rn_diag_hint(d,
		     rn_diag_add(d, RN_ERROR, "E-NAME-PARAM", at, "%s%s%s%s", what,
				 name ? " `" : "", name ? name : "", name ? "`" : ""),
		     "it is %s", view_signature(s->resolver->arena, view));
}

/* Checks the names of the arguments: values without a name come first, each name is one of the
 * view's parameters, and none gets two values. */
static void check_names(struct rn_resolve_scope *s, const struct rn_ast_source *src,
			const struct rn_ast_stmt *view)
{
	const struct rn_ast_param *next =
		view->params; /* that gets the next value without a name */
	bool named = false;

	for (const struct rn_ast_expr *arg = src->view_args; arg; arg = arg->next) {
		const struct rn_ast_param *p = view->params;

		if (!is_named(view, arg)) {
			if (named)
				report_value(s, view, arg->span, "values without a name come first",
					     NULL);
			else if (!next)
				report_value(s, view, arg->span, "too many values for the view",
					     view->name);
			if (named || !next)
				return;
			next = next->next;
			continue;
		}
		named = true;
		while (p && strcmp(p->name, arg->args->name))
			p = p->next;
		if (!p)
			report_value(s, view, arg->args->span, "the view has no parameter",
				     arg->args->name);
		for (const struct rn_ast_param *q = view->params; p && q != next; q = q->next)
			if (q == p)
				report_value(s, view, arg->args->span,
					     "the view gets two values for", p->name);
		for (const struct rn_ast_expr *e = src->view_args; p && e != arg; e = e->next)
			if (is_named(view, e) && !strcmp(e->args->name, p->name))
				report_value(s, view, arg->args->span,
					     "the view gets two values for", p->name);
	}
}

/* The value that the query gives to a parameter, the nth of the view; NULL: none. */
static struct rn_ast_expr *value_of(const struct rn_ast_stmt *view, const struct rn_ast_source *src,
				    const struct rn_ast_param *p, unsigned nth)
{
	for (struct rn_ast_expr *arg = src->view_args; arg; arg = arg->next, nth--) {
		if (is_named(view, arg))
			nth = UINT_MAX; /* no more values by place */
		if (is_named(view, arg) ? !strcmp(arg->args->name, p->name) : !nth)
			return is_named(view, arg) ? arg->args->next : arg;
	}
	return NULL;
}

static struct rn_binding *bind_arguments(struct rn_resolve_scope *scope,
					 const struct rn_ast_source *src,
					 const struct rn_ast_stmt *view)
{
	struct rn_resolver *resolver = scope->resolver;
	struct rn_binding *all = NULL;
	unsigned nth = 0;

	check_names(scope, src, view);
	for (const struct rn_ast_param *p = view->params; p; p = p->next, nth++) {
		struct rn_binding *binding = RN_NEW(resolver->arena, struct rn_binding);
		struct rn_ast_expr *given = value_of(view, src, p, nth);

		binding->name = p->name;
		binding->value = given ? given : p->deflt;
		if (binding->value) {
			check_value(scope, binding->value, p);
		} else {
			binding->value = RN_NEW(resolver->arena, struct rn_ast_expr);
			make_literal(binding->value, rn_null(), ty_error(),
				     rn_arena_printf(resolver->arena, "$%s", p->name));
			if (!resolver->names->unbound || resolver->nviews != 1)
				report_value(scope, view, src->name_span,
					     rn_arena_printf(resolver->arena,
							     "the view `%s` needs a value for",
							     view->name),
					     p->name);
		}
		binding->next = all;
		all = binding;
	}
	return all;
}

/* Returns false, and reports, if one more view cannot be expanded. */
static bool may_expand(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	struct rn_resolver *resolver = scope->resolver;
	struct rn_diag_item *it;

	for (unsigned i = 0; i < resolver->nviews; i++) {
		const char *chain = "";

		if (strcmp(resolver->view_stack[i], src->name))
			continue;
		for (unsigned j = i; j < resolver->nviews; j++)
			chain = rn_arena_printf(resolver->arena, "%s%s -> ", chain,
						resolver->view_stack[j]);
		it = rn_diag_add(resolver->diag, RN_ERROR, "E-NAME-VIEW", src->name_span,
				 "the view `%s` uses itself", src->name);
		rn_diag_hint(resolver->diag, it, "%s%s", chain, src->name);
		return false;
	}
	if (resolver->nviews == RN_MAX_VIEW_DEPTH) {
		rn_diag_add(resolver->diag, RN_ERROR, "E-LIMIT-VIEWS", src->name_span,
			    "views use views more than %d deep", RN_MAX_VIEW_DEPTH);
		return false;
	}
	if (resolver->expansions++ == MAX_EXPANSIONS) {
		rn_diag_add(resolver->diag, RN_ERROR, "E-LIMIT-VIEWS", src->name_span,
			    "the query expands more than %d views", MAX_EXPANSIONS);
		return false;
	}
	return resolver->expansions <= MAX_EXPANSIONS;
}

static void resolve_inner(struct rn_resolve_scope *s, struct rn_ast_query *inner)
{
	if (!inner->from) {
		inner->from = s->query->from;
		inner->from_span = s->query->from_span;
		inner->from_outside = s->query->from_outside;
	} else if (s->query->from && !s->query->from_outside &&
		   strcmp(s->query->from, inner->from)) {
		scope_hint(s,
			   scope_error(s, "E-CLAUSE", s->query->from_span,
				       "the nested query or view is over another recording, \"%s\"",
				       inner->from),
			   "leave one of them out");
	}
	rn_resolve_query(s->resolver, inner, s->catalog);
	/* its source is not known, so neither are its columns */
	s->lost |= inner->what == RN_WHAT_EVENTS && !inner->items;
}

struct rn_ast_query *rn_resolve_view(struct rn_resolve_scope *scope,
				     const struct rn_ast_source *src, const char *text,
				     const char *origin)
{
	struct rn_resolver *resolver = scope->resolver;
	const char *const *outer = resolver->modules, *const *modules = NULL;
	const struct rn_ast_stmt *view =
		may_expand(scope, src) ? parse_view(scope, src, text, origin, &modules) : NULL;

	if (!view) {
		scope->lost = true;
		return NULL;
	}
	if (src->args)
		rn_diag_add(resolver->diag, RN_ERROR, "E-NAME-PARAM", src->args->span,
			    "the values of a view stand in parentheses");
	if (!resolver->nviews)
		resolver->view_span = src->name_span;
	resolver->view_stack[resolver->nviews++] = src->name;
	rn_resolve_substitute_params(resolver, view->query, bind_arguments(scope, src, view));
	resolver->modules = modules;
	resolve_inner(scope, view->query);
	resolver->modules = outer;
	resolver->nviews--;
	return view->query;
}

const char *rn_resolve_view_text(struct rn_resolve_scope *scope, const char *name,
				 const char **origin)
{
	const struct rn_views *views = scope->resolver->names->views;
	const char *text = module_view(scope, name, origin);

	return text || !views ? text : views->find(views->self, name, origin);
}

static void expand_view(struct rn_resolve_scope *scope, struct rn_ast_source *src, const char *text,
			const char *origin)
{
	struct rn_ast_query *query = rn_resolve_view(scope, src, text, origin);

	if (!query)
		return;
	src->kind = RN_SRC_QUERY;
	src->view = src->name;
	src->query = query;
	scope->inner = query;
}

/* Uses the known result of a let: nothing of it is resolved again. */
static bool use_let(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	const struct rn_lets *lets = scope->resolver->nviews ? NULL : scope->resolver->names->lets;
	const struct rn_let *let = lets ? lets->find(lets->self, src->name) : NULL;

	if (!let)
		return false;
	if (src->args || src->view_args)
		scope_error(scope, "E-NAME-PARAM",
			    src->args ? src->args->span : src->view_args->span,
			    "`%s` is the result of a `let`: it takes no values", src->name);
	if (!let->shape) {
		scope->lost = true;
		return true;
	}
	src->kind = RN_SRC_QUERY;
	src->let = let;
	src->query = let->shape;
	scope->inner = let->shape;
	return true;
}

/* ---- classes ---- */

/* user "libc:malloc", "libc:free" */
static const char *joined(struct rn_arena *arena, const struct rn_ast_name *arg)
{
	const char *text = arg->text;

	while ((arg = arg->next))
		text = rn_arena_printf(arena, "%s, %s", text, arg->text);
	return text;
}

void rn_resolve_class(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	bool tag = !strcmp(src->name, "tag");
	const char *arg = src->args && !tag ? src->args->text : NULL, *origin = NULL, *text;
	char why[256] = "";

	if (src->param) { /* its value was reported, or there is none yet */
		scope->lost = true;
		return;
	}
	if (!tag && use_let(scope, src))
		return;
	if (src->next || (arg && src->args->next && !strcmp(src->name, "tracepoint"))) {
		rn_resolve_class_list(scope, src);
		return;
	}
	if (arg && rn_class_of_functions(src->name))
		arg = joined(scope->resolver->arena, src->args);
	src->cls = scope->catalog->find(scope->catalog->self, src->name, arg, why, sizeof(why));
	if (src->cls && scope->query->alone) {
		rn_resolve_report_alone(scope, src);
		scope->lost = true;
		return;
	}
	if (src->cls) {
		check_class(scope, src, src->cls, tag);
		rn_resolve_warn_scope(scope, src);
		scope->cls = src->cls;
		return;
	}
	text = rn_resolve_view_text(scope, src->name, &origin);
	if (text) {
		expand_view(scope, src, text, origin);
		return;
	}
	if (scope->query->alone) {
		rn_resolve_report_alone(scope, src);
	} else if (arg && scope->catalog->find(scope->catalog->self, src->name, NULL, NULL, 0)) {
		if (!scope->gone) /* another kernel may have it */
			rn_resolve_report_argument(scope, src, src->args, why);
	} else if (why[0])
		scope_error(scope, "E-NAME-SOURCE", src->name_span, "%s", why);
	else
		rn_resolve_report_class(scope, src);
	scope->lost = true;
}

void rn_resolve_source(struct rn_resolve_scope *scope)
{
	struct rn_ast_source *src = scope->query->source;

	if (!src) { /* the parser reported it */
		scope->lost = true;
		return;
	}
	switch (src->kind) {
	case RN_SRC_CLASS: rn_resolve_class(scope, src); break;
	case RN_SRC_QUERY:
		if (!src->let)
			resolve_inner(scope, src->query);
		scope->inner = src->query;
		break;
	case RN_SRC_BETWEEN: rn_resolve_between(scope, src); break;
	}
}
