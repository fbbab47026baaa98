/* labels.c - see labels.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "repl/picture/canvas.h"
#include "repl/picture/labels.h"
#include "repl/picture/printers.h"
#include "repl/terminal/terminal.h"

enum {
	OBJECT_LEAST = 12, /* columns of an object that still says something */
	NAMED = 6          /* edges of a box; of more, it says how many there are */
};

static const char *clean(struct rn_arena *arena, const char *s)
{
	char *text = rn_picture_clean(s);
	const char *kept = rn_arena_strdup(arena, text);

	free(text);
	return kept;
}

/* Texts with a blank between those that are not empty. */
static const char *join(struct rn_arena *arena, const char *const *part, unsigned n)
{
	const char *all = "";

	for (unsigned i = 0; i < n; i++)
		if (*part[i])
			all = rn_arena_printf(arena, "%s%s%s", all, *all ? " " : "", part[i]);
	return all;
}

static const char *process_of(const struct rn_picture_labels *l, const struct rn_picture_box *b)
{
	const struct rn_picture_lane *lane = &l->picture->lanes[b->lane];
	const struct rn_picture_column *c = NULL;
	const char *part[3] = {"", "", ""}, *text;

	if (l->columns)
		c = &l->columns->list[l->columns->of[b->lane]];
	if (c && c->lanes < 2)
		return "";
	part[0] = c ? "" : clean(l->arena, l->picture->nodes[lane->node].name);
	part[1] = c && *c->proc ? "" : clean(l->arena, lane->proc); /* it stands above */
	part[2] = lane->pid > 0 ? rn_arena_printf(l->arena, "%" PRId64, lane->pid) : "";
	text = join(l->arena, part, 3);
	return rn_arena_printf(l->arena, "%s:", text);
}

/* The edges that lead to the box, as "<-11 hash, 2.1 ms <-12", and what is not known. */
static const char *origin_of(const struct rn_picture_labels *l, uint32_t box, uint32_t edge)
{
	const struct rn_picture *p = l->picture;
	const char *lacks = rn_picture_lacks(&p->boxes[box]), *text = "";
	char evidence[RN_PICTURE_WORDS], lag[RN_PICTURE_WORDS];
	uint32_t more = 0;

	for (; l->columns && edge < p->nedges && p->edges[edge].to == box; edge++) {
		const struct rn_picture_edge *e = &p->edges[edge];
		bool is_long = e->timed && rn_picture_is_long(p, e->lag_ns);

		if (!l->all &&
		    l->columns->of[p->boxes[e->from].lane] != l->columns->of[p->boxes[box].lane])
			continue;
		if (more++ >= NAMED)
			continue;
		rn_picture_evidence(evidence, e);
		text = rn_arena_printf(l->arena, "%s%s%s%" PRId64 "%s%s%s%s", text,
				       *text ? " " : "", l->back, p->boxes[e->from].hop,
				       *evidence ? " " : "", evidence, is_long ? ", " : "",
				       is_long ? rn_picture_duration(lag, e->lag_ns) : "");
	}
	if (more > NAMED)
		text = rn_arena_printf(l->arena, "%s and %u more", text, more - NAMED);
	if (*lacks)
		text = rn_arena_printf(l->arena, "%s%s(%s)", text, *text ? " " : "", lacks);
	return text;
}

struct rn_picture_label rn_picture_label(const struct rn_picture_labels *labels, uint32_t box,
					 uint32_t edge)
{
	const struct rn_picture_box *b = &labels->picture->boxes[box];
	char bytes[RN_PICTURE_WORDS], took[RN_PICTURE_WORDS];
	const char *call[] = {rn_arena_printf(labels->arena, "%" PRId64, b->hop),
			      process_of(labels, b),
			      b->dir == RN_PICTURE_IN    ? "in"
			      : b->dir == RN_PICTURE_OUT ? "out"
							 : clean(labels->arena, b->name)};

	return (struct rn_picture_label){
		.call = join(labels->arena, call, 3),
		.object = clean(labels->arena, b->object),
		.size = rn_arena_printf(
			labels->arena, "%s%s%s",
			b->count > 1 ? rn_arena_printf(labels->arena, "x%u ", b->count) : "",
			rn_picture_bytes(bytes, b->bytes),
			rn_picture_took(took, labels->picture, b)),
		.origin = origin_of(labels, box, edge)};
}

static const char *cut(struct rn_arena *arena, const char *s, unsigned width)
{
	size_t n = strlen(s);
	char *text = rn_arena_alloc(arena, n + 16);

	text[rn_text_cut(text, s, n, width)] = 0;
	return text;
}

const char *rn_picture_label_text(struct rn_arena *arena, const struct rn_picture_label *label,
				  unsigned width)
{
	const char *part[] = {label->call, label->object, label->size, label->origin}, *text;
	unsigned object = rn_canvas_columns(label->object),
		 least = object < OBJECT_LEAST ? object : OBJECT_LEAST, over;

	for (;;) {
		text = join(arena, part, 4);
		over = rn_canvas_columns(text);
		if (!width || over <= width)
			return text;
		over -= width;
		if (object >= least + over || !*part[2])
			break;
		part[2] = "";
	}
	if (object > least)
		part[1] = cut(arena, label->object, object > least + over ? object - over : least);
	text = join(arena, part, 4);
	return rn_canvas_columns(text) > width ? cut(arena, text, width) : text;
}
