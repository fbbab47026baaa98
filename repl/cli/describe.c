/* describe.c - `runnel describe NAME`: the fields of a class or table, the parameters and columns
 * of a view, the signature of a function or an aggregate, the columns of a result, the classes that
 * have a field. describe_file.c tells what is in a file. Each thing is one row: kind, name, type,
 * unit, where it is evaluated, doc. */
#include <stdlib.h>
#include <string.h>
#include "lang/catalog/funcs.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "planner/plan/agg.h"
#include "repl/cli/describe.h"
#include "repl/engine/lets.h"
#include "repl/engine/record.h"
#include "repl/engine/tag_store.h"
#include "repl/views/view_set.h"
#include "exec/trace/trace.h"
#include "repl/cli/run.h"
#include "lang/resolve/param_kinds.h"

static void put_typed(struct rn_describe *d, const char *kind, const char *name, struct rn_ty ty,
		      const char *where, const char *doc)
{
	rn_listing_row(d->listing, (const char *const[]){kind, name, rn_type_name(ty),
							 rn_unit_name(ty), where, doc});
}

void rn_describe_put(struct rn_describe *describe, const char *kind, const char *name,
		     const char *type, const char *where, const char *doc)
{
	rn_listing_row(describe->listing, (const char *const[]){kind, name, type, "", where, doc});
}

/* recorded: do not say why the kernel does not evaluate the field. */
static void put_field(struct rn_describe *d, const struct rn_field *f, bool recorded)
{
	const char *doc = f->doc;

	if (!(f->where & RN_IN_KERNEL) && f->not_kernel && !recorded)
		doc = rn_arena_printf(d->arena, "%s (%s)", doc ? doc : "", f->not_kernel);
	put_typed(d, "field", f->name, f->ty, f->where & RN_IN_KERNEL ? "kernel" : "node", doc);
}

void rn_describe_class(struct rn_describe *describe, const struct rn_class *cls)
{
	rn_describe_put(describe, cls->kind == RN_CLASS_TABLE ? "table" : "class",
			rn_class_text(describe->arena, cls), "", "",
			cls->later ? rn_arena_printf(describe->arena, "%s (later: %s)",
						     cls->doc ? cls->doc : "", cls->later)
				   : cls->doc);
	for (unsigned i = 0; i < cls->nfields; i++)
		put_field(describe, cls->fields[i], cls->recorded);
}

/* The "NAME: text" line of a view's doc, which describes the parameter or column NAME. The other
 * lines describe the view. */
static const char *doc_of(struct rn_describe *d, const char *doc, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = doc; p && *p; p += strcspn(p, "\n"), p += *p == '\n') {
		if (!strncmp(p, name, n) && p[n] == ':')
			return rn_arena_strndup(d->arena, p + n + 1 + (p[n + 1] == ' '),
						strcspn(p + n + 1, "\n") - (p[n + 1] == ' '));
	}
	return NULL;
}

/* The names of the session, with the view itself first: it may be of a module that is not in
 * use. */
struct with_view {
	const struct rn_view *view;
	const struct rn_views *rest;
};

static const char *find_with(void *self, const char *name, const char **origin)
{
	const struct with_view *w = self;

	if (strcmp(name, w->view->name))
		return w->rest->find(w->rest->self, name, origin);
	if (origin)
		*origin = w->view->origin;
	return w->view->text;
}

static const char *const *names_with(void *self)
{
	const struct with_view *w = self;

	return w->rest->names(w->rest->self);
}

static const char *module_with(void *self, const char *name)
{
	const struct with_view *w = self;

	return w->rest->module(w->rest->self, name);
}

/* Resolve `events of VIEW`. NULL, and told: its columns are not known. asks: a parameter has no
 * default. */
static const struct rn_ast_query *resolve_view(struct rn_describe *describe,
					       const struct rn_view *view, bool asks)
{
	struct rn_diag *diag = rn_diag_new(describe->arena);
	const char *text = rn_arena_printf(describe->arena, "events of %s", view->name);
	uint16_t src = rn_diag_source(diag, "describe", text, strlen(text));
	struct rn_ast_query *query = rn_parse(describe->arena, diag, src)->stmts->query;
	struct with_view with = {view, rn_views_names(describe->session->engine->views)};
	struct rn_views views = {&with, find_with, names_with, module_with};
	struct rn_names names = {.catalog = describe->session->engine->catalog,
				 .views = &views,
				 .trace = rn_trace_catalog,
				 .trace_self = describe->traces,
				 .tagset = rn_tagstore_names(describe->session->engine->tags)};

	if (rn_resolve(describe->arena, diag, query, &names))
		return query;
	if (asks)
		fputs("runnel: the columns are known once the parameters are given\n", stderr);
	else
		fputs(rn_session_diag(describe->session, diag, describe->arena), stderr);
	return NULL;
}

static void put_columns(struct rn_describe *d, const struct rn_view *v,
			const struct rn_ast_query *q)
{
	for (const struct rn_ast_item *it = q ? q->items : NULL; it; it = it->next) {
		const char *label = it->label ? it->label : rn_print_expr(d->arena, it->expr);

		put_typed(d, "column", label, it->expr->ty, "", doc_of(d, v->doc, label));
	}
}

/* Put what a saved view uses, and what uses it. */
static void view_uses(struct rn_describe *d, const struct rn_view *v)
{
	const struct rn_viewset *set = rn_views_saved(d->session->engine->views, d->arena);
	const struct rn_saved *own = set ? rn_viewset_find(set, v->name) : NULL;

	for (unsigned pass = 0; own && pass < 2; pass++) {
		for (unsigned i = 0; i < set->n; i++) {
			const struct rn_saved *o = set->list[i];

			if (pass ? rn_viewset_uses(set, o, own) : rn_viewset_uses(set, own, o))
				rn_describe_put(d, pass ? "used by" : "uses", o->name, "", "",
						rn_view_summary(d->arena, o->view, o->doc));
		}
		for (const char *const *m = own->modules; !pass && *m; m++)
			rn_describe_put(d, "uses", *m, "module", "", "");
	}
}

/* May rows be written? False, and told: the output is a recording that was read for this. */
static bool may_write(struct rn_describe *d)
{
	struct rn_err err = {0};

	if (d->refused || !rn_check_recordings_apart(d->traces, d->session->opt->output, &err))
		return !d->refused;
	d->refused = true;
	rn_complain(d->session, &err);
	return false;
}

static void describe_view(struct rn_describe *describe, const struct rn_view *view)
{
	struct rn_diag *diag = rn_diag_new(describe->arena);
	uint16_t src = rn_diag_source(diag, view->origin, view->text, strlen(view->text));
	struct rn_ast_stmt *st = rn_parse(describe->arena, diag, src)->stmts;
	bool asks;
	const struct rn_ast_query *query;
	const char *text, *uses, *end;

	while (st && st->kind != RN_STMT_VIEW) /* behind its `use` lines */
		st = st->next;
	asks = false;
	if (st)
		rn_param_kinds(st, NULL);
	for (const struct rn_ast_param *p = st ? st->params : NULL; p; p = p->next)
		asks |= !p->deflt;
	if (!st)
		fputs(rn_session_diag(describe->session, diag, describe->arena), stderr);
	/* before the first row, because that empties the file of -O */
	query = st ? resolve_view(describe, view, asks) : NULL;
	if (!may_write(describe))
		return;
	rn_describe_put(describe, "view", view->name, "", "",
			rn_view_summary(describe->arena, st, view->doc));
	for (const struct rn_ast_param *p = st ? st->params : NULL; p; p = p->next)
		rn_describe_put(describe, "parameter", p->name,
				p->deflt ? rn_arena_printf(describe->arena, "= %s",
							   rn_print_expr(describe->arena, p->deflt))
					 : "required",
				rn_param_word((enum rn_param_kind)p->kind),
				doc_of(describe, view->doc, p->name));
	put_columns(describe, view, query);
	if (view->saved)
		view_uses(describe, view);
	text = view->text;
	uses = "";
	/* the doc is shown above */
	while ((!strncmp(text, "--|", 3) || !strncmp(text, "use ", 4)) &&
	       (end = strchr(text, '\n'))) {
		if (*text == 'u')
			uses = rn_arena_printf(describe->arena, "%s%.*s ", uses, (int)(end - text),
					       text);
		text = end + 1;
	}
	text = rn_arena_printf(describe->arena, "%s%s", uses, text);
	rn_describe_put(describe, "text", view->saved ? "" : view->origin, "", "", text);
}

/* ---- a result of `let` ---- */

static bool describe_result(struct rn_describe *d, const char *name)
{
	const struct rn_let *const *k = rn_lets_list(d->session->engine->lets, d->arena);
	char buf[32];
	size_t n;

	while (*k && strcmp((*k)->name, name))
		k++;
	if (!*k)
		return false;
	n = rn_let_result_rows((*k)->rows);
	rn_describe_put(d, "result", name, "", "",
			rn_arena_printf(d->arena, "%s row%s, kept until the session ends",
					rn_text_commas(buf, (long long)n), n == 1 ? "" : "s"));
	for (const struct rn_ast_item *it = (*k)->shape->items; it; it = it->next)
		put_typed(d, "column", it->label ? it->label : rn_print_expr(d->arena, it->expr),
			  it->expr->ty, "", "");
	return true;
}

static const struct rn_class *find_class(struct rn_describe *describe, const char *name)
{
	const struct rn_catalog *catalog = describe->session->engine->catalog;
	char why[256] = "";
	const char *space = strchr(name, ' ');
	const struct rn_class *cls;

	if (space) { /* tracepoint "sched:sched_switch" */
		const char *arg = space + strspn(space, " \"");

		cls = catalog->find(catalog->self,
				    rn_arena_strndup(describe->arena, name, (size_t)(space - name)),
				    rn_arena_strndup(describe->arena, arg, strcspn(arg, "\"")), why,
				    sizeof(why));
	} else if (strchr(name, ':')) {
		cls = catalog->find(catalog->self, "tracepoint", name, why, sizeof(why));
	} else {
		cls = catalog->find(catalog->self, name, NULL, why, sizeof(why));
	}
	if (!cls && why[0])
		rn_say("runnel: %.*s\n", rn_catalog_why(why), why);
	return cls;
}

/* ---- a field: each of its meanings, and the classes and tables that have it ---- */

static bool same_field(const struct rn_field *x, const struct rn_field *y)
{
	return x && y && !strcmp(x->doc ? x->doc : "", y->doc ? y->doc : "") &&
	       x->ty.type == y->ty.type && x->ty.unit == y->ty.unit && x->where == y->where;
}

static const struct rn_field *field_of(const struct rn_catalog *c, const char *class,
				       const char *name, const struct rn_class **cls)
{
	*cls = c->find(c->self, class, NULL, NULL, 0);
	return *cls && !(*cls)->later ? rn_class_field(*cls, name) : NULL;
}

/* Classes that share their doc (each system call by its own name) are one row. */
static void put_owners(struct rn_describe *describe, const char *const *names,
		       const struct rn_field *field)
{
	const struct rn_catalog *catalog = describe->session->engine->catalog;
	const struct rn_class *cls, *other;

	for (const char *const *n = names; *n; n++) {
		unsigned same;
		bool told;

		if (!same_field(field_of(catalog, *n, field->name, &cls), field))
			continue;
		same = 0;
		told = false;
		for (const char *const *k = names; *k && !told; k++) {
			if (same_field(field_of(catalog, *k, field->name, &other), field) &&
			    other->doc && cls->doc && !strcmp(other->doc, cls->doc)) {
				told = !same && k < n;
				same++;
			}
		}
		if (!told)
			rn_describe_put(
				describe, cls->kind == RN_CLASS_TABLE ? "table" : "class",
				same > 1 ? rn_arena_printf(describe->arena, "(%u names)", same)
					 : *n,
				"", "", cls->doc);
	}
}

static bool describe_field(struct rn_describe *describe, const char *name)
{
	enum { MOST = 16 };
	const struct rn_catalog *catalog = describe->session->engine->catalog;
	const char *const *names = catalog->names(catalog->self);
	const struct rn_field *known[MOST];
	const struct rn_class *cls;
	unsigned n = 0;

	for (const char *const *k = names; *k && n < MOST; k++) {
		const struct rn_field *field = field_of(catalog, *k, name, &cls);
		unsigned i = 0;

		while (field && i < n && !same_field(known[i], field))
			i++;
		if (!field || i < n)
			continue;
		known[n++] = field;
		put_field(describe, field, false);
		put_owners(describe, names, field);
	}
	return n > 0;
}

/* ---- a source as written in a query: a pair of events, a list of classes ---- */

static bool is_source_text(const char *name)
{
	return !strncmp(name, "between ", 8) || strchr(name, ',');
}

static bool describe_source(struct rn_describe *describe, const char *name)
{
	struct rn_diag *diag = rn_diag_new(describe->arena);
	const char *text = rn_arena_printf(describe->arena, "events of %s", name);
	struct rn_ast_stmt *st = rn_parse(describe->arena, diag,
					  rn_diag_source(diag, "describe", text, strlen(text)))
					 ->stmts;
	struct rn_names names = {.catalog = describe->session->engine->catalog,
				 .views = rn_views_names(describe->session->engine->views)};
	const struct rn_ast_source *src = st && st->query ? st->query->source : NULL;

	if (!st || !src || rn_diag_errors(diag) ||
	    !rn_resolve(describe->arena, diag, st->query, &names)) {
		fputs(rn_session_diag(describe->session, diag, describe->arena), stderr);
		return false;
	}
	if (!src->cls || (src->kind != RN_SRC_BETWEEN && !src->cls->list && !src->cls->each))
		return false;
	rn_describe_put(describe, src->kind == RN_SRC_BETWEEN ? "pair" : "class",
			src->kind == RN_SRC_BETWEEN ? name
						    : rn_class_text(describe->arena, src->cls),
			"", "", src->cls->doc);
	for (unsigned i = 0; i < src->cls->nfields; i++)
		put_field(describe, src->cls->fields[i], false);
	return true;
}

static bool describe_any(struct rn_describe *describe, const char *name)
{
	bool view;
	const struct rn_func *func;
	const struct rn_class *cls;
	const char *class_name, *arg;

	if (rn_functions_named(describe->session->engine->catalog, describe->arena, name,
			       &class_name, &arg)) {
		describe->told = !rn_describe_functions(describe, class_name, arg);
		return !describe->told;
	}
	if (is_source_text(name))
		return describe_source(describe, name);
	if (describe_result(describe, name)) /* it hides classes and views of its name */
		return true;
	view = false;
	for (const struct rn_view *const *v =
		     rn_views_list(describe->session->engine->views, describe->arena, true);
	     *v && !view; v++) {
		if ((view = !strcmp((*v)->name, name)))
			describe_view(describe, *v);
	}
	/* a view may share its name with a call: then describe both */
	for (const struct rn_agg *const *agg = rn_aggs; *agg; agg++) {
		if (!strcmp((*agg)->sig.name, name)) {
			rn_describe_put(describe, "aggregate", name, "",
					(*agg)->not_kernel ? "node" : "kernel", (*agg)->sig.doc);
			return true;
		}
	}
	func = rn_func_find(name);
	if (func) {
		rn_describe_put(describe, "function", name,
				func->result.type == RN_T_ERROR ? "" : rn_type_name(func->result),
				func->kernel                                       ? "kernel"
				: func == &rn_func_share || func == &rn_func_delta ? "coordinator"
										   : "node",
				func->doc);
		return true;
	}
	if (view)
		return true;
	cls = find_class(describe, name);
	if (cls)
		rn_describe_class(describe, cls);
	return cls || describe_field(describe, name);
}

/* A module of the library: what it is about, and its views. */
static bool describe_module(struct rn_describe *d, const char *name)
{
	const struct rn_module_data *m = rn_stdlib;
	const char *origin;

	while (m->name && strcmp(m->name, name))
		m++;
	if (!m->name)
		return false;
	rn_describe_put(d, "module", name, "", "", rn_module_doc(d->arena, m));
	origin = rn_module_origin(d->arena, m);
	for (const struct rn_view *const *v =
		     rn_views_list(d->session->engine->views, d->arena, true);
	     *v; v++)
		if (!strcmp((*v)->origin, origin))
			rn_describe_put(d, "view", (*v)->name, "", "",
					rn_view_summary(d->arena, NULL, (*v)->doc));
	return true;
}

static int describe_name(struct rn_describe *describe, const char *name)
{
	struct rn_session *session = describe->session;
	bool found = describe_any(describe, name) | describe_module(describe, name);
	const struct rn_err *problem;

	if (!found && !describe->refused && rn_script_is(name))
		return rn_describe_file(describe, name);
	problem = rn_views_problem(session->engine->views);
	if (describe->refused || found)
		return describe->refused ? RN_EXIT_SYSTEM : RN_EXIT_OK;
	if (problem->code) /* it may be the reason */
		rn_complain(session, problem);
	if (!is_source_text(name) && !describe->told) {
		const char *near = rn_list_nearest(session, describe->arena, name);

		rn_say("%snothing is named `%s`%s%s%s; %s\n",
		       session->pager ? "" : "runnel: ", name, near ? "; did you mean `" : "",
		       near ? near : "", near ? "`" : "",
		       session->pager ? "\\l, \\v and \\h aggregates show what there is"
				      : "`runnel list` shows all");
	}
	return problem->code ? RN_EXIT_SYSTEM : RN_EXIT_QUERY;
}

int rn_describe(struct rn_session *session, const char *name)
{
	static const struct rn_heading headings[] = {{"kind", 0},
						     {"name", RN_SHOW_WHOLE},
						     {"type", 0},
						     {"unit", RN_SHOW_SPARE},
						     {"where", RN_SHOW_SPARE},
						     {"doc", 0}};
	struct rn_describe describe = {.session = session,
				       .arena = rn_arena_create(RN_ARENA_CAP),
				       .traces = rn_trace_catalogs_create()};
	size_t n;
	bool file;
	int status;

	rn_views_begin(session->engine->views); /* as they are saved now */
	describe.listing = rn_listing_begin(session, headings, 6);
	n = strlen(name);
	/* but not a file named like a class */
	file = (rn_script_is(name) && (strchr(name, '/') || strchr(name, '.'))) ||
	       (n > 4 && !strcmp(name + n - 4, ".rnt"));
	status = file ? rn_describe_file(&describe, name) : describe_name(&describe, name);
	if (rn_listing_end(describe.listing) < 0)
		status = RN_EXIT_SYSTEM;
	rn_arena_destroy(describe.arena);
	rn_trace_catalogs_free(describe.traces);
	return status;
}

int rn_cmd_describe(struct rn_session *session)
{
	return rn_describe(session, session->opt->subject);
}
