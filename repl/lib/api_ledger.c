/* api_ledger.c - librunnel: how complete the answer is. Made when it is asked for, once the query is over. See runnel.h and api.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "repl/lib/api.h"
#include "repl/lib/ledger_text.h"

static bool is_over(const struct runnel_query *q)
{
	return q->state == API_ENDED && q->status == RUNNEL_DONE;
}

unsigned rn_ledger_nodes(const struct runnel_query *q)
{
	return is_over(q) ? q->ledgers.n : 0;
}

static struct runnel_ledger told(const struct rn_ledger *l)
{
	return (struct runnel_ledger){.node = l->node ? l->node : "", .answered = l->answered, .why = l->why ? l->why : "", .begin = l->begin_ns,
				      .end = l->end_ns, .lost = rn_ledger_lost(l), .nitems = RN_L_COUNT, .items = l->n};
}

/* Of each node, and behind them of all. */
static struct runnel_ledger *make(struct runnel_query *q)
{
	struct rn_ledger *sum = RN_NEW(q->arena, struct rn_ledger);
	unsigned n = q->ledgers.n;
	struct runnel_ledger *all = RN_NEWN(q->arena, struct runnel_ledger, n + 1);
	*sum = rn_ledger_total(&q->ledgers);
	all[n] = told(sum);
	for (unsigned i = 0; i < n; i++)
		all[i] = told(&q->ledgers.l[i]);
	return all;
}

const struct runnel_ledger *rn_ledger_of(const struct runnel_query *q, int node)
{
	struct runnel_query *own = (struct runnel_query *)(uintptr_t)q; /* what is made late is no change */
	if (!is_over(q) || node < -1 || node >= (int)q->ledgers.n)
		return NULL;
	if (!own->ledger)
		own->ledger = make(own);
	return &own->ledger[node < 0 ? (int)q->ledgers.n : node];
}

const char *rn_ledger_item_name(unsigned i, int *loss)
{
	if (i >= RN_L_COUNT)
		return NULL;
	if (loss)
		*loss = rn_ledger_is_loss((enum rn_ledger_item)i);
	return rn_ledger_name((enum rn_ledger_item)i);
}

const char *rn_ledger_item_text(unsigned i)
{
	return i < RN_L_COUNT ? rn_ledger_doc((enum rn_ledger_item)i, 2) : NULL;
}

static const char *written(struct runnel_query *q, void (*write)(FILE *f, const struct rn_ledgers *l))
{
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	if (!f)
		abort();
	locale_t was = rn_api_enter(q->r);
	write(f, &q->ledgers);
	rn_api_leave(was);
	if (fclose(f))
		abort();
	const char *kept = rn_arena_strdup(q->arena, s);
	free(s);
	return kept;
}

static void plain(FILE *f, const struct rn_ledgers *l)
{
	rn_ledger_write(f, l, false);
}

const char *rn_ledger_text(const struct runnel_query *q)
{
	struct runnel_query *own = (struct runnel_query *)(uintptr_t)q;
	if (is_over(q) && !q->ledger_text)
		own->ledger_text = written(own, plain);
	return q->ledger_text ? q->ledger_text : "";
}

const char *rn_ledger_json(const struct runnel_query *q)
{
	struct runnel_query *own = (struct runnel_query *)(uintptr_t)q;
	if (is_over(q) && !q->ledger_json)
		own->ledger_json = written(own, rn_ledger_write_json);
	return q->ledger_json ? q->ledger_json : "";
}

int rn_complete(const struct runnel_query *q)
{
	return is_over(q) && rn_ledger_complete(&q->ledgers);
}
