/* parse.h - text to AST. Pure; errors in the text go to the rn_diag that is passed. */
#ifndef RN_LANG_SYNTAX_PARSE_H
#define RN_LANG_SYNTAX_PARSE_H
#include "lang/syntax/ast.h"

/* Parses statements separated by `;`. Always returns a file; check rn_diag_errors. src: from
 * rn_diag_source. */
struct rn_ast_file *rn_parse(struct rn_arena *arena, struct rn_diag *diag, uint16_t src);

/* ---- dump_ast.c ---- */

/* Lists the tokens for --dump=tokens: one line a token, "1:1 NAME count". */
const char *rn_dump_tokens(struct rn_arena *arena, struct rn_diag *diag, uint16_t src);

/* ---- clauses.c ---- */

/* Sets a clause (top, limit, every, for, last, sample, scan, from, into, RN_C_WHAT_TOP) from a
 * literal. The parser calls it; resolution calls it once it knows the value of a $parameter in
 * query->value[c]. Returns false after a report. */
bool rn_clause_set(struct rn_diag *diag, struct rn_ast_query *query, enum rn_clause c,
		   struct rn_ast_expr *literal);
const char *rn_clause_text(enum rn_clause c); /* "order by" */
#endif
