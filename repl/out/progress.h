/* progress.h - one line on the terminal of stderr that tells a query's progress. It is written over
 * itself, and erased before anything else is printed. It sits between the coordinator and a
 * consumer of rows, and counts the rows. */
#ifndef RN_REPL_OUT_PROGRESS_H
#define RN_REPL_OUT_PROGRESS_H
#include "exec/coord/coord.h"
#include "repl/terminal/terminal.h"

struct rn_progress {
	const struct rn_output *to;
	FILE *f;
	unsigned width; /* of the terminal; 0: unknown */
	bool apart;     /* rows go elsewhere and do not push the line away */
	bool groups;    /* rows come at the end only, or with a window */
	bool waits;     /* only the wait for nodes is shown */
	bool shown;
	int64_t rows, told; /* told: the rows when the line was last due */
	int64_t begin_ns;
	int64_t first_ns; /* epoch: events count from then on; 0: from the beginning */
};

/* For a wait for nodes alone, without rows. term is that of stderr. */
void rn_progress_begin(struct rn_progress *progress, const struct rn_terminal *term);
/* Returns the output to give to the coordinator in place of `to`. progress and `to` must last as
 * long as it. term is that of stderr. */
struct rn_output rn_progress_output(struct rn_progress *progress, const struct rn_output *to,
				    const struct rn_terminal *term);
/* Events count from first_ns on; shows that at once. */
void rn_progress_first(struct rn_progress *progress, int64_t first_ns);
/* Shows the line, which is due. status->seen: events so far; 0: unknown. If status->waits: which
 * nodes the query waits for. */
void rn_progress_show(struct rn_progress *progress, const struct rn_fleet_status *status);
/* Writes the state of a fleet's nodes: "3 nodes attached, 2 answering, 1 late; "; nothing without a
 * fleet. Returns as snprintf. */
int rn_progress_nodes(char *to, size_t n, const struct rn_fleet_status *status);
void rn_progress_erase(struct rn_progress *progress);
#endif
