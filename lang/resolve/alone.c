/* alone.c - a name alone as a statement, if it is neither a view nor the result of a `let`: a
 * class, a query without its source, a word of another tool. */
#include "lang/base/nearest.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/foreign/words.h"

/* The text of the statement. */
static const char *written(const struct rn_resolve_scope *s, const struct rn_ast_source *src)
{
	size_t len;
	const char *text = rn_diag_text(s->resolver->diag, src->span.src, &len);

	return src->span.end <= len ? rn_arena_strndup(s->resolver->arena, text + src->span.start,
						       src->span.end - src->span.start)
				    : src->name;
}

static void report_class(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	const struct rn_class *cls = src->cls;
	struct rn_diag_item *it = scope_error(
		scope, "E-NAME-SOURCE", src->name_span, "`%s` is %s, which is asked by a query",
		src->name, cls->kind == RN_CLASS_TABLE ? "a table" : "an event class");

	if (!cls->needs_arg && !cls->later)
		scope_hint(scope, it, "`events of %s` shows each, `count of %s by proc` counts",
			   src->name, src->name);
	else
		scope_hint(scope, it, "`runnel describe %s` says how", src->name);
}

/* sum(bytes), pid: what to show, but not of what. */
static bool names_no_source(struct rn_resolve_scope *s, const struct rn_ast_source *src)
{
	const struct rn_class *io = s->catalog->find(s->catalog->self, "io", NULL, NULL, 0);

	return rn_resolve_find_agg(s, src->name) || rn_func_find(src->name) ||
	       (io && rn_class_field(io, src->name));
}

static const char *const *views_and_results(const struct rn_resolve_scope *s)
{
	const struct rn_names *n = s->resolver->names;

	return rn_resolve_join_names(
		s->resolver->arena, n->lets ? n->lets->names(n->lets->self) : NULL,
		n->views && n->views->names ? n->views->names(n->views->self) : NULL);
}

/* Words of other tools; NULL: it is none. */
static const char *of_others(struct rn_resolve_scope *s, const char *name)
{
	const char *way = rn_foreign_statement(s->resolver->arena, name, "");

	if (!way)
		way = rn_foreign_call(name);
	return way ? way : rn_foreign_syntax(name);
}

void rn_resolve_report_alone(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	const char *text = written(scope, src), *way;
	struct rn_diag_item *it;

	if (src->cls) {
		report_class(scope, src);
		return;
	}
	if (names_no_source(scope, src)) {
		it = scope_error(scope, "E-SYNTAX", src->span,
				 "`%s` is no query: it does not say of what", text);
		scope_hint(scope, it, "name a source: %s of read", text);
		return;
	}
	way = of_others(scope, src->name);
	it = scope_error(scope, "E-NAME-VIEW", src->name_span,
			 "`%s` is neither a query nor the name of a view or a result", src->name);
	if (way)
		scope_hint(scope, it, "%s", way);
	else
		rn_resolve_hint_nearest(scope, it, src->name, views_and_results(scope),
					"`runnel list` shows views, and what can be asked");
}
