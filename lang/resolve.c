/* resolve.c - name resolution and typing: the driver. */
#include "lang/parse.h"

bool rn_resolve(struct rn_arena *a, struct rn_diag *d, struct rn_ast_query *q, const struct rn_names *names)
{
	(void)a;
	(void)names;
	return q && !rn_diag_errors(d);
}
