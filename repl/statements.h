/* statements.h - from a text to statements that are checked and may run. Internal to repl/.
 *
 * All statements of a text are checked before the first one runs. The exception is a query over a recording that an earlier
 * statement of the same text is going to write: its catalogue does not exist yet, so it is checked when its turn comes. */
#ifndef RN_REPL_STATEMENTS_H
#define RN_REPL_STATEMENTS_H
#include "repl/session.h"

struct rn_text { /* one text */
	struct rn_session *s;
	struct rn_arena *arena;
	struct rn_diag *diag;
	const char *name, *text;
	size_t len;
	uint16_t src;
	struct rn_names names;
};
struct rn_job { /* one statement, checked */
	const struct rn_ast_stmt *stmt;
	const char *text;          /* VIEW: canonical, as saved */
	struct rn_plan *plan;      /* QUERY, EXPLAIN */
	bool deferred;             /* not checked yet: see above */
};

/* Checks one statement and makes its names known; what is wrong is reported to u->diag. A negative
 * errno if the system refuses (a dump of BPF). Dumps that the options ask for go to s->to. */
int rn_statement_check(struct rn_text *u, const struct rn_ast_stmt *st, struct rn_job *job, struct rn_err *err);
/* query.c: runs a planned query; returns the exit status. */
int rn_query_run(struct rn_session *s, struct rn_arena *a, struct rn_plan *p);
/* Reads this machine's events now, itself or in a nested query: what -c and -p are about. */
bool rn_plan_is_live(const struct rn_plan *p);
#endif
