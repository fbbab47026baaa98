/* ledger.h - what an answer covers: counts of what was seen, lost, cut and not looked at, node by
 * node.
 *
 * Each source fills a struct rn_ledger. Ledgers of one node add up, so that a relay or a
 * coordinator merges them by rn_ledger_add. The functions are pure. */
#ifndef RN_PLANNER_PLAN_LEDGER_H
#define RN_PLANNER_PLAN_LEDGER_H
#include <stdbool.h>
#include <stdint.h>
#include "planner/plan/paths.h"

/* Coverage of one node's part of an answer; all counts add up when ledgers merge. One table in
 * planner/plan/ledger.c names them. */
enum rn_ledger_item {
	RN_L_SEEN, /* events that reached a probe of this query */
	/* that passed every predicate: what the source says, unless user space tests more of
	 * them */
	RN_L_MATCHED,
	RN_L_LOST_RING,    /* rows lost: ring buffer full */
	RN_L_LOST_MAP,     /* events whose group did not fit: counted in (other) */
	RN_L_LOST_CELL,    /* histogram or quantile updates that did not fit */
	RN_L_LOST_SCRATCH, /* per-CPU scratch was busy (nested events) */
	/* events whose beginning was not seen, left out as the query uses latency or begin. Second
	 * events of no pair */
	RN_L_UNPAIRED,
	RN_L_BYTES_SEEN, /* payload bytes of calls that a tag scan looked at */
	RN_L_BYTES_SCANNED,
	RN_L_BEYOND_CAP, /* payload bytes beyond the cap of a call */
	/* what could not be read: texts and iovecs, each one; payload in bytes, also of files whose
	 * pages are not within reach */
	RN_L_FAULTED,
	/* values cut (paths, strings); payloads too long to be hashed or sketched whole */
	RN_L_TRUNCATED,
	/* ends of streams that had to be forgotten: a tag across them would not be seen */
	RN_L_UNJOINED,
	RN_L_UNCOVERED,  /* calls that move payload on a path that no probe of this query scans */
	RN_L_LATE,       /* rows or partial states that came after their window closed */
	RN_L_LOST_STACK, /* stacks that found no place in their map: "(stack lost)" */
	RN_L_COMPAT,     /* 32-bit system calls: left out */
	/* events of a query for tags that `where` left out before their payload was looked at */
	RN_L_SKIPPED,
	/* events of rows or partial states that a queue on the way to the coordinator had no room
	 * for */
	RN_L_SHED,
	RN_L_OPEN, /* of pairs: first events whose second one had not come at the end */
	/* of pairs: first events before whose second another one with the same key came */
	RN_L_REOPENED,
	RN_L_LOST_PAIR, /* of pairs: first events forgotten because too many were waiting */
	/* tracepoints that a glob matches and that no program can be attached to: none of their
	 * events is seen */
	RN_L_UNATTACHED,
	/* calculations and sums whose integers have more than 64 bits (NULL), and fractions too
	 * great to be added up (left out) */
	RN_L_OVERFLOW,
	RN_L_NO_USER, /* comparisons with a user whom the node does not have */
	/* names of files that changed whenever they were read: what is shown may be no name that
	 * the file had */
	RN_L_UNSETTLED,
	/* hops that a flow had to forget as evidence, to keep to its bound: links have more
	 * choices */
	RN_L_FORGOTTEN,
	/* hashes, and surroundings of tags, that a node's policy keeps in: of short payloads, of
	 * terminals */
	RN_L_WITHHELD,
	/* nodes whose hashes are keyed for this query alone: they equal no other node's, and none
	 * of another query */
	RN_L_OWN_KEY,
	/* TLS libraries that are not probed: beyond their user's share, not readable, or refused by
	 * the kernel */
	RN_L_UNPROBED,
	RN_L_COUNT
};
/* The same of one path: calls whose payload was looked at, then bytes, but uncovered: calls;
 * unjoined: ends of streams that had to be forgotten, so that a tag across them would not be
 * seen. */
enum rn_cover_item {
	RN_C_CALLS,
	RN_C_BYTES_SEEN,
	RN_C_BYTES_SCANNED,
	RN_C_BEYOND_CAP,
	RN_C_FAULTED,
	RN_C_UNCOVERED,
	RN_C_UNJOINED,
	RN_C_COUNT
};
struct rn_ledger {
	const char *node;
	int64_t n[RN_L_COUNT];
	/* of a query for tags; the items of n that have the same names are their sums */
	int64_t path[RN_PATH_COUNT][RN_C_COUNT];
	int64_t begin_ns, end_ns; /* epoch: attached, detached */
	bool answered;            /* false: the node did not answer to the end */
	const char *why;          /* if not answered */
	/* not answered: all before this is complete; 0: nothing is, as there were no windows */
	int64_t until_ns;
	/* the node came late, or came back: what was before is missing; 0: it was there from the
	 * start */
	int64_t joined_ns;
	/* groups formed in the kernel: the longest that a window was closed after its end; later
	 * events up to there are in it */
	int64_t edge_ns;
	/* by which its hashes are keyed: an id, equal for equal keys; 0: by none */
	uint64_t hash_key;
	/* of a remote node against the coordinator; bound 0: the same clock */
	int64_t clock_offset_ns, clock_bound_ns;
	/* kernel and scope: nodes of one place see the same events; NULL: not known */
	const char *place;
};

/* A node's part of a window that was given: of how many of its nodes (of a relay: those below it)
 * it is whole, and why not of all. */
struct rn_window_node {
	const char *name;
	unsigned nodes, whole;
	const char *why;
};

/* The ledgers of all nodes of an answer. */
struct rn_ledgers {
	struct rn_ledger *l;
	unsigned n;
	const char *trace_note; /* of which recording; NULL: live */
	const char *about;      /* of which statement; NULL */
	/* the query runs: counts may grow, and nobody knows yet whether it will be complete */
	bool so_far;
};

/* Names and documentation of the items: static texts. */
const char *rn_path_name(enum rn_path p);                    /* "file", "socket", ... */
const char *rn_cover_name(enum rn_cover_item i);             /* "calls", "bytes_seen", ... */
const char *rn_ledger_name(enum rn_ledger_item i);           /* "lost_ring": key in JSON */
const char *rn_ledger_doc(enum rn_ledger_item i, int64_t n); /* for people, behind the count n */
bool rn_ledger_is_loss(enum rn_ledger_item i); /* a count of it makes an answer incomplete */
/* Have the hashes of two nodes that answered different keys, so that equal payloads look different?
 * Then pair has them. */
bool rn_ledger_apart(const struct rn_ledgers *l, unsigned pair[2]);
/* nothing lost, cut, unanswered or keyed apart: what --strict demands */
bool rn_ledger_complete(const struct rn_ledgers *l);
int64_t rn_ledger_sum(int64_t a, int64_t b); /* of two counts; INT64_MAX if it is more than that */
void rn_ledger_add(struct rn_ledger *to, const struct rn_ledger *from);
#endif
