/* session.h - one run of the program: its engine (repl/engine/engine.h), its options, and where
 * rows go. */
#ifndef RN_REPL_SESSION_H
#define RN_REPL_SESSION_H
#include <sys/resource.h>
#include "repl/engine/script.h"
#include "repl/cli/options.h"
#include "repl/out/output.h"

struct rn_session {
	const struct rn_options *opt;
	FILE *to;                    /* stdout or the file of -O */
	struct rn_terminal err_term; /* of stderr */
	struct rn_engine *e;
	bool answered; /* a query came to its end */
	/* how many descriptors the caller allows: what the command of -c gets, whatever we take */
	struct rlimit files;
	/* of -c, as a shell would have it: the program's own status if that is otherwise 0 */
	int command_status;
	/* the last text as its errors' hints would have it; NULL: they have nothing to put in. The
	 * prompt offers it */
	char *mended;
	/* the prompt's, for results that are finished; NULL: none */
	struct rn_pager *pager;
	/* of `to` while it is the pager's stream (tty set), else empty */
	struct rn_terminal to_term;
};

/* What d holds, as stderr shows it. */
const char *rn_session_diag(const struct rn_session *s, struct rn_diag *d, struct rn_arena *a);
/* A printer of the chosen format to s->to, never NULL. */
struct rn_printer *rn_session_printer(struct rn_session *s);
/* While a result is shown that may be long, rows go to the pager; between these two, `to` is its
 * stream. False: nothing was changed. */
bool rn_session_page(struct rn_session *s);
bool rn_session_unpage(struct rn_session *s); /* true: the reader left before the end */

/* run.c: compiles the whole text, then runs its statements in order. Returns the exit status. name:
 * "query", "file.rnl". */
int rn_run_text(struct rn_session *s, const char *name, const char *text, size_t len);
/* run.c: opens the file of -O, once the first row may come: a wrong query leaves the file as it
 * was, and so does what reads one of these recordings (NULL: none) if it is one of them. */
int rn_session_output(struct rn_session *s, const struct rn_trace_catalogs *read,
		      struct rn_err *err);
/* script.c: a .rnl file, or statements from stdin (path NULL). */
int rn_run_file(struct rn_session *s, const char *path);
/* catalogue.c: saved views as a text (only: NULL-terminated names; none: all), and such files (`-`:
 * stdin) into the catalogue. */
int rn_export(struct rn_session *s, const char *const *only);
int rn_import(struct rn_session *s, const char *const *paths);
/* shell.c: the interactive prompt, until it is left. */
int rn_shell(struct rn_session *s);
/* Its text, NUL-terminated, with what a `#!` line would disturb taken out; on the heap. NULL: it
 * cannot be read, which has been said. */
char *rn_script_read(const char *path, size_t *len);
/* Does a word of the command line name a query file? */
bool rn_script_is(const char *word);
/* Is what was read no text but a database, as recordings are? */
bool rn_script_database(const char *text, size_t len);
/* query.c: runs a planned query; returns the exit status. */
/* A query that is kept running: keep.c. Members as in struct rn_run_opts. */
struct rn_keeping {
	void *self;
	const struct rn_output *out; /* where rows go; NULL: a printer */
	int (*window)(void *self, const struct rn_window_end *w);
	/* Before the first row: what runs, in windows of which length (its own or the options').
	 * What has no windows is refused then. NULL: not wanted. */
	void (*plan)(void *self, const struct rn_plan *p, int64_t every_ns);
	void (*begun)(void *self); /* what is to be attached is; NULL: not wanted */
};
/* otherwise than a query that shows its rows in the format and the place of the options */
struct rn_how {
	const struct rn_format *format; /* NULL: that of the options */
	const char *path;               /* of outputs; NULL: s->to */
	struct rn_outputs *outputs;
	/* rows go there, and none is shown; NULL: they are shown */
	const struct rn_output *out;
	struct rn_kept *keep;             /* and are kept there; NULL: nowhere */
	const struct rn_keeping *keeping; /* it is kept running; NULL: it is run once */
	/* "let slow": its ledger says so, and is printed if there is something to tell; NULL */
	const char *about;
	/* of the text that it is of: what the system refuses is shown there */
	struct rn_diag *diag;
	const struct rn_text *text; /* that text; never NULL */
	bool complete;              /* set: the ledger says that the answer is */
};
int rn_query_run(struct rn_session *s, struct rn_arena *a, struct rn_plan *p, struct rn_how *how);
/* watch.c: `runnel watch VIEW`; prometheus.c: `runnel export VIEW --prometheus ADDRESS`. */
int rn_watch(struct rn_session *s);
int rn_prometheus(struct rn_session *s);
/* Runs the view that the options name until it is ended; rows and windows go to k. */
int rn_keep(struct rn_session *s, struct rn_keeping *k);
/* tags.c: runs a `tags` statement; the exit status. */
int rn_tags_run(struct rn_session *s, struct rn_text *u, const struct rn_ast_stmt *st);
/* doctor.c, list.c, describe.c */
int rn_doctor(struct rn_session *s);
int rn_list(struct rn_session *s, const char *glob);
enum {
	RN_LIST_SOURCES = 1,
	RN_LIST_VIEWS = 2,
	RN_LIST_FUNCTIONS = 4,
	RN_LIST_LATER = 8,
	RN_LIST_RESULTS = 16,
	RN_LIST_ALL = 31
};
int rn_list_kinds(struct rn_session *s, const char *glob, unsigned kinds);
int rn_describe(struct rn_session *s, const char *name);
/* list.c: of everything that `list` shows, the name that is nearest; NULL: none is near. a: for
 * what is made on the way. */
const char *rn_list_nearest(struct rn_session *s, struct rn_arena *a, const char *name);

/* query.c: to stderr, as text or (format JSON) as one line. */
void rn_ledger_print(FILE *f, const struct rn_ledgers *l, const struct rn_options *o);
/* run.c: "runnel: TEXT" and the hint on stderr. */
void rn_complain(const struct rn_session *s, const struct rn_err *err);

/* listing.c: rows of text through the session's printer, for doctor, list and describe. Columns are
 * strings. */
struct rn_listing;
struct rn_listing *rn_listing_begin(struct rn_session *s, const char *const *labels, unsigned n);
void rn_listing_row(struct rn_listing *l, const char *const *cells);
/* number of rows; -1: their place could not be opened, which has been said */
int64_t rn_listing_end(struct rn_listing *l);
#endif
