/* parse.h - text to AST. Pure; what is wrong with the text goes to the rn_diag that is passed. */
#ifndef RN_LANG_SYNTAX_PARSE_H
#define RN_LANG_SYNTAX_PARSE_H
#include "lang/syntax/ast.h"

/* Parses statements separated by `;`. Always returns a file; look at rn_diag_errors. src: from
 * rn_diag_source. */
struct rn_ast_file *rn_parse(struct rn_arena *a, struct rn_diag *d, uint16_t src);
/* The same for --dump=tokens: one line a token, "1:1 NAME count". */
const char *rn_dump_tokens(struct rn_arena *a, struct rn_diag *d, uint16_t src);
/* Gives a clause (top, limit, every, for, last, sample, scan, from, into, RN_C_WHAT_TOP) its value
 * from a literal: the parser does it, and resolution once it knows what q->value[c], a $parameter,
 * stands for. False: diagnosed. */
bool rn_clause_set(struct rn_diag *d, struct rn_ast_query *q, enum rn_clause c,
		   struct rn_ast_expr *literal);
const char *rn_clause_text(enum rn_clause c); /* "order by" */
#endif
