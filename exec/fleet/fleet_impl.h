/* fleet_impl.h - what the parts of a fleet share.
 *
 * Calls go down: fleet.c (begin, end) -> query.c (a query over all members), read_clocks.c ->
 * turn.c (one turn over all links) -> discovery.c (who is found through NATS), receive.c (what
 * nodes send) -> keepalive.c -> member_link.c (hello, loss, coming back) -> member_clock.c, net.c,
 * below.c -> status.c (how nodes stand). */
#ifndef RN_EXEC_FLEET_FLEET_IMPL_H
#define RN_EXEC_FLEET_FLEET_IMPL_H
#include "exec/clock/clock.h"
#include "exec/wire/codec.h"
#include "exec/fleet/fleet.h"
#include "exec/link/link.h"
#include "exec/nats/nats.h"
#include <poll.h>

/* of a member's link; GREETING: started, hello and clock under way */
enum rn_link_state { RN_M_DOWN, RN_M_GREETING, RN_M_READY };
/* its part in the query */
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
/* of rows from that time on: what the node adds to its event clock */
struct rn_clock_correction {
	int64_t from_ns, ns;
};

struct rn_member {
	const struct rn_host_entry *host;
	struct rn_link *link;
	enum rn_link_state state;
	enum rn_part part;
	bool chosen, relay, same_kernel;
	/* a relay that is asked because a word of `on` may mean a node below it */
	bool asked_for_nodes_below;
	const char *const *on; /* of a relay: which of its nodes */
	/* through NATS: */
	bool is_wildcard, found; /* a line `*`; one that it has found */
	bool share;              /* a relay that takes nodes as they are divided */
	/* it was lost or refused: see rn_fleet_take_back_nodes */
	bool lost_its_nodes;
	enum rn_nats_kind nats;
	const char *duplicate_of; /* where two of this name are; NULL: it is the only one */
	/* of finding it; the relay that asks it for us, plus 1; 0: we do */
	unsigned discovery_round, relay_plus1;
	int64_t rows; /* of the query, handed on as they came */
	bool more;    /* not all that has come was taken */
	/* bytes that may be read of it now; since when (monotonic), 0: it has all */
	int64_t credit, credit_ns;
	/* monotonic: state entered, last message, last ping, part entered */
	int64_t since_ns, heard_ns, pinged_ns, part_ns;
	int64_t retry_ns;
	unsigned tries; /* when to try again */
	uint64_t seq;
	unsigned trips;
	unsigned clock; /* its number in the fleet's clocks */
	/* so many round trips are wanted before its clock is shown */
	uint64_t read_trips;
	int64_t base_ns; /* of the agent's event clock; 0: not known */
	/* of the query */
	int64_t begin_ns, mark_ns, seen; /* mark: watermark; INT64_MIN: none yet */
	int64_t first_ns;                /* of the first connection: when it began; 0: none did */
	/* of a relay: a node below it has missed something since; INT64_MAX: none has */
	int64_t whole_ns;
	/* a connection of this query was lost: complete until then; 0: nothing was */
	int64_t lost_until_ns;
	bool was_lost;
	int64_t joined_ns; /* the last connection began late, then */
	/* events of windows that were delivered without them; these windows, INT64_MAX: none */
	int64_t late, late_from_ns, late_to_ns;
	/* what its rows' times contain; the latest last */
	struct rn_clock_correction shifts[RN_SHIFTS];
	unsigned nshifts;
	unsigned answering_below, late_below, whole_below, nodes_below;
	/* of a relay: nodes below whose part is whole of the window that ends at mark */
	unsigned in_window;
	/* of a relay, as it says: the nodes below it; why not all of them are in that window. On
	 * the heap, or NULL */
	char *below, *missing;
	/* of the ledger: as last told on this connection, and on those that were lost */
	int64_t counts[RN_L_COUNT], counts_before[RN_L_COUNT];
	uint32_t peeked;
	unsigned polls_at, polls; /* of its descriptors in the fleet's list */
	/* one of them has something; it has sent too much, and is not read now */
	bool news, waits;
	struct rn_staged *staged, **staged_last;
	uint64_t staged_bytes;
	struct rn_ledger *ledgers;
	unsigned nledgers; /* in the query's arena */
	struct rn_err err; /* why it failed, or was lost */
};

/* A node behind a relay, as its trips tell. */
struct rn_downstream_node {
	const char *name;
	unsigned clock;
	struct rn_clock_correction shifts[RN_SHIFTS];
	unsigned nshifts;
};
/* a trip to be told above; member: whose shift goes with it; -1: it has one */
struct rn_pending_trip {
	char *node, *through;
	struct rn_trip trip;
	int member;
};

struct rn_keepalive; /* keepalive.c */

struct rn_fleet {
	struct rn_keepalive *keep;
	/* monotonic: until then no node is late or silent, as it was this side that did not
	 * listen */
	int64_t excused_ns;
	struct rn_fleet_opts o;
	struct rn_member *m;
	unsigned n;
	struct rn_member *grown;
	unsigned cap_members;     /* m, once members were added */
	struct rn_net *nets;      /* connections with NATS */
	void *names;              /* of members: tsearch */
	struct rn_arena *a;       /* as long as the fleet */
	struct rn_arena *scratch; /* of a message */
	/* The message that was staged last, decoded: most windows are one message, and are handed
	 * on right after it. */
	/* held_number 0: none */
	struct rn_arena *held_in;
	struct rn_frame held;
	uint64_t held_number, staged_number;
	int64_t base_ns;          /* our event clock: CLOCK_MONOTONIC plus this */
	struct rn_clocks *clocks; /* a node for each member */
	struct rn_downstream_node *below;
	unsigned nbelow, below_cap;
	struct rn_pending_trip *told;
	unsigned ntold, told_cap; /* of a relay */
	bool align_rows;          /* what nodes stamped is aligned as rows come in */
	unsigned last_found;      /* member whose row was aligned last */
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
	/* monotonic, if stopping; later by the time in which this side did not listen */
	int64_t stop_ns;
	int64_t deadline_ns;        /* how long after it nodes are waited for */
	int64_t first_ns, until_ns; /* of a fragment that is held; 0 */
	int64_t began_ns;           /* when it was started here */
	int64_t given_ns;           /* windows before this are delivered */
	int refused;                /* negative errno of the sink */
	unsigned sender;            /* member whose rows the sink gets */
	struct rn_err sink_err;
};

/* ---- status.c ---- */

/* Chooses it if it is among `on NODES`. */
void rn_member_choose(const struct rn_fleet *f, struct rn_member *m, const char *const *nodes);
/* How many of the chosen are between these. */
unsigned rn_fleet_parts(const struct rn_fleet *f, enum rn_part from, enum rn_part to);
/* Has its next window been due for longer than windows wait? */
bool rn_member_late(const struct rn_fleet *f, const struct rn_member *m, int64_t now);
/* Does the query read a table once, and end by itself? */
bool rn_fleet_once(const struct rn_fleet *f);
/* Was the query to end, and have nodes had their time? */
bool rn_fleet_overdue(const struct rn_fleet *f);

/* ---- below.c: what a relay tells of the nodes below it; NULL: nothing ---- */

void rn_member_names(struct rn_member *m, const char *names);
void rn_member_missing(struct rn_member *m, const char *names); /* m->in_window is set */
/* That is its m->err from now on. */
void rn_member_wrong(struct rn_member *m, const struct rn_err *err);

/* ---- net.c ---- */

/* A connection with NATS. */
struct rn_net {
	struct rn_net *next;
	const char *spec;
	struct rn_nats *n; /* NULL: err says why */
	struct rn_err err;
	bool old; /* it was closed for good; links may still be on it */
	int64_t tried_ns, asked_ns, gathered_ns;
	unsigned round;       /* of gathering */
	unsigned unspeakable; /* names that no query can name */
};
/* Stands before the names of relays that share: they are apart from those of nodes, and of their
 * clocks. */
#define RN_RELAY_NAME "relay "
struct rn_net *rn_net_of(struct rn_fleet *f, const char *spec);
/* The connection behind a spec, opened if need be. NULL: err. */
struct rn_net *rn_net_up(struct rn_fleet *f, const char *spec, struct rn_err *err);
struct rn_transport *rn_member_dial(struct rn_fleet *f, struct rn_member *m, struct rn_err *err);
unsigned rn_fleet_net_polls(struct rn_fleet *f, struct pollfd *fds); /* at most 16 */
void rn_fleet_nets_close(struct rn_fleet *f);

/* ---- member_clock.c ---- */

void rn_member_clock_begin(struct rn_fleet *f, struct rn_member *m, int64_t base_ns);
void rn_member_trip(struct rn_fleet *f, struct rn_member *m, int64_t sent_ns, int64_t node_ns,
		    int64_t received_ns);
/* A relay tells of a node behind it. */
int rn_member_trip_below(struct rn_fleet *f, struct rn_member *m, const struct rn_trip *t);
void rn_fleet_clock_begin(struct rn_fleet *f); /* a query begins */
void rn_fleet_clock_end(struct rn_fleet *f);   /* the fleet ends */
int64_t rn_member_shift(struct rn_fleet *f, struct rn_member *m);
void rn_member_align_rows(struct rn_fleet *f, struct rn_member *m, struct rn_rows *r);
void rn_member_clock_ledger(struct rn_fleet *f, const struct rn_member *m, struct rn_ledger *l);

/* ---- member_link.c ---- */

void rn_member_init(struct rn_fleet *f, struct rn_member *m, const struct rn_host_entry *host);
/* Starts the link; failure is noted in the member. */
void rn_member_connect(struct rn_fleet *f, struct rn_member *m);
void rn_member_send(struct rn_fleet *f, struct rn_member *m, uint32_t query,
		    struct rn_frame *frame);
void rn_member_hello(struct rn_fleet *f, struct rn_member *m);
void rn_member_ping(struct rn_fleet *f, struct rn_member *m);
void rn_member_ask(struct rn_fleet *f, struct rn_member *m); /* sends the fragment */
/* The link is gone. If it was a relay's, rn_fleet_take_back_nodes asks its nodes directly. */
void rn_member_lost(struct rn_fleet *f, struct rn_member *m, const struct rn_err *err);
/* Its part is over; the link stays. */
void rn_member_failed(struct rn_member *m, const struct rn_err *err);
void rn_member_unstage(struct rn_member *m);
void rn_member_tend(struct rn_fleet *f, struct rn_member *m); /* pings, silence, coming back */

/* ---- keepalive.c: a thread of the fleet's that pings while its own thread is elsewhere ---- */

/* Enter and leave are not nested; between them the fleet is the caller's alone. */
struct rn_keepalive *rn_keepalive_create(struct rn_fleet *f);
void rn_keepalive_destroy(struct rn_keepalive *k);
void rn_keepalive_enter(struct rn_keepalive *k);
void rn_keepalive_leave(struct rn_keepalive *k);

/* ---- receive.c ---- */

/* How long until it may be read again; 0: it may. */
int64_t rn_member_wait_ns(struct rn_fleet *f, struct rn_member *m);
/* Takes all that has come; 0, or a negative errno: the link has been given up. */
int rn_member_take(struct rn_fleet *f, struct rn_member *m);
int rn_member_merge(struct rn_fleet *f, struct rn_member *m); /* hands on what is staged */
void rn_fleet_unhold(struct rn_fleet *f);

/* ---- discovery.c ---- */

/* Finds who is there, before members are chosen; members may move in memory. */
void rn_fleet_gather(struct rn_fleet *f);
void rn_fleet_news(struct rn_fleet *f); /* the same at each turn of a query, without waiting */
/* A ledger for each line `*` that announced names which nobody answers for: all of them in one
 * line. */
void rn_fleet_doubts(struct rn_fleet *f, void (*each)(void *self, const struct rn_ledger *l),
		     void *self);
void rn_fleet_divide(struct rn_fleet *f); /* members that were chosen among relays */
/* The nodes of relays that have been lost are asked directly from now on. */
void rn_fleet_take_back_nodes(struct rn_fleet *f);
void rn_fleet_names_free(struct rn_fleet *f);

/* ---- turn.c ---- */

/* One turn over all links; waits for news. 0, or what the sink refused with. */
int rn_fleet_turn(struct rn_fleet *f, int timeout_ms);
/* Starts the links of the chosen that are down, then says hello. */
void rn_fleet_greet(struct rn_fleet *f);
#endif
