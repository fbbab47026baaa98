/* syntax_error.h - the words of a syntax error: what was found, what could have stood there, and
 * the likely mistake. Internal to lang/. */
#ifndef RN_LANG_SYNTAX_SYNTAX_ERROR_H
#define RN_LANG_SYNTAX_SYNTAX_ERROR_H
#include "lang/syntax/build.h"

/* parser: fed with the tokens before t[bad]. The token of kind 0 at the end of t stands for a `;`
 * if semi. */
void rn_expect_report(struct rn_builder *b, void *parser, const struct rn_token *t, unsigned bad,
		      bool semi);
/* The way out of a statement that is none of this language but of SQL or a tool, and was refused at
 * t[bad] before any `of`; else NULL. */
const char *rn_expect_foreign(struct rn_arena *a, const struct rn_token *t, unsigned bad);
#endif
