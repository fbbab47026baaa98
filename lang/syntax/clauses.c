/* clauses.c - a query's head and its clauses: each at most once, each value of the right kind.
 *
 * The literal of a clause stays in q->value, so that it prints as it was written. rn_clause_set
 * computes from it the number that later passes read (top, every_ns, ...). It runs at once or, for
 * a $parameter, during name resolution. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "lang/syntax/build.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/values/tag.h"

static const char *const clause_text[] = {
	[RN_C_WHERE] = "where",    [RN_C_BY] = "by",        [RN_C_HAVING] = "having",
	[RN_C_ORDER] = "order by", [RN_C_TOP] = "top",      [RN_C_LIMIT] = "limit",
	[RN_C_EVERY] = "every",    [RN_C_FOR] = "for",      [RN_C_LAST] = "last",
	[RN_C_SAMPLE] = "sample",  [RN_C_ON] = "on",        [RN_C_FROM] = "from",
	[RN_C_INTO] = "into",      [RN_C_WHAT_TOP] = "top", [RN_C_SCAN] = "scan",
	[RN_C_SCAN_RATE] = "scan",
};

const char *rn_into_text(enum rn_into_how how)
{
	return how == RN_INTO_REPLACE ? "replace" : how == RN_INTO_APPEND ? "append" : "";
}

const char *rn_clause_text(enum rn_clause c)
{
	return clause_text[c];
}

/* ---- values ---- */

static bool set_count(struct rn_diag *d, struct rn_ast_query *q, enum rn_clause c,
		      const struct rn_ast_expr *v)
{
	if (v->value.kind != RN_INT || v->ty.unit != RN_U_NONE || v->value.i < 1) {
		rn_diag_add(d, RN_ERROR, "E-TYPE", v->span, "`%s` takes a whole number, at least 1",
			    clause_text[c]);
		return false;
	}
	if (c == RN_C_WHAT_TOP) {
		q->what_top = v->value.i;
	} else if (c == RN_C_TOP) {
		q->has_top = true;
		q->top = v->value.i;
	} else {
		q->has_limit = true;
		q->limit = v->value.i;
	}
	return true;
}

static bool set_duration(struct rn_diag *d, struct rn_ast_query *q, enum rn_clause c,
			 const struct rn_ast_expr *v)
{
	struct rn_diag_item *it;

	if (v->value.kind != RN_INT || v->ty.unit != RN_U_NS || v->value.i < 1) {
		it = rn_diag_add(d, RN_ERROR, "E-UNIT", v->span,
				 "`%s` takes a duration longer than zero", clause_text[c]);
		if ((v->value.kind == RN_INT || v->value.kind == RN_FLOAT) &&
		    v->ty.unit == RN_U_NONE && v->text &&
		    /* not for `1e9ns`, which is no number even with a unit */
		    !v->text[strspn(v->text, "0123456789.")])
			rn_diag_hint(d, it, "write the unit, as in `%s %ss`", clause_text[c],
				     v->text);
		else
			rn_diag_hint(d, it, "for instance `%s 10s`", clause_text[c]);
		return false;
	}
	*(c == RN_C_EVERY ? &q->every_ns : c == RN_C_FOR ? &q->for_ns : &q->last_ns) = v->value.i;
	return true;
}

static bool set_sample(struct rn_diag *d, struct rn_ast_query *q, const struct rn_ast_expr *v)
{
	double percent = v->value.kind == RN_FLOAT ? v->value.f
			 : v->value.kind == RN_INT ? (double)v->value.i
						   : NAN;

	if (!(percent > 0 && percent <= 100) || v->ty.unit != RN_U_NONE) {
		rn_diag_add(d, RN_ERROR, "E-TYPE", v->span,
			    "`sample` takes a percentage above 0%% and up to 100%%");
		return false;
	}
	q->sample = percent / 100;
	return true;
}

/* Sets how many bytes of a call, or of a second, are searched. */
static bool set_scan(struct rn_diag *d, struct rn_ast_query *q, enum rn_clause c,
		     const struct rn_ast_expr *v)
{
	int64_t least = c == RN_C_SCAN ? RN_SCAN_CAP_MIN : RN_SCAN_RATE_MIN,
		most = c == RN_C_SCAN ? RN_SCAN_CAP_MAX : INT64_MAX;
	struct rn_diag_item *it;

	if (v->value.kind != RN_INT || v->ty.unit != RN_U_BYTE) {
		it = rn_diag_add(
			d, RN_ERROR, "E-UNIT", v->span,
			"`scan` takes the size of what is searched of a call, or of a second");
		rn_diag_hint(d, it,
			     "for instance `scan 4MiB`, `scan 500MiB/s` or `scan 4MiB, 500MiB/s`");
		return false;
	}
	if (v->value.i < least || v->value.i > most) {
		it = rn_diag_add(d, RN_ERROR, "E-LIMIT-SCAN", v->span, "`scan` is out of range");
		if (c == RN_C_SCAN)
			rn_diag_hint(d, it, "from %dKiB to %dMiB of a call", RN_SCAN_CAP_MIN >> 10,
				     RN_SCAN_CAP_MAX >> 20);
		else
			rn_diag_hint(d, it, "at least %dMiB/s", RN_SCAN_RATE_MIN >> 20);
		return false;
	}
	*(c == RN_C_SCAN ? &q->scan_cap : &q->scan_rate) = v->value.i;
	return true;
}

static bool set_file(struct rn_diag *d, struct rn_ast_query *q, enum rn_clause c,
		     const struct rn_ast_expr *v)
{
	const char *text = v->kind == RN_AST_NAME || v->kind == RN_AST_CALL    ? v->name
			   : v->value.kind == RN_STR && v->ty.type == RN_T_STR ? v->value.s
									       : NULL;

	if (!text || !*text) {
		rn_diag_add(d, RN_ERROR, "E-TYPE", v->span,
			    "`%s` takes the name of a trace file in quotes", clause_text[c]);
		return false;
	}
	if (c == RN_C_FROM)
		q->from = text;
	else
		q->into = text;
	return true;
}

bool rn_clause_set(struct rn_diag *d, struct rn_ast_query *q, enum rn_clause c,
		   struct rn_ast_expr *literal)
{
	q->value[c] = literal;
	switch (c) {
	case RN_C_TOP:
	case RN_C_LIMIT:
	case RN_C_WHAT_TOP: return set_count(d, q, c, literal);
	case RN_C_EVERY:
	case RN_C_FOR:
	case RN_C_LAST: return set_duration(d, q, c, literal);
	case RN_C_SAMPLE: return set_sample(d, q, literal);
	case RN_C_SCAN:
	case RN_C_SCAN_RATE: return set_scan(d, q, c, literal);
	default: return set_file(d, q, c, literal);
	}
}

/* ---- building ---- */

static void deepen(struct rn_builder *b, struct rn_ast_query *q, unsigned depth,
		   struct rn_span span)
{
	if (depth >= RN_MAX_DEPTH)
		rn_build_too_deep(b, span);
	else if (depth + 1 > q->depth)
		q->depth = (uint16_t)(depth + 1);
}

static void deepen_items(struct rn_builder *b, struct rn_ast_query *q, const struct rn_ast_item *i)
{
	for (; i; i = i->next)
		deepen(b, q, i->expr->depth, i->span);
}

struct rn_ast_query *rn_build_query(struct rn_builder *b, enum rn_ast_what what,
				    struct rn_span start, struct rn_items items,
				    struct rn_ast_source *s)
{
	struct rn_ast_query *q = RN_NEW(b->arena, struct rn_ast_query);

	q->what = what;
	q->items = items.first;
	q->source = s;
	q->span = rn_span_join(start, s->span);
	q->depth = 1;
	deepen_items(b, q, q->items);
	for (const struct rn_ast_expr *e = s->view_args; e; e = e->next)
		deepen(b, q, e->depth, e->span);
	if (s->query)
		deepen(b, q, s->query->depth, s->span);
	if (s->kind == RN_SRC_BETWEEN && s->from->query)
		deepen(b, q, s->from->query->depth, s->span);
	if (s->kind == RN_SRC_BETWEEN && s->to->query)
		deepen(b, q, s->to->query->depth, s->span);
	return q;
}

bool rn_build_clause(struct rn_builder *b, struct rn_ast_query *q, enum rn_clause c,
		     struct rn_span span)
{
	struct rn_span first = q->clause[c];
	struct rn_diag_item *it;

	q->span = rn_span_join(q->span, span);
	if (first.end == first.start) {
		q->clause[c] = span;
		return true;
	}
	it = rn_build_error(b, "E-CLAUSE-DUP", span, "`%s` is given twice", clause_text[c]);
	it->also = first;
	if (c == RN_C_WHERE || c == RN_C_HAVING)
		rn_diag_hint(b->diag, it, "join the two conditions with `and`");
	else if (c == RN_C_BY || c == RN_C_ORDER || c == RN_C_ON)
		rn_diag_hint(b->diag, it, "join the two lists with `,`");
	else
		rn_diag_hint(b->diag, it, "keep one of them");
	return false;
}

void rn_build_expr_clause(struct rn_builder *b, struct rn_ast_query *q, enum rn_clause c,
			  struct rn_token t, struct rn_ast_expr *e)
{
	deepen(b, q, e->depth, e->span);
	if (rn_build_clause(b, q, c, rn_span_join(t.span, e->span)))
		*(c == RN_C_WHERE ? &q->where : &q->having) = e;
}

static void set_value(struct rn_builder *b, struct rn_ast_query *q, enum rn_clause c,
		      struct rn_ast_expr *v)
{
	if (v->kind == RN_AST_PARAM)
		q->value[c] = v;
	else if (!b->quiet)
		rn_clause_set(b->diag, q, c, v);
}

void rn_build_value_clause(struct rn_builder *b, struct rn_ast_query *q, enum rn_clause c,
			   struct rn_token t, struct rn_ast_expr *v)
{
	struct rn_span span = rn_span_join(t.span, v->span);

	if (!rn_build_clause(b, q, c, span))
		return;
	if (c == RN_C_FROM)
		q->from_span = v->span;
	if (c == RN_C_INTO) {
		q->into_span = v->span;
		q->into_table = v->kind == RN_AST_NAME || v->kind == RN_AST_CALL;
	}
	set_value(b, q, c, v);
}

void rn_build_into(struct rn_builder *b, struct rn_ast_query *q, struct rn_token t,
		   struct rn_ast_expr *file, struct rn_into_over over)
{
	bool first = q->clause[RN_C_INTO].end == q->clause[RN_C_INTO].start;

	rn_build_value_clause(b, q, RN_C_INTO, t, file);
	if (!first || !over.how)
		return;
	q->into_how = over.how;
	q->clause[RN_C_INTO] = rn_span_join(q->clause[RN_C_INTO], over.span);
	q->span = rn_span_join(q->span, over.span);
}

void rn_build_scan(struct rn_builder *b, struct rn_ast_query *q, struct rn_token t,
		   struct rn_scan_cap c)
{
	if (c.per && strcmp(c.per->text, "s")) {
		rn_diag_hint(b->diag,
			     rn_build_error(b, "E-UNIT", c.per->span,
					    "a limit of what is searched is by the second"),
			     "for instance `scan 500MiB/s`");
		return;
	}
	if (c.per)
		c.value->span = rn_span_join(c.value->span, c.per->span);
	rn_build_value_clause(b, q, c.per ? RN_C_SCAN_RATE : RN_C_SCAN, t, c.value);
}

void rn_build_top(struct rn_builder *b, struct rn_ast_query *q, struct rn_token t,
		  struct rn_ast_expr *n, struct rn_ast_expr *by)
{
	struct rn_span span = rn_span_join(t.span, by ? by->span : n->span);

	if (by)
		deepen(b, q, by->depth, by->span);
	if (!rn_build_clause(b, q, RN_C_TOP, span))
		return;
	q->top_span = span;
	q->top_by = by;
	q->has_top = true;
	set_value(b, q, RN_C_TOP, n);
}

void rn_build_items_clause(struct rn_builder *b, struct rn_ast_query *q, enum rn_clause c,
			   struct rn_token t, struct rn_items items)
{
	deepen_items(b, q, items.first);
	if (rn_build_clause(b, q, c, rn_span_join(t.span, items.last->span)))
		*(c == RN_C_BY ? &q->by : &q->order) = items.first;
}
