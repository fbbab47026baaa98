/* barewords.c - the meaning of a bareword: a column of the output, a field of the source, a column
 * of a nested query, the alias of a key, or a string. */
#include "lang/catalog/flow_schema.h"
#include "lang/values/glob.h"
#include "lang/foreign/words.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"
#include "lang/catalog/funcs.h"
#include "lang/base/nearest.h"

const char *rn_resolve_source_text(const struct rn_resolve_scope *scope)
{
	const struct rn_ast_source *src = scope->query->source;

	if (src && src->let)
		return rn_arena_printf(scope->resolver->arena, "the result `%s`", src->let->name);
	if (src && src->view)
		return rn_arena_printf(scope->resolver->arena, "the view `%s`", src->view);
	if (scope->inner)
		return "the nested query";
	if (!scope->cls)
		return "the source";
	return rn_arena_printf(scope->resolver->arena, "`%s`",
			       rn_class_text(scope->resolver->arena, scope->cls));
}

/* The index of the column with this label among items; -1 if there is none. */
static int find_label(const struct rn_ast_item *items, const char *label,
		      const struct rn_ast_item **found)
{
	int i = 0;

	for (const struct rn_ast_item *it = items; it; it = it->next, i++) {
		if (it->label && !strcmp(it->label, label)) {
			*found = it;
			return i;
		}
	}
	return -1;
}

bool rn_resolve_is_label(const struct rn_resolve_scope *scope, const char *name)
{
	const struct rn_ast_item *item;

	return find_label(scope->query->items, name, &item) >= 0;
}

static const struct rn_ast_item *find_alias(const struct rn_ast_item *items, const char *name)
{
	for (const struct rn_ast_item *it = items; it; it = it->next)
		if (it->alias && !strcmp(it->alias, name))
			return it;
	return NULL;
}

static bool has_window(const struct rn_ast_query *q, const char *name)
{
	return q && q->every_ns && !strcmp(name, "window");
}

/* The item with this alias before the expression that is resolved, and its number; NULL: none. */
static const struct rn_ast_item *find_before(const struct rn_resolve_scope *s, const char *name,
					     unsigned *number)
{
	const struct rn_ast_item *it = s->query->items;

	for (*number = 0; it && *number < s->before; it = it->next, ++*number)
		if (it->alias && !strcmp(it->alias, name))
			return it;
	return NULL;
}

/* The same, for a place that takes no aggregate: `by b`, if the list has `bucket(latency, 1ms) as
 * b`, and max(b). */
static const struct rn_ast_item *find_plain(const struct rn_resolve_scope *s, const char *name,
					    unsigned *number)
{
	const struct rn_ast_item *it = find_before(s, name, number);

	return it && !rn_resolve_has_agg(s, it->expr) ? it : NULL;
}

/* Finds what `name` stands for in the list and in `by`, if it is no field: an alias before it. */
static const struct rn_ast_item *find_as(const struct rn_resolve_scope *s, const char *name,
					 unsigned *number)
{
	switch (s->place) {
	case IN_ITEM: return find_before(s, name, number);
	case IN_AGG_ARG:
	case IN_KEY: return find_plain(s, name, number);
	default: return NULL;
	}
}

/* A field, or a column of the source, goes first: the writer may have meant the alias. */
static void note_alias(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	unsigned number;
	const struct rn_ast_item *it = find_as(s, e->name, &number);

	if (!it || (it->expr->kind == RN_AST_NAME && !strcmp(it->expr->name, e->name)))
		return;
	scope_hint(s,
		   rn_diag_add(s->resolver->diag, RN_NOTE, "N-ALIAS", e->span,
			       "`%s` is the %s of %s here, not the column %s as %s", e->name,
			       s->inner ? "column" : "field", rn_resolve_source_text(s),
			       rn_print_expr(s->resolver->arena, it->expr), e->name),
		   "to use that column, give it another name");
}

/* Replaces a name by a copy of the expression that it stands for. */
static void replace(const struct rn_resolve_scope *s, struct rn_ast_expr *e,
		    const struct rn_ast_expr *by)
{
	struct rn_ast_expr *next = e->next;

	*e = *rn_resolve_copy_expr(s->resolver->arena, by);
	e->next = next;
}

/* The item of a key is not resolved yet. It may use the aliases before it. */
static void use_alias(struct rn_resolve_scope *s, struct rn_ast_expr *e,
		      const struct rn_ast_item *item, unsigned number)
{
	unsigned before = s->before;

	replace(s, e, item->expr);
	if (s->place != IN_KEY)
		return;
	s->before = number;
	rn_resolve_expr(s, e, IN_KEY);
	s->before = before;
}

/* Tries each meaning in order, and leaves expr->kind alone if none fits. apply: annotate expr; else
 * only look. */
static bool look_up(struct rn_resolve_scope *scope, struct rn_ast_expr *expr, const char *name,
		    bool apply)
{
	const struct rn_field *field = scope->cls ? rn_class_field(scope->cls, name) : NULL;
	const struct rn_ast_item *item = NULL;
	struct rn_ast_expr found = {.column = -1};
	unsigned number;
	int column;

	if (scope->place == IN_OUTPUT &&
	    (column = find_label(scope->query->items, name, &item)) >= 0) {
		found.column = column;
		found.ty = item->expr->ty;
		found.field = item->expr->kind == RN_AST_NAME && item->expr->column < 0
				      ? item->expr->field
				      : NULL;
		// NOLINTNEXTLINE(bugprone-branch-clone): the order counts
	} else if (scope->place == IN_OUTPUT && has_window(scope->query, name)) {
		found.column = RN_COLUMN_WINDOW;
		found.ty = ty(RN_T_INT, RN_U_EPOCH);
	} else if (field) {
		found.field = field;
		found.ty = field->ty;
	} else if (scope->inner && (column = find_label(scope->inner->items, name, &item)) >= 0) {
		found.column = column;
		found.ty = item->expr->ty;
	} else if (has_window(scope->inner, name)) {
		found.column = RN_COLUMN_WINDOW;
		found.ty = ty(RN_T_INT, RN_U_EPOCH);
	} else if (scope->place == IN_ITEM && (item = find_alias(scope->query->by, name))) {
		if (apply)
			replace(scope, expr, item->expr);
		return true;
	} else if ((item = find_as(scope, name, &number))) {
		if (apply)
			use_alias(scope, expr, item, number);
		return true;
	} else {
		return false;
	}
	if (apply) {
		note_alias(scope, expr);
		expr->field = found.field;
		expr->column = found.column;
		expr->ty = found.ty;
	}
	return true;
}

bool rn_resolve_knows_name(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	return expr->kind == RN_AST_NAME &&
	       (scope->lost || look_up(scope, NULL, expr->name, false));
}

bool rn_resolve_is_inner_column(const struct rn_resolve_scope *scope,
				const struct rn_ast_expr *expr)
{
	const struct rn_ast_item *item;

	return scope->inner && find_label(scope->inner->items,
					  rn_print_expr(scope->resolver->arena, expr), &item) >= 0;
}

bool rn_resolve_as_column(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const struct rn_ast_item *item;
	const char *text;
	int column;

	if (!scope->inner)
		return false;
	text = rn_print_expr(scope->resolver->arena, expr);
	column = find_label(scope->inner->items, text, &item);
	if (column < 0)
		return false;
	expr->kind = RN_AST_NAME;
	expr->name = text;
	expr->args = NULL;
	expr->column = column;
	expr->ty = item->expr->ty;
	return true;
}

/* All names that can stand here, for "did you mean". */
static const char *const *candidates(struct rn_resolve_scope *scope)
{
	const struct rn_ast_query *from = scope->inner ? scope->inner : NULL;
	unsigned n = 0, nfields = scope->cls ? scope->cls->nfields : 0;
	const char **all;

	for (const struct rn_ast_item *it = from ? from->items : NULL; it; it = it->next)
		n++;
	for (const struct rn_ast_item *it = scope->query->items; it; it = it->next)
		n++;
	all = RN_NEWN(scope->resolver->arena, const char *, n + nfields + 1);
	n = 0;
	for (unsigned i = 0; i < nfields; i++)
		all[n++] = scope->cls->fields[i]->name;
	for (const struct rn_ast_item *it = from ? from->items : NULL; it; it = it->next)
		if (it->label)
			all[n++] = it->label;
	if (scope->place == IN_OUTPUT)
		for (const struct rn_ast_item *it = scope->query->items; it; it = it->next)
			if (it->alias)
				all[n++] = it->alias;
	return all;
}

static const char *inner_columns(struct rn_resolve_scope *s)
{
	const char *text = has_window(s->inner, "window") ? "window" : "";

	for (const struct rn_ast_item *it = s->inner->items; it; it = it->next)
		text = rn_arena_printf(s->resolver->arena, "%s%s%s", text, *text ? ", " : "",
				       it->label ? it->label : "?");
	return rn_arena_printf(s->resolver->arena, "its columns: %s", text);
}

/* Is its doc its own? Hundreds of classes of single calls share one; families and tables say
 * more. */
static bool is_family(const struct rn_class *const *all, const struct rn_class *c)
{
	for (; *all; all++)
		if (*all != c && (*all)->doc && c->doc && !strcmp((*all)->doc, c->doc))
			return false;
	return true;
}

/* "it is a field of `io`, `read` and others"; NULL if no class has it. */
static const char *elsewhere(struct rn_resolve_scope *scope, const char *name)
{
	enum { SHOWN = 4, MOST = 1024 };
	const char *const *names =
		scope->catalog->names ? scope->catalog->names(scope->catalog->self) : NULL;
	const struct rn_class **all =
		RN_NEWN(scope->resolver->arena, const struct rn_class *, MOST);
	const char *list = "";
	unsigned n = 0, nall = 0;

	for (; names && *names && nall < MOST - 1; names++) {
		const struct rn_class *cls =
			scope->catalog->find(scope->catalog->self, *names, NULL, NULL, 0);

		if (cls && !cls->later && rn_class_field(cls, name))
			all[nall++] = cls;
	}
	for (int families = 1; families >= 0 && !n; families--)
		for (unsigned i = 0; i < nall; i++)
			if ((!families || is_family(all, all[i])) && n++ < SHOWN)
				list = rn_arena_printf(scope->resolver->arena, "%s%s`%s`", list,
						       n > 1 ? ", " : "", all[i]->name);
	return n ? rn_arena_printf(scope->resolver->arena, "it is a field of %s%s", list,
				   n > SHOWN ? " and others" : "")
		 : NULL;
}

/* The live class may have a field that its recording does not. */
static const char *of_recording(const struct rn_resolve_scope *s, const char *field)
{
	const struct rn_catalog *live = s->resolver->names->catalog;
	const struct rn_class *c =
		s->query->from ? live->find(live->self, s->cls->name, s->cls->arg, NULL, 0) : NULL;

	return rn_arena_printf(s->resolver->arena, "%s`runnel describe %s` lists what it holds",
			       c && rn_class_field(c, field) ? "the recording was made without it; "
							     : "",
			       s->query->from ? s->query->from : "FILE");
}

/* ---- advice on a name that is no field: the first of these that has some ---- */

/* Aggregates that take no argument. */
static const char *const alone[] = {"count", "rate", NULL};

static bool may_be_aggregate(const struct rn_resolve_scope *s)
{
	return s->place != IN_WHERE && s->place != IN_KEY;
}

static const char *as_aggregate(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	const struct rn_agg_sig *agg = rn_resolve_find_agg(s, e->name);

	return agg ? rn_arena_printf(s->resolver->arena, "it is an aggregate: write %s(...)",
				     agg->name)
		   : NULL;
}

static const char *as_alias(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	const struct rn_ast_item *item =
		s->place != IN_OUTPUT ? find_alias(s->query->items, e->name) : NULL;

	if (item && s->place == IN_KEY && rn_resolve_has_agg(s, item->expr))
		return rn_arena_printf(s->resolver->arena,
				       "it names `%s`: groups are not made by an aggregate",
				       rn_print_expr(s->resolver->arena, item->expr));
	if (item && s->place == IN_AGG_ARG && rn_resolve_has_agg(s, item->expr))
		return rn_arena_printf(s->resolver->arena,
				       "it names `%s`: an aggregate holds no other one",
				       rn_print_expr(s->resolver->arena, item->expr));
	if (item && (s->place == IN_ITEM || s->place == IN_AGG_ARG))
		return rn_arena_printf(s->resolver->arena,
				       "it is the name of a later column: put `%s as %s` before it",
				       rn_print_expr(s->resolver->arena, item->expr), e->name);
	return item ? rn_arena_printf(s->resolver->arena,
				      "it is a column of the answer; here write what it is made "
				      "of: %s",
				      rn_print_expr(s->resolver->arena, item->expr))
		    : NULL;
}

/* `object`, `lag`: the events of a flow do not have its columns. */
static const char *as_flow_column(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	static const char *const columns[] = {
#define X(id, name, type, unit, show) name,
		RN_FLOW_SHOWS(X)
#undef X
	};
	static const char *const folds[] = {
#define X(name, agg, arg) name,
		RN_FLOW_FOLDS(X)
#undef X
	};

	for (size_t i = 0; s->query->what == RN_WHAT_FLOW && i < sizeof(columns) / sizeof(*columns);
	     i++)
		if (!strcmp(columns[i], e->name))
			return rn_arena_printf(s->resolver->arena,
					       "it is a column of the flow: ask about the answer, "
					       "* of (flow of ...) where %s ...",
					       e->name);
	for (size_t i = 0; s->query->what == RN_WHAT_FLOW && i < sizeof(folds) / sizeof(*folds);
	     i++)
		if (!strcmp(folds[i], e->name))
			return rn_arena_printf(s->resolver->arena,
					       "it is a column of a flow by `proc` or `node`: "
					       "flow of ... by proc having %s ...",
					       e->name);
	return NULL;
}

static const char *as_function(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	const struct rn_func *func = rn_func_find(e->name);

	return func ? rn_arena_printf(s->resolver->arena, "it is a function: write %s(%s)", e->name,
				      func->max_args ? "..." : "")
		    : NULL;
}

static const char *in_lower_case(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	for (size_t i = 0; alone[i] && may_be_aggregate(s); i++)
		if (!strcasecmp(e->name, alone[i]))
			return rn_arena_printf(s->resolver->arena,
					       "did you mean `%s`? Words of the language are in "
					       "lower case",
					       alone[i]);
	return NULL;
}

static const char *as_others_call_it(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	const char *ours = rn_foreign_name(RN_FOREIGN_FIELD, e->name);

	if (!ours || s->inner || !s->cls || !rn_class_field(s->cls, ours))
		return NULL;
	return rn_arena_printf(s->resolver->arena,
			       "did you mean `%s`? `runnel describe %s` lists the fields", ours,
			       s->cls->name);
}

static const char *as_others_write_it(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	return s->inner || !s->cls ? NULL : rn_foreign_field(e->name, s->cls->name);
}

static const char *of_some_members(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	return rn_resolve_lacked(s, e->name);
}

static const char *of_another_class(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	return s->inner || !s->cls ? NULL : elsewhere(s, e->name);
}

/* Where the fields are listed. */
static const char *where_listed(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	if (s->inner)
		return inner_columns(s);
	if (s->cls && s->cls->pair)
		return "`runnel describe 'between A and B on KEYS'` lists them";
	if (s->cls && s->cls->recorded)
		return of_recording(s, e->name);
	if (s->cls && s->cls->arg)
		return rn_arena_printf(s->resolver->arena, "`runnel describe '%s'` lists them",
				       rn_class_text(s->resolver->arena, s->cls));
	return rn_arena_printf(s->resolver->arena, "`runnel describe %s` lists them",
			       s->cls ? s->cls->name : "CLASS");
}

static const char *mistyped(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	const char *near = rn_nearest(e->name, candidates(s));

	if (near)
		return rn_arena_printf(s->resolver->arena, "did you mean `%s`? %s", near,
				       where_listed(s, e));
	near = may_be_aggregate(s) ? rn_nearest(e->name, alone) : NULL;
	return near ? rn_arena_printf(s->resolver->arena, "did you mean the aggregate `%s`?", near)
		    : NULL;
}

static const char *(*const advice[])(struct rn_resolve_scope *s, const struct rn_ast_expr *e) = {
	as_aggregate,     as_alias,        as_flow_column,     as_function,
	in_lower_case,    of_some_members, as_others_write_it, as_others_call_it,
	of_another_class, mistyped,        where_listed,
};

/* A class of a later version may not list its fields yet: the mistake is the class. */
static void report_later(struct rn_resolve_scope *s)
{
	struct rn_diag_item *it =
		s->later_reported
			? NULL
			: scope_error(s, "E-LATER", s->query->source->span, "%s", s->cls->later);

	if (it && rn_foreign_instead(s->cls->name))
		scope_hint(s, it, "%s", rn_foreign_instead(s->cls->name));
	s->later_reported = true;
}

/* sk.__sk_common.skc_dprt: the catalogue knows which step leads nowhere. */
static void report_member(struct rn_resolve_scope *s, const struct rn_ast_expr *e)
{
	struct rn_diag_item *it;
	char why[600] = "", *way;

	if (s->cls->member)
		s->cls->member(s->cls->member_self, s->cls, e->name, why, sizeof(why));
	way = strchr(why, '\n');
	if (way)
		*way++ = 0;
	it = why[0] ? scope_error(s, "E-NAME-MEMBER", e->span, "`%s`: %s", e->name, why)
		    : scope_error(s, "E-NAME-FIELD", e->span, "`%s` is not a field of %s", e->name,
				  rn_resolve_source_text(s));
	if (way)
		scope_hint(s, it, "%s", way);
	else if (!why[0] && !strncmp(e->name, "args.", 5))
		scope_hint(s, it, "%s", rn_foreign_args);
	else if (!why[0])
		scope_hint(s, it,
			   "a text is quoted: \"%s\"; members have functions of the kernel and "
			   "tracepoints",
			   e->name);
}

static void report_name(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const char *text = NULL;
	struct rn_diag_item *it;

	if (scope->place == IN_CONSTANT) {
		scope_error(scope, "E-TYPE", expr->span,
			    "a constant is needed here, not the name `%s`", expr->name);
		return;
	}
	if (scope->cls && scope->cls->later) {
		report_later(scope);
		return;
	}
	if (rn_is_member(expr->name) && scope->cls && !scope->inner) {
		report_member(scope, expr);
		return;
	}
	it = scope_error(scope, "E-NAME-FIELD", expr->span, "`%s` is not a %s of %s", expr->name,
			 scope->inner ? "column" : "field", rn_resolve_source_text(scope));
	for (size_t i = 0; !text && i < sizeof(advice) / sizeof(*advice); i++)
		text = advice[i](scope, expr);
	scope_hint(scope, it, "%s", text);
}

void rn_resolve_name(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	expr->column = -1;
	expr->field = NULL;
	expr->ty = ty_error();
	if (look_up(scope, expr, expr->name, true) || scope->lost)
		return;
	if (!strcmp(expr->name, "true") || !strcmp(expr->name, "false")) {
		make_literal(expr, rn_bool(expr->name[0] == 't'), ty(RN_T_BOOL, RN_U_NONE),
			     expr->name);
		return;
	}
	report_name(scope, expr);
}

static void adopt_errno(struct rn_resolve_scope *scope, struct rn_ast_expr *expr)
{
	const char **known = RN_NEWN(scope->resolver->arena, const char *, RN_ERRNO_END + 1);
	int value = rn_errno_parse(expr->name, strlen(expr->name));
	struct rn_diag_item *it;
	size_t n = 0;

	if (value > 0) {
		make_literal(expr, rn_int(value), ty(RN_T_INT, RN_U_ERRNO), expr->name);
		return;
	}
	for (int i = 1; i < RN_ERRNO_END; i++)
		if (rn_errno_name(i))
			known[n++] = rn_errno_name(i);
	it = scope_error(scope, "E-NAME-FIELD", expr->span,
			 "`%s` is neither a field of %s nor the name of an error", expr->name,
			 rn_resolve_source_text(scope));
	rn_resolve_hint_nearest(scope, it, expr->name, known,
				"errors are written like ENOENT, or as a number");
	expr->ty = ty_error();
	expr->column = -1;
}

/* Here a missing value is an empty text, not a NULL. */
static void note_null(struct rn_resolve_scope *s, const struct rn_ast_expr *e,
		      const struct rn_ast_expr *other)
{
	if (!strcasecmp(e->name, "null") || !strcmp(e->name, "nil") || !strcmp(e->name, "None"))
		scope_hint(s,
			   rn_diag_add(s->resolver->diag, RN_NOTE, "N-BAREWORD", e->span,
				       "`%s` is the text \"%s\" here: no field is ever missing",
				       e->name, e->name),
			   "one that is empty: %s = \"\"",
			   rn_print_expr(s->resolver->arena, other));
}

/* Decides about bareword expr, which names nothing here and is compared with other. If other is a
 * constant, expr does not become a string: a mistyped field would make a condition that is never
 * true. */
void rn_resolve_adopt_bareword(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			       const struct rn_ast_expr *other)
{
	if (is_error(other)) {
		expr->ty = ty_error();
		expr->column = -1;
	} else if (rn_is_member(expr->name)) {
		rn_resolve_name(scope, expr);
		// NOLINTNEXTLINE(bugprone-branch-clone): a literal may be text, too
	} else if (other->kind == RN_AST_LITERAL) {
		rn_resolve_name(scope, expr);
	} else if (is_text(other->ty) || other->ty.type == RN_T_STACK) {
		note_null(scope, expr, other);
		make_literal(expr, rn_strn(expr->name, strlen(expr->name)), ty(RN_T_STR, RN_U_NONE),
			     NULL);
	} else if (other->ty.unit == RN_U_ERRNO) {
		adopt_errno(scope, expr);
	} else if (other->ty.unit >= RN_U_OPEN) {
		rn_resolve_adopt_named(scope, expr, (enum rn_unit)other->ty.unit);
	} else if (other->field && !strcmp(other->field->name, "uid") && scope->cls &&
		   rn_class_field(scope->cls, "user")) {
		scope_hint(scope,
			   scope_error(scope, "E-NAME-FIELD", expr->span,
				       "`%s` is not a field of %s, and `uid` is a number",
				       expr->name, rn_resolve_source_text(scope)),
			   "by name: user = %s", expr->name);
		expr->ty = ty_error();
		expr->column = -1;
	} else {
		rn_resolve_name(scope, expr);
	}
}

/* ---- a word with a dash in it ---- */

/* Counts the parts of a difference; false if one of them cannot be part of a word. */
static bool dashed_parts(struct rn_resolve_scope *s, const struct rn_ast_expr *e, unsigned *unknown)
{
	if (e->kind == RN_AST_BINARY && e->op == RN_OP_SUB)
		return dashed_parts(s, e->args, unknown) && dashed_parts(s, e->args->next, unknown);
	if (e->kind == RN_AST_NAME)
		*unknown += !rn_resolve_knows_name(s, e);
	return e->kind == RN_AST_NAME || (e->kind == RN_AST_LITERAL && e->value.kind == RN_INT);
}

/* The text as written; NULL if it has a blank. */
static const char *word_of(struct rn_resolve_scope *s, struct rn_span at)
{
	size_t len;
	const char *text = rn_diag_text(s->resolver->diag, at.src, &len);

	if (at.end > len || at.start >= at.end)
		return NULL;
	text = rn_arena_strndup(s->resolver->arena, text + at.start, at.end - at.start);
	return strpbrk(text, " \t\r\n()") ? NULL : text;
}

bool rn_resolve_is_dashed(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr)
{
	unsigned unknown = 0;

	return expr->kind == RN_AST_BINARY && expr->op == RN_OP_SUB &&
	       dashed_parts(scope, expr, &unknown) && unknown && word_of(scope, expr->span);
}

/* expr, for which rn_resolve_is_dashed, is compared with other. If other is text, this reports it
 * once, instead of an error for each part that is no field. */
bool rn_resolve_report_dashed(struct rn_resolve_scope *scope, struct rn_ast_expr *expr,
			      const struct rn_ast_expr *other, enum rn_op op)
{
	const char *word = word_of(scope, expr->span);

	if (!is_text(other->ty) || other->kind == RN_AST_LITERAL)
		return false;
	scope_hint(scope,
		   scope_error(scope, "E-NAME-FIELD", expr->span,
			       "`%s` is read as a subtraction, not as a string", word),
		   "quote it: %s %s \"%s\"", rn_print_expr(scope->resolver->arena, other),
		   rn_op_text(op), word);
	expr->ty = ty_error();
	expr->column = -1;
	return true;
}

/* name = opennat: the query is right, but it will find nothing. expr: the constant. */
void rn_resolve_note_call(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
			  const struct rn_ast_expr *other)
{
	const char *const *calls = scope->cls ? scope->cls->calls : NULL;
	struct rn_diag_item *it;

	if (!calls || !is_string_literal(expr) || other->kind != RN_AST_NAME || !other->field ||
	    strcmp(other->field->name, "name"))
		return;
	for (const char *const *c = calls; *c; c++)
		if (strlen(*c) == expr->value.len && !memcmp(*c, expr->value.s, expr->value.len))
			return;
	it = rn_diag_add(scope->resolver->diag, RN_NOTE, "N-CALL", expr->span,
			 "no call of %s has the name `%.*s`", rn_resolve_source_text(scope),
			 (int)expr->value.len, expr->value.s);
	rn_resolve_hint_nearest(
		scope, it, rn_arena_strndup(scope->resolver->arena, expr->value.s, expr->value.len),
		calls, NULL);
}

void rn_resolve_note_bareword(struct rn_resolve_scope *scope, const struct rn_ast_expr *expr,
			      const struct rn_ast_expr *other)
{
	struct rn_diag_item *it;

	if (expr->kind != RN_AST_NAME || other->kind == RN_AST_LITERAL || !is_text(other->ty) ||
	    !is_text(expr->ty))
		return;
	it = rn_diag_add(scope->resolver->diag, RN_NOTE, "N-BAREWORD", expr->span,
			 "`%s` is a %s of %s here, not a string", expr->name,
			 scope->inner ? "column" : "field", rn_resolve_source_text(scope));
	scope_hint(scope, it, "for the string write \"%s\"", expr->name);
}
