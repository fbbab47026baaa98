/* fleet.h - the nodes of a session, remote ones, and the query that is put to them: what the
 * coordinator and a relay stand on.
 *
 * A fleet keeps a link to each node (exec/link/link.h) from one query to the next. One query at a
 * time: open (every chosen node accepts or refuses), start, step..., finish, close. What a node
 * says of a window counts only once it has said that the window is whole: of a node that dies,
 * complete windows are in the answer, and rows as far as they came; the ledger says until when.
 * Nodes that were not there, or died, are asked again while the query runs, and join late. Clocks:
 * each node gets with the query what to add to its own, so that times are the coordinator's; nodes
 * of this very kernel have its clock.
 *
 * One thread. Memory grows with the nodes, not with their keys: partial states are handed on as
 * soon as a window is whole. */
#ifndef RN_EXEC_FLEET_FLEET_H
#define RN_EXEC_FLEET_FLEET_H
#include "exec/clock/clock.h"
#include "exec/hosts/hosts.h"
#include "planner/plan/source.h"

/* how long a window waits for nodes that are behind, at the coordinator */
#define RN_LATE_NS (5 * 1000000000LL)
#define RN_LATE_RELAY_NS (3 * 1000000000LL) /* at a relay */
/* what is read of one node, or for one node of a relay */
#define RN_NODE_BYTES_S (64ll << 20)
/* after the end of a query: how long nodes have to tell what is left, unless the hosts file says */
#define RN_DEADLINE_NS (10 * 1000000000LL)

struct rn_fleet;
struct rn_transport;
struct rn_fleet_opts {
	const struct rn_hosts *hosts;        /* outlives the fleet */
	const char *program, *asker, *place; /* "runnel 0.1.0"; user@host; rn_place_here() */
	int64_t lease_ns, late_ns;
	int64_t node_bytes_s; /* 0: RN_NODE_BYTES_S */
	/* of a relay: `local` in a query is not its machine, but the coordinator's */
	bool below;
	/* event clock: CLOCK_MONOTONIC plus this; 0: to be read now */
	int64_t base_ns;
	int64_t shift_ns; /* of a relay: what its own clock is to be moved by */
	/* of a relay: how many relays stand above the nodes of its fleet */
	unsigned depth;
	/* of a relay: what is late goes on; who asks the relay says whether it is too late */
	bool pass_late;
	/* becomes nonzero: stop waiting for nodes that have not accepted */
	const volatile int *stop;
	/* How nodes are reached that no command leads to; NULL: by their entries. The link takes
	 * the transport. NULL: err. */
	struct rn_transport *(*dial)(void *self, const struct rn_host_entry *h, struct rn_err *err);
	void *dial_self;
};
/* copies the options; opens nothing yet */
struct rn_fleet *rn_fleet_create(const struct rn_fleet_opts *o);
void rn_fleet_destroy(struct rn_fleet *f);
/* between queries: in place of that of its options */
void rn_fleet_set_stop(struct rn_fleet *f, const volatile int *stop);
/* nodes that `on NODES` chooses; NULL: all */
unsigned rn_fleet_count(struct rn_fleet *f, const char *const *nodes);

/* Each member, those that were found too. reached: its agent has greeted, and is linked now; why:
 * what was last wrong with it, or "". */
void rn_fleet_members(const struct rn_fleet *f,
		      void (*each)(void *self, const struct rn_host_entry *h, bool reached,
				   const char *why),
		      void *self);

/* whole: have missed nothing so far */
struct rn_fleet_status {
	unsigned nodes, attached, answering, late, whole;
	int64_t seen;
};

/* Puts a fragment to the chosen nodes and waits until each has accepted or refused. sink gets rows
 * as they come and partial states of whole windows. 0: at least one has accepted; negative errno:
 * none has, and err says why the first did not. waiting: told about twice a second what stands;
 * NULL: not wanted. */
int rn_fleet_open(struct rn_fleet *f, const struct rn_fragment *frag, const char *const *nodes,
		  const struct rn_sink *sink,
		  void (*waiting)(void *self, const struct rn_fleet_status *s), void *waiting_self,
		  struct rn_err *err);
/* Before start, of a fragment that is held: events from then to then are in the answer. A node that
 * attaches later than first_ns has come late. */
void rn_fleet_hold(struct rn_fleet *f, int64_t first_ns, int64_t until_ns);
/* returns once every node that accepted has attached, or failed */
int rn_fleet_start(struct rn_fleet *f, struct rn_err *err);
/* when the first of them had attached; 0: none has */
int64_t rn_fleet_begin(const struct rn_fleet *f);
/* Takes what has come, waits at most timeout_ms for it. 1: all nodes have ended by themselves;
 * negative: the sink refused. */
int rn_fleet_step(struct rn_fleet *f, int timeout_ms, struct rn_err *err);
/* What is before it is whole, but for nodes that are late. INT64_MIN: nothing yet; INT64_MAX: all
 * have ended. From now on, partial states of windows before it are late. */
int64_t rn_fleet_watermark(struct rn_fleet *f);
/* while the sink gets rows: the number of the member that they are from */
unsigned rn_fleet_sender(const struct rn_fleet *f);
/* groups so far of all that answer within a second */
int rn_fleet_peek(struct rn_fleet *f, const struct rn_sink *sink, struct rn_err *err);
void rn_fleet_status(const struct rn_fleet *f, struct rn_fleet_status *s);
/* What each chosen node has told until now, in a ledger that is valid until the return: counts as
 * it told them last (with its watermarks; of an agent that tells fewer, seen and matched), whether
 * it has answered so far, and if not, why. A relay speaks for the nodes below it. */
void rn_fleet_so_far(struct rn_fleet *f, void (*each)(void *self, const struct rn_ledger *l),
		     void *self);
/* Each member that the query is put to: is its part of the window that ends at mark_ns whole? What
 * each gets lives until it returns. */
void rn_fleet_window(const struct rn_fleet *f, int64_t mark_ns,
		     void (*each)(void *self, const struct rn_window_node *n), void *self);
/* For who asks a relay: the names of the members that the query is put to; and of those whose part
 * of that window is not whole, with the reason of each. to gets a text that fits, "" if there is
 * none to name; cap: RN_NAMES_BYTES. */
enum { RN_NAMES_BYTES = 600 };
void rn_fleet_names(const struct rn_fleet *f, char *to, size_t cap);
void rn_fleet_missing(const struct rn_fleet *f, int64_t mark_ns, char *to, size_t cap);
/* Of a relay, before the end: who asks it waits so long for it. Its nodes then have less, so that
 * what is said of them comes in time. 0: not known. */
void rn_fleet_within(struct rn_fleet *f, int64_t wait_ns);
/* Stops the query everywhere and takes what is left, until the deadline of the hosts file: a node
 * that has not ended then is given up, whatever it still sends. So are all that have not ended once
 * the stop flag changes. each gets a ledger of each node, valid until the return. Negative: the
 * sink refused. */
int rn_fleet_finish(struct rn_fleet *f, void (*each)(void *self, const struct rn_ledger *l),
		    void *self, struct rn_err *err);
/* When the query began on each node that is known by now, by the clock of its rows. What is known
 * of a relay only holds for those below it: node is NULL. */
void rn_fleet_attached(const struct rn_fleet *f,
		       void (*each)(void *self, const char *node, int64_t begin_ns), void *self);
void rn_fleet_close(struct rn_fleet *f); /* ends the query, if there is one; links stay */

/* Clocks of the nodes (member_clock.c; what it is about: exec/clock/clock.h). A time that stands in
 * a row of this query, as the coordinator's clock has it; wrong by *bound_ns at most (may be NULL;
 * RN_CLOCK_UNKNOWN_NS). Also once the query has finished, until it is closed. */
int64_t rn_fleet_align(struct rn_fleet *f, const char *node, int64_t time_ns, int64_t *bound_ns);
/* A message that left one node and came to another one, by the times in their rows: taken into
 * account, and given back as the clocks have it. False: these are not two nodes of ours. */
bool rn_fleet_message(struct rn_fleet *f, const char *from, int64_t sent_ns, const char *to,
		      int64_t received_ns, struct rn_clock_message *out);
/* From the next query on rows come with aligned times, as far as is known when they come. Off at
 * first: whoever aligns them later gets more exact ones, and a relay passes them on as they are. */
void rn_fleet_align_rows(struct rn_fleet *f, bool on);
/* Between queries: reaches the chosen nodes that are not, and reads each clock a few times. Waits
 * for that, but for nodes that do not answer no longer than for an agent's greeting. */
void rn_fleet_read_clocks(struct rn_fleet *f, const char *const *nodes);
/* of the number in rn_fleet_clocks */
bool rn_fleet_chosen(const struct rn_fleet *f, unsigned clock, const char *const *nodes);
/* Of a relay: what has been learnt of the nodes below since the last call. */
struct rn_trip;
void rn_fleet_tell_trips(struct rn_fleet *f, void (*each)(void *self, const struct rn_trip *t),
			 void *self);
struct rn_clocks *rn_fleet_clocks(struct rn_fleet *f);

int64_t rn_fleet_now(const struct rn_fleet *f); /* by the clock of the answer, epoch ns */

/* This kernel and this namespace of process ids: two processes of one place see each other's ids.
 * In the arena. */
const char *rn_place_here(struct rn_arena *a);
bool rn_place_same_kernel(const char *a, const char *b);

struct rn_relay_host { /* of rn_job_relay, exec/serve/serve.h */
	/* how nodes are reached that the coordinator names, if fleet.hosts is NULL: as behind
	 * `nats:` */
	const char *nats;
	struct rn_fleet_opts fleet; /* asker, shift_ns and stop are filled in for each query */
};
#endif
