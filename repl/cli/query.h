/* query.h - one planned query at work: its rows, its ledger, and how it is kept running. */
#ifndef RN_REPL_CLI_QUERY_H
#define RN_REPL_CLI_QUERY_H
#include "repl/cli/session.h"

/* Prints ledgers to f, as text or (format JSON) as one line. */
void rn_ledger_print(FILE *f, const struct rn_ledgers *l, const struct rn_options *o);
/* A query that is kept running: continuous.c. Members as in struct rn_run_opts. */
struct rn_continuous {
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
	struct rn_let_result *keep;          /* and are kept there; NULL: nowhere */
	const struct rn_continuous *keeping; /* it is kept running; NULL: it is run once */
	/* "let slow": its ledger says so, and is printed if there is something to tell; NULL */
	const char *about;
	/* of the text that it is of: what the system refuses is shown there */
	struct rn_diag *diag;
	const struct rn_script *text; /* that text; never NULL */
	bool complete;                /* set: the ledger says that the answer is */
};

/* Runs a planned query; returns the exit status. */
int rn_query_run(struct rn_session *s, struct rn_arena *a, struct rn_plan *p, struct rn_how *how);
/* Runs the view that the options name until it is ended; rows and windows go to k. */
int rn_continuous_run(struct rn_session *s, struct rn_continuous *k);
#endif
