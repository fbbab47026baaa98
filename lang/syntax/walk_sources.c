/* walk_sources.c - a walk over a query: its sources and expressions, and those of nested queries.
 */
#include "lang/syntax/walk_sources.h"

struct walk {
	struct rn_ast_visit visit;
	bool words; /* a $parameter stands for a word */
};

static void walk_query(struct walk *w, struct rn_ast_query *q);

static void walk_words(struct walk *w, const struct rn_ast_name *n)
{
	for (; n; n = n->next)
		w->words |= n->param;
}

static void walk_exprs(struct walk *w, struct rn_ast_expr *e)
{
	for (struct rn_ast_expr *next; e; e = next) {
		next = e->next;
		walk_exprs(w, e->args);
		walk_query(w, e->query);
		if (w->visit.expr)
			w->visit.expr(w->visit.self, e);
	}
}

/* An expression alone: `next` of one is not a part of it. */
static void walk_expr(struct walk *w, struct rn_ast_expr *e)
{
	struct rn_ast_expr *next = e ? e->next : NULL;

	if (!e)
		return;
	e->next = NULL;
	walk_exprs(w, e);
	e->next = next;
}

static void walk_items(struct walk *w, struct rn_ast_item *it)
{
	for (; it; it = it->next)
		walk_expr(w, it->expr);
}

static void walk_source(struct walk *w, struct rn_ast_source *src)
{
	if (!src)
		return;
	if (src->kind == RN_SRC_CLASS && w->visit.source)
		w->visit.source(w->visit.self, src);
	walk_words(w, src->args);
	walk_exprs(w, src->view_args);
	walk_query(w, src->query);
	walk_source(w, src->from);
	walk_source(w, src->to);
	walk_source(w, src->next);
}

static void walk_query(struct walk *w, struct rn_ast_query *q)
{
	if (!q)
		return;
	walk_source(w, q->source);
	walk_words(w, q->on);
	walk_items(w, q->items);
	walk_items(w, q->by);
	walk_items(w, q->order);
	walk_expr(w, q->where);
	for (unsigned i = 0; i < RN_FLOW_IFS; i++)
		walk_expr(w, q->flow_if[i]);
	walk_expr(w, q->having);
	walk_expr(w, q->top_by);
}

void rn_query_walk(struct rn_ast_query *query, const struct rn_ast_visit *visit)
{
	walk_query(&(struct walk){.visit = *visit}, query);
}

struct sources {
	void (*visit)(void *self, const struct rn_ast_source *src);
	void *self;
};

static void visit_source(void *self, struct rn_ast_source *src)
{
	struct sources *s = self;

	s->visit(s->self, src);
}

void rn_query_sources(const struct rn_ast_query *query,
		      void (*visit)(void *self, const struct rn_ast_source *src), void *self)
{
	struct sources s = {visit, self};

	/* visit_source changes nothing */
	rn_query_walk((struct rn_ast_query *)query,
		      &(struct rn_ast_visit){.source = visit_source, .self = &s});
}

bool rn_query_has_word_params(const struct rn_ast_query *query)
{
	struct walk w = {0};

	walk_query(&w, (struct rn_ast_query *)query); /* it changes nothing */
	return w.words;
}
