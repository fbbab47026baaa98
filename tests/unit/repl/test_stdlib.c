/* test_stdlib.c - every view of every module: resolves, plans against the live catalogue, and
 * documents itself: one sentence, then a line for each parameter and column in their order, and no
 * other. A name is in one module only, and is none of an event class. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "planner/plan/plan.h"
#include "probes/probes.h"
#include "repl/views/view_store.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

struct world {
	struct rn_arena *arena;
	struct rn_catalog *catalog;
	struct rn_viewstore *views;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	setenv("RUNNEL_CATALOG", "/nonexistent/catalog.db", 1); /* nobody's saved views */
	w->arena = rn_arena_create(RN_ARENA_CAP);
	w->catalog = rn_probes_catalog(rn_agg_sigs);
	w->views = rn_views_create(NULL, NULL);
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++)
		rn_views_use(w->views, m->name);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	rn_views_destroy(w->views);
	rn_probes_catalog_free(w->catalog);
	rn_arena_destroy(w->arena);
	free(w);
	return 0;
}

/* Its declaration: name, parameters, query. */
static const struct rn_ast_stmt *declaration(struct world *w, const struct rn_view *v)
{
	struct rn_diag *d = rn_diag_new(w->arena);
	const struct rn_ast_file *f =
		rn_parse(w->arena, d, rn_diag_source(d, "view", v->text, strlen(v->text)));

	assert_int_equal(rn_diag_errors(d), 0);
	return f->stmts;
}

/* Is all that is wrong with a query that this machine lacks a tracepoint, or lets nobody look? */
static bool lacking(struct rn_diag *d)
{
	for (const struct rn_diag_item *it = rn_diag_first(d); it; it = it->next) {
		if (it->severity == RN_ERROR && strcmp(it->code, "E-SYSTEM") &&
		    !strstr(it->text, "this kernel has no tracepoint"))
			return false;
	}
	return true;
}

/* `events of VIEW`, resolved, parameters without a default being a text; its diagnostics become the
 * test's failure. NULL: not on this machine. */
static struct rn_ast_query *resolve(struct world *w, const struct rn_view *v, struct rn_plan **plan)
{
	struct rn_diag *d = rn_diag_new(w->arena);
	const char *args = "";
	const char *text;
	uint16_t src;
	struct rn_ast_query *q;
	struct rn_names names;

	for (const struct rn_ast_param *p = declaration(w, v)->params; p; p = p->next) {
		if (!p->deflt)
			args = rn_arena_printf(w->arena, "%s%s\"some text\"", args,
					       *args ? ", " : "");
	}
	text = rn_arena_printf(w->arena, *args ? "events of %s(%s)" : "events of %s", v->name,
			       args);
	src = rn_diag_source(d, "test", text, strlen(text));
	q = rn_parse(w->arena, d, src)->stmts->query;
	names = (struct rn_names){.catalog = w->catalog, .views = rn_views_names(w->views)};
	if (rn_resolve(w->arena, d, q, &names))
		*plan = rn_plan_query(w->arena, d, q, &names, &(struct rn_plan_opts){0});
	if (!rn_diag_errors(d))
		return q;
	if (!lacking(d))
		fail_msg("%s: %s", v->name, rn_diag_render(d, w->arena, false));
	print_message("left out: %s: %s\n", v->name, rn_diag_first(d)->text);
	return NULL;
}

/* The line `NAME: what` of a documentation, which ends with a line end or the text. */
static const char *documented(const char *doc, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = doc; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		if (!strncmp(p, name, n) && p[n] == ':' && p[n + 1] == ' ' && p[n + 2] > ' ')
			return p;
	}
	return NULL;
}

static unsigned entries(const char *doc)
{
	unsigned n = 0;

	for (const char *p = strchr(doc, '\n'); p; p = strchr(p, '\n')) {
		size_t len = strspn(++p, "abcdefghijklmnopqrstuvwxyz_0123456789");

		n += len && p[len] == ':';
	}
	return n;
}

static void views_resolve_and_plan(void **state)
{
	struct world *w = *state;
	unsigned n = 0, left_out = 0;

	for (const struct rn_view *const *v = rn_views_list(w->views, w->arena, true); *v;
	     v++, n++) {
		struct rn_plan *plan = NULL;

		if (!resolve(w, *v, &plan))
			left_out++;
		else
			assert_non_null(plan);
	}
	assert_true(n >= 40);
	if (left_out)
		skip();
}

static void views_are_documented(void **state)
{
	struct world *w = *state;

	for (const struct rn_view *const *v = rn_views_list(w->views, w->arena, true); *v; v++) {
		struct rn_plan *plan = NULL;
		const char *doc = (*v)->doc;
		unsigned n = 0;
		const struct rn_ast_query *q;

		if (!doc || !*doc)
			fail_msg("view %s has no `--|` comment", (*v)->name);
		if (doc[strcspn(doc, "\n") - 1] != '.')
			fail_msg("view %s does not begin with a sentence", (*v)->name);
		for (const struct rn_ast_param *p = declaration(w, *v)->params; p;
		     p = p->next, n++) {
			if (!documented(doc, p->name))
				fail_msg("view %s does not document its parameter %s", (*v)->name,
					 p->name);
		}
		q = resolve(w, *v, &plan);
		if (!q)
			continue;
		for (const struct rn_ast_item *it = q->items; it; it = it->next) {
			bool both;

			if (!documented(doc, it->label))
				fail_msg("view %s does not document its column %s", (*v)->name,
					 it->label);
			/* a parameter of the same name has the line */
			both = false;
			for (const struct rn_ast_param *p = declaration(w, *v)->params; p;
			     p = p->next)
				both |= !strcmp(p->name, it->label);
			n += !both;
		}
		if (entries(doc) != n)
			fail_msg("view %s documents %u names and has %u", (*v)->name, entries(doc),
				 n);
	}
}

static const struct rn_ast_stmt *statements(struct world *w, const struct rn_module_data *m)
{
	struct rn_diag *d = rn_diag_new(w->arena);
	const struct rn_ast_file *f =
		rn_parse(w->arena, d, rn_diag_source(d, m->name, m->text, strlen(m->text)));

	if (rn_diag_errors(d))
		fail_msg("%s: %s", m->name, rn_diag_render(d, w->arena, false));
	return f->stmts;
}

/* The module before m, or m itself, that has an earlier statement of that name. */
static const char *earlier(struct world *w, const struct rn_module_data *m,
			   const struct rn_ast_stmt *st)
{
	for (const struct rn_module_data *o = rn_stdlib; o <= m; o++) {
		for (const struct rn_ast_stmt *s = statements(w, o);
		     s && (o < m || s->span.start < st->span.start); s = s->next) {
			if (!strcmp(s->name, st->name))
				return o->name;
		}
	}
	return NULL;
}

static void names_are_in_one_module(void **state)
{
	struct world *w = *state;

	for (const struct rn_module_data *m = rn_stdlib; m->name; m++) {
		for (const struct rn_ast_stmt *s = statements(w, m); s; s = s->next) {
			assert_int_equal(s->kind, RN_STMT_VIEW);
			if (earlier(w, m, s))
				fail_msg("%s is in %s and in %s", s->name, earlier(w, m, s),
					 m->name);
			if (w->catalog->find(w->catalog->self, s->name, NULL, NULL, 0))
				fail_msg("%s of %s is an event class", s->name, m->name);
		}
	}
}

static void modules_are_there(void **state)
{
	static const char *const names[] = {"fs",   "io",    "mem",      "net",
					    "proc", "sched", "syscalls", "tags"};
	unsigned n = 0;

	(void)state;
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++) {
		bool known = false;

		for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
			known |= !strcmp(names[i], m->name);
		if (!known)
			fail_msg("the module %s is not in this list, nor perhaps in "
				 "docs/language/statements.md",
				 m->name);
		n++;
	}
	assert_int_equal(n, sizeof(names) / sizeof(*names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_resolve_and_plan),
		cmocka_unit_test(views_are_documented),
		cmocka_unit_test(names_are_in_one_module),
		cmocka_unit_test(modules_are_there),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
