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

const char *const *join_names(struct rn_arena *a, const char *const *x, const char *const *y)
{
	size_t nx = 0, ny = 0;
	const char **all;

	while (x && x[nx])
		nx++;
	while (y && y[ny])
		ny++;
	all = RN_NEWN(a, const char *, nx + ny + 1);
	for (size_t i = 0; i < nx; i++)
		all[i] = x[i];
	for (size_t i = 0; i < ny; i++)
		all[nx + i] = y[i];
	return all;
}

void hint_nearest(struct scope *s, struct rn_diag_item *it, const char *name,
		  const char *const *candidates, const char *fallback)
{
	const char *near = rn_nearest(name, candidates);

	if (near)
		hint(s, it, "did you mean `%s`?", near);
	else if (fallback)
		hint(s, it, "%s", fallback);
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

struct rn_diag_item *warn_once(struct scope *s, const char *code, struct rn_span span,
			       const char *text)
{
	for (const struct rn_diag_item *it = rn_diag_first(s->r->d); it; it = it->next)
		if (!strcmp(it->code, code) && !strcmp(it->text, text))
			return NULL;
	return rn_diag_add(s->r->d, RN_WARNING, code, span, "%s", text);
}

/* True, and reported, if the recording is missing. That is harmless until the view that reads it
 * runs. */
static bool is_gone(struct scope *s)
{
	struct resolver *r = s->r;
	struct rn_diag_item *it;

	if (!r->names->unbound || !access(s->q->from, F_OK) ||
	    (errno != ENOENT && errno != ENOTDIR))
		return false;
	it = warn_once(s, "W-TRACE", s->q->from_span,
		       rn_arena_printf(r->a, "there is no trace \"%s\" now", s->q->from));
	if (it)
		hint(s, it,
		     "the view can be saved; whether the recording has what it names is checked "
		     "when it runs");
	return true;
}

/* Sets the catalogue for a query's `from`. A trace that cannot be read is reported once, even if
 * many queries use it. */
static void enter_trace(struct scope *s)
{
	struct resolver *r = s->r;
	char why[256] = "";

	if (r->trace_path && !strcmp(r->trace_path, s->q->from)) {
		s->catalog = r->trace;
	} else {
		r->trace_path = s->q->from;
		r->trace = r->names->trace ? r->names->trace(r->names->trace_self, s->q->from,
							     r->names->catalog, why, sizeof(why))
					   : NULL;
		s->catalog = r->trace;
		r->trace_gone = !r->trace && is_gone(s);
		if (!r->trace && !r->trace_gone)
			rn_diag_add(r->d, RN_ERROR, "E-TRACE", s->q->from_span,
				    "the trace \"%s\" %s", s->q->from,
				    trouble(r->a, why, s->q->from));
	}
	if (!s->catalog) {
		s->catalog = r->names->catalog;
		s->lost = true;
		r->gone = r->trace_gone;
	}
}

/* Windows use the time of rows. Groups have a time if they were made in windows. Recordings of
 * older versions have none if the list did not name it. */
static void check_windows(struct scope *s)
{
	const struct rn_ast_query *in = s->q;

	while (in->source && in->source->kind == RN_SRC_QUERY && !in->source->let &&
	       !in->source->query->every_ns)
		in = in->source->query;
	if (in->source && in->source->let && in->source->query->timeless)
		hint(s,
		     report(s, "E-CLAUSE", s->q->clause[RN_C_EVERY],
			    "the rows of `%s` are groups of a whole answer: they have no time",
			    in->source->let->name),
		     "leave `every` out, or let the groups be made in windows: let %s := ... every "
		     "1s",
		     in->source->let->name);
	if (in->source && in->source->cls && in->source->cls->recorded && !in->source->cls->pair &&
	    !rn_class_field(in->source->cls, "time"))
		hint(s,
		     report(s, "E-TRACE", s->q->clause[RN_C_EVERY],
			    "\"%s\" was recorded without `time`: it has no windows", in->from),
		     "leave `every` out, or record it again: time, ... of %s ... into",
		     in->source->cls->name);
}

void resolve_query(struct resolver *r, struct rn_ast_query *q, const struct rn_catalog *catalog)
{
	struct scope s = {.r = r, .q = q, .catalog = catalog};

	r->gone = false;
	if (q->from)
		enter_trace(&s);
	s.gone = r->gone;
	label_columns(&s);
	resolve_source(&s);
	if (r->gone) /* its recording, or that of a query inside it */
		s.gone = s.lost = true;
	if (q->every_ns)
		check_windows(&s);
	if (q->where)
		resolve_condition(&s, q->where, IN_WHERE, "where");
	resolve_columns(&s);
	r->gone = s.gone;
}

bool rn_resolve(struct rn_arena *a, struct rn_diag *d, struct rn_ast_query *q,
		const struct rn_names *names)
{
	struct resolver r = {.a = a, .d = d, .names = names};
	unsigned before = rn_diag_errors(d);

	if (!q)
		return false;
	substitute_params(&r, q, bind_command_line(&r));
	resolve_query(&r, q, names->catalog);
	if (rn_arena_full(a))
		rn_diag_add(d, RN_ERROR, "E-LIMIT-MEMORY", q->span,
			    "the query needs more memory than a compilation may have");
	return rn_diag_errors(d) == before;
}

bool rn_resolve_words(struct rn_arena *a, struct rn_diag *d, struct rn_ast_name *words,
		      const struct rn_names *names)
{
	struct resolver r = {.a = a, .d = d, .names = names};
	unsigned before = rn_diag_errors(d);

	substitute_words(&r, words, bind_command_line(&r));
	return rn_diag_errors(d) == before;
}
