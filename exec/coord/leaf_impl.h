/* leaf_impl.h - a plan's own fragment while it runs, shared by the files leaf*.c. */
#ifndef RN_EXEC_COORD_LEAF_IMPL_H
#define RN_EXEC_COORD_LEAF_IMPL_H
#include <time.h>
#include "exec/node/agent.h"
#include "exec/groups/cover.h"
#include "exec/answer/answer.h"
#include "exec/coord/coord_impl.h"
#include "exec/coord/leaf.h"
#include "exec/fleet/fleet.h"
#include "exec/groups/merge.h"
#include "exec/coord/reorder.h"
#include "exec/groups/stage.h"

struct rn_leaf_member { /* one node's agent and its way up */
	const char *name;
	struct rn_agent *agent;
	struct rn_loopback *hop;
	bool ended;
	bool failed;
	struct rn_err err; /* if failed */
	int64_t begin_ns;
	struct rn_leaf *leaf;
	/* For raw fragments: the coordinator's work on this node's rows, so that its rates are
	 * divided by what it has covered. NULL: the node does it. */
	struct rn_stage *stage;
	struct rn_covered covered;
};

struct rn_leaf_branch {
	struct rn_relay *relay;
	struct rn_loopback *hop;
};

struct rn_leaf { /* a plan's own fragment while it runs */
	struct rn_arena *arena;
	struct rn_plan *plan;
	/* what the nodes run: the plan's fragment, with windows if its rows have some */
	struct rn_fragment *frag;
	struct rn_answer_sink to;
	const struct rn_run_opts *opts;
	struct rn_err *err;
	bool live;
	struct rn_fleet *fleet; /* NULL: the agents in m */
	struct rn_ledgers *all; /* while ledgers come in */
	struct rn_nulls *nulls; /* rn_answer_nulls; of all its windows */
	struct rn_ran *span;
	struct rn_leaf_member *members;
	unsigned n; /* m[n]: for the fleet's rows */
	struct rn_leaf_branch *branches;
	unsigned nb;
	struct rn_reorder *reorder; /* rows of a fleet that are shown as they arrive */
	/* raw fragments of a fleet: the node of a row is unknown */
	struct rn_span_ns fleet_span;
	struct rn_cover fleet_cover;
	struct rn_groups *groups, *peek; /* peek: while a snapshot is taken */
	struct rn_answer *answer;
	/* for a fleet's rows that wait for their order; NULL: all rows fit */
	struct rn_room *room;
	/* leaf_windows.c: windows of rows, the earliest first */
	struct rn_rows_window *open;
	unsigned nopen;
	int64_t giving_ns; /* the start of the window that is being given */
	bool snapshots;
	int refused;      /* negative errno of a consumer */
	int64_t until_ns; /* for a query that is held: its end; else 0 */
	/* shed: rows beyond what a window of them may hold */
	int64_t begin_ns, mark_ns, other, late, shed;
	/* results of more than 64 bits, events left out: for a query over rows at the
	 * coordinator */
	int64_t overflow, unpaired;
	/* the same for windows of rows that have been given */
	int64_t given_overflow, given_unpaired;
	int64_t given_forgotten;   /* hops that the flows of such windows have forgotten */
	int64_t reported_until_ns; /* the consumer knows of windows before this */
	struct rn_window_node *part;
	unsigned nparts, cap_parts; /* while the consumer reads them */
};

/* ---- leaf_sink.c ---- */

/* Take finished rows and partial states. self is the leaf. */
int rn_leaf_rows(void *self, const struct rn_rows *rows);
int rn_leaf_partials(void *self, const struct rn_partials *partials);
/* The sink of a node or the fleet; and the one for rows that are in order. */
struct rn_sink rn_leaf_sink_in(struct rn_leaf_member *member);
struct rn_sink rn_leaf_sink_ordered(struct rn_leaf_member *member);
/* Are there windows, and do they end as time passes? Not in a recording or a result, which begin
 * and end with their rows. */
bool rn_leaf_by_clock(const struct rn_leaf *leaf);
/* Open, flush and show the stages of raw fragments. The last one: does any of them test
 * predicates? */
int rn_leaf_open_stages(struct rn_leaf *leaf);
int rn_leaf_flush_stages(struct rn_leaf *leaf, int64_t before_ns);
int rn_leaf_peek_stages(struct rn_leaf *leaf, const struct rn_sink *sink);
bool rn_leaf_tests(const struct rn_leaf *leaf);
int rn_leaf_deliver(struct rn_leaf *leaf, int64_t mark_ns); /* windows that end before mark_ns */

/* ---- leaf_run.c ---- */

/* Runs until the query is to end. Returns 0 or a negative errno. */
int rn_leaf_run(struct rn_leaf *leaf);
/* Makes one turn over all agents, or the fleet. 1: all have ended. */
int rn_leaf_turn(struct rn_leaf *leaf, int wait_ms);
int64_t rn_leaf_watermark(const struct rn_leaf *leaf);

/* ---- leaf_windows.c: rows of a plan whose order holds within windows ---- */

int rn_leaf_window_rows(struct rn_leaf *leaf, const struct rn_rows *rows);
/* Gives the windows that end before mark_ns. */
int rn_leaf_window_deliver(struct rn_leaf *leaf, int64_t mark_ns);
void rn_leaf_window_close(struct rn_leaf *leaf); /* forgets all windows */

/* ---- leaf_ledger.c ---- */

/* Calls o->so_far, if it is wanted. */
void rn_leaf_so_far(struct rn_leaf *leaf);
/* Adds what is counted here and not at the nodes. */
void rn_leaf_own_counts(struct rn_leaf *leaf, struct rn_ledger *sum);
/* Stops all nodes, delivers what is left, gathers the ledgers. */
int rn_leaf_end(struct rn_leaf *leaf, struct rn_ledgers *all);
/* Makes leaf->nulls. */
struct rn_nulls *rn_leaf_nulls(struct rn_leaf *leaf);
#endif
