/* trace_read.c - a recorded trace as a provider of rows. */
#include <errno.h>
#include "exec/coord.h"

int rn_trace_provider(const char *path, const char *node, struct rn_provider *out, struct rn_err *err)
{
	(void)node; (void)out;
	return rn_err_set(err, -ENOSYS, "%s: not built yet", path);
}
void rn_trace_provider_free(struct rn_provider *p) { (void)p; }
const char *const *rn_trace_nodes(struct rn_arena *a, const char *path, struct rn_err *err)
{
	(void)a;
	rn_err_set(err, -ENOSYS, "%s: not built yet", path);
	return NULL;
}
const struct rn_catalog *rn_trace_catalog(void *self, const char *path, const struct rn_catalog *base, char *why,
					  size_t why_bytes)
{
	(void)self; (void)path; (void)base; (void)why; (void)why_bytes;
	return NULL;
}
void rn_trace_catalogs_free(void) {}
int rn_trace_create(const char *path, const struct rn_class *cls, const char *query, struct rn_trace_writer **out,
		    struct rn_err *err)
{
	(void)cls; (void)query; (void)out;
	return rn_err_set(err, -ENOSYS, "%s: not built yet", path);
}
int rn_trace_write(struct rn_trace_writer *w, const struct rn_column *cols, unsigned ncols, const struct rn_value *v,
		   struct rn_err *err)
{
	(void)w; (void)cols; (void)ncols; (void)v;
	return rn_err_set(err, -ENOSYS, "-");
}
int rn_trace_close(struct rn_trace_writer *w, const struct rn_ledgers *l, struct rn_err *err)
{
	(void)w; (void)l;
	return rn_err_set(err, -ENOSYS, "-");
}
