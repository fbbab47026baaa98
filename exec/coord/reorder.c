/* reorder.c - see reorder.h. */
#include "exec/coord/reorder.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include <stdlib.h>
#include <string.h>

struct held {
	int64_t time_ns;
	uint64_t seq;
	size_t bytes;
	uint32_t ncols;
	struct rn_value values[];
};
struct rn_reorder {
	struct rn_sink to;
	struct held **heap;
	uint32_t n, cap;
	uint64_t seq;
	size_t bytes;
};

struct rn_reorder *rn_reorder_create(const struct rn_sink *to)
{
	struct rn_reorder *q = rn_calloc(1, sizeof(*q));

	q->to = *to;
	return q;
}

void rn_reorder_destroy(struct rn_reorder *reorder)
{
	for (uint32_t i = 0; reorder && i < reorder->n; i++)
		free(reorder->heap[i]);
	if (reorder)
		free(reorder->heap);
	free(reorder);
}

static bool before(const struct held *a, const struct held *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->seq < b->seq;
}

static void put(struct rn_reorder *q, struct held *h)
{
	uint32_t at = q->n;

	rn_vec_room(q->heap, q->n, q->cap);
	q->n++;
	for (; at && before(h, q->heap[(at - 1) / 2]); at = (at - 1) / 2)
		q->heap[at] = q->heap[(at - 1) / 2];
	q->heap[at] = h;
	q->bytes += h->bytes;
}

static struct held *take(struct rn_reorder *q)
{
	struct held *first = q->heap[0], *last = q->heap[--q->n];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < q->n) {
		child += child + 1 < q->n && before(q->heap[child + 1], q->heap[child]);
		if (!before(q->heap[child], last))
			break;
		q->heap[at] = q->heap[child];
		at = child;
	}
	q->heap[at] = last;
	q->bytes -= first->bytes;
	return first;
}

static struct held *copy(const struct rn_value *value, uint32_t ncols, int64_t time_ns,
			 uint64_t seq)
{
	size_t text = 0;
	struct held *h;
	char *s;

	for (uint32_t i = 0; i < ncols; i++)
		text += value[i].kind == RN_STR ? value[i].len : 0;
	text += sizeof(*h) + ncols * sizeof(*value);
	h = rn_malloc(text);
	*h = (struct held){.time_ns = time_ns, .seq = seq, .bytes = text, .ncols = ncols};
	s = (char *)(h->values + ncols);
	for (uint32_t i = 0; i < ncols; i++) {
		h->values[i] = value[i];
		if (value[i].kind != RN_STR)
			continue;
		if (value[i].len)
			memcpy(s, value[i].s, value[i].len);
		h->values[i].s = s;
		s += value[i].len;
	}
	return h;
}

static int give_first(struct rn_reorder *q)
{
	struct held *h = take(q);
	struct rn_rows one = {
		.nrows = 1, .ncols = h->ncols, .values = h->values, .time_ns = &h->time_ns};
	int r = q->to.rows(q->to.self, &one);

	free(h);
	return r < 0 ? r : 0;
}

int rn_reorder_rows(struct rn_reorder *reorder, const struct rn_rows *rows)
{
	int s = 0;

	for (uint32_t k = 0; k < rows->nrows && !s; k++) {
		put(reorder, copy(rows->values + (size_t)k * rows->ncols, rows->ncols,
				  rows->time_ns[k], reorder->seq++));
		while (!s && (reorder->n > RN_REORDER_MAX || reorder->bytes > RN_REORDER_BYTES))
			s = give_first(reorder);
	}
	return s;
}

int rn_reorder_release(struct rn_reorder *reorder, int64_t before_ns)
{
	int s = 0;

	while (!s && reorder->n &&
	       (before_ns == INT64_MAX || reorder->heap[0]->time_ns < before_ns))
		s = give_first(reorder);
	return s;
}
