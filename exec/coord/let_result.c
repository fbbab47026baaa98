/* let_result.c - see let_result.h. Keeps a table of rowtable.c, and what the query that filled it
 * saw. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/coord/coord_impl.h"
#include "exec/coord/leaf.h"
#include "exec/coord/let_result_impl.h"
#include "exec/coord/rowtable_impl.h"
#include "exec/coord/let_result.h"
#include "lang/base/memory.h"
#include "lang/base/limits.h"

struct rn_let_result {
	struct rn_table *rows;
	size_t nrows, max_rows, max_bytes;
	struct rn_arena *arena; /* for the ledgers */
	struct rn_ledgers ledgers;
	struct rn_ran span;
};

struct rn_let_result *rn_let_result_create(unsigned ncols, size_t rows, size_t bytes)
{
	struct rn_let_result *k = rn_calloc(1, sizeof(*k));

	k->rows = rn_table_create(ncols);
	rn_table_keep(k->rows, rows, bytes);
	rn_table_ran(k->rows, &k->span);
	k->max_rows = rows;
	k->max_bytes = bytes;
	k->arena = rn_arena_create(1 << 20);
	return k;
}

void rn_let_result_destroy(struct rn_let_result *result)
{
	if (!result)
		return;
	rn_table_destroy(result->rows);
	rn_arena_destroy(result->arena);
	free(result);
}

size_t rn_let_result_rows(const struct rn_let_result *result)
{
	return result->nrows;
}

const struct rn_ledgers *rn_let_result_ledgers(const struct rn_let_result *result)
{
	return &result->ledgers;
}

int rn_let_result_row(struct rn_let_result *result, const struct rn_value *value, int64_t time_ns,
		      struct rn_err *err)
{
	struct rn_answer_sink to = rn_table_to(result->rows);
	int r = to.row(to.self, value, time_ns);

	result->nrows += !r;
	if (r != -E2BIG)
		return r;
	if (result->nrows == result->max_rows)
		rn_err_set(err, r, "the result has more than %zu rows, the most that is kept",
			   result->max_rows);
	else
		rn_err_set(err, r, "the result needs more than %zu MiB, the most that is kept",
			   result->max_bytes >> 20);
	rn_err_hint(err, "keep less of it: aggregates instead of rows, fewer columns, a narrower "
			 "`where`, or `limit`");
	return r;
}

/* ---- ledgers ---- */

static const char *copy(struct rn_arena *a, const char *s)
{
	return s ? rn_arena_strdup(a, s) : NULL;
}

static void add_nulls(struct rn_arena *arena, struct rn_ledgers *ledgers,
		      const struct rn_ledgers *from)
{
	struct rn_nulls *all = RN_NEWN(arena, struct rn_nulls, ledgers->nnulls + from->nnulls + 1);

	if (ledgers->nnulls)
		memcpy(all, ledgers->nulls, ledgers->nnulls * sizeof(*all));
	for (unsigned i = 0; i < from->nnulls; i++)
		all[ledgers->nnulls++] = (struct rn_nulls){
			rn_arena_strdup(arena, from->nulls[i].column), from->nulls[i].n};
	ledgers->nulls = all;
}

static void add_unanswered(struct rn_arena *arena, struct rn_ledgers *ledgers,
			   const struct rn_ledgers *from)
{
	unsigned n = ledgers->nunanswered;
	struct rn_unanswered *all = RN_NEWN(arena, struct rn_unanswered, n + from->nunanswered + 1);

	if (n)
		memcpy(all, ledgers->unanswered, n * sizeof(*all));
	for (unsigned i = 0; i < from->nunanswered; i++)
		all[n++] = (struct rn_unanswered){rn_arena_strdup(arena, from->unanswered[i].node),
						  rn_arena_strdup(arena, from->unanswered[i].why)};
	ledgers->unanswered = all;
	ledgers->nunanswered = n;
}

/* Adds the ledgers of `from` to ledgers, node by node. Copies the strings. */
static void add_ledgers(struct rn_arena *arena, struct rn_ledgers *ledgers,
			const struct rn_ledgers *from)
{
	struct rn_ledger *all = RN_NEWN(arena, struct rn_ledger, ledgers->n + from->n);
	unsigned n = ledgers->n;

	if (n)
		memcpy(all, ledgers->nodes, n * sizeof(*all));
	for (unsigned i = 0; i < from->n; i++) {
		const struct rn_ledger *ledger = &from->nodes[i];
		unsigned k = 0;

		while (k < n && strcmp(all[k].node, ledger->node))
			k++;
		if (k < n) {
			rn_ledger_add(&all[k], ledger);
			continue;
		}
		all[n] = *ledger;
		all[n].node = rn_arena_strdup(arena, ledger->node);
		all[n].why = copy(arena, ledger->why);
		all[n++].place = copy(arena, ledger->place);
	}
	ledgers->nodes = all;
	ledgers->n = n;
	add_nulls(arena, ledgers, from);
	add_unanswered(arena, ledgers, from);
}

static const struct rn_cover *copy_cover(struct rn_arena *a, const struct rn_cover *from)
{
	struct rn_span_ns *s = RN_NEWN(a, struct rn_span_ns, from->n + 1);
	struct rn_cover *c = RN_NEW(a, struct rn_cover);

	memcpy(s, from->span, from->n * sizeof(*s));
	*c = (struct rn_cover){s, from->n};
	return c;
}

void rn_let_result_close(struct rn_let_result *result, const struct rn_ledgers *ledgers,
			 const struct rn_ran *span)
{
	rn_table_close(result->rows);
	add_ledgers(result->arena, &result->ledgers, ledgers);
	result->ledgers.trace_note = copy(result->arena, ledgers->trace_note);
	result->span = *span;
	if (span->cover)
		result->span.cover = copy_cover(result->arena, span->cover);
}

/* ---- reading ---- */

int rn_let_result_leaf(struct rn_arena *arena, struct rn_plan *plan, const struct rn_run_opts *opts,
		       const struct rn_answer_sink *to, struct rn_ledgers *ledgers,
		       struct rn_ran *span, struct rn_err *err)
{
	struct rn_let_result *k = plan->given->rows;
	struct rn_provider provider;
	struct rn_node node = {.name = "coordinator", .provider = &provider};

	if (!k)
		return rn_err_set(err, -ESTALE,
				  "the result `%s` is not there: its query has not run",
				  plan->given->name);
	provider = rn_table_provider(k->rows);
	*span = k->span;
	return rn_leaf_execute(arena, plan, opts, &node, 1, false, to, ledgers, span, err);
}

struct accounts {
	const struct rn_let *seen[RN_MAX_LIST];
	unsigned n;
};

static void account(struct rn_arena *a, const struct rn_plan *p, struct rn_ledgers *l,
		    struct accounts *x)
{
	unsigned i = 0;

	for (unsigned k = 0; k < p->nsets; k++)
		account(a, p->sets[k], l, x);
	if (p->child)
		account(a, p->child, l, x);
	while (i < x->n && x->seen[i] != p->given)
		i++;
	if (!p->given || !p->given->rows || i < x->n || x->n == RN_MAX_LIST)
		return;
	x->seen[x->n++] = p->given;
	add_ledgers(a, l, &p->given->rows->ledgers);
	if (!l->trace_note)
		l->trace_note = rn_arena_printf(a, "from the result `%s`", p->given->name);
}

void rn_let_result_account(struct rn_arena *arena, const struct rn_plan *plan,
			   struct rn_ledgers *ledgers)
{
	struct accounts *x = RN_NEW(arena, struct accounts);

	account(arena, plan, ledgers, x);
}
