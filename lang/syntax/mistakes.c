/* mistakes.c - the likely mistake behind a syntax error: one table, read top down.
 *
 * A row says which token stands before the one that was refused, which token that is, which one the
 * grammar would have taken there, and what else must be so. The first row that fits gives the hint.
 * What people write who come from SQL, bpftrace or a shell stands above the general advice; single
 * words of theirs are in lang/foreign/words.c. tests/golden/errors has a case for each row. */
#include "lang/syntax/mistakes.h"
#include <string.h>
#include "lang/base/nearest.h"
#include "lang/base/str.h"
#include "lang/foreign/words.h"
#include "lang/syntax/grammar.h"
#include "lang/values/units.h"

#define T(k) RN_TOK_##k
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* Where the parser stopped. */
struct place {
	struct rn_arena *arena;
	const struct rn_token *at; /* of the statement, the last of kind 0 */
	unsigned bad;
	const struct rn_token *next;   /* t[bad] */
	const struct rn_token *before; /* t[bad - 1]; NULL: x is the first */
	const struct rn_token *second; /* t[bad - 2]; NULL: there is none */
	const bool *accepts;           /* by kind */
};

/* What a mistyped word may have been meant for. */
static const struct {
	int kind;
	const char *text;
} keywords[] = {
	{T(OF), "of"},
	{T(WHERE), "where"},
	{T(BY), "by"},
	{T(HAVING), "having"},
	{T(ORDER), "order"},
	{T(TOP), "top"},
	{T(LIMIT), "limit"},
	{T(EVERY), "every"},
	{T(FOR), "for"},
	{T(LAST), "last"},
	{T(SAMPLE), "sample"},
	{T(SCAN), "scan"},
	{T(ON), "on"},
	{T(EXCEPT), "except"},
	{T(FROM), "from"},
	{T(INTO), "into"},
	{T(FORMAT), "format"},
	{T(ELSE), "else"},
	{T(AS), "as"},
	{T(AND), "and"},
	{T(OR), "or"},
	{T(IN), "in"},
	{T(BETWEEN), "between"},
	{T(DESC), "desc"},
	{T(ASC), "asc"},
	{T(REPLACE), "replace"},
	{T(APPEND), "append"},
	{T(THROUGH), "through"},
	{T(OVER), "over"},
	{T(LIVE), "live"},
	{T(STARTING), "starting"},
	{T(ENDING), "ending"},
};

/* ---- what stands where ---- */

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
	       t->kind == RN_TOK_RATE || t->kind == RN_TOK_HZ;
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

const char *rn_mistake_foreign(struct rn_arena *arena, const struct rn_token *token, unsigned bad)
{
	if (!bad || !is_word(token) || token[1].kind == RN_TOK_OF ||
	    token[1].kind == RN_TOK_COMMA || token[1].kind == RN_TOK_AS)
		return NULL;
	for (unsigned i = 1; i < bad; i++)
		if (token[i].kind == RN_TOK_OF)
			return NULL;
	return rn_foreign_statement(arena, token->text, token[1].kind ? token[1].text : "");
}

static bool reads(const struct rn_token *t, const char *word)
{
	return t && !strcmp(t->text, word);
}

/* In any case. */
static bool is_like(const struct rn_token *t, const char *word)
{
	return t && !strcasecmp(t->text, word);
}

static bool is_kind(const struct rn_token *t, int kind)
{
	return t && t->kind == kind;
}

/* ---- conditions of rows, as they are called there ---- */

static bool first_of_all(const struct place *p)
{
	return !p->before;
}
static bool second_of_all(const struct place *p)
{
	return p->bad == 1;
}
static bool third_of_all(const struct place *p)
{
	return p->bad == 2;
}
static bool alone_behind_drop(const struct place *p)
{
	return p->bad == 1 && !p->next[1].kind;
}
static bool next_is_name(const struct place *p)
{
	return p->next[1].kind == T(ID);
}
static bool is_word_like(const struct place *p)
{
	return is_word(p->next) && is_like(p->next, "like");
}
static bool port_of_end(const struct place *p)
{
	return is_like(p->next, "port") && (reads(p->before, "peer") || reads(p->before, "local"));
}
static bool groups_first(const struct place *p)
{
	return second_of_all(p) && p->next[1].kind == T(LPAREN);
}
static bool of_distinct_in_count(const struct place *p)
{
	return is_kind(p->second, T(LPAREN)) && is_like(p->before, "distinct");
}
static bool tag_ends_here(const struct place *p)
{
	return !p->next->kind || starts_clause_word(p->next);
}
static bool glued_to_tag(const struct place *p)
{
	return p->next[1].kind && p->next->span.start == p->before->span.end &&
	       ends_tag(p->at, p->bad);
}
static bool number_for_tag(const struct place *p)
{
	return !p->accepts[T(LPAREN)] && is_number_token(p->next);
}
static bool counts_all(const struct place *p)
{
	return is_like(p->second, "count");
}
static bool joins_source(const struct place *p)
{
	return (p->next->kind == T(OR) || p->next->kind == T(AND)) && is_kind(p->second, T(OF));
}
/* read, tag fix283 */
static bool alone_in_list(const struct place *p)
{
	return is_kind(p->second, T(COMMA)) &&
	       (reads(p->before, "tag") || reads(p->before, "sample"));
}
static bool compared(const struct place *p)
{
	int k = p->before->kind;

	return k == T(EQ) || k == T(NE) || k == T(GLOB) || k == T(NGLOB) || k == T(REGEX);
}
static bool of_args(const struct place *p)
{
	return reads(p->second, "args");
}
static bool sample_without_rate(const struct place *p)
{
	return is_kind(p->second, T(OF)) && reads(p->before, "sample") &&
	       (p->next->kind == T(INT) || p->next->kind == T(ID));
}
static bool text_of_flow(const struct place *p)
{
	return reads(p->second, "flow");
}
static bool values_in_list(const struct place *p)
{
	return is_value(p->next) && is_value(p->before) && in_list(p->at, p->bad);
}
static bool function_of_program(const struct place *p)
{
	return is_kind(p->second, T(OF)) &&
	       (reads(p->before, "kernel") || reads(p->before, "user") || reads(p->before, "usdt"));
}
static bool tracepoint_by_name(const struct place *p)
{
	return is_kind(p->second, T(OF)) && reads(p->before, "tracepoint");
}
static bool two_words(const struct place *p)
{
	return p->bad == 1 && p->before->kind != T(STRING) && is_word(p->before) &&
	       !mistyped(p->next, p->accepts);
}
/* avg latency of read */
static bool of_follows(const struct place *p)
{
	return two_words(p) && p->next[1].kind == T(OF);
}
/* Not in the parentheses of a part of an expression: they may hold a query, but seldom do. */
static bool clause_comes(const struct place *p)
{
	const struct rn_token *open = open_paren(p->at, p->bad);

	return starts_clause_word(p->next) &&
	       (!open || (open > p->at && (open[-1].kind == T(OF) || open[-1].kind == T(IN))));
}
static bool name_of_result(const struct place *p)
{
	return p->bad < 3;
}
static bool string_goes_on(const struct place *p)
{
	return p->next->span.start == p->before->span.end;
}
static bool paren_is_open(const struct place *p)
{
	return open_paren(p->at, p->bad) && p->next->kind != T(ID) &&
	       (!p->next->kind || is_word(p->next));
}
static bool no_paren_is_open(const struct place *p)
{
	return !open_paren(p->at, p->bad);
}
static bool not_in_parentheses(const struct place *p)
{
	return no_paren_is_open(p) && second_of_all(p) == false;
}
static bool keyword_as_text(const struct place *p)
{
	return p->next->kind != T(ID) && is_word(p->next);
}

/* ---- hints that are more than a sentence with words in it; NULL: the row does not fit ---- */

static const char *of_others(const struct place *p)
{
	return rn_mistake_foreign(p->arena, p->at, p->bad);
}

static const char *explain_statement(const struct place *p)
{
	const struct rn_token *t = p->at;

	if (p->bad != 2 ||
	    (!reads(&t[1], "let") && !reads(&t[1], "view") && !reads(&t[1], "assert")))
		return NULL;
	return rn_arena_printf(p->arena,
			       "`explain` takes a query alone, as in `explain count of read by "
			       "file`: leave `%s%s` out",
			       t[1].text,
			       !reads(&t[1], "assert") && p->next->kind == T(ID)
				       ? rn_arena_printf(p->arena, " %s :=", p->next->text)
				       : "");
}

static const char *drop_if_exists(const struct place *p)
{
	if (p->bad != 3 || !is_like(p->before, "if"))
		return NULL;
	return rn_arena_printf(p->arena, "there is no `if exists`: drop view %s",
			       p->next->kind == T(ID) && next_is_name(p) ? p->next[1].text
									 : "NAME");
}

/* `latency > 10 ms`, `for 5 seconds`: the unit that the word means, and only if it follows a
 * number. */
static const char *loose_unit(const struct place *p)
{
	const char *unit;

	if (p->before->kind != T(INT) && p->before->kind != T(FLOAT))
		return NULL;
	unit = rn_foreign_unit(p->next->text);
	return unit ? rn_arena_printf(p->arena, "write the unit without a space: %s%s",
				      p->before->text, unit)
		    : NULL;
}

/* `every second` */
static const char *unit_alone(const struct place *p)
{
	const char *unit = rn_foreign_unit(p->next->text);

	return unit ? rn_arena_printf(p->arena, "write the number too: %s 1%s", p->before->text,
				      unit)
		    : NULL;
}

/* `of (open, close)` */
static const char *several_sources(const struct place *p)
{
	const struct rn_token *t = p->bad >= 5 ? &p->at[p->bad - 5] : NULL;

	if (!t || t[0].kind != T(OF) || t[1].kind != T(LPAREN) || t[2].kind != T(ID) ||
	    t[3].kind != T(COMMA) || t[4].kind != T(ID))
		return NULL;
	return rn_arena_printf(p->arena,
			       "several classes stand without parentheses: count of %s, %s",
			       t[2].text, t[4].text);
}

/* `usse fs;` */
static const char *nearest_statement(const struct place *p)
{
	static const char *const words[] = {"use", "view", "let", "drop", "param", "assert", NULL};
	const char *near = second_of_all(p) ? rn_nearest(p->before->text, words) : NULL;

	return near ? rn_arena_printf(p->arena, "did you mean `%s`?", near) : NULL;
}

/* WHERE, Of: a word of the language, if its case is taken for none, that could stand here. */
static const char *in_capitals(const struct place *p)
{
	for (unsigned i = 0; i < COUNT(keywords); i++)
		if (p->accepts[keywords[i].kind] && is_like(p->next, keywords[i].text))
			return rn_arena_printf(p->arena,
					       "did you mean `%s`? Words of the language are in "
					       "lower case",
					       keywords[i].text);
	return NULL;
}

static const char *word_of_others(const struct place *p)
{
	return is_word(p->next) ? rn_foreign_syntax(p->next->text) : NULL;
}

static const char *word_of_others_before(const struct place *p)
{
	return second_of_all(p) ? rn_foreign_syntax(p->before->text) : NULL;
}

/* of kprobe vfs_read */
static const char *probe_of_others(const struct place *p)
{
	const char *word = p->before->text;

	if (!is_kind(p->second, T(OF)) || !p->next->kind || starts_clause_word(p->next) ||
	    !strcmp(word, "sample") || !strcmp(word, "usdt"))
		return NULL;
	return rn_foreign_probe(word, strlen(word));
}

/* of tga fix283 */
static const char *mistyped_tag(const struct place *p)
{
	static const char *const words[] = {"tag", NULL};
	const char *near =
		is_kind(p->second, T(OF)) && p->next->kind && !starts_clause_word(p->next)
			? rn_nearest(p->before->text, words)
			: NULL;

	return near ? rn_arena_printf(p->arena, "did you mean `%s`?", near) : NULL;
}

static const char *flow_tag(const struct place *p)
{
	if (!is_word(p->before) || !reads(p->before, "flow") || !is_word(p->next) ||
	    !reads(p->next, "tag"))
		return NULL;
	return rn_arena_printf(p->arena, "is `of` missing? flow of tag %s",
			       is_word(&p->next[1]) ? p->next[1].text : "fix283");
}

static const char *nearest_word(const struct place *p)
{
	const char *near = mistyped(p->next, p->accepts);

	return near ? rn_arena_printf(p->arena, "did you mean `%s`?", near) : NULL;
}

/* ---- the table ---- */

enum {
	ANY = 0,   /* also none */
	END = -1,  /* the end of the statement */
	SOME = -2, /* any, but there is one */
};
struct mistake {
	int first;   /* token that the statement begins with, before the one that was refused */
	int before;  /* token before that one */
	int at;      /* that one */
	int accepts; /* token that the grammar would take there */
	bool (*is)(const struct place *p); /* what else must be so; NULL: nothing */
	/* %b, %x, %n: the texts of `before`, of `at`, of the next one. NULL: `say` makes it. */
	const char *hint;
	const char *(*say)(const struct place *p);
	bool open; /* points at the `(` that is open, too */
};
#define VIEW_SHAPE \
	"a view gets its query as in `view slow := count of read where latency > 10ms by file`"
#define RECORDING "the name of a recording is quoted: from \"/tmp/x.rnt\""
#define SHAPE "a query is WHAT of SOURCE and its clauses, as in `count of read by file`"

static const struct mistake mistakes[] = {
	{.before = T(IS), .hint = "`is` stands before `null` alone: latency is null; `=` compares"},
	{.before = T(SIZE),
	 .at = T(SLASH),
	 .hint = "a rate is by the second, and has no blanks: %b/s"},
	{.at = T(BITOR),
	 .hint = "a query holds no pipe: `order by`, `top` and `limit` are clauses, `(QUERY)` is "
		 "a source"},
	{.before = T(LIVE),
	 .hint = "`in live` takes a query of processes: pid in live (pid of exec where proc = "
		 "java)"},
	{.at = T(LIVE), .hint = "`live` follows `in`: pid in live (pid of exec where proc = java)"},
	{.before = T(BITOR),
	 .hint = "`|` joins bits of integers; a query holds no pipe: `order by`, `top` and `limit` "
		 "are clauses, `(QUERY)` is a source"},
	{.at = T(OVER),
	 .is = not_in_parentheses,
	 .hint = "`over` follows `every`: every 1s over 10s counts each second the last ten"},
	{.say = of_others},
	/* statements that are no queries */
	{.first = T(VIEW), .at = T(EQ), .accepts = T(ASSIGN), .hint = VIEW_SHAPE},
	{.first = T(VIEW), .at = T(AS), .accepts = T(ASSIGN), .hint = VIEW_SHAPE},
	{.first = T(EXPLAIN), .accepts = T(OF), .say = explain_statement},
	{.first = T(USE),
	 .at = T(COMMA),
	 .is = next_is_name,
	 .hint = "one module a statement: use %b; use %n"},
	{.first = T(DROP), .say = drop_if_exists},
	{.first = T(DROP),
	 .at = T(ID),
	 .is = alone_behind_drop,
	 .hint = "say what is dropped: drop view %x"},
	/* words of other languages */
	{.before = SOME, .at = T(ID), .say = loose_unit},
	{.before = T(EVERY), .at = T(ID), .say = unit_alone},
	{.before = T(FOR), .at = T(ID), .say = unit_alone},
	{.before = T(LAST), .at = T(ID), .say = unit_alone},
	{.before = T(ID),
	 .at = T(BY),
	 .is = groups_first,
	 .hint = "groups come last: %b(bytes) of read by file"},
	{.before = T(ID),
	 .is = port_of_end,
	 .hint = "the port of an end is port(%b): port(%b) = 80"},
	{.at = T(RPAREN), .say = several_sources},
	{.before = T(ID), .at = T(ID), .say = nearest_statement},
	{.at = T(ID), .say = in_capitals},
	{.before = T(NOT), .is = is_word_like, .hint = "a glob is denied by proc !~ \"java*\""},
	{.say = word_of_others},
	{.before = T(ID),
	 .at = T(ID),
	 .is = of_distinct_in_count,
	 .hint = "how many different ones there are says distinct(%x)"},
	{.before = T(ID), .say = word_of_others_before},
	{.before = T(TAG),
	 .accepts = T(HEX),
	 .is = tag_ends_here,
	 .hint = "write the tag after it: tag fix283"},
	{.before = SOME,
	 .at = T(MINUS),
	 .is = glued_to_tag,
	 .hint = "a tag that holds `-` is quoted: tag \"%b-%n\""},
	{.before = SOME, .accepts = T(HEX), .is = number_for_tag, .hint = "quote it: tag \"%x\""},
	{.before = T(LPAREN),
	 .at = T(STAR),
	 .is = counts_all,
	 .hint = "`count` counts events and takes no `*`: count of read"},
	{.before = T(OF),
	 .at = T(STAR),
	 .hint = "`syscall` holds every system call: count of syscall by name"},
	{.before = SOME,
	 .accepts = T(WHERE),
	 .is = joins_source,
	 .hint = "several classes have commas between them, as in count of read, fsync by name"},
	{.before = SOME,
	 .accepts = T(WHERE),
	 .is = alone_in_list,
	 .hint = "`tag` and `sample` stand alone, in no list: ask for them in a query of their "
		 "own"},
	{.before = SOME,
	 .at = T(SLASH),
	 .is = compared,
	 .hint = "a path is text and must be quoted: file ~ \"/etc/*\""},
	{.before = SOME,
	 .at = T(SLASH),
	 .accepts = T(WHERE),
	 .hint = "conditions come after `where`: count of read where pid = 3"},
	{.before = T(MINUS), .at = T(GT), .is = of_args, .hint = rn_foreign_args},
	{.before = T(ID), .say = probe_of_others},
	{.before = T(ID), .say = mistyped_tag},
	{.before = SOME,
	 .is = sample_without_rate,
	 .hint = "write after it how often a second each CPU is looked at: sample 99hz"},
	/* `of`, values, names in quotes */
	{.before = SOME, .accepts = T(OF), .say = flow_tag},
	{.before = T(OF),
	 .at = T(STRING),
	 .is = text_of_flow,
	 .hint = "a flow is of a tag: flow of tag \"%x\""},
	{.before = SOME,
	 .accepts = T(COMMA),
	 .is = values_in_list,
	 .hint = "commas stand between the values: pid in (1, 2)"},
	{.before = T(IN),
	 .accepts = T(LPAREN),
	 .hint = "write the values in parentheses: pid in (1, 2)"},
	{.before = T(ID),
	 .at = T(ID),
	 .is = tracepoint_by_name,
	 .hint = "quote the name: tracepoint \"sched:sched_switch\""},
	{.before = T(ID),
	 .at = T(ID),
	 .is = function_of_program,
	 .hint = "quote the name: %b \"%x\""},
	{.before = SOME, .at = T(PATH), .hint = "a name that holds `.` is quoted: \"%x\""},
	{.before = T(FROM), .at = T(SLASH), .hint = RECORDING},
	{.before = T(INTO), .at = T(SLASH), .hint = RECORDING},
	{.before = T(FROM),
	 .at = T(ID),
	 .hint = "`from` names a recording in quotes: from \"x.rnt\"; the source comes after "
		 "`of`"},
	{.first = T(TOP),
	 .is = third_of_all,
	 .hint = "`top` is a clause at the end: count of read by file top 5"},
	{.before = SOME,
	 .at = T(ID),
	 .accepts = T(OF),
	 .is = of_follows,
	 .hint = "what a function is about stands in parentheses: %b(%x) of ..."},
	{.before = SOME,
	 .at = T(ID),
	 .accepts = T(OF),
	 .is = two_words,
	 .hint = "is `of` missing? %b of %x"},
	{.before = SOME,
	 .accepts = T(OF),
	 .is = clause_comes,
	 .hint = "`of` and a source come before the clauses: sum(bytes) of read by proc"},
	{.before = T(AND),
	 .is = clause_comes,
	 .hint = "each clause stands once and without `and`: where pid = 3 by proc, file"},
	/* general advice */
	{.first = T(LET),
	 .is = name_of_result,
	 .hint = "a result gets its name as in `let slow := count of read by file for 5s`"},
	{.first = T(DECLARE),
	 .hint = "a parameter is declared as `param NAME = VALUE`, `param NAME TYPE` or `param "
		 "NAME TYPE = VALUE`"},
	{.at = T(ID), .say = nearest_word},
	{.before = T(STRING),
	 .at = T(STRING),
	 .is = string_goes_on,
	 .hint = "a quote inside a string is written \\' or \\\""},
	{.accepts = T(RPAREN), .is = paren_is_open, .hint = "the `(` is not closed", .open = true},
	{.at = T(RPAREN), .is = no_paren_is_open, .hint = "this `)` closes nothing"},
	{.accepts = T(OF), .hint = SHAPE},
	{.is = first_of_all, .hint = SHAPE},
	{.accepts = T(ID),
	 .is = keyword_as_text,
	 .hint = "`%x` is a word of the language; as text it must be quoted"},
};

static bool is_there(int wanted, const struct rn_token *t)
{
	switch (wanted) {
	case ANY: return true;
	case SOME: return t;
	case END: return t && !t->kind;
	default: return t && t->kind == wanted;
	}
}

static const char *with_words(const struct place *p, const char *hint)
{
	const struct rn_token *word;
	struct rn_strbuf out;

	rn_strbuf_init(&out, p->arena);
	for (; *hint; hint++) {
		if (*hint != '%') {
			rn_strbuf_putc(&out, *hint);
			continue;
		}
		hint++;
		word = *hint == 'b' ? p->before : *hint == 'n' ? p->next + 1 : p->next;
		rn_strbuf_put(&out, word ? word->text : "");
	}
	return rn_strbuf_cstr(&out);
}

/* NULL: the row does not fit. */
static const char *hint_of(const struct mistake *m, const struct place *p)
{
	if (!is_there(m->first, p->before ? p->at : NULL) || !is_there(m->before, p->before) ||
	    !is_there(m->at, p->next) || (m->accepts && !p->accepts[m->accepts]) ||
	    (m->is && !m->is(p)))
		return NULL;
	return m->hint ? with_words(p, m->hint) : m->say(p);
}

void rn_mistake_hint(struct rn_builder *builder, struct rn_diag_item *it,
		     const struct rn_token *token, unsigned bad, const bool *accepts)
{
	const struct place p = {.arena = builder->arena,
				.at = token,
				.bad = bad,
				.next = &token[bad],
				.before = bad ? &token[bad - 1] : NULL,
				.second = bad > 1 ? &token[bad - 2] : NULL,
				.accepts = accepts};
	const char *hint;

	for (const struct mistake *m = mistakes; m < mistakes + COUNT(mistakes); m++) {
		hint = hint_of(m, &p);
		if (!hint)
			continue;
		rn_diag_hint(builder->diag, it, "%s", hint);
		if (m->open)
			it->also = open_paren(token, bad)->span;
		return;
	}
}
