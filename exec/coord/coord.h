/* coord.h - the coordinator: runs a plan over nodes and finishes the answer on SQLite.
 *
 * It merges partial states (groups.h), finishes aggregates, loads the result as a table of an
 * in-memory SQLite database and runs generated SQL there (having, output expressions, order,
 * limit): what --dump=sql shows. Child plans run first; their result table is the parent's source.
 * One query per object, one thread. */
#ifndef RN_EXEC_COORD_H
#define RN_EXEC_COORD_H
#include "planner/plan/source.h"

struct rn_result { /* what a consumer gets; strings live until the call returns */
	/* with types; a windowed answer has `window` first */
	struct rn_column *cols;
	unsigned ncols;
	int64_t every_ns; /* how long those windows are; 0: there are none */
	/* The column that says which window a row is of, its own or that of a nested query, and how
	 * long that is. 0: there is none, or its windows cannot be covered in part: a table is read
	 * at a moment. */
	unsigned window;
	int64_t window_ns;
};
struct rn_output {
	void *self;
	int (*begin)(void *self, const struct rn_result *r);
	int (*row)(void *self, const struct rn_value *v); /* a final row */
	/* The row that follows is that of (other), keys in place of which nothing can be said;
	 * column: of its first key, -1: it shows none. NULL: not wanted. */
	void (*other)(void *self, int column);
	/* The row that follows is of a window (rn_result.window) of which only this much was
	 * covered. NULL: not wanted. */
	void (*partial)(void *self, const struct rn_extent *covered);
	/* Groups so far: between these two calls rows replace those of the last snapshot. NULL: not
	 * wanted. */
	int (*snapshot)(void *self, bool begin);
	int (*end)(void *self);
};
/* in this process; remote ones are in a fleet (exec/fleet/fleet.h) */
struct rn_node {
	const char *name;
	const struct rn_provider *provider;
};
struct rn_fleet;
struct rn_fleet_status;
struct rn_ledgers;

/* All windows that end at mark_ns or before have been given. What it points to lives until the call
 * returns. */
struct rn_window_end {
	int64_t mark_ns;
	/* what all nodes have counted so far, so a little more than these windows */
	const struct rn_ledger *sum;
	/* whom was asked, and who is in the last of them */
	const struct rn_window_node *node;
	unsigned nnodes;
	/* the last of them was covered in part: the query began in it */
	bool partial;
};

struct rn_run_opts {
	const struct rn_scope *scope;
	const struct rn_node *nodes;
	unsigned nnodes;
	struct rn_fleet *fleet;           /* whom live queries are put to; NULL: nodes */
	const struct rn_catalog *catalog; /* the nodes': fragments are bound to it */
	/* 0, 1: agents report to the coordinator; n: through relays of n agents each */
	unsigned fanout;
	bool frames; /* pass every frame through the codec, as over a network */
	/* frames of a recording are bound to one of these; NULL: there are no frames */
	struct rn_trace_catalogs *traces;
	/* what is given to the output is kept here as well (exec/coord/let_result.h); NULL: nowhere
	 */
	struct rn_kept *keep;
	int64_t refresh_ns;       /* how often to give snapshots; 0: never */
	const volatile int *stop; /* becomes nonzero: end the query and print what it has */
	/* called once all probes are attached: lets -c's command go; self of both */
	int (*started)(void *self);
	void *started_self;
	/* Events count from this moment on, the beginning of the first window; called when that is
	 * known, before `started`. Same self; NULL: not wanted. */
	void (*first)(void *self, int64_t first_ns);
	/* About twice a second while a source is read: events seen so far (0: not counted), and of
	 * a fleet how its nodes stand (else its `nodes` is 0); same self. NULL: not wanted. */
	void (*progress)(void *self, const struct rn_fleet_status *s);
	/* it is asked again and again, and this time's rows are of this window, which they show
	 * first; 0 */
	int64_t turn_ns;
	/* Windows have been given. A negative return ends the query. Same self; NULL: not
	 * wanted. */
	int (*window)(void *self, const struct rn_window_end *w);
	/* What each node has counted until now (l->so_far is set), valid until the return: before
	 * each window is given, and about twice a second. Same self; NULL: not wanted. */
	void (*so_far)(void *self, const struct rn_ledgers *l);
	int (*done)(void *self); /* polled: nonzero ends the query (-c's command has exited) */
};
struct rn_ledgers {
	struct rn_ledger *l;
	unsigned n;
	const char *trace_note; /* of which recording; NULL: live */
	const char *about;      /* of which statement; NULL */
	/* the query runs: counts may grow, and nobody knows yet whether it will be complete */
	bool so_far;
};

/* Runs to the end; rows go to out, the ledger to l (in the arena). Negative errno on a system
 * error. */
int rn_coord_run(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		 const struct rn_output *out, struct rn_ledgers *l, struct rn_err *err);
const char *rn_dump_sql(struct rn_arena *a, const struct rn_plan *p);

/* The recorded trace: exec/trace/. */
struct rn_trace; /* open for reading */
/* The catalogues of the recordings that a text reads: rn_trace_catalog fits rn_names.trace, with
 * these as its self. What it gives lives until rn_trace_catalogs_free. One thread at a time. */
struct rn_trace_catalogs;
struct rn_trace_catalogs *rn_trace_catalogs_create(void);
void rn_trace_catalogs_free(struct rn_trace_catalogs *all); /* NULL is allowed */
/* Is the file at path one of these recordings, whatever it is called here? all: may be NULL. */
bool rn_trace_catalogs_have(const struct rn_trace_catalogs *all, const char *path);
const struct rn_catalog *rn_trace_catalog(void *self, const char *path,
					  const struct rn_catalog *base, char *why,
					  size_t why_bytes);
/* A provider over the rows of some nodes of a trace (names joined by ","; NULL: all nodes). stop
 * becomes nonzero: it has no more rows; NULL: that never happens. It outlives the provider. */
int rn_trace_provider(const char *path, const char *node, const volatile int *stop,
		      struct rn_provider *out, struct rn_err *err);
void rn_trace_provider_free(struct rn_provider *p);
const char *const *rn_trace_nodes(struct rn_arena *a, const char *path, struct rn_err *err);
/* Writing: an rn_output-like consumer of rows of `events of CLASS` or a list of plain fields. */
struct rn_trace_writer;
struct rn_trace_target { /* what is to be recorded, and where */
	const char *path;
	enum rn_into_how how; /* what becomes of a recording that is there */
	const struct rn_class *cls;
	/* the recording that the rows come from; NULL: they are live */
	const char *from;
	const char *const *nodes; /* with from: patterns of the nodes; NULL: all */
	const char *query;
	/* of each row; none: those of the first row, which nothing can be added to */
	const struct rn_column *cols;
	unsigned ncols;
	/* of class `tag`: those that are searched, so that queries for others can be refused */
	const struct rn_tag *tags;
	unsigned ntags;
};
/* May it be written there? Looks only; rn_trace_create asks again. *there: there is something. If
 * not: negative errno, and a way out. */
int rn_trace_allowed(const struct rn_trace_target *t, bool *there, struct rn_err *err);
/* May t be added to what `before`, an earlier query into the same file, records? If not: negative
 * errno, and err names the first that differs. */
int rn_trace_alike(const struct rn_trace_target *before, const struct rn_trace_target *t,
		   struct rn_err *err);
int rn_trace_create(const struct rn_trace_target *t, struct rn_trace_writer **out,
		    struct rn_err *err);
int rn_trace_write(struct rn_trace_writer *w, const struct rn_column *cols, unsigned ncols,
		   const struct rn_value *v, struct rn_err *err);
/* It is complete, and gets its name. */
int rn_trace_close(struct rn_trace_writer *w, const struct rn_ledgers *l, struct rn_err *err);
/* It will not be: what was written is thrown away, and what was there before stays. */
void rn_trace_abandon(struct rn_trace_writer *w);

/* The ledger: planner/plan/ledger.c. */
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
