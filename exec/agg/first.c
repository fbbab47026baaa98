/* first.c - first(x): the value of the earliest event. Numbers are two words (time, value); text is a blob, see edge.c. */
#include "exec/agg/aggs.h"

static void update(const struct rn_agg_call *c, void *blob, const struct rn_value *v, int64_t time_ns)
{
	(void)c;
	rn_agg_edge_update(blob, v, time_ns, false);
}

static void merge(const struct rn_agg_call *c, void *blob, const void *other)
{
	(void)c;
	rn_agg_edge_merge(blob, other, false);
}

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s, const struct rn_finish_ctx *f,
			      struct rn_arena *a)
{
	(void)f;
	return rn_agg_edge_finish(c, s, a);
}

const struct rn_agg rn_agg_first = {
	.sig = {.name = "first", .arg = RN_ARG_ANY, .result = RN_RES_ARG, .doc = "first(x): the value of the earliest event"},
	.nslots = 1,
	.slot = {RN_SLOT_FIRST},
	.blob_new = rn_agg_edge_new,
	.blob_update = update,
	.blob_merge = merge,
	.blob_encode = rn_agg_edge_encode,
	.blob_decode = rn_agg_edge_decode,
	.blob_free = rn_agg_edge_free,
	.finish = finish,
};
