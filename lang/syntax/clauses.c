/* clauses.c - a query's head and its clauses: each at most once, each value of the right kind.
 *
 * The literal of a clause stays in q->value, so that it prints as it was written. rn_clause_set
 * computes from it the number that later passes read (top, every_ns, ...). It runs at once or, for
 * a $parameter, during name resolution. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "lang/syntax/build.h"
#include "lang/foreign/words.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/values/tag.h"

static const char *const clause_text[] = {
	[RN_C_WHERE] = "where",
	[RN_C_BY] = "by",
	[RN_C_HAVING] = "having",
	[RN_C_ORDER] = "order by",
	[RN_C_TOP] = "top",
	[RN_C_LIMIT] = "limit",
	[RN_C_EVERY] = "every",
	[RN_C_FOR] = "for",
	[RN_C_LAST] = "last",
	[RN_C_SAMPLE] = "sample",
	[RN_C_ON] = "on",
	[RN_C_FROM] = "from",
	[RN_C_INTO] = "into",
	[RN_C_WHAT_TOP] = "top",
	[RN_C_SCAN] = "scan",
	[RN_C_SCAN_RATE] = "scan",
	[RN_C_THROUGH] = "through",
	[RN_C_OVER] = "over",
	[RN_C_STARTING] = "starting where",
	[RN_C_ENDING] = "ending where",
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

/* Is the word behind a number, and a blank, a unit? */
static bool unit_follows(const struct rn_diag *diag, const struct rn_ast_expr *number)
{
	size_t len, at = number->span.end, n = 0;
	const char *text = rn_diag_text(diag, number->span.src, &len);
	char word[16];

	if (!text || at >= len || text[at] != ' ')
		return false;
	while (at < len && text[at] == ' ')
		at++;
	while (at + n < len && n + 1 < sizeof(word) && text[at + n] >= 'A' && text[at + n] <= 'z')
		n++;
	memcpy(word, text + at, n);
	word[n] = 0;
	return number->ty.unit == RN_U_NONE && n && rn_foreign_unit(word);
}

static bool set_duration(struct rn_diag *diag, struct rn_ast_query *query, enum rn_clause c,
			 const struct rn_ast_expr *expr)
{
	struct rn_diag_item *it;

	if (expr->value.kind != RN_INT || expr->ty.unit != RN_U_NS || expr->value.i < 1) {
		if (unit_follows(diag, expr)) /* `every 500 ms` fails at `ms`, and says why */
			return false;
		it = rn_diag_add(diag, RN_ERROR, "E-UNIT", expr->span,
				 "`%s` takes a duration longer than zero", clause_text[c]);
		if ((expr->value.kind == RN_INT || expr->value.kind == RN_FLOAT) &&
		    expr->ty.unit == RN_U_NONE && expr->text &&
		    /* not for `1e9ns`, which is no number even with a unit */
		    !expr->text[strspn(expr->text, "0123456789.")])
			rn_diag_hint(diag, it, "write the unit, as in `%s %ss`", clause_text[c],
				     expr->text);
		else
			rn_diag_hint(diag, it, "for instance `%s 10s`", clause_text[c]);
		return false;
	}
	*(c == RN_C_EVERY  ? &query->every_ns
	  : c == RN_C_OVER ? &query->over_ns
	  : c == RN_C_FOR  ? &query->for_ns
			   : &query->last_ns) = expr->value.i;
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
static bool set_scan(struct rn_diag *diag, struct rn_ast_query *query, enum rn_clause c,
		     const struct rn_ast_expr *expr)
{
	int64_t least = c == RN_C_SCAN ? RN_SCAN_CAP_MIN : RN_SCAN_RATE_MIN,
		most = c == RN_C_SCAN ? RN_SCAN_CAP_MAX : INT64_MAX, *limit;
	struct rn_diag_item *it;

	if (expr->value.kind != RN_INT ||
	    (expr->ty.unit != RN_U_BYTE && expr->ty.unit != RN_U_BYTE_PER_S)) {
		it = rn_diag_add(
			diag, RN_ERROR, "E-UNIT", expr->span,
			"`scan` takes the size of what is searched of a call, or of a second");
		rn_diag_hint(diag, it,
			     "for instance `scan 4MiB`, `scan 500MiB/s` or `scan 4MiB, 500MiB/s`");
		return false;
	}
	if (expr->value.i < least || expr->value.i > most) {
		it = rn_diag_add(diag, RN_ERROR, "E-LIMIT-SCAN", expr->span,
				 "`scan` is out of range");
		if (c == RN_C_SCAN)
			rn_diag_hint(diag, it, "from %dKiB to %dMiB of a call",
				     RN_SCAN_CAP_MIN >> 10, RN_SCAN_CAP_MAX >> 20);
		else
			rn_diag_hint(diag, it, "at least %dMiB/s", RN_SCAN_RATE_MIN >> 20);
		return false;
	}
	limit = c == RN_C_SCAN ? &query->scan_cap : &query->scan_rate;
	if (*limit) {
		rn_diag_add(diag, RN_ERROR, "E-CLAUSE-DUP", expr->span,
			    "`scan` has two limits of %s", c == RN_C_SCAN ? "a call" : "a second");
		return false;
	}
	*limit = expr->value.i;
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

bool rn_clause_set(struct rn_diag *diag, struct rn_ast_query *query, enum rn_clause c,
		   struct rn_ast_expr *literal)
{
	if (c == RN_C_SCAN || c == RN_C_SCAN_RATE) { /* a parameter's value says which */
		query->value[c] = NULL;
		c = literal->ty.unit == RN_U_BYTE_PER_S ? RN_C_SCAN_RATE : RN_C_SCAN;
	}
	query->value[c] = literal;
	switch (c) {
	case RN_C_TOP:
	case RN_C_LIMIT:
	case RN_C_WHAT_TOP: return set_count(diag, query, c, literal);
	case RN_C_EVERY:
	case RN_C_OVER:
	case RN_C_FOR:
	case RN_C_LAST: return set_duration(diag, query, c, literal);
	case RN_C_SAMPLE: return set_sample(diag, query, literal);
	case RN_C_SCAN:
	case RN_C_SCAN_RATE: return set_scan(diag, query, c, literal);
	default: return set_file(diag, query, c, literal);
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

struct rn_ast_query *rn_build_query(struct rn_builder *builder, enum rn_ast_what what,
				    struct rn_span start, struct rn_items items,
				    struct rn_ast_source *src)
{
	struct rn_ast_query *query = RN_NEW(builder->arena, struct rn_ast_query);

	query->what = what;
	query->items = items.first;
	query->source = src;
	query->span = rn_span_join(start, src->span);
	query->depth = 1;
	deepen_items(builder, query, query->items);
	for (const struct rn_ast_source *one = src; one; one = one->next)
		for (const struct rn_ast_expr *expr = one->view_args; expr; expr = expr->next)
			deepen(builder, query, expr->depth, expr->span);
	if (src->query)
		deepen(builder, query, src->query->depth, src->span);
	if (src->kind == RN_SRC_BETWEEN && src->from->query)
		deepen(builder, query, src->from->query->depth, src->span);
	if (src->kind == RN_SRC_BETWEEN && src->to->query)
		deepen(builder, query, src->to->query->depth, src->span);
	return query;
}

struct rn_ast_query *rn_build_alone(struct rn_builder *builder, struct rn_ast_source *src)
{
	struct rn_ast_query *query =
		rn_build_query(builder, RN_WHAT_EVENTS, src->span, (struct rn_items){0}, src);

	query->all = query->alone = true;
	return query;
}

static bool is_of_flow(enum rn_clause c)
{
	return c >= RN_C_THROUGH && c <= RN_C_ENDING;
}

bool rn_build_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
		     struct rn_span span)
{
	struct rn_span first = query->clause[c];
	struct rn_diag_item *it;

	query->span = rn_span_join(query->span, span);
	if (first.end == first.start) {
		query->clause[c] = span;
		return true;
	}
	it = rn_build_error(builder, "E-CLAUSE-DUP", span, "`%s` is given twice", clause_text[c]);
	it->also = first;
	if (c == RN_C_WHERE || c == RN_C_HAVING || is_of_flow(c))
		rn_diag_hint(builder->diag, it, "join the two conditions with `and`");
	else if (c == RN_C_BY || c == RN_C_ORDER || c == RN_C_ON)
		rn_diag_hint(builder->diag, it, "join the two lists with `,`");
	else
		rn_diag_hint(builder->diag, it, "keep one of them");
	return false;
}

void rn_build_expr_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
			  struct rn_token token, struct rn_ast_expr *expr)
{
	deepen(builder, query, expr->depth, expr->span);
	for (unsigned i = 0; i < RN_FLOW_IFS && c == RN_C_WHERE; i++)
		if (query->flow_if[i])
			rn_diag_hint(builder->diag,
				     rn_build_error(builder, "E-SYNTAX", token.span,
						    "`where` stands before `%s`",
						    rn_flow_conditions[i].words),
				     "`where` says which hops there are, `%s` which of their flows "
				     "are shown: flow of tag T where ... %s ...",
				     rn_flow_conditions[i].words, rn_flow_conditions[i].words);
	if (rn_build_clause(builder, query, c, rn_span_join(token.span, expr->span)))
		*(c == RN_C_WHERE    ? &query->where
		  : c == RN_C_HAVING ? &query->having
				     : &query->flow_if[c - RN_C_THROUGH]) = expr;
}

static void set_value(struct rn_builder *b, struct rn_ast_query *q, enum rn_clause c,
		      struct rn_ast_expr *v)
{
	if (v->kind == RN_AST_PARAM)
		q->value[c] = v;
	else if (!b->quiet)
		rn_clause_set(b->diag, q, c, v);
}

void rn_build_value_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
			   struct rn_token token, struct rn_ast_expr *expr)
{
	struct rn_span span = rn_span_join(token.span, expr->span);

	if (!rn_build_clause(builder, query, c, span))
		return;
	if (c == RN_C_FROM)
		query->from_span = expr->span;
	if (c == RN_C_INTO) {
		query->into_span = expr->span;
		query->into_table = expr->kind == RN_AST_NAME || expr->kind == RN_AST_CALL;
	}
	set_value(builder, query, c, expr);
}

void rn_build_into(struct rn_builder *builder, struct rn_ast_query *query, struct rn_token token,
		   struct rn_ast_expr *file, struct rn_into_over over)
{
	bool first = query->clause[RN_C_INTO].end == query->clause[RN_C_INTO].start;

	rn_build_value_clause(builder, query, RN_C_INTO, token, file);
	if (!first || !over.how)
		return;
	query->into_how = over.how;
	query->clause[RN_C_INTO] = rn_span_join(query->clause[RN_C_INTO], over.span);
	query->span = rn_span_join(query->span, over.span);
}

void rn_build_scan(struct rn_builder *builder, struct rn_ast_query *query, struct rn_token token,
		   struct rn_ast_expr *expr)
{
	/* of two parameters, whose values are not known yet, each takes a place */
	bool second = expr->kind == RN_AST_PARAM && query->value[RN_C_SCAN];

	rn_build_value_clause(builder, query,
			      second || expr->ty.unit == RN_U_BYTE_PER_S ? RN_C_SCAN_RATE
									 : RN_C_SCAN,
			      token, expr);
}

void rn_build_top(struct rn_builder *builder, struct rn_ast_query *query, struct rn_token token,
		  struct rn_ast_expr *expr, struct rn_ast_expr *by)
{
	struct rn_span span = rn_span_join(token.span, by ? by->span : expr->span);

	if (by)
		deepen(builder, query, by->depth, by->span);
	if (!rn_build_clause(builder, query, RN_C_TOP, span))
		return;
	query->top_span = span;
	query->top_by = by;
	query->has_top = true;
	set_value(builder, query, RN_C_TOP, expr);
}

void rn_build_items_clause(struct rn_builder *builder, struct rn_ast_query *query, enum rn_clause c,
			   struct rn_token token, struct rn_items items)
{
	deepen_items(builder, query, items.first);
	if (rn_build_clause(builder, query, c, rn_span_join(token.span, items.last->span)))
		*(c == RN_C_BY ? &query->by : &query->order) = items.first;
}
