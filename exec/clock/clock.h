/* clock.h - the clocks of a query's nodes against the coordinator's: offset and rate of each, with
 * bounds that hold.
 *
 * Each node stamps its events with a clock of its own: its monotonic clock plus a constant that is
 * fixed when the query begins, so nobody steps it. f(n) is the coordinator's time when a node's
 * clock shows n. What is known of f:
 *  - A round trip (a question sent at s, answered when the node's clock showed n, the answer
 *    received at r) says that f(n) is between s and r (Cristian, "Probabilistic clock
 *    synchronization", 1989).
 *  - A message that left node A when its clock showed x and was received on B at y says that fA(x)
 *    <= fB(y). Sends count from the entry of their call, receives from its return. With what is
 *    known of A this bounds fB(y) from below, and of B, fA(x) from above.
 *  - Clocks are nearly linear to each other: f(n) = n * rate + a remainder that changes by no more
 *    than WANDER (10 ppm at first) per time. Rate itself may be anything within 2.5 % at first.
 *    Trips that contradict these assumptions widen them; if no drift can explain them (a virtual
 *    machine was suspended), what was known before holds for the times before only.
 *
 * So each fact is a point above or below the graph of f, and lines through a lower and an upper
 * point limit the rate. As Duda et al. ("Estimating global time in distributed systems", 1987)
 * showed, only the convex hulls of both sets matter: the upper hull of the lower points, the lower
 * hull of the upper points; Zhang et al. ("Clock synchronization algorithms for network
 * measurements", 2002) keep them in linear time, Poirier et al. ("Accurate offline synchronization
 * of distributed traces using kernel-level events", 2010) apply them to traces. Ours differ by the
 * wander: a point is only left out if its neighbours say as much whatever the remainder did in
 * between. Hulls are limited: beyond a number of points, the one that says least is forgotten, the
 * older the sooner; that widens bounds and never falsifies them. What a new fact costs does not
 * depend on how many there were.
 *
 * The aligned time is the middle between the least and the greatest time that is possible. Both
 * limits of a send are, once its message has been taken into account, no greater than those of its
 * receive: so are their middles, and causality holds without a special case. Messages are kept for
 * rn_clocks_reconcile, since what is known of one clock improves what they say of the other.
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
	/* no aligned time between the first and the latest known one is wrong by more;
	 * RN_CLOCK_UNKNOWN_NS */
	int64_t bound_ns;
	/* that were taken into account; messages that the node sent or received */
	uint64_t trips, messages;
	/* messages received here that seem to be received before they were sent, as of the last
	 * reconciliation */
	uint64_t violations;
	uint64_t breaks; /* times that its clock seems to have stood still or jumped */
};

struct rn_clocks *rn_clocks_create(void);
void rn_clocks_destroy(struct rn_clocks *c);
/* The number of a node, from 0 on in the order in which they were first named; its name is
 * copied. */
unsigned rn_clocks_node(struct rn_clocks *c, const char *name);
unsigned rn_clocks_count(const struct rn_clocks *c);
const char *rn_clocks_name(const struct rn_clocks *c, unsigned node);
/* The node's events are stamped with the coordinator's own clock: its offset is 0, its bound 0. */
void rn_clocks_same(struct rn_clocks *c, unsigned node);
/* From its next trip on it is another clock, though perhaps nearly the same: its process was
 * started again. */
void rn_clocks_restart(struct rn_clocks *c, unsigned node);
/* A round trip: the coordinator's clock when the question was sent, the node's clock in between,
 * the coordinator's when the answer was received. Trips of one node are given in the order in which
 * they came back. */
void rn_clocks_trip(struct rn_clocks *c, unsigned node, int64_t sent_ns, int64_t node_ns,
		    int64_t received_ns);
/* The same of a node behind another one, whose clock measured when the question was sent and the
 * answer received: two messages, to and fro, that are no messages of the nodes' own. */
void rn_clocks_trip_through(struct rn_clocks *c, unsigned from, int64_t sent_ns, unsigned node,
			    int64_t node_ns, int64_t received_ns);
/* A message: the clock of its sender at the entry of the call that sent it, that of its receiver at
 * the return of the call that received it. In any order. */
void rn_clocks_message(struct rn_clocks *c, unsigned a, int64_t sent_ns, unsigned b,
		       int64_t received_ns);
/* Takes the messages that were kept into account again, with what is known by now, until nothing
 * more follows from them (or after a fixed number of rounds), and counts those that still seem to
 * be received before they were sent. Call it before rows are ordered. Linear in nodes and in the
 * messages kept: a fixed number per node. */
void rn_clocks_reconcile(struct rn_clocks *c);
/* The same, then for messages that the caller has kept: who orders rows by them gives all of them
 * here (again), and gets them in order, also those that are not among the ones kept by us. Returns
 * how many still seem to be received before they were sent. */
struct rn_clock_message {
	unsigned a, b;
	int64_t sent_ns, received_ns;
};
size_t rn_clocks_settle(struct rn_clocks *c, const struct rn_clock_message *m, size_t n);
/* The coordinator's time when the node's clock showed node_ns: wrong by *bound_ns at most (which
 * may be NULL). Of a node of which nothing is known it is node_ns, and the bound
 * RN_CLOCK_UNKNOWN_NS. Never decreases when node_ns grows. Takes time logarithmic in the (limited)
 * number of points of the hull. */
int64_t rn_clocks_align(struct rn_clocks *c, unsigned node, int64_t node_ns, int64_t *bound_ns);
/* The other way round: what the node's clock shows at a coordinator's time; coord_ns if nothing is
 * known. */
int64_t rn_clocks_show(struct rn_clocks *c, unsigned node, int64_t coord_ns);
void rn_clocks_state(struct rn_clocks *c, unsigned node, struct rn_clock_state *out);
#endif
