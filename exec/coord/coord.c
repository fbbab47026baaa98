/* coord.c - runs a whole plan: its sets, its nested query, then its own fragment over its nodes.
 *
 * The nodes of a live query are those of the options. The nodes of a recording are the given nodes
 * that read it, or else the recording as one node. For a nested query's answer, and for the result
 * of a let, the node is the coordinator itself. Signals, -c and `for` end the leaf, never the work
 * that finishes its answer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/clock_table.h"
#include "exec/coord/coord_impl.h"
#include "exec/coord/final_impl.h"
#include "exec/coord/leaf.h"
#include "exec/coord/let_result_impl.h"
#include "exec/coord/rowtable_impl.h"
#include "exec/fleet/fleet.h"
#include "exec/coord/let_result.h"
#include "exec/trace/file.h"
#include "exec/trace/trace.h"

/* A nested query that runs. It feeds its rows to the query around it as they become complete. */
struct nested {
	struct rn_arena *arena;
	struct rn_plan *plan; /* the outer plan */
	const struct rn_run_opts *opts;
	const struct rn_answer_sink *to;
	struct rn_err *err;
	struct rn_table *rows, *now; /* now: for a snapshot that is being taken */
	unsigned ncols;
	struct rn_leaf *outer;
	struct rn_ran *span;
};

/* Columns of the answer, as its consumer gets it. */
static unsigned columns(const struct rn_plan *p)
{
	return p->nout - p->nhidden + rn_plan_has_window(p);
}

static int nested_begin(void *self, const struct rn_answer_shape *r)
{
	struct nested *n = self;

	(void)r;
	return rn_leaf_start(n->outer);
}

static int nested_flush(void *self, int64_t mark_ns)
{
	struct nested *n = self;
	int r = rn_leaf_feed(n->outer, rn_table_unread(n->rows), mark_ns);

	rn_table_forget(n->rows);
	return r;
}

static bool nested_full(void *self)
{
	struct nested *n = self;

	return rn_leaf_full(n->outer);
}

static int nested_row(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct nested *n = self;
	struct rn_answer_sink to = rn_table_to(n->now ? n->now : n->rows);

	return to.row(to.self, v, time_ns);
}

static int over_table(struct nested *n, struct rn_table *t, const struct rn_answer_sink *to,
		      struct rn_ledgers *l)
{
	struct rn_provider provider = rn_table_provider(t);
	struct rn_node node = {.name = "coordinator", .provider = &provider};

	rn_table_close(t);
	rn_table_ran(t, n->span);
	return rn_leaf_execute(n->arena, n->plan, n->opts, &node, 1, false, to, l, n->span, n->err);
}

/* The nested answer so far is complete. The outer query over it is the outer answer so far. */
static int nested_snapshot(void *self, bool begin)
{
	struct nested *n = self;
	struct rn_answer_sink to = {.self = n->to->self,
				    .row = n->to->row,
				    .other = n->to->other,
				    .share = n->to->share};
	struct rn_ledgers unused = {0};
	int r;

	if (begin) {
		n->now = rn_table_create(n->ncols);
		return 0;
	}
	r = n->to->snapshot(n->to->self, true);
	if (r >= 0)
		r = over_table(n, n->now, &to, &unused);
	if (r >= 0)
		r = n->to->snapshot(n->to->self, false);
	rn_table_destroy(n->now);
	n->now = NULL;
	return r;
}

static int run_nested(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		      const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		      struct rn_ran *span, struct rn_err *err)
{
	struct nested n = {.arena = arena,
			   .plan = plan,
			   .opts = opts,
			   .to = to,
			   .err = err,
			   .span = span,
			   .ncols = columns(plan->child)};
	struct rn_answer_sink child = {.self = &n,
				       .begin = nested_begin,
				       .row = nested_row,
				       .flush = nested_flush,
				       .full = nested_full};
	struct rn_provider provider;
	struct rn_node node = {.name = "coordinator", .provider = &provider};
	int r;

	if (to->snapshot)
		child.snapshot = nested_snapshot;
	n.rows = rn_table_create(n.ncols);
	rn_table_ran(n.rows, span);
	provider = rn_table_provider(n.rows);
	r = rn_leaf_open(arena, plan, opts, &node, to, span, &n.outer, err);
	if (!r)
		r = rn_coord_execute(arena, plan->child, opts, &child, ledgers, span, err);
	rn_table_close(n.rows);
	if (!r)
		r = rn_leaf_feed(n.outer, rn_table_unread(n.rows), INT64_MAX);
	if (!r)
		r = rn_leaf_finish(n.outer, ledgers);
	if (r < 0 && !err->code)
		rn_err_set(err, r, "the answer could not be delivered: %s", strerror(-r));
	rn_leaf_close(n.outer);
	rn_table_destroy(n.now);
	rn_table_destroy(n.rows);
	return r;
}

static int run_set(struct rn_arena *arena, struct rn_plan *plan, unsigned i,
		   const struct rn_run_opts *opts, struct rn_ledgers *ledgers, struct rn_err *err)
{
	struct rn_run_opts quiet = *opts;
	struct rn_table *table = rn_table_create(columns(plan->sets[i]));
	struct rn_answer_sink to = rn_table_to(table);
	struct rn_ran span = {0};
	int r;

	/* the command of -c waits for the query that uses the set, and cannot end before it */
	quiet.started = NULL;
	quiet.done = NULL;
	quiet.window = NULL;
	/* a set is about all processes: the scope is for the events that are compared with it */
	quiet.scope = NULL;
	r = rn_coord_execute(arena, plan->sets[i], &quiet, &to, ledgers, &span, err);
	if (!r)
		r = rn_table_into_set(arena, table, plan, i, err);
	rn_table_destroy(table);
	return r;
}

/* ---- nodes ---- */

static const char *only_node(struct rn_arena *a, const char *path)
{
	const char *const *all = rn_trace_nodes(a, path, NULL);

	return all && all[0] && !all[1] && *all[0] ? all[0] : path;
}

/* The parts of a recording: one for each node in it, so that each divides its rates by what it has
 * covered. */
struct shares {
	struct rn_node *nodes;
	unsigned n;
};

static bool has_rates(const struct rn_plan *p)
{
	bool any = false;

	for (unsigned i = 0; p->frag.grouped && i < p->frag.naggs; i++)
		any |= rn_agg_has_rate(p->frag.aggs[i].def);
	return any;
}

static int divide(struct rn_arena *arena, sqlite3 *db, const char *path,
		  const struct rn_node *nodes, unsigned n, const volatile int *stop,
		  struct shares *out, struct rn_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < n && !r; i++) {
		unsigned parts;
		const char *const *names = rn_trace_cover_shares(
			db, arena, rn_trace_provider_nodes(nodes[i].provider), &parts);
		struct rn_node *more = RN_NEWN(arena, struct rn_node, out->n + parts + 1);

		if (out->n)
			memcpy(more, out->nodes, out->n * sizeof(*more));
		out->nodes = more;
		if (parts < 2)
			more[out->n++] = nodes[i];
		for (unsigned k = 0; parts > 1 && k < parts && !r; k++) {
			struct rn_provider *own = RN_NEW(arena, struct rn_provider);

			r = rn_trace_provider(path, names[k], stop, own, err);
			if (!r)
				more[out->n++] = (struct rn_node){nodes[i].name, own};
		}
	}
	return r;
}

/* Runs over a recording: its cover is known before its first row. */
static int run_covered(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		       const struct rn_node *nodes, unsigned n, const struct rn_answer_sink *to,
		       struct rn_ledgers *ledgers, struct rn_ran *span, struct rn_err *err)
{
	struct shares s = {0};
	sqlite3 *db;
	int r = rn_trace_open(plan->from, &db, err);

	if (r)
		return r;
	rn_trace_until(db, opts->stop);
	span->cover = rn_trace_cover(db, arena, NULL);
	rn_trace_unanswered(db, arena, ledgers);
	if (has_rates(plan) && !rn_trace_need(db, plan->from, "node", "rate", NULL))
		r = divide(arena, db, plan->from, nodes, n, opts->stop, &s, err);
	if (!r)
		r = rn_trace_unchanged(db, plan->from, err);
	rn_trace_shut(db);
	if (!r)
		r = rn_leaf_execute(arena, plan, opts, s.n ? s.nodes : nodes, s.n ? s.n : n, true,
				    to, ledgers, span, err);
	for (unsigned i = 0; i < s.n; i++) {
		bool given = false;

		for (unsigned k = 0; k < n; k++)
			given |= s.nodes[i].provider == nodes[k].provider;
		if (!given)
			rn_trace_provider_free((struct rn_provider *)s.nodes[i].provider);
	}
	return r;
}

static int run_trace(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		     const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		     struct rn_ran *span, struct rn_err *err)
{
	struct rn_node *given = RN_NEWN(arena, struct rn_node, opts->nnodes + 1), own;
	struct rn_provider provider;
	unsigned n = 0;
	int r;

	ledgers->trace_note = rn_arena_printf(arena, "from the recording %s", plan->from);
	for (unsigned i = 0; i < opts->nnodes; i++) {
		const char *path = rn_trace_provider_path(opts->nodes[i].provider);

		if (path && !strcmp(path, plan->from))
			given[n++] = opts->nodes[i];
	}
	if (n)
		return run_covered(arena, plan, opts, given, n, to, ledgers, span, err);
	r = rn_trace_provider(plan->from, NULL, opts->stop, &provider, err);
	if (r)
		return r;
	own = (struct rn_node){.name = only_node(arena, plan->from), .provider = &provider};
	r = run_covered(arena, plan, opts, &own, 1, to, ledgers, span, err);
	rn_trace_provider_free(&provider);
	return r;
}

static bool chosen(const struct rn_plan *p, const char *node)
{
	return rn_host_chosen(node, NULL, true, p->nodes);
}

/* Reads the table `clocks`, which is the coordinator's own. */
static int run_clock(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		     const struct rn_answer_sink *to, struct rn_ledgers *l, struct rn_ran *span,
		     struct rn_err *err)
{
	struct rn_clock_table table = {.fleet = o->fleet,
				       .node = o->nnodes ? o->nodes[0].name : "local",
				       .nodes = p->nodes};
	struct rn_provider provider = {.ops = &rn_clock_table_ops, .self = &table};

	return rn_leaf_execute(a, p, o,
			       &(struct rn_node){.name = table.node, .provider = &provider}, 1,
			       true, to, l, span, err);
}

static int run_live(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o,
		    const struct rn_answer_sink *to, struct rn_ledgers *l, struct rn_ran *span,
		    struct rn_err *err)
{
	struct rn_node *nodes = RN_NEWN(a, struct rn_node, o->nnodes + 1);
	unsigned n = 0;

	if (!strcmp(p->frag.cls->name, "clocks") && p->frag.cls->kind == RN_CLASS_TABLE)
		return run_clock(a, p, o, to, l, span, err);
	if (o->fleet)
		return rn_leaf_execute(a, p, o, NULL, 0, true, to, l, span, err);
	for (unsigned i = 0; i < o->nnodes; i++)
		if (chosen(p, o->nodes[i].name))
			nodes[n++] = o->nodes[i];
	if (!n)
		return rn_err_set(err, -EHOSTUNREACH,
				  "no node that the query is about is known here");
	return rn_leaf_execute(a, p, o, nodes, n, true, to, l, span, err);
}

static unsigned count_nodes(struct rn_arena *arena, const struct rn_plan *plan,
			    const struct rn_run_opts *opts)
{
	const char *const *all;
	unsigned n = 0;

	while (plan->child)
		plan = plan->child;
	if (!plan->from && opts->fleet) {
		rn_fleet_on_wait(opts->fleet, opts->progress, opts->started_self);
		return rn_fleet_count(opts->fleet, plan->nodes);
	}
	if (!plan->from) {
		for (unsigned i = 0; i < opts->nnodes; i++)
			n += chosen(plan, opts->nodes[i].name);
		return n;
	}
	all = rn_trace_nodes(arena, plan->from, NULL);
	while (all && all[n])
		n++;
	return n;
}

static bool is_nodes(const struct rn_expr *e)
{
	return e->kind == RN_E_CALL && e->func && !strcmp(e->func->name, "nodes");
}

static void find_nodes(void *self, struct rn_expr *e)
{
	*(bool *)self |= is_nodes(e);
}

/* The number of nodes is known now: replaces nodes() by it. */
static void put_nodes(void *self, struct rn_expr *e)
{
	if (!is_nodes(e))
		return;
	e->kind = RN_E_CONST;
	e->value = rn_int(*(unsigned *)self);
}

int rn_coord_execute(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		     const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		     struct rn_ran *span, struct rn_err *err)
{
	unsigned n = 0;
	bool used = false;
	int r = 0;

	rn_plan_visit(plan, find_nodes, &used);
	if (used) {
		n = count_nodes(arena, plan, opts);
		rn_plan_visit(plan, put_nodes, &n);
	}
	for (unsigned i = 0; i < plan->nsets && !r; i++)
		r = run_set(arena, plan, i, opts, ledgers, err);
	if (r)
		return r;
	if (plan->given)
		return rn_let_result_leaf(arena, plan, opts, to, ledgers, span, err);
	if (plan->child)
		return run_nested(arena, plan, opts, to, ledgers, span, err);
	return plan->from ? run_trace(arena, plan, opts, to, ledgers, span, err)
			  : run_live(arena, plan, opts, to, ledgers, span, err);
}

static int final_row(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct rn_finisher *f = self;
	int r = f->opts->keep ? rn_let_result_row(f->opts->keep, v, time_ns, f->err) : 0;

	return r < 0 ? r : rn_finisher_row(f, v);
}

static int final_begin(void *self, const struct rn_answer_shape *r)
{
	return rn_finisher_begin(self, r);
}

static void final_other(void *self, int column)
{
	const struct rn_finisher *f = self;

	f->out->other(f->out->self, column < 0 ? column : column + f->prefix);
}

static void final_share(void *self, double share)
{
	const struct rn_finisher *f = self;

	f->out->share(f->out->self, share);
}

static int final_snapshot(void *self, bool begin)
{
	const struct rn_finisher *f = self;

	return f->out->snapshot(f->out->self, begin);
}

static int final_end(void *self)
{
	const struct rn_finisher *f = self;

	return f->out->end ? f->out->end(f->out->self) : 0;
}

int rn_coord_run(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		 const struct rn_output *out, struct rn_ledgers *ledgers, struct rn_err *err)
{
	struct rn_finisher final = {.out = out, .opts = opts, .arena = arena, .err = err};
	struct rn_answer_sink to = {
		.self = &final, .begin = final_begin, .row = final_row, .end = final_end};
	struct rn_ran span = {0};
	int r;

	final.span = &span;
	final.window_ns = rn_plan_window(plan, &final.window);
	if (out->other)
		to.other = final_other;
	if (out->share)
		to.share = final_share;
	if (out->snapshot && !opts->keep)
		to.snapshot = final_snapshot;
	r = rn_coord_execute(arena, plan, opts, &to, ledgers, &span, err);
	rn_let_result_account(arena, plan, ledgers);
	if (!r && opts->keep)
		rn_let_result_close(opts->keep, ledgers, &span);
	return r;
}
