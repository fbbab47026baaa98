/* ledger.c - see ledger.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lang/base/memory.h"
#include "repl/render/numbers.h"
#include "repl/render/json.h"
#include "repl/render/ledger.h"

/* a node closes a window faster, unless something delays it */
#define EDGE_TOLD_NS (100LL * 1000 * 1000)
/* most pairs to show of nodes that see the same events */
enum { TWICE_TOLD = 3, TWICE_JSON = 100 };

/* Items that make an answer incomplete, and advice. */
static const struct {
	enum rn_ledger_item item;
	const char *advice;
} losses[] = {
	{RN_L_LOST_RING, "ask for aggregates instead of rows, or narrow `where`"},
	{RN_L_LOST_MAP, "group by fewer keys, or narrow `where`"},
	{RN_L_LOST_CELL, "group by fewer keys, or narrow `where`"},
	{RN_L_LOST_SCRATCH, "they came amid another event of the same CPU"},
	{RN_L_LOST_STACK, "fewer different stacks fit: narrow `where`"},
	{RN_L_FAULTED, "the memory or the page of the file was not within reach: such text or "
		       "payload counts as empty, a member as 0, an argument and its text as null"},
	{RN_L_TRUNCATED,
	 "values that differ only beyond the limit look alike, and what is too long has no hash"},
	{RN_L_BEYOND_CAP, "tags there were not seen"},
	{RN_L_UNJOINED, "tags that begin in one call and end in a later one were perhaps not seen"},
	{RN_L_UNCOVERED, "tags in it were not seen"},
	{RN_L_LOST_PAIR, "name a condition for the first event, so that fewer wait"},
	{RN_L_LATE, "they are in no window"},
	{RN_L_SHED, "it was full, or a window was: ask for aggregates instead of rows, narrow "
		    "`where`, or say `limit`"},
	{RN_L_UNPROBED, "too many of one user, not readable, or not accepted by the kernel"},
	{RN_L_UNATTACHED, "`runnel list GLOB` shows all that match"},
	{RN_L_OVERFLOW,
	 "divide before you multiply or add up, or calculate with fractions: `x * 1.0`"},
	{RN_L_NO_USER, "none of its events has such a `user`: look at the name, or ask by `uid`"},
	{RN_L_NO_NAME,
	 "none of its events has it: other kernels have other names for such a number"},
	{RN_L_UNSETTLED, "the file, or a directory above it, was renamed again and again: group by "
			 "`dev, ino` instead of a name"},
	{RN_L_WITHHELD,
	 "there is no hash of less than 16 bytes, none of a terminal, and no `around`"},
	{RN_L_OWN_KEY, "no hash of theirs equals one of another node or query"},
	{RN_L_COMPAT, "32-bit calls have other numbers: they are in no answer"},
};

int64_t rn_ledger_lost(const struct rn_ledger *ledger)
{
	return ledger->n[RN_L_LOST_RING] + ledger->n[RN_L_LOST_MAP] + ledger->n[RN_L_LOST_CELL] +
	       ledger->n[RN_L_LOST_SCRATCH];
}

struct rn_ledger rn_ledger_total(const struct rn_ledgers *ledgers)
{
	struct rn_ledger sum = {.answered = true};

	for (unsigned i = 0; i < ledgers->n; i++) {
		rn_ledger_add(&sum, &ledgers->nodes[i]);
		sum.answered &= ledgers->nodes[i].answered;
	}
	return sum;
}

static void json_items(struct rn_json *json, const struct rn_ledger *l)
{
	for (int i = 0; i < RN_L_COUNT; i++)
		rn_json_int(json, rn_ledger_name(i), l->n[i]);
	rn_json_int(json, "lost", rn_ledger_lost(l));
}

/* Write the paths on which payload moved. */
static void json_paths(struct rn_json *json, const struct rn_ledger *l)
{
	bool any = false;

	for (int p = 0; p < RN_PATH_COUNT; p++) {
		if (!l->path[p][RN_C_CALLS] && !l->path[p][RN_C_UNCOVERED])
			continue;
		if (!any)
			rn_json_open(json, "paths", '{');
		any = true;
		rn_json_open(json, rn_path_name(p), '{');
		for (int i = 0; i < RN_C_COUNT; i++)
			rn_json_int(json, rn_cover_name(i), l->path[p][i]);
		rn_json_close(json, '}');
	}
	if (any)
		rn_json_close(json, '}');
}

/* ---- nodes that see the same events ---- */

/* Is it the same kernel? Compares the first word of the places. */
static bool one_kernel(const char *a, const char *b)
{
	size_t n = strcspn(a, " ");

	return n == strcspn(b, " ") && !strncmp(a, b, n);
}

/* Do both see the same part of it, or one of them all? */
static bool overlap(const char *a, const char *b)
{
	const char *x = strrchr(a, ' '), *y = strrchr(b, ' ');

	return x && y && (!strcmp(x, y) || !strcmp(x, " machine") || !strcmp(y, " machine"));
}

static int by_place(const void *a, const void *b)
{
	const struct rn_ledger *x = *(const struct rn_ledger *const *)a,
			       *y = *(const struct rn_ledger *const *)b;
	int cmp = strcmp(x->place, y->place);

	return cmp ? cmp : strcmp(x->node, y->node);
}

/* Visit at most max pairs of nodes whose events are counted twice; return how many were visited. */
static unsigned visit_twice(const struct rn_ledgers *l, unsigned max,
			    void (*visit)(void *self, unsigned nth, const char *a, const char *b),
			    void *self)
{
	const struct rn_ledger **p = rn_calloc(l->n + 1, sizeof(const struct rn_ledger *));
	unsigned n = 0, told = 0;

	for (unsigned i = 0; i < l->n; i++)
		if (l->nodes[i].place)
			p[n++] = &l->nodes[i];
	qsort(p, n, sizeof(const struct rn_ledger *), by_place);
	for (unsigned i = 0; i < n; i++) /* nodes of one kernel are adjacent now */
		for (unsigned k = i + 1;
		     k < n && told < max && one_kernel(p[i]->place, p[k]->place); k++)
			if (overlap(p[i]->place, p[k]->place))
				visit(self, told++, p[i]->node, p[k]->node);
	free(p);
	return told;
}

static void twice_text(void *self, unsigned nth, const char *a, const char *b)
{
	FILE *f = self;

	if (nth < TWICE_TOLD)
		fprintf(f,
			"  nodes %s and %s are on one kernel and see the same events: they are "
			"counted twice\n",
			a, b);
	else
		fputs("  and so are others: -o json has the place of each node\n", f);
}

static void twice_json(void *self, unsigned nth, const char *a, const char *b)
{
	struct rn_json *json = self;

	if (!nth)
		rn_json_open(json, "twice", '[');
	rn_json_open(json, NULL, '[');
	rn_json_text(json, NULL, a);
	rn_json_text(json, NULL, b);
	rn_json_close(json, ']');
}

/* Write what only a node of a cluster has. */
static void json_cluster(struct rn_json *json, const struct rn_ledger *n)
{
	char key[32];

	if (n->edge_ns)
		rn_json_int(json, "edge", n->edge_ns);
	if (n->hash_key) {
		snprintf(key, sizeof(key), "0x%016" PRIx64, n->hash_key);
		rn_json_text(json, "hash_key", key);
	}
	if (n->until_ns)
		rn_json_int(json, "until", n->until_ns);
	if (n->joined_ns)
		rn_json_int(json, "joined", n->joined_ns);
	if (n->place && n->clock_bound_ns >= 0) {
		rn_json_int(json, "clock_offset", n->clock_offset_ns);
		rn_json_int(json, "clock_bound", n->clock_bound_ns);
	}
	rn_json_text(json, "place", n->place);
}

static void json_node(struct rn_json *json, const struct rn_ledger *n)
{
	rn_json_open(json, NULL, '{');
	rn_json_text(json, "node", n->node ? n->node : "");
	rn_json_bool(json, "answered", n->answered);
	rn_json_text(json, "why", n->why);
	rn_json_int(json, "begin", n->begin_ns);
	rn_json_int(json, "end", n->end_ns);
	json_cluster(json, n);
	json_items(json, n);
	json_paths(json, n);
	rn_json_close(json, '}');
}

void rn_ledger_write_json(FILE *f, const struct rn_ledgers *ledgers)
{
	struct rn_ledger sum = rn_ledger_total(ledgers);
	struct rn_json json = {.to = f};

	rn_json_open(&json, NULL, '{');
	rn_json_open(&json, "ledger", '{');
	rn_json_text(&json, "of", ledgers->about);
	json_items(&json, &sum);
	if (ledgers->so_far) {
		rn_json_bool(&json, "so_far", true);
		rn_json_key(&json, "complete");
		fputs("null", f);
	} else {
		rn_json_bool(&json, "complete", rn_ledger_complete(ledgers));
	}
	if (ledgers->nnulls) {
		rn_json_open(&json, "nulls", '{');
		for (unsigned i = 0; i < ledgers->nnulls; i++)
			rn_json_int(&json, ledgers->nulls[i].column, ledgers->nulls[i].n);
		rn_json_close(&json, '}');
	}
	rn_json_open(&json, "nodes", '[');
	for (unsigned i = 0; i < ledgers->n; i++)
		json_node(&json, &ledgers->nodes[i]);
	rn_json_close(&json, ']');
	if (visit_twice(ledgers, TWICE_JSON, twice_json, &json))
		rn_json_close(&json, ']');
	rn_json_text(&json, "trace", ledgers->trace_note);
	rn_json_close(&json, '}');
	rn_json_close(&json, '}');
	putc('\n', f);
}

/* Some calls are already running whenever a query begins, so they get a line only if they are at
 * least 1 % of the events. So do second events without a first, unless the first has a condition,
 * which explains them. */
static void print_unpaired(FILE *f, const struct rn_ledgers *l, const struct rn_ledger *sum,
			   bool verbose)
{
	int64_t n = sum->n[RN_L_UNPAIRED];
	const char *s = n == 1 ? "" : "s";
	char buf[32];

	if (!n || (!verbose && (l->first_has_where || n < sum->n[RN_L_MATCHED] / 99)))
		return;
	rn_text_commas(buf, n);
	if (l->first_has_where)
		fprintf(f,
			"  %s second event%s without a first before: that came before the query, "
			"or did not pass its condition\n",
			buf, s);
	else if (l->pairs)
		fprintf(f, "  %s second event%s whose first came before the query, or never\n", buf,
			s);
	else if (l->functions)
		fprintf(f,
			"  %s event%s without a value that the query uses (an argument, a result, "
			"a "
			"text): it leaves %s out\n",
			buf, s, n == 1 ? "it" : "them");
	else
		fprintf(f,
			"  %s call%s %s already running when the query began: the latency is "
			"unknown, so queries that use latency or begin leave %s out\n",
			buf, s, n == 1 ? "was" : "were", n == 1 ? "it" : "them");
}

static void print_nulls(FILE *f, const struct rn_ledgers *l)
{
	char buf[32];

	for (unsigned i = 0; i < l->nnulls; i++)
		fprintf(f, "  %s value%s of %s missing: no result, as of a division by 0\n",
			rn_text_commas(buf, l->nulls[i].n), l->nulls[i].n == 1 ? "" : "s",
			l->nulls[i].column);
}

static void print_items(FILE *f, const struct rn_ledger *l)
{
	char buf[32];

	for (int i = 0; i < RN_L_COUNT; i++)
		fprintf(f, "  %16s  %s\n", rn_text_commas(buf, l->n[i]), rn_ledger_doc(i, l->n[i]));
	for (int p = 0; p < RN_PATH_COUNT; p++)
		for (int i = 0; i < RN_C_COUNT; i++)
			if (l->path[p][i])
				fprintf(f, "  %16s  %s: %s\n", rn_text_commas(buf, l->path[p][i]),
					rn_path_name(p), rn_cover_name(i));
	if (l->clock_bound_ns > 0)
		fprintf(f,
			"  %14.6f s  its clock is ahead of ours, at the end; its times are "
			"aligned, wrong by %.6f s at most\n",
			(double)l->clock_offset_ns / 1e9, (double)l->clock_bound_ns / 1e9);
	if (l->end_ns > l->begin_ns)
		fprintf(f, "  %14.3f s  attached\n", (double)(l->end_ns - l->begin_ns) / 1e9);
}

static const char *clock_text(char *buf, size_t n, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	size_t k = strftime(buf, n, "%H:%M:%S", localtime_r(&s, &tm));

	snprintf(buf + k, n - k, ".%03d", (int)(ns % 1000000000 / 1000000));
	return buf;
}

static void print_unanswered(FILE *f, const struct rn_ledger *n, const struct rn_ledgers *all)
{
	char buf[32];

	if (n->answered)
		return;
	if (all->trace_note) /* it is of all nodes of the recording */
		fputs("  the recording lacks a part: ", f);
	else if (n->begin_ns || n->until_ns || n->joined_ns)
		fprintf(f, "  node %s %s: ", n->node,
			all->so_far ? "does not answer, or has not all the time"
				    : "did not answer to the end");
	else /* it never ran the query */
		fprintf(f, "  node %s: ", n->node);
	fputs(n->why ? n->why : "unknown", f);
	if (n->until_ns)
		fprintf(f, "; its windows before %s are whole",
			clock_text(buf, sizeof(buf), n->until_ns));
	if (n->joined_ns)
		fprintf(f, "; it is in the answer from %s on",
			clock_text(buf, sizeof(buf), n->joined_ns));
	putc('\n', f);
}

static void print_apart(FILE *f, const struct rn_ledgers *l)
{
	unsigned pair[2];

	if (rn_ledger_apart(l, pair))
		fprintf(f,
			"  hashes of nodes %s and %s have different keys: the same payload looks "
			"different; `hash_key` of their policies can make them alike\n",
			l->nodes[pair[0]].node, l->nodes[pair[1]].node);
}

void rn_ledger_write(FILE *f, const struct rn_ledgers *ledgers, bool verbose)
{
	struct rn_ledger sum = rn_ledger_total(ledgers);
	char a[32], b[32], c[32];

	fprintf(f, "ledger%s%s%s: %s seen, %s matched, %s lost", ledgers->about ? " of " : "",
		ledgers->about ? ledgers->about : "", ledgers->so_far ? " so far" : "",
		rn_text_commas(a, sum.n[RN_L_SEEN]), rn_text_commas(b, sum.n[RN_L_MATCHED]),
		rn_text_commas(c, rn_ledger_lost(&sum)));
	if (sum.n[RN_L_BYTES_SEEN])
		fprintf(f, "; searched %s of %s payload bytes",
			rn_text_commas(a, sum.n[RN_L_BYTES_SCANNED]),
			rn_text_commas(b, sum.n[RN_L_BYTES_SEEN]));
	if (sum.n[RN_L_KNOWN_CLEAN])
		fprintf(f, ", %s known to hold no tag", rn_text_commas(a, sum.n[RN_L_KNOWN_CLEAN]));
	fputs(ledgers->trace_note ? "; " : "\n", f);
	if (ledgers->trace_note)
		fprintf(f, "%s\n", ledgers->trace_note);
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		int64_t n = sum.n[losses[i].item];

		if (n)
			fprintf(f, "  %s %s; %s\n", rn_text_commas(a, n),
				rn_ledger_doc(losses[i].item, n), losses[i].advice);
	}
	print_unpaired(f, ledgers, &sum, verbose);
	print_nulls(f, ledgers);
	for (unsigned i = 0; i < ledgers->n; i++) {
		print_unanswered(f, &ledgers->nodes[i], ledgers);
		if (ledgers->nodes[i].edge_ns > EDGE_TOLD_NS)
			fprintf(f,
				"  node %s was held up and closed a window %.1f s after its end: "
				"events of that time are in it, not in the next\n",
				ledgers->nodes[i].node, (double)ledgers->nodes[i].edge_ns / 1e9);
	}
	print_apart(f, ledgers);
	visit_twice(ledgers, TWICE_TOLD + 1, twice_text, f);
	for (unsigned i = 0; verbose && i < ledgers->n; i++) {
		fprintf(f, "node %s:\n", ledgers->nodes[i].node ? ledgers->nodes[i].node : "");
		print_items(f, &ledgers->nodes[i]);
	}
}
