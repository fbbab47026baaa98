/* coord.c - runs a plan over nodes. */
#include <errno.h>
#include "exec/agent.h"
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
int rn_agent_open(const char *node, const struct rn_provider *provider, struct rn_fragment *f, const struct rn_scope *scope,
		  const struct rn_sink *sink, struct rn_agent **out, struct rn_err *err)
{
	(void)node; (void)provider; (void)f; (void)scope; (void)sink; (void)out;
	return rn_err_set(err, -ENOSYS, "not built yet");
}
int rn_agent_start(struct rn_agent *g, struct rn_err *err) { (void)g; return rn_err_set(err, -ENOSYS, "-"); }
int rn_agent_step(struct rn_agent *g, int timeout_ms, struct rn_err *err)
{
	(void)g; (void)timeout_ms;
	return rn_err_set(err, -ENOSYS, "-");
}
int rn_agent_peek(struct rn_agent *g, const struct rn_sink *sink, struct rn_err *err)
{
	(void)g; (void)sink;
	return rn_err_set(err, -ENOSYS, "-");
}
int rn_agent_finish(struct rn_agent *g, struct rn_ledger *l, struct rn_err *err)
{
	(void)g; (void)l;
	return rn_err_set(err, -ENOSYS, "-");
}
void rn_agent_close(struct rn_agent *g) { (void)g; }
