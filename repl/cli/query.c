/* query.c - runs one planned query: which processes it is about, where rows go, when it ends, its
 * exit status. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/syntax/print.h"
#include "repl/terminal/child.h"
#include "repl/render/ledger.h"
#include "repl/engine/pid_watch.h"
#include "repl/engine/record.h"
#include "repl/out/files.h"
#include "repl/out/progress.h"
#include "repl/cli/query.h"
#include "repl/cli/commands.h"
#include "repl/cli/session.h"
#include "repl/terminal/signals.h"

enum { REFRESH_NS = 500 * 1000 * 1000 };

struct run { /* of one query */
	struct rn_session *session;
	FILE *to; /* rows */
	struct rn_printer *printer;
	struct rn_child *child;
	struct rn_pid_watch *watch;
	struct rn_progress progress;
	bool started, live, paged;
	bool refreshes; /* the answer is a table that is redrawn in place */
	bool waits;     /* say on the terminal which nodes the query waits for */
	const struct rn_continuous *keeping; /* NULL: it is run once */
};

static void tell_attached(const struct rn_engine *engine)
{
	const struct rn_provider *p = engine->provider;
	const char *hooks = p && p->ops->hooks ? p->ops->hooks(p->self, NULL, NULL) : NULL;

	fputs("attached\n", stderr);
	if (hooks)
		rn_say("%s\n", hooks);
}

/* Tell scripts that wait for the probes to be attached. */
static void tell_started(const struct rn_session *s)
{
	struct rn_fleet_status at = {0};

	if (s->engine->fleet)
		rn_fleet_status(s->engine->fleet, &at);
	if (at.nodes)
		rn_say("attached: %u of %u node%s\n", at.attached, at.nodes,
		       at.nodes == 1 ? "" : "s");
	else
		tell_attached(s->engine);
}

static int on_started(void *self)
{
	struct run *r = self;

	if (r->session->opt->verbose && !r->started)
		tell_started(r->session);
	if (r->keeping && r->keeping->begun && !r->started)
		r->keeping->begun(r->keeping->self);
	r->started = true;
	rn_progress_erase(&r->progress); /* the wait for nodes is over */
	if (r->child)
		rn_child_go(r->child);
	return 0;
}

static int on_poll(void *self)
{
	struct run *r = self;

	if (r->printer)
		rn_printer_tick(r->printer);
	if (ferror(r->to)) /* nobody reads the rows any more */
		return 1;
	return (r->child && rn_child_exited(r->child)) || rn_pid_watch_ended(r->watch);
}

static int on_window(void *self, const struct rn_window_end *w)
{
	struct run *r = self;
	char *told = NULL;
	int code = r->keeping->window(r->keeping->self, w, &told);

	rn_printer_tell(r->printer, told);
	return code;
}

static void on_progress(void *self, const struct rn_fleet_status *s)
{
	struct run *r = self;
	int n;

	if (s->waits) {
		if (r->waits)
			rn_progress_show(&r->progress, s);
		return;
	}
	if (!r->refreshes && !(r->printer && r->printer->in_place && r->printer->rows)) {
		rn_progress_show(&r->progress, s);
		return;
	}
	n = rn_progress_nodes(r->printer->note, sizeof(r->printer->note), s);
	if (n > 2)
		r->printer->note[n - 2] = 0; /* nothing follows it */
}

static void on_first(void *self, int64_t first_ns)
{
	struct run *r = self;

	rn_progress_first(&r->progress, first_ns);
}

/* Draw the line of progress? Yes on a terminal without -q that neither a command nor a refreshing
 * table writes to. */
static bool wants_progress(struct run *r, const struct rn_plan *p)
{
	const struct rn_session *s = r->session;

	if (r->keeping)
		return false;
	r->refreshes = r->printer && r->printer->out.snapshot && p->frag.grouped && !p->every_ns &&
		       rn_plan_is_live(p);
	return s->err_term.inplace && !s->opt->quiet && !r->child && !r->refreshes;
}

/* Run the plan with its rows to out, and with progress if that is wanted. */
static int run_plan(struct run *r, struct rn_arena *arena, struct rn_plan *plan,
		    const struct rn_run_opts *opts, const struct rn_output *out,
		    struct rn_ledgers *ledgers, struct rn_err *err)
{
	struct rn_run_opts own = *opts;
	struct rn_output through;
	bool wants = wants_progress(r, plan);
	int code;

	r->waits = own.fleet && r->session->err_term.inplace && !r->session->opt->quiet;
	if (!wants && !r->waits) {
		if (r->refreshes && own.fleet)
			own.progress = on_progress;
		return rn_coord_run(arena, plan, &own, out, ledgers, err);
	}
	r->progress = (struct rn_progress){.groups = plan->frag.grouped,
					   .apart = !r->printer || !r->printer->term.tty,
					   .waits = !wants};
	through = rn_progress_output(&r->progress, out, &r->session->err_term);
	own.progress = on_progress;
	own.first = on_first;
	code = rn_coord_run(arena, plan, &own, &through, ledgers, err);
	rn_progress_erase(&r->progress);
	return code;
}

/* ---- running ---- */

struct recorded {
	struct run *run;
	const struct rn_run_opts *opts;
}; /* `into "x.rnt"` */

static int run_recorded(void *self, struct rn_arena *a, struct rn_plan *p,
			const struct rn_output *out, struct rn_ledgers *l, struct rn_err *err)
{
	const struct recorded *c = self;

	return run_plan(c->run, a, p, c->opts, out, l, err);
}

static int record(struct run *r, struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		  struct rn_ledgers *l, struct rn_err *err)
{
	char buf[32];
	int64_t rows;
	int code = rn_record(a, p, run_recorded, &(struct recorded){r, o}, l, &rows, err);

	if (!code && !r->session->opt->quiet && !r->session->opt->format->json_ledger)
		rn_say("%s row%s recorded in %s\n", rn_text_commas(buf, rows), rows == 1 ? "" : "s",
		       p->into);
	return code;
}

static bool reader_left(FILE *f)
{
	struct pollfd p = {.fd = fileno(f), .events = POLLOUT};

	return ferror(f) && poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* Tell a status that is not 0: the status of runnel may hide it, or be taken for it. If the command
 * could not be started, the command line is wrong, and -q does not silence that. */
static void report_child(const struct run *r, int st)
{
	int sig = rn_child_signal(r->child);

	if (st <= 0 || (r->session->opt->quiet && st != 126 && st != 127))
		return;
	if (sig)
		rn_say("runnel: the command of -c was ended by signal %d (%s)\n", sig,
		       strsignal(sig));
	else
		rn_say("runnel: the command of -c ended with status %d\n", st);
}

/* Take the command's status as the program's. A command that still runs when the query ends has
 * none. End it here: the query wanted no more (0), or somebody has interrupted both. */
static void end_child(struct run *r)
{
	bool over;
	int st;

	if (!r->child)
		return;
	over = rn_child_exited(r->child);
	st = rn_child_status(r->child);
	if (over)
		report_child(r, st);
	r->session->command_status = over                 ? st
				     : *rn_signals_stop() ? RN_EXIT_INTERRUPTED
							  : RN_EXIT_OK;
	rn_child_destroy(r->child);
}

void rn_ledger_print(FILE *f, const struct rn_ledgers *ledgers, const struct rn_options *options)
{
	struct rn_terminal term;
	char *text = NULL;
	size_t n;
	FILE *lines;
	char *safe;

	if (options->quiet)
		return;
	rn_terminal_query(&term, f);
	if (options->format->json_ledger) {
		rn_ledger_write_json(f, ledgers);
		return;
	}
	lines = open_memstream(&text, &n);
	if (!lines)
		abort();
	rn_ledger_write(lines, ledgers, options->verbose);
	(void)fclose(lines);
	/* names of nodes and their reasons come from other machines */
	safe = rn_text_safe(text);
	if (term.width)
		rn_text_wrap(f, safe, term.width, 2);
	else
		fputs(safe, f);
	free(safe);
	free(text);
}

/* Open the output for rows, once all else about the query is checked. */
static int open_output(struct run *r, const struct rn_how *how, bool recorded, struct rn_err *err)
{
	int code = how->path || how->out || recorded
			   ? 0
			   : rn_session_output(r->session, how->text->traces, err);

	r->to = how->path ? rn_outputs_open(how->outputs, how->path, err) : r->session->to;
	return r->to ? code : err->code;
}

static bool reads_recording(const struct rn_plan *plan)
{
	while (plan && !plan->from)
		plan = plan->child;
	return plan;
}

/* Are these windows, which a terminal shows one over the other? */
static bool redraws(const struct run *r, const struct rn_plan *plan, const struct rn_terminal *term)
{
	return r->live && term->inplace && !r->child && !r->session->opt->verbose &&
	       rn_plan_windowed(plan);
}

/* The query as it was written, in one line. */
static const char *text_of(struct rn_arena *arena, const struct rn_script *script,
			   const struct rn_ast_query *query)
{
	char *text;

	if (query->span.src != script->src || query->span.end > script->len)
		return rn_print_query(arena, query);
	text = rn_arena_strndup(arena, script->text + query->span.start,
				query->span.end - query->span.start);
	for (char *c = text; *c; c++)
		if (strchr("\n\t", *c))
			*c = ' ';
	return text;
}

/* All columns of `* of` are too many for a line of a terminal: each gets a line of its own. */
static struct rn_printer *make_printer(const struct run *r, const struct rn_how *how,
				       const struct rn_plan *plan, struct rn_arena *arena)
{
	const struct rn_session *s = r->session;
	const struct rn_format *format = how->format ? how->format : s->opt->format;
	bool tty = !how->path && (s->to_term.tty || isatty(fileno(r->to)));
	struct rn_terminal term = s->to_term;
	struct rn_printer *p;

	if (tty && !term.tty)
		rn_terminal_query(&term, r->to);
	tty &= format == rn_format_find(NULL);
	if (tty && plan->query->all)
		p = rn_printer_expanded(r->to);
	else if (tty && redraws(r, plan, &term))
		p = rn_printer_windows(r->to, plan,
				       r->keeping ? s->opt->subject
						  : text_of(arena, how->text, plan->query));
	else
		p = rn_printer_create(format, r->to);
	if (!how->path && s->to_term.tty)
		p->term = s->to_term;
	p->one_node = !s->engine->fleet && !reads_recording(plan);
	p->numbers = s->opt->verbose;
	return p;
}

/* Print the ledger of a let or an assertion only with -v, or if the answer is incomplete. */
static void tell_ledger(const struct rn_session *s, struct rn_ledgers *l, const struct rn_how *how)
{
	if (how->about && how->complete && !s->opt->verbose)
		return;
	l->about = how->about;
	rn_ledger_print(stderr, l, s->opt);
}

/* Show an error about something in the query with its line. */
static void complain(const struct rn_session *s, struct rn_arena *a, const struct rn_how *how,
		     const struct rn_err *err)
{
	const char *text;

	if (how->diag)
		rn_diag_fit(how->diag, s->err_term.width);
	text = how->diag ? rn_diag_render_err(how->diag, a, err, s->err_term.color) : NULL;
	if (text)
		fputs(text, stderr);
	else
		rn_complain(s, err);
}

static const struct rn_format *format_of(const struct run *r, const struct rn_how *how)
{
	return how->format ? how->format : r->session->opt->format;
}

/* Text for another program would only fill a terminal. */
static int check_terminal(const struct run *r, const struct rn_how *how, struct rn_err *err)
{
	const struct rn_format *f = format_of(r, how);

	if (f->kind != RN_FORMAT_PROGRAM || how->path || !isatty(fileno(r->to)))
		return 0;
	rn_err_set(err, -EINVAL, "%s is for a file, not for a terminal", f->name);
	rn_err_hint(err,
		    "name one: `runnel -o %s -O flow.%s 'QUERY'`, or `format %s to "
		    "\"flow.%s\"` behind the query; `-o timeline` is for terminals",
		    f->name, f->name, f->name, f->name);
	return -EINVAL;
}

/* All that can be refused, or fail, before anything runs. */
static int prepare(struct run *r, struct rn_plan *p, const struct rn_how *how, struct rn_err *err)
{
	const struct rn_options *opt = r->session->opt;
	int code = rn_plan_nodes_known(r->session->engine, p, err);

	if (!code)
		code = rn_check_no_overwrite(how->text, p, how->path ? how->path : opt->output,
					     err);
	/* before the file is opened, and so emptied */
	if (!code && !p->into && !how->out &&
	    rn_printer_refuses(format_of(r, how), p->out, p->nout, err))
		code = err->code;
	if (!code)
		code = open_output(r, how, p->into != NULL, err);
	if (!code && !p->into && !how->out)
		code = check_terminal(r, how, err);
	if (!code && opt->npids && r->live)
		code = rn_pid_watch_create(opt->pids, opt->npids, &r->watch, err);
	if (!code && opt->command && r->live)
		code = rn_child_create(opt->command, &r->session->files, &r->child, err);
	return code;
}

/* Draws the picture, and tells where a browser finds it. */
static void draw(const struct run *r, const struct rn_how *how, const struct rn_ledgers *ledgers)
{
	const struct rn_options *opt = r->session->opt;
	const struct rn_format *f = format_of(r, how);
	const char *path = how->path ? how->path : r->to != stdout ? opt->output : NULL;
	char *whole = path ? realpath(path, NULL) : NULL;

	r->printer->finish(r->printer, ledgers);
	if (whole && f->kind == RN_FORMAT_PROGRAM && !opt->quiet && !r->keeping)
		rn_say("file://%s\n", whole);
	free(whole);
}

/* Opens the pager and the printer, and runs the plan with its rows to them. */
static int run_shown(struct run *r, struct rn_arena *arena, struct rn_plan *plan,
		     struct rn_how *how, struct rn_ledgers *ledgers, struct rn_err *err)
{
	struct rn_session *session = r->session;
	const struct rn_options *opt = session->opt;
	struct rn_scope scope = {.pids = opt->pids, .npids = opt->npids, .follow = opt->npids > 0};
	struct rn_node node = {.name = session->engine->node,
			       .provider = session->engine->provider};
	struct rn_run_opts opts = {.scope = &scope,
				   .nodes = &node,
				   .nnodes = 1,
				   .fleet = session->engine->fleet,
				   .catalog = session->engine->catalog,
				   .keep = how->keep,
				   .stop = rn_signals_stop(),
				   .started = on_started,
				   .started_self = r,
				   .done = on_poll};
	bool shown = !plan->into && !how->out;
	int32_t child_pid;
	int code;

	if (r->child) {
		/* a reader that leaves early must not leave the command running */
		(void)signal(SIGPIPE, SIG_IGN);
		child_pid = rn_child_pid(r->child);
		scope = (struct rn_scope){.pids = &child_pid, .npids = 1, .follow = true};
	}
	r->paged = !r->live && shown && !how->path && rn_session_page(session);
	if (r->paged)
		r->to = session->to;
	if (shown)
		r->printer = make_printer(r, how, plan, arena);
	if (r->keeping)
		opts.window = r->keeping->window ? on_window : NULL;
	else if (r->printer && r->printer->out.snapshot && !r->child)
		opts.refresh_ns = REFRESH_NS;
	code = plan->into ? record(r, arena, plan, &opts, ledgers, err)
			  : run_plan(r, arena, plan, &opts,
				     r->printer ? &r->printer->out : how->out, ledgers, err);
	if (code && r->printer && r->printer->err.code)
		*err = r->printer->err;
	if (!code && r->printer && r->printer->finish)
		draw(r, how, ledgers);
	if (!code && r->printer)
		rn_rows_count(session, r->printer, plan);
	if (!code && (fflush(r->to) || ferror(r->to)))
		code = rn_err_set(err, -EIO, "cannot write the rows: %s", strerror(errno));
	return code;
}

/* End what was begun. Return the code that is left to report. */
static int finish(struct run *r, int code)
{
	end_child(r);
	rn_pid_watch_destroy(r->watch);
	if (r->paged && rn_session_unpage(r->session) && (code == -EIO || code == 1))
		code = 0; /* the reader has seen enough */
	/* now end as programs do when their reader has left */
	if (code && r->child && reader_left(r->to)) {
		(void)signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return code;
}

/* Tells of the answer what its rows do not say. Returns the exit status. */
static int conclude(const struct run *r, struct rn_arena *arena, const struct rn_plan *plan,
		    struct rn_how *how, struct rn_ledgers *ledgers)
{
	const struct rn_plan *leaf = plan;

	while (leaf->child)
		leaf = leaf->child;
	ledgers->pairs = leaf->frag.ends;
	ledgers->functions = rn_class_of_functions(leaf->frag.cls->name);
	ledgers->first_has_where = leaf->frag.ends && leaf->frag.ends[0].nwhere;
	r->session->answered |= !how->out;
	how->complete = rn_ledger_complete(ledgers);
	if (r->printer) {
		rn_rows_none(r->session, r->printer, plan, ledgers, arena);
		rn_rows_hidden(r->session, r->printer);
	}
	tell_ledger(r->session, ledgers, how);
	return r->session->opt->strict && !how->complete ? RN_EXIT_INCOMPLETE : RN_EXIT_OK;
}

int rn_query_run(struct rn_session *session, struct rn_arena *arena, struct rn_plan *plan,
		 struct rn_how *how)
{
	struct run r = {.session = session,
			.to = session->to,
			.keeping = how->keeping,
			.live = rn_plan_is_live(plan)};
	struct rn_err err = {0};
	struct rn_ledgers ledgers = {0};
	int code = prepare(&r, plan, how, &err), status;

	rn_signals_keep_writes(true);
	if (!code)
		code = run_shown(&r, arena, plan, how, &ledgers, &err);
	code = finish(&r, code);
	rn_signals_keep_writes(false);
	if (*rn_signals_stop() && (code ? code == -EINTR : r.live && !r.started)) {
		status = RN_EXIT_INTERRUPTED;
	} else if (code) {
		rn_plan_explain_refusal(session->engine, plan, &err);
		complain(session, arena, how, &err);
		status = RN_EXIT_SYSTEM;
	} else {
		status = conclude(&r, arena, plan, how, &ledgers);
	}
	rn_printer_destroy(r.printer);
	return status;
}
