/* syntax_error.h - the words of a syntax error: what was found, what was expected, and the likely
 * mistake. Internal to lang/. */
#ifndef RN_LANG_SYNTAX_SYNTAX_ERROR_H
#define RN_LANG_SYNTAX_SYNTAX_ERROR_H
#include "lang/syntax/build.h"

/* parser: fed with the tokens before token[bad], which it refused. If semi, the token of kind 0 at
 * the end of token stands for a `;`. */
void rn_expect_report(struct rn_builder *builder, void *parser, const struct rn_token *token,
		      unsigned bad, bool semi);
#endif
