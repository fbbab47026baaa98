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

static void put_typed(struct rn_describe *d, const char *kind, const char *name, struct rn_ty ty,
		      const char *where, const char *doc)
{
	rn_listing_row(d->l, (const char *const[]){kind, name, rn_type_name(ty), rn_unit_name(ty),
						   where, doc});
}

void rn_describe_put(struct rn_describe *d, const char *kind, const char *name, const char *type,
		     const char *where, const char *doc)
{
	rn_listing_row(d->l, (const char *const[]){kind, name, type, "", where, doc});
}

/* recorded: do not say why the kernel does not evaluate the field. */
static void put_field(struct rn_describe *d, const struct rn_field *f, bool recorded)
{
	const char *doc = f->doc;

	if (!(f->where & RN_IN_KERNEL) && f->not_kernel && !recorded)
		doc = rn_arena_printf(d->a, "%s (%s)", doc ? doc : "", f->not_kernel);
	put_typed(d, "field", f->name, f->ty, f->where & RN_IN_KERNEL ? "kernel" : "node", doc);
}

void rn_describe_class(struct rn_describe *d, const struct rn_class *c)
{
	rn_describe_put(
		d, c->kind == RN_CLASS_TABLE ? "table" : "class", rn_class_text(d->a, c), "", "",
		c->later ? rn_arena_printf(d->a, "%s (later: %s)", c->doc ? c->doc : "", c->later)
			 : c->doc);
	for (unsigned i = 0; i < c->nfields; i++)
		put_field(d, c->fields[i], c->recorded);
}

/* The "NAME: text" line of a view's doc, which describes the parameter or column NAME. The other
 * lines describe the view. */
static const char *doc_of(struct rn_describe *d, const char *doc, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = doc; p && *p; p += strcspn(p, "\n"), p += *p == '\n') {
		if (!strncmp(p, name, n) && p[n] == ':')
			return rn_arena_strndup(d->a, p + n + 1 + (p[n + 1] == ' '),
						strcspn(p + n + 1, "\n") - (p[n + 1] == ' '));
	}
	return NULL;
}

/* The names of the session, with the view itself first: it may be of a module that is not in
 * use. */
struct with_view {
	const struct rn_view *v;
	const struct rn_views *rest;
};

static const char *find_with(void *self, const char *name, const char **origin)
{
	const struct with_view *w = self;

	if (strcmp(name, w->v->name))
		return w->rest->find(w->rest->self, name, origin);
	if (origin)
		*origin = w->v->origin;
	return w->v->text;
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
static const struct rn_ast_query *resolve_view(struct rn_describe *d, const struct rn_view *v,
					       bool asks)
{
	struct rn_diag *diag = rn_diag_new(d->a);
	const char *text = rn_arena_printf(d->a, "events of %s", v->name);
	uint16_t src = rn_diag_source(diag, "describe", text, strlen(text));
	struct rn_ast_query *q = rn_parse(d->a, diag, src)->stmts->query;
	struct with_view with = {v, rn_views_names(d->s->e->views)};
	struct rn_views views = {&with, find_with, names_with, module_with};
	struct rn_names names = {.catalog = d->s->e->catalog,
				 .views = &views,
				 .trace = rn_trace_catalog,
				 .trace_self = d->traces,
				 .tagset = rn_tagstore_names(d->s->e->tags)};

	if (rn_resolve(d->a, diag, q, &names))
		return q;
	if (asks)
		fputs("runnel: the columns are known once the parameters are given\n", stderr);
	else
		fputs(rn_session_diag(d->s, diag, d->a), stderr);
	return NULL;
}

static void put_columns(struct rn_describe *d, const struct rn_view *v,
			const struct rn_ast_query *q)
{
	for (const struct rn_ast_item *it = q ? q->items : NULL; it; it = it->next) {
		const char *label = it->label ? it->label : rn_print_expr(d->a, it->expr);

		put_typed(d, "column", label, it->expr->ty, "", doc_of(d, v->doc, label));
	}
}

/* Put what a saved view uses, and what uses it. */
static void view_uses(struct rn_describe *d, const struct rn_view *v)
{
	const struct rn_viewset *set = rn_views_saved(d->s->e->views, d->a);
	const struct rn_saved *own = set ? rn_viewset_find(set, v->name) : NULL;

	for (unsigned pass = 0; own && pass < 2; pass++) {
		for (unsigned i = 0; i < set->n; i++) {
			const struct rn_saved *o = set->v[i];

			if (pass ? rn_viewset_uses(set, o, own) : rn_viewset_uses(set, own, o))
				rn_describe_put(d, pass ? "used by" : "uses", o->name, "", "",
						rn_view_summary(d->a, o->view, o->doc));
		}
		for (const char *const *m = own->modules; !pass && *m; m++)
			rn_describe_put(d, "uses", *m, "module", "", "");
	}
}

/* May rows be written? False, and told: the output is a recording that was read for this. */
static bool may_write(struct rn_describe *d)
{
	struct rn_err err = {0};

	if (d->refused || !rn_recordings_apart(d->traces, d->s->opt->output, &err))
		return !d->refused;
	d->refused = true;
	rn_complain(d->s, &err);
	return false;
}

static void describe_view(struct rn_describe *d, const struct rn_view *v)
{
	struct rn_diag *diag = rn_diag_new(d->a);
	uint16_t src = rn_diag_source(diag, v->origin, v->text, strlen(v->text));
	const struct rn_ast_stmt *st = rn_parse(d->a, diag, src)->stmts;
	bool asks;
	const struct rn_ast_query *q;
	const char *text, *uses, *end;

	while (st && st->kind != RN_STMT_VIEW) /* behind its `use` lines */
		st = st->next;
	asks = false;
	for (const struct rn_ast_param *p = st ? st->params : NULL; p; p = p->next)
		asks |= !p->deflt;
	if (!st)
		fputs(rn_session_diag(d->s, diag, d->a), stderr);
	/* before the first row, because that empties the file of -O */
	q = st ? resolve_view(d, v, asks) : NULL;
	if (!may_write(d))
		return;
	rn_describe_put(d, "view", v->name, "", "", rn_view_summary(d->a, st, v->doc));
	for (const struct rn_ast_param *p = st ? st->params : NULL; p; p = p->next)
		rn_describe_put(
			d, "parameter", p->name,
			p->deflt ? rn_arena_printf(d->a, "= %s", rn_print_expr(d->a, p->deflt))
				 : "required",
			"", doc_of(d, v->doc, p->name));
	put_columns(d, v, q);
	if (v->saved)
		view_uses(d, v);
	text = v->text;
	uses = "";
	/* the doc is shown above */
	while ((!strncmp(text, "--|", 3) || !strncmp(text, "use ", 4)) &&
	       (end = strchr(text, '\n'))) {
		if (*text == 'u')
			uses = rn_arena_printf(d->a, "%s%.*s ", uses, (int)(end - text), text);
		text = end + 1;
	}
	text = rn_arena_printf(d->a, "%s%s", uses, text);
	rn_describe_put(d, "text", v->saved ? "" : v->origin, "", "", text);
}

/* ---- a result of `let` ---- */

static bool describe_result(struct rn_describe *d, const char *name)
{
	const struct rn_let *const *k = rn_lets_list(d->s->e->lets, d->a);
	char buf[32];
	size_t n;

	while (*k && strcmp((*k)->name, name))
		k++;
	if (!*k)
		return false;
	n = rn_let_result_rows((*k)->rows);
	rn_describe_put(d, "result", name, "", "",
			rn_arena_printf(d->a, "%s row%s, kept until the session ends",
					rn_text_commas(buf, (long long)n), n == 1 ? "" : "s"));
	for (const struct rn_ast_item *it = (*k)->shape->items; it; it = it->next)
		put_typed(d, "column", it->label ? it->label : rn_print_expr(d->a, it->expr),
			  it->expr->ty, "", "");
	return true;
}

static const struct rn_class *find_class(struct rn_describe *d, const char *name)
{
	const struct rn_catalog *c = d->s->e->catalog;
	char why[256] = "";
	const char *space = strchr(name, ' ');
	const struct rn_class *cls;

	if (space) { /* tracepoint "sched:sched_switch" */
		const char *arg = space + strspn(space, " \"");

		cls = c->find(c->self, rn_arena_strndup(d->a, name, (size_t)(space - name)),
			      rn_arena_strndup(d->a, arg, strcspn(arg, "\"")), why, sizeof(why));
	} else if (strchr(name, ':')) {
		cls = c->find(c->self, "tracepoint", name, why, sizeof(why));
	} else {
		cls = c->find(c->self, name, NULL, why, sizeof(why));
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
static void put_owners(struct rn_describe *d, const char *const *names, const struct rn_field *f)
{
	const struct rn_catalog *c = d->s->e->catalog;
	const struct rn_class *cls, *other;

	for (const char *const *n = names; *n; n++) {
		unsigned same;
		bool told;

		if (!same_field(field_of(c, *n, f->name, &cls), f))
			continue;
		same = 0;
		told = false;
		for (const char *const *k = names; *k && !told; k++) {
			if (same_field(field_of(c, *k, f->name, &other), f) && other->doc &&
			    cls->doc && !strcmp(other->doc, cls->doc)) {
				told = !same && k < n;
				same++;
			}
		}
		if (!told)
			rn_describe_put(d, cls->kind == RN_CLASS_TABLE ? "table" : "class",
					same > 1 ? rn_arena_printf(d->a, "(%u names)", same) : *n,
					"", "", cls->doc);
	}
}

static bool describe_field(struct rn_describe *d, const char *name)
{
	enum { MOST = 16 };
	const struct rn_catalog *c = d->s->e->catalog;
	const char *const *names = c->names(c->self);
	const struct rn_field *known[MOST];
	const struct rn_class *cls;
	unsigned n = 0;

	for (const char *const *k = names; *k && n < MOST; k++) {
		const struct rn_field *f = field_of(c, *k, name, &cls);
		unsigned i = 0;

		while (f && i < n && !same_field(known[i], f))
			i++;
		if (!f || i < n)
			continue;
		known[n++] = f;
		put_field(d, f, false);
		put_owners(d, names, f);
	}
	return n > 0;
}

/* ---- a pair of events, as written in a query ---- */

static bool describe_pair(struct rn_describe *d, const char *name)
{
	struct rn_diag *diag = rn_diag_new(d->a);
	const char *text = rn_arena_printf(d->a, "events of %s", name);
	struct rn_ast_stmt *st =
		rn_parse(d->a, diag, rn_diag_source(diag, "describe", text, strlen(text)))->stmts;
	struct rn_names names = {.catalog = d->s->e->catalog,
				 .views = rn_views_names(d->s->e->views)};
	const struct rn_ast_source *src = st && st->query ? st->query->source : NULL;

	if (!st || !src || rn_diag_errors(diag) || !rn_resolve(d->a, diag, st->query, &names)) {
		fputs(rn_session_diag(d->s, diag, d->a), stderr);
		return false;
	}
	if (src->kind != RN_SRC_BETWEEN || !src->cls)
		return false;
	rn_describe_put(d, "pair", name, "", "", src->cls->doc);
	for (unsigned i = 0; i < src->cls->nfields; i++)
		put_field(d, src->cls->fields[i], false);
	return true;
}

static bool describe_any(struct rn_describe *d, const char *name)
{
	bool view;
	const struct rn_func *f;
	const struct rn_class *c;

	if (!strncmp(name, "between ", 8))
		return describe_pair(d, name);
	if (describe_result(d, name)) /* it hides classes and views of its name */
		return true;
	view = false;
	for (const struct rn_view *const *v = rn_views_list(d->s->e->views, d->a, true);
	     *v && !view; v++) {
		if ((view = !strcmp((*v)->name, name)))
			describe_view(d, *v);
	}
	/* a view may share its name with a call: then describe both */
	for (const struct rn_agg *const *g = rn_aggs; *g; g++) {
		if (!strcmp((*g)->sig.name, name)) {
			rn_describe_put(d, "aggregate", name, "",
					(*g)->not_kernel ? "node" : "kernel", (*g)->sig.doc);
			return true;
		}
	}
	f = rn_func_find(name);
	if (f) {
		rn_describe_put(d, "function", name,
				f->result.type == RN_T_ERROR ? "" : rn_type_name(f->result),
				f->kernel ? "kernel" : "node", f->doc);
		return true;
	}
	if (view)
		return true;
	c = find_class(d, name);
	if (c)
		rn_describe_class(d, c);
	return c || describe_field(d, name);
}

static int describe_name(struct rn_describe *d, const char *name)
{
	struct rn_session *s = d->s;
	bool found = describe_any(d, name);
	const struct rn_err *problem;

	if (!found && !d->refused && rn_script_is(name))
		return rn_describe_file(d, name);
	problem = rn_views_problem(s->e->views);
	if (d->refused || found)
		return d->refused ? RN_EXIT_SYSTEM : RN_EXIT_OK;
	if (problem->code) /* it may be the reason */
		rn_complain(s, problem);
	if (strncmp(name, "between ", 8)) {
		const char *near = rn_list_nearest(s, d->a, name);

		rn_say("%snothing is named `%s`%s%s%s; %s\n", s->pager ? "" : "runnel: ", name,
		       near ? "; did you mean `" : "", near ? near : "", near ? "`" : "",
		       s->pager ? "\\l, \\v and \\h aggregates show what there is"
				: "`runnel list` shows all");
	}
	return problem->code ? RN_EXIT_SYSTEM : RN_EXIT_QUERY;
}

int rn_describe(struct rn_session *s, const char *name)
{
	static const struct rn_heading headings[] = {{"kind", 0},
						     {"name", RN_SHOW_WHOLE},
						     {"type", 0},
						     {"unit", RN_SHOW_SPARE},
						     {"where", RN_SHOW_SPARE},
						     {"doc", 0}};
	struct rn_describe d = {
		.s = s, .a = rn_arena_create(RN_ARENA_CAP), .traces = rn_trace_catalogs_create()};
	size_t n;
	bool file;
	int status;

	rn_views_begin(s->e->views); /* as they are saved now */
	d.l = rn_listing_begin(s, headings, 6);
	n = strlen(name);
	/* but not a file named like a class */
	file = (rn_script_is(name) && (strchr(name, '/') || strchr(name, '.'))) ||
	       (n > 4 && !strcmp(name + n - 4, ".rnt"));
	status = file ? rn_describe_file(&d, name) : describe_name(&d, name);
	if (rn_listing_end(d.l) < 0)
		status = RN_EXIT_SYSTEM;
	rn_arena_destroy(d.a);
	rn_trace_catalogs_free(d.traces);
	return status;
}

int rn_cmd_describe(struct rn_session *s)
{
	return rn_describe(s, s->opt->subject);
}
