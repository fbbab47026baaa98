/* query.h - runs one planned query: its rows, its ledger, and how it is kept running. */
#ifndef RN_REPL_CLI_QUERY_H
#define RN_REPL_CLI_QUERY_H
#include "repl/cli/session.h"

/* Prints ledgers to f, as text or (format JSON) as one line. */
void rn_ledger_print(FILE *f, const struct rn_ledgers *ledgers, const struct rn_options *options);
/* A query that is kept running: continuous.c. Members as in struct rn_run_opts. */
struct rn_continuous {
	void *self;
	const struct rn_output *out; /* where rows go; NULL: a printer */
	/* *told: what to tell the user about this window, on the heap. */
	int (*window)(void *self, const struct rn_window_end *end, char **told);
	/* Called before the first row with the plan and the length of its windows (its own or the
	 * options'). A plan without windows is then refused. NULL: not wanted. */
	void (*plan)(void *self, const struct rn_plan *plan, int64_t every_ns);
	void (*begun)(void *self); /* called when all is attached; NULL: not wanted */
};
/* how a query differs from one that shows its rows as the options say */
struct rn_how {
	const struct rn_format *format; /* NULL: that of the options */
	const char *path;               /* of outputs; NULL: s->to */
	struct rn_outputs *outputs;
	/* rows go there and are not shown; NULL: they are shown */
	const struct rn_output *out;
	struct rn_let_result *keep;          /* rows are also kept there; NULL: nowhere */
	const struct rn_continuous *keeping; /* it is kept running; NULL: it runs once */
	/* "let slow": named in its ledger, which is printed only if it has something to tell; or
	 * NULL */
	const char *about;
	/* of the query's text: shows there what the system refuses */
	struct rn_diag *diag;
	const struct rn_script *text; /* the query's text; never NULL */
	bool complete;                /* result: the ledger says that the answer is complete */
};

/* Runs a planned query; returns the exit status. */
int rn_query_run(struct rn_session *session, struct rn_arena *arena, struct rn_plan *plan,
		 struct rn_how *how);

/* ---- rows_told.c: what the rows of a table do not say; nothing with -q ---- */

/* On a terminal, prints the number of rows below them: "(6 rows)". Not for aggregates without `by`,
 * nor for windows that are drawn in place. */
void rn_rows_count(const struct rn_session *session, const struct rn_printer *printer,
		   const struct rn_plan *plan);
/* If there are none, says on stderr what was seen, and what none of it had. */
void rn_rows_none(const struct rn_session *session, const struct rn_printer *printer,
		  const struct rn_plan *plan, const struct rn_ledgers *ledgers,
		  struct rn_arena *arena);
/* Says on stderr which columns the table left out. */
void rn_rows_hidden(const struct rn_session *session, const struct rn_printer *printer);

/* ---- continuous.c ---- */

/* Runs the view that the options name until the user ends it; rows and windows go to continuous. */
int rn_continuous_run(struct rn_session *session, struct rn_continuous *continuous);
#endif
