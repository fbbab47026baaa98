/* api_ledger.c - librunnel: how complete the answer is. Ledgers are made when the caller asks, from
 * what is known by then. See runnel.h and api.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "repl/api/api.h"
#include "repl/render/ledger.h"

enum { LEDGER_CAP = 256 << 20 };

/* The ledgers of the whole answer; while the query runs, those known when its last step returned.
 * NULL: nothing is known. */
static const struct rn_ledgers *current(const struct runnel_query *q)
{
	if (!q)
		return NULL;
	if (q->state == RN_API_ENDED)
		return q->status == RUNNEL_DONE ? &q->ledgers : NULL;
	return q->known ? &q->known->list : NULL;
}

/* ---- while it runs ---- */

static void drop(struct rn_api_ledgers **x)
{
	if (*x)
		rn_arena_destroy((*x)->arena); /* *x is in this arena */
	*x = NULL;
}

static const char *copied(struct rn_arena *a, const char *s)
{
	return s ? rn_arena_strdup(a, s) : NULL;
}

void rn_api_ledgers_told(void *query, const struct rn_ledgers *ledgers)
{
	struct runnel_query *of = query;
	struct rn_arena *arena = rn_arena_create(LEDGER_CAP);
	struct rn_api_ledgers *x = RN_NEW(arena, struct rn_api_ledgers), *old;

	*x = (struct rn_api_ledgers){.arena = arena, .list = *ledgers};
	x->list.nodes = RN_NEWN(arena, struct rn_ledger, ledgers->n + 1);
	x->list.trace_note = copied(arena, ledgers->trace_note);
	for (unsigned i = 0; i < ledgers->n; i++) {
		x->list.nodes[i] = ledgers->nodes[i];
		x->list.nodes[i].node = copied(arena, ledgers->nodes[i].node);
		x->list.nodes[i].why = copied(arena, ledgers->nodes[i].why);
		x->list.nodes[i].place = copied(arena, ledgers->nodes[i].place);
	}
	pthread_mutex_lock(&of->lock);
	old = of->fresh_ledgers;
	of->fresh_ledgers = x;
	pthread_mutex_unlock(&of->lock);
	drop(&old);
}

static void forget_texts(struct runnel_query *q)
{
	q->ledger = NULL;
	q->ledger_text = q->ledger_json = NULL;
}

void rn_api_ledgers_look(struct runnel_query *query)
{
	if (!query->fresh_ledgers)
		return;
	drop(&query->known);
	query->known = query->fresh_ledgers;
	query->fresh_ledgers = NULL;
	forget_texts(query);
}

void rn_api_ledgers_forget(struct runnel_query *query)
{
	drop(&query->known);
	drop(&query->fresh_ledgers);
	forget_texts(query);
}

/* The arena for what is made of the current ledgers. While the query runs, the run's arena is the
 * thread's. */
static struct rn_arena *room(const struct runnel_query *q)
{
	return q->known ? q->known->arena : q->arena;
}

/* ---- what the caller gets ---- */

unsigned runnel_ledger_nodes(const struct runnel_query *query)
{
	return current(query) ? current(query)->n : 0;
}

static struct runnel_ledger told(const struct rn_ledger *l)
{
	return (struct runnel_ledger){.node = l->node ? l->node : "",
				      .answered = l->answered,
				      .why = l->why ? l->why : "",
				      .begin = l->begin_ns,
				      .end = l->end_ns,
				      .lost = rn_ledger_lost(l),
				      .nitems = RN_L_COUNT,
				      .items = l->n};
}

/* Make a ledger of each node, then one of all. */
static struct runnel_ledger *make(struct rn_arena *a, const struct rn_ledgers *l)
{
	struct rn_ledger *sum = RN_NEW(a, struct rn_ledger);
	struct runnel_ledger *all = RN_NEWN(a, struct runnel_ledger, l->n + 1);

	*sum = rn_ledger_total(l);
	sum->node = NULL;
	all[l->n] = told(sum);
	for (unsigned i = 0; i < l->n; i++)
		all[i] = told(&l->nodes[i]);
	return all;
}

const struct runnel_ledger *runnel_ledger_of(const struct runnel_query *query, int node)
{
	/* filling in a cache is no change */
	struct runnel_query *own = (struct runnel_query *)(uintptr_t)query;
	const struct rn_ledgers *l = current(query);

	if (!l || node < -1 || node >= (int)l->n)
		return NULL;
	if (!own->ledger) {
		struct rn_api_was was = rn_api_enter(query->session);

		own->ledger = make(room(query), l);
		rn_api_leave(was);
	}
	return &own->ledger[node < 0 ? (int)l->n : node];
}

const char *runnel_ledger_item_name(unsigned i, int *loss)
{
	if (i >= RN_L_COUNT)
		return NULL;
	if (loss)
		*loss = rn_ledger_is_loss((enum rn_ledger_item)i);
	return rn_ledger_name((enum rn_ledger_item)i);
}

const char *runnel_ledger_item_text(unsigned i)
{
	return i < RN_L_COUNT ? rn_ledger_doc((enum rn_ledger_item)i, 2) : NULL;
}

/* NULL: memory ran out. */
static const char *written(struct runnel_query *q,
			   void (*write)(FILE *f, const struct rn_ledgers *l))
{
	char *s = NULL;
	size_t n;
	struct rn_api_was was = rn_api_enter(q->session);
	FILE *f = open_memstream(&s, &n);
	const char *kept;

	if (f)
		write(f, current(q));
	kept = f && !fclose(f) ? rn_arena_strdup(room(q), s) : NULL;
	rn_api_leave(was);
	free(s);
	return kept;
}

static void plain(FILE *f, const struct rn_ledgers *l)
{
	rn_ledger_write(f, l, false);
}

const char *runnel_ledger_text(const struct runnel_query *query)
{
	struct runnel_query *own = (struct runnel_query *)(uintptr_t)query;

	if (current(query) && !query->ledger_text)
		own->ledger_text = written(own, plain);
	return query && query->ledger_text ? query->ledger_text : "";
}

const char *runnel_ledger_json(const struct runnel_query *query)
{
	struct runnel_query *own = (struct runnel_query *)(uintptr_t)query;

	if (current(query) && !query->ledger_json)
		own->ledger_json = written(own, rn_ledger_write_json);
	return query && query->ledger_json ? query->ledger_json : "";
}

int runnel_complete(const struct runnel_query *query)
{
	return query && query->state == RN_API_ENDED && current(query) &&
	       rn_ledger_complete(&query->ledgers);
}
