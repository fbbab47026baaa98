/* script.h - from a text to statements that are checked and may run: what the program, the prompt
 * and the library do alike.
 *
 * All statements of a text are checked before the first one runs. The exception is a query over a
 * recording that an earlier statement of the same text is going to write: its catalogue does not
 * exist yet, so it is checked when its turn comes. If that is a `let`, so are the queries behind
 * it, which may read its result.
 *
 * Life: rn_script_open, rn_script_parse, rn_script_check, then each job in its order,
 * rn_script_close. What is wrong with the text is in u->diag; what the system refuses in an rn_err.
 */
#ifndef RN_REPL_ENGINE_SCRIPT_H
#define RN_REPL_ENGINE_SCRIPT_H
#include "repl/engine/engine.h"
#include "repl/engine/stages.h"

/* A query that is kept running (continuous.h): its groups come in windows; its rows as they are;
 * its table is read again and again. */
enum rn_continuous_kind {
	RN_CONTINUOUS_NOT,
	RN_CONTINUOUS_WINDOWS,
	RN_CONTINUOUS_ROWS,
	RN_CONTINUOUS_TABLE
};
struct rn_statement { /* one statement */
	const struct rn_ast_stmt *stmt;
	const char *text; /* VIEW: canonical, as saved; ASSERT: canonical */
	/* VIEW, DROP: what becomes of what is saved */
	struct rn_view_change *change;
	unsigned nchanges;
	/* the first of views and drops that stand together: how many changes they make, from its
	 * own on */
	unsigned together;
	struct rn_plan *plan; /* QUERY, EXPLAIN */
	/* which the places of the statement are in: that of the text, or of a check of its own */
	struct rn_diag *diag;
	bool deferred;                  /* not checked yet: see above */
	struct rn_let *let;             /* LET: lets.h */
	struct rn_assertion *assertion; /* ASSERT: assert.h */
	enum rn_continuous_kind kept;   /* QUERY, of a text whose queries are kept running */
};
struct rn_script_lets;
struct rn_script { /* one text */
	struct rn_engine *e;
	struct rn_arena *arena;
	struct rn_diag *diag;
	const char *name, *text;
	size_t len;
	uint16_t src;
	struct rn_names names;
	const struct rn_ast_file *file;
	struct rn_script_lets *lets; /* lets.h */
	bool broken; /* one of its lets is wrong: queries behind it are not planned */
	/* live queries are ended from outside: a `let` need not say for how long */
	bool ends;
	/* parameters that the text declares; with values once it is checked */
	struct rn_param *declared;
	struct rn_statement *jobs;
	unsigned njobs;
	struct rn_trace_catalogs *traces;
	/* > 0: queries are to be kept running, in windows of this length if they have none of their
	 * own */
	int64_t every_ns;
	bool every_asked; /* by the user: queries that have windows are an error */
	/* of an import: the view being checked, as it stands in its file (rn_view_change.source);
	 * NULL */
	const char *view_source;
	struct rn_viewset *saved; /* what would be saved, were all checked changes made */
	/* A stage of a query is over: false ends its checks there. NULL: not wanted. */
	bool (*stage)(void *self, const struct rn_compiled *c, enum rn_dump_stage_id id,
		      struct rn_err *err);
	void *stage_self;
};

/* name: "query", "file.rnl", for messages. params: "NAME=VALUE", NULL-terminated, or NULL. All of
 * them outlive u. */
void rn_script_open(struct rn_script *u, struct rn_engine *e, const char *name, const char *text,
		    size_t len, const char *const *params);
void rn_script_close(struct rn_script *u);
/* False: there are syntax errors. */
bool rn_script_parse(struct rn_script *u);
/* The first of the params given that the text has no use for; NULL: none. *near: what was perhaps
 * meant; NULL: that is not known. */
const char *rn_script_stray(const struct rn_script *u, const char **near);
/* Checks all, and makes names known to the statements behind; false: diag has errors, or the system
 * refused (err). */
bool rn_script_check(struct rn_script *u, struct rn_err *err);
/* What is to run asks nodes that exist; false: diag has errors. Of deferred jobs that is found when
 * they run. */
bool rn_script_check_nodes(struct rn_script *u);
/* What is to run may write its recordings; false: diag has errors. Of deferred jobs, and of files
 * that the text itself writes before, that is found when they run. */
bool rn_script_check_into(struct rn_script *u);
/* Checks a deferred job; its errors are in *diag, which is a new one. */
bool rn_script_check_deferred(struct rn_script *u, struct rn_statement *job, struct rn_diag **diag,
			      struct rn_err *err);
/* Adds to unknown names in d that are views of a module: which. */
void rn_script_hint_modules(const struct rn_script *u, struct rn_diag *d);
/* All that is wrong is that the system would not tell: the query may be right. */
bool rn_script_system_refused(const struct rn_diag *d);

/* statements.c: checks one statement and makes its names known; what is wrong is reported to
 * u->diag. A negative errno if the system refuses (a dump of BPF). */
int rn_statement_check(struct rn_script *u, const struct rn_ast_stmt *st, struct rn_statement *job,
		       struct rn_err *err);
/* Runs a `view` or a `drop`, the first of them for all that stand together: they change the
 * catalogue in one transaction. 0; 1: what is saved by now does not allow it (*diag, which is a new
 * one, says why); or a negative errno. */
int rn_statement_store(struct rn_script *u, const struct rn_statement *job, struct rn_diag **diag,
		       struct rn_err *err);
/* Views and drops that stand together, with no other statement than `use` between, are one change:
 * fills in change and together, and checks each over what the ones before leave. Called once all
 * statements have been checked. */
bool rn_statements_try(struct rn_script *u);
/* view_import.c: what files of views and `use` lines (nothing else) would change; errors are in
 * u->diag. u: opened with any text. False: there are errors, or the system refuses (err). */
struct rn_import_file {
	const char *name, *text;
	size_t len;
};
bool rn_script_import(struct rn_script *u, const struct rn_import_file *f, unsigned n,
		      struct rn_view_change **c, unsigned *nc, struct rn_err *err);
/* Reads this machine's events now, itself or in a nested query: what -c and -p are about. */
bool rn_plan_is_live(const struct rn_plan *p);
#endif
