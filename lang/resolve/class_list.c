/* class_list.c - several classes of events as one source: count of read, fsync, tracepoint "irq:*",
 * "softirq:*". lang/catalog/list.h says what the class of a list is; here each member is looked up,
 * and what cannot be one is refused at its own place. */
#include "lang/base/vec.h"
#include "lang/catalog/list.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/parse.h"

struct names {
	const char **v;
	unsigned n, cap;
};

static void add_name(struct rn_resolve_scope *scope, struct names *names, const char *text)
{
	rn_vec_room_in(scope->resolver->arena, names->v, names->n, names->cap);
	names->v[names->n++] = text;
}

/* ---- views of events ---- */

static bool is_grouped(const struct rn_ast_query *q)
{
	return q->what != RN_WHAT_EVENTS || q->by;
}

/* Why the view's query is no view of events, as a text that follows its name; NULL: it is one. */
static const char *not_events(struct rn_resolve_scope *scope, const struct rn_ast_query *q)
{
	const struct rn_ast_source *src = q->source;

	if (is_grouped(q))
		return "is a view with columns of its own";
	for (int c = 0; c < RN_CLAUSES; c++)
		if (c != RN_C_WHERE && q->clause[c].end > q->clause[c].start)
			return rn_arena_printf(scope->resolver->arena, "is a view with `%s`",
					       rn_clause_text((enum rn_clause)c));
	if (!q->from != !scope->query->from)
		return "is a view of a recording";
	if (src->let)
		return "is a view of the result of a `let`";
	if (src->kind == RN_SRC_QUERY)
		return not_events(scope, src->query);
	if (src->kind == RN_SRC_BETWEEN)
		return "is a view of pairs";
	if (!src->cls || !rn_class_list_trouble(src->cls))
		return NULL;
	return rn_arena_printf(scope->resolver->arena, "is a view of `%s`, which %s",
			       src->cls->name, rn_class_list_trouble(src->cls));
}

/* Expands the view that is one member; false, and reports, if it is no view of events. */
static bool check_view(struct rn_resolve_scope *scope, struct rn_ast_source *src, const char *text,
		       const char *origin)
{
	const char *why;

	src->events = rn_resolve_view(scope, src, text, origin);
	if (!src->events || scope->lost)
		return false;
	why = not_events(scope, src->events);
	if (!why)
		return true;
	scope_hint(scope,
		   scope_error(scope, "E-NAME-SOURCE", src->name_span,
			       "`%s` %s, and a list has classes and views of events", src->name,
			       why),
		   "ask it in a query of its own; a view of events is: events of CLASS where "
		   "CONDITION");
	return false;
}

/* The source that has the events of a view, below views that it is made of. */
static const struct rn_ast_source *bottom(const struct rn_ast_query *query)
{
	while (query->source->kind == RN_SRC_QUERY)
		query = query->source->query;
	return query->source;
}

static struct rn_ast_expr *both(struct rn_arena *arena, enum rn_op op, struct rn_ast_expr *a,
				struct rn_ast_expr *b)
{
	struct rn_ast_expr *e;

	if (!a || !b)
		return a ? a : b;
	e = RN_NEW(arena, struct rn_ast_expr);
	*e = (struct rn_ast_expr){.kind = RN_AST_BINARY,
				  .op = op,
				  .span = a->span,
				  .args = a,
				  .ty = ty(RN_T_BOOL, RN_U_NONE),
				  .column = -1};
	a->next = b;
	b->next = NULL;
	return e;
}

/* Puts fields of events in the place of columns of the view that the query reads. */
static void use_fields(struct rn_arena *arena, struct rn_ast_expr *e,
		       const struct rn_ast_query *query)
{
	const struct rn_ast_item *item =
		query->source->kind == RN_SRC_QUERY ? query->source->query->items : NULL;

	for (struct rn_ast_expr *arg = e->args; arg; arg = arg->next)
		use_fields(arena, arg, query);
	if (!item || e->kind != RN_AST_NAME || e->column < 0)
		return;
	for (int i = 0; i < e->column; i++)
		item = item->next;
	e->field = item->expr->field;
	e->column = item->expr->column;
	use_fields(arena, e, query->source->query);
}

/* The condition of a view of events: that of its query and of those below. NULL: none. */
static struct rn_ast_expr *condition(struct rn_arena *arena, const struct rn_ast_query *query)
{
	struct rn_ast_expr *own = query->where ? rn_resolve_copy_expr(arena, query->where) : NULL,
			   *below = query->source->kind == RN_SRC_QUERY
					    ? condition(arena, query->source->query)
					    : query->source->only;

	if (own)
		use_fields(arena, own, query);
	return both(arena, RN_OP_AND, below, own);
}

/* ---- which of the list's events are meant ----
 *
 * (name in ("open", "openat") and latency > 1ms) or name = "read": an event is one of a member if
 * its name is one of the member's, and if it meets the condition of the view. */

static struct rn_ast_expr *text_of(struct rn_arena *arena, const char *text, struct rn_span span)
{
	struct rn_ast_expr *e = RN_NEW(arena, struct rn_ast_expr);

	make_literal(e, rn_strn(text, strlen(text)), ty(RN_T_STR, RN_U_NONE), NULL);
	e->quoted = true;
	e->span = span;
	return e;
}

/* name OP args. op: NONE is `in` */
static struct rn_ast_expr *about_name(const struct rn_resolve_scope *scope, enum rn_op op,
				      struct rn_ast_expr *args, struct rn_span span)
{
	struct rn_arena *arena = scope->resolver->arena;
	struct rn_ast_expr *e = RN_NEW(arena, struct rn_ast_expr),
			   *name = RN_NEW(arena, struct rn_ast_expr);

	*name = (struct rn_ast_expr){.kind = RN_AST_NAME,
				     .name = "name",
				     .span = span,
				     .field = rn_class_field(scope->cls, "name"),
				     .column = -1,
				     .next = args};
	name->ty = name->field->ty;
	*e = (struct rn_ast_expr){.kind = op ? RN_AST_BINARY : RN_AST_IN,
				  .op = op,
				  .span = span,
				  .args = name,
				  .ty = ty(RN_T_BOOL, RN_U_NONE),
				  .column = -1};
	return e;
}

/* Operations that are no calls: `syscall` names them, but none is an event of it. */
static bool is_call(const struct rn_resolve_scope *scope, const char *name)
{
	const struct rn_catalog *live = scope->resolver->names->catalog;
	const struct rn_class *cls = live->find(live->self, name, NULL, NULL, 0);

	return !cls || cls->calls;
}

static bool is_all_calls(const struct rn_class *cls)
{
	return !strcmp(cls->name, "syscall");
}

/* Adds the names of the class's events, in lists that begin with exact ones. */
static void add_event_names(struct rn_resolve_scope *scope, const struct rn_class *cls,
			    bool without_calls, struct names *exact, struct names *globs)
{
	const char *const *calls = cls->calls;

	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		if (!without_calls || !is_all_calls(*m))
			add_event_names(scope, *m, without_calls, exact, globs);
	if (cls->list)
		return;
	for (; calls && *calls; calls++)
		if (!without_calls || !is_call(scope, *calls))
			add_name(scope, exact, *calls);
	if (!cls->calls && !cls->arg)
		add_name(scope, exact, cls->name);
	for (const char *arg = cls->calls ? NULL : cls->arg, *end; arg && *arg;
	     arg = end + strspn(end, ", ")) {
		const char *one;

		end = arg + strcspn(arg, ",");
		one = rn_arena_strndup(scope->resolver->arena, arg, (size_t)(end - arg));
		add_name(scope, rn_class_arg_is_glob(cls->name, one) ? globs : exact, one);
	}
}

static bool has_all_calls(const struct rn_class *cls)
{
	bool has = is_all_calls(cls);

	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		has |= is_all_calls(*m);
	return has;
}

/* Is the event one of the class? NULL: every event of the list is. */
static struct rn_ast_expr *is_of(struct rn_resolve_scope *scope, const struct rn_class *cls,
				 struct rn_span span)
{
	struct rn_arena *arena = scope->resolver->arena;
	struct names exact = {0}, globs = {0};
	struct rn_ast_expr *list = NULL, *is = NULL;
	bool all = has_all_calls(cls);

	/* of all calls: by what the events of others are named */
	add_event_names(scope, all ? scope->cls : cls, all, &exact, &globs);
	for (unsigned i = exact.n; i-- > 0;) {
		struct rn_ast_expr *one = text_of(arena, exact.v[i], span);

		one->next = list;
		list = one;
	}
	if (list)
		is = about_name(scope, list->next ? RN_OP_NONE : RN_OP_EQ, list, span);
	for (unsigned i = 0; i < globs.n; i++)
		is = both(arena, RN_OP_OR, is,
			  about_name(scope, RN_OP_GLOB, text_of(arena, globs.v[i], span), span));
	if (!all || !is)
		return is;
	list = RN_NEW(arena, struct rn_ast_expr);
	*list = (struct rn_ast_expr){.kind = RN_AST_UNARY,
				     .op = RN_OP_NOT,
				     .span = span,
				     .args = is,
				     .ty = is->ty,
				     .column = -1};
	return list;
}

/* Reports why the view cannot be in the list; false. */
static bool asked_alone(struct rn_resolve_scope *scope, const struct rn_ast_source *src,
			const char *why)
{
	scope_hint(scope, scope_error(scope, "E-NAME-FIELD", src->name_span, "%s", why),
		   "ask the view in a query of its own");
	return false;
}

/* A field that all members have is that of the list. Others are those of a part of it. False, and
 * reports, if the list means another field by the name. */
static bool fit_fields(struct rn_resolve_scope *scope, const struct rn_ast_source *src,
		       struct rn_ast_expr *e)
{
	struct rn_arena *arena = scope->resolver->arena;
	const struct rn_field *listed = rn_class_field(scope->cls, e->name ? e->name : "");
	bool fit = true;

	for (struct rn_ast_expr *arg = e->args; arg; arg = arg->next)
		fit &= fit_fields(scope, src, arg);
	if (e->kind != RN_AST_NAME || !e->field || is_error(e))
		return fit;
	if (!listed && e->field->tells > RN_TELLS_EQUAL)
		return asked_alone(
			scope, src,
			rn_arena_printf(arena,
					"the view `%s` looks at `%s`, and some events of the list "
					"have no payload",
					src->name, e->name));
	if (!listed)
		e->field = rn_class_some_field(scope->catalog, scope->cls, e->name, e->ty);
	if (!listed || !e->field->hides || listed->hides)
		return true;
	return asked_alone(
		scope, src,
		rn_arena_printf(arena,
				"by `%s` the view `%s` means a field of the tracepoint's own, and "
				"the list the one of all events",
				e->name, src->name));
}

/* The events of one member that are meant; NULL: all events of the list. */
static struct rn_ast_expr *meant_of(struct rn_resolve_scope *scope, const struct rn_ast_source *src,
				    bool *fine)
{
	struct rn_arena *arena = scope->resolver->arena;
	struct rn_ast_expr *only = src->events ? condition(arena, src->events) : NULL, *is = NULL;

	if (only)
		*fine &= fit_fields(scope, src, only);
	if (src->events)
		return both(arena, RN_OP_AND,
			    is_of(scope, bottom(src->events)->cls, src->name_span), only);
	if (!src->args)
		return is_of(scope,
			     scope->catalog->find(scope->catalog->self, src->name, NULL, NULL, 0),
			     src->name_span);
	for (const struct rn_ast_name *arg = src->args; arg; arg = arg->next)
		is = both(arena, RN_OP_OR, is,
			  is_of(scope,
				scope->catalog->find(scope->catalog->self, src->name, arg->text,
						     NULL, 0),
				src->name_span));
	return is;
}

/* A kind of event that is no call, but has the name of a call of the list; NULL: there is none. */
static const char *two_kinds(const struct rn_class *cls)
{
	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		for (const struct rn_class *const *k = cls->list; *k && !(*m)->calls; k++)
			for (const char *const *call = (*k)->calls; call && *call; call++)
				if (!strcmp(*call, (*m)->name) && strcmp((*k)->name, *call) != 0)
					return *call;
	return NULL;
}

/* Sets src->only, if the list has views with conditions. */
static void choose_events(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	const struct rn_field *name = rn_class_field(scope->cls, "name");
	const struct rn_ast_source *first = NULL;
	bool conditions = false, fine = true, all = false;
	const char *why;

	for (const struct rn_ast_source *m = src; m; m = m->next) {
		conditions |= m->events && condition(scope->resolver->arena, m->events);
		first = first ? first : m->events ? m : NULL;
	}
	if (!conditions)
		return;
	why = !name || name->hides ? "they have no `name`, or one of their own"
	      : two_kinds(scope->cls)
		      ? rn_arena_printf(scope->resolver->arena, "`%s` is a call, too",
					two_kinds(scope->cls))
		      : NULL;
	if (why) {
		scope_hint(
			scope,
			scope_error(scope, "E-NAME-SOURCE", first->name_span,
				    "no `name` tells the events of `%s` from others of the list: "
				    "%s",
				    first->name, why),
			"ask the view in a query of its own");
		scope->lost = true;
		return;
	}
	for (const struct rn_ast_source *m = src; m; m = m->next) {
		struct rn_ast_expr *one = meant_of(scope, m, &fine);

		all |= !one;
		src->only = both(scope->resolver->arena, RN_OP_OR, src->only, one);
	}
	if (all)
		src->only = NULL;
	scope->lost |= !fine;
}

/* ---- the list ---- */

/* False, and reports, if the name is that of a result, or of nothing. */
static bool is_class(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	const struct rn_names *names = scope->resolver->names;
	char why[256] = "";

	if (scope->catalog->find(scope->catalog->self, src->name, NULL, why, sizeof(why)))
		return true;
	if (names->lets && names->lets->find(names->lets->self, src->name))
		scope_hint(scope,
			   scope_error(scope, "E-NAME-SOURCE", src->name_span,
				       "`%s` is the result of a `let`, and a list has classes and "
				       "views of events",
				       src->name),
			   "ask it in a query of its own");
	else if (why[0])
		scope_error(scope, "E-NAME-SOURCE", src->name_span, "%s", why);
	else
		rn_resolve_report_class(scope, src);
	return false;
}

/* Looks up the class and the tracepoints of one member; false, and reports, if it cannot be one. */
static bool check_class(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	const struct rn_class *cls;
	const char *why;

	if (!is_class(scope, src))
		return false;
	cls = scope->catalog->find(scope->catalog->self, src->name, NULL, NULL, 0);
	why = rn_class_list_trouble(cls);
	if (why) {
		scope_error(scope, cls->later ? "E-LATER" : "E-NAME-SOURCE", src->name_span,
			    cls->later ? "%s%s" : "`%s` %s", cls->later ? "" : src->name, why);
		return false;
	}
	if (src->view_args || (src->args && !cls->needs_arg)) {
		scope_error(scope, "E-NAME-SOURCE",
			    src->view_args ? src->view_args->span : src->args->span,
			    "`%s` takes no argument", src->name);
		return false;
	}
	if (cls->needs_arg && !src->args) {
		scope_hint(scope,
			   scope_error(scope, "E-NAME-SOURCE", src->name_span,
				       "`%s` does not say which", src->name),
			   "write its name after it: tracepoint \"sched:sched_switch\"");
		return false;
	}
	for (const struct rn_ast_name *arg = src->args; arg; arg = arg->next) {
		char text[256] = "";

		if (!scope->catalog->find(scope->catalog->self, src->name, arg->text, text,
					  sizeof(text))) {
			if (!scope->gone) /* another kernel may have it */
				rn_resolve_report_argument(scope, src, arg, text);
			return false;
		}
	}
	return true;
}

static bool check_member(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	const struct rn_catalog *catalog = scope->catalog;
	const char *origin = NULL, *text = NULL;

	if (!catalog->find(catalog->self, src->name, NULL, NULL, 0))
		text = rn_resolve_view_text(scope, src->name, &origin);
	return text ? check_view(scope, src, text, origin) : check_class(scope, src);
}

static unsigned count(const struct rn_ast_source *src, struct rn_span *beyond)
{
	unsigned n = 0;

	for (; src; src = src->next) {
		n += !src->args;
		if (n == RN_MAX_CLASSES + 1)
			*beyond = src->span;
		for (const struct rn_ast_name *arg = src->args; arg; arg = arg->next)
			if (++n == RN_MAX_CLASSES + 1)
				*beyond = arg->span;
	}
	return n;
}

static void report_too_many(struct rn_resolve_scope *scope, struct rn_span at)
{
	rn_diag_add(scope->resolver->diag, RN_ERROR, "E-LIMIT-SOURCES", at,
		    "a list of more than %d classes of events", RN_MAX_CLASSES);
}

static void warn_scope(struct rn_resolve_scope *scope, struct rn_ast_source member,
		       struct rn_ast_name *tracepoint)
{
	member.args = tracepoint;
	member.cls =
		scope->catalog->find(scope->catalog->self, member.name, tracepoint->text, NULL, 0);
	if (member.cls)
		rn_resolve_warn_scope(scope, &member);
}

/* Adds the names of the class's members, and their tracepoints. */
static void add_class(struct rn_resolve_scope *scope, const struct rn_class *cls,
		      struct names *classes, struct names *tracepoints)
{
	struct rn_arena *arena = scope->resolver->arena;

	for (const char *name = cls->name, *end; *name; name = end + strspn(end, ", ")) {
		end = name + strcspn(name, ",");
		add_name(scope, classes, rn_arena_strndup(arena, name, (size_t)(end - name)));
	}
	for (const char *arg = cls->arg ? cls->arg : "", *end; *arg;
	     arg = end + strspn(end, ", ")) {
		end = arg + strcspn(arg, ",");
		add_name(scope, tracepoints, rn_arena_strndup(arena, arg, (size_t)(end - arg)));
	}
}

static void add_member(struct rn_resolve_scope *scope, const struct rn_ast_source *m,
		       struct names *classes, struct names *tracepoints)
{
	if (m->events) {
		add_class(scope, bottom(m->events)->cls, classes, tracepoints);
		return;
	}
	add_name(scope, classes, m->name);
	for (const struct rn_ast_name *one = m->args; one; one = one->next)
		add_name(scope, tracepoints, one->text);
}

/* Is it, name by name, a list that the catalogue has? A recording of a list has the list. */
static bool is_known(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	struct names classes = {0}, tracepoints = {0};
	struct rn_arena *arena = scope->resolver->arena;
	const char *name;

	for (const struct rn_ast_source *m = src; m; m = m->next)
		add_member(scope, m, &classes, &tracepoints);
	name = rn_class_list_text(arena, classes.v, classes.n);
	return scope->catalog->find(
		scope->catalog->self, name,
		tracepoints.n ? rn_class_list_text(arena, tracepoints.v, tracepoints.n) : NULL,
		NULL, 0);
}

static unsigned count_names(const char *list)
{
	unsigned n = 1;

	for (; (list = strchr(list, ',')); list++)
		n++;
	return n;
}

/* Finds the class of the list, whose members are checked; NULL: reported. */
static const struct rn_class *find_list(struct rn_resolve_scope *scope,
					const struct rn_ast_source *src)
{
	struct names classes = {0}, tracepoints = {0};
	struct rn_arena *arena = scope->resolver->arena;
	const struct rn_class *cls;
	const char *name, *arg;
	char why[256] = "";

	for (const struct rn_ast_source *m = src; m; m = m->next)
		add_member(scope, m, &classes, &tracepoints);
	name = rn_class_list_text(arena, classes.v, classes.n);
	arg = tracepoints.n ? rn_class_list_text(arena, tracepoints.v, tracepoints.n) : NULL;
	if (count_names(name) > RN_MAX_CLASSES) {
		report_too_many(scope, src->span);
		return NULL;
	}
	cls = rn_class_find(arena, scope->catalog, name, arg, why, sizeof(why));
	if (!cls)
		scope_error(scope, "E-NAME-SOURCE", src->span, "%.*s", rn_catalog_why(why),
			    why[0] ? why : "these classes cannot be asked together");
	return cls;
}

void rn_resolve_class_list(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	struct rn_span beyond = src->span;
	bool fine = true;

	scope->lost = true;
	if (count(src, &beyond) > RN_MAX_CLASSES) {
		report_too_many(scope, beyond);
		return;
	}
	scope->lost = false;
	if (!is_known(scope, src))
		for (struct rn_ast_source *m = src; m; m = m->next)
			fine &= check_member(scope, m);
	scope->lost = true;
	src->cls = fine ? find_list(scope, src) : NULL;
	if (!src->cls)
		return;
	scope->lost = false;
	scope->cls = src->cls;
	choose_events(scope, src);
	for (const struct rn_ast_source *m = src; m; m = m->next)
		for (struct rn_ast_name *one = m->args; one; one = one->next)
			warn_scope(scope, *m, one);
}

/* ---- fields that only some have ---- */

struct search {
	struct rn_resolve_scope *scope;
	const char *field;
	const struct rn_class *has, *differs, *lacks; /* the first of each kind; NULL: none */
};

static void look_at(struct search *s, const struct rn_class *cls)
{
	const struct rn_field *field = rn_class_field(cls, s->field), *first;

	if (!field) {
		s->lacks = s->lacks ? s->lacks : cls;
		return;
	}
	s->has = s->has ? s->has : cls;
	first = rn_class_field(s->has, s->field);
	if (!s->differs && (first->ty.type != field->ty.type || first->ty.unit != field->ty.unit))
		s->differs = cls;
}

/* Looks at the class; if it is a glob or a list, at each class that it stands for. */
static void search(struct search *s, const struct rn_class *cls)
{
	const struct rn_catalog *catalog = s->scope->catalog;

	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		search(s, *m);
	for (const char *const *e = cls->each; e && *e; e++) {
		const struct rn_class *one = catalog->find(catalog->self, cls->name, *e, NULL, 0);

		if (one)
			look_at(s, one);
	}
	if (!cls->list && !cls->each)
		look_at(s, cls);
}

const char *rn_resolve_lacked(struct rn_resolve_scope *scope, const char *field)
{
	const struct rn_class *cls = scope->inner ? NULL : scope->cls;
	struct rn_arena *arena = scope->resolver->arena;
	struct search s = {.scope = scope, .field = field};
	const char *rule;

	if (!cls || (!cls->list && !cls->each))
		return NULL;
	search(&s, cls);
	if (!s.has)
		return NULL;
	rule = cls->list ? "a list has the fields that all of its classes have alike"
			 : "several tracepoints have the fields that all of them have alike";
	if (s.lacks)
		return rn_arena_printf(arena, "%s, and `%s` has no `%s`", rule,
				       rn_class_text(arena, s.lacks), field);
	if (s.differs)
		return rn_arena_printf(
			arena, "%s: in `%s` it is of another type or unit than in `%s`", rule,
			rn_class_text(arena, s.differs), rn_class_text(arena, s.has));
	return "so many tracepoints have no fields of their own: name fewer";
}
