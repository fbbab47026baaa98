/* self_metrics.c - see self_metrics.h. */
#include <string.h>
#include "lang/base/utf8.h"
#include "repl/render/json.h"
#include "repl/prom/self_metrics.h"

enum own { BUILD, START, LENGTH, ROWS, LEFT_OUT, NODES, NODE, SEEN, MATCHED, INCOMPLETE };
const char *const rn_prom_own_names[RN_PROM_OWN] = {
	[BUILD] = "runnel_build_info",
	[START] = "runnel_window_start_timestamp_seconds",
	[LENGTH] = "runnel_window_length_seconds",
	[ROWS] = "runnel_window_rows",
	[LEFT_OUT] = "runnel_series_left_out",
	[NODES] = "runnel_window_nodes",
	[NODE] = "runnel_node_in_window",
	[SEEN] = "runnel_events_seen_total",
	[MATCHED] = "runnel_events_matched_total",
	[INCOMPLETE] = "runnel_incomplete_total",
};

void rn_prom_head(FILE *f, const char *name, const char *type, const char *doc)
{
	fprintf(f, "# HELP %s ", name);
	for (; *doc; doc++) {
		if (*doc == '\\' || *doc == '\n')
			fputs(*doc == '\n' ? "\\n" : "\\\\", f);
		else
			putc(*doc, f);
	}
	fprintf(f, "\n# TYPE %s %s\n", name, type);
}

void rn_prom_quoted(FILE *f, const char *s, size_t n)
{
	putc('"', f);
	for (size_t i = 0; i < n;) {
		size_t k = rn_utf8_char(s + i, n - i);

		if (!k)
			fputs("\xef\xbf\xbd", f);
		else if (s[i] == '\\' || s[i] == '"')
			fprintf(f, "\\%c", s[i]);
		else if (s[i] == '\n')
			fputs("\\n", f);
		else
			fwrite(s + i, 1, k, f);
		i += k ? k : 1;
	}
	putc('"', f);
}

static void head(FILE *f, enum own which, const char *type, const char *doc)
{
	rn_prom_head(f, rn_prom_own_names[which], type, doc);
}

static void put(FILE *f, enum own which, const char *type, const char *doc, const char *value)
{
	head(f, which, type, doc);
	fprintf(f, "%s %s\n", rn_prom_own_names[which], value);
}

static void put_count(FILE *f, enum own which, const char *type, const char *doc, int64_t n)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%lld", (long long)n);
	put(f, which, type, doc, buf);
}

static void put_time(FILE *f, enum own which, const char *doc, int64_t ns)
{
	char buf[64];

	rn_float_text(buf, sizeof(buf), (double)ns / 1e9);
	put(f, which, "gauge", doc, buf);
}

/* Write a series of a metric, with a label that says what it is about. */
static void put_of(FILE *f, enum own which, const char *label, const char *word, int64_t n)
{
	fprintf(f, "%s{%s=\"%s\"} %lld\n", rn_prom_own_names[which], label, word, (long long)n);
}

void rn_prom_own_build(FILE *f, const char *view)
{
	head(f, BUILD, "gauge", "1, with the version that runs");
	fprintf(f, "%s{version=\"%s\",view=", rn_prom_own_names[BUILD], RN_VERSION);
	rn_prom_quoted(f, view, strlen(view));
	fputs("} 1\n", f);
}

void rn_prom_own_window(FILE *f, int64_t window_ns, int64_t every_ns, int64_t rows, int64_t over,
			int64_t doubles)
{
	put_time(f, START, "when the window began that is served", window_ns);
	put_time(f, LENGTH, "how long it was", every_ns);
	put_count(f, ROWS, "gauge", "rows of the view in that window", rows);
	head(f, LEFT_OUT, "gauge", "series of that window that are not served, by why");
	put_of(f, LEFT_OUT, "why", "beyond_limit", over);
	put_of(f, LEFT_OUT, "why", "same_labels", doubles);
}

static void put_nodes(FILE *f, const struct rn_window_end *w, bool whole, unsigned *left)
{
	for (unsigned i = 0; i < w->nnodes && *left; i++) {
		const struct rn_window_node *n = &w->node[i];

		if ((n->whole == n->nodes) != whole)
			continue;
		fprintf(f, "%s{node=", rn_prom_own_names[NODE]);
		rn_prom_quoted(f, n->name, strlen(n->name));
		fprintf(f, "} %d\n", whole);
		(*left)--;
	}
}

void rn_prom_own_nodes(FILE *f, const struct rn_window_end *end)
{
	int64_t nodes = 0, whole = 0;
	unsigned left = RN_PROM_NODES;

	for (unsigned i = 0; i < end->nnodes; i++) {
		nodes += end->node[i].nodes;
		whole += end->node[i].whole;
	}
	head(f, NODES, "gauge",
	     "nodes that were asked, by whether all that they saw is in that window");
	put_of(f, NODES, "state", "whole", whole);
	put_of(f, NODES, "state", "missing", nodes - whole);
	head(f, NODE, "gauge",
	     "1: all that the node saw is in that window; 0: it did not answer, or not in time; of "
	     "a relay: all nodes below it");
	put_nodes(f, end, false, &left);
	put_nodes(f, end, true, &left);
}

void rn_prom_own_ledger(FILE *f, const struct rn_ledger *sum)
{
	put_count(f, SEEN, "counter", "events that reached a probe of this view, on all nodes",
		  sum->n[RN_L_SEEN]);
	put_count(f, MATCHED, "counter", "events that passed every predicate",
		  sum->n[RN_L_MATCHED]);
	head(f, INCOMPLETE, "counter",
	     "what the answer misses or misplaces, by cause: see the ledger in runnel(1)");
	for (int i = 0; i < RN_L_COUNT; i++) {
		if (rn_ledger_is_loss((enum rn_ledger_item)i))
			put_of(f, INCOMPLETE, "cause", rn_ledger_name((enum rn_ledger_item)i),
			       sum->n[i]);
	}
}
