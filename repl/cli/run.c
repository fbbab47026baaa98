/* run.c - runs a text: parse it, check all of it, then run its statements in order. The first
 * status that is not 0 ends it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/files/outfile.h"
#include "repl/engine/assert.h"
#include "repl/engine/lets.h"
#include "repl/engine/record.h"
#include "repl/engine/tag_store.h"
#include "repl/out/files.h"
#include "repl/terminal/pager.h"
#include "repl/cli/run.h"
#include "repl/cli/query.h"
#include "repl/cli/session.h"
#include "repl/terminal/signals.h"
#include "exec/trace/trace.h"
#include "lang/syntax/parse.h"

/* One text that the program runs. */
struct unit {
	struct rn_session *session;
	struct rn_script script;
	struct rn_outputs outputs;
	bool ended;
	bool explained; /* a plan was shown */
	/* of --dump, held until the text is known to be right */
	FILE *dumps;
	char *dumped;
	size_t ndumped;
};

/* Print a rendered diag; at the prompt with the prompt's own commands in place of the shell's. */
static void say(const struct rn_session *session, const char *text)
{
	static const struct {
		const char *shell, *prompt;
	} same[] = {{"`runnel describe ", "`\\d "},
		    {"`runnel list`", "`\\l`"},
		    {"`runnel list '", "`\\l '"}};

	for (const char *p = text; *p;) {
		size_t i = 0, n = sizeof(same) / sizeof(*same);

		while (i < n &&
		       (!session->pager || strncmp(p, same[i].shell, strlen(same[i].shell))))
			i++;
		if (i < n)
			fputs(same[i].prompt, stderr);
		else
			putc(*p, stderr);
		p += i < n ? strlen(same[i].shell) : 1;
	}
}

/* Print what the diag holds: errors always, notes unless -q. Print first that a catalogue cannot be
 * read: it may be why a name is unknown. */
static int report(const struct unit *n, struct rn_diag *diag)
{
	unsigned errors = rn_diag_errors(diag);
	const struct rn_err *views = rn_views_problem(n->script.engine->views),
			    *tags = rn_tagstore_problem(n->script.engine->tags);
	const char *mended;

	rn_session_carried(n->session);
	if (errors && (views->code || tags->code))
		rn_complain(n->session, views->code ? views : tags);
	if (n->session->pager)
		rn_diag_rehint(diag, "give it one behind the ", "give it one: \\set NAME VALUE");
	if (errors || (rn_diag_first(diag) && !n->session->opt->quiet))
		say(n->session, rn_session_diag(n->session, diag, n->script.arena));
	mended = errors && n->session->pager && !strcmp(n->script.name, "query")
			 ? rn_diag_mend(diag, n->script.arena, 0)
			 : NULL;
	if (mended && !(n->session->mended = rn_strdup(mended)))
		abort();
	return !errors                                         ? RN_EXIT_OK
	       : views->code || rn_script_system_refused(diag) ? RN_EXIT_SYSTEM
							       : RN_EXIT_QUERY;
}

/* Refuse a parameter that the text does not use: it is a slip of the keyboard. */
static int check_params(const struct unit *n)
{
	const struct rn_script *u = &n->script;
	const char *near, *stray = n->session->opt->spare_params ? NULL : rn_script_stray(u, &near);

	if (!stray)
		return RN_EXIT_OK;
	if (u->declared)
		rn_say("runnel: `%s` is given, but %s declares no parameter `%.*s`", stray, u->name,
		       (int)strcspn(stray, "="), stray);
	else
		rn_say("runnel: `%s` is given, but %s has no `$%.*s`", stray, u->name,
		       (int)strcspn(stray, "="), stray);
	if (near)
		rn_say("; did you mean `%s`?", near);
	putc('\n', stderr);
	return RN_EXIT_USAGE;
}

/* Check the formats. They are the program's; the language takes any word. */
static void check_formats(const struct unit *n)
{
	struct rn_diag *diag = n->script.diag;
	char list[128];

	for (unsigned i = 0; i < n->script.njobs; i++) {
		const struct rn_ast_stmt *st = n->script.jobs[i].stmt;
		const struct rn_format *f = st->format ? rn_format_find(st->format) : NULL;
		struct rn_diag_item *it;
		const char *near;

		if (!st->format || (f && f->create))
			continue;
		it = rn_diag_add(diag, RN_ERROR, f ? "E-LATER" : "E-NAME-FORMAT", st->format_span,
				 f ? "format `%s` comes with a later version"
				   : "there is no format `%s`",
				 st->format);
		near = f ? NULL : rn_format_nearest(st->format);
		if (near)
			rn_diag_hint(diag, it, "did you mean `%s`?", near);
		else
			rn_diag_hint(diag, it, "there are %s",
				     rn_format_names(list, sizeof(list), "and"));
	}
	for (unsigned i = 0; i < n->script.njobs; i++) {
		const struct rn_ast_stmt *st = n->script.jobs[i].stmt;

		if (st->format && st->query->into)
			rn_diag_hint(
				diag,
				rn_diag_add(
					diag, RN_ERROR, "E-CLAUSE", st->format_span,
					"a query with `into` shows no rows: it takes no `format`"),
				"a recording has one format; read it with a query of its own");
	}
}

static bool asks_table(const struct rn_script *u)
{
	for (unsigned i = 0; i < u->njobs; i++) {
		const struct rn_ast_source *src =
			u->jobs[i].stmt->query ? u->jobs[i].stmt->query->source : NULL;

		if (src && src->cls && src->cls->kind == RN_CLASS_TABLE)
			return true;
	}
	return false;
}

static int check_scope(const struct unit *n)
{
	const struct rn_script *script = &n->script;
	const struct rn_options *options = n->session->opt;
	unsigned live = 0;

	for (unsigned i = 0; i < script->njobs; i++)
		live += script->jobs[i].stmt->kind != RN_STMT_EXPLAIN && script->jobs[i].plan &&
			rn_plan_is_live(script->jobs[i].plan);
	if (options->command && !script->njobs) {
		rn_say("runnel: -c COMMAND needs a query: runnel -c CMD 'count of syscall by "
		       "name'\n");
		return RN_EXIT_USAGE;
	}
	if (options->command && live != 1) {
		char many[16];

		snprintf(many, sizeof(many), "%u", live);
		rn_say("runnel: -c goes with one query of live events; %s has %s%s\n", script->name,
		       live ? many : "none",
		       asks_table(script) ? ": a table is read once, whatever runs" : "");
		return RN_EXIT_USAGE;
	}
	if (options->npids && !live) {
		rn_say("runnel: -p goes with a query of live events; %s has none\n", script->name);
		return RN_EXIT_USAGE;
	}
	return RN_EXIT_OK;
}

/* Tell that the system refused, after what is known of the text. */
static int refused(struct rn_session *s, const struct rn_err *err)
{
	rn_complain(s, err);
	return RN_EXIT_SYSTEM;
}

static int check_deferred(struct unit *n, struct rn_statement *job)
{
	struct rn_diag *d;
	struct rn_err err = {0};

	rn_script_check_deferred(&n->script, job, &d, &err);
	return report(n, d);
}

static int run_view(struct unit *n, const struct rn_statement *job)
{
	struct rn_diag *d;
	struct rn_err err = {0};
	int code = rn_statement_store(&n->script, job, &d, &err);

	if (code)
		return code < 0 ? refused(n->session, &err) : report(n, d);
	for (unsigned i = 0; i < job->nchanges && !n->session->opt->quiet; i++) {
		if (job->change[i].outcome != RN_VIEW_NOT_SAVED)
			rn_say("view %s %s\n", job->change[i].name,
			       job->change[i].text ? "saved" : "dropped");
	}
	return RN_EXIT_OK;
}

/* Print which nodes of the hosts file a query would ask. */
static void explain_nodes(const struct rn_session *session, const struct rn_plan *plan)
{
	const struct rn_hosts *hosts = session->engine->hosts;
	const char *sep = "asks ";

	while (plan->child)
		plan = plan->child;
	for (unsigned i = 0; hosts && !plan->from && !plan->given && i < hosts->n; i++) {
		const struct rn_host_entry *entry = &hosts->entries[i];

		if (!rn_host_chosen(entry->name, entry->group, entry->local, plan->nodes) &&
		    entry->kind != RN_HOST_RELAY)
			continue;
		fprintf(session->to, "%s%s%s", sep, entry->name,
			entry->kind == RN_HOST_RELAY ? " (a relay)" : "");
		sep = ", ";
	}
	if (sep[0] == ',')
		fprintf(session->to, ", of %s\n", hosts->path);
}

static int run_explain(struct unit *n, const struct rn_statement *job)
{
	struct rn_err err = {0};
	bool paged;
	struct rn_terminal term;
	char *text;

	if (rn_session_output(n->session, n->script.traces, &err))
		return refused(n->session, &err);
	n->explained = true;
	paged = rn_session_page(n->session);
	explain_nodes(n->session, job->plan);
	term = n->session->to_term;
	if (!paged)
		rn_terminal_query(&term, n->session->to);
	text = rn_text_safe(rn_plan_explain(n->session->engine, n->script.arena, job->plan));
	rn_text_wrap(n->session->to, text, term.width, 4);
	free(text);
	if (paged)
		rn_session_unpage(n->session);
	return RN_EXIT_OK;
}

/* ---- statements that show rows, keep them, or judge them ---- */

static int no_row(void *self, const struct rn_value *v)
{
	(void)self;
	(void)v;
	return 0;
}

static const struct rn_output nowhere = {.row = no_row};

/* Would rows go to the file of `format F to "FILE"` anyway? A file that gets no rows must not be
 * opened: that would empty it. */
static bool goes_anyway(const struct rn_session *s, const char *path)
{
	if (!s->opt->output)
		return false;
	return s->to != stdout ? rn_output_is(s->to, path) : rn_out_same(s->opt->output, path);
}

static int run_query(struct unit *n, const struct rn_statement *job)
{
	const struct rn_ast_stmt *st = job->stmt;
	struct rn_how how = {.format = st->format ? rn_format_find(st->format) : NULL,
			     .path = st->format_to,
			     .outputs = &n->outputs,
			     .diag = job->diag,
			     .text = &n->script};
	struct rn_err err = {0};

	if (how.path && goes_anyway(n->session, how.path)) {
		if (rn_session_output(n->session, n->script.traces, &err))
			return refused(n->session, &err);
		how.path = NULL;
	}
	return rn_query_run(n->session, n->script.arena, job->plan, &how);
}

/* Tell that the user ended it halfway: nobody should take the part for the whole. */
static int interrupted(const struct unit *n, const char *what, const char *name)
{
	if (!n->session->opt->quiet)
		rn_say("runnel: interrupted: %s %s\n", name, what);
	return n->session->answered ? RN_EXIT_OK : RN_EXIT_INTERRUPTED;
}

static int run_let(struct unit *n, const struct rn_statement *job)
{
	struct rn_let_result *rows = rn_let_begin(job);
	const char *name = job->stmt->name;
	struct rn_how how = {.out = &nowhere,
			     .keep = rows,
			     .about = rn_arena_printf(n->script.arena, "let %s", name),
			     .diag = job->diag,
			     .text = &n->script};
	int status = rn_query_run(n->session, n->script.arena, job->plan, &how);
	char buf[32];
	bool stopped = *rn_signals_stop(),
	     there = !stopped && (status == RN_EXIT_OK || status == RN_EXIT_INCOMPLETE);

	if (!there)
		rn_let_result_destroy(rows);
	else
		rn_let_done(&n->script, job, rows);
	/* at the prompt nothing else tells about it */
	if (there && (n->session->opt->verbose || (n->session->pager && !n->session->opt->quiet)))
		rn_say("let %s: %s row%s\n", name,
		       rn_text_commas(buf, (long long)rn_let_result_rows(rows)),
		       rn_let_result_rows(rows) == 1 ? "" : "s");
	if (stopped) { /* nothing is shown after it: the text ends */
		n->ended = true;
		return interrupted(n, "keeps nothing", how.about);
	}
	return status;
}

static void say_holds(const struct unit *n, const struct rn_statement *job)
{
	unsigned line, col;

	rn_diag_where(n->script.diag, job->stmt->span, &line, &col);
	rn_say("%s:%u:%u: holds: %s\n", n->script.name, line, col, job->text);
}

static int run_assert(struct unit *n, const struct rn_statement *job)
{
	struct rn_output out = rn_assert_output(job->assertion);
	struct rn_how how = {
		.out = &out, .about = "an assertion", .diag = job->diag, .text = &n->script};
	struct rn_diag *diag;
	int status = rn_query_run(n->session, n->script.arena, job->plan, &how);

	if (status != RN_EXIT_OK && status != RN_EXIT_INCOMPLETE)
		return status;
	/* the answer so far is not whole, so the assertion is undecided */
	if (*rn_signals_stop()) {
		interrupted(n, "was not decided", how.about);
		return RN_EXIT_INTERRUPTED;
	}
	if (!rn_assert_holds(&n->script, job, &diag))
		return report(n, diag);
	if (!how.complete)
		fputs(rn_session_diag(n->session, rn_assert_doubt(&n->script, job),
				      n->script.arena),
		      stderr);
	else if (n->session->opt->verbose)
		say_holds(n, job);
	n->session->answered = true;
	return status;
}

static int run_job(struct unit *n, struct rn_statement *job)
{
	bool explain = n->session->opt->explain;

	if (job->deferred) {
		int status = check_deferred(n, job);

		if (status)
			return status;
	}
	switch (job->stmt->kind) {
	case RN_STMT_VIEW:
	case RN_STMT_DROP: return explain ? RN_EXIT_OK : run_view(n, job);
	case RN_STMT_QUERY: return explain ? run_explain(n, job) : run_query(n, job);
	case RN_STMT_LET: return explain ? run_explain(n, job) : run_let(n, job);
	case RN_STMT_ASSERT: return explain ? run_explain(n, job) : run_assert(n, job);
	case RN_STMT_EXPLAIN: return run_explain(n, job);
	case RN_STMT_TAGS:
		return explain ? RN_EXIT_OK : rn_tags_run(n->session, &n->script, job->stmt);
	case RN_STMT_PARAM:
	case RN_STMT_USE: break;
	}
	return RN_EXIT_OK;
}

/* A stage is over: make its dump, if that was asked for. */
static bool on_stage(void *self, const struct rn_compiled *compiled, enum rn_dump_stage_id id,
		     struct rn_err *err)
{
	struct unit *n = self;
	const struct rn_options *options = n->session->opt;

	if (options->dump & (1u << id)) {
		const char *text = rn_dump_stages[id].print(compiled, err);
		size_t len;

		if (!text)
			return false;
		/* several dumps of one query: each under its name */
		if (options->dump & (options->dump - 1))
			fprintf(n->dumps, "-- %s\n", rn_dump_stages[id].name);
		fputs(text, n->dumps);
		len = strlen(text);
		if (len && text[len - 1] != '\n')
			putc('\n', n->dumps);
	}
	return options->stop_after != (int)id;
}

/* True: that was all. */
static bool dump_tokens(struct unit *n)
{
	const struct rn_options *o = n->session->opt;
	const char *text;

	if (!(o->dump & 1u << RN_STAGE_TOKENS) && o->stop_after != RN_STAGE_TOKENS)
		return false;
	text = rn_dump_tokens(n->script.arena, n->script.diag,
			      n->script.src); /* also called for its errors */
	if (o->dump & 1u << RN_STAGE_TOKENS)
		fputs(text, n->dumps);
	return o->stop_after == RN_STAGE_TOKENS || o->dump == 1u << RN_STAGE_TOKENS;
}

/* Show the dumps, of a wrong text too. But a wrong text leaves the file of -O as it was. */
static int show_dumps(struct unit *n, int status)
{
	struct rn_err err = {0};

	if (fclose(n->dumps))
		abort();
	if ((status || !n->ndumped) && n->session->opt->output)
		return status;
	if (rn_session_output(n->session, n->script.traces, &err))
		return refused(n->session, &err);
	fwrite(n->dumped, 1, n->ndumped, n->session->to);
	return status;
}

/* Check the text and tell its errors; *err: what the system refused. */
static int check(struct unit *n, bool stages, struct rn_err *err)
{
	int status;

	if (dump_tokens(n) || !rn_script_parse(&n->script))
		return report(n, n->script.diag);
	status = check_params(n);
	if (status)
		return status;
	if (rn_script_check(&n->script, err) && !stages && !n->session->opt->explain &&
	    rn_script_check_nodes(&n->script))
		rn_script_check_into(&n->script);
	check_formats(n);
	return report(n, n->script.diag);
}

static int run_unit(struct unit *n)
{
	const struct rn_options *options = n->session->opt;
	struct rn_err err = {0};
	bool stages = options->dump || options->stop_after >= 0;
	int status;

	if (stages && !(n->dumps = open_memstream(&n->dumped, &n->ndumped)))
		abort();
	status = check(n, stages, &err);
	if (err.code)
		status = refused(n->session, &err);
	if (stages)
		status = show_dumps(n, status);
	free(n->dumped);
	if (status || stages)
		return status;
	if (!options->explain)
		status = check_scope(n);
	for (unsigned i = 0; i < n->script.njobs && !status && !n->ended; i++) {
		if (*rn_signals_stop())
			return n->session->answered ? RN_EXIT_OK : RN_EXIT_INTERRUPTED;
		status = run_job(n, &n->script.jobs[i]);
	}
	if (options->explain && n->script.njobs && !status && !n->explained && !options->quiet)
		rn_say("there is nothing to explain: only a query has a plan; that of a view: "
		       "explain events of VIEW\n");
	return status;
}

int rn_run_text(struct rn_session *session, const char *name, const char *text, size_t len)
{
	struct unit n = {.session = session};
	int status;
	struct rn_err err;

	rn_script_open(&n.script, session->engine, name, text, len, session->opt->params);
	n.script.stage = on_stage;
	n.script.stage_self = &n;
	n.script.ends = session->opt->command || session->opt->npids;
	n.script.names.scope = session->opt->command ? "-c" : session->opt->npids ? "-p" : NULL;
	n.script.names.no_clean_cache = session->opt->no_clean_cache;
	n.script.names.max_functions = session->opt->max_functions;
	status = run_unit(&n);
	err = (struct rn_err){0};
	if (rn_outputs_close(&n.outputs, &err) && !status)
		status = refused(session, &err);
	rn_script_close(&n.script);
	return status;
}
