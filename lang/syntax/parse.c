/* parse.c - text to statements: splits the tokens at `;`, feeds each statement to the grammar, and
 * goes on after errors. If the text turns out to be one of another language, one error says so.
 *
 * Every statement has a parser of its own. After a syntax error the rest of the statement is still
 * checked. Checking resumes at the next clause keyword outside parentheses, after a made-up `x of
 * x`. One run thus shows the errors of several clauses. */
#include "lang/base/memory.h"
#include "lang/syntax/parse.h"
#include "lang/foreign/program.h"
#include "lang/base/limits.h"
#include <stdlib.h>
#include <string.h>
#include "lang/syntax/build.h"
#include "lang/syntax/mistakes.h"
#include "lang/syntax/print.h"
#include "lang/syntax/syntax_error.h"
#include "lang/syntax/grammar.h"
#include "lang/base/vec.h"

struct tokens { /* tokens of one statement; the array grows, so it is on the heap; it is reused */
	struct rn_token *list;
	unsigned n, cap;
	bool ended_by_semi, too_deep;
};

int rn_token_demote(const struct rn_token *token, int next, bool first)
{
	switch (token->kind) {
	case RN_TOK_TOP: /* top(x, 5), last(x): aggregates */
	case RN_TOK_LAST:
	case RN_TOK_LIMIT:
	case RN_TOK_EVERY:
	case RN_TOK_FOR:
	case RN_TOK_SAMPLE:
	case RN_TOK_SCAN: return next == RN_TOK_LPAREN ? RN_TOK_ID : token->kind;
	case RN_TOK_EVENTS:
	case RN_TOK_FLOW:
	case RN_TOK_SPANS: return next == RN_TOK_OF ? token->kind : RN_TOK_ID;
	case RN_TOK_TAGS: /* `tags of tag x` is a query */
		return first && (next == RN_TOK_ID || next == RN_TOK_DROP) ? token->kind
									   : RN_TOK_ID;
	case RN_TOK_DECLARE:
	case RN_TOK_LET:
	case RN_TOK_ASSERT:
		if (next == RN_TOK_AS || next == RN_TOK_EQ)
			return RN_TOK_ID;
		/* fallthrough */
	case RN_TOK_USE:
	case RN_TOK_EXPLAIN:
	case RN_TOK_DROP:
		return first && next != RN_TOK_OF && next != RN_TOK_COMMA ? token->kind : RN_TOK_ID;
	default: return token->kind;
	}
}

static void push(struct tokens *ts, struct rn_token t)
{
	rn_vec_room(ts->list, ts->n, ts->cap);
	ts->list[ts->n++] = t;
}

/* Reads the tokens of one statement. The last one is the `;` or the end, as kind 0. */
static void read_statement(struct rn_lexer *lexer, struct tokens *ts)
{
	unsigned depth = 0;

	ts->n = 0;
	ts->ended_by_semi = ts->too_deep = false;
	for (;;) {
		struct rn_token token = rn_lexer_next(lexer);

		if (token.kind == RN_TOK_SEMI) {
			ts->ended_by_semi = true;
			token.kind = 0;
		}
		if (!ts->too_deep || !token.kind)
			push(ts, token);
		if (!token.kind || rn_arena_full(lexer->arena))
			break;
		if (token.kind == RN_TOK_LPAREN && ++depth > RN_MAX_DEPTH && !ts->too_deep) {
			struct rn_builder builder = {.arena = lexer->arena, .diag = lexer->diag};

			rn_build_too_deep(&builder, token.span);
			ts->too_deep = true;
		}
		if (token.kind == RN_TOK_RPAREN && depth)
			depth--;
	}
	for (unsigned i = 0; i + 1 < ts->n; i++)
		ts->list[i].kind = rn_token_demote(&ts->list[i], ts->list[i + 1].kind, i == 0);
}

/* Feeds [from, to) to a parser. Returns the index of the refused token, or `to`. */
static unsigned feed(void *parser, struct rn_builder *b, const struct rn_token *t, unsigned from,
		     unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		b->fed = t[i].span;
		rn_grammar_(parser, t[i].kind, t[i], b);
		if (b->failed || b->stop || rn_arena_full(b->arena))
			return i;
	}
	return to;
}

/* Reads a second time up to the bad token. The parser's tables for that state tell what was
 * expected. */
static void report(struct rn_builder *b, const struct rn_token *head, unsigned nhead,
		   const struct tokens *ts, unsigned from, unsigned bad)
{
	struct rn_builder quiet = {.arena = b->arena, .diag = b->diag, .quiet = true};
	void *parser = rn_grammar_Alloc(rn_malloc);

	feed(parser, &quiet, head, 0, nhead);
	feed(parser, &quiet, ts->list, from, bad);
	rn_expect_report(b, parser, ts->list, bad, ts->ended_by_semi);
	rn_grammar_Free(parser, free);
}

/* True if the refused word runs, without a blank, into a dot that the lexer has reported: from
 * find.rnt. One error is enough. */
static bool lexer_said(struct rn_diag *d, const struct tokens *ts, unsigned at)
{
	size_t len;
	const char *text;

	if (ts->list[at].after_error)
		return true;
	while (at + 1 < ts->n && !ts->list[at + 1].after_error &&
	       ts->list[at + 1].span.start == ts->list[at].span.end)
		at++;
	text = rn_diag_text(d, ts->list[at].span.src, &len);
	return at + 1 < ts->n && ts->list[at + 1].after_error && ts->list[at].span.end < len &&
	       text[ts->list[at].span.end] == '.';
}

static bool starts_clause(const struct rn_token *t)
{
	static const int kinds[] = {RN_TOK_WHERE, RN_TOK_BY,   RN_TOK_HAVING, RN_TOK_LIMIT,
				    RN_TOK_EVERY, RN_TOK_FOR,  RN_TOK_LAST,   RN_TOK_SAMPLE,
				    RN_TOK_SCAN,  RN_TOK_FROM, RN_TOK_INTO,   RN_TOK_ON};

	if (t->kind == RN_TOK_ORDER)
		return t[1].kind == RN_TOK_BY;
	if (t->kind == RN_TOK_TOP)
		return t[1].kind == RN_TOK_INT;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (t->kind == kinds[i])
			return true;
	return false;
}

/* The next place after `bad` where a clause starts outside all parentheses; ts->n if there is
 * none. */
static unsigned next_clause(const struct tokens *ts, unsigned from, unsigned bad)
{
	int depth = 0;

	for (unsigned i = from; i < ts->n && ts->list[i].kind; i++) {
		if (i > bad && depth <= 0 && starts_clause(&ts->list[i]))
			return i;
		depth += (ts->list[i].kind == RN_TOK_LPAREN) - (ts->list[i].kind == RN_TOK_RPAREN);
		if (depth < 0)
			depth = 0;
	}
	return ts->n;
}

/* A clause that comes before `of` ends there: the place of `of`, or bad itself. */
static unsigned skip_to_source(const struct tokens *ts, unsigned bad)
{
	for (unsigned i = bad; starts_clause(&ts->list[bad]) && ts->list[i].kind; i++)
		if (ts->list[i].kind == RN_TOK_OF)
			return i;
	return bad;
}

static struct rn_ast_stmt *parse_statement(struct rn_arena *arena, struct rn_diag *diag,
					   const struct tokens *ts)
{
	struct rn_token head[] = {{.kind = RN_TOK_ID, .text = "x", .len = 1},
				  {.kind = RN_TOK_OF, .text = "of"},
				  {.kind = RN_TOK_ID, .text = "x", .len = 1}};
	struct rn_ast_stmt *result = NULL;
	unsigned from = 0, nhead = 0, at;

	for (;;) {
		struct rn_builder builder = {.arena = arena, .diag = diag};
		void *parser = rn_grammar_Alloc(rn_malloc);

		feed(parser, &builder, head, 0, nhead);
		at = feed(parser, &builder, ts->list, from, ts->n);
		rn_grammar_Free(parser, free);
		if (at == ts->n) {
			if (from == 0)
				result = builder.stmt;
			return result;
		}
		if (!builder.failed || builder.stop || rn_arena_full(arena))
			return NULL;
		if (!lexer_said(diag, ts, at)) {
			report(&builder, head, nhead, ts, from, at);
			/* the rest is of that language too */
			if (!from && rn_mistake_foreign(arena, ts->list, at))
				return NULL;
		}
		from = next_clause(ts, from, from ? at : skip_to_source(ts, at));
		/* errors beyond this are not shown */
		if (from >= ts->n || rn_diag_errors(diag) > RN_DIAG_MAX)
			return NULL;
		nhead = 3;
		for (unsigned i = 0; i < nhead; i++)
			head[i].span = ts->list[from].span;
	}
}

static struct rn_ast_file *parse(struct rn_arena *arena, struct rn_diag *diag, uint16_t src)
{
	struct rn_ast_file *file = RN_NEW(arena, struct rn_ast_file);
	struct rn_ast_stmt **tail = &file->stmts;
	struct rn_lexer lexer;
	struct tokens ts = {0};
	unsigned stmts = 0;
	size_t len;

	rn_diag_text(diag, src, &len);
	if (len > RN_MAX_TEXT) {
		rn_diag_add(diag, RN_ERROR, "E-LIMIT-TEXT", (struct rn_span){0, 0, src},
			    "the text is longer than %d bytes, the most that one may have",
			    RN_MAX_TEXT);
		return file;
	}
	rn_lexer_init(&lexer, arena, diag, src);
	do {
		struct rn_ast_stmt *stmt;

		read_statement(&lexer, &ts);
		if (ts.n == 1 && !rn_arena_full(arena))
			continue; /* an empty statement */
		if (++stmts > RN_MAX_STMTS) {
			rn_diag_add(diag, RN_ERROR, "E-LIMIT-STMTS", ts.list[0].span,
				    "more than %d statements", RN_MAX_STMTS);
			break;
		}
		stmt = ts.too_deep || rn_arena_full(arena) ? NULL
							   : parse_statement(arena, diag, &ts);
		if (rn_arena_full(arena)) {
			rn_diag_add(diag, RN_ERROR, "E-LIMIT-MEMORY", ts.list[0].span,
				    "the statements up to this one need too much memory");
			break;
		}
		if (stmt) {
			*tail = stmt;
			tail = &stmt->next;
		}
	} while (ts.ended_by_semi);
	free(ts.list);
	return file;
}

static const char *canonical(struct rn_arena *arena, const char *text)
{
	struct rn_diag *diag = rn_diag_new(arena);
	struct rn_ast_file *file =
		parse(arena, diag, rn_diag_source(diag, "offer", text, strlen(text)));

	if (rn_diag_errors(diag) || rn_arena_full(arena) || !file->stmts || file->stmts->next)
		return NULL;
	return rn_print_stmt(arena, file->stmts);
}

struct rn_ast_file *rn_parse(struct rn_arena *arena, struct rn_diag *diag, uint16_t src)
{
	struct rn_diag_mark mark = rn_diag_mark(diag);
	unsigned errors = rn_diag_errors(diag);
	struct rn_ast_file *file = parse(arena, diag, src);
	struct rn_foreign_answer answer;
	size_t len;
	const char *text = rn_diag_text(diag, src, &len);
	struct rn_diag_item *it;

	if (rn_diag_errors(diag) == errors || len > RN_MAX_TEXT || rn_arena_full(arena) ||
	    !rn_foreign_program(arena, text, len, canonical, &answer))
		return file;
	rn_diag_back(diag, mark);
	answer.span.src = src;
	it = rn_diag_add(diag, RN_ERROR, "E-SYNTAX", answer.span, "%s", answer.text);
	rn_diag_hint(diag, it, "%s", answer.hint);
	return RN_NEW(arena, struct rn_ast_file);
}
