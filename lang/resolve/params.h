/* params.h - the parameters that a text declares, and their values. */
#ifndef RN_LANG_RESOLVE_PARAMS_H
#define RN_LANG_RESOLVE_PARAMS_H
#include "lang/syntax/ast.h"

/* A parameter that a text declares. Its value is a literal of its type, without a place in the
 * text. */
struct rn_param {
	const struct rn_ast_stmt *stmt; /* PARAM: name, doc, place */
	const char *name;
	struct rn_ty ty;
	struct rn_ast_expr *deflt; /* NULL: a value must be given */
	/* set by rn_params_bind; NULL: none, which has been reported */
	struct rn_ast_expr *value;
	struct rn_param *next;
};
/* Returns the parameters of a text in their order. Reports errors in their types and defaults. */
struct rn_param *rn_params_declared(struct rn_arena *arena, struct rn_diag *diag,
				    const struct rn_ast_file *file);
/* Gives each parameter its value: the last NAME=VALUE or NAME:=TEXT in given (NULL-terminated, or
 * NULL), or else the default. */
void rn_params_bind(struct rn_arena *arena, struct rn_diag *diag, struct rn_param *all,
		    const char *const *given);
/* NULL: it is not declared */
const struct rn_param *rn_params_find(const struct rn_param *all, const char *name, size_t len);
/* Tells how to give a text of this name ("query", "stdin", "file.rnl") a value: a hint for
 * messages. */
const char *rn_params_way(struct rn_arena *arena, const char *text_name, const char *param);
#endif
