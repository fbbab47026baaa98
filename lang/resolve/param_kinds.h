/* param_kinds.h - what the parameters of a view stand for: values, fields, conditions or sources.
 * The view does not say so. It follows from where it uses them. */
#ifndef RN_LANG_RESOLVE_PARAM_KINDS_H
#define RN_LANG_RESOLVE_PARAM_KINDS_H
#include "lang/syntax/ast.h"

/* Sets the kind and the user of each parameter of a VIEW statement. Returns false, and reports, if
 * two uses of a parameter are of two kinds. diag NULL: reports nothing. */
bool rn_param_kinds(struct rn_ast_stmt *view, struct rn_diag *diag);
/* "a field": for messages */
const char *rn_param_phrase(enum rn_param_kind kind);
/* "field", "source", ...: what a signature adds to the name; "" for a value. */
const char *rn_param_word(enum rn_param_kind kind);
/* Returns "what source, key field, n = 10", in the arena; "" if the view has no parameters. view:
 * as rn_param_kinds left it, or as it was parsed; NULL: none. */
const char *rn_param_signature(struct rn_arena *arena, struct rn_ast_stmt *view);
#endif
