/* resolve.c - name resolution and typing: the driver. It annotates the parser's tree in place, and
 * expands views into nested queries. Everything that it adds lives in the arena. It never stops at
 * the first error.
 *
 * The parts: source.c (classes, views, nested queries, traces), tags.c (`tag`), substitute.c
 * ($name), barewords.c (barewords), expr.c (operators), calls.c (aggregates, functions), units.c
 * (types and units), columns.c (the list, keys, labels, order). */
#include <errno.h>
#include <unistd.h>
#include "lang/resolve/resolve_impl.h"
#include "lang/base/nearest.h"

const char *const *join_names(struct rn_arena *arena, const char *const *x, const char *const *y)
{
	size_t nx = 0, ny = 0;
	const char **all;

	while (x && x[nx])
		nx++;
	while (y && y[ny])
		ny++;
	all = RN_NEWN(arena, const char *, nx + ny + 1);
	for (size_t i = 0; i < nx; i++)
		all[i] = x[i];
	for (size_t i = 0; i < ny; i++)
		all[nx + i] = y[i];
	return all;
}

void hint_nearest(struct scope *scope, struct rn_diag_item *it, const char *name,
		  const char *const *candidates, const char *fallback)
{
	const char *near = rn_nearest(name, candidates);

	if (near)
		hint(scope, it, "did you mean `%s`?", near);
	else if (fallback)
		hint(scope, it, "%s", fallback);
}

/* What is wrong with the trace, without its path: "/x.rnt: is damaged" repeats the message. */
static const char *trouble(struct rn_arena *a, const char *why, const char *path)
{
	size_t n = strlen(path);

	if (!strncmp(why, path, n) && !strncmp(why + n, ": ", 2))
		return rn_arena_strdup(a, why + n + 2);
	return rn_arena_printf(a, "cannot be read: %s",
			       why[0] ? why : "traces cannot be opened here");
}

struct rn_diag_item *warn_once(struct scope *scope, const char *code, struct rn_span span,
			       const char *text)
{
	for (const struct rn_diag_item *it = rn_diag_first(scope->resolver->diag); it;
	     it = it->next)
		if (!strcmp(it->code, code) && !strcmp(it->text, text))
			return NULL;
	return rn_diag_add(scope->resolver->diag, RN_WARNING, code, span, "%s", text);
}

/* True, and reported, if the recording is missing. That is harmless until the view that reads it
 * runs. */
static bool is_gone(struct scope *s)
{
	struct resolver *r = s->resolver;
	struct rn_diag_item *it;

	if (!r->names->unbound || !access(s->query->from, F_OK) ||
	    (errno != ENOENT && errno != ENOTDIR))
		return false;
	it = warn_once(s, "W-TRACE", s->query->from_span,
		       rn_arena_printf(r->arena, "there is no trace \"%s\" now", s->query->from));
	if (it)
		hint(s, it,
		     "the view can be saved; whether the recording has what it names is checked "
		     "when it runs");
	return true;
}

/* Sets the catalogue for a query's `from`. A trace that cannot be read is reported once, even if
 * many queries use it. */
static void enter_trace(struct scope *scope)
{
	struct resolver *resolver = scope->resolver;
	char why[256] = "";

	if (resolver->trace_path && !strcmp(resolver->trace_path, scope->query->from)) {
		scope->catalog = resolver->trace;
	} else {
		resolver->trace_path = scope->query->from;
		resolver->trace = resolver->names->trace
					  ? resolver->names->trace(
						    resolver->names->trace_self, scope->query->from,
						    resolver->names->catalog, why, sizeof(why))
					  : NULL;
		scope->catalog = resolver->trace;
		resolver->trace_gone = !resolver->trace && is_gone(scope);
		if (!resolver->trace && !resolver->trace_gone)
			rn_diag_add(resolver->diag, RN_ERROR, "E-TRACE", scope->query->from_span,
				    "the trace \"%s\" %s", scope->query->from,
				    trouble(resolver->arena, why, scope->query->from));
	}
	if (!scope->catalog) {
		scope->catalog = resolver->names->catalog;
		scope->lost = true;
		resolver->gone = resolver->trace_gone;
	}
}

/* Windows use the time of rows. Groups have a time if they were made in windows. Recordings of
 * older versions have none if the list did not name it. */
static void check_windows(struct scope *scope)
{
	const struct rn_ast_query *in = scope->query;

	while (in->source && in->source->kind == RN_SRC_QUERY && !in->source->let &&
	       !in->source->query->every_ns)
		in = in->source->query;
	if (in->source && in->source->let && in->source->query->timeless)
		hint(scope,
		     report(scope, "E-CLAUSE", scope->query->clause[RN_C_EVERY],
			    "the rows of `%s` are groups of a whole answer: they have no time",
			    in->source->let->name),
		     "leave `every` out, or let the groups be made in windows: let %s := ... every "
		     "1s",
		     in->source->let->name);
	if (in->source && in->source->cls && in->source->cls->recorded && !in->source->cls->pair &&
	    !rn_class_field(in->source->cls, "time"))
		hint(scope,
		     report(scope, "E-TRACE", scope->query->clause[RN_C_EVERY],
			    "\"%s\" was recorded without `time`: it has no windows", in->from),
		     "leave `every` out, or record it again: time, ... of %s ... into",
		     in->source->cls->name);
}

void resolve_query(struct resolver *resolver, struct rn_ast_query *query,
		   const struct rn_catalog *catalog)
{
	struct scope s = {.resolver = resolver, .query = query, .catalog = catalog};

	resolver->gone = false;
	if (query->from)
		enter_trace(&s);
	s.gone = resolver->gone;
	label_columns(&s);
	resolve_source(&s);
	if (resolver->gone) /* its recording, or that of a query inside it */
		s.gone = s.lost = true;
	if (query->every_ns)
		check_windows(&s);
	if (query->where)
		resolve_condition(&s, query->where, IN_WHERE, "where");
	resolve_columns(&s);
	resolver->gone = s.gone;
}

bool rn_resolve(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_query *query,
		const struct rn_names *names)
{
	struct resolver r = {.arena = arena, .diag = diag, .names = names};
	unsigned before = rn_diag_errors(diag);

	if (!query)
		return false;
	substitute_params(&r, query, bind_command_line(&r));
	resolve_query(&r, query, names->catalog);
	if (rn_arena_full(arena))
		rn_diag_add(diag, RN_ERROR, "E-LIMIT-MEMORY", query->span,
			    "the query needs more memory than a compilation may have");
	return rn_diag_errors(diag) == before;
}

bool rn_resolve_words(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_name *words,
		      const struct rn_names *names)
{
	struct resolver r = {.arena = arena, .diag = diag, .names = names};
	unsigned before = rn_diag_errors(diag);

	substitute_words(&r, words, bind_command_line(&r));
	return rn_diag_errors(diag) == before;
}
