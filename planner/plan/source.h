/* source.h - where a node's rows and partial states come from: the interface between the agent
 * (exec/) and whatever produces events (probes/ for a live kernel, exec/trace/ for a recording,
 * tests/ for a fake).
 *
 * Life cycle: open -> start -> poll... (flip at each window's end) -> stop -> ledger -> close. One
 * thread. */
#ifndef RN_PLANNER_SOURCE_H
#define RN_PLANNER_SOURCE_H
#include "lang/base/err.h"
#include "planner/plan/paths.h"
#include "planner/plan/plan.h"

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

struct rn_span_ns {
	int64_t begin, end;
}; /* epoch ns; the end does not belong to it */
/* How much of a window was covered: from its first to its last moment that was. ns is less than
 * that if there is a gap between. */
struct rn_extent {
	struct rn_span_ns hull;
	int64_t ns;
};
/* Which time was covered: spans in order, apart from one another. The end of the last is INT64_MAX
 * while it is not known. */
struct rn_cover {
	const struct rn_span_ns *span;
	unsigned n;
};

/* a batch: n rows of the fragment's `fields` (or of its columns, after the agent) */
struct rn_rows {
	uint32_t nrows, ncols;
	const struct rn_value *v; /* nrows * ncols, row-major */
	const int64_t *time_ns;   /* each row's event time, epoch ns; never NULL */
};
struct rn_partial {                 /* one group of one window */
	const struct rn_value *key; /* nkeys */
	int64_t events;             /* > 0 */
	struct rn_state *state;     /* naggs */
	bool other;                 /* the (other) row: keys are meaningless */
};
struct rn_partials {
	int64_t window_ns; /* start of the window, epoch ns; 0 without `every` */
	uint32_t n;
	struct rn_partial *p;
};
/* Receives what a source delivers; what is passed lives until the call returns. A negative return
 * stops the source. */
struct rn_sink {
	void *self;
	int (*rows)(void *self, const struct rn_rows *r);
	int (*partials)(void *self, const struct rn_partials *p);
};

/* Whom the query is about, beyond its text: -c and -p, and what the node is, if it is less than the
 * machine. All that is given must hold.
 *
 * An event belongs to the task that runs when it happens: that task is tested, in the kernel,
 * before anything is looked at or counted. So of a fork it is the parent; of an io_uring operation
 * or a page fault the process it is done for, or its worker thread; of a tracepoint that is hit in
 * an interrupt (the completion of a disk's request, a packet that comes in) whoever happened to run
 * on that CPU. A task on its way out that has left its namespaces is in none. Rows of the table
 * `proc` are in scope by what /proc says of the process; a descendant whose ancestors have ended is
 * then not known as one, while events of it are if it was born while the query ran. */
struct rn_scope {
	const int32_t *pids;
	unsigned npids; /* process ids; none: everybody */
	bool follow;    /* and all their descendants, from now on */
	/* A node of several on one kernel. What is pointed to lives as long as the source.
	 * exec/node/scope.h makes these out of text. */
	/* processes in the network namespace with this inode; 0: any */
	uint64_t netns_ino;
	/* processes in the cgroup (v2) with this id, and those below it; 0: any */
	uint64_t cgroup_id;
	/* the directory of that cgroup; NULL if cgroup_id is 0 */
	const char *cgroup;
	/* this process and its descendants, those born before included; 0: any */
	int32_t tree;
	/* Processes that ask and answer (coordinator, agents, what carries their frames): their
	 * events are left out, as those of the process that watches always are. */
	const int32_t *askers;
	unsigned naskers; /* at most RN_ASKERS_MAX */
};
enum { RN_ASKERS_MAX = 64 };

/* Has the end been asked for? Another thread or a signal handler says so. */
static inline bool rn_stopped(const volatile int *stop)
{
	return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

struct rn_cost {              /* what a source takes of the machine */
	int64_t cpu_ns;       /* since it began */
	int64_t memory_bytes; /* now */
};

struct rn_source;
struct rn_source_ops {
	/* Checks the fragment against this machine and prepares it (programs verified, nothing
	 * attached). */
	int (*open)(void *provider, const struct rn_fragment *f, const struct rn_scope *scope,
		    struct rn_source **out, struct rn_err *err);
	int (*start)(struct rn_source *s, struct rn_err *err); /* attach */
	/* Delivers rows that are there; waits at most timeout_ms for some. 1: the source has ended
	 * (recording, table). */
	int (*poll)(struct rn_source *s, const struct rn_sink *sink, int timeout_ms,
		    struct rn_err *err);
	/* Ends the current window (start given) and delivers its groups, if groups are formed in
	 * the source. last: after stop. Without last=true, may also be used to look at the state so
	 * far of a query without `every`: peek. */
	int (*flip)(struct rn_source *s, const struct rn_sink *sink, int64_t window_ns, bool peek,
		    struct rn_err *err);
	/* detach; the rest stays readable */
	int (*stop)(struct rn_source *s, struct rn_err *err);
	void (*ledger)(struct rn_source *s, struct rn_ledger *l);
	void (*close)(struct rn_source *s);
	/* What would be loaded, for --dump=bpf: in the arena; NULL if the source has no such
	 * form. */
	const char *(*dump)(void *provider, const struct rn_fragment *f, struct rn_arena *a,
			    struct rn_err *err);
	/* Adds what it takes outside of this process; NULL: nothing. */
	void (*cost)(struct rn_source *s, struct rn_cost *c);
	/* Every row before this time has been given, which may be still to come: of a table that is
	 * read again, when that will be. INT64_MIN: not known; NULL: never known, the rows
	 * themselves show it. */
	int64_t (*given_to)(struct rn_source *s);
	/* Of a fragment that is held: its groups have events from this moment on (epoch ns) and
	 * none before; INT64_MAX: none at all, as it is from the start on. NULL: its rows say their
	 * time, and who takes them chooses. */
	void (*gate)(struct rn_source *s, int64_t from_ns);
	/* Which time its rows are of, once it has started. NULL, or gives NULL: from start to stop,
	 * by the clock. */
	const struct rn_cover *(*cover)(struct rn_source *s);
};
struct rn_provider {
	const struct rn_source_ops *ops;
	void *self;
};
#endif
