/* walk_sources.h - looks through a query before its names are resolved. */
#ifndef RN_LANG_SYNTAX_WALK_SOURCES_H
#define RN_LANG_SYNTAX_WALK_SOURCES_H
#include "lang/syntax/ast.h"

/* What rn_query_walk calls back for, NULL: nothing. Both may change what they get. */
struct rn_ast_visit {
	void (*source)(void *self, struct rn_ast_source *src); /* a class or a view, by name */
	void (*expr)(void *self, struct rn_ast_expr *expr);    /* what is inside of it first */
	void *self;
};
/* Visits the sources and expressions of query, also in nested queries and pairs. */
void rn_query_walk(struct rn_ast_query *query, const struct rn_ast_visit *visit);
/* Calls back for every class or view that query names as a source, also in nested queries and
 * pairs; before resolution. */
void rn_query_sources(const struct rn_ast_query *query,
		      void (*visit)(void *self, const struct rn_ast_source *src), void *self);
/* True if query has a $parameter in a place where no expression can stand: in a tag, in the
 * argument of a class, in `on`. */
bool rn_query_has_word_params(const struct rn_ast_query *query);
#endif
