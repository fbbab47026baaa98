/* first_last_text.c - shared by first and last: for text, a blob that holds the value at the
 * earliest or latest time.
 *
 * If times are equal, the order of values decides, so the answer depends on no order of merging. */
#include "planner/agg/agg_impl.h"
#include "lang/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The slot tells whether a call is first or last. It marks the state of numbers and of text
 * alike. */
static bool wants_last(const struct rn_agg_call *c)
{
	return c->def->slot[0] == RN_SLOT_LAST;
}

struct edge {
	int64_t time_ns;
	struct rn_value value; /* RN_NULL: none yet */
};

void *rn_agg_edge_new(const struct rn_agg_call *call)
{
	struct edge *e = rn_calloc(1, sizeof(*e));

	(void)call;
	return e;
}

void rn_agg_edge_update(const struct rn_agg_call *call, void *blob, const struct rn_value *value,
			int64_t time_ns)
{
	struct edge *e = blob;

	if (e->value.kind != RN_NULL) {
		int cmp = time_ns != e->time_ns ? (time_ns < e->time_ns ? -1 : 1)
						: rn_value_cmp(value, &e->value);

		if (wants_last(call) ? cmp <= 0 : cmp >= 0)
			return;
	}
	rn_blob_value_free(&e->value);
	e->value = rn_blob_value_dup(value);
	e->time_ns = time_ns;
}

void rn_agg_edge_merge(const struct rn_agg_call *call, void *blob, const void *other)
{
	const struct edge *o = other;

	if (o->value.kind != RN_NULL)
		rn_agg_edge_update(call, blob, &o->value, o->time_ns);
}

void rn_agg_edge_encode(const struct rn_agg_call *call, const void *blob,
			void (*put)(void *, const void *, size_t), void *to)
{
	const struct edge *e = blob;

	(void)call;
	if (e->value.kind == RN_NULL)
		return;
	put(to, &e->time_ns, 8);
	rn_blob_put_value(&e->value, put, to);
}

void *rn_agg_edge_decode(const struct rn_agg_call *call, const void *bytes, size_t n)
{
	const unsigned char *p = bytes, *end = p + n;
	struct rn_value v;
	int64_t time_ns;
	struct edge *e;

	if (!n)
		return rn_agg_edge_new(call);
	if (!rn_blob_get_i64(&p, end, &time_ns) || !rn_blob_get_value(&p, end, &v) || p != end)
		return NULL;
	e = rn_agg_edge_new(call);
	e->time_ns = time_ns;
	e->value = rn_blob_value_dup(&v);
	return e;
}

void rn_agg_edge_free(const struct rn_agg_call *call, void *blob)
{
	struct edge *e = blob;

	(void)call;
	rn_blob_value_free(&e->value);
	free(e);
}

struct rn_value rn_agg_edge_finish(const struct rn_agg_call *call, const struct rn_state *state,
				   const struct rn_finish_ctx *ctx, struct rn_arena *arena)
{
	(void)ctx;
	if (state->blob) {
		const struct edge *e = state->blob;

		return e->value.kind == RN_STR
			       ? rn_strn(rn_arena_strndup(arena, e->value.s, e->value.len),
					 e->value.len)
			       : e->value;
	}
	return state->words ? rn_agg_kept(call, state->words[1]) : rn_null();
}
