/* list.c - `runnel list [GLOB]`: everything that a query can name, one line each.
 *
 * Classes that share one doc (each system call by its own name) are folded into one line unless a
 * glob asks for them. There are thousands of kernel tracepoints, so they are listed only if the
 * glob asks for them: it contains a colon, or begins with `tracepoint `. Functions are listed by
 * functions.c if their class stands before them: `user:libc:mem*`. */
#include <errno.h>
#include <string.h>
#include "lang/values/glob.h"
#include "lang/base/nearest.h"
#include "lang/catalog/funcs.h"
#include "lang/resolve/names.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "planner/plan/agg.h"
#include "repl/engine/lets.h"
#include "repl/cli/commands.h"
#include "repl/cli/describe.h"
#include "repl/cli/session.h"
#include "repl/views/view_set.h"
#include "lang/resolve/param_kinds.h"

static bool wanted(const char *glob, const char *name)
{
	return !glob || rn_glob_str(glob, name);
}

static void put(struct rn_listing *l, const char *kind, const char *name, const char *doc)
{
	rn_listing_row(l, (const char *const[]){kind, name, doc});
}

/* How many sources have this doc; 0 if an earlier one has it and was listed for all. */
static unsigned sharing(const struct rn_catalog *c, const char *const *names, const char *name,
			const char *doc)
{
	unsigned n = 0;

	for (const char *const *k = names; *k; k++) {
		const struct rn_class *cls = c->find(c->self, *k, NULL, NULL, 0);

		if (!cls || !cls->doc || strcmp(cls->doc, doc))
			continue;
		if (!n && strcmp(*k, name))
			return 0;
		n++;
	}
	return n;
}

/* Sources that only a later version executes are left out. */
static void list_sources(struct rn_session *session, struct rn_listing *listing,
			 struct rn_arena *arena, const char *glob)
{
	const struct rn_catalog *catalog = session->engine->catalog;
	const char *const *names = catalog->names(catalog->self);

	for (const char *const *n = names; n && *n; n++) {
		char why[256] = "";
		const struct rn_class *cls;
		const char *kind, *doc;
		unsigned same;

		if (!wanted(glob, *n))
			continue;
		cls = catalog->find(catalog->self, *n, NULL, why, sizeof(why));
		if (cls && cls->later)
			continue;
		kind = cls && cls->kind == RN_CLASS_TABLE ? "table" : "class";
		doc = cls ? cls->doc : why;
		same = glob || !cls || !doc ? 1 : sharing(catalog, names, *n, doc);
		if (same == 0)
			continue;
		if (same > 1) {
			put(listing, kind, rn_arena_printf(arena, "(%u names)", same),
			    rn_arena_printf(arena, "%s; %s '*' shows them", doc,
					    session->pager ? "\\l" : "list"));
			continue;
		}
		put(listing, kind, *n, doc);
	}
}

static void list_tracepoints(struct rn_session *s, struct rn_listing *l, const char *glob)
{
	const struct rn_catalog *c = s->engine->catalog;
	const char *const *n = c->args ? c->args(c->self, "tracepoint") : NULL;

	for (; n && *n; n++) {
		if (wanted(glob, *n))
			put(l, "tracepoint", *n, NULL);
	}
}

static struct rn_ast_stmt *declaration(struct rn_arena *a, const struct rn_view *v)
{
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_stmt *st =
		rn_parse(a, d, rn_diag_source(d, v->name, v->text, strlen(v->text)))->stmts;

	while (st && st->kind != RN_STMT_VIEW) /* behind its `use` lines */
		st = st->next;
	return st;
}

static void list_modules(struct rn_listing *l, struct rn_arena *arena, const char *glob)
{
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++)
		if (wanted(glob, m->name))
			put(l, "module", m->name, rn_module_doc(arena, m));
}

/* The module of a view of the library; "": the view is not of the library. */
static const char *module_of(struct rn_arena *arena, const struct rn_view *v)
{
	bool library = !v->saved && !strncmp(v->origin, "stdlib/", 7);

	return library ? rn_arena_strndup(arena, v->origin + 7, strcspn(v->origin + 7, ".")) : "";
}

/* List the views. Only each view's row stays in memory: there may be thousands. */
static void list_views(struct rn_session *session, struct rn_listing *listing, struct rn_arena *own,
		       const char *glob, bool saved)
{
	struct rn_arena *arena = rn_arena_create(RN_ARENA_CAP);

	for (const struct rn_view *const *v = rn_views_list(session->engine->views, own, true); *v;
	     v++) {
		struct rn_ast_stmt *view;
		const char *doc, *params, *module = module_of(arena, *v);

		if ((saved && !(*v)->saved) || (!wanted(glob, (*v)->name) && strcmp(module, glob)))
			continue;
		view = declaration(arena, *v);
		doc = rn_view_summary(arena, view, (*v)->doc);
		params = rn_param_signature(arena, view);
		if (*params)
			doc = rn_arena_printf(arena, "%s%s(%s)", doc ? doc : "", doc ? " " : "",
					      params);
		if (*module)
			doc = rn_arena_printf(arena, "%s%s(module %s)", doc ? doc : "",
					      doc ? " " : "", module);
		put(listing, "view", (*v)->name, doc);
		rn_arena_reset(arena);
	}
	rn_arena_destroy(arena);
}

/* List the results of `let`: number of rows, and columns. */
static void list_results(struct rn_session *s, struct rn_listing *l, struct rn_arena *a,
			 const char *glob)
{
	char buf[32];

	for (const struct rn_let *const *k = rn_lets_list(s->engine->lets, a); *k; k++) {
		size_t n = rn_let_result_rows((*k)->rows);
		const char *doc = rn_arena_printf(a, "%s row%s:", rn_text_commas(buf, (long long)n),
						  n == 1 ? "" : "s");

		for (const struct rn_ast_item *it = (*k)->shape->items; it; it = it->next)
			doc = rn_arena_printf(a, "%s %s%s", doc,
					      it->label ? it->label : rn_print_expr(a, it->expr),
					      it->next ? "," : "");
		if (wanted(glob, (*k)->name))
			put(l, "result", (*k)->name, doc);
	}
}

static void list_functions(struct rn_listing *l, const char *glob)
{
	const struct rn_func *f;

	for (const struct rn_agg *const *g = rn_aggs; *g; g++) {
		if (wanted(glob, (*g)->sig.name))
			put(l, "aggregate", (*g)->sig.name, (*g)->sig.doc);
	}
	for (unsigned i = 0; (f = rn_func_at(i)); i++) {
		if (wanted(glob, f->name))
			put(l, "function", f->name, f->doc);
	}
}

/* If the kernel hides its tracepoints from this user, the name may still exist: say so, and what to
 * do. */
static bool tracepoints_refused(struct rn_session *s)
{
	const struct rn_catalog *c = s->engine->catalog;
	char why[512] = "";
	struct rn_err err;

	if (c->find(c->self, "tracepoint", "sched:sched_switch", why, sizeof(why)) ||
	    !strchr(why, '\n'))
		return false;
	err = (struct rn_err){0};
	rn_err_set(&err, -EACCES, "%.*s", (int)strcspn(why, "\n"), why);
	rn_err_hint(&err, "%s", strchr(why, '\n') + 1);
	rn_complain(s, &err);
	return true;
}

const char *rn_list_nearest(struct rn_session *session, struct rn_arena *arena, const char *name)
{
	enum { MOST = 4096 };
	const char **all = RN_NEWN(arena, const char *, MOST + 1);
	const char *const *sources =
		session->engine->catalog->names(session->engine->catalog->self);
	unsigned n = 0;

	for (; sources && *sources && n < MOST; sources++)
		all[n++] = *sources;
	for (const struct rn_let *const *k = rn_lets_list(session->engine->lets, arena);
	     *k && n < MOST; k++)
		all[n++] = (*k)->name;
	for (const struct rn_view *const *view = rn_views_list(session->engine->views, arena, true);
	     *view && n < MOST; view++)
		all[n++] = (*view)->name;
	for (const struct rn_agg *const *agg = rn_aggs; *agg && n < MOST; agg++)
		all[n++] = (*agg)->sig.name;
	for (unsigned i = 0; rn_func_at(i) && n < MOST; i++)
		all[n++] = rn_func_at(i)->name;
	return rn_nearest(name, all);
}

int rn_cmd_list(struct rn_session *session)
{
	static const struct {
		const char *word, *glob;
		unsigned kinds;
	} kinds[] = {
		{"views", NULL, RN_LIST_VIEWS},          {"functions", NULL, RN_LIST_FUNCTIONS},
		{"aggregates", NULL, RN_LIST_FUNCTIONS}, {"sources", NULL, RN_LIST_SOURCES},
		{"classes", NULL, RN_LIST_SOURCES},      {"tracepoints", "*:*", RN_LIST_ALL},
	};
	const char *subject = session->opt->subject;

	for (size_t i = 0; subject && !session->opt->saved && i < sizeof(kinds) / sizeof(*kinds);
	     i++)
		if (!strcmp(subject, kinds[i].word))
			return rn_list_kinds(session, kinds[i].glob, kinds[i].kinds);
	return rn_list_kinds(session, subject, session->opt->saved ? RN_LIST_SAVED : RN_LIST_ALL);
}

int rn_list_kinds(struct rn_session *session, const char *glob, unsigned kinds)
{
	static const struct rn_heading headings[] = {
		{"kind", 0}, {"name", RN_SHOW_WHOLE}, {"doc", 0}};
	struct rn_arena *arena = rn_arena_create(RN_ARENA_CAP);
	struct rn_listing *listing;
	int64_t rows;
	bool refused;
	const struct rn_err *problem;
	const char *class_name, *arg;
	int status;

	rn_views_begin(session->engine->views); /* as they are saved now */
	listing = rn_listing_begin(session, headings, 3);
	if (glob && rn_functions_named(session->engine->catalog, arena, glob, &class_name, &arg)) {
		status = rn_list_functions(session, listing, class_name, arg);
		status = rn_listing_end(listing) < 0 ? RN_EXIT_SYSTEM : status;
		rn_arena_destroy(arena);
		return status;
	}
	if (glob && (strchr(glob, ':') || !strncmp(glob, "tracepoint ", 11))) {
		list_tracepoints(session, listing,
				 glob + (strncmp(glob, "tracepoint ", 11) ? 0 : 11));
	} else {
		if (kinds & RN_LIST_RESULTS)
			list_results(session, listing, arena, glob);
		if (kinds & RN_LIST_SOURCES)
			list_sources(session, listing, arena, glob);
		if (kinds & RN_LIST_VIEWS)
			list_modules(listing, arena, glob);
		if (kinds & (RN_LIST_VIEWS | RN_LIST_SAVED))
			list_views(session, listing, arena, glob, kinds & RN_LIST_SAVED);
		if (kinds & RN_LIST_FUNCTIONS)
			list_functions(listing, glob);
	}
	rows = rn_listing_end(listing);
	refused = rows < 0 || (!rows && glob && strchr(glob, ':') && tracepoints_refused(session));
	problem = rn_views_problem(session->engine->views);
	if (problem->code)
		rn_complain(session, problem);
	if (!rows && glob && !refused) {
		const char *near =
			strpbrk(glob, "*?[:") ? NULL : rn_list_nearest(session, arena, glob);

		rn_say("%snothing is named like `%s`%s%s%s; %s\n",
		       session->pager ? "" : "runnel: ", glob, near ? "; did you mean `" : "",
		       near ? near : "", near ? "`" : "",
		       session->pager ? "\\l and \\v show what there is"
				      : "`runnel list` shows all");
	}
	rn_arena_destroy(arena);
	return problem->code || refused ? RN_EXIT_SYSTEM : rows ? RN_EXIT_OK : RN_EXIT_QUERY;
}
