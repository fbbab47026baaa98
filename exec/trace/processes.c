/* processes.c - a map (node, pid) -> what events said of the process, for the table `processes` of
 * a trace.
 *
 * Called once per recorded row, so it allocates only for a new process or a changed name. The start
 * is the time of the process's first event in the recording; exe the file of its last successful
 * exec. */
#include <stdlib.h>
#include <string.h>
#include "exec/trace/processes_impl.h"
#include "lang/base/map.h"
#include "lang/base/memory.h"

struct node {
	UT_hash_handle hh;
	char *name;
};
struct key {
	const struct node *node;
	int64_t pid;
};
struct entry {
	UT_hash_handle hh;
	struct key key;
	char *proc, *exe;
	int64_t ppid, start_ns;
};

struct rn_trace_procs {
	struct node *nodes;
	struct entry *entries;
};

struct rn_trace_procs *rn_trace_procs_create(void)
{
	return rn_calloc(1, sizeof(struct rn_trace_procs));
}

void rn_trace_procs_destroy(struct rn_trace_procs *procs)
{
	struct entry *e, *next;
	struct node *n, *next_node;

	if (!procs)
		return;
	HASH_ITER(hh, procs->entries, e, next)
	{
		HASH_DEL(procs->entries, e);
		free(e->proc);
		free(e->exe);
		free(e);
	}
	HASH_ITER(hh, procs->nodes, n, next_node)
	{
		HASH_DEL(procs->nodes, n);
		free(n->name);
		free(n);
	}
	free(procs);
}

static const struct node *node_of(struct rn_trace_procs *procs, const struct rn_value *name)
{
	struct node *n;

	HASH_FIND(hh, procs->nodes, name->s, name->len, n);
	if (n)
		return n;
	n = rn_malloc(sizeof(*n));
	n->name = rn_strndup(name->s, name->len);
	HASH_ADD_KEYPTR(hh, procs->nodes, n->name, name->len, n);
	return n;
}

static struct entry *entry_of(struct rn_trace_procs *procs, const struct rn_trace_seen *seen)
{
	struct key key = {node_of(procs, &seen->node), seen->pid};
	struct entry *e;

	HASH_FIND(hh, procs->entries, &key, sizeof(key), e);
	if (e)
		return e;
	e = rn_calloc(1, sizeof(*e));
	e->key = key;
	e->ppid = -1;
	e->start_ns = seen->time_ns;
	HASH_ADD(hh, procs->entries, key, sizeof(key), e);
	return e;
}

static bool same(const char *have, const struct rn_value *v)
{
	return have && !strncmp(have, v->s, v->len) && !have[v->len];
}

static void keep(char **to, const struct rn_value *v)
{
	if (!v->len || same(*to, v))
		return;
	free(*to);
	*to = rn_strndup(v->s, v->len);
}

void rn_trace_procs_seen(struct rn_trace_procs *procs, const struct rn_trace_seen *seen)
{
	struct entry *e = entry_of(procs, seen);

	if (seen->time_ns < e->start_ns)
		e->start_ns = seen->time_ns;
	if (seen->ppid >= 0)
		e->ppid = seen->ppid;
	keep(&e->proc, &seen->proc);
	if (seen->name.len >= 6 && !memcmp(seen->name.s, "execve", 6))
		keep(&e->exe, &seen->file);
}

int rn_trace_procs_visit(const struct rn_trace_procs *procs,
			 int (*visit)(void *self, const struct rn_trace_process *p), void *self)
{
	int r = 0;

	for (const struct entry *e = procs->entries; e && !r; e = e->hh.next)
		r = visit(self, &(struct rn_trace_process){.node = e->key.node->name,
							   .proc = e->proc ? e->proc : "",
							   .exe = e->exe,
							   .pid = e->key.pid,
							   .ppid = e->ppid,
							   .start_ns = e->start_ns});
	return r;
}
