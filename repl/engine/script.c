/* script.c - see script.h. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "repl/engine/here.h"
#include "repl/engine/lets.h"
#include "repl/engine/record.h"
#include "repl/engine/tag_store.h"
#include "repl/engine/script.h"
#include "lang/base/nearest.h"
#include "exec/trace/trace.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

void rn_script_open(struct rn_script *script, struct rn_engine *engine, const char *name,
		    const char *text, size_t len, const char *const *params)
{
	const struct rn_lets *lets;

	*script = (struct rn_script){.engine = engine,
				     .name = name,
				     .text = text,
				     .len = len,
				     .arena = rn_arena_create(RN_ARENA_CAP)};
	rn_tagstore_begin(engine->tags);
	rn_views_begin(engine->views);
	script->here_names = (struct rn_here_names){.arena = script->arena};
	script->here = rn_here_of(&script->here_names);
	script->diag = rn_diag_new(script->arena);
	script->src = rn_diag_source(script->diag, name, text, len);
	script->traces = rn_trace_catalogs_create();
	lets = rn_lets_begin(script);
	script->names = (struct rn_names){.lets = lets,
					  .catalog = engine->catalog,
					  .views = rn_views_names(engine->views),
					  .params = params,
					  .trace = rn_trace_catalog,
					  .trace_self = script->traces,
					  .tagset = rn_tagstore_names(engine->tags),
					  .here = engine->hosts ? NULL : &script->here};
}

void rn_script_close(struct rn_script *script)
{
	rn_lets_end(script);
	rn_arena_destroy(script->arena);
	rn_trace_catalogs_free(script->traces);
}

#define BLANKS " \t\r\n"
#define NAME "abcdefghijklmnopqrstuvwxyz_0123456789"

/* Skip the `use` statements that a text begins with. */
static const char *behind_uses(const char *text)
{
	for (;;) {
		const char *p = text += strspn(text, BLANKS ";");

		if (strncmp(p, "use", 3) || !strchr(BLANKS, p[3]) || !p[3])
			return text;
		p += 3 + strspn(p + 3, BLANKS);
		p += strspn(p, NAME);
		p += strspn(p, BLANKS);
		if (*p != ';')
			return text;
		text = p;
	}
}

/* If a text is only the name of a source, as of a tool (opensnoop, opensnoop.bt), hint how to query
 * it. */
static void hint_source_alone(struct rn_script *script)
{
	const char *at = behind_uses(script->text), *origin;
	size_t n = strspn(at, NAME), tail = !strncmp(at + n, ".bt", 3)      ? 3
					    : !strncmp(at + n, "-bpfcc", 6) ? 6
									    : 0;
	const char *name = rn_arena_strndup(script->arena, at, n);
	struct rn_diag_item *it = (struct rn_diag_item *)rn_diag_first(script->diag);
	const struct rn_catalog *catalog = script->names.catalog;
	const struct rn_class *cls;

	if (!n || !it || at[n + tail + strspn(at + n + tail, BLANKS ";")])
		return;
	if (script->names.lets->find(script->names.lets->self, name))
		rn_diag_hint(script->diag, it, "`%s` alone is the result", name);
	else if (script->names.views->find(script->names.views->self, name, &origin))
		rn_diag_hint(script->diag, it, "`%s` alone is a view", name);
	else if ((cls = catalog->find(catalog->self, name, NULL, NULL, 0)) && !cls->needs_arg &&
		 !cls->later)
		rn_diag_hint(script->diag, it,
			     "`%s` is %s: `events of %s` shows each, `count of %s by proc` counts",
			     name, cls->kind == RN_CLASS_TABLE ? "a table" : "an event class", name,
			     name);
}

/* The name that ends before `end` in the text, also as NAME(...), unless it stands behind `of`;
 * NULL: there is none. */
static const char *name_before(struct rn_script *script, size_t end)
{
	const char *text = script->text;
	size_t start;

	while (end && strchr(BLANKS, text[end - 1]))
		end--;
	if (end && text[end - 1] == ')') {
		while (end && text[end - 1] != '(')
			end--;
		end -= end > 0;
	}
	for (start = end; start && strchr(NAME, text[start - 1]);)
		start--;
	if (start == end)
		return NULL;
	for (size_t i = start; i && (strchr(BLANKS, text[i - 1]) || text[i - 1] == 'f'); i--)
		if (i > 1 && !strncmp(text + i - 2, "of", 2))
			return NULL;
	return rn_arena_strndup(script->arena, text + start, end - start);
}

/* If a view's name stands where a query is wanted, hint how to query it: `opensnoop where ...`,
 * `explain opensnoop`. */
static void hint_view_as_query(struct rn_script *script)
{
	struct rn_diag_item *it = (struct rn_diag_item *)rn_diag_first(script->diag);
	const struct rn_lets *lets = script->names.lets;
	const struct rn_views *views = script->names.views;
	const char *name = it && !strcmp(it->code, "E-SYNTAX") && it->span.src == script->src &&
					   it->span.start <= script->len
				   ? name_before(script, it->span.start)
				   : NULL;

	if (name && (lets->find(lets->self, name) || views->find(views->self, name, NULL)))
		rn_diag_hint(script->diag, it,
			     "`%s` alone is a statement; the query of all its rows is `* of %s`",
			     name, name);
}

bool rn_script_parse(struct rn_script *script)
{
	script->file = rn_parse(script->arena, script->diag, script->src);
	if (rn_diag_errors(script->diag)) {
		hint_source_alone(script);
		hint_view_as_query(script);
		return false;
	}
	script->names.declared = script->declared =
		rn_params_declared(script->arena, script->diag, script->file);
	for (const struct rn_ast_stmt *st = script->file->stmts; st; st = st->next)
		script->njobs++;
	script->jobs = RN_NEWN(script->arena, struct rn_statement, script->njobs + 1);
	script->njobs = 0;
	for (const struct rn_ast_stmt *st = script->file->stmts; st; st = st->next)
		script->jobs[script->njobs++].stmt = st;
	return true;
}

/* Is `$NAME` in the text, as a whole word? */
static bool mentions(const char *text, const char *wanted)
{
	size_t n = strlen(wanted);

	for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted)) {
		if (!isalnum((unsigned char)at[n]) && at[n] != '_')
			return true;
	}
	return false;
}

/* A text that declares parameters takes only those; any other text takes those that it mentions. */
static bool takes(const struct rn_script *u, const char *name, size_t n)
{
	if (u->declared)
		return rn_params_find(u->declared, name, n);
	return mentions(u->text, rn_arena_printf(u->arena, "$%.*s", (int)n, name));
}

const char *rn_script_stray(const struct rn_script *script, const char **near)
{
	unsigned n = 0;
	const char **names;

	for (const struct rn_param *p = script->declared; p; p = p->next)
		n++;
	names = RN_NEWN(script->arena, const char *, n + 1);
	n = 0;
	for (const struct rn_param *p = script->declared; p; p = p->next)
		names[n++] = p->name;
	*near = NULL;
	for (const char *const *p = script->names.params; p && *p; p++) {
		size_t len = strcspn(*p, ":=");

		if (takes(script, *p, len))
			continue;
		*near = rn_nearest(rn_arena_strndup(script->arena, *p, len), names);
		return *p;
	}
	return NULL;
}

bool rn_script_system_refused(const struct rn_diag *diag)
{
	for (const struct rn_diag_item *it = rn_diag_first(diag); it; it = it->next) {
		if (it->severity == RN_ERROR && strcmp(it->code, "E-SYSTEM"))
			return false;
	}
	return true;
}

static bool is_query(const struct rn_ast_stmt *st)
{
	return st->query &&
	       (st->kind == RN_STMT_QUERY || st->kind == RN_STMT_LET || st->kind == RN_STMT_ASSERT);
}

/* Does an earlier statement of this text write the recording that the query reads? */
static bool reads_own_recording(const struct rn_ast_file *f, const struct rn_ast_stmt *st)
{
	const char *from = is_query(st) ? st->query->from : NULL;

	for (const struct rn_ast_stmt *e = f->stmts; from && e != st; e = e->next) {
		if (e->kind == RN_STMT_QUERY && e->query && e->query->into &&
		    !strcmp(e->query->into, from))
			return true;
	}
	return false;
}

bool rn_script_check(struct rn_script *script, struct rn_err *err)
{
	bool later = false; /* a `let` is not checked yet */

	rn_params_bind(script->arena, script->diag, script->declared, script->names.params);
	for (unsigned i = 0; i < script->njobs; i++) {
		struct rn_statement *job = &script->jobs[i];

		job->deferred =
			reads_own_recording(script->file, job->stmt) ||
			(later && (is_query(job->stmt) || job->stmt->kind == RN_STMT_EXPLAIN));
		later |= job->deferred && job->stmt->kind == RN_STMT_LET;
		if (!job->deferred && rn_statement_check(script, job->stmt, job, err))
			break;
	}
	if (!rn_diag_errors(script->diag) && !err->code)
		rn_statements_try(script);
	return !rn_diag_errors(script->diag) && !err->code;
}

bool rn_script_check_nodes(struct rn_script *script)
{
	for (unsigned i = 0; i < script->njobs; i++) {
		struct rn_err why = {0};

		if (script->jobs[i].plan && script->jobs[i].stmt->kind != RN_STMT_EXPLAIN &&
		    rn_plan_nodes_known(script->engine, script->jobs[i].plan, &why))
			rn_diag_hint(script->diag,
				     rn_diag_add(script->diag, RN_ERROR, "E-SYSTEM", why.span, "%s",
						 why.text),
				     "%s", why.hint);
	}
	return !rn_diag_errors(script->diag);
}

/* Return the last statement before the job that records into the same file; NULL: none does. */
static const struct rn_statement *recorded_before(const struct rn_script *u, unsigned job)
{
	const char *into = u->jobs[job].stmt->query->into;

	for (unsigned i = job; i-- > 0;) {
		const struct rn_ast_stmt *st = u->jobs[i].stmt;

		if (st->kind == RN_STMT_QUERY && st->query->into && !strcmp(st->query->into, into))
			return &u->jobs[i];
	}
	return NULL;
}

/* Check p against `before`, which makes the file before p runs. */
static void check_behind(const struct rn_script *u, const struct rn_statement *before,
			 const struct rn_plan *p, struct rn_err *why)
{
	if (p->into_how == RN_INTO_APPEND && before->plan)
		rn_record_adds(u->arena, before->plan, p, why);
	if (p->into_how != RN_INTO_NEW)
		return;
	rn_err_set(why, -EEXIST, "%s is recorded by a statement before this one", p->into);
	rn_err_hint(why, "into \"%s\" append: more rows in it; or write to another file", p->into);
	why->span = p->query->into_span;
}

static void check_into(const struct rn_script *u, const struct rn_plan *p, struct rn_err *why)
{
	if (rn_check_no_overwrite(u, p, NULL, why))
		why->span = p->query->into_span;
	else
		rn_record_allowed(u->arena, p, why);
}

static void told_into(struct rn_script *u, const struct rn_err *why)
{
	struct rn_diag_item *it =
		rn_diag_add(u->diag, RN_ERROR, "E-SYSTEM", why->span, "%s", why->text);

	if (why->hint[0])
		rn_diag_hint(u->diag, it, "%s", why->hint);
}

bool rn_script_check_into(struct rn_script *script)
{
	for (unsigned i = 0; i < script->njobs; i++) {
		const struct rn_statement *job = &script->jobs[i];
		struct rn_err why = {0};
		const struct rn_statement *before;

		if (job->stmt->kind != RN_STMT_QUERY || !job->plan || !job->plan->into)
			continue;
		before = recorded_before(script, i);
		if (before)
			check_behind(script, before, job->plan, &why);
		else
			check_into(script, job->plan, &why);
		if (why.code)
			told_into(script, &why);
	}
	return !rn_diag_errors(script->diag);
}

bool rn_script_check_deferred(struct rn_script *script, struct rn_statement *job,
			      struct rn_diag **diag, struct rn_err *err)
{
	struct rn_script own = *script;

	own.diag = *diag = rn_diag_new(script->arena);
	/* same source number: spans stay right */
	own.src = rn_diag_source(own.diag, script->name, script->text, script->len);
	rn_statement_check(&own, job->stmt, job, err);
	return !rn_diag_errors(own.diag) && !err->code;
}

bool rn_plan_is_live(const struct rn_plan *plan)
{
	for (unsigned i = 0; i < plan->nsets; i++) {
		if (rn_plan_is_live(plan->sets[i]))
			return true;
	}
	if (plan->child)
		return rn_plan_is_live(plan->child);
	return !plan->from && plan->frag.cls && plan->frag.cls->kind == RN_CLASS_EVENT;
}
