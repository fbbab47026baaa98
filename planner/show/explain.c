/* explain.c - what runs where and why, for people: `explain QUERY`.
 *
 * It prints one block a query, in the order in which an event passes through it. A nested query is
 * indented below the query that reads it. It prints only what the plan holds: the planner wrote the
 * reasons down when it decided. */
#include <inttypes.h>
#include <string.h>
#include "lang/base/str.h"
#include "planner/split/place.h"
#include "planner/show/show.h"

struct explain {
	struct rn_strbuf t;
	struct rn_arena *a;
};

static void line(struct explain *x, unsigned depth, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void line(struct explain *x, unsigned depth, const char *fmt, ...)
{
	va_list ap;

	rn_strbuf_pad(&x->t, ' ', (size_t)depth * 2);
	va_start(ap, fmt);
	rn_strbuf_put(&x->t, rn_arena_vprintf(x->a, fmt, ap));
	va_end(ap);
	rn_strbuf_putc(&x->t, '\n');
}

/* Pads text to a width, so that reasons form a column. */
static const char *pad(struct rn_arena *a, const char *s, size_t width)
{
	return rn_arena_printf(a, "%-*s", (int)width, s);
}

/* The place as a phrase. The coordinator runs a fragment over a nested query. */
static const char *where_phrase(const struct rn_plan *p, enum rn_place place)
{
	static const char *const phrase[] = {"in the kernel", "at the node", "at the coordinator"};

	return phrase[rn_plan_is_local(p) && place == RN_AT_NODE ? RN_AT_COORDINATOR : place];
}

static void explain_source(struct explain *x, const struct rn_plan *p, unsigned depth)
{
	const struct rn_fragment *f = &p->frag;
	const char *s = rn_show_class(x->a, f);

	if (p->given) {
		line(x, depth, "reads the result `%s` (of line %u), at the coordinator",
		     p->given->name, p->given->line);
		return;
	}
	if (p->child) {
		if (p->view)
			line(x, depth, "reads the answer of the view %s, below, at the coordinator",
			     p->view);
		else
			line(x, depth,
			     "reads the answer of the nested query below, at the coordinator");
		return;
	}
	if (p->from)
		line(x, depth, "reads %s from the recording \"%s\"", s, p->from);
	else if (f->cls->kind == RN_CLASS_TABLE)
		line(x, depth, "reads the table %s, %s, at the node", s,
		     p->every_ns
			     ? rn_arena_printf(x->a, "again at the beginning of each window of %s",
					       rn_show_duration(x->a, p->every_ns))
			     : "once");
	else
		line(x, depth, "watches %s, live, on each node", s);
	if (f->ends && p->from)
		line(x, depth,
		     "pairs the events of each node in order of time, as the kernel does; the "
		     "conditions of the ends are tested there");
	else if (f->ends)
		line(x, depth,
		     "the first event is kept in the kernel until the second one with the same key "
		     "comes");
	if (!p->from &&
	    (f->ntags || f->scan_cap_bytes != RN_SCAN_CAP_DEFAULT || f->scan_rate_bytes))
		line(x, depth,
		     "reads at most %s of the payload of a call%s; what is beyond is counted",
		     rn_show_size(x->a, f->scan_cap_bytes),
		     !f->scan_rate_bytes
			     ? ""
			     : rn_arena_printf(x->a, ", and %s a second",
					       rn_show_size(x->a, (int64_t)f->scan_rate_bytes)));
}

/* The first column of the nested query in e that is not a key of its groups. */
struct not_key {
	const struct rn_plan *child;
	const char *name;
};

static void find_not_key(void *self, const struct rn_expr *e)
{
	struct not_key *x = self;
	unsigned window = rn_plan_has_window(x->child);

	if (x->name || e->kind != RN_E_FIELD)
		return;
	if (e->field->id < window || e->field->id - window >= x->child->nout ||
	    x->child->out[e->field->id - window].expr->kind != RN_E_KEY)
		x->name = e->name;
}

/* Why a predicate over a nested query was not moved into it, nearer to the events:
 * planner/rules/pushdown.c. */
static const char *why_not_below(struct explain *x, const struct rn_plan *c,
				 const struct rn_expr *e)
{
	struct not_key n = {.child = c};

	if (c->kind == RN_PLAN_FLOW)
		return " (a flow needs every hop)";
	if (c->limit >= 0)
		return rn_arena_printf(x->a, " (which %" PRId64 " come first is decided before)",
				       c->limit);
	if (c->kind != RN_PLAN_GROUPS)
		return "";
	rn_expr_look(e, find_not_key, &n);
	return n.name ? rn_arena_printf(x->a, " (%s is known once its group is complete)", n.name)
		      : "";
}

static void explain_where(struct explain *x, const struct rn_plan *p, unsigned depth)
{
	const struct rn_fragment *f = &p->frag;
	size_t width = 0;

	for (unsigned i = 0; i < f->nwhere; i++) {
		size_t n = strlen(rn_expr_text(x->a, f->where[i].expr));

		if (n > width && n <= 60)
			width = n;
	}
	for (unsigned i = 0; i < f->nwhere; i++) {
		const struct rn_conjunct *c = &f->where[i];
		const char *why = p->child ? why_not_below(x, p->child, c->expr)
				  : *c->reason && !rn_plan_is_local(p)
					  ? rn_arena_printf(x->a, " (%s)", c->reason)
					  : "";

		line(x, depth, "%s %s  %s%s", i ? "and  " : "where",
		     pad(x->a, rn_expr_text(x->a, c->expr), width), where_phrase(p, c->place), why);
	}
}

/* The contents of an aggregate's partial state, as text. */
static const char *state_text(struct rn_arena *a, const struct rn_agg_call *c, enum rn_place place)
{
	static const char *const slots[] = {
		[RN_SLOT_COUNT] = "a counter",
		[RN_SLOT_SUM] = "a sum",
		[RN_SLOT_RATE] = "a sum",
		[RN_SLOT_SUMSQ] = "a sum of squares",
		[RN_SLOT_MIN] = "the least",
		[RN_SLOT_MAX] = "the greatest",
		[RN_SLOT_FIRST] = "the first with its time",
		[RN_SLOT_LAST] = "the last with its time",
	};
	static const char *const cells[] = {
		[RN_CELL_LOG2] = "a power-of-two histogram",
		[RN_CELL_LINEAR] = "a linear histogram",
		[RN_CELL_LOGLIN] =
			"a log-linear histogram with the least and the greatest, error <= 1 %",
		[RN_CELL_HLL] = "HyperLogLog registers, standard error 0.81 %",
	};
	const struct rn_agg *d = c->def;
	const char *s = "", *per_cpu = place == RN_AT_KERNEL ? ", per CPU" : "";

	if (d->blob_new && (!d->nslots || (c->arg && c->arg->ty.type != RN_T_INT &&
					   c->arg->ty.type != RN_T_BOOL && !c->fixed)))
		return "the values themselves";
	if (d->cell != RN_CELL_NONE)
		return rn_arena_printf(a, "%s%s", cells[d->cell], per_cpu);
	for (unsigned i = 0; i < d->nslots; i++)
		s = rn_arena_printf(a, "%s%s%s", s, i ? ", " : "", slots[d->slot[i]]);
	return rn_arena_printf(a, "%s%s", *s ? s : "the count of events", per_cpu);
}

/* The phrase for what decides a row's window. */
static const char *window_time(const struct rn_plan *p)
{
	if (!p->child && !p->given && !p->from && p->frag.cls->kind == RN_CLASS_TABLE)
		return "by the reading";
	return p->child && rn_plan_windowed(p->child) ? "once those below are complete"
						      : "by the time of the event";
}

static void explain_groups(struct explain *x, const struct rn_plan *p, unsigned depth)
{
	const struct rn_fragment *f = &p->frag;
	const char *keys = f->nkeys ? "groups by " : "one group";
	const char *why = rn_plan_is_local(p) ? "" : rn_arena_printf(x->a, " (%s)", f->agg_reason);
	size_t width = 0;

	for (unsigned i = 0; i < f->nkeys; i++)
		keys = rn_arena_printf(x->a, "%s%s%s", keys, i ? ", " : "",
				       rn_expr_text(x->a, f->keys[i]));
	line(x, depth, "%s, formed %s%s", keys, where_phrase(p, f->agg_place), why);
	for (unsigned i = 0; i < f->naggs; i++) {
		size_t n = strlen(rn_show_agg(x->a, p, &f->aggs[i]));

		if (n > width && n <= 60)
			width = n;
	}
	for (unsigned i = 0; i < f->naggs; i++) {
		const char *not = rn_plan_is_local(p) || f->agg_place != RN_AT_NODE
					  ? NULL
					  : rn_place_agg(x->a, &f->aggs[i]);

		line(x, depth + 1, "%s  %s%s%s%s",
		     pad(x->a, rn_show_agg(x->a, p, &f->aggs[i]), width),
		     state_text(x->a, &f->aggs[i], f->agg_place), not ? " (" : "", not ? not : "",
		     not ? ")" : "");
	}
	if (f->agg_place == RN_AT_KERNEL)
		line(x, depth, "no event leaves the kernel, only partial states do");
	if (f->every_ns)
		line(x, depth, "in windows of %s, %s", rn_show_duration(x->a, f->every_ns),
		     window_time(p));
}

static void explain_row(struct explain *x, const struct rn_plan *p, unsigned depth)
{
	const struct rn_fragment *f = &p->frag;
	const char *row = "";

	if (rn_plan_is_local(p))
		return;
	for (unsigned i = 0; i < f->nfields; i++)
		row = rn_arena_printf(x->a, "%s%s%s", row, i ? ", " : "", f->fields[i]->name);
	if (f->nfields)
		line(x, depth, "%s %s",
		     rn_place_source(p) ? "each row holds"
					: "what passes leaves the kernel as a row of",
		     row);
	for (unsigned i = 0; i < f->nfields && !p->from; i++)
		if (f->fields[i]->ty.type == RN_T_BYTES)
			line(x, depth, "%s is payload: each node's policy must allow it",
			     f->fields[i]->name);
	if (f->limit >= 0)
		line(x, depth, "each node stops after %" PRId64 " rows", f->limit);
}

static void explain_finish(struct explain *x, const struct rn_plan *p, unsigned depth)
{
	const char *s = "";

	if (p->kind == RN_PLAN_GROUPS && !rn_plan_is_local(p))
		line(x, depth,
		     "the coordinator merges the partial states of all CPUs and nodes, and "
		     "finishes them");
	else if (p->kind == RN_PLAN_FLOW)
		line(x, depth,
		     "the coordinator puts the hops in order (sends by their entry, receives by "
		     "their return)");
	if (p->having)
		line(x, depth, "keeps groups having %s", rn_plan_text(x->a, p, p->having));
	if (p->rows_every_ns)
		line(x, depth, "in windows of %s, %s, each of them by itself",
		     rn_show_duration(x->a, p->rows_every_ns), window_time(p));
	else if (p->shows_window)
		line(x, depth, "each row with its window of %s, %s",
		     rn_show_duration(x->a, p->every_ns), window_time(p));
	for (unsigned i = 0; i < p->norder; i++)
		s = rn_arena_printf(x->a, "%s%s%s%s", s, i ? ", " : "",
				    p->out[p->order[i].column].label,
				    p->order[i].desc ? " descending" : "");
	if (p->norder)
		line(x, depth, "orders by %s", s);
	if (p->limit >= 0)
		line(x, depth, "keeps the first %" PRId64 "%s", p->limit,
		     p->every_ns ? " of each window" : "");
	if (p->for_ns && !rn_plan_is_local(p))
		line(x, depth, "stops after %s", rn_show_duration(x->a, p->for_ns));
	if (p->into)
		line(x, depth,
		     p->into_how == RN_INTO_APPEND ? "adds the rows to \"%s\""
						   : "writes the rows to \"%s\"%s",
		     p->into,
		     p->into_how == RN_INTO_REPLACE ? ", which it replaces if it is there" : "");
}

static void explain_plan(struct explain *x, const struct rn_plan *p, unsigned depth)
{
	explain_source(x, p, depth);
	if (p->merged)
		line(x, depth, "merged into it: %s", p->merged);
	explain_where(x, p, depth);
	for (unsigned i = 0; i < p->nsets; i++) {
		line(x, depth, "query %u, run first for its values:", i + 1);
		explain_plan(x, p->sets[i], depth + 1);
	}
	explain_row(x, p, depth);
	if (p->kind == RN_PLAN_GROUPS)
		explain_groups(x, p, depth);
	explain_finish(x, p, depth);
	if (p->child) {
		line(x, depth,
		     "%s:", p->view ? rn_arena_printf(x->a, "view %s", p->view) : "nested query");
		explain_plan(x, p->child, depth + 1);
	}
}

const char *rn_explain(struct rn_arena *a, const struct rn_plan *p)
{
	struct explain x = {.a = a};
	const char *shows = "";

	rn_strbuf_init(&x.t, a);
	for (unsigned i = 0; i < p->nout - p->nhidden; i++)
		shows = rn_arena_printf(a, "%s%s%s", shows, i ? ", " : "", p->out[i].label);
	line(&x, 0, "answer: %s%s", rn_plan_has_window(p) ? "window, " : "", shows);
	explain_plan(&x, p, 1);
	return rn_strbuf_cstr(&x.t);
}
