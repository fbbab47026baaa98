/* plan.h - the logical plan of a query and its split into fragments.
 *
 * A query is one rn_plan: a leaf that scans a source (an event class, a table, a trace, or a child
 * plan's result), a filter, an optional grouping, and what the coordinator does to finish. Nested
 * queries and views are child plans. The rules (planner/rules/, one file each) rewrite it;
 * planner/split/split.c then decides what runs where and why. */
#ifndef RN_PLANNER_PLAN_PLAN_H
#define RN_PLANNER_PLAN_PLAN_H
#include "lang/catalog/pair.h"
#include "lang/resolve/names.h"
#include "lang/values/tag.h"
#include "planner/plan/agg.h"
#include "planner/plan/expr.h"

enum rn_place { RN_AT_KERNEL, RN_AT_NODE, RN_AT_COORDINATOR };
const char *rn_place_name(enum rn_place p);

struct rn_conjunct {
	struct rn_expr *expr;
	enum rn_place place;
	const char *reason;
};
/* known, of a plan's `out`: rows that have rn_unknown() there are left out, as something depends on
 * it: the order, an assertion. */
struct rn_column {
	const char *label;
	struct rn_expr *expr;
	struct rn_ty ty;
	bool known;
	uint16_t show; /* of `out`: as of the field that it shows under its own name; else 0 */
};

/* One end of a pair of events: its class, and what must hold of its events. Of live ones all of it
 * is tested in the kernel; of those of a recording at the node, by who reads them: the fragment's
 * rows have no place for these fields. */
struct rn_pair_end {
	const char *class_name, *class_arg;
	struct rn_span span /* of the class */;
	struct rn_conjunct *where;
	unsigned nwhere;
};

/* What a node keeps in by its policy, exec/node/policy.h: of payload no more leaves it than that.
 * Set at the node, never on the wire. */
struct rn_withhold {
	/* hashes are keyed, of short payloads and of terminals there are none, and what lies around
	 * tags is not told */
	bool payload;
	bool own_key; /* the key is this query's alone, and hashes are asked for */
	/* id: tells one key from another, and nothing of the key; 0: no hash is asked for */
	uint64_t hash_key[2], key_id;
	uint32_t hash_least; /* bytes of a payload that has a hash: fewer could be guessed */
};

/* What one node runs. Serialised by exec/wire/encode.c; a node checks it and binds names to its own
 * catalogue again. */
struct rn_fragment {
	const struct rn_class *cls;
	const char *class_name, *class_arg;
	/* of the class, in the text that it was written in: for who refuses it */
	struct rn_span span;
	/* of class `between`: two; NULL otherwise. The keys: cls->pair, and by name */
	struct rn_pair_end *ends;
	struct rn_pair_key *pair_keys;
	unsigned npair_keys;
	/* of class `tag`: no two are the same; at most RN_MAX_TAGS */
	const struct rn_tag *tags;
	unsigned ntags;
	/* of a call, that are searched or hashed; RN_SCAN_CAP_MIN to _MAX */
	uint32_t scan_cap_bytes;
	uint64_t scan_rate_bytes; /* a second on one node; 0: no limit */
	/* kernel ones first, in the order to evaluate */
	struct rn_conjunct *where;
	unsigned nwhere;
	/* the row: all fields used above the kernel, pruned; E_FIELD.index */
	const struct rn_field **fields;
	unsigned nfields;
	bool grouped;
	struct rn_expr **keys;
	unsigned nkeys;
	struct rn_agg_call *aggs;
	unsigned naggs;
	/* where groups are first formed: KERNEL, NODE or (oracle) COORDINATOR */
	enum rn_place agg_place;
	const char *agg_reason;
	struct rn_column *cols;
	unsigned ncols;   /* not grouped: what each row carries on */
	int64_t every_ns; /* 0: one window */
	/* rows: stop after so many at each node; -1: none */
	int64_t limit;
	double sample;
	uint32_t max_groups;
	/* nothing counts before a moment that is told when all nodes have attached: see
	 * rn_source_ops.gate */
	bool held;
	/* set at the node: events seen are to be known while the query runs, at a small cost for
	 * each */
	bool counted;
	struct rn_withhold withhold; /* set at the node */
	/* On a node of a cluster: its event clock, CLOCK_MONOTONIC plus this, epoch ns, is the
	 * coordinator's as well as it can be known; 0: this machine's own CLOCK_REALTIME. Set by
	 * who serves the query, not by the plan. */
	int64_t clock_ns;
};
/* Does the coordinator need the rows of `fields` themselves? So it is if a conjunct or the groups
 * are left to it. */
bool rn_fragment_raw(const struct rn_fragment *f);
/* Start of the window that a time falls in; 0 if there are no windows. */
int64_t rn_window_start(int64_t time_ns, int64_t every_ns);

/* ROWS: out[i] is E_COLUMN i, a column of the fragment. FLOW: out is the fixed list of hop, time,
 * ... as E_COLUMN; the fragment's columns are fields of the class, to be found by label: what the
 * reconstruction of the path needs. */
enum rn_plan_kind { RN_PLAN_ROWS, RN_PLAN_GROUPS, RN_PLAN_FLOW };

struct rn_order {
	int column;
	bool desc;
}; /* column of the output */

struct rn_plan {
	enum rn_plan_kind kind;
	struct rn_ast_query *query;
	/* Nested query or view as source. The fragment then runs at the coordinator over the
	 * child's result: its class is
	 * "(query)", and a field's `id` is the number of the column in the child's result, as its
	 * consumer gets it (so with `window` as number 0 if the child has windows; hidden columns
	 * are not part of it). Rows of the child keep the time of their event (of groups: the start
	 * of their window): that is what `every`, first and last see. Conjuncts and groups of such
	 * a fragment are placed at the NODE, since the agent that runs them is the same. */
	struct rn_plan *child;
	/* The result of a `let`: rows that are at the coordinator, of the class let->cls, whose
	 * fields are columns as those of a child's answer are. There is no child, so no rule
	 * reaches into what made them. Else NULL. */
	const struct rn_let *given;
	const char *view; /* the view that child came from; NULL */
	/* "view a, a nested query": sources that the rules merged into this plan; NULL */
	const char *merged;
	/* `in (query)`: run first; an E_IN whose index is its number + 1 gets constants */
	struct rn_plan **sets;
	unsigned nsets;
	const char *from; /* trace file, NULL: live */
	const char *into;
	bool into_table;
	enum rn_into_how into_how;
	struct rn_fragment frag;
	/* the coordinator's part, over keys and aggregate results (GROUPS) or the fragment's
	 * columns (ROWS) */
	struct rn_column *out;
	unsigned nout;
	/* the last nhidden of out serve `order by` only: not shown */
	unsigned nhidden;
	struct rn_expr *having;
	struct rn_order *order;
	unsigned norder;
	bool order_default;
	int64_t limit; /* -1: none; top N is order and limit */
	/* Each window of this length is answered by itself, by the time of the events (of a nested
	 * answer's rows: of their windows): its own `every`, or that of the query around it.
	 * GROUPS: frag.every_ns is the same; 0: there is one answer. */
	int64_t every_ns;
	/* ROWS, FLOW: `every` is its own, so `window` is its first column */
	bool shows_window;
	/* ROWS, FLOW: every_ns where order, limit or links hold within a window, which is then
	 * given as a whole; else 0 */
	int64_t rows_every_ns;
	int64_t for_ns, last_ns;
	/* of live events, with `for` a multiple of `every`: it counts from a multiple of this on.
	 * 0: from when it has attached */
	int64_t align_ns;
	const char *const *nodes; /* on NODES; NULL: all */
};

/* Its fragment runs at the coordinator, over rows that are there. */
static inline bool rn_plan_is_local(const struct rn_plan *p)
{
	return p->child || p->given;
}
/* Has its answer `window` as the first column, before those of out? */
static inline bool rn_plan_has_window(const struct rn_plan *p)
{
	return p->frag.every_ns > 0 || p->shows_window;
}
/* Does its answer come in windows, its own or those of a nested query? */
static inline bool rn_plan_windowed(const struct rn_plan *p)
{
	while (p && !p->every_ns)
		p = p->child;
	return p;
}
/* Which column of p's answer says the window that its row is of, and how long that window is. 0:
 * none does, or the windows are those of a table, which is read at a moment. */
int64_t rn_plan_window(const struct rn_plan *p, unsigned *column);
/* Will it end by itself, whatever happens? A live query that does not say how long will not. */
bool rn_plan_ends(const struct rn_plan *p);
/* May column i of out be unknown (rn_field.unsure) in some of its rows? */
bool rn_plan_unsure(const struct rn_plan *p, unsigned i);
/* The class of a plan's answer, for a query over it. In the arena, but for nothing of the plan. */
const struct rn_class *rn_plan_class(struct rn_arena *a, const struct rn_plan *p);

struct rn_plan_opts {
	bool no_rules;    /* optimiser off */
	bool no_pushdown; /* everything at the coordinator: conjuncts, keys and aggregates */
	bool no_kernel;   /* nothing in the kernel but the rows */
};

/* Plans a resolved query. NULL if something is not executed by this version or cannot be: the
 * reason is in d. */
struct rn_plan *rn_plan_query(struct rn_arena *a, struct rn_diag *d, struct rn_ast_query *q,
			      const struct rn_names *names, const struct rn_plan_opts *opts);

/* With names of keys and columns. */
const char *rn_plan_text(struct rn_arena *a, const struct rn_plan *p, const struct rn_expr *e);
/* logical plan before split */
const char *rn_dump_plan(struct rn_arena *a, const struct rn_plan *p);
/* fragments, places and reasons */
const char *rn_dump_split(struct rn_arena *a, const struct rn_plan *p);
/* for people: what runs where and why */
const char *rn_explain(struct rn_arena *a, const struct rn_plan *p);
#endif
