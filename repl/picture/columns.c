/* columns.c - see columns.h. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/columns.h"

enum level { BY_PROCESS, BY_PROGRAM, BY_NODE };

static bool takes(const struct rn_picture *p, const struct rn_picture_column *c, uint32_t lane,
		  enum level level)
{
	return c->node == p->lanes[lane].node && level != BY_PROCESS &&
	       (level == BY_NODE || !strcmp(c->proc, p->lanes[lane].proc));
}

/* The column of the lane's node that takes it; a new one if none does. */
static uint32_t column_for(const struct rn_picture *p, struct rn_picture_columns *out,
			   uint32_t lane, enum level level)
{
	const struct rn_picture_lane *l = &p->lanes[lane];

	for (uint32_t i = out->n; i-- && out->list[i].node == l->node;)
		if (takes(p, &out->list[i], lane, level))
			return i;
	out->list[out->n] = (struct rn_picture_column){
		.node = l->node, .proc = l->proc, .pid = l->pid, .first = UINT32_MAX};
	return out->n++;
}

static void combine(const struct rn_picture *p, enum level level, struct rn_picture_columns *out)
{
	out->n = 0;
	for (uint32_t lane = 0; lane < p->nlanes; lane++) {
		uint32_t i = column_for(p, out, lane, level);

		if (out->list[i].lanes++ && strcmp(out->list[i].proc, p->lanes[lane].proc) != 0)
			out->list[i].proc = "";
		out->of[lane] = i;
	}
}

void rn_picture_columns(const struct rn_picture *picture, uint32_t most,
			struct rn_picture_columns *out)
{
	enum level level = BY_PROCESS;

	out->list = rn_calloc(picture->nlanes + 1, sizeof(*out->list));
	out->of = rn_calloc(picture->nlanes + 1, sizeof(*out->of));
	combine(picture, level, out);
	while (out->n > most && level < BY_NODE)
		combine(picture, ++level, out);
	for (uint32_t b = 0; b < picture->nboxes; b++) {
		struct rn_picture_column *c = &out->list[out->of[picture->boxes[b].lane]];

		c->first = b < c->first ? b : c->first;
		c->last = b;
	}
	for (uint32_t i = 0; i < picture->nedges; i++) {
		const struct rn_picture_edge *e = &picture->edges[i];
		struct rn_picture_column *c = &out->list[out->of[picture->boxes[e->from].lane]];

		c->last = e->to > c->last ? e->to : c->last;
	}
}

void rn_picture_columns_free(struct rn_picture_columns *columns)
{
	free(columns->list);
	free(columns->of);
}
