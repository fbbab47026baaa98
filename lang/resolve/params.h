/* params.h - the parameters that a text declares, and their values. */
#ifndef RN_LANG_RESOLVE_PARAMS_H
#define RN_LANG_RESOLVE_PARAMS_H
#include "lang/syntax/ast.h"

/* A parameter that a text declares. Its value is a literal of its type, without a place of its
 * own. */
struct rn_param {
	const struct rn_ast_stmt *stmt; /* PARAM: name, doc, place */
	const char *name;
	struct rn_ty ty;
	struct rn_ast_expr *deflt; /* NULL: a value must be given */
	/* set by rn_params_bind; NULL: none, and that has been reported */
	struct rn_ast_expr *value;
	struct rn_param *next;
};
/* The parameters of a text in their order; what is wrong with their types and defaults is
 * reported. */
struct rn_param *rn_params_declared(struct rn_arena *a, struct rn_diag *d,
				    const struct rn_ast_file *f);
/* Gives them their values: the last NAME=VALUE or NAME:=TEXT of given (NULL-terminated, or NULL),
 * or the default. */
void rn_params_bind(struct rn_arena *a, struct rn_diag *d, struct rn_param *all,
		    const char *const *given);
/* NULL: not declared */
const struct rn_param *rn_params_find(const struct rn_param *all, const char *name, size_t len);
/* How a value is given to a text of this name ("query", "stdin", "file.rnl"): the hint of
 * messages. */
const char *rn_params_way(struct rn_arena *a, const char *text_name, const char *param);
#endif
