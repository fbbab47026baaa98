/* live_sets.c - see live_sets.h. */
#include "exec/node/live_sets.h"
#include <stdlib.h>
#include "exec/groups/stage.h"
#include "lang/base/vec.h"

struct pids {
	int64_t *pid;
	uint32_t n, cap;
	struct rn_stage *stage;
};

static int take(void *self, const struct rn_rows *rows)
{
	struct pids *p = self;

	for (uint32_t i = 0; i < rows->nrows; i++) {
		rn_vec_room(p->pid, p->n, p->cap);
		p->pid[p->n++] = rows->values[(size_t)i * rows->ncols].i;
	}
	return 0;
}

static int test(void *self, const struct rn_rows *rows)
{
	return rn_stage_rows(((struct pids *)self)->stage, rows);
}

static int read_table(struct rn_source *table, struct pids *p, struct rn_err *err)
{
	const struct rn_sink sink = {.self = p, .rows = test};
	int r = table->ops->start(table, err);

	while (!r)
		r = table->ops->poll(table, &sink, 0, err);
	table->ops->stop(table, err);
	return r < 0 ? r : 0;
}

static int begin_set(const struct rn_provider *provider, const struct rn_fragment *begin,
		     const struct rn_scope *scope, struct rn_source *source, unsigned set,
		     struct rn_err *err)
{
	struct pids p = {0};
	const struct rn_sink sink = {.self = &p, .rows = take};
	struct rn_source *table = NULL;
	int r = rn_stage_create(begin, 1u << RN_AT_NODE, true, &sink, &p.stage, err);

	r = r ? r : provider->ops->open(provider->self, begin, scope, &table, err);
	r = r ? r : read_table(table, &p, err);
	if (table)
		table->ops->close(table);
	rn_stage_destroy(p.stage);
	if (!r)
		source->ops->add_members(source, set, p.pid, p.n);
	free(p.pid);
	return r;
}

int rn_live_sets_begin(const struct rn_provider *provider, const struct rn_fragment *fragment,
		       const struct rn_scope *scope, struct rn_source *source, struct rn_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < fragment->nlive && !r && source->ops->add_members; i++)
		if (fragment->live[i]->begin)
			r = begin_set(provider, fragment->live[i]->begin, scope, source, i, err);
	return r;
}
