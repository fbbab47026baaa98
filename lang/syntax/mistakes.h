/* mistakes.h - the likely mistake behind a syntax error, and the way out of it. Internal to lang/.
 */
#ifndef RN_LANG_SYNTAX_MISTAKES_H
#define RN_LANG_SYNTAX_MISTAKES_H
#include "lang/syntax/build.h"

/* Adds the hint to the error at token[bad], if one is known. accepts: by kind, which tokens the
 * grammar takes there. The text is in the builder's arena. */
void rn_mistake_hint(struct rn_builder *builder, struct rn_diag_item *it,
		     const struct rn_token *token, unsigned bad, const bool *accepts);
/* The way out of a statement that is none of this language but of SQL or a tool, and was refused at
 * token[bad] before any `of`; else NULL. */
const char *rn_mistake_foreign(struct rn_arena *arena, const struct rn_token *token, unsigned bad);
#endif
