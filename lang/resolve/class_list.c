/* class_list.c - several classes of events as one source: count of read, fsync, tracepoint "irq:*",
 * "softirq:*". lang/catalog/list.h says what the class of a list is; here each member is looked up,
 * and what cannot be one is refused at its own place. */
#include "lang/catalog/list.h"
#include "lang/resolve/resolve_impl.h"

struct names {
	const char **v;
	unsigned n;
};

/* False, and reports, if the name is that of a view or of a result. */
static bool is_class(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	const struct rn_names *names = scope->resolver->names;
	const struct rn_views *views = names->views;
	const char *origin = NULL, *what = NULL;
	char why[256] = "";

	if (scope->catalog->find(scope->catalog->self, src->name, NULL, why, sizeof(why)))
		return true;
	if (views && views->find(views->self, src->name, &origin))
		what = "a view";
	else if (names->lets && names->lets->find(names->lets->self, src->name))
		what = "the result of a `let`";
	if (!what) {
		if (why[0])
			scope_error(scope, "E-NAME-SOURCE", src->name_span, "%s", why);
		else
			rn_resolve_report_class(scope, src);
		return false;
	}
	scope_hint(scope,
		   scope_error(scope, "E-NAME-SOURCE", src->name_span,
			       "`%s` is %s, and a list has classes of events", src->name, what),
		   "ask it in a query of its own");
	return false;
}

/* Looks up the class and the tracepoints of one member; false, and reports, if it cannot be one. */
static bool check_member(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
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

static void warn_scope(struct rn_resolve_scope *scope, struct rn_ast_source member,
		       struct rn_ast_name *tracepoint)
{
	member.args = tracepoint;
	member.cls =
		scope->catalog->find(scope->catalog->self, member.name, tracepoint->text, NULL, 0);
	if (member.cls)
		rn_resolve_warn_scope(scope, &member);
}

void rn_resolve_class_list(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	struct rn_arena *arena = scope->resolver->arena;
	struct rn_span beyond = src->span;
	unsigned n = count(src, &beyond);
	struct names classes = {RN_NEWN(arena, const char *, n), 0},
		     tracepoints = {RN_NEWN(arena, const char *, n), 0};
	const char *name, *arg;
	char why[256] = "";
	bool fine = true;

	scope->lost = true;
	if (n > RN_MAX_CLASSES) {
		rn_diag_add(scope->resolver->diag, RN_ERROR, "E-LIMIT-SOURCES", beyond,
			    "a list of more than %d classes of events", RN_MAX_CLASSES);
		return;
	}
	for (const struct rn_ast_source *m = src; m; m = m->next) {
		classes.v[classes.n++] = m->name;
		for (const struct rn_ast_name *one = m->args; one; one = one->next)
			tracepoints.v[tracepoints.n++] = one->text;
	}
	name = rn_class_list_text(arena, classes.v, classes.n);
	arg = tracepoints.n ? rn_class_list_text(arena, tracepoints.v, tracepoints.n) : NULL;
	/* a recording of a list has the list, not each of its members */
	if (!scope->catalog->find(scope->catalog->self, name, arg, NULL, 0))
		for (const struct rn_ast_source *m = src; m; m = m->next)
			fine &= check_member(scope, m);
	if (!fine)
		return;
	src->cls = rn_class_find(arena, scope->catalog, name, arg, why, sizeof(why));
	if (!src->cls) {
		scope_error(scope, "E-NAME-SOURCE", src->span, "%.*s", rn_catalog_why(why),
			    why[0] ? why : "these classes cannot be asked together");
		return;
	}
	scope->lost = false;
	scope->cls = src->cls;
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
