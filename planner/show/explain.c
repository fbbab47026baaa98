/* explain.c - what runs where and why, for people: `explain QUERY`.
 *
 * It prints one block a query, in the order in which an event passes through it. A nested query is
 * indented below the query that reads it. It prints only what the plan holds: the planner wrote the
 * reasons down when it decided. */
#include <inttypes.h>
#include <string.h>
#include "lang/base/str.h"
#include "planner/plan/call_ends.h"
#include "planner/split/place.h"
#include "lang/catalog/flow_schema.h"
#include "planner/show/show.h"

struct explain {
	struct rn_strbuf text;
	struct rn_arena *arena;
};

static void line(struct explain *x, unsigned depth, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void line(struct explain *x, unsigned depth, const char *fmt, ...)
{
	va_list ap;

	rn_strbuf_pad(&x->text, ' ', (size_t)depth * 2);
	va_start(ap, fmt);
	rn_strbuf_put(&x->text, rn_arena_vprintf(x->arena, fmt, ap));
	va_end(ap);
	rn_strbuf_putc(&x->text, '\n');
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

static void explain_source(struct explain *x, const struct rn_plan *plan, unsigned depth)
{
	const struct rn_fragment *fragment = &plan->frag;
	const char *s = rn_show_class(x->arena, fragment);

	if (plan->given) {
		line(x, depth, "reads the result `%s` (of line %u), at the coordinator",
		     plan->given->name, plan->given->line);
		return;
	}
	if (plan->child) {
		if (plan->view)
			line(x, depth, "reads the answer of the view %s, below, at the coordinator",
			     plan->view);
		else
			line(x, depth,
			     "reads the answer of the nested query below, at the coordinator");
		return;
	}
	if (plan->from)
		line(x, depth, "reads %s from the recording \"%s\"", s, plan->from);
	else if (fragment->cls->kind == RN_CLASS_TABLE)
		line(x, depth, "reads the table %s, %s, at the node", s,
		     plan->every_ns ? rn_arena_printf(x->arena,
						      "again at the beginning of each window of %s",
						      rn_show_duration(x->arena, plan->every_ns))
				    : "once");
	else
		line(x, depth, "watches %s, live, on each node", s);
	if (!plan->from && (rn_fragment_of_ends(fragment, 0) || rn_fragment_of_ends(fragment, 1)))
		line(x, depth, "%s is the end of a call, which the kernel notes when it begins",
		     !fragment->ends                     ? "the event"
		     : !rn_fragment_of_ends(fragment, 1) ? "the first event"
		     : !rn_fragment_of_ends(fragment, 0) ? "the second event"
							 : "each event");
	if (fragment->ends && plan->from)
		line(x, depth,
		     "pairs the events of each node in order of time, as the kernel does; the "
		     "conditions of the ends are tested there");
	else if (fragment->ends)
		line(x, depth,
		     "the first event is kept in the kernel until the second one with the same key "
		     "comes");
	if (!plan->from && (fragment->ntags || fragment->scan_cap_bytes != RN_SCAN_CAP_DEFAULT ||
			    fragment->scan_rate_bytes))
		line(x, depth,
		     "reads at most %s of the payload of a call%s; what is beyond is counted",
		     rn_show_size(x->arena, fragment->scan_cap_bytes),
		     !fragment->scan_rate_bytes
			     ? ""
			     : rn_arena_printf(
				       x->arena, ", and %s a second",
				       rn_show_size(x->arena, (int64_t)fragment->scan_rate_bytes)));
	if (!plan->from && fragment->ntags && !fragment->no_clean_cache)
		line(x, depth,
		     "pages of files that it has searched and that did not change are not searched "
		     "again (--no-clean-cache: they are)");
}

/* When the kernel tests a condition on calls of functions, if their ends are the events. */
static const char *moment_of(const struct rn_plan *plan, const struct rn_conjunct *conjunct)
{
	if (plan->from || conjunct->place != RN_AT_KERNEL || plan->frag.cls->pair ||
	    !rn_fragment_of_ends(&plan->frag, 0))
		return "";
	return rn_tested_at_entry(&plan->frag, conjunct) ? ", when the call begins"
							 : ", when it ends";
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
		return rn_arena_printf(
			x->arena, " (which %" PRId64 " come first is decided before)", c->limit);
	if (c->kind != RN_PLAN_GROUPS)
		return "";
	rn_expr_look(e, find_not_key, &n);
	return n.name ? rn_arena_printf(x->arena, " (%s is known once its group is complete)",
					n.name)
		      : "";
}

static void explain_where(struct explain *x, const struct rn_plan *plan, unsigned depth)
{
	const struct rn_fragment *fragment = &plan->frag;
	size_t width = 0;

	for (unsigned i = 0; i < fragment->nwhere; i++) {
		size_t n = strlen(rn_expr_text(x->arena, fragment->where[i].expr));

		if (n > width && n <= 60)
			width = n;
	}
	for (unsigned i = 0; i < fragment->nwhere; i++) {
		const struct rn_conjunct *conjunct = &fragment->where[i];
		const char *why = plan->child ? why_not_below(x, plan->child, conjunct->expr)
				  : *conjunct->reason && !rn_plan_is_local(plan)
					  ? rn_arena_printf(x->arena, " (%s)", conjunct->reason)
					  : "";

		line(x, depth, "%s %s  %s%s%s", i ? "and  " : "where",
		     pad(x->arena, rn_expr_text(x->arena, conjunct->expr), width),
		     where_phrase(plan, conjunct->place), moment_of(plan, conjunct), why);
	}
}

static void explain_live(struct explain *x, const struct rn_fragment *fragment, unsigned depth)
{
	for (unsigned i = 0; i < fragment->nlive; i++) {
		const struct rn_live_set *set = fragment->live[i];

		line(x, depth,
		     "the kernel keeps the set %s: processes that begin a program, and their "
		     "children%s",
		     strstr(set->field->name, "live ("),
		     set->begin ? ", and those that run already" : "");
	}
}

/* The contents of an aggregate's partial state, as text. */
static const char *state_text(struct rn_arena *arena, const struct rn_agg_call *call,
			      enum rn_place place)
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
	const struct rn_agg *agg = call->def;
	const char *s = "", *per_cpu = place == RN_AT_KERNEL ? ", per CPU" : "";

	if (agg->blob_new && (!agg->nslots || (call->arg && call->arg->ty.type != RN_T_INT &&
					       call->arg->ty.type != RN_T_BOOL && !call->fixed)))
		return "the values themselves";
	if (agg->cell != RN_CELL_NONE)
		return rn_arena_printf(arena, "%s%s", cells[agg->cell], per_cpu);
	for (unsigned i = 0; i < agg->nslots; i++)
		s = rn_arena_printf(arena, "%s%s%s", s, i ? ", " : "", slots[agg->slot[i]]);
	return rn_arena_printf(arena, "%s%s", *s ? s : "the count of events", per_cpu);
}

/* The phrase for what decides a row's window. */
static const char *window_time(const struct rn_plan *p)
{
	if (!p->child && !p->given && !p->from && p->frag.cls->kind == RN_CLASS_TABLE)
		return "by the reading";
	return p->child && rn_plan_windowed(p->child) ? "once those below are complete"
						      : "by the time of the event";
}

static void explain_spills(struct explain *x, const struct rn_fragment *fragment, unsigned depth)
{
	struct rn_fragment fine = rn_fragment_fine(x->arena, fragment);
	const char *keys = "";
	bool judged = false;

	for (unsigned i = 0; i < fine.nkeys; i++)
		keys = rn_arena_printf(x->arena, "%s%s%s", keys, i ? ", " : "",
				       rn_expr_text(x->arena, fine.keys[i]));
	for (unsigned i = 0; i < fragment->nwhere; i++)
		judged |= fragment->where[i].judged;
	if (fragment->derived)
		line(x, depth,
		     "the kernel groups by %s; the node computes the keys, and merges groups",
		     keys);
	line(x, depth, "an event leaves the kernel only if %s",
	     !judged             ? "its group finds no room there"
	     : fragment->derived ? "its group finds no room there, or it is not judged yet"
				 : "it is not judged yet");
}

static void explain_groups(struct explain *x, const struct rn_plan *plan, unsigned depth)
{
	const struct rn_fragment *fragment = &plan->frag;
	const char *keys = fragment->nkeys ? "groups by " : "one group";
	const char *why = rn_plan_is_local(plan)
				  ? ""
				  : rn_arena_printf(x->arena, " (%s)", fragment->agg_reason);
	size_t width = 0;

	for (unsigned i = 0; i < fragment->nkeys; i++)
		keys = rn_arena_printf(x->arena, "%s%s%s", keys, i ? ", " : "",
				       rn_expr_text(x->arena, fragment->keys[i]));
	line(x, depth, "%s, formed %s%s", keys, where_phrase(plan, fragment->agg_place), why);
	for (unsigned i = 0; i < fragment->naggs; i++) {
		size_t n = strlen(rn_show_agg(x->arena, plan, &fragment->aggs[i]));

		if (n > width && n <= 60)
			width = n;
	}
	for (unsigned i = 0; i < fragment->naggs; i++) {
		const char *not = rn_plan_is_local(plan) || fragment->agg_place != RN_AT_NODE
					  ? NULL
					  : rn_place_agg(x->arena, &fragment->aggs[i]);

		line(x, depth + 1, "%s  %s%s%s%s",
		     pad(x->arena, rn_show_agg(x->arena, plan, &fragment->aggs[i]), width),
		     state_text(x->arena, &fragment->aggs[i], fragment->agg_place), not ? " (" : "",
		     not ? not : "", not ? ")" : "");
	}
	if (rn_fragment_spills(fragment))
		explain_spills(x, fragment, depth);
	else if (fragment->agg_place == RN_AT_KERNEL)
		line(x, depth, "no event leaves the kernel, only partial states do");
	if (fragment->every_ns)
		line(x, depth, "in windows of %s, %s",
		     rn_show_duration(x->arena, fragment->every_ns), window_time(plan));
}

static void explain_row(struct explain *x, const struct rn_plan *plan, unsigned depth)
{
	const struct rn_fragment *fragment = &plan->frag;
	const char *row = "";

	if (rn_plan_is_local(plan) || rn_fragment_spills(fragment))
		return;
	for (unsigned i = 0; i < fragment->nfields; i++)
		row = rn_arena_printf(x->arena, "%s%s%s", row, i ? ", " : "",
				      fragment->fields[i]->name);
	if (fragment->nfields)
		line(x, depth, "%s %s",
		     rn_place_source(plan) ? "each row holds"
					   : "what passes leaves the kernel as a row of",
		     row);
	for (unsigned i = 0; i < fragment->nfields && !plan->from; i++)
		if (fragment->fields[i]->ty.type == RN_T_BYTES)
			line(x, depth, "%s is payload: each node's policy must allow it",
			     fragment->fields[i]->name);
	if (fragment->limit >= 0)
		line(x, depth, "each node stops after %" PRId64 " rows", fragment->limit);
}

/* A condition of a flow, if the column is one. */
static void explain_condition(struct explain *x, unsigned depth, const struct rn_column *col)
{
	static const char *const say[RN_FLOW_IFS] = {
		[RN_FLOW_IF_THROUGH] = "keeps whole flows that have a hop with %s",
		[RN_FLOW_IF_STARTING] = "keeps what lies behind a hop with %s, and that hop",
		[RN_FLOW_IF_ENDING] = "keeps what leads to a hop with %s, and that hop",
	};

	for (unsigned i = 0; i < RN_FLOW_IFS; i++)
		if (!strcmp(col->label, rn_flow_conditions[i].column))
			line(x, depth, say[i], rn_expr_text(x->arena, col->expr));
}

static void explain_finish(struct explain *x, const struct rn_plan *plan, unsigned depth)
{
	const char *s = "";

	if (plan->kind == RN_PLAN_GROUPS && !rn_plan_is_local(plan))
		line(x, depth,
		     "the coordinator merges the partial states of all CPUs and nodes, and "
		     "finishes them");
	else if (plan->kind == RN_PLAN_FLOW)
		line(x, depth,
		     "the coordinator puts the hops in order (sends by their entry, receives by "
		     "their return)");
	for (unsigned i = 0; plan->kind == RN_PLAN_FLOW && i < plan->frag.ncols; i++)
		explain_condition(x, depth, &plan->frag.cols[i]);
	if (plan->having)
		line(x, depth, "keeps groups having %s",
		     rn_plan_text(x->arena, plan, plan->having));
	if (plan->rows_every_ns)
		line(x, depth, "in windows of %s, %s, each of them by itself",
		     rn_show_duration(x->arena, plan->rows_every_ns), window_time(plan));
	else if (plan->shows_window)
		line(x, depth, "each row with its window of %s, %s",
		     rn_show_duration(x->arena, plan->every_ns), window_time(plan));
	for (unsigned i = 0; i < plan->norder; i++)
		s = rn_arena_printf(x->arena, "%s%s%s%s", s, i ? ", " : "",
				    plan->out[plan->order[i].column].label,
				    plan->order[i].desc ? " descending" : "");
	if (plan->norder)
		line(x, depth, "orders by %s", s);
	if (plan->limit >= 0)
		line(x, depth, "keeps the first %" PRId64 "%s", plan->limit,
		     plan->every_ns ? " of each window" : "");
	if (plan->for_ns && !rn_plan_is_local(plan))
		line(x, depth, "stops after %s", rn_show_duration(x->arena, plan->for_ns));
	if (plan->into)
		line(x, depth,
		     plan->into_how == RN_INTO_APPEND ? "adds the rows to \"%s\""
						      : "writes the rows to \"%s\"%s",
		     plan->into,
		     plan->into_how == RN_INTO_REPLACE ? ", which it replaces if it is there" : "");
}

static void explain_plan(struct explain *x, const struct rn_plan *plan, unsigned depth)
{
	explain_source(x, plan, depth);
	if (plan->merged)
		line(x, depth, "merged into it: %s", plan->merged);
	explain_where(x, plan, depth);
	explain_live(x, &plan->frag, depth);
	for (unsigned i = 0; i < plan->nsets; i++) {
		line(x, depth, "query %u, run first for its values:", i + 1);
		explain_plan(x, plan->sets[i], depth + 1);
	}
	explain_row(x, plan, depth);
	if (plan->kind == RN_PLAN_GROUPS)
		explain_groups(x, plan, depth);
	explain_finish(x, plan, depth);
	if (plan->child) {
		line(x, depth, "%s:",
		     plan->view ? rn_arena_printf(x->arena, "view %s", plan->view)
				: "nested query");
		explain_plan(x, plan->child, depth + 1);
	}
}

const char *rn_explain(struct rn_arena *arena, const struct rn_plan *plan)
{
	struct explain x = {.arena = arena};
	const char *shows = "";

	rn_strbuf_init(&x.text, arena);
	for (unsigned i = 0; i < plan->nout - plan->nhidden; i++)
		shows = rn_arena_printf(arena, "%s%s%s", shows, i ? ", " : "", plan->out[i].label);
	line(&x, 0, "answer: %s%s", rn_plan_has_window(plan) ? "window, " : "", shows);
	explain_plan(&x, plan, 1);
	return rn_strbuf_cstr(&x.text);
}
