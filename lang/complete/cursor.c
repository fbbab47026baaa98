/* cursor.c - finds what can stand at the cursor of a text.
 *
 * It feeds the tokens before the word to the parser, whose tables tell which tokens can follow
 * (rn_grammar_accepts). The tokens around a name decide its kind. Tokens after the cursor count
 * too, so a source that is already there gives its fields. After a mistake in an earlier clause,
 * reading continues at the last clause keyword, as in the parser. */
#include <stdlib.h>
#include <string.h>
#include "lang/syntax/build.h"
#include "lang/complete/complete_impl.h"
#include "lang/syntax/grammar.h"
#include "lang/base/memory.h"
#include "lang/base/str.h"
#include "lang/base/limits.h"
#include "lang/base/vec.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* ---- the statement around the cursor ---- */

/* End of the statement under the cursor: its `;`, or the end of the text. */
static size_t statement_end(const char *text, size_t from, size_t len)
{
	char quote = 0;

	for (size_t i = from; i < len; i++) {
		if (text[i] == '\n')
			quote = 0;
		else if (quote && text[i] == '\\' && i + 1 < len)
			i++;
		else if (quote ? text[i] == quote : text[i] == '"' || text[i] == '\'')
			quote = (char)(quote ? 0 : text[i]);
		else if (!quote && text[i] == ';')
			return i;
		else if (!quote && text[i] == '-' && i + 1 < len && text[i + 1] == '-')
			for (; i + 1 < len && text[i + 1] != '\n'; i++)
				;
	}
	return len;
}

/* End of the text that typing at the cursor would continue: the rest of the word, or of the string
 * with its quote. */
static size_t word_end(const char *text, size_t cursor, size_t len, char quote)
{
	size_t i = cursor;

	while (i < len && (quote ? text[i] != quote && text[i] != '\n' : is_word(text[i])))
		i++;
	return quote && i < len && text[i] == quote ? i + 1 : i;
}

static bool begins_statement(int kind)
{
	return kind == RN_TOK_USE || kind == RN_TOK_DROP || kind == RN_TOK_EXPLAIN ||
	       kind == RN_TOK_TAGS || kind == RN_TOK_LET || kind == RN_TOK_ASSERT ||
	       kind == RN_TOK_DECLARE;
}

static void read_tokens(struct rn_completer *completer, size_t cursor)
{
	struct rn_diag *diag = rn_diag_new(completer->arena);
	size_t len = strlen(completer->text), cap = 64;
	struct rn_lexer lexer;

	rn_lexer_init(&lexer, completer->arena, diag,
		      rn_diag_source(diag, "", completer->text, len));
	completer->tokens = RN_NEWN(completer->arena, struct rn_token, cap);
	for (;;) {
		struct rn_token t = rn_lexer_next(&lexer);

		rn_vec_room_for_in(completer->arena, completer->tokens, completer->n, cap, 2);
		if (t.kind && t.span.start < cursor)
			completer->at = completer->n + 1;
		completer->tokens[completer->n++] = t;
		if (!t.kind || rn_arena_full(completer->arena))
			break;
	}
	for (unsigned i = 0; i + 1 < completer->n; i++) {
		struct rn_token *t = &completer->tokens[i];
		bool first = i == 0, opens = first ||
					     completer->tokens[i - 1].kind == RN_TOK_LPAREN ||
					     completer->tokens[i - 1].kind == RN_TOK_EXPLAIN ||
					     completer->tokens[i - 1].kind == RN_TOK_ASSIGN;
		bool what = t->kind == RN_TOK_EVENTS || t->kind == RN_TOK_FLOW ||
			    t->kind == RN_TOK_SPANS;

		if (i + 1 != completer->at) /* the token that follows is there */
			t->kind = rn_token_demote(t, completer->tokens[i + 1].kind, first);
		else if ((what && !opens) || (begins_statement(t->kind) && !first))
			t->kind = RN_TOK_ID;
	}
}

/* ---- what the grammar accepts ---- */

static bool starts_clause(const struct rn_token *token)
{
	switch (token->kind) {
	case RN_TOK_WHERE:
	case RN_TOK_BY:
	case RN_TOK_HAVING:
	case RN_TOK_THROUGH:
	case RN_TOK_STARTING:
	case RN_TOK_ENDING:
	case RN_TOK_ORDER:
	case RN_TOK_TOP:
	case RN_TOK_LIMIT:
	case RN_TOK_EVERY:
	case RN_TOK_FOR:
	case RN_TOK_LAST:
	case RN_TOK_SAMPLE:
	case RN_TOK_SCAN:
	case RN_TOK_ON:
	case RN_TOK_FROM:
	case RN_TOK_INTO: return true;
	default: return false;
	}
}

/* Feeds head and the tokens [from, at) and fills accepts; false: the parser refused a token. */
static bool ask(struct rn_completer *completer, bool head, unsigned from)
{
	struct rn_token token[] = {{.kind = RN_TOK_ID, .text = "x", .len = 1},
				   {.kind = RN_TOK_OF, .text = "of"},
				   {.kind = RN_TOK_ID, .text = "x", .len = 1}};
	struct rn_builder builder = {
		.arena = completer->arena, .diag = rn_diag_new(completer->arena), .quiet = true};
	void *parser = rn_grammar_Alloc(rn_malloc);
	bool fine;

	for (unsigned i = 0; head && i < 3; i++)
		rn_grammar_(parser, token[i].kind, token[i], &builder);
	for (unsigned i = from; i < completer->at && !builder.failed && !builder.stop &&
				!rn_arena_full(completer->arena);
	     i++) {
		builder.fed = completer->tokens[i].span;
		rn_grammar_(parser, completer->tokens[i].kind, completer->tokens[i], &builder);
	}
	fine = !builder.failed && !builder.stop && !rn_arena_full(completer->arena);
	for (int kind = 1;
	     fine && kind < rn_grammar_tokens() && kind < (int)sizeof(completer->accepts); kind++)
		completer->accepts[kind] = kind != RN_TOK_SEMI && rn_grammar_accepts(parser, kind);
	rn_grammar_Free(parser, free);
	return fine;
}

static bool ask_grammar(struct rn_completer *k)
{
	int open = 0;

	if (k->n > 4 * RN_MAX_LIST) /* too long: the user would have to wait */
		return false;
	for (unsigned i = 0; i < k->at; i++)
		open += k->tokens[i].kind == RN_TOK_LPAREN;
	if (open > RN_MAX_DEPTH)
		return false;
	if (ask(k, false, 0))
		return true;
	for (unsigned i = k->at; i-- > 0;)
		if (starts_clause(&k->tokens[i]) && rn_complete_open(k, i) < 0)
			return ask(k, true, i);
	return false;
}

int rn_complete_open(const struct rn_completer *completer, unsigned i)
{
	int depth = 0;

	while (i-- > 0) {
		if (completer->tokens[i].kind == RN_TOK_RPAREN)
			depth++;
		else if (completer->tokens[i].kind == RN_TOK_LPAREN && depth-- == 0)
			return (int)i;
	}
	return -1;
}

bool rn_complete_query(const struct rn_completer *completer, unsigned i, int *begin, unsigned *end,
		       unsigned *of)
{
	unsigned right = i;
	int left = (int)i;

	for (;;) {
		int depth = 0;

		left = rn_complete_open(completer, (unsigned)left);
		for (; right < completer->n && completer->tokens[right].kind; right++) {
			depth += (completer->tokens[right].kind == RN_TOK_LPAREN) -
				 (completer->tokens[right].kind == RN_TOK_RPAREN);
			if (depth < 0)
				break;
		}
		depth = 0;
		for (unsigned j = (unsigned)(left + 1); j < right; j++) {
			depth += (completer->tokens[j].kind == RN_TOK_LPAREN) -
				 (completer->tokens[j].kind == RN_TOK_RPAREN);
			if (depth == 0 && completer->tokens[j].kind == RN_TOK_OF) {
				*begin = left;
				*end = right;
				*of = j;
				return true;
			}
		}
		if (left < 0)
			return false;
		if (right < completer->n && completer->tokens[right].kind)
			right++;
	}
}

/* ---- which kind of word ---- */

static int kind_before(const struct rn_completer *k, unsigned back)
{
	return k->at >= back ? k->tokens[k->at - back].kind : 0;
}

static const char *text_before(const struct rn_completer *k, unsigned back)
{
	return k->at >= back ? k->tokens[k->at - back].text : "";
}

/* The keyword that begins the list of names at the cursor: `on a, b, `; 0: no such list. */
static int list_begun_by(const struct rn_completer *k, unsigned at)
{
	int depth = 0; /* of the values of a view: late(5ms), */

	for (unsigned i = at; i-- > 0;) {
		depth +=
			(k->tokens[i].kind == RN_TOK_RPAREN) - (k->tokens[i].kind == RN_TOK_LPAREN);
		if (depth > 0 || (!depth && k->tokens[i].kind == RN_TOK_LPAREN))
			continue;
		switch (k->tokens[i].kind) {
		case RN_TOK_ID:
		case RN_TOK_COMMA:
		case RN_TOK_STRING:
		case RN_TOK_INT:
		case RN_TOK_HEX:
		case RN_TOK_PARAM: break;
		default: return k->tokens[i].kind;
		}
	}
	return 0;
}

/* The field that a value at the cursor is compared with: `proc = `, `proc in (a, `; NULL: none. */
static const char *compared(const struct rn_completer *completer)
{
	unsigned i = completer->at;

	switch (kind_before(completer, 1)) {
	case RN_TOK_EQ:
	case RN_TOK_NE:
	case RN_TOK_GLOB:
	case RN_TOK_NGLOB:
	case RN_TOK_LT:
	case RN_TOK_LE:
	case RN_TOK_GT:
	case RN_TOK_GE:
		return kind_before(completer, 2) == RN_TOK_ID ? text_before(completer, 2) : NULL;
	case RN_TOK_LPAREN:
	case RN_TOK_COMMA: break;
	default: return NULL;
	}
	while (i > 0 && (completer->tokens[i - 1].kind == RN_TOK_ID ||
			 completer->tokens[i - 1].kind == RN_TOK_COMMA ||
			 completer->tokens[i - 1].kind == RN_TOK_STRING ||
			 completer->tokens[i - 1].kind == RN_TOK_INT))
		i--;
	if (i < 3 || completer->tokens[i - 1].kind != RN_TOK_LPAREN ||
	    completer->tokens[i - 2].kind != RN_TOK_IN)
		return NULL;
	i -= completer->tokens[i - 3].kind == RN_TOK_NOT;
	return i >= 3 && completer->tokens[i - 3].kind == RN_TOK_ID ? completer->tokens[i - 3].text
								    : NULL;
}

/* Can an aggregate stand at the cursor? Not in `where` and `by`, nor inside another aggregate. */
static bool may_aggregate(const struct rn_completer *completer, bool *outputs)
{
	unsigned i = completer->at, depth = 0;

	*outputs = false;
	while (i-- > 0) {
		const struct rn_token *token = &completer->tokens[i];

		if (token->kind == RN_TOK_RPAREN) {
			depth++;
		} else if (token->kind == RN_TOK_LPAREN && depth) {
			depth--;
		} else if (token->kind == RN_TOK_LPAREN) {
			if (i &&
			    completer->tokens[i - 1].kind == RN_TOK_OF) /* a nested query begins */
				return true;
			if (i && completer->tokens[i - 1].kind == RN_TOK_IN)
				return false;
			for (const struct rn_agg_sig *const *g = completer->names->catalog->aggs;
			     i && *g; g++)
				if (completer->tokens[i - 1].kind == RN_TOK_ID &&
				    (!strcmp((*g)->name, completer->tokens[i - 1].text) ||
				     rn_quantile_of(completer->tokens[i - 1].text, NULL)))
					return false;
		} else if (!depth && token->kind == RN_TOK_BY) {
			*outputs = i && (completer->tokens[i - 1].kind == RN_TOK_ORDER ||
					 (i > 1 && completer->tokens[i - 2].kind == RN_TOK_TOP));
			return *outputs;
		} else if (!depth && token->kind == RN_TOK_HAVING) {
			*outputs = true;
			return true;
		} else if (!depth && (token->kind == RN_TOK_WHERE ||
				      token->kind == RN_TOK_THROUGH || token->kind == RN_TOK_OF)) {
			return false;
		}
	}
	return true;
}

/* Is the cursor in a list of classes: `of read, tracepoint "a:*", |`? */
static bool in_class_list(const struct rn_completer *k)
{
	return list_begun_by(k, k->at) == RN_TOK_OF;
}

/* The class that a further string in the list belongs to. */
static const char *class_before(const struct rn_completer *k)
{
	unsigned i = k->at;

	while (i > 0 && k->tokens[i - 1].kind != RN_TOK_ID)
		i--;
	return i ? k->tokens[i - 1].text : "";
}

/* Is the cursor after the first word of a source: `of tracepoint |`? */
static bool behind_source(const struct rn_completer *k)
{
	int kind = kind_before(k, 1), before = kind_before(k, 2);

	if (kind == RN_TOK_ID && before == RN_TOK_COMMA && in_class_list(k))
		return true;
	return (kind == RN_TOK_ID || kind == RN_TOK_SAMPLE) &&
	       (before == RN_TOK_OF || before == RN_TOK_BETWEEN || before == RN_TOK_AND);
}

/* Decides which kind of string it is. */
static void in_string(struct rn_completer *k)
{
	const char *field = compared(k);
	int list = list_begun_by(k, k->at), before = kind_before(k, 1);

	if (before == RN_TOK_FROM || before == RN_TOK_INTO || before == RN_TOK_TO)
		k->wants |= RN_WANT_FILE;
	else if (field)
		rn_complete_values(k, field);
	else if (behind_source(k))
		rn_complete_args(k, text_before(k, 1));
	else if (before == RN_TOK_COMMA && in_class_list(k))
		rn_complete_args(k, class_before(k));
	else if (list == RN_TOK_ON || list == RN_TOK_EXCEPT)
		k->wants |= RN_WANT_NODE;
	else if (list == RN_TOK_TAG || list == RN_TOK_TAGS)
		k->wants |= RN_WANT_TAG;
}

static void number_note(struct rn_completer *k)
{
	int before = kind_before(k, 1);

	if (!k->accepts[RN_TOK_INT] || k->accepts[RN_TOK_STRING])
		return;
	k->note = before == RN_TOK_EVERY || before == RN_TOK_FOR || before == RN_TOK_LAST
			  ? "a duration, as 500ms, 10s, 5m"
		  : before == RN_TOK_SAMPLE ? "a percentage, as 10%"
		  : before == RN_TOK_SCAN   ? "a size, as 64KiB"
					    : "a number";
}

/* True if it is a value of a field, or an argument of a view, and can be nothing else. */
static bool in_expression(struct rn_completer *k)
{
	const char *field = compared(k);
	struct rn_call call;
	bool outputs, aggs = may_aggregate(k, &outputs), called = rn_complete_call(k, &call);
	int kind = called && call.param ? call.param->kind : RN_PARAM_ANY;

	/* `file = ` may name the parameter, too */
	if (field && kind != RN_PARAM_SOURCE && kind != RN_PARAM_FIELD) {
		rn_complete_values(k, field);
		rn_complete_unit(k, field);
		if (k->nc || k->wants || k->note)
			return true;
	}
	if (called)
		rn_complete_argument(k, &call);
	else
		rn_complete_expression(k, aggs, outputs);
	return called;
}

/* Does a new name follow this token? */
static bool names_something(int before)
{
	return before == RN_TOK_VIEW || before == RN_TOK_AS || before == RN_TOK_LET ||
	       before == RN_TOK_DECLARE;
}

static void in_code(struct rn_completer *completer)
{
	int before = kind_before(completer, 1), list = list_begun_by(completer, completer->at);
	bool id = completer->accepts[RN_TOK_ID];

	number_note(completer);
	if (!before && completer->nword) { /* a view or a result alone is a statement */
		rn_complete_views(completer);
		rn_complete_results(completer);
	}
	if (before == RN_TOK_USE) {
		completer->wants |= RN_WANT_MODULE;
	} else if (list == RN_TOK_VIEW && completer->tokens[0].kind == RN_TOK_DROP &&
		   (before == RN_TOK_VIEW || before == RN_TOK_COMMA)) {
		rn_complete_views(completer);
	} else if (names_something(before)) {
		completer->note = before == RN_TOK_AS     ? "a name for the column"
				  : before == RN_TOK_VIEW ? "a name for the view"
				  : before == RN_TOK_LET  ? "a name for the result"
							  : "a name for the parameter";
		return;
	} else if (before == RN_TOK_FORMAT) {
		for (const char *const *f = completer->names->formats; f && *f; f++)
			rn_complete_add(completer, RN_CAND_VALUE, *f);
	} else if (before == RN_TOK_TAGS) {
		rn_complete_add(completer, RN_CAND_KEYWORD, "add");
		rn_complete_add(completer, RN_CAND_KEYWORD, "drop");
		rn_complete_add(completer, RN_CAND_KEYWORD, "list");
	} else if (before == RN_TOK_OF && kind_before(completer, 2) == RN_TOK_FLOW) {
		rn_complete_add(completer, RN_CAND_KEYWORD, "tag"); /* a flow is of tags only */
		return;
	} else if (behind_source(completer) &&
		   rn_complete_which(completer, text_before(completer, 1))) {
		return;
	} else if (id && before == RN_TOK_COMMA && in_class_list(completer)) {
		rn_complete_sources(completer, RN_SOURCE_LISTED);
		return;
	} else if (id && completer->accepts[RN_TOK_TAG]) {
		rn_complete_sources(completer, RN_SOURCE_ALONE);
	} else if (id && (list == RN_TOK_TAG || list == RN_TOK_TAGS)) {
		completer->wants |= RN_WANT_TAG;
		completer->note =
			"a tag: a word, a number, a quoted string, x\"bytes in hexadecimal\"";
	} else if (id && completer->accepts[RN_TOK_STRING] && completer->accepts[RN_TOK_LPAREN]) {
		if (in_expression(completer))
			return;
	} else if (id && (list == RN_TOK_ON || list == RN_TOK_EXCEPT)) {
		if (completer->accepts[RN_TOK_STRING])
			completer->wants |= RN_WANT_NODE;
		else
			rn_complete_expression(completer, false,
					       false); /* between A and B on KEYS */
	} else if (completer->accepts[RN_TOK_STRING] &&
		   (before == RN_TOK_FROM || before == RN_TOK_INTO)) {
		completer->note = "a quoted file, as \"x.rnt\"";
	}
	rn_complete_keywords(completer);
}

/* ---- all of it ---- */

static int by_text(const void *x, const void *y)
{
	return strcmp(((const struct rn_candidate *)x)->text,
		      ((const struct rn_candidate *)y)->text);
}

static void sort_candidates(struct rn_completer *k)
{
	unsigned n = 0;

	if (k->nc)
		qsort(k->candidates, k->nc, sizeof(*k->candidates), by_text);
	for (unsigned i = 0; i < k->nc; i++)
		if (!n || strcmp(k->candidates[n - 1].text, k->candidates[i].text))
			k->candidates[n++] = k->candidates[i];
	k->nc = n;
}

struct rn_completion rn_complete_at(struct rn_arena *arena, const char *text, size_t len,
				    size_t cursor, const struct rn_names *names)
{
	struct rn_typed typed = rn_parse_typed(text, cursor);
	size_t begin = typed.whole, start = typed.quoted ? typed.quote + 1 : cursor;
	struct rn_completer k = {.arena = arena, .names = names, .quoted = typed.quoted};
	struct rn_completion out = {.start = start};
	struct rn_strbuf rest;
	bool param, hex;
	size_t end, before;

	while (!typed.quoted && start > begin && is_word(text[start - 1]))
		start--;
	param = !typed.quoted && start > begin && text[start - 1] == '$';
	start -= param;
	out.start = start;
	out.quote = (char)(typed.quoted ? text[typed.quote] : 0);
	k.word = rn_arena_strndup(arena, text + start, cursor - start);
	k.nword = cursor - start;
	hex = typed.quoted && typed.quote > begin &&
	      (text[typed.quote - 1] == 'x' || text[typed.quote - 1] == 'X');
	if (typed.comment || typed.command != cursor || hex ||
	    (k.word[0] >= '0' && k.word[0] <= '9' && !typed.quoted))
		return out;
	end = word_end(text, cursor, len, out.quote);
	before = (typed.quoted ? typed.quote : start) - begin;
	rn_strbuf_init(&rest, arena);
	rn_strbuf_putn(&rest, text + begin, before);
	rn_strbuf_putc(&rest, ' ');
	rn_strbuf_putn(&rest, text + end, statement_end(text, end, len) - end);
	k.text = rn_strbuf_cstr(&rest);
	read_tokens(&k, before);
	if (!ask_grammar(&k))
		return out;
	if (typed.quoted)
		in_string(&k);
	else if (param)
		rn_complete_params(&k);
	else
		in_code(&k);
	sort_candidates(&k);
	out.candidates = k.candidates;
	out.n = k.nc;
	out.wants = k.wants;
	out.functions_of = k.functions_of;
	out.note = k.note;
	return out;
}
