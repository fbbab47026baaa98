/* unsupported.c - features of the language that this version does not execute: one check each, with
 * a way out.
 *
 * The rest of the planner can rely on these checks: a plan holds nothing that is refused here. */
#include <string.h>
#include "lang/foreign/words.h"
#include "planner/lower/lower.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"

#define MS_NS 1000000LL
#define DAY_NS (86400LL * 1000 * MS_NS)

static bool later(struct rn_lower *l, struct rn_span span, const char *what, const char *hint)
{
	struct rn_diag_item *it = rn_diag_add(l->diag, RN_ERROR, "E-LATER", span, "%s", what);

	if (hint)
		rn_diag_hint(l->diag, it, "%s", hint);
	return false;
}

static struct rn_span clause(const struct rn_ast_query *q, enum rn_clause c)
{
	return q->clause[c].end > q->clause[c].start ? q->clause[c] : q->span;
}

static bool refuse_source(struct rn_lower *l, const struct rn_ast_source *s)
{
	if (s->kind == RN_SRC_QUERY)
		return true;
	if (!s->cls) {
		rn_diag_add(l->diag, RN_ERROR, "E-NAME-SOURCE", s->span,
			    "`%s` is not an event class or table", s->name);
		return false;
	}
	if (s->cls->later)
		return later(l, s->name_span.end ? s->name_span : s->span, s->cls->later,
			     rn_foreign_instead(s->cls->name));
	return true;
}

static bool refuse_what(struct rn_lower *l)
{
	const struct rn_ast_query *q = l->query;
	const struct rn_ast_source *s = q->source;

	if (q->what == RN_WHAT_SPANS)
		return later(
			l, q->span, "`spans` is not executed by this version",
			"`time, proc, latency of ...` gives each call with its start and length");
	if (q->what == RN_WHAT_FLOW &&
	    (s->kind != RN_SRC_CLASS || !s->cls || strcmp(s->cls->name, "tag")))
		return later(l, s->span,
			     "a flow follows tags: other sources are not executed by this version",
			     "write `flow of tag T where ...`");
	return true;
}

static bool limit_of(struct rn_lower *l, enum rn_clause c, const char *code, const char *what,
		     int64_t ns, int64_t least)
{
	struct rn_diag_item *it;

	if (ns >= least && ns <= 366 * DAY_NS)
		return true;
	it = rn_diag_add(l->diag, RN_ERROR, code, clause(l->query, c), "`%s` is out of range",
			 what);
	rn_diag_hint(l->diag, it, "from %s to 366d", least == 10 * MS_NS ? "10ms" : "1ms");
	return false;
}

static bool refuse_time(struct rn_lower *lower)
{
	const struct rn_ast_query *query = lower->query;
	bool ok = true;

	if (query->last_ns)
		ok = later(lower, clause(query, RN_C_LAST),
			   "`last`, the flight recorder, is not executed by this version",
			   "record while it happens: `... for 30s into \"x.rnt\"`");
	if (query->sample > 0)
		ok = later(lower, clause(query, RN_C_SAMPLE),
			   "`sample` is not executed by this version",
			   "the kernel counts every event: leave `sample` out, or filter with "
			   "`where`");
	if (query->every_ns)
		ok &= limit_of(lower, RN_C_EVERY, "E-LIMIT-EVERY", "every", query->every_ns,
			       10 * MS_NS);
	if (query->for_ns) {
		ok &= limit_of(lower, RN_C_FOR, "E-LIMIT-FOR", "for", query->for_ns, MS_NS);
		if (query->from)
			ok = later(lower, clause(query, RN_C_FOR),
				   "`for` ends a live query; a recorded trace ends by itself",
				   "to use a part of the recording say `where time < \"2026-11-20 "
				   "10:00:00\"`");
	}
	return ok;
}

/* A scan searches only the payload of live calls. */
static bool refuse_scan(struct rn_lower *lower)
{
	const struct rn_ast_query *query = lower->query;
	const struct rn_ast_source *src = query->source;
	enum rn_clause c = query->scan_cap ? RN_C_SCAN : RN_C_SCAN_RATE;

	if (!query->scan_cap && !query->scan_rate)
		return true;
	if (src->kind == RN_SRC_QUERY)
		return later(lower, clause(query, c),
			     "`scan` says how much of each call is searched: a nested query or "
			     "view has no calls",
			     "write it inside, behind the source whose calls are searched");
	if (src->cls && !src->cls->calls)
		return later(
			lower, clause(query, c),
			"`scan` says how much of each call is searched: this source has no calls",
			"leave it out; it is for `tag`, and for the hash of payload");
	if (query->from)
		return later(lower, clause(query, c),
			     "`scan` says how much of each call is searched: a recording holds no "
			     "payload",
			     "leave it out; a recording keeps what was found while it was made");
	return true;
}

static bool refuse_into(struct rn_lower *lower)
{
	const struct rn_ast_query *query = lower->query;
	struct rn_span at = clause(query, RN_C_INTO);

	if (!query->into)
		return true;
	if (query->into_table)
		return later(
			lower, at, "`into` a table is not executed by this version",
			"write to a recording: `into \"x.rnt\"`; any tool can open it with SQLite");
	if (lower->outer)
		return later(lower, at,
			     "`into` inside of another query is not executed by this version",
			     "write it at the end of the whole query");
	if (query->every_ns) {
		rn_diag_hint(
			lower->diag,
			rn_diag_add(lower->diag, RN_ERROR, "E-CLAUSE", clause(query, RN_C_EVERY),
				    "a recording keeps events with their time, not in windows"),
			"leave `every` out here, and use it in queries `from` the recording");
		return false;
	}
	if (query->grouped || query->what == RN_WHAT_FLOW)
		return later(lower, at,
			     "a recording keeps events: answers with aggregates or flows are not "
			     "written into one",
			     "write `events of ... into`, and run the query over it with `from`");
	if (query->source->kind == RN_SRC_BETWEEN)
		return later(lower, at, "a recording keeps events, not pairs of them",
			     "record a class that both are of, as `events of syscall ... into`, "
			     "and pair them with `from`; or write the rows with `-o json`");
	if (query->source->kind != RN_SRC_CLASS)
		return later(lower, at,
			     "recording the answer of a nested query or view is not executed by "
			     "this version",
			     "write `events of CLASS where ... into`");
	for (const struct rn_ast_item *it = query->items; it; it = it->next)
		if (it->expr->kind != RN_AST_NAME)
			return later(
				lower, it->span,
				"a recording keeps fields as they are, not what is computed from "
				"them",
				"record the fields, and compute over the recording with `from`");
	return true;
}

/* `top` chooses rows by an order, which is also the answer's. Another order would choose other
 * rows, or would not be the answer's. */
static bool refuse_order(struct rn_lower *l)
{
	const struct rn_ast_query *q = l->query;

	if (!q->order || (!q->has_top && q->what != RN_WHAT_TOP))
		return true;
	rn_diag_hint(l->diag,
		     rn_diag_add(l->diag, RN_ERROR, "E-CLAUSE", clause(q, RN_C_ORDER),
				 "`top` puts its rows in order: it takes no `order by`"),
		     "to show them in another one ask for them inside: events of (... top N) order "
		     "by ...; or use `limit` instead of `top`");
	return false;
}

/* Only the query that asks the nodes can choose them. */
static bool refuse_nodes(struct rn_lower *lower)
{
	const struct rn_ast_query *query = lower->query, *in = query;
	struct rn_diag_item *it = NULL;

	if (!query->on)
		return true;
	while (!in->from && in->source->kind == RN_SRC_QUERY && !in->source->let &&
	       (in == query || !in->on))
		in = in->source->query;
	if (in->from) {
		it = rn_diag_add(lower->diag, RN_ERROR, "E-CLAUSE", clause(query, RN_C_ON),
				 "`on` chooses live nodes, and this query reads a recording");
		rn_diag_hint(lower->diag, it, "choose by the node of the events: where node = ...");
	} else if (in != query && in->on) {
		it = rn_diag_add(lower->diag, RN_ERROR, "E-CLAUSE", clause(query, RN_C_ON),
				 "the nested query or view has `on` already");
		rn_diag_hint(lower->diag, it, "leave one of them out");
	}
	return !it;
}

/* The rows of a let's result exist already: no nodes, recordings or time can be chosen for them. */
static bool refuse_result(struct rn_lower *lower)
{
	static const enum rn_clause none[] = {RN_C_FROM, RN_C_FOR, RN_C_ON};
	const struct rn_ast_query *query = lower->query;
	const struct rn_ast_source *src = query->source;
	/* a `from` of the query around this one does not apply */
	bool given[] = {query->value[RN_C_FROM], query->for_ns, query->on}, ok = true;

	if (!src->let)
		return true;
	for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++) {
		if (!given[i])
			continue;
		rn_diag_hint(lower->diag,
			     rn_diag_add(lower->diag, RN_ERROR, "E-CLAUSE", clause(query, none[i]),
					 "`%s` is the result of a `let`: it takes no `%s`",
					 src->let->name, rn_clause_text(none[i])),
			     "write it in the `let`: let %s := ... %s ...", src->let->name,
			     rn_clause_text(none[i]));
		ok = false;
	}
	return ok;
}

bool rn_refuse_query(struct rn_lower *lower)
{
	bool ok = refuse_what(lower);

	/* every part is reported, so that a user can mend all at once */
	ok = refuse_source(lower, lower->query->source) && ok;
	ok = refuse_time(lower) && ok;
	ok = refuse_scan(lower) && ok;
	ok = refuse_nodes(lower) && ok;
	ok = refuse_order(lower) && ok;
	ok = refuse_result(lower) && ok;
	return refuse_into(lower) && ok;
}

bool rn_plan_ends(const struct rn_plan *plan)
{
	for (; plan; plan = plan->child)
		if (plan->for_ns || plan->from ||
		    (!plan->child && plan->frag.cls->kind == RN_CLASS_TABLE &&
		     (plan->given || !plan->every_ns)))
			return true;
	return false;
}

bool rn_refuse_plan(struct rn_lower *lower)
{
	if (lower->plan->nout > RN_MAX_LIST) {
		rn_diag_add(lower->diag, RN_ERROR, "E-LIMIT-LIST", lower->query->span,
			    "%u columns, those to order by included: at most %d", lower->plan->nout,
			    RN_MAX_LIST);
		return false;
	}
	if (!lower->is_set || rn_plan_ends(lower->plan))
		return true;
	if (lower->plan->kind == RN_PLAN_ROWS && !lower->plan->norder && lower->plan->limit >= 0)
		return true;
	return later(lower, lower->query->span, "this nested query is live and would never end",
		     "say how long: `... for 5s`");
}
