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

struct entry {
	char *node, *proc, *exe;
	int64_t pid, ppid, start_ns;
};

struct rn_trace_procs {
	struct entry *e;
	uint32_t n, cap;
	/* index + 1 into e; 0: free. nslots is a power of two, at most half full */
	uint32_t *slot, nslots;
	struct rn_secret secret;
};

struct rn_trace_procs *rn_trace_procs_create(void)
{
	struct rn_trace_procs *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	rn_secret_make(&t->secret);
	t->nslots = 256;
	t->slot = calloc(t->nslots, sizeof(*t->slot));
	if (!t->slot) {
		free(t);
		return NULL;
	}
	return t;
}

void rn_trace_procs_destroy(struct rn_trace_procs *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n; i++) {
		free(t->e[i].node);
		free(t->e[i].proc);
		free(t->e[i].exe);
	}
	free(t->e);
	free(t->slot);
	free(t);
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

static bool grow(struct rn_trace_procs *t)
{
	uint32_t n = t->nslots * 2, *slot = calloc(n, sizeof(*slot));

	if (!slot)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t s = hash(t, t->e[i].node, strlen(t->e[i].node), t->e[i].pid) & (n - 1);

		while (slot[s])
			s = (s + 1) & (n - 1);
		slot[s] = i + 1;
	}
	free(t->slot);
	t->slot = slot;
	t->nslots = n;
	return true;
}

static struct entry *add(struct rn_trace_procs *t, const struct rn_trace_seen *s, uint32_t at)
{
	struct entry *e;

	if (t->n == t->cap) {
		uint32_t cap = t->cap ? t->cap * 2 : 64;

		e = realloc(t->e, cap * sizeof(*e));
		if (!e)
			return NULL;
		t->e = e;
		t->cap = cap;
	}
	e = &t->e[t->n];
	*e = (struct entry){.node = strndup(s->node.s, s->node.len),
			    .pid = s->pid,
			    .ppid = -1,
			    .start_ns = s->time_ns};
	if (!e->node)
		return NULL;
	t->slot[at] = ++t->n;
	return e;
}

static struct entry *find(struct rn_trace_procs *t, const struct rn_trace_seen *s)
{
	uint32_t at;

	if (t->n >= t->nslots / 2 && !grow(t))
		return NULL;
	at = hash(t, s->node.s, s->node.len, s->pid) & (t->nslots - 1);
	for (; t->slot[at]; at = (at + 1) & (t->nslots - 1)) {
		struct entry *e = &t->e[t->slot[at] - 1];

		if (e->pid == s->pid && same(e->node, &s->node))
			return e;
	}
	return add(t, s, at);
}

static void keep(char **to, const struct rn_value *v)
{
	char *copy;

	if (!v->len || same(*to, v) || !(copy = strndup(v->s, v->len)))
		return;
	free(*to);
	*to = copy;
}

void rn_trace_procs_seen(struct rn_trace_procs *t, const struct rn_trace_seen *s)
{
	struct entry *e = find(t, s);

	if (!e)
		return;
	if (s->time_ns < e->start_ns)
		e->start_ns = s->time_ns;
	if (s->ppid >= 0)
		e->ppid = s->ppid;
	keep(&e->proc, &s->proc);
	if (s->name.len >= 6 && !memcmp(s->name.s, "execve", 6))
		keep(&e->exe, &s->file);
}

int rn_trace_procs_visit(const struct rn_trace_procs *t,
			 int (*visit)(void *self, const struct rn_trace_process *p), void *self)
{
	int r = 0;

	for (uint32_t i = 0; i < t->n && !r; i++) {
		const struct entry *e = &t->e[i];

		r = visit(self, &(struct rn_trace_process){.node = e->node,
							   .proc = e->proc ? e->proc : "",
							   .exe = e->exe,
							   .pid = e->pid,
							   .ppid = e->ppid,
							   .start_ns = e->start_ns});
	}
	return r;
}
