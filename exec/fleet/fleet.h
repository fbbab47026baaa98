/* fleet.h - the nodes of a session, remote ones, and the query that they run. The coordinator and a
 * relay are built on it.
 *
 * A fleet keeps a link to each node (exec/link/link.h) from one query to the next. One query at a
 * time: open (every chosen node accepts or refuses), start, step..., finish, close. A node's part
 * of a window counts only once the node has said that the window is whole. If a node dies, the
 * answer has its complete windows, and its rows as far as they came; the ledger says until when.
 * Nodes that were absent, or died, are asked again while the query runs, and join late. Clocks:
 * with the query, each node gets a correction for its own clock, so that times are the
 * coordinator's. Nodes of this very kernel have its clock.
 *
 * One thread. Memory grows with the nodes, not with their keys: partial states are handed on as
 * soon as a window is whole. */
#ifndef RN_EXEC_FLEET_FLEET_H
#define RN_EXEC_FLEET_FLEET_H
#include "exec/clock/clock.h"
#include "exec/hosts/hosts.h"
#include "planner/plan/source.h"

/* how long the coordinator's windows wait for nodes that are behind */
#define RN_LATE_NS (5 * 1000000000LL)
#define RN_LATE_RELAY_NS (3 * 1000000000LL) /* at a relay */
/* what is read of one node a second, or for each node below a relay */
#define RN_NODE_BYTES_S (64ll << 20)
/* how long nodes may take to tell the rest after the end of a query, unless the hosts file says */
#define RN_DEADLINE_NS (10 * 1000000000LL)

struct rn_fleet;
struct rn_transport;
struct rn_fleet_opts {
	const struct rn_hosts *hosts;        /* outlives the fleet */
	const char *program, *asker, *place; /* "runnel 0.1.0"; user@host; rn_place_here() */
	int64_t lease_ns, late_ns;
	int64_t node_bytes_s; /* 0: RN_NODE_BYTES_S */
	/* for a relay: `local` in a query means the coordinator's machine, not the relay's */
	bool below;
	/* event clock: CLOCK_MONOTONIC plus this; 0: to be read now */
	int64_t base_ns;
	int64_t shift_ns; /* for a relay: the correction of its own clock */
	/* for a relay: how many relays stand above the nodes of its fleet */
	unsigned depth;
	/* for a relay: late windows are passed on; the node above decides whether they are too
	 * late */
	bool pass_late;
	/* becomes nonzero: stop waiting for nodes that have not accepted */
	const volatile int *stop;
	/* Makes the transport to a node without a command; NULL: by its entry. The link takes the
	 * transport. NULL: err. */
	struct rn_transport *(*dial)(void *self, const struct rn_host_entry *entry,
				     struct rn_err *err);
	void *dial_self;
};
/* copies the options; opens nothing yet */
struct rn_fleet *rn_fleet_create(const struct rn_fleet_opts *opts);
void rn_fleet_destroy(struct rn_fleet *fleet);
/* between queries: replaces the one of its options */
void rn_fleet_set_stop(struct rn_fleet *fleet, const volatile int *stop);
/* how many nodes `on NODES` chooses; NULL: all */
unsigned rn_fleet_count(struct rn_fleet *fleet, const char *const *nodes);

enum { RN_FLEET_AWAITED = 3 };
/* whole: nodes that have missed nothing so far */
struct rn_fleet_status {
	unsigned nodes, attached, answering, late, whole;
	int64_t seen;
	/* A call waits for nodes, and the query does not run yet. Some nodes are ready, some have
	 * failed, and others are awaited. `awaited` names the first of these; reached_by says how
	 * the first of all is reached, as its line of the hosts file does (valid as long as the
	 * fleet). */
	bool waits;
	unsigned ready, failed, nawaited;
	const char *awaited[RN_FLEET_AWAITED], *reached_by;
	int64_t waited_ns;
};
/* Calls waiting about twice a second while rn_fleet_open, rn_fleet_start, rn_fleet_count or
 * rn_fleet_read_clocks waits for nodes. NULL: nobody wants to know. */
void rn_fleet_on_wait(struct rn_fleet *fleet,
		      void (*waiting)(void *self, const struct rn_fleet_status *status),
		      void *self);

enum { RN_NAMES_BYTES = 600 }; /* of rn_fleet_names and rn_fleet_missing */

struct rn_round_trip;

/* ---- query.c ---- */

/* Sends a fragment to the chosen nodes and waits until each has accepted or refused. sink gets rows
 * as they come, and partial states of whole windows. Returns 0 if at least one has accepted; else a
 * negative errno, and err says why each did not, as far as there is room. */
int rn_fleet_open(struct rn_fleet *fleet, const struct rn_fragment *frag, const char *const *nodes,
		  const struct rn_sink *sink, struct rn_err *err);
/* For a fragment that is held, before start: the answer has the events from first_ns to until_ns. A
 * node that attaches after first_ns is late. */
void rn_fleet_hold(struct rn_fleet *fleet, int64_t first_ns, int64_t until_ns);
/* returns once every node that accepted has attached or failed */
int rn_fleet_start(struct rn_fleet *fleet, struct rn_err *err);
/* when the first node had attached; 0: none has */
int64_t rn_fleet_begin(const struct rn_fleet *fleet);
/* Takes what has come; waits at most timeout_ms for it. Returns 1 if all nodes have ended by
 * themselves; negative: the sink refused. */
int rn_fleet_step(struct rn_fleet *fleet, int timeout_ms, struct rn_err *err);
/* Every node except late ones has delivered all windows before this time. INT64_MIN: nothing yet;
 * INT64_MAX: all have ended. From now on, partial states of windows before it are late. */
int64_t rn_fleet_watermark(struct rn_fleet *fleet);
/* gives the groups so far of all nodes that answer within a second */
int rn_fleet_peek(struct rn_fleet *fleet, const struct rn_sink *sink, struct rn_err *err);
/* Calls each with a ledger for every chosen node, valid until it returns. The ledger has the node's
 * last counts and watermarks (older agents tell only seen and matched), whether the node has
 * answered so far, and if not, why. A relay speaks for the nodes below it. */
void rn_fleet_so_far(struct rn_fleet *fleet,
		     void (*each)(void *self, const struct rn_ledger *ledger), void *self);
/* For a relay, before the end: the node above waits wait_ns for it. Its own nodes then get less, so
 * that their reports come in time. 0: not known. */
void rn_fleet_within(struct rn_fleet *fleet, int64_t wait_ns);
/* Stops the query everywhere and takes what is left, until the deadline of the hosts file. Then it
 * gives up the nodes that have not ended, whatever they still send. It does the same once the stop
 * flag changes. each gets a ledger of each node, valid until it returns. Negative: the sink
 * refused. */
int rn_fleet_finish(struct rn_fleet *fleet,
		    void (*each)(void *self, const struct rn_ledger *ledger), void *self,
		    struct rn_err *err);
/* When the query began on each node known by now, by the clock of its rows. If only a relay's time
 * is known, it holds for those below it: node is NULL. */
void rn_fleet_attached(const struct rn_fleet *fleet,
		       void (*each)(void *self, const char *node, int64_t begin_ns), void *self);
void rn_fleet_close(struct rn_fleet *fleet); /* ends the query, if there is one; links stay */

/* ---- status.c ---- */

/* Calls each for every member, also for those that were found. reached: its agent has greeted, and
 * is linked now. why: the last error, or "". */
void rn_fleet_members(const struct rn_fleet *fleet,
		      void (*each)(void *self, const struct rn_host_entry *entry, bool reached,
				   const char *why),
		      void *self);
/* while the sink gets rows: the number of their member */
unsigned rn_fleet_sender(const struct rn_fleet *fleet);
void rn_fleet_status(const struct rn_fleet *fleet, struct rn_fleet_status *status);
/* Calls each for every member that runs the query: is its part of the window that ends at mark_ns
 * whole? The arguments live until it returns. */
void rn_fleet_window(const struct rn_fleet *fleet, int64_t mark_ns,
		     void (*each)(void *self, const struct rn_window_node *node), void *self);
int64_t rn_fleet_now(const struct rn_fleet *fleet); /* by the clock of the answer, epoch ns */

/* ---- below.c ---- */

/* Names for the node above a relay. One lists the members that run the query, the other those whose
 * part of that window is not whole, each with its reason. `to` gets a text that fits, or "" if
 * there is none to name. `cap` is RN_NAMES_BYTES. */
void rn_fleet_names(const struct rn_fleet *fleet, char *to, size_t cap);
void rn_fleet_missing(const struct rn_fleet *fleet, int64_t mark_ns, char *to, size_t cap);

/* ---- member_clock.c ---- */

/* Clocks of the nodes (member_clock.c; the method: exec/clock/clock.h). Converts a time in a row of
 * this query to the coordinator's clock, wrong by at most *bound_ns (may be NULL;
 * RN_CLOCK_UNKNOWN_NS). Also works once the query has finished, until it is closed. */
int64_t rn_fleet_align(struct rn_fleet *fleet, const char *node, int64_t time_ns,
		       int64_t *bound_ns);
/* Takes a message from one node to another into account, by the times in their rows, and gives the
 * times back as the clocks have them. False: these are not two nodes of the fleet. */
bool rn_fleet_message(struct rn_fleet *fleet, const char *from, int64_t sent_ns, const char *to,
		      int64_t received_ns, struct rn_clock_message *out);
/* From the next query on, rows come with aligned times, as far as known when they come. Off at
 * first: alignment later is more exact, and a relay passes rows on as they are. */
void rn_fleet_align_rows(struct rn_fleet *fleet, bool on);
/* For a relay: what it has learnt of the nodes below since the last call. */
void rn_fleet_tell_trips(struct rn_fleet *fleet,
			 void (*each)(void *self, const struct rn_round_trip *trip), void *self);
struct rn_clocks *rn_fleet_clocks(struct rn_fleet *fleet);

/* ---- read_clocks.c ---- */

/* Between queries: connects to the chosen nodes without a link, and reads each clock a few times.
 * Waits for nodes that do not answer no longer than for an agent's greeting. */
void rn_fleet_read_clocks(struct rn_fleet *fleet, const char *const *nodes);
/* clock: the number in rn_fleet_clocks */
bool rn_fleet_chosen(const struct rn_fleet *fleet, unsigned clock, const char *const *nodes);

/* ---- member_link.c ---- */

/* Names this kernel and this namespace of process ids: two processes of one place see each other's
 * ids. In the arena. */
const char *rn_place_here(struct rn_arena *arena);
bool rn_place_same_kernel(const char *a, const char *b);

struct rn_relay_host { /* for rn_job_relay, exec/serve/serve.h */
	/* how to reach nodes that the coordinator names, if fleet.hosts is NULL: as behind
	 * `nats:` */
	const char *nats;
	struct rn_fleet_opts fleet; /* asker, shift_ns and stop are filled in for each query */
};
#endif
