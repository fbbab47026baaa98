/* evidence.c - bounded memory for evidence: lists in the order in which they were last used. */
#include <assert.h>
#include <stdlib.h>
#include "exec/flow/flow_impl.h"
#include "lang/base/memory.h"

struct rn_flow_memory {
	struct rn_evidence_list *newest, *oldest;
	uint64_t bound, bytes;
	int64_t forgotten;
};

struct rn_flow_memory *rn_flow_memory(uint64_t bound)
{
	struct rn_flow_memory *m = rn_calloc(1, sizeof(*m));

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

int64_t rn_flow_memory_end(struct rn_flow_memory *memory)
{
	int64_t forgotten = memory ? memory->forgotten : 0;

	while (memory && memory->newest)
		empty(memory, memory->newest);
	free(memory);
	return forgotten;
}

static bool is_linked(const struct rn_flow_memory *m, const struct rn_evidence_list *l)
{
	return l->newer || l->older || m->newest == l;
}

void rn_evidence_use(struct rn_flow_memory *memory, struct rn_evidence_list *evidence)
{
	if (memory->newest == evidence)
		return;
	if (is_linked(memory, evidence))
		unlink_list(memory, evidence);
	evidence->older = memory->newest;
	*(memory->newest ? &memory->newest->newer : &memory->oldest) = evidence;
	memory->newest = evidence;
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

void *rn_evidence_add(struct rn_flow_memory *memory, struct rn_evidence_list *evidence)
{
	uint32_t cap = evidence->cap ? 2 * evidence->cap : 4;

	if (evidence->n == evidence->cap) {
		uint64_t more = (uint64_t)(cap - evidence->cap) * evidence->size;

		while (memory->oldest && memory->bytes + more > memory->bound &&
		       memory->oldest != evidence)
			forget_one(memory);
		if (memory->bytes + more > memory->bound &&
		    evidence->n) { /* too much for one list alone */
			forget_one(memory);
			rn_evidence_use(memory, evidence);
			cap = 4;
			more = (uint64_t)cap * evidence->size;
		}
		evidence->v = rn_realloc(evidence->v, (size_t)cap * evidence->size);
		evidence->cap = cap;
		memory->bytes += more;
	}
	return (char *)evidence->v + (size_t)evidence->size * evidence->n++;
}
