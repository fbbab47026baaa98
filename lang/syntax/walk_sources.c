/* walk_sources.c - lists what a query reads, before its names are resolved: a walk over its sources
 * and those of nested queries. */
#include "lang/syntax/walk_sources.h"

struct walk {
	void (*visit)(void *self, const struct rn_ast_source *src);
	void *self;
	bool words; /* a $parameter stands for a word */
};

static void walk_query(struct walk *w, const struct rn_ast_query *q);

static void walk_words(struct walk *w, const struct rn_ast_name *n)
{
	for (; n; n = n->next)
		w->words |= n->param;
}

static void walk_expr(struct walk *w, const struct rn_ast_expr *e)
{
	if (!e)
		return;
	for (const struct rn_ast_expr *arg = e->args; arg; arg = arg->next)
		walk_expr(w, arg);
	walk_query(w, e->query);
}

static void walk_items(struct walk *w, const struct rn_ast_item *it)
{
	for (; it; it = it->next)
		walk_expr(w, it->expr);
}

static void walk_source(struct walk *w, const struct rn_ast_source *src)
{
	if (!src)
		return;
	if (src->kind == RN_SRC_CLASS && w->visit)
		w->visit(w->self, src);
	walk_words(w, src->args);
	walk_query(w, src->query);
	walk_source(w, src->from);
	walk_source(w, src->to);
}

static void walk_query(struct walk *w, const struct rn_ast_query *q)
{
	if (!q)
		return;
	walk_source(w, q->source);
	walk_words(w, q->on);
	walk_items(w, q->items);
	walk_items(w, q->by);
	walk_items(w, q->order);
	walk_expr(w, q->where);
	walk_expr(w, q->having);
	walk_expr(w, q->top_by);
}

void rn_query_sources(const struct rn_ast_query *query,
		      void (*visit)(void *self, const struct rn_ast_source *src), void *self)
{
	walk_query(&(struct walk){.visit = visit, .self = self}, query);
}

bool rn_query_has_word_params(const struct rn_ast_query *query)
{
	struct walk w = {0};

	walk_query(&w, query);
	return w.words;
}
