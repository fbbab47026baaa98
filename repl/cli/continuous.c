/* continuous.c - a view that is kept running, for watch.c and prometheus.c. A view that counts
 * events runs once, in windows. A view of a table is queried again at each turn; its rows get the
 * start of that turn's window. Rows of events come as they are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "exec/fleet/fleet.h"
#include "repl/engine/continuous.h"
#include "repl/render/ledger.h"
#include "repl/engine/record.h"
#include "repl/cli/query.h"
#include "repl/cli/session.h"
#include "repl/terminal/signals.h"
#include "lang/base/limits.h"
#include "lang/base/clock.h"

enum { EVERY_NS = 1000000000, NAP_NS = 50 * 1000 * 1000 };

/* ---- a view of a table ---- */

struct turns {
	struct rn_session *session;
	struct rn_continuous *continuous;
	const struct rn_output *to;
	struct rn_printer *printer; /* NULL: rows go elsewhere */
	struct rn_output out;       /* of one turn */
	bool begun;
	struct rn_ledger sum; /* of all turns */
};

static int turn_begin(void *self, const struct rn_answer_shape *r)
{
	struct turns *t = self;

	if (t->begun)
		return 0;
	t->begun = true;
	return t->to->begin ? t->to->begin(t->to->self, r) : 0;
}

static int turn_row(void *self, const struct rn_value *v)
{
	struct turns *t = self;

	return t->to->row(t->to->self, v);
}

static void turn_other(void *self, int column)
{
	struct turns *t = self;

	t->to->other(t->to->self, column);
}

/* Read the table once; *l, in u's arena, gets its ledger. */
static int turn(struct turns *t, struct rn_script *u, struct rn_plan *p, int64_t window_ns,
		struct rn_ledgers *l, struct rn_err *err)
{
	struct rn_engine *e = t->session->engine;
	struct rn_scope scope = {0};
	struct rn_node node = {.name = e->node, .provider = e->provider};
	struct rn_run_opts o = {.scope = &scope,
				.nodes = &node,
				.nnodes = 1,
				.fleet = e->fleet,
				.catalog = e->catalog,
				.stop = rn_signals_stop(),
				.turn_ns = window_ns};

	return rn_coord_run(u->arena, p, &o, &t->out, l, err);
}

/* Makes ledgers of nodes when none was reached. */
struct unreached {
	struct rn_arena *arena;
	struct rn_ledgers *ledgers;
};

static void add_unreached(void *self, const struct rn_host_entry *h, bool reached, const char *why)
{
	struct unreached *x = self;
	struct rn_ledger *more = RN_NEWN(x->arena, struct rn_ledger, x->ledgers->n + 1);

	(void)reached;
	if (x->ledgers->n)
		memcpy(more, x->ledgers->nodes, x->ledgers->n * sizeof(*more));
	more[x->ledgers->n++] = (struct rn_ledger){
		.node = h->name,
		.why = rn_arena_strdup(x->arena, *why ? why : "it does not answer")};
	x->ledgers->nodes = more;
}

static void nobody(struct rn_fleet *f, struct rn_arena *a, struct rn_ledgers *l)
{
	*l = (struct rn_ledgers){0};
	rn_fleet_members(f, add_unreached, &(struct unreached){a, l});
}

/* Report a turn as a window: its nodes are those that have a ledger. */
static int tell_turn(struct turns *t, struct rn_arena *a, const struct rn_ledgers *l,
		     int64_t mark_ns)
{
	struct rn_window_node *node = RN_NEWN(a, struct rn_window_node, l->n + 1);
	char *told = NULL;
	int code;

	for (unsigned i = 0; i < l->n; i++) {
		node[i] = (struct rn_window_node){l->nodes[i].node, 1, l->nodes[i].answered,
						  l->nodes[i].why};
		rn_ledger_add(&t->sum, &l->nodes[i]);
	}
	if (!t->continuous->window)
		return 0;
	code = t->continuous->window(t->continuous->self,
				     &(struct rn_window_end){mark_ns, &t->sum, node, l->n}, &told);
	rn_printer_tell(t->printer, told);
	return code;
}

/* Wait until ns; false: asked to end. */
static bool wait_until(struct turns *t, int64_t ns)
{
	for (int64_t left; !*rn_signals_stop() && (left = ns - rn_epoch_ns()) > 0;) {
		struct timespec nap = {0, left < NAP_NS ? left : NAP_NS};

		nanosleep(&nap, NULL);
		if (t->printer)
			rn_printer_tick(t->printer);
		if (ferror(t->session->to))
			return false;
	}
	return !*rn_signals_stop();
}

static struct rn_plan *compile(struct rn_session *s, struct rn_script *u, const char *text,
			       int *status);

/* Opens the output of all turns with the plan of the first. */
static void open_turns(struct turns *t, const struct rn_plan *p)
{
	struct rn_session *s = t->session;
	struct rn_terminal term;

	if (t->out.self)
		return;
	rn_terminal_query(&term, s->to);
	if (!t->to) {
		t->printer =
			term.inplace && !s->opt->verbose && s->opt->format == rn_format_find(NULL)
				? rn_printer_windows(s->to, p, s->opt->subject)
				: rn_session_printer(s);
		t->printer->one_node = !s->engine->fleet;
		t->to = &t->printer->out;
	}
	t->out = (struct rn_output){.self = t,
				    .begin = turn_begin,
				    .row = turn_row,
				    .other = t->to->other ? turn_other : NULL};
}

/* Compile the text again for each turn, because sets and constants of a plan hold old values. */
static int run_turns(struct rn_session *session, struct rn_continuous *continuous, const char *text,
		     int64_t every_ns)
{
	struct turns t = {.session = session, .continuous = continuous, .to = continuous->out};
	struct rn_err err = {0};
	int status = RN_EXIT_OK, code = 0;
	bool complete = true;

	if (continuous->begun)
		continuous->begun(continuous->self);
	for (bool more = true; more && !status && !code;) {
		struct rn_script script;
		struct rn_ledgers ledgers = {0};
		int64_t window_ns = rn_epoch_ns() / every_ns * every_ns;
		struct rn_plan *p = compile(session, &script, text, &status);

		if (p && continuous->plan)
			continuous->plan(continuous->self, p, every_ns);
		if (p)
			open_turns(&t, p);
		code = p ? turn(&t, &script, p, window_ns, &ledgers, &err) : 0;
		/* a node was there before, and may be again */
		if (code == -EHOSTUNREACH && session->engine->fleet && t.begun) {
			nobody(session->engine->fleet, script.arena, &ledgers);
			err = (struct rn_err){0};
			code = 0;
		}
		complete &= rn_ledger_complete(&ledgers);
		if (!code && p)
			code = tell_turn(&t, script.arena, &ledgers, window_ns + every_ns);
		more = !status && !code && wait_until(&t, window_ns + every_ns);
		if (!status && !code && !more)
			rn_ledger_print(stderr, &ledgers, session->opt);
		rn_script_close(&script);
	}
	if (!code && t.begun && t.to->end)
		t.to->end(t.to->self);
	rn_printer_destroy(t.printer);
	if (code < 0 && !(code == -EINTR && *rn_signals_stop())) {
		rn_complain(session, &err);
		return RN_EXIT_SYSTEM;
	}
	return status                              ? status
	       : session->opt->strict && !complete ? RN_EXIT_INCOMPLETE
						   : RN_EXIT_OK;
}

/* ---- any view ---- */

static int report(const struct rn_session *s, const struct rn_script *u)
{
	unsigned errors = rn_diag_errors(u->diag);

	if (errors || (rn_diag_first(u->diag) && !s->opt->quiet))
		fputs(rn_session_diag(s, u->diag, u->arena), stderr);
	return !errors                             ? RN_EXIT_OK
	       : rn_script_system_refused(u->diag) ? RN_EXIT_SYSTEM
						   : RN_EXIT_QUERY;
}

/* Compile the text; return the plan of its last statement. NULL: *status is set, and the reason is
 * on stderr. The caller closes script in any case. */
static struct rn_plan *compile(struct rn_session *session, struct rn_script *script,
			       const char *text, int *status)
{
	struct rn_err err = {0};
	bool right;

	rn_script_open(script, session->engine, "view", text, strlen(text), NULL);
	script->names.scope = session->opt->npids ? "-p" : NULL;
	script->names.no_clean_cache = session->opt->no_clean_cache;
	script->names.max_functions = session->opt->max_functions;
	script->every_ns = session->opt->every_ns ? session->opt->every_ns : EVERY_NS;
	script->every_asked = session->opt->every_ns > 0;
	right = rn_script_parse(script) && rn_script_check(script, &err) &&
		rn_script_check_nodes(script);
	if (!right)
		rn_continuous_as_typed(script, session->opt->subject, session->opt->params);
	*status = report(session, script);
	if (err.code) {
		rn_complain(session, &err);
		*status = RN_EXIT_SYSTEM;
	}
	return right && !*status ? script->jobs[script->njobs - 1].plan : NULL;
}

static int64_t window_length(const struct rn_plan *p)
{
	return p->every_ns || !p->child ? p->every_ns : window_length(p->child);
}

/* Is the number of rows in a window of p bounded? Processes and groups are limited in number;
 * events are not. */
static bool has_bounds(const struct rn_plan *p)
{
	for (; p; p = p->child) {
		if (p->kind == RN_PLAN_GROUPS || p->limit >= 0 ||
		    (!p->child && p->frag.cls->kind == RN_CLASS_TABLE))
			return true;
	}
	return false;
}

/* Why its windows make no series of numbers, with the way out; NULL: they make one. */
static const char *no_series(const struct rn_plan *p, enum rn_continuous_kind kept)
{
	if (kept == RN_CONTINUOUS_ROWS)
		return "the view gives rows as they come: there is no latest window of it\n"
		       "  count them: view NAME := count of VIEW by KEY";
	for (; kept == RN_CONTINUOUS_WINDOWS && p && p->kind != RN_PLAN_GROUPS; p = p->child) {
		if (p->kind == RN_PLAN_FLOW)
			return "the view gives the hops of a flow: each is met once, and no number "
			       "of it goes on\n"
			       "  count them: view NAME := count of VIEW by proc, name";
		if (p->rows_every_ns && !has_bounds(p))
			return "the view gives all rows of each window in order: there may be any "
			       "number of them\n"
			       "  add `limit N`, or count them: view NAME := count of VIEW by KEY";
	}
	return NULL;
}

/* Open the output for plans that rn_query_run does not run, once all else is checked. p NULL: the
 * plan is only shown. */
static int open_output(struct rn_session *s, const struct rn_script *u, const struct rn_plan *p)
{
	struct rn_err err = {0};

	if ((!p || !rn_check_no_overwrite(u, p, s->opt->output, &err)) &&
	    !rn_session_output(s, u->traces, &err))
		return RN_EXIT_OK;
	rn_complain(s, &err);
	return RN_EXIT_SYSTEM;
}

static int run(struct rn_session *session, struct rn_continuous *continuous, const char *text)
{
	const struct rn_options *options = session->opt;
	struct rn_script script;
	int status;
	struct rn_plan *p = compile(session, &script, text, &status);
	enum rn_continuous_kind kept = p ? script.jobs[script.njobs - 1].kept : RN_CONTINUOUS_NOT;
	const char *why;

	if (p && options->explain) {
		status = open_output(session, &script, NULL);
		if (!status)
			fputs(rn_plan_explain(session->engine, script.arena, p), session->to);
		kept = RN_CONTINUOUS_NOT;
	}
	if (kept == RN_CONTINUOUS_TABLE && (options->command || options->npids)) {
		rn_say("runnel: -%c is about events; the view reads a table\n",
		       options->command ? 'c' : 'p');
		kept = RN_CONTINUOUS_NOT;
		status = RN_EXIT_USAGE;
	}
	why = p && continuous->plan && kept != RN_CONTINUOUS_NOT ? no_series(p, kept) : NULL;
	if (why) {
		rn_say("error: %s\n", why);
		kept = RN_CONTINUOUS_NOT;
		status = RN_EXIT_QUERY;
	}
	if (kept == RN_CONTINUOUS_WINDOWS && continuous->plan)
		continuous->plan(continuous->self, p, window_length(p));
	if (kept == RN_CONTINUOUS_WINDOWS || kept == RN_CONTINUOUS_ROWS)
		status = rn_query_run(session, script.arena, p,
				      &(struct rn_how){.out = continuous->out,
						       .keeping = continuous,
						       .diag = script.diag,
						       .text = &script});
	if (kept == RN_CONTINUOUS_TABLE && !continuous->out &&
	    (status = open_output(session, &script, p)))
		kept = RN_CONTINUOUS_NOT;
	rn_script_close(&script);
	if (kept != RN_CONTINUOUS_TABLE)
		return status;
	rn_signals_keep_writes(true);
	status = run_turns(session, continuous, text,
			   options->every_ns ? options->every_ns : EVERY_NS);
	rn_signals_keep_writes(false);
	return status;
}

int rn_continuous_run(struct rn_session *session, struct rn_continuous *continuous)
{
	struct rn_arena *arena = rn_arena_create(RN_ARENA_CAP);
	struct rn_err err = {0};
	const char *text;
	int status;

	rn_views_begin(session->engine->views);
	text = rn_continuous_text(session->engine->views, session->opt->subject,
				  session->opt->params, arena, &err);
	status = text                  ? RN_EXIT_OK
		 : err.code == -ENOENT ? RN_EXIT_QUERY
		 : err.code == -EINVAL ? RN_EXIT_USAGE
				       : RN_EXIT_SYSTEM;
	if (status)
		rn_complain(session, &err);
	else
		status = run(session, continuous, text);
	rn_arena_destroy(arena);
	return status;
}
