/* first.c - first(x): the value of the earliest event. Numbers are two words (time, value); text is
 * a blob, see first_last_text.c. */
#include "planner/agg/agg_impl.h"

const struct rn_agg rn_agg_first = {
	.sig = {.name = "first",
		.arg = RN_ARG_ANY,
		.result = RN_RES_ARG,
		.doc = "first(x): the value of the earliest event"},
	.nslots = 1,
	.slot = {RN_SLOT_FIRST},
	.blob_new = rn_agg_edge_new,
	.blob_update = rn_agg_edge_update,
	.blob_merge = rn_agg_edge_merge,
	.blob_encode = rn_agg_edge_encode,
	.blob_decode = rn_agg_edge_decode,
	.blob_free = rn_agg_edge_free,
	.finish = rn_agg_edge_finish,
};
