/* provider.c - all sources of a query on this machine: the live kernel and snapshot tables. */
#include "probes/probes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "lang/base/memory.h"
#include "planner/plan/call_ends.h"
#include "probes/catalog/catalog.h"
#include "probes/list_source.h"
#include "probes/live/live.h"
#include "probes/tables/tables.h"

struct provider {
	struct rn_provider base;
	struct rn_live_kernel *kernel;
	char node[256];
};

/* Is /proc there? Processes, their mappings and their libraries are found in it: without it they
 * would all seem to be gone. */
static int proc_is_there(struct rn_err *err)
{
	struct stat st;

	if (!stat("/proc/self/stat", &st))
		return 0;
	rn_err_set(err, -ENOENT,
		   "/proc is not there: live queries look processes and their libraries up in it");
	rn_err_hint(err, "mount it: mount -t proc proc /proc");
	return -ENOENT;
}

static int open_source(void *provider, const struct rn_fragment *f, const struct rn_scope *scope,
		       struct rn_source **out, struct rn_err *err)
{
	struct provider *p = provider;
	int r = f->cls->id == RN_CLS_CLOCK ? 0 : proc_is_there(err);

	if (r)
		return r;
	if (f->cls->list && !rn_class_is_syscall(f->cls))
		return rn_list_open(f, open_source, p, scope, out, err);
	return rn_table_is(f) ? rn_table_open(p->node, f, scope, out, err)
			      : rn_live_open(p->kernel, f, scope, out, err);
}

static const char *dump(void *provider, const struct rn_fragment *f, struct rn_arena *a,
			struct rn_err *err)
{
	const struct provider *p = provider;
	struct rn_list_parts parts;
	const char *all = "";

	if (f->cls->kind == RN_CLASS_TABLE)
		return NULL;
	parts = rn_list_take_apart(a, f);
	for (unsigned i = 0; i < parts.n; i++) {
		const char *one = rn_live_dump(p->node, &parts.part[i], a, err);

		if (!one)
			return NULL;
		all = rn_arena_printf(a, "%s%s%s", all, i ? "\n" : "", one);
	}
	return all;
}

static const char *hooks(void *provider, const struct rn_fragment *f, struct rn_arena *a)
{
	const struct provider *p = provider;
	struct rn_list_parts parts;

	if (!f)
		return rn_live_hooks(p->kernel, NULL, a);
	parts = rn_list_take_apart(a, f);
	for (unsigned i = 0; i < parts.n; i++)
		if (rn_class_is_syscall(parts.part[i].cls) || rn_live_named(&parts.part[i]))
			return rn_live_hooks(p->kernel, &parts.part[i], a);
	return NULL;
}

static const struct rn_provider_ops ops = {.open = open_source, .dump = dump, .hooks = hooks};

struct rn_provider *rn_probes_provider(const char *node, struct rn_shared *shared)
{
	struct provider *p = rn_calloc(1, sizeof(*p));

	p->base = (struct rn_provider){.ops = &ops, .self = p};
	p->kernel = rn_live_create(node, shared);
	snprintf(p->node, sizeof(p->node), "%s", node ? node : "");
	return &p->base;
}

void rn_probes_provider_free(struct rn_provider *provider)
{
	struct provider *v = provider ? provider->self : NULL;

	if (v)
		rn_live_destroy(v->kernel);
	free(v);
}
