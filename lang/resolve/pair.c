/* pair.c - `between A and B on KEYS`: its ends, each an event class or `(events of CLASS where
 * COND)`, and its keys.
 *
 * An end in parentheses is resolved like a query of its own; only its class and its condition are
 * used. Ends and keys that cannot be paired are reported here. The pair's class
 * (lang/catalog/pair.h) therefore gets only valid ones. */
#include "lang/base/nearest.h"
#include "lang/catalog/pair.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/parse.h"

static const char form[] = "an end is written CLASS, or (events of CLASS where CONDITION)";

/* block_rq_issue, as tracepoint "block:block_rq_issue". */
static void take_short_name(struct rn_resolve_scope *s, struct rn_ast_source *src)
{
	const char *tp = src->args ? NULL : rn_resolve_tracepoint_called(s, src->name);
	struct rn_ast_name *arg;

	if (!tp || s->catalog->find(s->catalog->self, src->name, NULL, NULL, 0))
		return;
	arg = RN_NEW(s->resolver->arena, struct rn_ast_name);
	*arg = (struct rn_ast_name){
		.text = tp, .len = (uint32_t)strlen(tp), .span = src->name_span, .quoted = true};
	src->name = "tracepoint";
	src->args = arg;
}

/* Reports clauses other than `where`: an end's query may have no other. */
static bool only_where(struct rn_resolve_scope *scope, const struct rn_ast_query *query)
{
	if (query->what != RN_WHAT_EVENTS || !query->source ||
	    query->source->kind != RN_SRC_CLASS) {
		scope_hint(scope,
			   scope_error(scope, "E-NAME-SOURCE", query->span,
				       "between pairs events of two classes"),
			   form);
		return false;
	}
	for (int c = 0; c < (int)(sizeof(query->clause) / sizeof(query->clause[0])); c++)
		if (c != RN_C_WHERE && query->clause[c].end > query->clause[c].start) {
			scope_hint(scope,
				   scope_error(scope, "E-SYNTAX", query->clause[c],
					       "an end of `between` takes no `%s`",
					       rn_clause_text((enum rn_clause)c)),
				   "write only `where` in the parentheses; clauses about the pair "
				   "follow them");
			return false;
		}
	return true;
}

/* Resolves the class of one end; NULL after a report. */
static const struct rn_class *resolve_end(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	struct rn_ast_source *cls = src;
	const char *why;

	if (src->kind == RN_SRC_QUERY) {
		if (!only_where(scope, src->query))
			return NULL;
		cls = src->query->source;
		take_short_name(scope, cls);
		src->query->from = scope->query->from;
		src->query->from_span = scope->query->from_span;
		rn_resolve_query(scope->resolver, src->query, scope->catalog);
	} else {
		struct rn_resolve_scope end = {.resolver = scope->resolver,
					       .query = scope->query,
					       .catalog = scope->catalog,
					       .gone = scope->gone};

		take_short_name(scope, src);
		rn_resolve_class(&end, src);
	}
	if (cls->view) {
		scope_hint(scope,
			   scope_error(scope, "E-NAME-SOURCE", cls->span,
				       "between pairs events of two classes, and `%s` is a view",
				       cls->view),
			   form);
		return NULL;
	}
	if (cls->let) {
		scope_hint(
			scope,
			scope_error(
				scope, "E-NAME-SOURCE", cls->span,
				"between pairs events of two classes, and `%s` is the result of a "
				"`let`",
				cls->let->name),
			form);
		return NULL;
	}
	if (!cls->cls)
		return NULL;
	why = cls->cls->later ? NULL : rn_pair_end_trouble(scope->resolver->arena, cls->cls);
	if (why) {
		scope_hint(scope, scope_error(scope, "E-LATER", cls->span, "%s", why),
			   "pair calls or tracepoints: between openat and close on pid, fd");
		return NULL;
	}
	return cls->cls;
}

/* Finds the field for one name of a key; NULL after a report, or if the class's fields are
 * unknown. */
static const struct rn_field *key_field(struct rn_resolve_scope *s, const struct rn_ast_name *k,
					const char *name, const struct rn_class *c,
					const struct rn_class *other)
{
	const struct rn_field *f = rn_class_field(c, name);
	const char *called = c->arg ? c->arg : c->name, **names, *near;
	struct rn_diag_item *it;

	if (f || c->later || s->gone) /* a recording made later may have it */
		return f;
	it = scope_error(s, "E-NAME-FIELD", k->span,
			 "`%s` is not a field of `%s`: it cannot pair them", name, called);
	if (!k->match && rn_class_field(other, name)) {
		scope_hint(
			s, it,
			"if it has another name there, write both: NAME = NAME, the first event's "
			"first");
		return NULL;
	}
	names = RN_NEWN(s->resolver->arena, const char *, c->nfields + 1);
	for (unsigned i = 0; i < c->nfields; i++)
		names[i] = c->fields[i]->name;
	near = rn_nearest(name, names);
	scope_hint(s, it, near ? "did you mean `%s`?" : "`runnel describe '%s'` lists its fields",
		   near ? near : rn_class_text(s->resolver->arena, c));
	return NULL;
}

/* False after a report. */
static bool resolve_keys(struct rn_resolve_scope *scope, const struct rn_ast_source *src,
			 const struct rn_class *from, const struct rn_class *to,
			 struct rn_pair_key *keys, unsigned *n)
{
	bool ok = true;

	for (const struct rn_ast_name *k = src->keys; k; k = k->next) {
		const char *second = k->match ? k->match : k->text, *why;
		const struct rn_field *a = key_field(scope, k, k->text, from, to),
				      *b = a ? key_field(scope, k, second, to, from) : NULL;

		if (!a || !b) {
			ok = false;
			continue;
		}
		why = rn_pair_key_trouble(scope->resolver->arena, a, b,
					  from->recorded || scope->gone);
		if (why) {
			scope_hint(scope, scope_error(scope, "E-TYPE", k->span, "%s", why),
				   "of a process take pid or tid, of a file dev and ino");
			ok = false;
		} else if (*n == RN_PAIR_KEYS) {
			scope_error(scope, "E-LIMIT-KEYS", k->span, "a pair has at most %d keys",
				    RN_PAIR_KEYS);
			return false;
		} else {
			keys[(*n)++] = (struct rn_pair_key){{k->text, second}};
		}
	}
	return ok;
}

void rn_resolve_between(struct rn_resolve_scope *scope, struct rn_ast_source *src)
{
	struct rn_pair_key keys[RN_PAIR_KEYS];
	const struct rn_class *from, *to;
	bool lost = scope->lost; /* a recording cannot be read */
	unsigned n = 0;
	bool told;

	scope->lost = true;
	from = resolve_end(scope, src->from);
	told = scope->resolver->scope_told;
	scope->resolver->scope_told =
		true; /* the first event alone decides which processes are meant */
	to = resolve_end(scope, src->to);
	scope->resolver->scope_told = told;
	if (!from || !to)
		return;
	if (from->later || to->later) { /* the planner refuses it, and says what to use instead */
		scope->cls = src->cls = from->later ? from : to;
		scope->lost = lost;
		return;
	}
	if (!resolve_keys(scope, src, from, to, keys, &n))
		return;
	scope->cls = src->cls = rn_pair_class(scope->resolver->arena, from, to, keys, n);
	scope->lost = lost;
}
