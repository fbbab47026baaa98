/* session.h - one run of the program: its engine (repl/engine/engine.h), its options, and where
 * rows go. */
#ifndef RN_REPL_CLI_SESSION_H
#define RN_REPL_CLI_SESSION_H
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

/* Opens the file of -O, once the first row may come: a wrong query leaves the file as it
 * was, and so does what reads one of these recordings (NULL: none) if it is one of them. */
int rn_session_output(struct rn_session *s, const struct rn_trace_catalogs *read,
		      struct rn_err *err);
/* "runnel: TEXT" and the hint on stderr. */
void rn_complain(const struct rn_session *s, const struct rn_err *err);

#endif
