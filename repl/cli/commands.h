/* commands.h - the commands of the program: one table, for the command line, `--help` and the
 * shells' completions, which read that. */
#ifndef RN_REPL_CLI_COMMANDS_H
#define RN_REPL_CLI_COMMANDS_H
#include "repl/cli/session.h"

struct rn_command {
	const char *name;
	const char *usage; /* of --help: what stands behind `runnel`, and behind its options */
	const char *note;  /* of --help: behind the usage; NULL */
	bool joins;        /* of --help: it stands on the line of the row before */
	bool own_options;  /* it has a command line of its own */
	/* It is the one of its name that is meant if --prometheus is given. */
	bool prometheus;
	bool windows; /* --every is for it */
	/* Takes its words, w[0] is its name; false, and it has been said what is wrong. NULL:
	 * own_options. */
	bool (*parse)(struct rn_options *options, int n, char **w);
	/* Its exit status. NULL: own_options. */
	int (*run)(struct rn_session *session);
};
extern const struct rn_command rn_commands[]; /* ends with name NULL */
/* NULL: there is none of that name. */
const struct rn_command *rn_command_find(const char *name, bool prometheus);
/* The name of a command that is near the word; NULL: none is. */
const char *rn_command_near(const char *word);
/* The lines of --help, each "       runnel USAGE\n". */
void rn_commands_usage(FILE *to);

/* What the table's rows call. Each returns its exit status. */

/* Saved views as a text (options' words: names; none: all), and such files (`-`: stdin) into the
 * catalogue. */
int rn_cmd_export(struct rn_session *session); /* import_export.c */
int rn_cmd_import(struct rn_session *session); /* import_export.c */
/* `runnel watch VIEW`; `runnel export VIEW --prometheus ADDRESS`. */
int rn_cmd_watch(struct rn_session *session);      /* watch.c */
int rn_cmd_prometheus(struct rn_session *session); /* prometheus.c */
int rn_cmd_doctor(struct rn_session *session);     /* doctor.c */
int rn_cmd_list(struct rn_session *session);       /* list.c */
int rn_cmd_describe(struct rn_session *session);   /* describe.c */

/* What the prompt asks of `list` and `describe`, too. */

enum {
	RN_LIST_SOURCES = 1,
	RN_LIST_VIEWS = 2,
	RN_LIST_FUNCTIONS = 4,
	RN_LIST_RESULTS = 8,
	RN_LIST_SAVED = 16, /* of the views, only saved ones */
	RN_LIST_ALL = 15
};
/* ---- list.c ---- */

/* glob: NULL for all; the name of a module also stands for its views. An exit status. */
int rn_list_kinds(struct rn_session *session, const char *glob, unsigned kinds);
/* The name, among all that `list` shows, that is nearest; NULL: none is near. a: for what is made
 * on the way. */
const char *rn_list_nearest(struct rn_session *session, struct rn_arena *arena, const char *name);
/* ---- describe.c ---- */

/* What the name is, or the file; an exit status. */
int rn_describe(struct rn_session *session, const char *name);
#endif
