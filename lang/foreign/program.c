/* program.c - see program.h.
 *
 * Each reader says if the text is of its language and fills in a query. The query is offered only
 * if it parses, in the canonical form. */
#include "lang/foreign/program.h"
#include <string.h>
#include "lang/foreign/bpftrace.h"
#include "lang/foreign/words.h"

enum { BLOCKS_MAX = 8 };

static const struct {
	const char *name;
	bool (*read)(struct rn_reading *f, struct rn_phrase r);
	bool divides_whole; /* 5 / 2 is 2 */
} readers[] = {
	{"SQL", rn_foreign_sql, true},
	{"KQL", rn_foreign_kql, true},
	{"LINQ", rn_foreign_linq, true},
	{"PromQL", rn_foreign_promql, false},
};

/* An answer that points at some words. */
static struct rn_foreign_answer about(const char *text, struct rn_phrase at, const char *what)
{
	const struct rn_word *last = at.end - 1;

	return (struct rn_foreign_answer){
		.span = {(uint32_t)(at.w->s - text), (uint32_t)(last->s + last->n - text), 0},
		.text = what};
}

static const char *offer(struct rn_reading *f, const char *query, bool divides_whole)
{
	if (strstr(query, "for 5s)"))
		rn_foreign_remark(f, "A query in parentheses is asked first, here for 5 s");
	if (divides_whole && strstr(query, " / "))
		rn_foreign_remark(f, "`/` of plain numbers has a fraction, `div(x, y)` has none");
	return rn_arena_printf(f->arena, "%s%s query: %s", f->remarks,
			       *f->remarks ? "As a" : "as a", query);
}

/* ---- programs of probes ---- */

static const char *of_probes(struct rn_reading *f, const struct rn_block *b, unsigned n,
			     rn_canonical_fn *canonical)
{
	struct rn_phrase rest = b->probe, kind = rn_phrase_take_to(&rest, ":");
	const char *query = rn_foreign_bpftrace(f, b, n) ? canonical(f->arena, rn_foreign_text(f))
							 : NULL,
		   *hint;

	if (query)
		return offer(f, query, true);
	hint = rn_foreign_probe(kind.w->s, kind.w->n);
	return hint ? hint
		    : "A query says what it wants of a source. A first query: count of open by "
		      "proc "
		      "every 1s";
}

/* A range of PromQL in brackets: [5m]. */
static const struct rn_word *find_range(struct rn_phrase r)
{
	for (const struct rn_word *w = r.w; w + 2 < r.end; w++)
		if (rn_word_is(w, "[") && w->partner == 2 && w[1].kind == RN_WORD_NUMBER &&
		    strchr("smhd", w[1].s[w[1].n - 1]))
			return w;
	return NULL;
}

bool rn_foreign_program(struct rn_arena *arena, const char *text, size_t len,
			rn_canonical_fn *canonical, struct rn_foreign_answer *answer)
{
	struct rn_phrase r = rn_phrase_read(arena, text, len);
	struct rn_block block[BLOCKS_MAX];
	const struct rn_word *range;
	struct rn_reading f;
	unsigned n = rn_foreign_blocks(r, block, BLOCKS_MAX);

	rn_foreign_begin(&f, arena);
	if (n) {
		*answer = about(text, block->probe, "this is a program for bpftrace, and no query");
		answer->hint = of_probes(&f, block, n, canonical);
		return true;
	}
	for (unsigned i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		const char *query;

		rn_foreign_begin(&f, arena);
		query = readers[i].read(&f, r) ? canonical(arena, rn_foreign_text(&f)) : NULL;
		if (!query)
			continue;
		*answer = about(text, (struct rn_phrase){r.w, r.w + 1},
				rn_arena_printf(arena, "this is %s", readers[i].name));
		answer->hint = offer(&f, query, readers[i].divides_whole);
		return true;
	}
	range = find_range(r);
	if (!range)
		return false;
	*answer = about(text, (struct rn_phrase){range, range + 3},
			"a range in brackets is PromQL: here windows are a clause");
	answer->hint = rn_arena_printf(arena, "a first query: rate of read by proc every %s",
				       rn_word_text(arena, range + 1));
	return true;
}
