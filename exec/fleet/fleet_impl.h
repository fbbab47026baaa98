/* fleet_impl.h - what the files of a fleet share.
 *
 * Calls go down these floors:
 *     fleet.c                            begin, end
 *     query.c, read_clocks.c             a query over all members; their clocks
 *     turn.c                             one turn over all links
 *     discovery.c, receive.c             members through NATS; what nodes send
 *     keepalive.c
 *     member_link.c                      hello, loss, coming back
 *     member_clock.c, net.c, below.c
 *     status.c                           how nodes stand */
#ifndef RN_EXEC_FLEET_FLEET_IMPL_H
#define RN_EXEC_FLEET_FLEET_IMPL_H
#include "exec/clock/clock.h"
#include "exec/wire/codec.h"
#include "exec/fleet/fleet.h"
#include "exec/link/link.h"
#include "exec/nats/nats.h"
#include <poll.h>

/* of a member's link; GREETING: started, hello and clock reading under way */
enum rn_link_state { RN_M_DOWN, RN_M_GREETING, RN_M_READY };
/* a member's part in the query */
enum rn_part {
	RN_PART_NONE,
	RN_PART_ASKED,
	RN_PART_ACCEPTED,
	RN_PART_RUNNING,
	RN_PART_ENDED,
	RN_PART_FAILED
};

/* a message with partial states of a window */
struct rn_staged {
	struct rn_staged *next;
	uint64_t number;
	size_t n;
	unsigned char bytes[];
};

enum { RN_SHIFTS = 8 };
/* the node adds ns to its event clock for rows from from_ns on */
struct rn_clock_correction {
	int64_t from_ns, ns;
};

/* The connection to a member. Times are monotonic. */
struct rn_member_link {
	struct rn_link *io; /* NULL: down */
	enum rn_link_state state;
	int64_t since_ns, heard_ns, pinged_ns; /* state entered, last message, last ping */
	int64_t retry_ns;
	unsigned tries;           /* when to try again */
	uint64_t seq;             /* number of the next frame */
	unsigned polls_at, polls; /* its descriptors in the fleet's list */
	bool news;                /* a descriptor is ready */
	bool waits;               /* the node has sent too much, and is not read now */
	bool more;                /* not all that arrived was taken */
	/* bytes that may be read of it now; since when, 0: it has all */
	int64_t credit, credit_ns;
};
/* How it was found through NATS. */
struct rn_member_discovery {
	bool is_wildcard, found; /* a line `*`; a member that it found */
	bool share;              /* a relay that shares found nodes with others */
	bool lost_its_nodes; /* a relay that was lost or refused: see rn_fleet_take_back_nodes */
	enum rn_nats_kind kind;
	const char *duplicate_of; /* where two nodes of this name are; NULL: the name is unique */
	unsigned round;           /* when it was found */
	unsigned relay_plus1;     /* the relay that asks it for us, plus 1; 0: we ask it */
	unsigned nodes_below;     /* of a relay */
};
struct rn_member_clock {
	unsigned number; /* in the fleet's clocks */
	unsigned trips;
	uint64_t read_trips; /* this many round trips are wanted before its clock is shown */
	int64_t base_ns;     /* of the agent's event clock; 0: not known */
};
/* Its part in a query; begins with each one (rn_member_begin). */
struct rn_member_query {
	bool chosen;
	bool asked_for_nodes_below; /* a relay, because a word of `on` may mean a node below it */
	const char *const *on;      /* for a relay: which of its nodes */
	enum rn_part part;
	int64_t part_ns;                 /* monotonic: part entered */
	int64_t rows;                    /* handed on as they arrived */
	int64_t begin_ns, mark_ns, seen; /* mark: watermark; INT64_MIN: none yet */
	int64_t first_ns;                /* when the first connection began; 0: none did */
	/* for a relay: since when a node below has missed something; INT64_MAX: none has */
	int64_t whole_ns;
	/* a connection of this query was lost: complete until then; 0: never lost */
	int64_t lost_until_ns;
	bool was_lost;
	int64_t joined_ns; /* when the last connection began, if late */
	/* events of windows delivered without them; those windows, INT64_MAX: none */
	int64_t late, late_from_ns, late_to_ns;
	/* corrections in its rows' times; the latest last */
	struct rn_clock_correction shifts[RN_SHIFTS];
	unsigned nshifts;
	/* for a relay: nodes below that answer, are late, are whole */
	unsigned answering_below, late_below, whole_below;
	/* for a relay: nodes below with a whole part of the window that ends at mark */
	unsigned in_window;
	/* for a relay, in its words: the nodes below; why not all are in that window. On the heap,
	 * or NULL */
	char *below, *missing;
	/* counts of the ledger: last sent on this connection; on those that were lost */
	int64_t counts[RN_L_COUNT], counts_before[RN_L_COUNT];
	uint32_t peeked;
	struct rn_staged *staged, **staged_last;
	uint64_t staged_bytes;
	struct rn_ledger *ledgers;
	unsigned nledgers; /* in the query's arena */
	struct rn_err err; /* why it failed, or was lost */
};
struct rn_member {
	const struct rn_host_entry *host;
	bool relay, same_kernel;
	struct rn_member_link link;
	struct rn_member_discovery discovery;
	struct rn_member_clock clock;
	struct rn_member_query query;
};

/* A node behind a relay, as its trips tell. */
struct rn_downstream_node {
	const char *name;
	unsigned clock;
	struct rn_clock_correction shifts[RN_SHIFTS];
	unsigned nshifts;
};
/* a trip to tell the node above; member: whose shift goes with it; -1: it has one */
struct rn_pending_trip {
	char *node, *through;
	struct rn_round_trip trip;
	int member;
};

struct rn_keepalive; /* keepalive.c */

struct rn_fleet {
	struct rn_keepalive *keep;
	/* monotonic: no node is late or silent until then, as this side did not listen */
	int64_t excused_ns;
	struct rn_fleet_opts opts;
	struct rn_member *members;
	unsigned n;
	struct rn_member *grown;
	unsigned cap_members;     /* of m, once members were added */
	struct rn_net *nets;      /* connections to NATS */
	void *names;              /* names of members: tsearch */
	struct rn_arena *arena;   /* lives as long as the fleet */
	struct rn_arena *scratch; /* for one message */
	/* The last staged message, decoded: most windows are one message, and are handed on right
	 * after it. */
	/* held_number 0: none */
	struct rn_arena *held_in;
	struct rn_frame held;
	uint64_t held_number, staged_number;
	int64_t base_ns;          /* our event clock: CLOCK_MONOTONIC plus this */
	struct rn_clocks *clocks; /* a node for each member */
	struct rn_downstream_node *below;
	unsigned nbelow, below_cap;
	struct rn_pending_trip *told;
	unsigned ntold, told_cap; /* for a relay */
	bool align_rows;          /* align the nodes' times as rows come in */
	unsigned last_found;      /* the member whose row was aligned last */
	unsigned char *buf;
	size_t cap;
	struct pollfd *fds;
	unsigned cap_fds;
	int64_t tended_ns, swept_ns;
	/* the query */
	struct rn_arena *qa;
	const struct rn_fragment *frag; /* NULL: none */
	const char *const *on;          /* which nodes */
	uint32_t query;
	struct rn_sink sink;
	struct rn_sink *peek;
	uint32_t peek_number;
	bool started, stopping;
	/* a call waits for nodes since then (monotonic); 0: none does. tell_ns: when to say so */
	int64_t waits_ns, tell_ns;
	void (*waiting)(void *self, const struct rn_fleet_status *status);
	void *waiting_self;
	/* monotonic, if stopping; put off by the time in which this side did not listen */
	int64_t stop_ns;
	int64_t deadline_ns;        /* how long nodes are waited for after stop_ns */
	int64_t first_ns, until_ns; /* for a fragment that is held; else 0 */
	int64_t began_ns;           /* when it was started here */
	int64_t delivered_until_ns; /* windows before this are delivered */
	int refused;                /* negative errno of the sink */
	unsigned sender;            /* the member whose rows the sink gets */
	struct rn_err sink_err;
};

/* ---- status.c ---- */

/* Sets member->chosen: is the member among `on NODES`? */
void rn_member_choose(const struct rn_fleet *fleet, struct rn_member *member,
		      const char *const *nodes);
/* How many chosen members have a part between these two. */
unsigned rn_fleet_parts(const struct rn_fleet *fleet, enum rn_part from, enum rn_part to);
/* Has its next window been due for longer than windows wait? */
bool rn_member_late(const struct rn_fleet *fleet, const struct rn_member *member, int64_t now);
/* Does the query read a table once, and end by itself? */
bool rn_fleet_once(const struct rn_fleet *fleet);
/* Should the query have ended, and have nodes had their time? */
bool rn_fleet_overdue(const struct rn_fleet *fleet);

/* Around a wait for nodes: begin, told in each turn, end. */
void rn_fleet_wait_begin(struct rn_fleet *fleet);
void rn_fleet_wait_told(struct rn_fleet *fleet);
void rn_fleet_wait_end(struct rn_fleet *fleet);

/* ---- below.c: what a relay tells of the nodes below it; NULL: nothing ---- */

void rn_member_names(struct rn_member *member, const char *names);
void rn_member_missing(struct rn_member *member, const char *names); /* m->in_window is set */
/* Makes a copy of err the member's member->err. */
void rn_member_wrong(struct rn_member *member, const struct rn_err *err);

/* ---- net.c ---- */

/* A connection to NATS. */
struct rn_net {
	struct rn_net *next;
	const char *spec;
	struct rn_nats *nats; /* NULL: err says why */
	struct rn_err err;
	bool old; /* closed for good; links may still be on it */
	int64_t tried_ns, asked_ns, gathered_ns;
	unsigned round;       /* of discovery */
	unsigned unspeakable; /* names that a query cannot name */
};
/* Prefix of the names of relays that share. It keeps them apart from the names of nodes, and their
 * clocks too. */
#define RN_RELAY_NAME "relay "
struct rn_net *rn_net_of(struct rn_fleet *fleet, const char *spec);
/* The connection behind a spec, opened if necessary. NULL: err. */
struct rn_net *rn_net_up(struct rn_fleet *fleet, const char *spec, struct rn_err *err);
struct rn_transport *rn_member_dial(struct rn_fleet *fleet, struct rn_member *member,
				    struct rn_err *err);
unsigned rn_fleet_net_polls(struct rn_fleet *fleet, struct pollfd *fds); /* at most 16 */
void rn_fleet_nets_close(struct rn_fleet *fleet);

/* ---- member_clock.c ---- */

void rn_member_clock_begin(struct rn_fleet *fleet, struct rn_member *member, int64_t base_ns);
void rn_member_trip(struct rn_fleet *fleet, struct rn_member *member, int64_t sent_ns,
		    int64_t node_ns, int64_t received_ns);
/* Takes a relay's trip to a node behind it. */
int rn_member_trip_below(struct rn_fleet *fleet, struct rn_member *member,
			 const struct rn_round_trip *trip);
void rn_fleet_clock_begin(struct rn_fleet *fleet); /* a query begins */
void rn_fleet_clock_end(struct rn_fleet *fleet);   /* the fleet ends */
int64_t rn_member_shift(struct rn_fleet *fleet, struct rn_member *member);
void rn_member_align_rows(struct rn_fleet *fleet, struct rn_member *member, struct rn_rows *rows);
void rn_member_clock_ledger(struct rn_fleet *fleet, const struct rn_member *member,
			    struct rn_ledger *ledger);

/* ---- member_link.c ---- */

void rn_member_init(struct rn_fleet *fleet, struct rn_member *member,
		    const struct rn_host_entry *host);
/* Empties the member's part in a query: the next one begins. */
void rn_member_begin(struct rn_member *member);
/* Starts the link. A failure is noted in the member. */
void rn_member_connect(struct rn_fleet *fleet, struct rn_member *member);
void rn_member_send(struct rn_fleet *fleet, struct rn_member *member, uint32_t query,
		    struct rn_frame *frame);
void rn_member_hello(struct rn_fleet *fleet, struct rn_member *member);
void rn_member_ping(struct rn_fleet *fleet, struct rn_member *member);
void rn_member_ask(struct rn_fleet *fleet, struct rn_member *member); /* sends the fragment */
/* The link is gone. If it was a relay's, rn_fleet_take_back_nodes asks its nodes directly. */
void rn_member_lost(struct rn_fleet *fleet, struct rn_member *member, const struct rn_err *err);
/* The member's part is over; the link stays. */
void rn_member_failed(struct rn_member *member, const struct rn_err *err);
void rn_member_unstage(struct rn_member *member);
void rn_member_tend(struct rn_fleet *fleet,
		    struct rn_member *member); /* pings, silence, coming back */

/* ---- keepalive.c: a thread that pings while the fleet's own thread is elsewhere ---- */

/* Enter and leave are not nested. Between them the fleet belongs to the caller alone. */
struct rn_keepalive *rn_keepalive_create(struct rn_fleet *fleet);
void rn_keepalive_destroy(struct rn_keepalive *keepalive);
void rn_keepalive_enter(struct rn_keepalive *keepalive);
void rn_keepalive_leave(struct rn_keepalive *keepalive);

/* ---- receive.c ---- */

/* How long until the member may be read again; 0: now. */
int64_t rn_member_wait_ns(struct rn_fleet *fleet, struct rn_member *member);
/* Takes all that has come. Returns 0, or a negative errno: the link has been given up. */
int rn_member_take(struct rn_fleet *fleet, struct rn_member *member);
int rn_member_merge(struct rn_fleet *fleet, struct rn_member *member); /* hands on what is staged */
void rn_fleet_unhold(struct rn_fleet *fleet);

/* ---- discovery.c ---- */

/* Finds the members behind NATS, before members are chosen. Members may move in memory. */
void rn_fleet_gather(struct rn_fleet *fleet);
void rn_fleet_news(struct rn_fleet *fleet); /* the same at each turn of a query, without waiting */
/* Gives one ledger for each line `*` that announced names without an answer: all names in one
 * line. */
void rn_fleet_doubts(struct rn_fleet *fleet,
		     void (*each)(void *self, const struct rn_ledger *ledger), void *self);
void rn_fleet_divide(struct rn_fleet *fleet); /* divides chosen members among relays */
/* From now on, asks the nodes of lost relays directly. */
void rn_fleet_take_back_nodes(struct rn_fleet *fleet);
void rn_fleet_names_free(struct rn_fleet *fleet);

/* ---- turn.c ---- */

/* Makes one turn over all links; waits for news. Returns 0, or what the sink refused with. */
int rn_fleet_turn(struct rn_fleet *fleet, int timeout_ms);
/* Starts the links of chosen members that are down, then says hello. */
void rn_fleet_greet(struct rn_fleet *fleet);
#endif
