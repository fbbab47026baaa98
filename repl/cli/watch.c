/* watch.c - `runnel watch VIEW`: tells what a window misses as soon as that is known, not only at
 * the end, which the user may not see. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "repl/render/numbers.h"
#include "repl/render/json.h"
#include "repl/render/ledger.h"
#include "repl/cli/commands.h"
#include "repl/cli/query.h"
#include "repl/cli/session.h"

enum { NODES_TOLD = 5 };

struct watched {
	struct rn_session *session;
	int64_t before[RN_L_COUNT]; /* counted up to the window before */
	char *without;              /* the nodes last told to be missing; NULL: none */
};

static const char *clock_text(char buf[32], int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	size_t k = strftime(buf, 32, "%H:%M:%S", localtime_r(&s, &tm));

	snprintf(buf + k, 32 - k, ".%03d", (int)(ns % 1000000000 / 1000000));
	return buf;
}

/* ---- for people ---- */

/* "two: WHY; three (2 of 5 nodes): WHY"; whys: with the reasons. On the heap. */
static char *missing_text(const struct rn_window_end *end, bool whys)
{
	char *text = NULL;
	size_t len;
	unsigned n = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		abort();
	for (unsigned i = 0; i < end->nnodes; i++) {
		const struct rn_window_node *node = &end->node[i];

		if (node->whole == node->nodes)
			continue;
		if (n++ < NODES_TOLD || !whys)
			fprintf(f, "%s%s", n > 1 ? "; " : "", node->name);
		if ((n <= NODES_TOLD || !whys) && node->nodes > 1)
			fprintf(f, " (%u of %u nodes)", node->nodes - node->whole, node->nodes);
		if (whys && n <= NODES_TOLD)
			fprintf(f, ": %s", node->why ? node->why : "it does not say why");
	}
	if (whys && n > NODES_TOLD)
		fprintf(f, "; and %u others", n - NODES_TOLD);
	(void)fclose(f);
	if (n)
		return text;
	free(text);
	return NULL;
}

static void tell_nodes(struct watched *x, FILE *to, const struct rn_window_end *end, unsigned nodes,
		       unsigned whole)
{
	char *now = missing_text(end, false), buf[32];
	bool same = now && x->without ? !strcmp(now, x->without) : now == x->without;

	if (!same && now) {
		char *text = missing_text(end, true);

		fprintf(to, "window before %s: without %u of %u node%s: %s\n",
			clock_text(buf, end->mark_ns), nodes - whole, nodes, nodes == 1 ? "" : "s",
			text ? text : "");
		free(text);
	} else if (!same) {
		fprintf(to, "window before %s: with all %u node%s again\n",
			clock_text(buf, end->mark_ns), nodes, nodes == 1 ? "" : "s");
	}
	free(x->without);
	x->without = now;
}

/* Returns the text to tell, on the heap; NULL: there is none. */
static char *tell_text(struct watched *x, const struct rn_window_end *w, const int64_t *more,
		       unsigned nodes, unsigned whole)
{
	char a[32], b[32], c[32], *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		abort();
	if (x->session->opt->verbose)
		fprintf(to, "window before %s: %s seen, %s matched, %u of %u node%s\n",
			clock_text(c, w->mark_ns), rn_text_commas(a, more[RN_L_SEEN]),
			rn_text_commas(b, more[RN_L_MATCHED]), whole, nodes, nodes == 1 ? "" : "s");
	for (int i = 0; i < RN_L_COUNT; i++) {
		if (more[i] > 0 && rn_ledger_is_loss((enum rn_ledger_item)i))
			fprintf(to, "window before %s: %lld %s\n", clock_text(c, w->mark_ns),
				(long long)more[i], rn_ledger_doc((enum rn_ledger_item)i, more[i]));
	}
	tell_nodes(x, to, w, nodes, whole);
	(void)fclose(to);
	if (len)
		return text;
	free(text);
	return NULL;
}

/* ---- as JSON: a line for each window that is not whole, or for every window ---- */

static void tell_json(const struct rn_window_end *end, const int64_t *more, unsigned nodes,
		      unsigned whole)
{
	struct rn_json json = {.to = stderr};

	rn_json_open(&json, NULL, '{');
	rn_json_int(&json, "before", end->mark_ns);
	rn_json_int(&json, "seen", more[RN_L_SEEN]);
	rn_json_int(&json, "matched", more[RN_L_MATCHED]);
	rn_json_open(&json, "lost", '{');
	for (int i = 0; i < RN_L_COUNT; i++)
		if (more[i] > 0 && rn_ledger_is_loss((enum rn_ledger_item)i))
			rn_json_int(&json, rn_ledger_name((enum rn_ledger_item)i), more[i]);
	rn_json_close(&json, '}');
	rn_json_int(&json, "nodes", nodes);
	rn_json_int(&json, "whole", whole);
	rn_json_open(&json, "missing", '{');
	for (unsigned i = 0; i < end->nnodes; i++)
		if (end->node[i].whole != end->node[i].nodes)
			rn_json_text(&json, end->node[i].name,
				     end->node[i].why ? end->node[i].why : "");
	rn_json_close(&json, '}');
	rn_json_close(&json, '}');
	putc('\n', stderr);
}

static int on_window(void *self, const struct rn_window_end *end, char **told)
{
	struct watched *x = self;
	const struct rn_options *options = x->session->opt;
	int64_t more[RN_L_COUNT];
	unsigned nodes = 0, whole = 0;
	bool lost = false;

	for (int i = 0; i < RN_L_COUNT; i++) {
		more[i] = end->sum->n[i] - x->before[i];
		lost |= more[i] > 0 && rn_ledger_is_loss((enum rn_ledger_item)i);
		x->before[i] = end->sum->n[i];
	}
	for (unsigned i = 0; i < end->nnodes; i++) {
		nodes += end->node[i].nodes;
		whole += end->node[i].whole;
	}
	if (options->quiet)
		return 0;
	fflush(x->session->to);
	if (!options->format->json_ledger)
		*told = tell_text(x, end, more, nodes, whole);
	else if (options->verbose || lost || whole < nodes)
		tell_json(end, more, nodes, whole);
	return 0;
}

int rn_cmd_watch(struct rn_session *session)
{
	struct watched x = {.session = session};
	struct rn_continuous k = {.self = &x, .window = on_window};
	int status = rn_continuous_run(session, &k);

	free(x.without);
	return status;
}
