/* ledger.h - what an answer covers: counts of what was seen, lost, cut and not looked at, node by
 * node.
 *
 * Each source fills a struct rn_ledger. Ledgers of one node add up, so a relay or a coordinator
 * merges them by rn_ledger_add. The functions are pure. */
#ifndef RN_PLANNER_PLAN_LEDGER_H
#define RN_PLANNER_PLAN_LEDGER_H
#include <stdbool.h>
#include <stdint.h>
#include "planner/plan/paths.h"

/* The coverage of one node's part of an answer. All counts add up when ledgers merge. One table in
 * planner/plan/ledger.c names them. */
enum rn_ledger_item {
	RN_L_SEEN, /* events that reached a probe of this query */
	/* events that passed every predicate: the source counts them, unless user space tests more
	 * of them */
	RN_L_MATCHED,
	RN_L_LOST_RING,    /* rows lost: ring buffer full */
	RN_L_LOST_MAP,     /* events whose group did not fit: counted in (other) */
	RN_L_LOST_CELL,    /* histogram or quantile updates that did not fit */
	RN_L_LOST_SCRATCH, /* per-CPU scratch was busy (nested events) */
	/* events left out because their beginning was not seen and the query uses latency or begin;
	 * second events without a first */
	RN_L_UNPAIRED,
	RN_L_BYTES_SEEN, /* payload bytes of calls that a tag scan looked at */
	RN_L_BYTES_SCANNED,
	RN_L_BEYOND_CAP, /* payload bytes beyond the cap of a call */
	/* each text and iovec that could not be read; and unreadable payload, in bytes, also of
	 * files whose pages are out of reach */
	RN_L_FAULTED,
	/* values that were cut (paths, strings); payloads too long to hash or sketch whole */
	RN_L_TRUNCATED,
	/* ends of streams that were forgotten for lack of room: a tag across them would be
	 * missed */
	RN_L_UNJOINED,
	RN_L_UNCOVERED,  /* calls that move payload on a path that no probe of this query scans */
	RN_L_LATE,       /* rows or partial states that came after their window closed */
	RN_L_LOST_STACK, /* stacks without room in their map: "(stack lost)" */
	RN_L_COMPAT,     /* 32-bit system calls, which are left out */
	/* in a query for tags: events that `where` left out before their payload was searched */
	RN_L_SKIPPED,
	/* events of rows or partial states for which a queue on the way to the coordinator had no
	 * room */
	RN_L_SHED,
	RN_L_OPEN, /* for pairs: first events whose second had not come by the end */
	/* for pairs: first events followed by another first with the same key, before their
	 * second */
	RN_L_REOPENED,
	RN_L_LOST_PAIR, /* for pairs: first events forgotten because too many were waiting */
	/* tracepoints that a glob matches but no program can be attached to: all of their events
	 * are missed */
	RN_L_UNATTACHED,
	/* calculations and sums whose integers have more than 64 bits (NULL), and fractions too
	 * great to add up (left out) */
	RN_L_OVERFLOW,
	RN_L_NO_USER, /* comparisons with a user whom the node does not have */
	/* names of files that changed during every reading: the name shown may be one that the file
	 * never had */
	RN_L_UNSETTLED,
	/* hops that a flow forgot as evidence, to keep to its bound: links have more choices */
	RN_L_FORGOTTEN,
	/* hashes, and surroundings of tags, that a node's policy withholds: of short payloads, of
	 * terminals */
	RN_L_WITHHELD,
	/* nodes whose hashes have a key for this query alone: they equal no hash of another node or
	 * query */
	RN_L_OWN_KEY,
	/* TLS libraries that are not probed: above their user's share, not readable, or refused by
	 * the kernel */
	RN_L_UNPROBED,
	RN_L_KNOWN_CLEAN, /* payload bytes not searched: their pages are known to hold no tag */
	RN_L_NO_NAME, /* comparisons with a name of a number that the node's kernel does not have */
	RN_L_COUNT
};
/* The same for one path, in calls whose payload was looked at, then in bytes. But uncovered counts
 * calls, and unjoined counts forgotten ends of streams: a tag across them would be missed. */
enum rn_cover_item {
	RN_C_CALLS,
	RN_C_BYTES_SEEN,
	RN_C_BYTES_SCANNED,
	RN_C_BEYOND_CAP,
	RN_C_FAULTED,
	RN_C_UNCOVERED,
	RN_C_UNJOINED,
	RN_C_KNOWN_CLEAN,
	/* searches of memory that processes share, put off since there was one within a second */
	RN_C_POSTPONED,
	RN_C_COUNT
};
struct rn_ledger {
	const char *node;
	int64_t n[RN_L_COUNT];
	/* for a query for tags; the items of n with the same names are their sums */
	int64_t path[RN_PATH_COUNT][RN_C_COUNT];
	int64_t begin_ns, end_ns; /* epoch: attached, detached */
	bool answered;            /* false: the node did not answer to the end */
	const char *why;          /* if not answered */
	/* if not answered: all before this is complete; 0: nothing is, because there were no
	 * windows */
	int64_t until_ns;
	/* the node came late or came back, so earlier data is missing; 0: it was there from the
	 * start */
	int64_t joined_ns;
	/* for groups formed in the kernel: the longest delay between a window's end and its
	 * closing; the window includes later events up to that */
	int64_t edge_ns;
	/* an id of the key of its hashes, equal for equal keys; 0: no key */
	uint64_t hash_key;
	/* of a remote node's clock, compared with the coordinator's; bound 0: the same clock */
	int64_t clock_offset_ns, clock_bound_ns;
	/* kernel and scope: nodes of one place see the same events; NULL: unknown */
	const char *place;
};

/* A node's part of a delivered window: how many of its nodes (for a relay: those below it) are
 * complete, and why not all. */
struct rn_window_node {
	const char *name;
	unsigned nodes, whole;
	const char *why;
};

/* How often a division by 0 left no value: of an aggregate, in its arguments; of another column, in
 * rows of the answer. */
struct rn_nulls {
	const char *column;
	int64_t n;
};

/* A node that a recording lacks, in part or whole. */
struct rn_unanswered {
	const char *node, *why;
};

/* The ledgers of all nodes of an answer. */
struct rn_ledgers {
	struct rn_ledger *nodes;
	unsigned n;
	struct rn_nulls *nulls; /* of the columns that have some */
	unsigned nnulls;
	const char *trace_note; /* the recording that it is of; NULL: live */
	/* of a recording, whose ledger in `nodes` is of all its nodes: those that it lacks */
	struct rn_unanswered *unanswered;
	unsigned nunanswered;
	const char *about; /* the statement that it is of; or NULL */
	bool pairs;        /* it is of pairs of events */
	/* the class is of functions or static probes: events may lack arguments, results, texts */
	bool functions;
	/* the first event of a pair has a condition, so that many second events have no first */
	bool first_has_where;
	/* the query runs: counts can grow, and it is unknown whether it will be complete */
	bool so_far;
};

/* Names and documentation of the items: static texts. */
const char *rn_path_name(enum rn_path p);                    /* "file", "socket", ... */
const char *rn_cover_name(enum rn_cover_item i);             /* "calls", "bytes_seen", ... */
const char *rn_ledger_name(enum rn_ledger_item i);           /* "lost_ring": key in JSON */
const char *rn_ledger_doc(enum rn_ledger_item i, int64_t n); /* for people, behind the count n */
bool rn_ledger_is_loss(enum rn_ledger_item i); /* a count above 0 makes an answer incomplete */
/* Do the hashes of two nodes that answered have different keys, so that equal payloads look
 * different? Then sets pair to the two. */
bool rn_ledger_apart(const struct rn_ledgers *ledgers, unsigned pair[2]);
/* nothing was lost, cut, unanswered or keyed apart: --strict needs this */
bool rn_ledger_complete(const struct rn_ledgers *ledgers);
int64_t rn_ledger_sum(int64_t a, int64_t b); /* of two counts; at most INT64_MAX */
void rn_ledger_add(struct rn_ledger *to, const struct rn_ledger *from);
#endif
