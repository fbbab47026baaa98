/* script.h - turns a text into checked statements that may run, for the program, the prompt and the
 * library.
 *
 * All statements of a text are checked before the first one runs. The exception is a query over a
 * recording that an earlier statement of the same text is going to write: its catalogue does not
 * exist yet, so it is checked when its turn comes. If that is a `let`, so are the queries behind
 * it, which may read its result.
 *
 * Life: rn_script_open, rn_script_parse, rn_script_check, then each job in order, rn_script_close.
 * Errors in the text are in u->diag; refusals of the system are in an rn_err. */
#ifndef RN_REPL_ENGINE_SCRIPT_H
#define RN_REPL_ENGINE_SCRIPT_H
#include "repl/engine/engine.h"
#include "repl/engine/here.h"
#include "repl/engine/stages.h"

/* A query that is kept running (continuous.h): its groups come in windows, its rows come as they
 * are, or its table is read again and again. */
enum rn_continuous_kind {
	RN_CONTINUOUS_NOT,
	RN_CONTINUOUS_WINDOWS,
	RN_CONTINUOUS_ROWS,
	RN_CONTINUOUS_TABLE
};
struct rn_statement { /* one statement */
	const struct rn_ast_stmt *stmt;
	const char *text; /* VIEW: canonical, as saved; ASSERT: canonical */
	/* VIEW, DROP: the changes of saved views */
	struct rn_view_change *change;
	unsigned nchanges;
	/* in the first of adjacent views and drops: the number of their changes, from its own on */
	unsigned together;
	struct rn_plan *plan; /* QUERY, EXPLAIN */
	/* the diag of the statement's spans: the text's, or one of its own check */
	struct rn_diag *diag;
	bool deferred;                  /* not checked yet: see above */
	struct rn_let *let;             /* LET: lets.h */
	struct rn_assertion *assertion; /* ASSERT: assert.h */
	enum rn_continuous_kind kept;   /* QUERY, of a text whose queries are kept running */
};
struct rn_script_lets;
struct rn_script { /* one text */
	struct rn_engine *engine;
	struct rn_arena *arena;
	struct rn_diag *diag;
	const char *name, *text;
	size_t len;
	uint16_t src;
	struct rn_names names;
	struct rn_here here; /* names of it */
	struct rn_here_names here_names;
	const struct rn_ast_file *file;
	struct rn_script_lets *lets; /* lets.h */
	bool broken;                 /* a `let` is wrong: queries behind it are not planned */
	/* the caller ends live queries: a `let` needs no duration */
	bool ends;
	/* parameters that the text declares; with values once it is checked */
	struct rn_param *declared;
	struct rn_statement *jobs;
	unsigned njobs;
	struct rn_trace_catalogs *traces;
	/* > 0: keep queries running, in windows of this length if they have none of their own */
	int64_t every_ns;
	bool every_asked; /* by the user: a query with own windows is an error */
	/* of an import: the view being checked, as in its file (rn_view_change.source); else
	 * NULL */
	const char *view_source;
	struct rn_viewset *saved; /* what is saved if all checked changes are made */
	/* A stage of a query is over: false ends its checks there. NULL: not wanted. */
	bool (*stage)(void *self, const struct rn_compiled *compiled, enum rn_dump_stage_id id,
		      struct rn_err *err);
	void *stage_self;
};

/* name: "query", "file.rnl", for messages. params: "NAME=VALUE", NULL-terminated, or NULL. All of
 * them outlive script. */
void rn_script_open(struct rn_script *script, struct rn_engine *engine, const char *name,
		    const char *text, size_t len, const char *const *params);
void rn_script_close(struct rn_script *script);
/* False: there are syntax errors. */
bool rn_script_parse(struct rn_script *script);
/* Returns the first given param that the text does not use; NULL: none. *near: the name perhaps
 * meant; NULL: unknown. */
const char *rn_script_stray(const struct rn_script *script, const char **near);
/* Checks all statements, and makes each one's names known to those behind it. False: diag has
 * errors, or the system refused (err). */
bool rn_script_check(struct rn_script *script, struct rn_err *err);
/* Checks that queries ask nodes that exist; false: diag has errors. Deferred jobs are checked when
 * they run. */
bool rn_script_check_nodes(struct rn_script *script);
/* Checks that queries may write their recordings; false: diag has errors. Deferred jobs, and files
 * that the text itself writes before, are checked when they run. */
bool rn_script_check_into(struct rn_script *script);
/* Checks a deferred job; its errors are in *diag, which is a new one. */
bool rn_script_check_deferred(struct rn_script *script, struct rn_statement *job,
			      struct rn_diag **diag, struct rn_err *err);
/* True: the only error is that the system refused to tell: the query may be right. */
bool rn_script_system_refused(const struct rn_diag *diag);

/* statements.c: checks one statement and makes its names known; reports errors to script->diag.
 * Returns a negative errno if the system refuses (a dump of BPF). */
int rn_statement_check(struct rn_script *script, const struct rn_ast_stmt *st,
		       struct rn_statement *job, struct rn_err *err);
/* Runs a `view` or a `drop`. The first of adjacent ones runs for all: they change the catalogue in
 * one transaction. Returns 0; 1: what is saved by now forbids it (*diag, a new one, says why); or a
 * negative errno. */
int rn_statement_store(struct rn_script *script, const struct rn_statement *job,
		       struct rn_diag **diag, struct rn_err *err);
/* Adjacent views and drops, with only `use` between, are one change. Fills in `change` and
 * `together`, and checks each over what the ones before leave. Call it once all statements are
 * checked. False: there are errors. */
bool rn_statements_try(struct rn_script *script);
/* view_import.c: finds what files of views and `use` lines (nothing else) would change. u: opened
 * with any text. False: there are errors, which are in u->diag, or the system refuses (err). */
struct rn_import_file {
	const char *name, *text;
	size_t len;
};
bool rn_script_import(struct rn_script *script, const struct rn_import_file *file, unsigned n,
		      struct rn_view_change **change, unsigned *nc, struct rn_err *err);

/* ---- script.c ---- */

/* Does plan, or a nested query, read this machine's live events? Then -c and -p apply to it. */
bool rn_plan_is_live(const struct rn_plan *plan);
#endif
