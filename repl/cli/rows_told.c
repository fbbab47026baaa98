/* rows_told.c - what the rows of a table do not say: how many there are, why there are none, and
 * which columns are left out. */
#include <string.h>
#include "lang/syntax/print.h"
#include "repl/cli/query.h"
#include "repl/render/ledger.h"
#include "repl/render/numbers.h"

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

void rn_rows_count(const struct rn_session *session, const struct rn_printer *printer,
		   const struct rn_plan *plan)
{
	bool one = plan->frag.grouped && !plan->frag.nkeys;
	char buf[32];

	if (!printer->rows || !printer->counts || printer->in_place || one || session->opt->quiet ||
	    !printer->term.tty)
		return;
	fprintf(printer->to, "(%s row%s)\n", rn_text_commas(buf, printer->rows),
		plural(printer->rows));
}

void rn_rows_none(const struct rn_session *session, const struct rn_printer *printer,
		  const struct rn_plan *plan, const struct rn_ledgers *ledgers,
		  struct rn_arena *arena)
{
	struct rn_ledger sum = rn_ledger_total(ledgers);
	int64_t seen = sum.n[RN_L_SEEN], matched = sum.n[RN_L_MATCHED];
	const struct rn_plan *leaf = plan;
	const char *of = "", *noun = "event";
	char buf[32];

	/* what a silent node has seen is not known: the ledger tells of the node */
	if (printer->rows || session->opt->quiet || session->opt->format->json_ledger ||
	    !sum.answered)
		return;
	while (leaf->child)
		leaf = leaf->child;
	if (leaf->given) {
		rn_say("no rows\n");
		return;
	}
	if (leaf->frag.cls->kind == RN_CLASS_TABLE)
		noun = "row";
	if (!leaf->frag.ends)
		of = rn_arena_printf(arena, " of %s", rn_class_text(arena, leaf->frag.cls));
	rn_text_commas(buf, matched ? matched : seen);
	if (!seen)
		rn_say("no rows: no %s%s was seen\n", noun, of);
	else if (matched)
		rn_say("no rows: %s %s%s%s matched, but %s\n", buf, noun, plural(matched), of,
		       plan->having ? "no group passed `having`"
		       : plan->kind == RN_PLAN_FLOW
			       ? "no flow has such hops as `through`, `starting where` or `ending "
				 "where` ask for"
			       : "no row is left");
	else if (leaf == plan && !plan->merged && plan->query->where)
		rn_say("no rows: %s %s%s%s seen, none with %s\n", buf, noun, plural(seen), of,
		       rn_print_expr(arena, plan->query->where));
	else
		rn_say("no rows: %s %s%s%s seen, none matched\n", buf, noun, plural(seen), of);
}

void rn_rows_hidden(const struct rn_session *session, const struct rn_printer *printer)
{
	const char *names = printer->no_room;
	unsigned n = printer->nextra + (*names != 0);

	for (const char *s = names; (s = strchr(s, ',')) != NULL; s++)
		n++;
	if (!n || !printer->rows || session->opt->quiet)
		return;
	if (printer->nextra)
		rn_say("%u more column%s: write `* of` for `events of`, or use %s\n", n, plural(n),
		       session->prompt ? "\\x" : "-o json");
	else
		rn_say("no room for %s: %s\n", names,
		       session->prompt ? "\\x shows all columns" : "-o json has all columns");
}
