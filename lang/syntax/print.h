/* print.h - AST to text: canonical, or as a tree. All texts are in the arena. */
#ifndef RN_LANG_SYNTAX_PRINT_H
#define RN_LANG_SYNTAX_PRINT_H
#include "lang/syntax/ast.h"

/* Returns the canonical text. It parses back to the same tree, and prints back to itself. */
const char *rn_print_expr(struct rn_arena *arena, const struct rn_ast_expr *expr);
const char *rn_print_query(struct rn_arena *arena, const struct rn_ast_query *query);
const char *rn_print_stmt(struct rn_arena *arena, const struct rn_ast_stmt *stmt);

/* ---- dump_ast.c ---- */

/* Returns an indented tree of the AST (typed: with types after resolution), for --dump=ast and
 * --dump=types. */
const char *rn_dump_ast(struct rn_arena *arena, const struct rn_ast_query *query, bool typed);
#endif
