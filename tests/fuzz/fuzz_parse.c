/* fuzz_parse.c - libFuzzer target of lexer and parser: no input crashes or hangs. What parses
 * without an error prints to a text that parses without an error and prints the same. A query that
 * an error offers parses. Diagnostics render for every input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "lang/complete/complete.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *print_all(struct rn_arena *a, const struct rn_ast_file *f)
{
	const char *out = "";

	for (const struct rn_ast_stmt *s = f->stmts; s; s = s->next)
		out = rn_arena_printf(a, "%s%s;\n", out, rn_print_stmt(a, s));
	return out;
}

/* Queries after `as a query: ` parse. */
static void check_offers(struct rn_arena *a, const struct rn_diag *d)
{
	static const char mark[] = "s a query: ";

	for (const struct rn_diag_item *it = rn_diag_first(d); it; it = it->next) {
		const char *offer = it->hint ? strstr(it->hint, mark) : NULL;
		struct rn_diag *own = rn_diag_new(a);
		struct rn_ast_file *f;

		if (!offer)
			continue;
		offer += strlen(mark);
		f = rn_parse(a, own, rn_diag_source(own, "offer", offer, strlen(offer)));
		if (rn_arena_full(a))
			return;
		if (rn_diag_errors(own) || !f->stmts)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_file *f =
		rn_parse(a, d, rn_diag_source(d, "query", (const char *)data, size));
	const char *once, *twice;

	rn_diag_render(d, a, size & 1);
	check_offers(a, d);
	rn_parse_complete((const char *)data, size);
	rn_dump_tokens(a, d, 0);
	if (!rn_diag_errors(d)) {
		for (struct rn_ast_stmt *s = f->stmts; s; s = s->next)
			if (s->query)
				rn_dump_ast(a, s->query, false);
		once = print_all(a, f);
		f = rn_parse(a, d, rn_diag_source(d, "printed", once, strlen(once)));
		twice = print_all(a, f);
		if (rn_diag_errors(d) || strcmp(once, twice))
			abort();
	}
	rn_arena_destroy(a);
	return 0;
}
