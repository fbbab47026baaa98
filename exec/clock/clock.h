/* clock.h - aligns the clocks of a query's nodes with the coordinator's: offset and rate of each,
 * with bounds that hold.
 *
 * Each node stamps its events with its own clock: its monotonic clock plus a constant that is fixed
 * when the query begins, so nobody steps it. f(n) is the coordinator's time when a node's clock
 * shows n. Three kinds of facts limit f:
 *  - A round trip: a question is sent at s, answered when the node's clock shows n, and the answer
 *    is received at r. Then f(n) is between s and r (Cristian, "Probabilistic clock
 *    synchronization", 1989).
 *  - A message: it leaves node A when A's clock shows x, and is received on B at y. Then fA(x) <=
 *    fB(y). Sends count from the entry of their call, receives from its return. The limits of A
 *    bound fB(y) from below; those of B bound fA(x) from above.
 *  - Clocks are nearly linear to each other: f(n) = n * rate + a remainder that changes by no more
 *    than WANDER (10 ppm at first) per time. At first the rate may be anything within 2.5 %. Trips
 *    that contradict these assumptions widen them. If no drift can explain the trips (a virtual
 *    machine was suspended), older facts hold for older times only.
 *
 * So each fact is a point above or below the graph of f. Lines through a lower and an upper point
 * limit the rate. Duda et al. ("Estimating global time in distributed systems", 1987) showed that
 * only two convex hulls matter: the upper hull of the lower points, and the lower hull of the upper
 * points. Zhang et al. ("Clock synchronization algorithms for network measurements", 2002) keep the
 * hulls in linear time. Poirier et al. ("Accurate offline synchronization of distributed traces
 * using kernel-level events", 2010) apply them to traces. Ours differ by the wander: a point is
 * only left out if its neighbours imply as much, whatever the remainder did in between. The size of
 * a hull is limited. Beyond it, the point that adds least is forgotten, older ones sooner. That
 * widens bounds and never falsifies them. The cost of a new fact does not depend on the number of
 * facts.
 *
 * The aligned time is the middle between the least and the greatest possible time. Once a message
 * has been taken into account, both limits of its send are no greater than those of its receive. So
 * are their middles, and causality holds without a special case. Messages are kept for
 * rn_clocks_reconcile, since facts about one clock improve what they say about the other.
 *
 * Used by one thread: the coordinator's. All times are nanoseconds. */
#ifndef RN_EXEC_CLOCK_CLOCK_H
#define RN_EXEC_CLOCK_CLOCK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_clocks;

enum { RN_CLOCK_UNKNOWN_NS = -1 }; /* a bound: nothing is known */

struct rn_clock_state {
	/* node's clock minus the coordinator's, at the node's latest known time */
	int64_t offset_ns;
	double rate_ppm; /* how much faster than the coordinator's the node's clock runs */
	/* greatest error of an aligned time between the first and the latest known one; or
	 * RN_CLOCK_UNKNOWN_NS */
	int64_t bound_ns;
	/* trips taken into account; messages that the node sent or received */
	uint64_t trips, messages;
	/* messages received here that seem to be received before they were sent, as of the last
	 * reconciliation */
	uint64_t violations;
	uint64_t breaks; /* how often its clock seems to have stood still or jumped */
};

struct rn_clocks *rn_clocks_create(void);
void rn_clocks_destroy(struct rn_clocks *clocks);
/* Returns the number of a node: from 0 on, in the order in which nodes were first named. Copies the
 * name. */
unsigned rn_clocks_node(struct rn_clocks *clocks, const char *name);
unsigned rn_clocks_count(const struct rn_clocks *clocks);
const char *rn_clocks_name(const struct rn_clocks *clocks, unsigned node);
/* The node's events are stamped with the coordinator's own clock: its offset is 0, its bound 0. */
void rn_clocks_same(struct rn_clocks *clocks, unsigned node);
/* The node's process was started again. From its next trip on it has another clock, though perhaps
 * nearly the same. */
void rn_clocks_restart(struct rn_clocks *clocks, unsigned node);
/* Takes a round trip: the coordinator's clock when the question was sent, the node's clock in
 * between, the coordinator's clock when the answer was received. The trips of one node are given in
 * the order in which they came back. */
void rn_clocks_trip(struct rn_clocks *clocks, unsigned node, int64_t sent_ns, int64_t node_ns,
		    int64_t received_ns);

/* ---- messages.c ---- */

/* The same for a node behind another one, `from`, whose clock measured the sending and the
 * receiving. It counts as two messages, to and fro, but not among the messages of the nodes. */
void rn_clocks_trip_through(struct rn_clocks *clocks, unsigned from, int64_t sent_ns, unsigned node,
			    int64_t node_ns, int64_t received_ns);
/* Takes a message: the sender's clock at the entry of the call that sent it, and the receiver's at
 * the return of the call that received it. In any order. */
void rn_clocks_message(struct rn_clocks *clocks, unsigned a, int64_t sent_ns, unsigned b,
		       int64_t received_ns);
/* Takes the kept messages into account again, with all that is known by now, until nothing more
 * follows (or after a fixed number of rounds). Counts those that still seem to be received before
 * they were sent. Call it before rows are ordered. Linear in nodes and in the messages kept: a
 * fixed number per node. */
void rn_clocks_reconcile(struct rn_clocks *clocks);
/* The same, then for messages that the caller has kept, to order rows by them. The caller gives all
 * of them (again), also those that are not kept here, and gets them in order. Returns how many
 * still seem to be received before they were sent. */
struct rn_clock_message {
	unsigned a, b;
	int64_t sent_ns, received_ns;
};
size_t rn_clocks_settle(struct rn_clocks *clocks, const struct rn_clock_message *message, size_t n);

/* ---- clock.c ---- */

/* Returns the coordinator's time when the node's clock showed node_ns, wrong by at most *bound_ns
 * (may be NULL). If nothing is known of the node, returns node_ns with the bound
 * RN_CLOCK_UNKNOWN_NS. Never decreases when node_ns grows. Takes time logarithmic in the (limited)
 * number of points of the hull. */
int64_t rn_clocks_align(struct rn_clocks *clocks, unsigned node, int64_t node_ns,
			int64_t *bound_ns);
/* The inverse: returns what the node's clock shows at a coordinator's time; coord_ns if nothing is
 * known. */
int64_t rn_clocks_show(struct rn_clocks *clocks, unsigned node, int64_t coord_ns);
void rn_clocks_state(struct rn_clocks *clocks, unsigned node, struct rn_clock_state *out);
#endif
