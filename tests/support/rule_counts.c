/* rule_counts.c - see rule_counts.h. A parser that lemon made prints each rule that it reduces. */
#include "tests/support/rule_counts.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/arena.h"
#include "lang/base/diag.h"
#include "lang/catalog/funcs.h"
#include "lang/syntax/parse.h"
#include "planner/plan/agg.h"

enum { MOST = 512, LONGEST = 128 };
struct rn_rule_counts {
	char what[MOST][LONGEST]; /* "query ::= query WHERE expr", "call lower(" */
	unsigned seen[MOST], n;
	char *lines; /* of the parser */
	size_t nlines;
	FILE *trace;
};

void rn_grammar_Trace(FILE *to, char *prompt); /* lemon's */

/* Rules that a query over a recording never uses, and why. */
static const struct {
	const char *part, *why;
} left_out[] = {
	{"stmt ::=", "a statement, and no part of a query"},
	{"file ::=", "a statement, and no part of a query"},
	{"declared ::=", "a statement, and no part of a query"},
	{"params", "a statement, and no part of a query"},
	{"paramlist", "a statement, and no part of a query"},
	{"param ::=", "a statement, and no part of a query"},
	{"alone ::=", "a statement, and no part of a query"},
	{"over ::=", "an answer goes to a file"},
	{"INTO", "an answer goes to a file"},
	{"FROM", "the recording is given beside the text"},
	{"PARAM", "values from outside of the text"},
	{"SPANS", "not executed yet"},
	{"LAST", "not executed yet"},
	{"SAMPLE", "not executed yet"},
	{"FOR", "of live queries"},
	{"SCAN", "of live queries"},
	{"IN LIVE", "of live queries"},
	{"query ON", "of live queries"},
	{"name ::=", "of live queries"},
	{"names ::=", "of live queries"},
	{"HZ", "of live queries"},
	{"FLOW", "of payload, which a generated recording lacks"},
	{"STARTING", "of payload, which a generated recording lacks"},
	{"ENDING", "of payload, which a generated recording lacks"},
	{"THROUGH", "of payload, which a generated recording lacks"},
	{"TAG", "of payload, which a generated recording lacks"},
	{"tag", "of payload, which a generated recording lacks"},
	{"tags", "of payload, which a generated recording lacks"},
	{"call similar(", "of payload, which a generated recording lacks"},
	{"string", "names after a class, which a generated recording lacks"},
	{"single", "of payload, which a generated recording lacks"},
	{"class ::= ID LPAREN", "views, which stand for their queries"},
	{"end ::= ID LPAREN", "views, which stand for their queries"},
	{" EQ IN", "a direction, which a generated recording lacks"},
	{" NE IN", "a direction, which a generated recording lacks"},
	{"item ::= IN", "a direction, which a generated recording lacks"},
	{"value ::= FLOAT", "of sample and scan"},
	{"value ::= RATE", "of sample and scan"},
	{"value ::= SIZE", "of sample and scan"},
	{"ID string", "names after a class, which a generated recording lacks"},
};

static unsigned find(struct rn_rule_counts *c, const char *what)
{
	unsigned i = 0;

	while (i < c->n && strcmp(c->what[i], what) != 0)
		i++;
	if (i == c->n && c->n < MOST - 1)
		snprintf(c->what[c->n++], LONGEST, "%s", what);
	return i;
}

/* "query(A) ::= query(Q) WHERE(T) expr(E). { ... }" as lemon prints it: "query ::= query WHERE
 * expr". */
static void shorten(char *line)
{
	char *to = line;

	for (const char *at = line; *at && *at != '.' && *at != '\n'; at++) {
		if (*at == '(')
			at = strchr(at, ')');
		else
			*to++ = *at;
	}
	while (to > line && to[-1] == ' ')
		to--;
	*to = 0;
}

struct rn_rule_counts *rn_rule_counts_create(const char *grammar)
{
	struct rn_rule_counts *c = calloc(1, sizeof(*c));
	FILE *f = fopen(grammar, "r");
	char line[512], what[LONGEST];

	if (!f) {
		free(c);
		return NULL;
	}
	while (fgets(line, sizeof(line), f))
		if (strstr(line, " ::= ") && line[0] >= 'a' && line[0] <= 'z') {
			shorten(line);
			find(c, line);
		}
	fclose(f);
	for (unsigned i = 0; rn_func_at(i); i++) {
		snprintf(what, sizeof(what), "call %s(", rn_func_at(i)->name);
		find(c, what);
	}
	for (const struct rn_agg_sig *const *a = rn_agg_sigs; *a; a++) {
		/* p07 is one of the aggregates that pNN stands for */
		snprintf(what, sizeof(what), "call %s",
			 strcmp((*a)->name, "pNN") ? (*a)->name : "p07");
		find(c, what);
	}
	c->trace = open_memstream(&c->lines, &c->nlines);
	return c;
}

void rn_rule_counts_free(struct rn_rule_counts *c)
{
	if (!c)
		return;
	fclose(c->trace);
	free(c->lines);
	free(c);
}

static void see(struct rn_rule_counts *c, bool *seen, const char *what)
{
	unsigned i = find(c, what);

	c->seen[i] += !seen[i];
	seen[i] = true;
}

/* "Reduce 12 [query ::= query WHERE expr], pop back to state 3." */
static void see_reduced(struct rn_rule_counts *c, bool *seen, char *line)
{
	char *rule = strchr(line, '['), *end = rule ? strrchr(line, ']') : NULL;

	if (strncmp(line, "Reduce ", 7) != 0 || !end)
		return;
	*end = 0;
	see(c, seen, rule + 1);
}

void rn_rule_counts_add(struct rn_rule_counts *c, const char *query)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_diag *d = rn_diag_new(a);
	bool seen[MOST] = {0};
	char prompt[] = "", *rest = NULL;

	rewind(c->trace);
	rn_grammar_Trace(c->trace, prompt);
	rn_parse(a, d, rn_diag_source(d, "query", query, strlen(query)));
	rn_grammar_Trace(NULL, NULL);
	fflush(c->trace);
	for (char *line = strtok_r(c->lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		see_reduced(c, seen, line);
	for (unsigned i = 0; i < c->n; i++)
		if (!strncmp(c->what[i], "call ", 5) && strstr(query, c->what[i] + 5))
			see(c, seen, c->what[i]);
	rn_arena_destroy(a);
}

static const char *why_left_out(const char *what)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
		if (strstr(what, left_out[i].part))
			return left_out[i].why;
	return NULL;
}

unsigned rn_rule_counts_print(const struct rn_rule_counts *c, unsigned least)
{
	unsigned few = 0;

	for (unsigned i = 0; i < c->n; i++) {
		const char *why = c->seen[i] < least ? why_left_out(c->what[i]) : NULL;

		printf("# %5u %s%s%s%s\n", c->seen[i], c->what[i], why ? " (left out: " : "",
		       why ? why : "", why ? ")" : "");
		few += c->seen[i] < least && !why;
	}
	return few;
}
