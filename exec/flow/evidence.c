/* evidence.c - bounded memory for evidence: lists in the order in which they were last used. */
#include <assert.h>
#include <stdlib.h>
#include "exec/flow/flow_impl.h"

struct rn_flow_memory {
	struct rn_evidence_list *newest, *oldest;
	uint64_t bound, bytes;
	int64_t forgotten;
};

struct rn_flow_memory *rn_flow_memory(uint64_t bound)
{
	struct rn_flow_memory *m = calloc(1, sizeof(*m));

	if (m)
		m->bound = bound;
	return m;
}

static void unlink_list(struct rn_flow_memory *m, struct rn_evidence_list *l)
{
	*(l->newer ? &l->newer->older : &m->newest) = l->older;
	*(l->older ? &l->older->newer : &m->oldest) = l->newer;
	l->newer = l->older = NULL;
}

static void empty(struct rn_flow_memory *m, struct rn_evidence_list *l)
{
	m->bytes -= (uint64_t)l->cap * l->size;
	free(l->v);
	l->v = NULL;
	l->n = l->cap = 0;
	unlink_list(m, l);
}

int64_t rn_flow_memory_end(struct rn_flow_memory *m)
{
	int64_t forgotten = m ? m->forgotten : 0;

	while (m && m->newest)
		empty(m, m->newest);
	free(m);
	return forgotten;
}

static bool is_linked(const struct rn_flow_memory *m, const struct rn_evidence_list *l)
{
	return l->newer || l->older || m->newest == l;
}

void rn_evidence_use(struct rn_flow_memory *m, struct rn_evidence_list *l)
{
	if (m->newest == l)
		return;
	if (is_linked(m, l))
		unlink_list(m, l);
	l->older = m->newest;
	*(m->newest ? &m->newest->newer : &m->oldest) = l;
	m->newest = l;
}

/* Empties the least recently used list; if there is no other, this one. */
static void forget_one(struct rn_flow_memory *m)
{
	struct rn_evidence_list *l = m->oldest;

	assert(l); /* a full memory has at least one */
	m->forgotten += l->n;
	l->forgotten += l->n;
	empty(m, l);
}

void *rn_evidence_add(struct rn_flow_memory *m, struct rn_evidence_list *l)
{
	uint32_t cap = l->cap ? 2 * l->cap : 4;
	void *v;

	if (l->n == l->cap) {
		uint64_t more = (uint64_t)(cap - l->cap) * l->size;

		while (m->oldest && m->bytes + more > m->bound && m->oldest != l)
			forget_one(m);
		if (m->bytes + more > m->bound && l->n) { /* too much for one list alone */
			forget_one(m);
			rn_evidence_use(m, l);
			cap = 4;
			more = (uint64_t)cap * l->size;
		}
		v = realloc(l->v, (size_t)cap * l->size);
		if (!v)
			return NULL;
		l->v = v;
		l->cap = cap;
		m->bytes += more;
	}
	return (char *)l->v + (size_t)l->size * l->n++;
}
