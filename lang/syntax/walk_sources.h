/* walk_sources.h - looks through a query before its names are resolved. */
#ifndef RN_LANG_SYNTAX_WALK_SOURCES_H
#define RN_LANG_SYNTAX_WALK_SOURCES_H
#include "lang/syntax/ast.h"

/* Every class or view that q names as a source, in nested queries and pairs too; before
 * resolution. */
void rn_query_sources(const struct rn_ast_query *q,
		      void (*visit)(void *self, const struct rn_ast_source *src), void *self);
/* True if a $parameter stands in q where no expression can: in a tag, in the argument of a class,
 * in `on`. */
bool rn_query_has_word_params(const struct rn_ast_query *q);
#endif
