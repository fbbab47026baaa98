/* syntax_error.c - "found X, expected A, B or C", from the parser's own tables.
 *
 * Which tokens the grammar accepts is asked token by token (rn_grammar_accepts); what they are
 * called together is a table here: a person wants to read "an expression", not the twelve tokens
 * that may start one. */
#include "lang/syntax/syntax_error.h"
#include <string.h>
#include "lang/syntax/grammar.h"
#include "lang/syntax/foreign_words.h"
#include "lang/base/nearest.h"
#include "lang/base/str.h"
#include "lang/values/units.h"

struct group { /* shown if all of `needs` are accepted; then `covers` are not shown again */
	const char *name;
	int needs[4];
	int covers[24];
};
#define T(k) RN_TOK_##k
static const struct group groups[] = {
	{"an expression",
	 {T(ID), T(STRING), T(LPAREN), T(INT)},
	 {T(ID), T(STRING), T(LPAREN), T(INT), T(FLOAT), T(DURATION), T(SIZE), T(PARAM), T(TRUE),
	  T(FALSE), T(MINUS), T(NOT), T(HEX)}},
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
	{"a clause such as `where`, `by` or `limit`",
	 {T(WHERE), T(LIMIT)},
	 {T(WHERE),  T(BY),     T(HAVING), T(ORDER),  T(TOP), T(LIMIT), T(EVERY),
	  T(FOR),    T(LAST),   T(SAMPLE), T(SCAN),   T(ON),  T(FROM),  T(INTO),
	  T(EXCEPT), T(FORMAT), T(STRING), T(LPAREN), T(HZ),  T(PARAM)}},
	{"a name", {T(ID)}, {T(ID), T(PARAM)}},
	{"a quoted string", {T(STRING)}, {T(STRING), T(PARAM), T(HZ)}},
};
static const struct {
	int kind;
	const char *text;
} words[] = {
	/* those worth naming alone, in the order shown */
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
static const struct {
	int kind;
	const char *text;
} keywords[] = {
	/* what a mistyped word may have been meant for */
	{T(OF), "of"},         {T(WHERE), "where"},     {T(BY), "by"},
	{T(HAVING), "having"}, {T(ORDER), "order"},     {T(TOP), "top"},
	{T(LIMIT), "limit"},   {T(EVERY), "every"},     {T(FOR), "for"},
	{T(LAST), "last"},     {T(SAMPLE), "sample"},   {T(SCAN), "scan"},
	{T(ON), "on"},         {T(EXCEPT), "except"},   {T(FROM), "from"},
	{T(INTO), "into"},     {T(FORMAT), "format"},   {T(ELSE), "else"},
	{T(AS), "as"},         {T(AND), "and"},         {T(OR), "or"},
	{T(IN), "in"},         {T(BETWEEN), "between"}, {T(DESC), "desc"},
	{T(ASC), "asc"},       {T(REPLACE), "replace"}, {T(APPEND), "append"},
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define MAX_TOKENS 128
#define SHAPE "a query is WHAT of SOURCE and its clauses, as in `count of read by file`"

static bool covered(const struct group *g, const bool *accepts)
{
	for (unsigned i = 0; i < COUNT(g->needs) && g->needs[i]; i++)
		if (!accepts[g->needs[i]])
			return false;
	return true;
}

static const char *expected(struct rn_arena *a, bool *accepts, bool at_end)
{
	const char *names[COUNT(groups) + COUNT(words) + 1];
	struct rn_strbuf out;
	unsigned n = 0;

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
	if (accepts[0] && !at_end)
		names[n++] = "the end of the statement";
	rn_strbuf_init(&out, a);
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

/* The innermost `(` before t[bad] that is open there; NULL if none. */
static const struct rn_token *open_paren(const struct rn_token *t, unsigned bad)
{
	int depth = 0;

	while (bad-- > 0) {
		if (t[bad].kind == RN_TOK_RPAREN)
			depth++;
		else if (t[bad].kind == RN_TOK_LPAREN && depth-- == 0)
			return &t[bad];
	}
	return NULL;
}

static const char *mistyped(const struct rn_token *t, const bool *accepts)
{
	const char *names[COUNT(keywords) + 1];
	unsigned n = 0;

	for (unsigned i = 0; i < COUNT(keywords); i++) {
		if (accepts[keywords[i].kind] && !strcasecmp(t->text, keywords[i].text))
			return keywords[i].text;
		if (accepts[keywords[i].kind])
			names[n++] = keywords[i].text;
	}
	names[n] = NULL;
	return rn_nearest(t->text, names);
}

static bool is_word(const struct rn_token *t)
{
	return t && t->kind && ((t->text[0] | 0x20) >= 'a' && (t->text[0] | 0x20) <= 'z') &&
	       t->kind != RN_TOK_STRING;
}

static bool starts_clause_word(const struct rn_token *t)
{
	return t->kind == RN_TOK_BY || t->kind == RN_TOK_WHERE || t->kind == RN_TOK_LIMIT ||
	       t->kind == RN_TOK_ORDER || t->kind == RN_TOK_FROM || t->kind == RN_TOK_FOR ||
	       t->kind == RN_TOK_EVERY;
}

/* Are the tokens before t[bad] a list of tags? */
static bool ends_tag(const struct rn_token *t, unsigned bad)
{
	while (bad-- > 0 && t[bad].kind != RN_TOK_TAG)
		if (t[bad].kind != RN_TOK_ID && t[bad].kind != RN_TOK_COMMA &&
		    t[bad].kind != RN_TOK_INT && t[bad].kind != RN_TOK_HEX &&
		    t[bad].kind != RN_TOK_STRING)
			return false;
	return bad != (unsigned)-1;
}

static bool is_number_token(const struct rn_token *t)
{
	return t->kind == RN_TOK_FLOAT || t->kind == RN_TOK_DURATION || t->kind == RN_TOK_SIZE ||
	       t->kind == RN_TOK_HZ;
}

/* `latency > 10 ms`, `for 5 seconds`: the unit that the word means, and only if it follows a
 * number. */
static const char *loose_unit(struct rn_arena *a, const struct rn_token *t, unsigned bad)
{
	const char *unit;

	if (!bad || t[bad].kind != RN_TOK_ID ||
	    (t[bad - 1].kind != RN_TOK_INT && t[bad - 1].kind != RN_TOK_FLOAT))
		return NULL;
	unit = rn_habit_name(RN_HABIT_UNIT, t[bad].text);
	for (const struct rn_unit_def *u = rn_units; !unit && u->name; u++)
		if (!strcasecmp(u->name, t[bad].text))
			unit = u->name;
	return unit ? rn_arena_printf(a, "a unit stands right behind its number: %s%s",
				      t[bad - 1].text, unit)
		    : NULL;
}

const char *rn_expect_foreign(struct rn_arena *a, const struct rn_token *t, unsigned bad)
{
	if (!bad || !is_word(t) || t[1].kind == RN_TOK_OF || t[1].kind == RN_TOK_COMMA ||
	    t[1].kind == RN_TOK_AS)
		return NULL;
	for (unsigned i = 1; i < bad; i++)
		if (t[i].kind == RN_TOK_OF)
			return NULL;
	return rn_habit_statement(a, t->text, t[1].kind ? t[1].text : "");
}

/* A mistake in a statement that is no query; the whole hint, or NULL. */
static const char *of_statement(struct rn_arena *a, const struct rn_token *t, unsigned bad,
				const bool *accepts)
{
	const struct rn_token *x = &t[bad];

	switch (bad ? t->kind : 0) {
	case RN_TOK_VIEW:
		if (accepts[RN_TOK_ASSIGN] && (x->kind == RN_TOK_EQ || x->kind == RN_TOK_AS))
			return "a view gets its query as in `view slow := count of read where "
			       "latency > 10ms by file`";
		break;
	case RN_TOK_EXPLAIN:
		if (bad == 2 && accepts[RN_TOK_OF] &&
		    (!strcmp(t[1].text, "let") || !strcmp(t[1].text, "view") ||
		     !strcmp(t[1].text, "assert")))
			return rn_arena_printf(a,
					       "`explain` takes a query alone, as in `explain "
					       "count of read by file`: leave `%s%s` out",
					       t[1].text,
					       strcmp(t[1].text, "assert") && x->kind == RN_TOK_ID
						       ? rn_arena_printf(a, " %s :=", x->text)
						       : "");
		break;
	case RN_TOK_USE:
		if (x->kind == RN_TOK_COMMA && x[1].kind == RN_TOK_ID)
			return rn_arena_printf(a, "one module a statement: use %s; use %s",
					       t[bad - 1].text, x[1].text);
		break;
	case RN_TOK_DROP:
		if (bad == 3 && !strcasecmp(t[2].text, "if"))
			return rn_arena_printf(a, "there is no `if exists`: drop view %s",
					       x->kind == RN_TOK_ID && x[1].kind == RN_TOK_ID
						       ? x[1].text
						       : "NAME");
		if (bad == 1 && x->kind == RN_TOK_ID && !x[1].kind)
			return rn_arena_printf(a, "say what is dropped: drop view %s", x->text);
		break;
	}
	return NULL;
}

static bool is_value(const struct rn_token *t)
{
	return t->kind == RN_TOK_INT || t->kind == RN_TOK_STRING || t->kind == RN_TOK_ID;
}

/* Among the values of `in (1, 2)`? */
static bool in_list(const struct rn_token *t, unsigned bad)
{
	const struct rn_token *open = open_paren(t, bad);

	return open && open > t && open[-1].kind == RN_TOK_IN;
}

/* WHERE, Of: what the word is if its case is taken for none; NULL if it is no word of the language
 * that could stand here. */
static const char *in_capitals(const struct rn_token *t, const bool *accepts)
{
	for (unsigned i = 0; i < COUNT(keywords); i++)
		if (t->kind == RN_TOK_ID && accepts[keywords[i].kind] &&
		    !strcasecmp(t->text, keywords[i].text))
			return keywords[i].text;
	return NULL;
}

/* What people write who come from SQL, bpftrace or a shell; the whole hint, or NULL. */
static const char *foreign(struct rn_arena *a, const struct rn_token *t, unsigned bad,
			   const bool *accepts)
{
	const struct rn_token *x = &t[bad], *before = bad ? &t[bad - 1] : NULL;
	const char *unit = loose_unit(a, t, bad), *whole = rn_expect_foreign(a, t, bad);

	if (whole || (whole = of_statement(a, t, bad, accepts)))
		return whole;
	if (unit)
		return unit;
	if (in_capitals(x, accepts))
		return rn_arena_printf(a,
				       "did you mean `%s`? Words of the language are in lower case",
				       in_capitals(x, accepts));
	if (before && before->kind == RN_TOK_NOT && is_word(x) && !strcasecmp(x->text, "like"))
		return "a glob is denied by proc !~ \"java*\"";
	if (is_word(x) && rn_habit_syntax(x->text))
		return rn_habit_syntax(x->text);
	if (bad > 1 && before->kind == RN_TOK_ID && x->kind == RN_TOK_ID &&
	    t[bad - 2].kind == RN_TOK_LPAREN && !strcasecmp(before->text, "distinct"))
		return rn_arena_printf(a, "how many different ones there are says distinct(%s)",
				       x->text);
	if (bad == 1 && before->kind == RN_TOK_ID && rn_habit_syntax(before->text))
		return rn_habit_syntax(before->text);
	if (!before)
		return NULL;
	if (before->kind == RN_TOK_TAG && accepts[RN_TOK_HEX] &&
	    (!x->kind || starts_clause_word(x)))
		return "write the tag after it: tag fix283";
	if (x->kind == RN_TOK_MINUS && x[1].kind && x->span.start == before->span.end &&
	    ends_tag(t, bad))
		return rn_arena_printf(a, "a tag that holds `-` is quoted: tag \"%s-%s\"",
				       before->text, x[1].text);
	/* a tag is expected */
	if (accepts[RN_TOK_HEX] && !accepts[RN_TOK_LPAREN] && is_number_token(x))
		return rn_arena_printf(a, "quote it: tag \"%s\"", x->text);
	if (x->kind == RN_TOK_STAR && before->kind == RN_TOK_LPAREN && bad > 1 &&
	    !strcasecmp(t[bad - 2].text, "count"))
		return "`count` counts events and takes no `*`: count of read";
	if (x->kind == RN_TOK_STAR && before->kind == RN_TOK_OF)
		return "`syscall` holds every system call: count of syscall by name";
	if ((x->kind == RN_TOK_COMMA || x->kind == RN_TOK_OR || x->kind == RN_TOK_AND) &&
	    accepts[RN_TOK_WHERE] && bad > 1 && t[bad - 2].kind == RN_TOK_OF)
		return "a query has one source; a family holds many, as in count of syscall where "
		       "name in (\"read\", \"fsync\") by name";
	if (x->kind == RN_TOK_SLASH &&
	    (before->kind == RN_TOK_EQ || before->kind == RN_TOK_NE ||
	     before->kind == RN_TOK_GLOB || before->kind == RN_TOK_NGLOB ||
	     before->kind == RN_TOK_REGEX))
		return "a path is text and must be quoted: file ~ \"/etc/*\"";
	if (x->kind == RN_TOK_SLASH && accepts[RN_TOK_WHERE])
		return "conditions come after `where`: count of read where pid = 3";
	if (x->kind == RN_TOK_GT && before->kind == RN_TOK_MINUS && bad > 1 &&
	    !strcmp(t[bad - 2].text, "args"))
		return rn_habit_args;
	if (bad > 1 && t[bad - 2].kind == RN_TOK_OF && before->kind == RN_TOK_ID && x->kind &&
	    !starts_clause_word(x) && strcmp(before->text, "sample") &&
	    strcmp(before->text, "usdt") && rn_habit_probe(before->text, strlen(before->text)))
		return rn_habit_probe(before->text, strlen(before->text)); /* of kprobe vfs_read */
	if (bad > 1 && t[bad - 2].kind == RN_TOK_OF && !strcmp(before->text, "sample") &&
	    (x->kind == RN_TOK_INT || x->kind == RN_TOK_ID))
		return "write after it how often a second each CPU is looked at: sample 99hz";
	if (accepts[RN_TOK_OF] && is_word(before) && !strcmp(before->text, "flow") && is_word(x) &&
	    !strcmp(x->text, "tag"))
		return rn_arena_printf(a, "is `of` missing? flow of tag %s",
				       is_word(&x[1]) ? x[1].text : "fix283");
	if (before->kind == RN_TOK_OF && x->kind == RN_TOK_STRING && bad > 1 &&
	    !strcmp(t[bad - 2].text, "flow"))
		return rn_arena_printf(a, "a flow is of a tag: flow of tag \"%s\"", x->text);
	if (accepts[RN_TOK_COMMA] && is_value(x) && is_value(before) && in_list(t, bad))
		return "commas stand between the values: pid in (1, 2)";
	if (before->kind == RN_TOK_IN && accepts[RN_TOK_LPAREN])
		return "write the values in parentheses: pid in (1, 2)";
	if (bad > 1 && before->kind == RN_TOK_ID && x->kind == RN_TOK_ID &&
	    t[bad - 2].kind == RN_TOK_OF &&
	    (!strcmp(before->text, "tracepoint") || !strcmp(before->text, "kernel") ||
	     !strcmp(before->text, "user") || !strcmp(before->text, "usdt")))
		return rn_arena_printf(a, "quote the name: %s \"%s\"", before->text,
				       strcmp(before->text, "tracepoint") ? x->text
									  : "sched:sched_switch");
	if ((before->kind == RN_TOK_FROM || before->kind == RN_TOK_INTO) && x->kind == RN_TOK_SLASH)
		return "the name of a recording is quoted: from \"/tmp/x.rnt\"";
	if (!x->kind && accepts[RN_TOK_OF] && bad > 1 && t[0].kind == RN_TOK_ID &&
	    t[1].kind == RN_TOK_LPAREN)
		return rn_arena_printf(
			a,
			"`of` and a source are missing; all rows of a view are `events of %s(...)`",
			t[0].text);
	if (before->kind == RN_TOK_FROM && x->kind == RN_TOK_ID)
		return "`from` names a recording in quotes: from \"x.rnt\"; the source comes after "
		       "`of`";
	if (bad == 2 && t[0].kind == RN_TOK_TOP)
		return "`top` is a clause at the end: count of read by file top 5";
	if (bad == 1 && accepts[RN_TOK_OF] && x->kind == RN_TOK_ID &&
	    before->kind != RN_TOK_STRING && is_word(before) && !mistyped(x, accepts))
		return rn_arena_printf(a, "is `of` missing? %s of %s", before->text, x->text);
	if (accepts[RN_TOK_OF] && starts_clause_word(x))
		return "`of` and a source come before the clauses: sum(bytes) of read by proc";
	return NULL;
}

/* The way out of the usual mistakes. */
static void hint(struct rn_builder *b, struct rn_diag_item *it, const struct rn_token *t,
		 unsigned bad, const bool *accepts)
{
	const struct rn_token *x = &t[bad], *open = open_paren(t, bad);
	const char *near = x->kind == RN_TOK_ID ? mistyped(x, accepts) : NULL,
		   *other = foreign(b->arena, t, bad, accepts);

	if (other)
		rn_diag_hint(b->diag, it, "%s", other);
	else if (bad && bad < 3 && t[0].kind == RN_TOK_LET)
		rn_diag_hint(
			b->diag, it,
			"a result gets its name as in `let slow := count of read by file for 5s`");
	else if (bad && t[0].kind == RN_TOK_DECLARE)
		rn_diag_hint(b->diag, it,
			     "a parameter is declared as `param NAME = VALUE`, `param NAME TYPE` "
			     "or `param NAME TYPE = VALUE`");
	else if (near)
		rn_diag_hint(b->diag, it, "did you mean `%s`?", near);
	else if (bad && x->kind == RN_TOK_STRING && t[bad - 1].kind == RN_TOK_STRING &&
		 x->span.start == t[bad - 1].span.end)
		rn_diag_hint(b->diag, it, "a quote inside a string is written \\' or \\\"");
	else if (open && accepts[RN_TOK_RPAREN] && x->kind != RN_TOK_ID && (!x->kind || is_word(x)))
		it->also = open->span, rn_diag_hint(b->diag, it, "the `(` is not closed");
	else if (x->kind == RN_TOK_RPAREN && !open)
		rn_diag_hint(b->diag, it, "this `)` closes nothing");
	else if (accepts[RN_TOK_OF] || bad == 0)
		rn_diag_hint(b->diag, it, SHAPE);
	else if (accepts[RN_TOK_ID] && x->kind != RN_TOK_ID && is_word(x))
		rn_diag_hint(b->diag, it,
			     "`%s` is a word of the language; as text it must be quoted", x->text);
}

void rn_expect_report(struct rn_builder *b, void *parser, const struct rn_token *t, unsigned bad,
		      bool semi)
{
	bool accepts[MAX_TOKENS] = {0}, left[MAX_TOKENS];
	struct rn_span span = t[bad].span;
	struct rn_diag_item *it;
	const char *want;

	/* just behind the last word, not behind the blank lines that follow it */
	if (bad && !t[bad].kind && !semi)
		span.start = span.end = t[bad - 1].span.end;
	for (int k = 0; k < rn_grammar_tokens() && k < MAX_TOKENS; k++)
		accepts[k] = k != RN_TOK_SEMI && rn_grammar_accepts(parser, k);
	memcpy(left, accepts, sizeof(left));
	want = bad == 0 ? "a query or a statement" : expected(b->arena, left, !t[bad].kind);
	if (*want)
		it = rn_build_error(b, "E-SYNTAX", span, "found %s, expected %s",
				    found(b->arena, &t[bad], semi), want);
	else
		it = rn_build_error(b, "E-SYNTAX", span, "%s cannot stand here",
				    found(b->arena, &t[bad], semi));
	hint(b, it, t, bad, accepts);
}
