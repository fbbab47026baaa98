/* run.c - a text: parse, check all of it, then run its statements in order. The first status that is not 0 ends it. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "repl/signals.h"
#include "repl/stages.h"
#include "repl/statements.h"
#include "repl/tagset.h"

void rn_complain(const struct rn_session *s, const struct rn_err *err)
{
	const char *red = s->err_term.color ? "\033[1;31m" : "", *off = s->err_term.color ? "\033[0m" : "";
	fprintf(stderr, "%serror:%s %s\n", red, off, err->text[0] ? err->text : strerror(-err->code));
	if (err->hint[0])
		fprintf(stderr, "  %s\n", err->hint);
}

int rn_session_output(struct rn_session *s, struct rn_err *err)
{
	if (!s->opt->output || s->to != stdout)
		return 0;
	FILE *f = fopen(s->opt->output, "we");
	if (!f)
		return rn_err_set(err, -errno, "cannot write %s: %s", s->opt->output, strerror(errno));
	s->to = f;
	return 0;
}

/* An unknown source that a module has: the way out is to use it, which resolution cannot know. */
static void hint_modules(const struct rn_text *u, struct rn_diag *d)
{
	for (const struct rn_diag_item *it = rn_diag_first(d); it; it = it->next) {
		size_t len;
		const char *text = rn_diag_text(d, it->span.src, &len);
		if ((strcmp(it->code, "E-NAME-VIEW") && strcmp(it->code, "E-NAME-SOURCE")) || it->span.end > len)
			continue;
		const char *name = rn_arena_strndup(u->arena, text + it->span.start, it->span.end - it->span.start);
		const char *module = rn_views_module_of(u->s->views, name);
		if (module) /* the item is ours as much as its diag is */
			rn_diag_hint(d, (struct rn_diag_item *)it, "it is in the module %s: write `use %s;` before it", module, module);
	}
}

/* All that is wrong is that the system would not tell: the query may be right. */
static bool system_refused(const struct rn_diag *d)
{
	for (const struct rn_diag_item *it = rn_diag_first(d); it; it = it->next) {
		if (it->severity == RN_ERROR && strcmp(it->code, "E-SYSTEM"))
			return false;
	}
	return true;
}

/* Prints what the diag holds: errors always, notes unless -q. */
static int report(const struct rn_text *u, struct rn_diag *d)
{
	unsigned errors = rn_diag_errors(d);
	if (errors)
		hint_modules(u, d);
	if (errors || (rn_diag_first(d) && !u->s->opt->quiet))
		fputs(rn_diag_render(d, u->arena, u->s->err_term.color), stderr);
	const struct rn_err *views = rn_views_problem(u->s->views);
	if (errors && views->code)
		rn_complain(u->s, views);
	const struct rn_err *tags = rn_tagstore_problem(u->s->tags);
	if (errors && tags->code && !views->code)
		rn_complain(u->s, tags);
	return !errors ? RN_EXIT_OK : system_refused(d) ? RN_EXIT_SYSTEM : RN_EXIT_QUERY;
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

/* A parameter that the text does not mention is a slip of the keyboard, not a wish. */
static int check_params(const struct rn_text *u)
{
	for (const char *const *p = u->s->opt->params; p && *p; p++) {
		const char *wanted = rn_arena_printf(u->arena, "$%.*s", (int)strcspn(*p, "="), *p);
		if (!mentions(u->text, wanted)) {
			fprintf(stderr, "runnel: `%s` is given, but %s has no `%s`\n", *p, u->name, wanted);
			return RN_EXIT_USAGE;
		}
	}
	return RN_EXIT_OK;
}

/* Does an earlier statement of this text write the recording that this query reads? */
static bool reads_own_recording(const struct rn_ast_file *f, const struct rn_ast_stmt *st)
{
	const char *from = st->query && st->kind == RN_STMT_QUERY ? st->query->from : NULL;
	for (const struct rn_ast_stmt *e = f->stmts; from && e != st; e = e->next) {
		if (e->kind == RN_STMT_QUERY && e->query && e->query->into && !strcmp(e->query->into, from))
			return true;
	}
	return false;
}

static int check_scope(const struct rn_text *u, const struct rn_job *jobs, unsigned n)
{
	unsigned live = 0;
	for (unsigned i = 0; i < n; i++)
		live += jobs[i].stmt->kind == RN_STMT_QUERY && jobs[i].plan && rn_plan_is_live(jobs[i].plan);
	const struct rn_options *o = u->s->opt;
	if (o->command && live != 1) {
		fprintf(stderr, "runnel: -c goes with one query of live events; %s has %u\n", u->name, live);
		return RN_EXIT_USAGE;
	}
	if (o->npids && !live) {
		fprintf(stderr, "runnel: -p goes with a query of live events; %s has none\n", u->name);
		return RN_EXIT_USAGE;
	}
	return RN_EXIT_OK;
}

static int check_deferred(struct rn_text *u, struct rn_job *job)
{
	struct rn_text own = *u;
	struct rn_err err = {0};
	own.diag = rn_diag_new(u->arena);
	own.src = rn_diag_source(own.diag, u->name, u->text, u->len); /* the same number: spans stay right */
	rn_statement_check(&own, job->stmt, job, &err);
	return report(&own, own.diag);
}

static int run_view(struct rn_text *u, const struct rn_job *job)
{
	struct rn_err err = {0};
	const struct rn_ast_stmt *st = job->stmt;
	int code = st->kind == RN_STMT_VIEW ? rn_views_save(u->s->views, st->name, job->text, st->doc, &err) :
					      rn_views_drop(u->s->views, st->name, &err);
	if (code == -ENOENT && !err.code) {
		return RN_EXIT_OK; /* a view of this text: it was never saved */
	} else if (code) {
		rn_complain(u->s, &err);
		return RN_EXIT_SYSTEM;
	}
	if (!u->s->opt->quiet)
		fprintf(stderr, "view %s %s\n", st->name, st->kind == RN_STMT_VIEW ? "saved" : "dropped");
	return RN_EXIT_OK;
}

/* Which nodes of the hosts file a query would be put to. */
static void explain_nodes(const struct rn_session *s, const struct rn_plan *p)
{
	const char *sep = "asks ";
	while (p->child)
		p = p->child;
	for (unsigned i = 0; s->hosts && !p->from && i < s->hosts->n; i++) {
		const struct rn_host_entry *e = &s->hosts->e[i];
		if (!rn_host_chosen(e->name, e->group, e->local, p->nodes) && e->kind != RN_HOST_RELAY)
			continue;
		fprintf(s->to, "%s%s%s", sep, e->name, e->kind == RN_HOST_RELAY ? " (a relay)" : "");
		sep = ", ";
	}
	if (sep[0] == ',')
		fprintf(s->to, ", of %s\n", s->hosts->path);
}

static int run_job(struct rn_text *u, struct rn_job *job)
{
	struct rn_err err = {0};
	if (job->deferred) {
		int status = check_deferred(u, job);
		if (status)
			return status;
	}
	switch (job->stmt->kind) {
	case RN_STMT_VIEW:
	case RN_STMT_DROP:
		return u->s->opt->explain ? RN_EXIT_OK : run_view(u, job);
	case RN_STMT_QUERY:
		if (!u->s->opt->explain)
			return rn_query_run(u->s, u->arena, job->plan);
		/* fall through */
	case RN_STMT_EXPLAIN:
		if (rn_session_output(u->s, &err)) {
			rn_complain(u->s, &err);
			return RN_EXIT_SYSTEM;
		}
		explain_nodes(u->s, job->plan);
		fputs(rn_explain(u->arena, job->plan), u->s->to);
		return RN_EXIT_OK;
	case RN_STMT_TAGS: return u->s->opt->explain ? RN_EXIT_OK : rn_tags_run(u, job->stmt);
	case RN_STMT_USE: break;
	}
	return RN_EXIT_OK;
}

static int check_all(struct rn_text *u, const struct rn_ast_file *f, struct rn_job *jobs)
{
	struct rn_err err = {0};
	unsigned n = 0;
	for (const struct rn_ast_stmt *st = f->stmts; st; st = st->next, n++) {
		jobs[n].stmt = st;
		jobs[n].deferred = reads_own_recording(f, st);
		if (!jobs[n].deferred && rn_statement_check(u, st, &jobs[n], &err)) {
			report(u, u->diag);
			rn_complain(u->s, &err);
			return RN_EXIT_SYSTEM;
		}
	}
	return report(u, u->diag);
}

static int run_unit(struct rn_text *u)
{
	const struct rn_options *o = u->s->opt;
	struct rn_err err = {0};
	if ((o->dump || o->stop_after >= 0) && rn_session_output(u->s, &err)) {
		rn_complain(u->s, &err);
		return RN_EXIT_SYSTEM;
	}
	if (o->dump & 1u << RN_STAGE_TOKENS)
		fputs(rn_dump_tokens(u->arena, u->diag, u->src), u->s->to);
	else if (o->stop_after == RN_STAGE_TOKENS)
		rn_dump_tokens(u->arena, u->diag, u->src); /* for its errors */
	if (o->stop_after == RN_STAGE_TOKENS || o->dump == 1u << RN_STAGE_TOKENS)
		return report(u, u->diag);
	const struct rn_ast_file *f = rn_parse(u->arena, u->diag, u->src);
	if (rn_diag_errors(u->diag))
		return report(u, u->diag);
	unsigned n = 0;
	for (const struct rn_ast_stmt *st = f->stmts; st; st = st->next)
		n++;
	struct rn_job *jobs = RN_NEWN(u->arena, struct rn_job, n + 1);
	int status = check_params(u);
	if (!status)
		status = check_all(u, f, jobs);
	if (status || o->dump || o->stop_after >= 0)
		return status;
	if (!o->explain)
		status = check_scope(u, jobs, n);
	for (unsigned i = 0; i < n && !status; i++) {
		if (*rn_signals_stop())
			return u->s->answered ? RN_EXIT_OK : RN_EXIT_INTERRUPTED;
		status = run_job(u, &jobs[i]);
	}
	return status;
}

int rn_run_text(struct rn_session *s, const char *name, const char *text, size_t len)
{
	struct rn_text u = {.s = s, .name = name, .text = text, .len = len, .arena = rn_arena_create(RN_ARENA_CAP)};
	rn_tagstore_begin(s->tags);
	u.diag = rn_diag_new(u.arena);
	u.src = rn_diag_source(u.diag, name, text, len);
	u.names = (struct rn_names){.catalog = s->catalog, .views = rn_views_names(s->views), .params = s->opt->params,
				    .trace = rn_trace_catalog, .tagset = rn_tagstore_names(s->tags)};
	int status = run_unit(&u);
	rn_arena_destroy(u.arena);
	rn_trace_catalogs_free();
	return status;
}
