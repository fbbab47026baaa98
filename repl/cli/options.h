/* options.h - the command line as plain data. The parser prints only its own complaints (exit
 * status 2). */
#ifndef RN_REPL_CLI_OPTIONS_H
#define RN_REPL_CLI_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

/* Exit statuses; scripts rely on these numbers. */
enum rn_exit {
	RN_EXIT_OK = 0,
	RN_EXIT_QUERY = 1,
	RN_EXIT_USAGE = 2,
	RN_EXIT_INCOMPLETE = 3,
	RN_EXIT_SYSTEM = 4,
	RN_EXIT_INTERRUPTED = 130
};

struct rn_format; /* output.h */
enum rn_action {
	RN_DO_STDIN,
	RN_DO_QUERY,
	RN_DO_FILE,
	RN_DO_COMMAND,
};

enum { RN_MAX_PIDS = 1024 };

struct rn_command; /* commands.h */
struct rn_options {
	enum rn_action action;
	const struct rn_command *cmd; /* of RN_DO_COMMAND */
	/* the query's text, the file's path, list's glob, describe's name; may be NULL */
	const char *subject;
	/* export's names, import's files; NULL-terminated; points into argv */
	const char *const *words;
	const char *const *params; /* NAME=VALUE, NULL-terminated; points into argv */
	/* params are for many texts: one may leave some unused */
	bool spare_params;
	const char *command;       /* -c; NULL: none */
	int32_t pids[RN_MAX_PIDS]; /* -p */
	unsigned npids;
	const struct rn_format *format;
	const char *output;     /* -O; NULL: stdout */
	const char *hosts;      /* -H; NULL: this machine */
	const char *catalog;    /* --catalog; NULL: its default place */
	int64_t lease_ns;       /* --lease */
	int64_t every_ns;       /* --every; 0: not given */
	const char *prometheus; /* --prometheus; NULL: not given */
	bool strict, explain, quiet, verbose;
	bool no_clean_cache;    /* pages that are known to hold no tag are searched again */
	uint32_t max_functions; /* of a source that names functions; 0: the default */
	bool saved;             /* --saved */
	unsigned dump;          /* a bit for each stage, by its number in stages.h */
	int stop_after;         /* number of a stage; -1: run */
};

/* True: go on. False: leave with *status (a usage error, or --help or --version was answered). */
bool rn_options_parse(int argc, char **argv, struct rn_options *options, int *status);
/* Call it after a help text or the like was printed on stdout. Returns the exit status; tells if
 * stdout failed. */
int rn_options_told(void);
/* For those who take the words: says "runnel: TEXT"; false. */
bool rn_options_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Is the word NAME=VALUE? */
bool rn_options_is_param(const char *s);
/* Seconds as text, from 1 to 3600, in ns; false: they are not. */
bool rn_options_lease(const char *arg, int64_t *ns);
#endif
