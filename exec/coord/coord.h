/* coord.h - the coordinator: runs a plan over nodes and finishes the answer on SQLite.
 *
 * The coordinator merges partial states (exec/groups) and lets exec/answer finish aggregates, order
 * and limit. Child plans run first. Their result table is the parent's source. One query per
 * object, one thread. */
#ifndef RN_EXEC_COORD_COORD_H
#define RN_EXEC_COORD_COORD_H
#include "exec/answer/output.h"
#include "planner/plan/source.h"

/* in this process; remote ones are in a fleet (exec/fleet/fleet.h) */
struct rn_node {
	const char *name;
	const struct rn_provider *provider;
};
struct rn_fleet;

/* ---- exec/fleet/status.c ---- */

struct rn_fleet_status;
struct rn_trace_catalogs; /* exec/trace/trace.h */

/* All windows that end at mark_ns or before have been given. The pointers are valid until the call
 * returns. */
struct rn_window_end {
	int64_t mark_ns;
	/* what all nodes have counted so far: a little more than these windows */
	const struct rn_ledger *sum;
	/* the nodes that were asked, and whether each is in the last window */
	const struct rn_window_node *node;
	unsigned nnodes;
	/* the last window was covered in part: the query began in it */
	bool partial;
};

struct rn_run_opts {
	const struct rn_scope *scope;
	const struct rn_node *nodes;
	unsigned nnodes;
	struct rn_fleet *fleet;           /* takes live queries; NULL: the nodes do */
	const struct rn_catalog *catalog; /* the nodes' catalogue: fragments are bound to it */
	/* 0, 1: agents report to the coordinator; n: through relays, n agents each */
	unsigned fanout;
	bool frames; /* pass every frame through the codec, as over a network */
	/* frames of a recording are bound to one of these; NULL: no frames */
	struct rn_trace_catalogs *traces;
	/* keeps a copy of what the output gets (exec/coord/let_result.h); NULL: no copy */
	struct rn_let_result *keep;
	int64_t refresh_ns;       /* how often to give snapshots; 0: never */
	const volatile int *stop; /* becomes nonzero: end the query and print what it has */
	/* called once all probes are attached: lets -c's command go; self of both */
	int (*started)(void *self);
	void *started_self;
	/* Called before `started`, when the moment is known from which on events count: the
	 * beginning of the first window. Same self; NULL: not wanted. */
	void (*first)(void *self, int64_t first_ns);
	/* Called about twice a second while a source is read, with the events seen so far (0: not
	 * counted) and how the nodes of a fleet stand (without a fleet `nodes` is 0). Same self;
	 * NULL: not wanted. */
	void (*progress)(void *self, const struct rn_fleet_status *status);
	/* the query is asked again and again: this time's rows show this window first; 0: it is
	 * not */
	int64_t turn_ns;
	/* Windows have been given. A negative return ends the query. Same self; NULL: not
	 * wanted. */
	int (*window)(void *self, const struct rn_window_end *end);
	/* What each node has counted so far (l->so_far is set), valid until the call returns.
	 * Called before each window is given, and about twice a second. Same self; NULL: not
	 * wanted. */
	void (*so_far)(void *self, const struct rn_ledgers *ledgers);
	int (*done)(void *self); /* polled: nonzero ends the query (-c's command has exited) */
};

/* ---- coord.c ---- */

/* Runs to the end. Rows go to out, the ledger to ledgers (in the arena). Returns a negative errno
 * on a system error. */
int rn_coord_run(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		 const struct rn_output *out, struct rn_ledgers *ledgers, struct rn_err *err);

#endif
