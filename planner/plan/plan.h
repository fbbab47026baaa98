/* plan.h - the logical plan of a query and its split into fragments.
 *
 * A query is one rn_plan. It is a leaf that scans a source (an event class, a table, a trace, or a
 * child plan's result), a filter, an optional grouping, and the coordinator's part to finish.
 * Nested queries and views are child plans. The rules (planner/rules/, one file each) rewrite it.
 * planner/split/split.c then decides what runs where and why. */
#ifndef RN_PLANNER_PLAN_PLAN_H
#define RN_PLANNER_PLAN_PLAN_H
#include "lang/catalog/pair.h"
#include "lang/resolve/names.h"
#include "lang/values/tag.h"
#include "planner/plan/agg.h"
#include "planner/plan/expr.h"
#include "planner/plan/live_set.h"

enum rn_place { RN_AT_KERNEL, RN_AT_NODE, RN_AT_COORDINATOR };

/* ---- planner/split/place.c ---- */

const char *rn_place_name(enum rn_place p);

struct rn_conjunct {
	struct rn_expr *expr;
	enum rn_place place;
	const char *reason;
	/* KERNEL: it is about a name for which the kernel has a number, as `user = root` is. The
	 * node judges each number when it first meets it. An event that is not judged yet leaves
	 * the kernel as a row, and the node tests this condition of rows. */
	bool judged;
};
/* known, in a plan's `out`: the order or an assertion depends on this column, so rows with
 * rn_unknown() in it are left out. */
struct rn_column {
	const char *label;
	struct rn_expr *expr;
	struct rn_ty ty;
	bool known;
	bool delta;    /* of `out`: the value less that of the same row in the window before */
	uint16_t show; /* of `out`: as of the field that it shows under its own name; else 0 */
	uint8_t words; /* of `out`: as of the field that it shows under any name */
};

/* One end of a pair of events: its class, and a condition on its events. For live events the kernel
 * tests all of it. For recorded ones the reader at the node does: the fragment's rows have no place
 * for these fields. */
struct rn_pair_end {
	const char *class_name, *class_arg;
	struct rn_span span /* of the class */;
	struct rn_conjunct *where;
	unsigned nwhere;
};

/* What a node's policy withholds (exec/node/policy.h): it limits what leaves the node of a payload.
 * Set at the node, never on the wire. */
struct rn_withhold {
	/* hashes are keyed, short payloads and terminals have none, and the surroundings of tags
	 * are left out */
	bool payload;
	bool own_key; /* hashes are asked for, and the key is this query's alone */
	/* id: tells one key from another, and reveals nothing of the key; 0: no hash is asked
	 * for */
	uint64_t hash_key[2], key_id;
	/* least bytes of a payload with a hash: shorter ones could be guessed */
	uint32_t hash_least;
};

/* The part that one node runs. exec/wire/encode.c serialises it. A node checks it and binds its
 * names to its own catalogue again. */
struct rn_fragment {
	const struct rn_class *cls;
	const char *class_name, *class_arg;
	/* place of the class in the query's text, for messages that refuse it */
	struct rn_span span;
	/* for class `between`: two; else NULL. The keys: cls->pair, and by name */
	struct rn_pair_end *ends;
	struct rn_pair_key *pair_keys;
	unsigned npair_keys;
	/* for class `tag`: all different; at most RN_MAX_TAGS */
	const struct rn_tag *tags;
	unsigned ntags;
	/* bytes of a call that are searched or hashed; RN_SCAN_CAP_MIN to _MAX */
	uint32_t scan_cap_bytes;
	uint64_t scan_rate_bytes; /* bytes a second on one node; 0: no limit */
	bool no_clean_cache;      /* pages that are known to hold no tag are searched again */
	/* of a class of functions: so many may be named, up to RN_MAX_FUNCTIONS; 0: the default */
	uint32_t max_functions;
	/* those of the kernel first, in the order of evaluation */
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
	/* KERNEL: keys that are computed from what the kernel groups by, a set of 1 << key. It
	 * groups by the first nfine of `fields`, and by the other keys. An event whose group finds
	 * no room there leaves the kernel as a row of all fields. 0: it groups by the keys. */
	uint64_t derived;
	unsigned nfine;
	/* sets after `in live`: at most RN_MAX_LIVE */
	struct rn_live_set **live;
	unsigned nlive;
	/* of a live set: its events add their processes to it, and are neither rows nor groups; set
	 * at the node */
	bool adds;
	struct rn_column *cols;
	unsigned ncols;   /* not grouped: what each row carries */
	int64_t every_ns; /* 0: one window */
	/* for rows: each node stops after so many; -1: no limit */
	int64_t limit;
	double sample;
	uint32_t max_groups;
	/* no event counts before a moment that is known once all nodes have attached: see
	 * rn_source_ops.gate */
	bool held;
	/* set at the node: the count of events seen must be known while the query runs, at a small
	 * cost for each */
	bool counted;
	struct rn_withhold withhold; /* set at the node */
	/* On a node of a cluster: the offset of its event clock, which is CLOCK_MONOTONIC plus
	 * this, in epoch ns. That matches the coordinator's clock as well as possible. 0: this
	 * machine's own CLOCK_REALTIME. The server of the query sets it, not the plan. */
	int64_t clock_ns;
};

/* ---- plan.c ---- */

/* The fragment as the kernel groups it: keys are the first nfine fields, then those that are not
 * derived. Arena owns the keys; all else is shared. If nothing is derived, it is *fragment. */
struct rn_fragment rn_fragment_fine(struct rn_arena *arena, const struct rn_fragment *fragment);
/* Do events leave the kernel as rows, though it forms the groups? Those whose group finds no room,
 * if keys are derived, and those that are not judged yet. */
bool rn_fragment_spills(const struct rn_fragment *fragment);
/* Does the coordinator need the rows of `fields` themselves? Yes, if it evaluates a conjunct or
 * forms the groups. */
bool rn_fragment_raw(const struct rn_fragment *fragment);
/* Returns the start of the window that contains a time; 0 if there are no windows. */
int64_t rn_window_start(int64_t time_ns, int64_t every_ns);

/* ROWS: out[i] is E_COLUMN i, a column of the fragment. FLOW: out is the fixed list of hop, time,
 * ... as E_COLUMN. The fragment's columns are then fields of the class, found by label, from which
 * the path is reconstructed. */
enum rn_plan_kind { RN_PLAN_ROWS, RN_PLAN_GROUPS, RN_PLAN_FLOW };

struct rn_order {
	int column;
	bool desc;
}; /* column of the output */

struct rn_plan {
	enum rn_plan_kind kind;
	struct rn_ast_query *query;
	/* Nested query or view as source. The fragment then runs at the coordinator over the
	 * child's result. Its class is "(query)". A field's `id` is the number of the column in the
	 * child's result as its consumer gets it: `window` is number 0 if the child has windows,
	 * and hidden columns are not part of it. Rows of the child keep the time of their event,
	 * groups the start of their window; `every`, first and last use that time. Conjuncts and
	 * groups of such a fragment are placed at the NODE, because the same agent runs them. */
	struct rn_plan *child;
	/* The result of a `let`: rows at the coordinator, of the class let->cls, whose fields are
	 * columns like those of a child's answer. There is no child, so no rule reaches into the
	 * query that made them. Else NULL. */
	const struct rn_let *given;
	const char *view; /* the view that child came from; or NULL */
	/* "view a, a nested query": sources that the rules merged into this plan; or NULL */
	const char *merged;
	/* `in (query)`: runs first; an E_IN with an index of its number + 1 gets its rows as
	 * constants */
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
	/* column of out plus 1 by which `top` chooses, if its values add up to that of all events;
	 * 0: there is none */
	unsigned share;
	/* the last nhidden of out serve only `order by` and deltas, and are not shown */
	unsigned nhidden;
	/* ROWS with deltas: the columns from this one on tell rows apart; 0 of them: no deltas */
	unsigned row_key, nrow_key;
	struct rn_expr *having;
	struct rn_order *order;
	unsigned norder;
	bool order_default;
	/* FLOW: all hops of the tags are looked at, as there is no `where` */
	bool whole;
	int64_t limit; /* -1: no limit; top N is order and limit */
	/* Length of the windows that are answered one by one, from `every` of this query or of the
	 * query around it. Events count by their time, rows of a nested answer by their windows'.
	 * GROUPS: frag.every_ns is the same; 0: there is one answer. */
	int64_t every_ns;
	/* GROUPS: windows overlap, each of this length, and one begins at each every_ns; 0: they do
	 * not */
	int64_t over_ns;
	/* ROWS, FLOW: `every` is its own, so its first column is `window` */
	bool shows_window;
	/* ROWS, FLOW: every_ns if order, limit or links apply within a window, which is then
	 * delivered as a whole; else 0 */
	int64_t rows_every_ns;
	int64_t for_ns, last_ns;
	/* for live events, if `for` is a multiple of `every`: counting starts at a multiple of
	 * this. 0: it starts once attached */
	int64_t align_ns;
	const char *const *nodes; /* words of `on`; NULL: all */
};

/* ---- plan.c ---- */

/* Does the coordinator's part call that function of groups? */
bool rn_plan_calls(const struct rn_plan *plan, const struct rn_func *func);

/* Does its fragment run at the coordinator, over rows that are there already? */
static inline bool rn_plan_is_local(const struct rn_plan *plan)
{
	return plan->child || plan->given;
}
/* Is `window` the first column of its answer, before those of out? */
static inline bool rn_plan_has_window(const struct rn_plan *plan)
{
	return plan->frag.every_ns > 0 || plan->shows_window;
}
/* Does its answer come in windows, its own or a nested query's? */
static inline bool rn_plan_windowed(const struct rn_plan *plan)
{
	while (plan && !plan->every_ns)
		plan = plan->child;
	return plan;
}

/* ---- planner/planner.c ---- */

/* Finds the column of plan's answer that shows the window of its row, and returns that window's
 * length. 0: no column does, or the windows are those of a table, which is read at a moment. */
int64_t rn_plan_window(const struct rn_plan *plan, unsigned *column);

/* ---- planner/lower/unsupported.c ---- */

/* Will it end by itself in any case? A live query without a duration will not. */
bool rn_plan_ends(const struct rn_plan *plan);

/* ---- planner/lower/source.c ---- */

/* Can column i of out be unknown (rn_field.unsure) in some rows? */
bool rn_plan_unsure(const struct rn_plan *plan, unsigned i);
/* Returns the class of a plan's answer, for a query over it. It is in the arena, and shares nothing
 * with the plan. */
const struct rn_class *rn_plan_class(struct rn_arena *arena, const struct rn_plan *plan);

struct rn_plan_opts {
	bool no_rules;    /* optimiser off */
	bool no_pushdown; /* conjuncts, keys and aggregates all at the coordinator */
	bool no_kernel;   /* the kernel only delivers rows */
};

/* ---- planner/planner.c ---- */

/* Plans a resolved query. Returns NULL if this version does not execute part of it, or if that is
 * impossible: the reason is in diag. */
struct rn_plan *rn_plan_query(struct rn_arena *arena, struct rn_diag *diag,
			      struct rn_ast_query *query, const struct rn_names *names,
			      const struct rn_plan_opts *opts);

/* ---- planner/show/show.c ---- */

/* The text of expr, with names of keys and columns. */
const char *rn_plan_text(struct rn_arena *arena, const struct rn_plan *plan,
			 const struct rn_expr *expr);

/* ---- planner/show/dump.c ---- */

/* logical plan before split */
const char *rn_dump_plan(struct rn_arena *arena, const struct rn_plan *plan);
/* fragments, places and reasons */
const char *rn_dump_split(struct rn_arena *arena, const struct rn_plan *plan);

/* ---- planner/show/explain.c ---- */

/* for people: what runs where and why */
const char *rn_explain(struct rn_arena *arena, const struct rn_plan *plan);
#endif
