/* resolve.h - gives names their meaning and expressions their types. */
#ifndef RN_LANG_RESOLVE_RESOLVE_H
#define RN_LANG_RESOLVE_RESOLVE_H
#include "lang/resolve/names.h"

/* Resolves names, expands views (source becomes RN_SRC_QUERY), substitutes $params, decides
 * bareword-or-string, types every expression and checks units. Also fills items of `events of`,
 * labels of columns, defaults, `grouped`. Errors go to diag; true if there were none. Afterwards no
 * NAME is unresolved, no PARAM is left, and no expression has type ERROR. */
bool rn_resolve(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_query *query,
		const struct rn_names *names);

/* Puts the values of $parameters into the operands of a `tags` statement; true if there were no
 * errors. */
bool rn_resolve_words(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_name *words,
		      const struct rn_names *names);

/* ---- tags.c ---- */

/* True if the tag can be searched; else reports why not. */
bool rn_tag_check(struct rn_diag *diag, struct rn_span span, struct rn_tag t);

/* ---- let_shape.c ---- */

/* Returns the shape of a resolved query's answer, in an arena of its own. */
struct rn_ast_query *rn_let_shape(struct rn_arena *arena, const struct rn_ast_query *query);
/* Returns an aggregate in expr; NULL if there is none. */
const struct rn_agg_sig *rn_ast_agg(const struct rn_ast_expr *expr);
/* Returns the column of that label; NULL if there is none. */
const struct rn_ast_item *rn_ast_column(const struct rn_ast_query *query, const char *label);
/* Does it (NULL: no) say which window a row of query is of? That is the plain `window` of a nested
 * query with windows. */
bool rn_ast_is_window(const struct rn_ast_query *query, const struct rn_ast_item *it);

/* Call it after rn_resolve for the query of an `assert`. Its items must be conditions. The values
 * that they compare become further columns, so that a failure can show them. *conditions: the
 * number of conditions, which are the columns from number *first on (`window` not counted). True if
 * there were no errors. */
bool rn_assert_columns(struct rn_arena *arena, struct rn_diag *diag, struct rn_ast_query *query,
		       unsigned *first, unsigned *conditions);
#endif
