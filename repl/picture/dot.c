/* dot.c - the graph of hops in the language of Graphviz: `dot -Tsvg`.
 *
 * A cluster for each node, and in it one for each process. Links with several choices are dashed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "lang/base/memory.h"
#include "repl/picture/printers.h"

/* Text of others within quotes. Graphviz takes `\` for an escape, also of what it replaces. */
static void put_quoted(FILE *to, const char *s)
{
	char *clean = rn_picture_clean(s);

	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc('\\', to);
		putc(*c, to);
	}
	free(clean);
}

static void put_box(FILE *to, const struct rn_picture *p, uint32_t box)
{
	const struct rn_picture_box *b = &p->boxes[box];
	const char *lacks = rn_picture_lacks(b);
	char buf[RN_PICTURE_WORDS];

	fprintf(to, "\t\t\th%" PRId64 " [label=\"%" PRId64 " ", b->hop, b->hop);
	put_quoted(to, b->dir == RN_PICTURE_IN ? "in" : b->dir == RN_PICTURE_OUT ? "out" : b->name);
	fputs(" ", to);
	put_quoted(to, b->object);
	if (b->count > 1)
		fprintf(to, " x%u", b->count);
	fprintf(to, "\\n%s%s", b->timed ? "" : "<", rn_picture_since(buf, p, b));
	fprintf(to, ", %s", rn_picture_bytes(buf, b->bytes));
	fputs(rn_picture_took(buf, p, b), to);
	if (*lacks)
		fprintf(to, "\\n%s", lacks);
	fprintf(to, "\"%s];\n", *lacks ? ", color=red, style=dashed" : "");
}

static void put_lane(FILE *to, const struct rn_picture *p, uint32_t lane)
{
	fprintf(to, "\t\tsubgraph cluster_p%u {\n\t\t\tlabel=\"", lane);
	put_quoted(to, p->lanes[lane].proc);
	if (p->lanes[lane].pid > 0)
		fprintf(to, " %" PRId64, p->lanes[lane].pid);
	fputs("\";\n", to);
}

static void put_edge(FILE *to, const struct rn_picture *p, const struct rn_picture_edge *e)
{
	char buf[RN_PICTURE_WORDS];

	fprintf(to, "\th%" PRId64 " -> h%" PRId64 " [label=\"", p->boxes[e->from].hop,
		p->boxes[e->to].hop);
	put_quoted(to, rn_picture_evidence(buf, e));
	if (e->count > 1)
		fprintf(to, " x%u", e->count);
	if (e->timed)
		fprintf(to, "\\n%s", rn_picture_duration(buf, e->lag_ns));
	fprintf(to, "\"%s];\n", e->choices > 1 ? ", style=dashed" : "");
}

/* The boxes of each lane stand together; `of` has them by lane, in order. */
static void put_nodes(FILE *to, const struct rn_picture *p, const uint32_t *of)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < p->nnodes; i++) {
		const struct rn_picture_node *n = &p->nodes[i];

		fprintf(to, "\tsubgraph cluster_n%u {\n\t\tlabel=\"", i);
		put_quoted(to, n->name);
		if (n->lacks) {
			fputs("\\nincomplete: ", to);
			put_quoted(to, n->lacks);
		}
		fprintf(to, "\";%s\n", n->lacks ? " color=red; style=dashed;" : "");
		if (!n->nlanes) /* Graphviz leaves out what is empty */
			fprintf(to, "\t\tn%u [label=\"no answer\", shape=plain];\n", i);
		for (uint32_t lane = n->lane; lane < n->lane + n->nlanes; lane++) {
			put_lane(to, p, lane);
			for (uint32_t k = 0; k < p->lanes[lane].nboxes; k++)
				put_box(to, p, of[at++]);
			fputs("\t\t}\n", to);
		}
		fputs("\t}\n", to);
	}
}

static int compare(const void *a, const void *b, void *self)
{
	const struct rn_picture *p = self;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (p->boxes[x].lane != p->boxes[y].lane)
		return p->boxes[x].lane < p->boxes[y].lane ? -1 : 1;
	return x < y ? -1 : 1;
}

void rn_picture_dot(FILE *to, const struct rn_picture *picture,
		    const struct rn_picture_screen *screen)
{
	uint32_t *of = rn_calloc(picture->nboxes + 1, sizeof(*of));
	char *text = rn_picture_summary(picture);

	(void)screen;
	for (uint32_t i = 0; i < picture->nboxes; i++)
		of[i] = i;
	qsort_r(of, picture->nboxes, sizeof(*of), compare, (void *)picture);
	fputs("digraph flow {\n\trankdir=LR;\n\tnode [shape=box, fontname=\"monospace\"];\n"
	      "\tedge [fontname=\"monospace\", fontsize=10];\n\tlabel=\"",
	      to);
	put_quoted(to, text);
	for (uint32_t i = 0; i < picture->nledger && !picture->complete; i++) {
		fputs("\\n", to);
		put_quoted(to, picture->ledger[i]);
	}
	fputs("\";\n", to);
	put_nodes(to, picture, of);
	for (uint32_t i = 0; i < picture->nedges; i++)
		put_edge(to, picture, &picture->edges[i]);
	fputs("}\n", to);
	free(text);
	free(of);
}
