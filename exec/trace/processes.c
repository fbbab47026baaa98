/* processes.c - a hash table (node, pid) -> what events said of the process, for the table
 * `processes` of a trace.
 *
 * Called once per recorded row, so it allocates only for a new process or a changed name. The start
 * is the time of the process's first event in the recording; exe the file of its last successful
 * exec. When memory is short the entry is left out: the table is a convenience, the events are the
 * record. */
#include <stdlib.h>
#include <string.h>
#include "exec/trace/processes_impl.h"
#include "lang/base/hash.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

struct entry {
	char *node, *proc, *exe;
	int64_t pid, ppid, start_ns;
};

struct rn_trace_procs {
	struct entry *entries;
	uint32_t n, cap;
	/* index + 1 into e; 0: free. nslots is a power of two, at most half full */
	uint32_t *slot, nslots;
	struct rn_secret secret;
};

struct rn_trace_procs *rn_trace_procs_create(void)
{
	struct rn_trace_procs *t = rn_calloc(1, sizeof(*t));

	rn_secret_make(&t->secret);
	t->nslots = 256;
	t->slot = rn_calloc(t->nslots, sizeof(*t->slot));
	return t;
}

void rn_trace_procs_destroy(struct rn_trace_procs *procs)
{
	if (!procs)
		return;
	for (uint32_t i = 0; i < procs->n; i++) {
		free(procs->entries[i].node);
		free(procs->entries[i].proc);
		free(procs->entries[i].exe);
	}
	free(procs->entries);
	free(procs->slot);
	free(procs);
}

static uint32_t hash(const struct rn_trace_procs *t, const char *node, size_t n, int64_t pid)
{
	uint64_t w[2] = {rn_hash_secret(&t->secret, node, n), (uint64_t)pid};

	return (uint32_t)rn_hash_secret(&t->secret, w, sizeof(w));
}

static bool same(const char *have, const struct rn_value *v)
{
	return have && !strncmp(have, v->s, v->len) && !have[v->len];
}

static void grow(struct rn_trace_procs *procs)
{
	uint32_t n = procs->nslots * 2, *slot = rn_calloc(n, sizeof(*slot));

	for (uint32_t i = 0; i < procs->n; i++) {
		uint32_t s = hash(procs, procs->entries[i].node, strlen(procs->entries[i].node),
				  procs->entries[i].pid) &
			     (n - 1);

		while (slot[s])
			s = (s + 1) & (n - 1);
		slot[s] = i + 1;
	}
	free(procs->slot);
	procs->slot = slot;
	procs->nslots = n;
}

static struct entry *add(struct rn_trace_procs *procs, const struct rn_trace_seen *seen,
			 uint32_t at)
{
	struct entry *e;

	rn_vec_room(procs->entries, procs->n, procs->cap);
	e = &procs->entries[procs->n];
	*e = (struct entry){.node = rn_strndup(seen->node.s, seen->node.len),
			    .pid = seen->pid,
			    .ppid = -1,
			    .start_ns = seen->time_ns};
	procs->slot[at] = ++procs->n;
	return e;
}

static struct entry *find(struct rn_trace_procs *t, const struct rn_trace_seen *s)
{
	uint32_t at;

	if (t->n >= t->nslots / 2)
		grow(t);
	at = hash(t, s->node.s, s->node.len, s->pid) & (t->nslots - 1);
	for (; t->slot[at]; at = (at + 1) & (t->nslots - 1)) {
		struct entry *e = &t->entries[t->slot[at] - 1];

		if (e->pid == s->pid && same(e->node, &s->node))
			return e;
	}
	return add(t, s, at);
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
	struct entry *e = find(procs, seen);

	if (!e)
		return;
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

	for (uint32_t i = 0; i < procs->n && !r; i++) {
		const struct entry *e = &procs->entries[i];

		r = visit(self, &(struct rn_trace_process){.node = e->node,
							   .proc = e->proc ? e->proc : "",
							   .exe = e->exe,
							   .pid = e->pid,
							   .ppid = e->ppid,
							   .start_ns = e->start_ns});
	}
	return r;
}
