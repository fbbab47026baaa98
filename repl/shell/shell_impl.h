/* shell_impl.h - the interactive prompt: what its files share.
 *
 * shell.c has the loop and the statement so far, line_editor.c the keys, history.c the entries,
 * commands.c the commands that begin with `\`, foreign_commands.c those of other programs. help.c
 * has the topics of \h, complete.c Tab, greeting.c the first screen, external_editor.c the editor
 * and programs of the system, nodes.c \n. */
#ifndef RN_REPL_SHELL_SHELL_IMPL_H
#define RN_REPL_SHELL_SHELL_IMPL_H
#include <termios.h>
#include "repl/cli/run.h"
#include "repl/cli/session.h"
#include "repl/shell/shell.h"
#include "repl/shell/history.h"

enum { RN_SHELL_PARAMS = 64 };
struct rn_pager;
struct rn_shell {
	struct rn_session *session;
	struct rn_options opt; /* used by the session from now on; \ commands change it */
	struct rn_history *history;
	struct rn_pager *pager;
	char *text;
	size_t len, cap; /* the statement so far: lines, each with its newline */
	char *last;      /* the last query run; NULL: none yet */
	char *output;    /* path of \o; NULL: the terminal */
	/* of \set: NAME=VALUE; NULL behind the last */
	char *params[RN_SHELL_PARAMS + 1];
	unsigned nparams;
	bool private; /* text begins with a blank: it is not remembered */
	/* edited: it is taking text from an editor */
	bool timing, expanded, quit, told_semicolon, edited;
	struct rn_function_names *functions; /* what Tab has read of files */
	struct rn_line *keys;
	struct termios modes; /* of the terminal, to restore when it is loud */
	unsigned silent;
	bool changed;
};

/* Takes one typed line or more: runs whole statements, and keeps the rest until more comes. */
void rn_shell_take(struct rn_shell *sh, const char *line);
/* Runs statements; returns the status of rn_run_text. */
int rn_shell_run(struct rn_shell *sh, const char *text, size_t len);
/* While statements run, keys are not echoed, because they would appear amid the answer. They are
 * shown when the prompt reads them. These pairs nest. */
void rn_shell_silent(struct rn_shell *sh);
void rn_shell_loud(struct rn_shell *sh);
void rn_shell_forget(struct rn_shell *sh); /* the statement so far */

/* commands.c: a command that begins with `\`. The kind of its argument, for completion. */
enum rn_shell_arg {
	RN_SHARG_NONE,
	RN_SHARG_NAME,
	RN_SHARG_CLASS,
	RN_SHARG_VIEW,
	RN_SHARG_TOPIC,
	RN_SHARG_FORMAT,
	RN_SHARG_FILE,
	RN_SHARG_SWITCH,
	RN_SHARG_PARAM
};
struct rn_shell_command {
	const char *name, *arg, *doc;
	enum rn_shell_arg kind;
	/* arg: without blanks around it; "" if there is none */
	void (*run)(struct rn_shell *sh, char *arg);
};
extern const struct rn_shell_command rn_shell_commands[]; /* ends with name NULL */
/* line: the text behind `\`, to the end of the line. */
void rn_shell_command(struct rn_shell *sh, const char *line);
/* foreign_commands.c: what users of psql, sqlite3 and shells type by habit. rn_shell_synonym gives
 * our name of a command. rn_shell_elsewhere gives advice about a command that we lack; NULL:
 * unknown. rn_shell_habit answers a line; true: it did. */
const char *rn_shell_synonym(const char *name);
const char *rn_shell_elsewhere(const char *name);
bool rn_shell_habit(struct rn_shell *sh, const char *line);

/* ---- commands.c ---- */

/* Prints messages of a command on stderr, wrapped to the terminal's width. */
void rn_shell_tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* help.c */
/* lines of text that begin with four blanks are examples */
struct rn_help_topic {
	const char *name, *about, *text;
};
extern const struct rn_help_topic rn_help_topics[]; /* ends with name NULL */
/* Shows a topic; "": lists them. False: there is none of that name */
bool rn_shell_help(struct rn_shell *sh, const char *topic);

/* complete.c: `complete` of struct rn_line_ops. */
void rn_shell_complete(void *self, const char *line, size_t cursor, unsigned width, unsigned height,
		       char **insert, char **show);
/* greeting.c */
void rn_shell_first(const struct rn_shell *sh);
/* external_editor.c: returns the text as the editor leaves it, malloc'd; NULL: it is unchanged, or
 * there is no editor (told). */
char *rn_shell_edit(const char *text);
/* Runs a command of sh(1) on the terminal; returns its status as of wait(2). */
int rn_shell_system(const char *command, const char *arg);
/* nodes.c: \n */
void rn_shell_nodes(struct rn_shell *sh);
#endif
