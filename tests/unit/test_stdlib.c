/* test_stdlib.c - every view of every module: resolves, plans, and documents itself, its parameters and its columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "planner/plan.h"
#include "probes/probes.h"
#include "repl/lib/views.h"

struct world {
	struct rn_arena *arena;
	struct rn_catalog *catalog;
	struct rn_viewstore *views;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	setenv("RUNNEL_CATALOG", "/nonexistent/catalog.db", 1); /* nobody's saved views */
	w->arena = rn_arena_create(RN_ARENA_CAP);
	w->catalog = rn_probes_catalog(rn_agg_sigs);
	w->views = rn_views_create(NULL);
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

/* `events of VIEW`, resolved; its diagnostics become the test's failure. */
static struct rn_ast_query *resolve(struct world *w, const struct rn_view *v, struct rn_plan **plan)
{
	struct rn_diag *d = rn_diag_new(w->arena);
	const char *text = rn_arena_printf(w->arena, "events of %s", v->name);
	uint16_t src = rn_diag_source(d, "test", text, strlen(text));
	struct rn_ast_query *q = rn_parse(w->arena, d, src)->stmts->query;
	struct rn_names names = {.catalog = w->catalog, .views = rn_views_names(w->views)};
	if (rn_resolve(w->arena, d, q, &names))
		*plan = rn_plan_query(w->arena, d, q, &names, &(struct rn_plan_opts){0});
	if (rn_diag_errors(d))
		fail_msg("%s: %s", v->name, rn_diag_render(d, w->arena, false));
	return q;
}

static bool documented(const char *doc, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = doc; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		if (!strncmp(p, name, n) && p[n] == ':' && p[n + 1] == ' ' && p[n + 2])
			return true;
	}
	return false;
}

static void views_resolve_and_plan(void **state)
{
	struct world *w = *state;
	unsigned n = 0;
	for (const struct rn_view *const *v = rn_views_list(w->views, w->arena, true); *v; v++, n++) {
		struct rn_plan *plan = NULL;
		resolve(w, *v, &plan);
		assert_non_null(plan);
	}
	assert_true(n >= 12);
}

static void views_are_documented(void **state)
{
	struct world *w = *state;
	for (const struct rn_view *const *v = rn_views_list(w->views, w->arena, true); *v; v++) {
		struct rn_plan *plan = NULL;
		if (!(*v)->doc || !*(*v)->doc)
			fail_msg("view %s has no `--|` comment", (*v)->name);
		struct rn_ast_query *q = resolve(w, *v, &plan);
		for (const struct rn_ast_item *it = q->items; it; it = it->next) {
			if (!documented((*v)->doc, it->label))
				fail_msg("view %s does not document its column %s", (*v)->name, it->label);
		}
		struct rn_diag *d = rn_diag_new(w->arena);
		const struct rn_ast_file *f = rn_parse(w->arena, d, rn_diag_source(d, "view", (*v)->text, strlen((*v)->text)));
		assert_int_equal(rn_diag_errors(d), 0);
		for (const struct rn_ast_param *p = f->stmts->params; p; p = p->next) {
			if (!documented((*v)->doc, p->name))
				fail_msg("view %s does not document its parameter %s", (*v)->name, p->name);
		}
	}
}

static void modules_have_distinct_names(void **state)
{
	struct world *w = *state;
	unsigned statements = 0, listed = 0;
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++) {
		struct rn_diag *d = rn_diag_new(w->arena);
		const struct rn_ast_file *f = rn_parse(w->arena, d, rn_diag_source(d, m->name, m->text, strlen(m->text)));
		if (rn_diag_errors(d))
			fail_msg("%s: %s", m->name, rn_diag_render(d, w->arena, false));
		for (const struct rn_ast_stmt *s = f->stmts; s; s = s->next)
			statements++;
	}
	for (const struct rn_view *const *v = rn_views_list(w->views, w->arena, true); *v; v++)
		listed++;
	assert_int_equal(statements, listed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_resolve_and_plan),
		cmocka_unit_test(views_are_documented),
		cmocka_unit_test(modules_have_distinct_names),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
