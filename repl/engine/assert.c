/* assert.c - see assert.h. */
#include <inttypes.h>
#include <string.h>
#include "repl/engine/assert.h"
#include "repl/render/numbers.h"
#include "repl/render/partial.h"
#include "lang/resolve/resolve.h"

bool rn_assert_prepare(struct rn_script *script, const struct rn_ast_stmt *st,
		       struct rn_statement *job)
{
	struct rn_assertion *as = RN_NEW(script->arena, struct rn_assertion);
	unsigned i = 0;

	*as = (struct rn_assertion){.arena = script->arena, .values = ""};
	if (!rn_assert_columns(script->arena, script->diag, st->query, &as->first, &as->n))
		return false;
	as->cond = RN_NEWN(script->arena, const struct rn_ast_expr *, as->n + 1);
	for (const struct rn_ast_item *it = st->query->items; it; it = it->next, i++) {
		if (i >= as->first && i < as->first + as->n)
			as->cond[i - as->first] = it->expr;
	}
	as->first += st->query->every_ns > 0; /* `window` comes before all conditions */
	job->assertion = as;
	return true;
}

static int begin(void *self, const struct rn_answer_shape *r)
{
	struct rn_assertion *as = self;

	as->cols = RN_NEWN(as->arena, struct rn_column, r->ncols + 1);
	for (unsigned i = 0; i < r->ncols; i++)
		as->cols[i] = (struct rn_column){
			.label = rn_arena_strdup(as->arena, r->cols[i].label), .ty = r->cols[i].ty};
	as->ncols = r->ncols;
	as->window = r->window;
	as->window_ns = r->window_ns;
	return 0;
}

static void partial(void *self, const struct rn_extent *covered)
{
	struct rn_assertion *as = self;

	as->partial = true;
	as->covered = *covered;
}

static const char *show_row(const struct rn_assertion *as, const struct rn_value *v)
{
	const char *text = "";

	for (unsigned i = 0; i < as->ncols; i++) {
		char mark[RN_PARTIAL_BYTES] = "";
		const char *shown;

		if (i >= as->first && i < as->first + as->n)
			continue;
		shown = v[i].kind == RN_NULL ? "null"
					     : rn_value_show(as->arena, as->cols[i].ty, &v[i]);
		if (as->partial && i == as->window)
			rn_partial_text(mark, as->covered.ns, as->window_ns);
		text = rn_arena_printf(as->arena, "%s%s%s = %s%s", text, *text ? ", " : "",
				       as->cols[i].label, *shown ? shown : "\"\"", mark);
	}
	return text;
}

/* Check a row. NULL is not true: a condition about nothing (the greatest of no values) fails. */
static int row(void *self, const struct rn_value *v)
{
	struct rn_assertion *as = self;
	unsigned i = 0;

	as->rows++;
	while (i < as->n && v[as->first + i].kind != RN_NULL && v[as->first + i].i)
		i++;
	if (i < as->n && !as->failed++) {
		as->which = i;
		as->values = show_row(as, v);
	}
	as->partial = false;
	return 0;
}

static int end(void *self)
{
	(void)self;
	return 0;
}

struct rn_output rn_assert_output(struct rn_assertion *as)
{
	as->rows = as->failed = 0;
	as->values = "";
	return (struct rn_output){
		.self = as, .begin = begin, .row = row, .partial = partial, .end = end};
}

/* Make a new diag over the same text: spans stay right. */
static struct rn_diag *own_diag(struct rn_script *u)
{
	struct rn_diag *d = rn_diag_new(u->arena);

	rn_diag_source(d, u->name, u->text, u->len);
	return d;
}

bool rn_assert_holds(struct rn_script *script, const struct rn_statement *job,
		     struct rn_diag **diag)
{
	const struct rn_assertion *as = job->assertion;
	char a[32], b[32];
	struct rn_diag_item *it;

	if (!as->failed)
		return true;
	*diag = own_diag(script);
	it = rn_diag_add(*diag, RN_ERROR, "E-ASSERT", as->cond[as->which]->span, "%s",
			 job->stmt->message ? job->stmt->message : "the assertion does not hold");
	if (as->rows == 1)
		rn_diag_hint(*diag, it, "%s", *as->values ? as->values : "it is false");
	else
		rn_diag_hint(*diag, it, "%s%s%s of %s rows fail%s", as->values,
			     *as->values ? "; " : "", rn_text_commas(a, as->failed),
			     rn_text_commas(b, as->rows),
			     as->failed == 1 ? "s" : ", this is the first");
	return false;
}

struct rn_diag *rn_assert_doubt(struct rn_script *script, const struct rn_statement *job)
{
	struct rn_diag *d = own_diag(script);

	rn_diag_hint(d,
		     rn_diag_add(d, RN_WARNING, "W-ASSERT", job->stmt->span,
				 "the assertion holds of what was seen, and that was not all"),
		     "the ledger says what is missing");
	return d;
}
