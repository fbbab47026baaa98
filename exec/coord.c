/* coord.c - runs a plan over nodes. */
#include <errno.h>
#include "exec/coord.h"

int rn_coord_run(struct rn_arena *a, struct rn_plan *p, const struct rn_run_opts *o, const struct rn_output *out,
		 struct rn_ledgers *l, struct rn_err *err)
{
	(void)a; (void)p; (void)o; (void)out; (void)l;
	return rn_err_set(err, -ENOSYS, "not built yet");
}
const char *rn_dump_sql(struct rn_arena *a, const struct rn_plan *p)
{
	(void)p;
	return rn_arena_strdup(a, "");
}
