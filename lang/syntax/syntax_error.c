/* syntax_error.c - "found X, expected A, B or C", from the parser's own tables.
 *
 * rn_grammar_accepts tells, token by token, which tokens the grammar accepts. A table here gives
 * names to groups of them: a person wants to read "an expression", not the twelve tokens that can
 * start one. */
#include "lang/syntax/syntax_error.h"
#include <string.h>
#include "lang/syntax/grammar.h"
#include "lang/syntax/mistakes.h"
#include "lang/base/str.h"

struct group { /* shown if all of `needs` are accepted; then `covers` are not shown again */
	const char *name;
	int needs[4];
	int covers[24];
};
#define T(k) RN_TOK_##k
#define CLAUSE "a clause such as `where`, `by` or `limit`"
#define CLAUSES \
	T(WHERE), T(BY), T(HAVING), T(ORDER), T(TOP), T(LIMIT), T(EVERY), T(FOR), T(LAST), \
		T(SAMPLE), T(SCAN), T(ON), T(FROM), T(INTO), T(EXCEPT), T(FORMAT), T(STRING), \
		T(LPAREN), T(HZ), T(PARAM), T(THROUGH), T(STARTING), T(ENDING)
static const struct group groups[] = {
	{"an expression",
	 {T(ID), T(STRING), T(LPAREN), T(INT)},
	 {T(ID), T(STRING), T(LPAREN), T(INT), T(FLOAT), T(DURATION), T(SIZE), T(PARAM), T(TRUE),
	  T(FALSE), T(MINUS), T(NOT), T(HEX), T(STAR), T(IN)}},
	{"a tag", {T(ID), T(HEX)}, {T(ID), T(HEX), T(STRING), T(INT), T(PARAM), T(STAR), T(FROM)}},
	{"an event class, a table or a view", {T(ID), T(BETWEEN), T(TAG)}, {T(ID), T(TAG)}},
	{"a number", {T(INT), T(FLOAT)}, {T(INT), T(FLOAT), T(DURATION), T(SIZE), T(PARAM)}},
	{"a comparison or an operator",
	 {T(PLUS), T(EQ), T(IN)},
	 {T(PLUS), T(MINUS),   T(STAR), T(SLASH),  T(MOD),    T(EQ),    T(NE),
	  T(LT),   T(LE),      T(GT),   T(GE),     T(GLOB),   T(NGLOB), T(REGEX),
	  T(IN),   T(BETWEEN), T(NOT),  T(LPAREN), T(STRING), T(HZ)}},
	{"an operator", {T(PLUS)}, {T(PLUS), T(MINUS), T(STAR), T(SLASH), T(MOD), T(LPAREN)}},
	{"`and`", {T(AND), T(OR)}, {T(AND), T(OR)}},
	/* behind a source, which may be a list of classes: the comma goes without saying */
	{CLAUSE, {T(WHERE), T(LIMIT), T(STRING)}, {CLAUSES, T(COMMA)}},
	{CLAUSE, {T(WHERE), T(LIMIT)}, {CLAUSES}},
	{"a name", {T(ID)}, {T(ID), T(PARAM)}},
	{"a quoted string", {T(STRING)}, {T(STRING), T(PARAM), T(HZ)}},
};
static const struct {
	int kind;
	const char *text;
} words[] = {
	/* tokens worth a name of their own, in the order shown */
	{T(OF), "`of`"},
	{T(COMMA), "`,`"},
	{T(RPAREN), "`)`"},
	{T(LPAREN), "`(`"},
	{T(AND), "`and`"},
	{T(OR), "`or`"},
	{T(IN), "`in`"},
	{T(BETWEEN), "`between`"},
	{T(BY), "`by`"},
	{T(ON), "`on`"},
	{T(VIEW), "`view`"},
	{T(ASSIGN), "`:=`"},
	{T(EQ), "`=`"},
	{T(MOD), "`%`"},
	{T(WHERE), "`where`"},
	{T(AS), "`as`"},
	{T(ELSE), "`else`"},
	{T(TO), "`to`"},
	{T(REPLACE), "`replace`"},
	{T(APPEND), "`append`"},
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define MAX_TOKENS 128

static bool covered(const struct group *g, const bool *accepts)
{
	for (unsigned i = 0; i < COUNT(g->needs) && g->needs[i]; i++)
		if (!accepts[g->needs[i]])
			return false;
	return true;
}

static const char *expected(struct rn_arena *arena, bool *accepts, bool at_end)
{
	const char *names[COUNT(groups) + COUNT(words) + 1];
	struct rn_strbuf out;
	unsigned n = 0;
	bool is_name =
		accepts[T(OF)]; /* perhaps the name of a view alone: it goes without saying */

	for (const struct group *g = groups; g < groups + COUNT(groups); g++) {
		if (!covered(g, accepts))
			continue;
		names[n++] = g->name;
		for (unsigned i = 0; i < COUNT(g->covers) && g->covers[i]; i++)
			accepts[g->covers[i]] = false;
	}
	for (unsigned i = 0; i < COUNT(words); i++)
		if (accepts[words[i].kind])
			names[n++] = words[i].text;
	if (accepts[0] && !at_end && !is_name)
		names[n++] = "the end of the statement";
	rn_strbuf_init(&out, arena);
	for (unsigned i = 0; i < n; i++)
		rn_strbuf_printf(&out, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", names[i]);
	return rn_strbuf_cstr(&out);
}

static const char *found(struct rn_arena *a, const struct rn_token *t, bool semi)
{
	if (!t->kind)
		return semi ? "`;`" : "the end of the query";
	if (t->kind == RN_TOK_STRING || t->kind == RN_TOK_HEX)
		return "a quoted string";
	return rn_arena_printf(a, "`%s%s`", t->kind == RN_TOK_PARAM ? "$" : "", t->text);
}

void rn_expect_report(struct rn_builder *builder, void *parser, const struct rn_token *token,
		      unsigned bad, bool semi)
{
	bool accepts[MAX_TOKENS] = {0}, left[MAX_TOKENS];
	struct rn_span span = token[bad].span;
	struct rn_diag_item *it;
	const char *want;

	/* just after the last word, not after the blank lines that follow it */
	if (bad && !token[bad].kind && !semi)
		span.start = span.end = token[bad - 1].span.end;
	for (int k = 0; k < rn_grammar_tokens() && k < MAX_TOKENS; k++)
		accepts[k] = k != RN_TOK_SEMI && rn_grammar_accepts(parser, k);
	memcpy(left, accepts, sizeof(left));
	want = bad == 0 ? "a query or a statement"
			: expected(builder->arena, left, !token[bad].kind);
	if (*want)
		it = rn_build_error(builder, "E-SYNTAX", span, "found %s, expected %s",
				    found(builder->arena, &token[bad], semi), want);
	else
		it = rn_build_error(builder, "E-SYNTAX", span, "%s cannot stand here",
				    found(builder->arena, &token[bad], semi));
	rn_mistake_hint(builder, it, token, bad, accepts);
}
