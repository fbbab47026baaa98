/* coord_impl.h - what the parts of the coordinator share. Private to exec/coord*.c.
 *
 * coord.c, leaf_run.c and leaf_end.c drive agents or a fleet; coord.c runs whole plans;
 * answer.c turns groups and rows into the answer; answer_sql.c writes the SQL; rowtable.c
 * holds the answers of nested queries. */
#ifndef RN_EXEC_COORD_COORD_IMPL_H
#define RN_EXEC_COORD_COORD_IMPL_H
#include <sqlite3.h>
#include "exec/coord/coord.h"
#include "planner/plan/ledger.h"
#include "exec/groups/groups.h"
#include "exec/coord/room.h"

/* Where a plan's answer goes: like rn_output, but a row comes with the time of its event (of a
 * group: of its window). */
struct rn_answer_to {
	void *self;
	int (*begin)(void *self, const struct rn_result *r);
	int (*row)(void *self, const struct rn_value *v, int64_t time_ns);
	void (*other)(void *self, int column);   /* as that of rn_output */
	int (*snapshot)(void *self, bool begin); /* NULL: not wanted */
	/* Some rows have been given, and all of times before mark_ns (INT64_MIN: that is not
	 * known). NULL: not wanted. */
	int (*flush)(void *self, int64_t mark_ns);
	bool (*full)(void *self); /* no further row can matter; NULL: all do */
	int (*end)(void *self);
};
/* How long the leaf of a query ran, or was recorded: begin is known from the start on, end at the
 * end (0: not yet). cover: of a recording, else NULL. */
struct rn_ran {
	int64_t begin, end, planned; /* planned: of a query that says how long; 0: it does not */
	int64_t first;               /* of one that is held: the first window that counts; else 0 */
	const struct rn_cover *cover;
};

/* The rows of the whole plan on their way to the consumer. coord_final.c puts `window` in front of
 * them where that is wanted. */
struct rn_final {
	const struct rn_output *out;
	const struct rn_run_opts *o;
	struct rn_arena *a;
	struct rn_err *err;
	struct rn_value *row;
	unsigned ncols;
	bool prefix;
	const struct rn_ran *span; /* of the query, as it becomes known */
	unsigned window;
	int64_t window_ns; /* as in rn_result */
};
int rn_final_begin(struct rn_final *f, const struct rn_result *r);
int rn_final_row(struct rn_final *f, const struct rn_value *v);
/* coord.c: runs a plan, its sets and its children. */
int rn_coord_execute(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		     const struct rn_answer_to *to, struct rn_ledgers *l, struct rn_ran *span,
		     struct rn_err *err);
/* Runs p's own fragment only, over these nodes (NULL: over the fleet of o). live: stop, done,
 * started and refresh of o apply. */
int rn_coord_leaf(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		  const struct rn_node *nodes, unsigned nnodes, bool live,
		  const struct rn_answer_to *to, struct rn_ledgers *l, struct rn_ran *span,
		  struct rn_err *err);

/* The same in steps, over one node that is fed by the caller: a table that another query fills. */
struct rn_leaf;
int rn_leaf_open(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		 const struct rn_node *node, const struct rn_answer_to *to, struct rn_ran *span,
		 struct rn_leaf **out, struct rn_err *err);
int rn_leaf_start(struct rn_leaf *c);
/* Reads the rows that wait; delivers windows that end before mark_ns, before which nothing follows
 * (INT64_MIN: not known). */
int rn_leaf_feed(struct rn_leaf *c, size_t rows, int64_t mark_ns);
bool rn_leaf_full(const struct rn_leaf *c); /* further rows do not matter */
int rn_leaf_finish(struct rn_leaf *c, struct rn_ledgers *l);
void rn_leaf_close(struct rn_leaf *c);

/* answer.c */
struct rn_answer;
struct rn_fleet;
/* by_time: rows of several agents are put in order of time, even if the query wants no order. */
int rn_answer_create(const struct rn_plan *p, const struct rn_answer_to *to, bool by_time,
		     struct rn_answer **out, struct rn_err *err);
void rn_answer_destroy(struct rn_answer *w);
/* Rows that wait here for their order take room. What an answer with a limit does not need it
 * forgets; of others, and where even that is too much, rows are left out and counted. fleet: which
 * node a row is of; NULL: all are of one. Before the first row. */
void rn_answer_room(struct rn_answer *w, struct rn_room *room, const struct rn_fleet *fleet);
int64_t rn_answer_shed(const struct rn_answer *w); /* rows that were left out */
int rn_answer_begin(struct rn_answer *w);
/* Rows of the fragment's columns. */
int rn_answer_rows(struct rn_answer *w, const struct rn_rows *r);
bool rn_answer_full(const struct rn_answer *w); /* no further row can matter */
/* All rows of times before mark_ns have come: tells who waits for rows that are passed on at
 * once. */
int rn_answer_mark(struct rn_answer *w, int64_t mark_ns);
/* Windows of an aggregate without keys follow one another from begin_ns on, as time goes by.
 * Without this call the first and the last are those that something happened in. */
void rn_answer_since(struct rn_answer *w, int64_t begin_ns);
/* Finishes and delivers the groups of windows before before_ns, and forgets them unless this is a
 * snapshot. last: nothing follows, so a global aggregate without events gives its row. */
int rn_answer_groups(struct rn_answer *w, struct rn_groups *g, int64_t before_ns, bool last,
		     bool snapshot);
/* Results of more than 64 bits so far, in what was delivered. */
int64_t rn_answer_overflow(const struct rn_answer *w);
int64_t rn_answer_forgotten(const struct rn_answer *w); /* hops: exec/flow/flow.h */
/* Rows so far that were left out, as the order or an assertion needs what is not known of them. */
int64_t rn_answer_unpaired(const struct rn_answer *w);
/* Delivers what waited for the last row. fleet: whose clocks are to be aligned; NULL: there is one.
 * begin_ns: when the query began here. */
int rn_answer_end(struct rn_answer *w, struct rn_fleet *fleet, int64_t begin_ns);

/* flow_align.c: tells a flow when the query was attached to the nodes: of a recording, when it was
 * recorded; without a fleet, begin_ns. */
struct rn_flow;
void rn_coord_flow_attached(struct rn_flow *f, const struct rn_plan *p,
			    const struct rn_fleet *fleet, int64_t begin_ns);
/* Aligns the times of a flow's hops. 0, -ENOMEM. */
int rn_coord_align_flow(struct rn_flow *f, struct rn_fleet *fleet);

/* answer_sql.c */
/* the table that rn_sql_insert fills */
const char *rn_sql_create(struct rn_arena *a, const struct rn_plan *p);
const char *rn_sql_insert(struct rn_arena *a, const struct rn_plan *p);
/* of rows: forgets those beyond a number of them */
const char *rn_sql_prune(struct rn_arena *a, const struct rn_plan *p, bool by_time);
/* how many rows there are, and the bytes of their values */
const char *rn_sql_size(struct rn_arena *a, const struct rn_plan *p);
/* Columns: `window` if there are windows, plan.out with the hidden ones, and for rows x_time, for
 * groups x_other. */
const char *rn_sql_query(struct rn_arena *a, const struct rn_plan *p, bool by_time);

/* answer_sqlfunc.c: the evaluator's operators and functions as SQLite functions; *overflow counts
 * results of more than 64 bits. */
int rn_sql_functions(sqlite3 *db, uint64_t *overflow);

/* rowtable.c: rows kept in memory. */
struct rn_table;
struct rn_table *rn_table_create(unsigned ncols); /* never NULL */
void rn_table_destroy(struct rn_table *t);
struct rn_answer_to rn_table_to(struct rn_table *t);
/* Reads the table as the class "(query)": fields are columns by their id. One reader. Its source
 * ends when the table is closed. */
struct rn_provider rn_table_provider(struct rn_table *t);
/* when the query ran that fills it: outlives t, and may be filled in later */
void rn_table_ran(struct rn_table *t, const struct rn_ran *span);
void rn_table_close(struct rn_table *t); /* no row follows */
size_t rn_table_unread(const struct rn_table *t);
void rn_table_forget(struct rn_table *t); /* what has been read */
/* Reads all of it again from the beginning with each source that is opened, and forgets nothing. */
/* at most so many; a row too many is -E2BIG */
void rn_table_keep(struct rn_table *t, size_t rows, size_t bytes);
/* Puts the first column of the table into every `in (query)` number of p (from 0). */
int rn_table_into_set(struct rn_arena *a, const struct rn_table *t, struct rn_plan *p,
		      unsigned number, struct rn_err *err);
/* let_result.c: the answer of a whole query on its way into k; a row too many sets err. */
int rn_let_result_row(struct rn_let_result *k, const struct rn_value *v, int64_t time_ns,
		      struct rn_err *err);
/* All rows are there. l and span are copied. */
void rn_let_result_close(struct rn_let_result *k, const struct rn_ledgers *l,
			 const struct rn_ran *span);
int rn_let_result_leaf(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		       const struct rn_answer_to *to, struct rn_ledgers *l, struct rn_ran *span,
		       struct rn_err *err);
/* Adds the ledgers of all results that p reads, each once. */
void rn_let_result_account(struct rn_arena *a, const struct rn_plan *p, struct rn_ledgers *l);
/* Calls visit for every expression of a plan, and everything below it. */
void rn_plan_visit(struct rn_plan *p, void (*visit)(void *self, struct rn_expr *e), void *self);
#endif
