/* view_export.c - saved views as a text that can be read back. The `use` lines of all views come
 * first, so a view defined behind them hides a module's view of the same name. The order of views
 * keeps the others right (view_set.c). */
#include <errno.h>
#include <string.h>
#include "lang/base/str.h"
#include "repl/views/view_set.h"
#include "lang/syntax/print.h"
#include "lang/base/nearest.h"

static int no_view(const struct rn_viewset *set, const char *name, struct rn_err *err)
{
	const struct rn_module_data *module = rn_module_of(name);
	const char *near = rn_nearest(name, set->views.names(set->views.self));

	rn_err_set(err, -ENOENT, "there is no saved view `%s`", name);
	if (module)
		rn_err_hint(err,
			    "it is a view of the standard library, in the module %s, which every "
			    "runnel has",
			    module->name);
	else if (near)
		rn_err_hint(err, "did you mean `%s`?", near);
	else
		rn_err_hint(err, "`runnel list` shows all views, `runnel export` writes those that "
				 "are saved");
	return err->code;
}

static bool needs(const struct rn_saved *v, const char *module)
{
	for (const char *const *m = v->modules; *m; m++) {
		if (!strcmp(*m, module))
			return true;
	}
	return false;
}

static const char *text_of(struct rn_arena *a, const struct rn_saved *const *v)
{
	struct rn_strbuf t;

	rn_strbuf_init(&t, a);
	rn_strbuf_put(&t, "-- Views of a Runnel catalogue. `runnel import FILE` saves them.\n");
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++) {
		bool used = false;

		for (unsigned i = 0; v[i]; i++)
			used |= needs(v[i], m->name);
		if (used)
			rn_strbuf_printf(&t, "use %s;\n", m->name);
	}
	for (unsigned i = 0; v[i]; i++)
		rn_strbuf_printf(&t, "\n%s;\n",
				 v[i]->view ? rn_print_stmt(a, v[i]->view) : v[i]->text);
	return rn_strbuf_cstr(&t);
}

const char *rn_views_export(struct rn_viewstore *store, const char *const *only,
			    struct rn_arena *arena, struct rn_err *err)
{
	struct rn_viewset *set = rn_views_saved(store, arena);
	const char *why = NULL;
	const struct rn_saved *const *saved;

	if (!set) {
		*err = *rn_views_problem(store);
		return NULL;
	}
	for (const char *const *o = only; o && *o; o++) {
		if (!rn_viewset_find(set, *o) && no_view(set, *o, err))
			return NULL;
	}
	saved = rn_viewset_order(set, only, arena, &why);
	if (!saved) {
		rn_err_set(err, -EINVAL, "%s", why);
		return NULL;
	}
	return saved[0] ? text_of(arena, saved) : "";
}

/* ---- its summary ---- */

static bool is_label(struct rn_arena *a, const struct rn_ast_item *it, const char *name)
{
	for (; it; it = it->next) {
		if (!strcmp(it->label ? it->label : rn_print_expr(a, it->expr), name))
			return true;
	}
	return false;
}

/* Does the line begin with "NAME:" of a parameter or a column? If a view has all fields of what it
 * reads, any word counts as one. */
static bool is_about_name(struct rn_arena *a, const struct rn_ast_stmt *view, const char *line,
			  size_t n)
{
	const char *colon = memchr(line, ':', n);
	const struct rn_ast_query *q = view ? view->query : NULL;
	const char *name;

	if (!colon || colon == line || (colon[1] && !strchr(" \n", colon[1])))
		return false;
	name = rn_arena_strndup(a, line, (size_t)(colon - line));
	for (const struct rn_ast_param *p = view ? view->params : NULL; p; p = p->next) {
		if (!strcmp(p->name, name))
			return true;
	}
	if (q && (q->items || q->by))
		return is_label(a, q->items, name) || is_label(a, q->by, name);
	return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789")];
}

const char *rn_view_summary(struct rn_arena *arena, const struct rn_ast_stmt *view, const char *doc)
{
	for (const char *p = doc; p && *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t n = strcspn(p, "\n");

		if (n && !is_about_name(arena, view, p, n))
			return rn_arena_strndup(arena, p, n);
	}
	return NULL;
}
