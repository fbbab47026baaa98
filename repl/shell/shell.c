/* shell.c - the loop of the prompt. It reads lines, runs whole statements, and runs commands that
 * begin with `\` at once.
 *
 * Ctrl-C ends a query and the session goes on: the flag that ends queries is reset before each of
 * them. An unfinished statement is kept until its `;`, a Ctrl-C at the prompt, or \r. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "lang/complete/complete.h"
#include "repl/terminal/pager.h"
#include "probes/probes.h"
#include "repl/shell/shell_impl.h"
#include "repl/shell/line_editor.h"
#include "repl/terminal/signals.h"
#include "lang/base/vec.h"

#define PROMPT "runnel> "
#define PROMPT_MORE "     -> "
#define PROMPT_OPEN "     (> " /* a parenthesis is open */

void rn_shell_forget(struct rn_shell *sh)
{
	sh->len = 0;
	if (sh->text)
		sh->text[0] = 0;
}

static void keep(struct rn_shell *sh, const char *text, size_t n)
{
	rn_vec_room_for(sh->text, sh->len, sh->cap, n + 2);
	memcpy(sh->text + sh->len, text, n);
	sh->len += n;
	sh->text[sh->len] = 0;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void rn_shell_silent(struct rn_shell *sh)
{
	struct termios silent;

	if (sh->silent++ || sh->opt.command || tcgetattr(STDIN_FILENO, &sh->modes))
		return;
	silent = sh->modes;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	rn_signals_modes(&sh->modes);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &silent);
	sh->changed = true;
}

void rn_shell_loud(struct rn_shell *sh)
{
	if (--sh->silent || !sh->changed)
		return;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &sh->modes);
	rn_signals_modes(NULL);
	sh->changed = false;
}

int rn_shell_run(struct rn_shell *sh, const char *text, size_t len)
{
	struct rn_session *session = sh->session;
	double begin = now_ms();
	int status;

	rn_signals_begin();
	rn_terminal_query(&session->err_term, stderr); /* its size may have changed */
	session->answered = false;
	free(session->mended);
	session->mended = NULL;
	rn_shell_silent(sh);
	status = rn_run_text(session, "query", text, len);
	if (session->mended && rn_line_edits(sh->keys))
		fputs("  Ctrl-X corrects it\n", stderr);
	rn_shell_loud(sh);
	if (fflush(session->to) || ferror(session->to))
		clearerr(session->to);
	if (sh->timing)
		rn_say("time: %.3f ms\n", now_ms() - begin);
	fflush(stderr);
	return status;
}

static size_t without_blanks(const char *text, size_t n)
{
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	return n;
}

/* Run the whole statements at the beginning of the kept text. The history gets them as they were
 * typed. */
static void run_whole(struct rn_shell *sh, size_t n)
{
	char *text = rn_strndup(sh->text, n);
	size_t from;

	/* blanks belong to the statement before */
	from = strspn(text, sh->private ? "\r\n" : " \t\r\n");
	memmove(sh->text, sh->text + n, sh->len - n + 1);
	sh->len -= n;
	rn_history_add(sh->history, text + from);
	rn_shell_run(sh, text + from, n - from);
	free(sh->last);
	sh->last = text;
}

/* Run whole statements, then drop the rest if it is only blanks and comments. */
static void settle(struct rn_shell *sh)
{
	struct rn_typed t = rn_parse_typed(sh->text ? sh->text : "", sh->len);

	if (t.whole) {
		run_whole(sh, t.whole);
		settle(sh);
	} else if (t.broken) { /* report it now, not when `;` comes at last */
		run_whole(sh, without_blanks(sh->text, sh->len));
		rn_shell_forget(sh);
	} else if (!t.rest && t.command == sh->len && !strstr(sh->text ? sh->text : "", "--|")) {
		rn_shell_forget(sh);
	}
}

/* Take one line. typed: it came alone, not as one of several. */
static void take_line(struct rn_shell *sh, const char *line, bool typed)
{
	size_t len = strlen(line), before = sh->len;
	struct rn_typed t;
	char *command;

	if (!before && !line[strspn(line, " \t\r\n")])
		return;
	if (rn_shell_habit(sh, line))
		return;
	if (!before)
		sh->private = *line == ' ' || *line == '\t';
	if (typed && before && !len && !sh->told_semicolon) {
		fputs("(a statement ends with `;`; Ctrl-C forgets it)\n", stderr);
		sh->told_semicolon = true;
	}
	keep(sh, line, len);
	t = rn_parse_typed(sh->text, sh->len);
	if (t.command == sh->len) {
		keep(sh, "\n", 1);
		settle(sh);
		return;
	}
	/* the command is the rest of the line; the text before it is kept */
	command = rn_strdup(sh->text + t.command + 1);
	sh->len = without_blanks(sh->text, t.command);
	sh->text[sh->len] = 0;
	if (sh->len)
		keep(sh, "\n", 1);
	settle(sh);
	if (!before && strcmp(command, "q"))
		rn_history_add(sh->history, line);
	rn_shell_command(sh, command);
	free(command);
}

void rn_shell_take(struct rn_shell *sh, const char *text)
{
	const char *end = strchr(text, '\n');

	if (!end)
		take_line(sh, text, true);
	while (end && !sh->quit) {
		char *line = rn_strndup(text, (size_t)(end - text));

		take_line(sh, line, false);
		free(line);
		text = *end ? end + 1 : end;
		end = *text ? strchrnul(text, '\n') : NULL;
	}
}

static const char *prompt_of(const struct rn_shell *sh)
{
	return !sh->len                                 ? PROMPT
	       : rn_parse_typed(sh->text, sh->len).open ? PROMPT_OPEN
							: PROMPT_MORE;
}

/* Close the output: the file of \o, reporting lost rows, or the terminal. */
static void close_output(struct rn_shell *sh)
{
	struct rn_session *s = sh->session;

	if (s->to != stdout && fclose(s->to))
		fputs("runnel: the rows could not be written in full\n", stderr);
	s->to = stdout;
	/* a signal may have cut a write short; a terminal need not report that */
	if (isatty(STDOUT_FILENO))
		clearerr(stdout);
	free(sh->output);
}

static const char *mended(void *self)
{
	const struct rn_shell *sh = self;

	return sh->session->mended;
}

int rn_shell(struct rn_session *session)
{
	struct rn_shell sh = {.session = session, .opt = *session->opt};
	struct rn_line_ops ops = {&sh, rn_shell_complete, mended};
	const struct rn_options *before = session->opt;
	const char *line;

	rn_signals_shell();
	session->opt = &sh.opt;
	sh.opt.params = (const char *const *)sh.params;
	sh.opt.spare_params = true;
	sh.history = rn_history_create();
	sh.pager = session->pager = rn_pager_create();
	session->prompt = true;
	sh.functions = rn_function_names_create();
	sh.keys = rn_line_create(&ops, sh.history);
	rn_shell_first(&sh);
	while (!sh.quit && !rn_signals_leave()) {
		enum rn_line_end end = rn_line_read(sh.keys, prompt_of(&sh), &line);

		if (end == RN_LINE_EOF) {
			fputs("\n", stderr);
			break;
		}
		if (end == RN_LINE_CANCEL)
			rn_shell_forget(&sh);
		else
			rn_shell_take(&sh, line);
	}
	rn_line_destroy(sh.keys);
	rn_function_names_destroy(sh.functions);
	free(session->mended);
	session->mended = NULL;
	rn_history_destroy(sh.history);
	rn_pager_destroy(sh.pager);
	close_output(&sh);
	for (unsigned i = 0; i < sh.nparams; i++)
		free(sh.params[i]);
	free(sh.text);
	free(sh.last);
	session->opt = before;
	session->pager = NULL;
	session->command_status = 0; /* each was reported when its command ended */
	return rn_signals_leave() ? RN_EXIT_INTERRUPTED : RN_EXIT_OK;
}
