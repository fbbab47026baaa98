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
	struct rn_engine *engine;
	bool answered; /* a query has ended */
	bool prompt;   /* queries come from the prompt */
	/* limit of descriptors as the program got it: the command of -c gets the same */
	struct rlimit files;
	/* of -c, as in a shell: it becomes the program's status if that is otherwise 0 */
	int command_status;
	/* the last text, corrected by the hints of its errors, which the prompt offers; NULL: no
	 * hint corrects it */
	char *mended;
	/* the prompt's, for finished results; NULL: none */
	struct rn_pager *pager;
	/* of `to` while it is the pager's stream (tty set), else empty */
	struct rn_terminal to_term;
};

/* Renders diag as stderr shows it. In the arena. */
const char *rn_session_diag(const struct rn_session *session, struct rn_diag *diag,
			    struct rn_arena *arena);
/* Creates a printer of the chosen format to session->to; never NULL. */
struct rn_printer *rn_session_printer(struct rn_session *session);
/* For a result that may be long, rows go to the pager: between these two calls `to` is its stream.
 * False: nothing was changed. */
bool rn_session_page(struct rn_session *session);
bool rn_session_unpage(struct rn_session *session); /* true: the reader left before the end */

/* Opens the file of -O. Call it once the first row may come, so a wrong query leaves the file as it
 * was. Refuses if the file is one of the recordings in read (NULL: none). */
int rn_session_output(struct rn_session *session, const struct rn_trace_catalogs *read,
		      struct rn_err *err);
/* Prints "runnel: TEXT" and the hint on stderr. */
/* Prints what became of saved views of an older version, if that was not told yet. */
void rn_session_carried(const struct rn_session *session);
void rn_complain(const struct rn_session *session, const struct rn_err *err);

#endif
