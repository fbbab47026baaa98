/* tree.c - each hop below the hop that its data came from.
 *
 *	1 n1 sh 41: out /tmp/a 7 B
 *	└─ 2 n1 cat 42: in /tmp/a 7 B   (file, 120 us)
 *	   ├─ 3 n1 cat 42: out pipe:[91] 7 B   (hash, 20 us)
 *	   └─ 5 n1 cat 42: out /tmp/b 7 B   (hash, 1 of 2, 31 us)
 *	╳ n2 incomplete: no answer
 *
 * A hop with several causes stands below the first one. Below the others is a reference: `^ 5`. */
#include <inttypes.h>
#include <stdlib.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "repl/picture/labels.h"
#include "repl/picture/printers.h"
#include "repl/terminal/terminal.h"

enum { FAINT = 90 };

struct tree {
	const struct rn_picture *picture;
	const struct rn_picture_screen *screen;
	uint32_t *first; /* of each box: where its edges begin in `by_from`; one more at the end */
	uint32_t *by_from;
	struct rn_arena *arena; /* of one label */
	FILE *to;
};
/* what is still to be drawn */
struct step {
	uint32_t edge; /* in by_from; UINT32_MAX: a root */
	uint32_t box, depth;
};

/* Edges by the box that they begin at: counted, then put in place. */
static void index_edges(struct tree *t)
{
	const struct rn_picture *p = t->picture;

	t->first = rn_calloc(p->nboxes + 2, sizeof(*t->first));
	t->by_from = rn_calloc(p->nedges + 1, sizeof(*t->by_from));
	for (uint32_t i = 0; i < p->nedges; i++)
		t->first[p->edges[i].from + 2]++;
	for (uint32_t i = 2; i <= p->nboxes + 1; i++)
		t->first[i] += t->first[i - 1];
	for (uint32_t i = 0; i < p->nedges; i++)
		t->by_from[t->first[p->edges[i].from + 1]++] = i;
}

/* Is it the edge below which its box stands? */
static bool is_first(const struct tree *t, uint32_t edge)
{
	return !edge || t->picture->edges[edge - 1].to != t->picture->edges[edge].to;
}

static void put_box(struct tree *t, uint32_t box)
{
	const struct rn_picture_labels how = {.picture = t->picture, .arena = t->arena};
	const struct rn_picture_label label = rn_picture_label(&how, box, t->picture->nedges);

	fputs(rn_picture_label_text(t->arena, &label, 0), t->to);
	rn_arena_reset(t->arena);
}

static void put_evidence(const struct tree *t, const struct rn_picture_edge *e)
{
	const char *dim = t->screen->color ? "\033[90m" : "", *plain = *dim ? "\033[0m" : "";
	char evidence[RN_PICTURE_WORDS], lag[RN_PICTURE_WORDS];

	rn_picture_evidence(evidence, e);
	fprintf(t->to, "   %s(%s%s%s)%s", dim, evidence, *evidence && e->timed ? ", " : "",
		e->timed ? rn_picture_duration(lag, e->lag_ns) : "", plain);
}

/* The lines to the left of a step. open: which levels have more to come. */
static void put_lines(const struct tree *t, const bool *open, uint32_t depth)
{
	const bool ascii = t->screen->ascii;

	for (uint32_t i = 1; i < depth; i++)
		fputs(!open[i] ? "   " : ascii ? "|  " : "│  ", t->to);
	if (depth)
		fputs(open[depth] ? ascii ? "+- " : "├─ " : ascii ? "`- " : "└─ ", t->to);
}

/* Nodes whose part is missing, also those without a hop. */
static void put_lacking(const struct tree *t)
{
	for (uint32_t i = 0; i < t->picture->nnodes; i++) {
		const struct rn_picture_node *n = &t->picture->nodes[i];
		char *name, *why;

		if (!n->lacks)
			continue;
		name = rn_picture_clean(n->name);
		why = rn_picture_clean(n->lacks);
		fprintf(t->to, "%s %s%sincomplete: %s\n", t->screen->ascii ? "x" : "╳", name,
			*name ? " " : "", why);
		free(name);
		free(why);
	}
}

/* Draws all below a root. Steps wait on a stack, so that no depth is too much. */
static void draw(struct tree *t, uint32_t root)
{
	struct step *stack = NULL;
	bool *open = NULL;
	uint32_t n = 0, cap = 0, levels = 0, level_cap = 0;

	rn_vec_room(stack, n, cap);
	stack[n++] = (struct step){UINT32_MAX, root, 0};
	while (n) {
		struct step s = stack[--n];
		const struct rn_picture_edge *e =
			s.edge == UINT32_MAX ? NULL : &t->picture->edges[s.edge];
		bool there = !e || is_first(t, s.edge);

		levels = s.depth + 1;
		rn_vec_room_for(open, 0, level_cap, levels + 1);
		/* the next step of this level is the one that waits on top */
		open[s.depth] = n && stack[n - 1].depth == s.depth;
		put_lines(t, open, s.depth);
		if (there)
			put_box(t, s.box);
		else
			fprintf(t->to, "^ %" PRId64, t->picture->boxes[s.box].hop);
		if (e)
			put_evidence(t, e);
		putc('\n', t->to);
		if (!there)
			continue;
		for (uint32_t i = t->first[s.box + 1]; i-- > t->first[s.box];) {
			uint32_t edge = t->by_from[i];

			rn_vec_room(stack, n, cap);
			stack[n++] = (struct step){edge, t->picture->edges[edge].to, s.depth + 1};
		}
	}
	free(stack);
	free(open);
}

void rn_picture_tree(FILE *to, const struct rn_picture *picture,
		     const struct rn_picture_screen *screen)
{
	struct tree t = {
		.picture = picture, .screen = screen, .arena = rn_arena_create(SIZE_MAX), .to = to};

	index_edges(&t);
	for (uint32_t i = 0; i < picture->nboxes; i++)
		if (!picture->boxes[i].nin)
			draw(&t, i);
	put_lacking(&t);
	rn_picture_tell(to, picture, screen);
	free(t.first);
	free(t.by_from);
	rn_arena_destroy(t.arena);
}
