/* source.h - where a node's rows and partial states come from: the interface between the agent
 * (exec/) and a producer of events (probes/ for a live kernel, exec/trace/ for a recording, tests/
 * for a fake).
 *
 * Life cycle: open -> start -> poll... (deliver_window at each window's end) -> stop -> ledger ->
 * close. One thread. */
#ifndef RN_PLANNER_PLAN_SOURCE_H
#define RN_PLANNER_PLAN_SOURCE_H
#include "lang/base/err.h"
#include "planner/plan/ledger.h"
#include "planner/plan/plan.h"
#include "planner/plan/scope.h"

struct rn_span_ns {
	int64_t begin, end;
}; /* epoch ns; the end is outside */
/* How much of a window was covered, from the first covered moment to the last. ns is less than that
 * if there is a gap. */
struct rn_extent {
	struct rn_span_ns hull;
	int64_t ns;
};
/* The time that was covered: spans in order, apart from one another. The end of the last is
 * INT64_MAX while it is unknown. */
struct rn_cover {
	const struct rn_span_ns *span;
	unsigned n;
};

/* a batch: n rows of the fragment's `fields` (or of its columns, after the agent) */
struct rn_rows {
	uint32_t nrows, ncols;
	const struct rn_value *values; /* nrows * ncols, row-major */
	const int64_t *time_ns;        /* each row's event time, epoch ns; never NULL */
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
	struct rn_partial *parts;
};
/* Receives what a source delivers. The arguments live until the call returns. A negative return
 * stops the source. */
struct rn_sink {
	void *self;
	int (*rows)(void *self, const struct rn_rows *rows);
	int (*partials)(void *self, const struct rn_partials *partials);
};

/* Has another thread or a signal handler asked for the end? */
static inline bool rn_stopped(const volatile int *stop)
{
	return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

struct rn_cost {              /* what a source uses of the machine */
	int64_t cpu_ns;       /* since it began */
	int64_t memory_bytes; /* now */
};

struct rn_source_ops;
/* A running part of a query. The implementation puts its own members after this struct, which
 * `open` sets. */
struct rn_source {
	const struct rn_source_ops *ops;
};
struct rn_source_ops {
	int (*start)(struct rn_source *source, struct rn_err *err); /* attach */
	/* Delivers the rows that are there, and waits at most timeout_ms for some. Returns 1 if the
	 * source has ended (recording, table). */
	int (*poll)(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		    struct rn_err *err);
	/* Ends the window that began at window_ns. If the source forms groups, delivers the
	 * window's groups and forgets them. `snapshot`: delivers the groups so far and keeps them.
	 * The caller may call it after stop. */
	int (*deliver_window)(struct rn_source *source, const struct rn_sink *sink,
			      int64_t window_ns, bool snapshot, struct rn_err *err);
	/* detaches; the rest stays readable */
	int (*stop)(struct rn_source *source, struct rn_err *err);
	void (*ledger)(struct rn_source *source, struct rn_ledger *ledger);
	void (*close)(struct rn_source *source);
	/* Adds the cost outside of this process; NULL: no such cost. */
	void (*cost)(struct rn_source *source, struct rn_cost *cost);
	/* Returns a time before which every row has been delivered. It may lie ahead: for a table
	 * that is read again, it is the next reading. INT64_MIN: not known; NULL: never known, the
	 * rows themselves show it. */
	int64_t (*complete_until)(struct rn_source *source);
	/* For a held fragment: its groups count events from this moment on (epoch ns) and none
	 * before. INT64_MAX, as at the start: none at all. NULL: its rows carry their time, and the
	 * receiver chooses. */
	void (*gate)(struct rn_source *source, int64_t from_ns);
	/* Adds n processes, which run already, and their descendants to a live set, by its place in
	 * rn_fragment.live. Once it has started. NULL: it has no live sets. */
	void (*add_members)(struct rn_source *source, unsigned set, const int64_t *pids,
			    unsigned n);
	/* Returns the time that its rows cover, once it has started. NULL as pointer or result:
	 * from start to stop, by the clock. */
	const struct rn_cover *(*cover)(struct rn_source *source);
};
struct rn_provider_ops {
	/* Checks the fragment against this machine and prepares it (programs verified, nothing
	 * attached). */
	int (*open)(void *provider, const struct rn_fragment *fragment,
		    const struct rn_scope *scope, struct rn_source **out, struct rn_err *err);
	/* Returns what would be loaded, for --dump=bpf, in the arena; NULL if the source has no
	 * such form. */
	const char *(*dump)(void *provider, const struct rn_fragment *fragment,
			    struct rn_arena *arena, struct rn_err *err);
	/* Returns how the system calls of the fragment are hooked on this machine, as a line of
	 * text in the arena; NULL: there is nothing to say. fragment NULL: those of the query that
	 * was started last. NULL as pointer: it has no hooks. */
	const char *(*hooks)(void *provider, const struct rn_fragment *fragment,
			     struct rn_arena *arena);
	/* Its rows were released before: they are a recording's, or another query's answer. Else
	 * they are the node's own, and its policy decides. */
	bool replay;
};
struct rn_provider {
	const struct rn_provider_ops *ops;
	void *self;
};
#endif
