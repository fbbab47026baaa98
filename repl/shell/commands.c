/* commands.c - a table of the prompt's commands that begin with `\`. A new command needs a row here
 * and its function.
 *
 * Messages of a command go to stderr. What the user asked for goes to stdout, through the pager if
 * it is long. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lang/base/memory.h"
#include "repl/terminal/pager.h"
#include "repl/out/files.h"
#include "repl/shell/shell_impl.h"
#include "repl/terminal/signals.h"
#include "lang/base/nearest.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"
#include "repl/cli/commands.h"

#define tell(...) rn_shell_tell(__VA_ARGS__)

void rn_shell_tell(const char *fmt, ...)
{
	struct rn_terminal term;
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = rn_vasprintf(fmt, ap);
	va_end(ap);
	rn_terminal_query(&term, stderr);
	rn_text_wrap(stderr, text, term.width, 2);
	free(text);
}

/* ---- what there is ---- */

static void paged(struct rn_shell *sh, int (*show)(struct rn_session *, const char *),
		  const char *arg)
{
	bool page = rn_session_page(sh->session);

	show(sh->session, arg);
	if (page)
		rn_session_unpage(sh->session);
	fflush(sh->session->to);
}

static int list_sources(struct rn_session *s, const char *glob)
{
	return rn_list_kinds(s, glob, RN_LIST_RESULTS | RN_LIST_SOURCES);
}

static int list_views(struct rn_session *s, const char *glob)
{
	return rn_list_kinds(s, glob, RN_LIST_RESULTS | RN_LIST_VIEWS);
}

static void do_list(struct rn_shell *sh, char *arg)
{
	paged(sh, list_sources, *arg ? arg : NULL);
}

static void do_views(struct rn_shell *sh, char *arg)
{
	paged(sh, list_views, *arg ? arg : NULL);
}

static void do_describe(struct rn_shell *sh, char *arg)
{
	if (*arg)
		paged(sh, rn_describe, arg);
	else
		do_list(sh, arg);
}

static void do_nodes(struct rn_shell *sh, char *arg)
{
	(void)arg;
	rn_shell_nodes(sh);
}

static void do_help(struct rn_shell *sh, char *arg)
{
	if (!rn_shell_help(sh, arg)) {
		const char *names[64];
		unsigned n = 0;
		const char *near;

		for (const struct rn_help_topic *t = rn_help_topics; t->name && n < 63; t++)
			names[n++] = t->name;
		names[n] = NULL;
		near = rn_nearest(arg, names);
		tell("there is no topic `%s`%s%s%s; \\h lists them, \\d %s describes a name\n", arg,
		     near ? "; did you mean `" : "", near ? near : "", near ? "`" : "", arg);
	}
}

static int show_commands(struct rn_session *s, const char *unused)
{
	(void)unused;
	for (const struct rn_shell_command *c = rn_shell_commands; c->name; c++) {
		char head[64];
		char line[256];
		bool narrow;

		snprintf(head, sizeof(head), "\\%s%s%s", c->name, *c->arg ? " " : "", c->arg);
		narrow = s->err_term.width && s->err_term.width < 72;
		snprintf(line, sizeof(line), narrow ? "  %s\n      %s" : "  %-22s %s", head,
			 c->doc);
		rn_text_wrap(s->to, line, s->err_term.width, narrow ? 0 : 23);
	}
	return 0;
}

static void do_commands(struct rn_shell *sh, char *arg)
{
	paged(sh, show_commands, arg);
}

/* ---- how answers look ---- */

/* "on", "off", or without arg the opposite of now. */
static bool switched(const char *arg, bool now, const char *what)
{
	bool on = !strcmp(arg, "on"), off = !strcmp(arg, "off");

	if (*arg && !on && !off) {
		tell("%s is on or off, not `%s`\n", what, arg);
		return now;
	}
	now = on || (!off && !now);
	tell("%s is %s\n", what, now ? "on" : "off");
	return now;
}

static void choose_format(struct rn_shell *sh, const struct rn_format *f)
{
	static const struct rn_format expanded = {"table", rn_printer_expanded, false};
	const struct rn_format *table = rn_format_find(NULL);

	sh->opt.format = sh->expanded && f == table ? &expanded : f;
}

static void do_expanded(struct rn_shell *sh, char *arg)
{
	sh->expanded = switched(arg, sh->expanded, "a line for each column");
	choose_format(sh, rn_format_find(sh->opt.format->name));
}

static void do_format(struct rn_shell *sh, char *arg)
{
	char names[128];
	const struct rn_format *f = *arg ? rn_format_find(arg) : NULL;

	if (!*arg)
		tell("the format is %s; there are %s\n", sh->opt.format->name,
		     rn_format_names(names, sizeof(names), "and"));
	else if (!f || !f->create)
		tell("there is no format `%s`%s; use %s\n", arg, f ? " yet" : "",
		     rn_format_names(names, sizeof(names), "or"));
	else
		choose_format(sh, f);
}

static void do_timing(struct rn_shell *sh, char *arg)
{
	sh->timing = switched(arg, sh->timing, "timing");
}

static void do_pager(struct rn_shell *sh, char *arg)
{
	bool was = rn_pager_is_on(sh->pager), is = switched(arg, was, "the pager");

	rn_pager_switch(sh->pager, is);
	if (is && !rn_pager_is_on(sh->pager))
		tell("but there is none: less is not installed, the terminal cannot move its "
		     "cursor, or $PAGER is empty\n");
}

static void do_pset(struct rn_shell *sh, char *arg)
{
	char *value = arg + strcspn(arg, " \t");

	if (*value)
		*value++ = 0;
	value += strspn(value, " \t");
	if (!strcmp(arg, "pager"))
		do_pager(sh, value);
	else if (!strcmp(arg, "format"))
		do_format(sh, value);
	else if (!strcmp(arg, "expanded") || !strcmp(arg, "x"))
		do_expanded(sh, value);
	else if (!*arg)
		tell("pager is %s, format is %s, expanded is %s\n",
		     rn_pager_is_on(sh->pager) ? "on" : "off", sh->opt.format->name,
		     sh->expanded ? "on" : "off");
	else
		tell("\\pset knows pager, format and expanded, not `%s`\n", arg);
}

/* May rows go to path? If not, the reason is on the screen. */
static bool is_file(const char *path)
{
	if (*path == '|')
		tell("rows go to files here, not to commands; in a shell: runnel 'QUERY' | "
		     "COMMAND\n");
	return *path != '|';
}

static FILE *open_file(const char *path)
{
	struct rn_err err = {0};
	FILE *f = is_file(path) ? rn_output_create(path, &err) : NULL;

	if (!f && err.code)
		tell("%s%s%s\n", err.text, err.hint[0] ? "; " : "", err.hint);
	return f;
}

static void do_output(struct rn_shell *sh, char *arg)
{
	struct rn_session *s = sh->session;
	FILE *f = *arg ? open_file(arg) : stdout;

	if (!f)
		return;
	if (s->to != stdout && fclose(s->to))
		tell("the rows could not be written in full\n");
	s->to = f;
	free(sh->output);
	sh->output = *arg ? rn_strdup(arg) : NULL;
	sh->opt.output = sh->output;
	tell(*arg ? "rows go to %s until \\o\n" : "rows go to the terminal%s\n", arg);
}

/* ---- statements ---- */

static const char *statement(const struct rn_shell *sh)
{
	return sh->len ? sh->text : sh->last ? sh->last : "";
}

/* Run the statement. path: its rows go there, and the file is emptied when the first may come; "":
 * they go where they go anyway. */
static void go(struct rn_shell *sh, const char *path)
{
	struct rn_session *session = sh->session;
	FILE *before = session->to;
	char *text = rn_strdup(statement(sh));
	bool typed;

	if (*path) {
		session->to = stdout;
		sh->opt.output = path;
	}
	typed = sh->len > 0;
	rn_shell_forget(sh);
	if (!*text)
		tell("there is no statement yet\n");
	if (typed)
		rn_history_add(sh->history, text);
	if (*text)
		rn_shell_run(sh, text, strlen(text));
	if (*text) {
		free(sh->last);
		sh->last = text;
	} else {
		free(text);
	}
	if (*path && session->to != stdout && fclose(session->to))
		tell("the rows could not be written in full\n");
	session->to = before;
	sh->opt.output = sh->output;
}

static void do_go(struct rn_shell *sh, char *arg)
{
	if (is_file(arg))
		go(sh, arg);
}

static void do_go_expanded(struct rn_shell *sh, char *arg)
{
	bool before = sh->expanded;

	if (!is_file(arg))
		return;
	sh->expanded = true;
	choose_format(sh, rn_format_find(sh->opt.format->name));
	go(sh, arg);
	sh->expanded = before;
	choose_format(sh, rn_format_find(sh->opt.format->name));
}

static void do_print(struct rn_shell *sh, char *arg)
{
	const char *text;

	(void)arg;
	text = statement(sh);
	fputs(*text ? text : "(there is no statement yet)\n", stdout);
	if (*text && text[strlen(text) - 1] != '\n')
		puts("");
	fflush(stdout);
}

static void do_reset(struct rn_shell *sh, char *arg)
{
	(void)arg;
	rn_shell_forget(sh);
}

static void do_edit(struct rn_shell *sh, char *arg)
{
	char *text;
	size_t n;

	(void)arg;
	if (sh->edited) { /* else an editor could leave \e again for ever */
		tell("\\e in what an editor left is not followed\n");
		return;
	}
	text = rn_shell_edit(statement(sh));
	if (!text)
		return;
	rn_shell_forget(sh);
	fputs(text, stdout);
	fflush(stdout);
	n = strlen(text);
	while (n && text[n - 1] == '\n')
		text[--n] = 0;
	sh->edited = true;
	rn_shell_take(sh, text);
	sh->edited = false;
	free(text);
}

static void do_file(struct rn_shell *sh, char *arg)
{
	if (!*arg) {
		tell("\\i needs a file of statements\n");
		return;
	}
	rn_signals_begin();
	rn_shell_silent(sh);
	rn_run_file(sh->session, arg);
	rn_shell_loud(sh);
}

/* Explain the query in arg, else the current or last one. */
static void do_explain(struct rn_shell *sh, char *arg)
{
	char *text = rn_strdup(*arg ? arg : statement(sh));

	if (!*arg) /* the user does not ask about what was being typed */
		rn_shell_forget(sh);
	if (*text) {
		sh->opt.explain = true;
		rn_shell_run(sh, text, strlen(text));
		sh->opt.explain = false;
	} else {
		tell("there is no statement yet\n");
	}
	free(text);
}

/* Has the text only queries? A view would be saved again and again. If it is no statement at all,
 * the run reports that. */
static bool only_queries(const char *text)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_diag *d = rn_diag_new(a);
	const struct rn_ast_file *f =
		rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)));
	bool only = true;

	for (const struct rn_ast_stmt *st = f->stmts; st; st = st->next)
		only &= st->kind == RN_STMT_QUERY || st->kind == RN_STMT_EXPLAIN ||
			st->kind == RN_STMT_USE || st->kind == RN_STMT_ASSERT;
	rn_arena_destroy(a);
	return only;
}

static void do_watch(struct rn_shell *sh, char *arg)
{
	char *end, when[64];
	double seconds = *arg ? strtod(arg, &end) : 2;
	char *text = rn_strdup(statement(sh));

	if (*arg && (*end || !(seconds >= 0.1 && seconds <= 86400)))
		tell("\\watch takes seconds, from 0.1 to 86400, not `%s`\n", arg), *text = 0;
	else if (!*text)
		tell("there is no query to repeat yet\n");
	else if (!only_queries(text))
		tell("\\watch repeats queries, and this is another statement: %s\n", text),
			*text = 0;
	rn_shell_forget(sh);
	sh->session->pager = NULL; /* answers follow each other without a key */
	rn_shell_silent(sh);
	for (bool go = *text; go;) {
		time_t now = time(NULL);

		(void)strftime(when, sizeof(when), "%F %T", localtime(&now));
		tell("%s (every %g s; Ctrl-C ends it)\n", when, seconds);
		go = !rn_shell_run(sh, text, strlen(text)) && !*rn_signals_stop();
		if (go)
			poll(NULL, 0, (int)(seconds * 1000)); /* a signal ends it */
		go = go && !*rn_signals_stop();
	}
	rn_shell_loud(sh);
	sh->session->pager = sh->pager;
	if (*text) {
		free(sh->last);
		sh->last = text;
	} else {
		free(text);
	}
}

/* ---- parameters ---- */

static unsigned find_param(const struct rn_shell *sh, const char *name, size_t n)
{
	unsigned i = 0;

	while (i < sh->nparams && (strncmp(sh->params[i], name, n) || sh->params[i][n] != '='))
		i++;
	return i;
}

static void do_set(struct rn_shell *sh, char *arg)
{
	size_t n = strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	const char *value = arg + n + strspn(arg + n, " \t=");
	unsigned at;

	for (unsigned i = 0; !*arg && i < sh->nparams; i++)
		puts(sh->params[i]);
	fflush(stdout);
	if (!*arg)
		return;
	at = find_param(sh, arg, n);
	if (!n || isdigit((unsigned char)*arg) || !*value || value == arg + n) {
		tell("\\set NAME VALUE gives $NAME a value, as in \\set threshold 10ms\n");
	} else if (at == RN_SHELL_PARAMS) {
		tell("there is room for %d values\n", RN_SHELL_PARAMS);
	} else {
		if (at < sh->nparams)
			free(sh->params[at]);
		sh->params[at] = rn_asprintf("%.*s=%s", (int)n, arg, value);
		sh->nparams += at == sh->nparams;
	}
}

static void do_unset(struct rn_shell *sh, char *arg)
{
	unsigned at = find_param(sh, arg, strlen(arg));

	if (!*arg) {
		tell("\\unset NAME takes the value from $NAME; \\set shows those that have one\n");
		return;
	}
	if (at == sh->nparams) {
		tell("`%s` has no value; \\set shows those that have\n", arg);
		return;
	}
	free(sh->params[at]);
	sh->params[at] = sh->params[--sh->nparams];
	sh->params[sh->nparams] = NULL;
}

/* ---- the rest ---- */

static void do_system(struct rn_shell *sh, char *arg)
{
	const char *own;

	(void)sh;
	own = getenv("SHELL");
	rn_shell_system(*arg ? arg : own && *own ? own : "sh", NULL);
}

static void do_quit(struct rn_shell *sh, char *arg)
{
	(void)arg;
	sh->quit = true;
}

const struct rn_shell_command rn_shell_commands[] = {
	{"h", "[TOPIC]", "help with the language, by topic, with examples", RN_SHARG_TOPIC,
	 do_help},
	{"?", "", "these commands", RN_SHARG_NONE, do_commands},
	{"l", "[GLOB]", "what can be asked: event classes, tables, results", RN_SHARG_CLASS,
	 do_list},
	{"d", "NAME", "fields of a class, table, result; a view, a function", RN_SHARG_NAME,
	 do_describe},
	{"v", "[GLOB]", "results of `let`; views, saved and of modules", RN_SHARG_VIEW, do_views},
	{"n", "", "the nodes, and how they stand", RN_SHARG_NONE, do_nodes},
	{"x", "[on|off]", "rows with a line for each column", RN_SHARG_SWITCH, do_expanded},
	{"f", "[FORMAT]", "how answers look; alone, which formats there are", RN_SHARG_FORMAT,
	 do_format},
	{"o", "[FILE]", "rows go to FILE; without one, to the terminal again", RN_SHARG_FILE,
	 do_output},
	{"watch", "[SECONDS]", "repeats the query until Ctrl-C (2)", RN_SHARG_NONE, do_watch},
	{"timing", "[on|off]", "tells how long each statement takes", RN_SHARG_SWITCH, do_timing},
	{"explain", "[QUERY]",
	 "what the nodes and the coordinator would do; alone, for the current or last query",
	 RN_SHARG_NONE, do_explain},
	{"e", "", "edits the last or current statement with $EDITOR", RN_SHARG_NONE, do_edit},
	{"g", "[FILE]", "runs the current statement, or the last one again", RN_SHARG_FILE, do_go},
	{"gx", "[FILE]", "the same, with a line for each column", RN_SHARG_FILE, do_go_expanded},
	{"p", "", "shows the current or last statement", RN_SHARG_NONE, do_print},
	{"r", "", "forgets the current statement", RN_SHARG_NONE, do_reset},
	{"i", "FILE", "runs a file of statements", RN_SHARG_FILE, do_file},
	{"set", "[NAME VALUE]", "$NAME stands for VALUE; alone, shows them", RN_SHARG_PARAM,
	 do_set},
	{"unset", "NAME", "$NAME stands for nothing", RN_SHARG_PARAM, do_unset},
	{"pager", "[on|off]", "long results through $PAGER", RN_SHARG_SWITCH, do_pager},
	{"pset", "[NAME VALUE]", "the same as psql has it: pager, format, expanded", RN_SHARG_NONE,
	 do_pset},
	{"!", "[COMMAND]", "runs a command of the shell", RN_SHARG_FILE, do_system},
	{"q", "", "leaves (Ctrl-D does too)", RN_SHARG_NONE, do_quit},
	{0},
};

static const struct rn_shell_command *find_command(const char *name)
{
	const struct rn_shell_command *c = rn_shell_commands;

	name = rn_shell_synonym(name);
	while (c->name && strcmp(c->name, name))
		c++;
	return c;
}

void rn_shell_command(struct rn_shell *sh, const char *line)
{
	char *text = rn_strdup(line + strspn(line, " \t"));
	size_t n, len;
	char *arg, name[32];
	const struct rn_shell_command *c;

	n = strcspn(text, " \t");
	if (*text == '!' || *text == '?')
		n = 1;
	arg = text + n + strspn(text + n, " \t");
	len = strlen(arg);
	while (len && (strchr(" \t\r\n", arg[len - 1]) || (arg[len - 1] == ';' && *text != '!')))
		arg[--len] = 0;
	if (*text != '!' && len > 1 && (*arg == '\'' || *arg == '"') &&
	    arg[len - 1] == *arg) { /* quoted as in a shell */
		arg[len - 1] = 0;
		arg++;
	}
	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	for (char *p = name; *p; p++)
		*p = (char)(*p == ';' ? 0 : *p);
	c = find_command(name);
	rn_terminal_query(&sh->session->err_term, stderr);
	if (c->name) {
		c->run(sh, arg);
	} else {
		const char *say = rn_shell_elsewhere(name);

		tell("there is no command \\%s; %s\n", name, say ? say : "\\? lists them");
	}
	fflush(stderr);
	free(text);
}
