/* dot.c - the graph of a flow in the language of Graphviz: `dot -Tsvg`.
 *
 * A cluster for each node has its processes and objects. Edges with several choices are dashed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/arena.h"
#include "repl/picture/graph.h"
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

static void put_vertex(FILE *to, const struct rn_picture *p, const struct rn_graph *g, uint32_t i)
{
	static const char *const shapes[] = {
		[RN_GRAPH_PROCESS] = "box", [RN_GRAPH_FILE] = "note",    [RN_GRAPH_SOCKET] = "cds",
		[RN_GRAPH_PIPE] = "larrow", [RN_GRAPH_DEVICE] = "box3d",
	};
	const struct rn_graph_vertex *v = &g->vertices[i];
	char first[RN_PICTURE_WORDS], last[RN_PICTURE_WORDS];

	fprintf(to, "v%u [shape=%s, label=\"", i, shapes[v->kind]);
	put_quoted(to, *v->name ? v->name : "not known");
	if (v->kind == RN_GRAPH_PROCESS && v->pid > 0)
		fprintf(to, " %" PRId64, v->pid);
	fprintf(to, "\\n%s to %s\"%s];\n", rn_picture_since(first, p, v->first_ns),
		rn_picture_since(last, p, v->last_ns),
		v->kind == RN_GRAPH_PROCESS ? ", style=bold" : "");
}

static void put_edge(FILE *to, const struct rn_picture *p, const struct rn_graph_edge *e)
{
	char buf[RN_PICTURE_WORDS];

	fprintf(to, "\tv%u -> v%u [label=\"", e->from, e->to);
	put_quoted(to, e->word);
	if (e->hops > 1)
		fprintf(to, " x%" PRId64, e->hops);
	if (e->bytes)
		fprintf(to, ", %s", rn_picture_bytes(buf, e->bytes));
	fprintf(to, "\\n%s", rn_picture_since(buf, p, e->first_ns));
	fprintf(to, " to %s", rn_picture_since(buf, p, e->last_ns));
	if (*e->links && strcmp(e->links, e->word)) {
		fputs("\\n", to);
		put_quoted(to, e->links);
	}
	if (e->choices > 1)
		fprintf(to, ", 1 of %" PRIu32, e->choices);
	if (*e->lacks)
		fprintf(to, "\\n%s", e->lacks);
	fprintf(to, "\"%s%s];\n", e->choices > 1 ? ", style=dashed" : "",
		*e->lacks ? ", color=red" : "");
}

static void put_node(FILE *to, const struct rn_picture *p, const struct rn_graph *g, uint32_t i)
{
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
	for (uint32_t k = 0; k < g->nvertices; k++)
		if (g->vertices[k].node == i) {
			fputs("\t\t", to);
			put_vertex(to, p, g, k);
		}
	fputs("\t}\n", to);
}

void rn_picture_dot(FILE *to, const struct rn_picture *picture,
		    const struct rn_picture_screen *screen)
{
	struct rn_arena *arena = rn_arena_create(SIZE_MAX);
	char *text = rn_picture_summary(picture);
	struct rn_graph g;

	(void)screen;
	rn_picture_graph(picture, arena, &g);
	fputs("digraph flow {\n\trankdir=LR;\n\tnode [fontname=\"monospace\"];\n"
	      "\tedge [fontname=\"monospace\", fontsize=10];\n\tlabel=\"",
	      to);
	put_quoted(to, text);
	for (uint32_t i = 0; i < rn_picture_told(picture); i++) {
		fputs("\\n", to);
		put_quoted(to, picture->ledger[i]);
	}
	fputs("\";\n", to);
	for (uint32_t i = 0; i < picture->nnodes; i++)
		put_node(to, picture, &g, i);
	for (uint32_t i = 0; i < g.nvertices; i++)
		if (g.vertices[i].node == RN_GRAPH_NONE) {
			putc('\t', to);
			put_vertex(to, picture, &g, i);
		}
	for (uint32_t i = 0; i < g.nedges; i++)
		put_edge(to, picture, &g.edges[i]);
	fputs("}\n", to);
	free(text);
	rn_arena_destroy(arena);
}
