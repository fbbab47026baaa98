/* sim_flow.h - simulates programs that pass tagged data on over 2 to 20 nodes, and knows where the
 * data of each call truly came from.
 *
 * All is derived from a seed: nodes with clocks of their own, processes, what connects them, and
 * what each does with a message. Every byte carries the number of the call that moved it last. So
 * the cause of a tag in a call is the call that its last byte carries. This shares no code with the
 * engine of flows (exec/flow), and knows none of its rules: it only makes calls as a kernel shows
 * them, with the tags that end in each.
 *
 * Some processes start a child for each message, which puts it out. Children take nothing in.
 *
 * Left out are the ways that the page of flows says it cannot see: shared memory, mappings, a child
 * that takes in what its parent has too. */
#ifndef RN_TESTS_SUPPORT_SIM_FLOW_H
#define RN_TESTS_SUPPORT_SIM_FLOW_H
#include <stdbool.h>
#include <stdint.h>

enum {
	SIM_NODES = 20,
	SIM_TAGS = 8,
	SIM_TAG_BYTES = 12, /* the longest */
	SIM_PLACES = 16,    /* causes of one tag in a call */
	SIM_OWN = -1        /* a cause: the process made the data itself */
};

/* A tag that ends in a call, and where it came from: by its places there, first to last. */
struct sim_found {
	unsigned tag, ncauses;
	int cause[SIM_PLACES]; /* a hop, or SIM_OWN */
};

/* A call that moved tagged data: the fields of its event, and the truth. Texts are empty, and
 * numbers 0, if they do not apply. */
struct sim_hop {
	unsigned node;
	int pid, tid, ppid;
	int64_t start_ns; /* when the process began, by the node's clock */
	const char *name, *proto;
	char file[40], source[40], local[32], peer[32];
	int64_t dev, ino, source_dev, source_ino, peer_ino, offset, seq, bytes;
	int64_t time_ns, latency_ns; /* by the node's clock; time is that of the return */
	char tags[SIM_TAGS * (SIM_TAG_BYTES + 1)], hits[SIM_TAGS * (SIM_TAG_BYTES + 12)];
	char around[SIM_TAGS * (SIM_TAG_BYTES + 2 * 70)];
	struct sim_found found[SIM_TAGS];
	unsigned nfound;
	bool in, out, copy; /* copy: it takes and puts, within the kernel */
	bool channel;       /* it is an end of a channel: no file */
	bool recorded;      /* false: the event was lost */
};

struct sim_node {
	char name[16];
	int64_t offset_ns; /* its clock at time 0 */
	int64_t rate_ppb;  /* how much faster it runs */
	unsigned lost;     /* events that were not recorded */
};

struct sim_kind {
	/* Processes work on several messages at once. Else on one after the other. */
	bool concurrent;
	/* Data goes round in circles, is often sent again, and a tag is in many messages. Else each
	 * tag is of one message, as that of a request. */
	bool busy;
	bool drops; /* some calls are not recorded */
};

struct sim_flow {
	struct sim_kind kind;
	struct sim_node node[SIM_NODES];
	char tag[SIM_TAGS][SIM_TAG_BYTES + 1];
	unsigned nnodes, ntags;
	bool datagrams; /* some go from node to node: only times tell when one was lost on the way
			 */
	struct sim_hop *hop; /* in the order of their true times */
	unsigned n, cap;
	int64_t end_ns; /* true time, from 0 on */
};

/* Simulates the flow of that seed. Odd seeds are concurrent and busy; of the others, those that are
 * 4 to 7 modulo 8 are busy. Seeds that are 2 or 3 modulo 4 have drops. */
struct sim_flow *sim_flow_create(uint64_t seed);
void sim_flow_destroy(struct sim_flow *flow);
/* The node's clock at a true time. */
int64_t sim_flow_clock(const struct sim_flow *flow, unsigned node, int64_t true_ns);

/* A sequence of random numbers. */
uint64_t sim_next(uint64_t *state);
unsigned sim_below(uint64_t *state, unsigned n);
bool sim_odds(uint64_t *state, unsigned percent);
#endif
