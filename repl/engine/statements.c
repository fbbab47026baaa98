/* statements.c - checks one statement: use, view, drop, query, explain, let, assert. Nothing here
 * runs a query or changes the catalogue file; later statements know a `view` at once; it is saved
 * when its turn comes. */
#include <errno.h>
#include <string.h>
#include "repl/engine/assert.h"
#include "repl/engine/continuous.h"
#include "repl/engine/lets.h"
#include "repl/engine/script.h"
#include "repl/engine/tag_store.h"
#include "lang/syntax/print.h"
#include "lang/syntax/walk_sources.h"
#include "lang/resolve/resolve.h"
#include "lang/base/nearest.h"
#include "repl/views/view_set.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"
#include "lang/resolve/param_kinds.h"

static void no_module(struct rn_script *script, const struct rn_ast_stmt *st)
{
	const char *names[64];
	unsigned n = 0;
	struct rn_diag_item *it;
	const char *near, *list;

	for (const struct rn_module_data *m = rn_stdlib; m->name && n < 63; m++)
		names[n++] = m->name;
	names[n] = NULL;
	it = rn_diag_add(script->diag, RN_ERROR, "E-NAME-MODULE", st->span,
			 "there is no module `%s`", st->name);
	near = rn_nearest(st->name, names);
	if (near) {
		rn_diag_hint(script->diag, it, "did you mean `%s`?", near);
		return;
	}
	list = "";
	for (unsigned i = 0; i < n; i++)
		list = rn_arena_printf(script->arena, "%s%s%s", list, i ? ", " : "", names[i]);
	rn_diag_hint(script->diag, it, "the modules are %s", list);
}

static void check_use(struct rn_script *u, const struct rn_ast_stmt *st)
{
	int known = rn_views_use(u->engine->views, st->name);
	const char *hidden =
		known == 0 ? rn_views_hidden(u->engine->views, u->arena, st->name) : NULL;

	if (known < 0)
		no_module(u, st);
	if (hidden)
		rn_diag_hint(u->diag,
			     rn_diag_add(u->diag, RN_NOTE, "N-VIEW-HIDDEN", st->span,
					 "the module hides what is saved as %s", hidden),
			     "leave `use` out to mean the saved one");
}

/* Resolve `events of NAME`, which finds the mistakes in a view. If it depends on a parameter
 * without a default, the use of the view is checked instead. */
static void check_body(struct rn_script *script, const struct rn_ast_stmt *st)
{
	struct rn_names names = script->names;
	bool asks = false;
	const char *text;
	uint16_t src;
	struct rn_arena *arena;
	struct rn_ast_file *file;

	for (const struct rn_ast_param *p = st->params; p; p = p->next)
		asks |= !p->deflt;
	if (asks && rn_query_has_word_params(st->query))
		return;
	names.unbound = true;
	text = rn_arena_printf(script->arena, "events of %s", st->name);
	src = rn_diag_source(script->diag, script->name, text, strlen(text));
	arena = rn_arena_create(RN_ARENA_CAP); /* only the errors are of interest */
	file = rn_parse(arena, script->diag, src);
	if (file->stmts && file->stmts->query)
		rn_resolve(arena, script->diag, file->stmts->query, &names);
	rn_arena_destroy(arena);
}

static bool has_param(const struct rn_ast_stmt *st, const char *name, size_t n)
{
	for (const struct rn_ast_param *p = st->params; p; p = p->next) {
		if (strlen(p->name) == n && !memcmp(p->name, name, n))
			return true;
	}
	return false;
}

/* Check that every `$NAME` of the body is a parameter, and that no parameter is named twice. text:
 * canonical, so strings are in ". */
static bool check_params(struct rn_script *script, struct rn_ast_stmt *st, const char *text)
{
	unsigned errors = rn_diag_errors(script->diag);
	bool quoted = false;

	rn_param_kinds(st, script->diag);

	for (const struct rn_ast_param *p = st->params; p; p = p->next) {
		for (const struct rn_ast_param *param = p->next; param; param = param->next) {
			if (!strcmp(p->name, param->name))
				rn_diag_add(script->diag, RN_ERROR, "E-NAME-PARAM", st->span,
					    "the view `%s` has two parameters `%s`", st->name,
					    p->name);
		}
	}
	for (const char *s = text; *s; s++) {
		size_t n = strspn(
			s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		if (quoted && *s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && *s == '$' && n && !has_param(st, s + 1, n))
			rn_diag_hint(script->diag,
				     rn_diag_add(script->diag, RN_ERROR, "E-NAME-PARAM", st->span,
						 "the view `%s` has no "
						 "parameter `%.*s`",
						 st->name, (int)n, s + 1),
				     "name it: view %s(%.*s) := ...", st->name, (int)n, s + 1);
	}
	return rn_diag_errors(script->diag) == errors;
}

/* Do the sources of a view lead to `name` through views that come later in the text? */
struct chase {
	const struct rn_ast_stmt *behind;
	const char *name;
	unsigned depth, left;
	bool found;
};

static void chase(void *self, const struct rn_ast_source *src)
{
	struct chase *c = self;

	if (!strcmp(src->name, c->name))
		c->found |= c->depth > 0;
	for (const struct rn_ast_stmt *st = c->behind->next;
	     st && !c->found && c->depth < RN_MAX_VIEW_DEPTH; st = st->next) {
		if (st->kind != RN_STMT_VIEW || !st->query || strcmp(st->name, src->name))
			continue;
		if (!c->left)
			return;
		c->left--;
		c->depth++;
		rn_query_sources(st->query, chase, c);
		c->depth--;
		break;
	}
}

/* Is such a cycle reported later, at the definition of its last view? */
static bool is_told_later(const struct rn_ast_stmt *st)
{
	enum { MOST = 1000 }; /* views, in all: each could use the next one twice */
	struct chase c = {.behind = st, .name = st->name, .left = MOST};

	rn_query_sources(st->query, chase, &c);
	return c.found;
}

static void check_view(struct rn_script *script, const struct rn_ast_stmt *st,
		       struct rn_statement *job)
{
	const struct rn_catalog *catalog = script->names.catalog;
	const struct rn_class *cls = catalog->find(catalog->self, st->name, NULL, NULL, 0);
	const struct rn_module_data *module;
	struct rn_ast_stmt bare;

	if (cls) {
		rn_diag_add(script->diag, RN_ERROR, "E-NAME-VIEW", st->span,
			    "`%s` is %s; a view needs another name", st->name,
			    cls->kind == RN_CLASS_TABLE ? "a table" : "an event class");
		return;
	}
	module = rn_module_of(st->name);
	if (module)
		rn_diag_hint(script->diag,
			     rn_diag_add(script->diag, RN_NOTE, "N-VIEW-HIDDEN", st->span,
					 "the module %s has a view `%s` too", module->name,
					 st->name),
			     "the latest counts: behind `use %s;` that is the module's, until a "
			     "text defines its own",
			     module->name);
	bare = *st;
	bare.doc = NULL;
	if (!check_params(script, &bare, rn_print_stmt(script->arena, &bare)))
		return;
	job->text = rn_views_canonical(script->engine->views, script->arena, st, script->diag);
	if (!job->text)
		return;
	rn_views_define(script->engine->views, st->name, job->text, st->doc, script->view_source,
			script->name);
	if (!is_told_later(st))
		check_body(script, st);
}

static void check_drop(struct rn_script *script, const struct rn_ast_stmt *st)
{
	const struct rn_views *v = script->names.views;

	for (const struct rn_ast_name *n = st->names; n; n = n->next) {
		const char *origin = "";

		if (!v->find(v->self, n->text, &origin)) {
			struct rn_diag_item *it =
				rn_diag_add(script->diag, RN_ERROR, "E-NAME-VIEW", n->span,
					    "there is no view `%s`", n->text);
			const char *near = rn_nearest(n->text, v->names(v->self));

			if (near)
				rn_diag_hint(script->diag, it, "did you mean `%s`?", near);
		} else if (!strncmp(origin, "stdlib/", 7)) {
			rn_diag_hint(script->diag,
				     rn_diag_add(script->diag, RN_ERROR, "E-NAME-VIEW", n->span,
						 "`%s` is part of %s and cannot be dropped",
						 n->text, origin),
				     "only views of your own are dropped: `runnel list --saved` "
				     "shows them");
		}
	}
}

/* One stage is over. False: stop here. */
static bool stage_done(struct rn_script *u, const struct rn_statement *job,
		       enum rn_dump_stage_id id, struct rn_err *err)
{
	struct rn_compiled c = {.arena = u->arena,
				.diag = u->diag,
				.src = u->src,
				.query = job->stmt->query,
				.plan = job->plan,
				.provider = u->engine->provider};

	return !u->stage || u->stage(u->stage_self, &c, id, err);
}

/* Check that the query of a let or an assertion ends by itself, and does not write elsewhere. */
static bool check_result(struct rn_script *script, const struct rn_ast_stmt *st,
			 struct rn_statement *job)
{
	const struct rn_plan *p = job->plan;
	const char *what = st->kind == RN_STMT_LET ? "let" : "assert";
	struct rn_diag_item *it;

	if (st->kind != RN_STMT_LET && st->kind != RN_STMT_ASSERT)
		return true;
	if (p->into) {
		it = rn_diag_add(script->diag, RN_ERROR, "E-CLAUSE", st->query->clause[RN_C_INTO],
				 "`%s` takes no `into`", what);
		rn_diag_hint(script->diag, it,
			     "record with a statement of its own: events of ... into \"x.rnt\"");
		return false;
	}
	if (!rn_plan_ends(p) && !script->ends &&
	    (p->kind != RN_PLAN_ROWS || p->limit < 0 || p->norder || p->every_ns)) {
		it = rn_diag_add(script->diag, RN_ERROR, "E-ENDLESS", st->query->span,
				 "this query is live and would never end");
		rn_diag_hint(script->diag, it,
			     "`%s` waits for its whole answer: say how long, as in `... for 5s`",
			     what);
		return false;
	}
	if (st->kind == RN_STMT_LET)
		rn_let_define(script, job);
	return true;
}

/* Note that a result hides anything else of its name. */
static void note_hidden(struct rn_script *u, const struct rn_ast_stmt *st)
{
	const struct rn_catalog *c = u->names.catalog;
	const struct rn_class *cls = c->find(c->self, st->name, NULL, NULL, 0);
	const char *origin;
	const char *what = cls ? cls->kind == RN_CLASS_TABLE ? "table" : "event class"
			   : u->names.views->find(u->names.views->self, st->name, &origin) ? "view"
											   : NULL;

	if (what)
		rn_diag_hint(u->diag,
			     rn_diag_add(u->diag, RN_NOTE, "N-LET-HIDES", st->name_span,
					 "`%s` is %s %s too", st->name,
					 cls && cls->kind != RN_CLASS_TABLE ? "an" : "a", what),
			     "from here on it is the result of this `let`");
}

static void check_query(struct rn_script *script, const struct rn_ast_stmt *st,
			struct rn_statement *job, struct rn_err *err)
{
	struct rn_ast_query *query = st->query;
	struct rn_plan_opts opts;

	if (!stage_done(script, job, RN_STAGE_AST, err))
		return;
	if (!rn_resolve(script->arena, script->diag, query, &script->names))
		return;
	if (st->kind == RN_STMT_ASSERT && !rn_assert_prepare(script, st, job))
		return;
	if (!stage_done(script, job, RN_STAGE_TYPES, err) || script->broken)
		return;
	opts = (struct rn_plan_opts){0};
	if (script->every_ns)
		job->kept = rn_continuous_query(query, script->every_ns, script->every_asked,
						script->diag);
	if (script->every_ns && job->kept == RN_CONTINUOUS_NOT)
		return;
	job->plan = rn_plan_query(script->arena, script->diag, query, &script->names, &opts);
	if (!job->plan || !check_result(script, st, job))
		return;
	for (int id = RN_STAGE_PLAN; id < RN_STAGE_COUNT; id++) {
		if (!stage_done(script, job, id, err))
			return;
	}
}

int rn_statement_check(struct rn_script *script, const struct rn_ast_stmt *st,
		       struct rn_statement *job, struct rn_err *err)
{
	job->stmt = st;
	job->diag = script->diag;
	switch (st->kind) {
	case RN_STMT_USE: check_use(script, st); break;
	case RN_STMT_VIEW: check_view(script, st, job); break;
	case RN_STMT_DROP: check_drop(script, st); break;
	case RN_STMT_QUERY:
	case RN_STMT_ASSERT:
		job->text = rn_print_stmt(script->arena, st); /* before check_query adds columns */
		check_query(script, st, job, err);
		break;
	case RN_STMT_EXPLAIN: check_query(script, st, job, err); break;
	case RN_STMT_LET:
		note_hidden(script, st);
		check_query(script, st, job, err);
		if (!job->let)
			rn_let_broken(script, st);
		break;
	case RN_STMT_PARAM: break; /* rn_params_declared has handled all of them */
	case RN_STMT_TAGS: rn_tags_check(script, st); break;
	}
	return err->code;
}

/* ---- what is saved ---- */

static unsigned count_changes(const struct rn_ast_stmt *st)
{
	unsigned n = st->kind == RN_STMT_VIEW;

	for (const struct rn_ast_name *x = st->names; st->kind == RN_STMT_DROP && x; x = x->next)
		n++;
	return n;
}

static void list_changes(struct rn_statement *job, struct rn_view_change *to)
{
	const struct rn_ast_stmt *st = job->stmt;

	job->change = to;
	job->nchanges = count_changes(st);
	if (st->kind == RN_STMT_VIEW)
		*to = (struct rn_view_change){
			.name = st->name, .text = job->text, .doc = st->doc, .span = st->span};
	for (const struct rn_ast_name *x = st->names; st->kind == RN_STMT_DROP && x; x = x->next)
		*to++ = (struct rn_view_change){.name = x->text, .span = x->span};
}

bool rn_statements_try(struct rn_script *script)
{
	for (unsigned i = 0, end; i < script->njobs; i = end) {
		unsigned n = 0, at = 0;
		struct rn_view_change *all;

		for (end = i; end < script->njobs; end++) {
			unsigned k = count_changes(script->jobs[end].stmt);

			if (!k && (!n || script->jobs[end].stmt->kind != RN_STMT_USE))
				break;
			n += k;
		}
		if (!n) {
			end = i + 1;
			continue;
		}
		all = RN_NEWN(script->arena, struct rn_view_change, n);
		for (unsigned k = i; k < end; k++) {
			list_changes(&script->jobs[k], all + at);
			at += script->jobs[k].nchanges;
		}
		script->jobs[i].together = n;
		if (!rn_views_try(script->engine->views, &script->saved, all, n, &script->names,
				  script->diag, script->arena))
			return false;
	}
	return true;
}

int rn_statement_store(struct rn_script *script, const struct rn_statement *job,
		       struct rn_diag **diag, struct rn_err *err)
{
	*diag = rn_diag_new(script->arena);
	rn_diag_source(*diag, script->name, script->text,
		       script->len); /* same source number: spans stay right */
	if (!job->together)          /* done with the first of them */
		return 0;
	return rn_views_store(script->engine->views, job->change, job->together, &script->names,
			      *diag, script->arena, err);
}
