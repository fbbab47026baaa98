/* columns.c - see columns.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/columns.h"
#include "repl/picture/printers.h"

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
		.node = l->node, .nodes = 1, .proc = l->proc, .pid = l->pid, .first = UINT32_MAX};
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

/* Nodes without a lane, behind the others: each by itself, or all in one column. */
static void add_empty(const struct rn_picture *p, struct rn_picture_columns *out)
{
	for (uint32_t i = 0, k = 0; i < p->nnodes; i++) {
		struct rn_picture_column *c = &out->list[out->n + k];

		if (p->nodes[i].nlanes)
			continue;
		if (k == out->nempty) { /* all but the first of them go there */
			c[-1].nodes++;
			continue;
		}
		*c = (struct rn_picture_column){.node = i, .nodes = 1, .proc = ""};
		k++;
	}
}

uint32_t rn_picture_empty_columns(const struct rn_picture *picture, uint32_t most)
{
	enum { PART = 4 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < picture->nnodes; i++)
		n += !picture->nodes[i].nlanes;
	return n > 1 && n > most / PART ? 1 : n;
}

void rn_picture_columns(const struct rn_picture *picture, uint32_t most,
			struct rn_picture_columns *out)
{
	enum level level = BY_PROCESS;

	out->nempty = rn_picture_empty_columns(picture, most);
	out->list = rn_calloc(picture->nlanes + out->nempty + 1, sizeof(*out->list));
	out->of = rn_calloc(picture->nlanes + 1, sizeof(*out->of));
	combine(picture, level, out);
	while (out->n > most && level < BY_NODE)
		combine(picture, ++level, out);
	add_empty(picture, out);
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

const char *rn_picture_column_node(struct rn_arena *arena, const struct rn_picture *picture,
				   const struct rn_picture_column *column)
{
	char *name;
	const char *kept;

	if (column->nodes > 1)
		return rn_arena_printf(arena, "%u nodes", column->nodes);
	name = rn_picture_clean(picture->nodes[column->node].name);
	kept = rn_arena_strdup(arena, name);
	free(name);
	return kept;
}

const char *rn_picture_column_note(struct rn_arena *arena, const struct rn_picture *picture,
				   const struct rn_picture_column *column, bool why)
{
	const struct rn_picture_node *n = &picture->nodes[column->node];
	char bound[RN_PICTURE_WORDS], *reason = rn_picture_clean(n->lacks ? n->lacks : "");
	const char *clock = n->clock_ns < 0 ? "clock unknown"
			    : n->clock_ns > 0
				    ? rn_arena_printf(arena, "+-%s",
						      rn_picture_duration(bound, n->clock_ns))
				    : "",
		   *note;

	note = rn_arena_printf(arena, "%s%s%s%s%s", n->lacks ? "incomplete" : "",
			       n->lacks && why && column->nodes < 2 ? ": " : "",
			       why && column->nodes < 2 ? reason : "",
			       n->lacks && *clock ? ", " : "", clock);
	free(reason);
	return note;
}

const char *rn_picture_column_pids(struct rn_arena *arena, const struct rn_picture_column *column)
{
	return column->lanes > 1 ? rn_arena_printf(arena, "%u processes", column->lanes)
	       : column->lanes && column->pid > 0 ? rn_arena_printf(arena, "%" PRId64, column->pid)
						  : "";
}
