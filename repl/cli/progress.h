/* progress.h - one line on the terminal of stderr that says how far a query is, written over
 * itself, erased before anything else is printed. It stands between the coordinator and a consumer
 * of rows, which it counts. */
#ifndef RN_REPL_CLI_PROGRESS_H
#define RN_REPL_CLI_PROGRESS_H
#include "exec/coord/coord.h"
#include "repl/terminal/terminal.h"

struct rn_progress {
	const struct rn_output *to;
	FILE *f;
	unsigned width; /* of the terminal; 0: unknown */
	bool apart;     /* rows go elsewhere: they do not push the line away */
	bool groups;    /* rows come at the end only, or with a window */
	bool shown;
	int64_t rows, told; /* told: rows when the line was last due */
	int64_t begin_ns;
	int64_t first_ns; /* epoch: events count from then on; 0: from the beginning */
};

/* What to give to the coordinator in place of `to`; both must last as long as p. term is that of
 * stderr. */
struct rn_output rn_progress_output(struct rn_progress *p, const struct rn_output *to,
				    const struct rn_terminal *term);
/* Events count from then on, which is told at once. */
void rn_progress_first(struct rn_progress *p, int64_t first_ns);
/* It is due: seen is the number of events so far, 0 if that is not known. */
void rn_progress_show(struct rn_progress *p, const struct rn_fleet_status *s);
/* How the nodes of a fleet stand: "3 nodes attached, 2 answering, 1 late; "; nothing if there is
 * none. As snprintf. */
int rn_progress_nodes(char *to, size_t n, const struct rn_fleet_status *s);
void rn_progress_erase(struct rn_progress *p);
#endif
