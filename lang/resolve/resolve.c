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
#include "lang/syntax/print.h"

const char *const *rn_resolve_join_names(struct rn_arena *arena, const char *const *x,
					 const char *const *y)
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

void rn_resolve_hint_nearest(struct rn_resolve_scope *scope, struct rn_diag_item *it,
			     const char *name, const char *const *candidates, const char *fallback)
{
	const char *near = rn_nearest(name, candidates);

	if (near)
		scope_hint(scope, it, "did you mean `%s`?", near);
	else if (fallback)
		scope_hint(scope, it, "%s", fallback);
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

struct rn_diag_item *rn_resolve_warn_once(struct rn_resolve_scope *scope, const char *code,
					  struct rn_span span, const char *text)
{
	for (const struct rn_diag_item *it = rn_diag_first(scope->resolver->diag); it;
	     it = it->next)
		if (!strcmp(it->code, code) && !strcmp(it->text, text))
			return NULL;
	return rn_diag_add(scope->resolver->diag, RN_WARNING, code, span, "%s", text);
}

/* True, and reported, if the recording is missing. That is harmless until the view that reads it
 * runs. */
static bool is_gone(struct rn_resolve_scope *s)
{
	struct rn_resolver *r = s->resolver;
	struct rn_diag_item *it;

	if (!r->names->unbound || !access(s->query->from, F_OK) ||
	    (errno != ENOENT && errno != ENOTDIR))
		return false;
	it = rn_resolve_warn_once(
		s, "W-TRACE", s->query->from_span,
		rn_arena_printf(r->arena, "there is no trace \"%s\" now", s->query->from));
	if (it)
		scope_hint(
			s, it,
			"the view can be saved; whether the recording has what it names is checked "
			"when it runs");
	return true;
}

/* Sets the catalogue for a query's `from`. A trace that cannot be read is reported once, even if
 * many queries use it. */
static void enter_trace(struct rn_resolve_scope *scope)
{
	struct rn_resolver *resolver = scope->resolver;
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

/* every 1s over 10s: windows are made of parts of one length. */
static void check_over(struct rn_resolve_scope *scope)
{
	const struct rn_ast_query *q = scope->query;
	int64_t parts;

	if (!q->every_ns)
		return; /* its value was reported */
	parts = q->over_ns / q->every_ns;
	if (q->over_ns % q->every_ns || !parts)
		scope_hint(scope,
			   scope_error(scope, "E-CLAUSE", q->clause[RN_C_OVER],
				       "`over` takes a multiple of what `every` takes"),
			   "for instance `every 1s over 10s`");
	else if (parts > RN_MAX_PARTS)
		scope_hint(scope,
			   scope_error(scope, "E-LIMIT-PARTS", q->clause[RN_C_OVER],
				       "a window of %lld parts: at most %d", (long long)parts,
				       RN_MAX_PARTS),
			   "take a longer `every`");
	else if (!q->grouped)
		scope_hint(
			scope,
			scope_error(scope, "E-CLAUSE", q->clause[RN_C_OVER],
				    "`over` is for groups, and %s",
				    q->what == RN_WHAT_FLOW ? "this is a flow" : "these are rows"),
			"`every` alone takes them window by window");
}

/* Windows use the time of rows. Groups have a time if they were made in windows. Recordings of
 * older versions have none if the list did not name it. */
static void check_windows(struct rn_resolve_scope *scope)
{
	const struct rn_ast_query *in = scope->query;

	while (in->source && in->source->kind == RN_SRC_QUERY && !in->source->let &&
	       !in->source->query->every_ns)
		in = in->source->query;
	if (in->source && in->source->let && in->source->query->timeless)
		scope_hint(
			scope,
			scope_error(
				scope, "E-CLAUSE", scope->query->clause[RN_C_EVERY],
				"the rows of `%s` are groups of a whole answer: they have no time",
				in->source->let->name),
			"leave `every` out, or let the groups be made in windows: let %s := ... "
			"every "
			"1s",
			in->source->let->name);
	if (in->source && in->source->cls && in->source->cls->recorded && !in->source->cls->pair &&
	    !rn_class_field(in->source->cls, "time"))
		scope_hint(scope,
			   scope_error(scope, "E-TRACE", scope->query->clause[RN_C_EVERY],
				       "\"%s\" was recorded without `time`: it has no windows",
				       in->from),
			   "leave `every` out, or record it again: time, ... of %s ... into",
			   in->source->cls->name);
}

/* `through C` and its like: C is a condition on a hop's event, as of `where`. */
static bool resolve_flow_ifs(struct rn_resolve_scope *scope)
{
	struct rn_ast_query *query = scope->query;
	bool any = false;

	for (unsigned i = 0; i < RN_FLOW_IFS; i++) {
		const char *words = rn_flow_conditions[i].words;

		if (!query->flow_if[i])
			continue;
		any = true;
		if (query->what != RN_WHAT_FLOW)
			scope_hint(scope,
				   scope_error(scope, "E-CLAUSE", query->clause[RN_C_THROUGH + i],
					       "`%s` chooses flows, and this is no flow", words),
				   "write flow of tag fix283 %s ..., or `where` for events", words);
		rn_resolve_condition(scope, query->flow_if[i], IN_WHERE, words);
	}
	return any;
}

/* `where` leaves out hops, so that a flow may be in pieces. */
static void note_through(struct rn_resolve_scope *scope)
{
	struct rn_ast_query *query = scope->query;
	const char *text;

	query->flow_if[RN_FLOW_IF_THROUGH] = query->where;
	query->where = NULL;
	text = rn_print_query(scope->resolver->arena, query);
	query->where = query->flow_if[RN_FLOW_IF_THROUGH];
	query->flow_if[RN_FLOW_IF_THROUGH] = NULL;
	scope_hint(
		scope,
		rn_diag_add(scope->resolver->diag, RN_NOTE, "N-FLOW", query->clause[RN_C_WHERE],
			    "other hops are left out: `outside` marks ends whose other side may be "
			    "one of them"),
		"the whole flows that have such a hop: %s", text);
}

/* ---- flow of ... by proc ---- */

static struct rn_ast_expr *name_expr(struct rn_arena *arena, const char *name, struct rn_span span)
{
	struct rn_ast_expr *e = RN_NEW(arena, struct rn_ast_expr);

	*e = (struct rn_ast_expr){
		.kind = RN_AST_NAME, .name = name, .span = span, .column = -1, .depth = 1};
	return e;
}

static struct rn_ast_item *folded_item(struct rn_arena *arena, struct rn_ast_expr *expr,
				       const char *alias)
{
	struct rn_ast_item *it = RN_NEW(arena, struct rn_ast_item);

	*it = (struct rn_ast_item){.expr = expr, .alias = alias, .span = expr->span};
	return it;
}

/* The columns of a folded flow. */
static struct rn_ast_item *folded_list(struct rn_arena *arena, struct rn_span span)
{
	static const struct {
		const char *label, *agg, *arg;
	} folds[] = {
#define X(label, agg, arg) {label, agg, arg},
		RN_FLOW_FOLDS(X)
#undef X
	};
	struct rn_ast_item *first = NULL, **tail = &first;

	for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++) {
		struct rn_ast_expr *e = name_expr(arena, folds[i].agg, span);

		e->kind = RN_AST_CALL;
		e->bare = !folds[i].arg;
		if (folds[i].arg) {
			e->args = name_expr(arena, folds[i].arg, span);
			e->depth = 2;
		}
		*tail = folded_item(arena, e, folds[i].label);
		tail = &(*tail)->next;
	}
	return first;
}

static void report_key(struct rn_resolve_scope *scope, const struct rn_ast_expr *key)
{
	static const char *const names[] = {
#define X(to, from) to,
		RN_FLOW_KEYS(X)
#undef X
			NULL};
	const char *near = key->kind == RN_AST_NAME ? rn_nearest(key->name, names) : NULL;
	struct rn_diag_item *it = scope_error(scope, "E-GROUP-KEY", key->span,
					      "a flow is folded by `proc` and `node`");

	if (near)
		scope_hint(scope, it, "did you mean `%s`?", near);
	else
		scope_hint(scope, it,
			   "other groups are those of its rows: count, p99(lag) of (flow of ...) "
			   "by %s",
			   rn_print_expr(scope->resolver->arena, key));
}

/* Adds the two keys that `key` stands for: of the hop that data came from, and of the one it went
 * to. alone: their names are `from` and `to`. */
static bool add_keys(struct rn_resolve_scope *scope, const struct rn_ast_expr *key, bool alone,
		     struct rn_ast_item ***from, struct rn_ast_item ***to)
{
	static const struct {
		const char *to, *from;
	} keys[] = {
#define X(to, from) {to, from},
		RN_FLOW_KEYS(X)
#undef X
	};
	struct rn_arena *arena = scope->resolver->arena;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (key->kind != RN_AST_NAME || strcmp(key->name, keys[i].to))
			continue;
		**from = folded_item(arena, name_expr(arena, keys[i].from, key->span),
				     alone ? "from" : keys[i].from);
		*from = &(**from)->next;
		**to = folded_item(arena, name_expr(arena, keys[i].to, key->span),
				   alone ? "to" : keys[i].to);
		*to = &(**to)->next;
		return true;
	}
	report_key(scope, key);
	return false;
}

/* `flow of tag T by proc` is a query of the rows of `flow of tag T`: groups of the links from one
 * process to another. The clauses that choose hops belong to the flow, the others to the groups. */
static bool fold_flow(struct rn_resolve_scope *scope)
{
	struct rn_ast_query *query = scope->query, *flow;
	struct rn_arena *arena = scope->resolver->arena;
	struct rn_ast_item *from = NULL, *to = NULL, **from_end = &from, **to_end = &to;
	bool alone = query->by && !query->by->next;

	for (const struct rn_ast_item *key = query->by; key; key = key->next)
		if (!add_keys(scope, key->expr, alone, &from_end, &to_end))
			return false;
	*from_end = to;
	flow = RN_NEW(arena, struct rn_ast_query);
	*flow = (struct rn_ast_query){.span = query->span,
				      .what = RN_WHAT_FLOW,
				      .source = query->source,
				      .where = query->where,
				      .sample = query->sample,
				      .scan_cap = query->scan_cap,
				      .scan_rate = query->scan_rate,
				      .every_ns = query->every_ns,
				      .on = query->on,
				      .from = query->from,
				      .from_span = query->from_span,
				      .from_outside = query->from_outside,
				      .depth = query->depth};
	memcpy(flow->flow_if, query->flow_if, sizeof(flow->flow_if));
	memcpy(flow->clause, query->clause, sizeof(flow->clause));
	query->source = RN_NEW(arena, struct rn_ast_source);
	*query->source = (struct rn_ast_source){
		.kind = RN_SRC_QUERY, .span = flow->source->span, .query = flow};
	query->what = RN_WHAT_LIST;
	query->items = folded_list(arena, query->span);
	query->by = from;
	query->where = NULL;
	query->on = NULL;
	query->from = NULL;
	query->sample = 0;
	query->scan_cap = query->scan_rate = 0;
	query->from_outside = false;
	memset(query->flow_if, 0, sizeof(query->flow_if));
	query->depth++;
	return true;
}

void rn_resolve_query(struct rn_resolver *resolver, struct rn_ast_query *query,
		      const struct rn_catalog *catalog)
{
	struct rn_resolve_scope scope = {.resolver = resolver, .query = query, .catalog = catalog};
	bool windowed = resolver->windowed;

	if (query->what == RN_WHAT_FLOW && query->by && !fold_flow(&scope))
		query->by = NULL;
	resolver->gone = false;
	scope.windowed = resolver->windowed |= query->every_ns > 0;
	if (query->from)
		enter_trace(&scope);
	scope.gone = resolver->gone;
	rn_resolve_label_columns(&scope);
	rn_resolve_source(&scope);
	if (resolver->gone) /* its recording, or that of a query inside it */
		scope.gone = scope.lost = true;
	if (query->every_ns)
		check_windows(&scope);
	if (query->where)
		rn_resolve_condition(&scope, query->where, IN_WHERE, "where");
	if (!resolve_flow_ifs(&scope) && query->what == RN_WHAT_FLOW && query->where &&
	    !is_error(query->where))
		note_through(&scope);
	rn_resolve_columns(&scope);
	if (query->over_ns)
		check_over(&scope);
	resolver->gone = scope.gone;
	resolver->windowed = windowed;
}

bool rn_resolve(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_query *query,
		const struct rn_names *names)
{
	struct rn_resolver r = {.arena = arena, .diag = diag, .names = names};
	unsigned before = rn_diag_errors(diag);

	if (!query)
		return false;
	rn_resolve_substitute_params(&r, query, rn_resolve_bind_param(&r));
	rn_resolve_query(&r, query, names->catalog);
	if (rn_arena_full(arena))
		rn_diag_add(diag, RN_ERROR, "E-LIMIT-MEMORY", query->span,
			    "the query needs more memory than a compilation may have");
	return rn_diag_errors(diag) == before;
}

bool rn_resolve_words(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_name *words,
		      const struct rn_names *names)
{
	struct rn_resolver r = {.arena = arena, .diag = diag, .names = names};
	unsigned before = rn_diag_errors(diag);

	rn_resolve_substitute_words(&r, words, rn_resolve_bind_param(&r));
	return rn_diag_errors(diag) == before;
}
