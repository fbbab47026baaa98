/* sim_nodes.h - simulated nodes for benchmarks and tests: thousands of agents, or relays, in one
 * process and one thread, without a kernel.
 *
 * They speak the protocol of links over a Unix socket, a connection a node. What they answer to any
 * query that groups are partial states that were made once, by the real aggregates over made-up
 * events, and are replayed in every window: encoded once, sent by all at the very end of the
 * window. A simulated relay sends what a relay of so many of these nodes would send. */
#ifndef RN_TESTS_SUPPORT_SIM_NODES_H
#define RN_TESTS_SUPPORT_SIM_NODES_H
#include <stdio.h>
#include "exec/hosts/hosts.h"
#include "exec/link/link.h"

struct sim_opts {
	const char *path; /* of the socket; a URL (nats://...): they are members of NATS */
	/* how many connections: windows begin once all of them run the query */
	unsigned nodes;
	unsigned below; /* each is a relay of so many nodes; 0: an agent */
	unsigned keys;  /* groups of a node in a window; all nodes have the same keys */
	const volatile int *stop;
	/* lines: `listening`; `expects EVENTS BYTES`, all nodes together in a window; `sent
	 * WINDOW-NS MS`: by when */
	FILE *report;
};
int sim_run(const struct sim_opts *o); /* until stop; 0, or a negative errno */
/* fits rn_fleet_opts.dial; path: of the socket. Hosts must be called n0, n1, ... (relays: r0, r1,
 * ...). */
struct rn_transport *sim_dial(void *path, const struct rn_host_entry *h, struct rn_err *err);
#endif
