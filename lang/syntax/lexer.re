/* lexer.re - text to tokens (re2c). The text ends in a NUL that is not part of it; an earlier NUL
 * is an error.
 *
 * Keywords here can still become names: see `rn_token_demote` in parse.c and %fallback in
 * grammar.y. */
#include <string.h>
#include "lang/syntax/grammar.h"
#include "lang/syntax/token.h"

static bool may_be_in_tags(int kind)
{
	return kind == RN_TOK_ID || kind == RN_TOK_INT || kind == RN_TOK_HEX ||
	       kind == RN_TOK_STRING || kind == RN_TOK_PARAM || kind == RN_TOK_COMMA;
}

static struct rn_token token(struct rn_lexer *l, int kind, const char *start, const char *end)
{
	struct rn_token t = {.kind = kind};

	t.span = (struct rn_span){(uint32_t)(start - l->text), (uint32_t)(end - l->text), l->src};
	t.text = rn_arena_strndup(l->arena, start, (size_t)(end - start));
	t.len = (uint32_t)(end - start);
	t.doc = l->doc;
	l->doc = NULL;
	t.after_error = l->skipped;
	l->skipped = false;
	l->in_tags = kind == RN_TOK_TAG || kind == RN_TOK_TAGS ||
		     (l->in_tags && may_be_in_tags(kind));
	l->at = end;
	return t;
}

/* Reports a spelling of other languages, and returns the token that it means. */
static struct rn_token foreign(struct rn_lexer *l, int kind, const char *start, const char *end,
			       const char *ours)
{
	rn_lex_error(l, "E-LEX-CHAR", start, end, "`%.*s` is written `%s` here",
		     (int)(end - start), start, ours);
	return token(l, kind, start, end);
}

#define KEYWORD(k) return token(l, RN_TOK_##k, start, p)
#define OPERATOR(k) return token(l, RN_TOK_##k, start, p)

struct rn_token rn_lexer_next(struct rn_lexer *l)
{
	const char *p = l->at, *marker, *start;
	struct rn_token t;

	for (;;) {
		start = p;
		/*!re2c
		re2c:define:YYCTYPE = "unsigned char";
		re2c:define:YYCURSOR = p;
		re2c:define:YYMARKER = marker;
		re2c:yyfill:enable = 0;

		word = [A-Za-z_][A-Za-z0-9_]*;
		digits = [0-9]+;
		decimal = digits ("." digits)?;

		[\x00] {
			if (start >= l->end)
				return token(l, 0, l->end, l->end);
			rn_lex_error(l, "E-LEX-NUL", start, p, "a NUL byte in the text");
			l->skipped = true;
			continue;
		}
		[ \t\r\n\f\v]+ { continue; }
		"--|" [^\n\x00]* { rn_lex_doc(l, start + 3, p); continue; }
		"--" [^\n\x00]* { continue; }

		"of" { KEYWORD(OF); }
		"where" { KEYWORD(WHERE); }
		"by" { KEYWORD(BY); }
		"having" { KEYWORD(HAVING); }
		"through" { KEYWORD(THROUGH); }
		"starting" { KEYWORD(STARTING); }
		"ending" { KEYWORD(ENDING); }
		"order" { KEYWORD(ORDER); }
		"top" { KEYWORD(TOP); }
		"limit" { KEYWORD(LIMIT); }
		"every" { KEYWORD(EVERY); }
		"over" { KEYWORD(OVER); }
		"for" { KEYWORD(FOR); }
		"last" { KEYWORD(LAST); }
		"sample" { KEYWORD(SAMPLE); }
		"on" { KEYWORD(ON); }
		"from" { KEYWORD(FROM); }
		"into" { KEYWORD(INTO); }
		"as" { KEYWORD(AS); }
		"and" { KEYWORD(AND); }
		"or" { KEYWORD(OR); }
		"not" { KEYWORD(NOT); }
		"in" { KEYWORD(IN); }
		"between" { KEYWORD(BETWEEN); }
		"live" { KEYWORD(LIVE); }
		"is" { KEYWORD(IS); }
		"null" { KEYWORD(NULLWORD); }
		"asc" { KEYWORD(ASC); }
		"desc" { KEYWORD(DESC); }
		"true" { KEYWORD(TRUE); }
		"false" { KEYWORD(FALSE); }
		"events" { KEYWORD(EVENTS); }
		"flow" { KEYWORD(FLOW); }
		"spans" { KEYWORD(SPANS); }
		"view" { KEYWORD(VIEW); }
		"use" { KEYWORD(USE); }
		"drop" { KEYWORD(DROP); }
		"explain" { KEYWORD(EXPLAIN); }
		"tag" { KEYWORD(TAG); }
		"tags" { KEYWORD(TAGS); }
		"scan" { KEYWORD(SCAN); }
		"except" { KEYWORD(EXCEPT); }
		"param" { KEYWORD(DECLARE); }
		"let" { KEYWORD(LET); }
		"assert" { KEYWORD(ASSERT); }
		"else" { KEYWORD(ELSE); }
		"format" { KEYWORD(FORMAT); }
		"to" { KEYWORD(TO); }
		"replace" { KEYWORD(REPLACE); }
		"append" { KEYWORD(APPEND); }

		word {
			rn_lex_length(l, start, p, (size_t)(p - start));
			return token(l, RN_TOK_ID, start, p);
		}
		word ("." word | "[" digits "]")+ {
			if (l->in_tags)
				p = start + strcspn(start, ".[");
			rn_lex_length(l, start, p, (size_t)(p - start));
			return token(l, l->in_tags ? RN_TOK_ID : RN_TOK_PATH, start, p);
		}
		("." word | "[" digits "]")+ {
			if (start == l->text || start[-1] != ')') {
				p = rn_lex_bad_char(l, start);
				continue;
			}
			rn_lex_length(l, start, p, (size_t)(p - start));
			return token(l, RN_TOK_STEPS, start, p);
		}
		"$" word {
			t = token(l, RN_TOK_PARAM, start, p);
			t.text++;
			t.len--;
			return t;
		}
		["'] {
			t = token(l, RN_TOK_STRING, start, p);
			l->at = rn_lex_string(l, start, &t);
			return t;
		}
		"x" ["'] {
			t = token(l, RN_TOK_HEX, start, p);
			l->at = rn_lex_hex(l, start, &t);
			return t;
		}
		"0x" [0-9A-Fa-f]+ {
			t = token(l, RN_TOK_INT, start, p);
			rn_lex_hex_number(l, start, p, &t);
			return t;
		}
		digits ("." digits){3} (":" digits)? {
			struct rn_diag_item *it = rn_lex_error(l, "E-LEX-NUMBER", start, p,
							       "an address must be quoted");

			rn_diag_hint(l->diag, it, "write \"%.*s\"", (int)(p - start), start);
			return token(l, RN_TOK_STRING, start, p);
		}
		decimal [eE] [+-]? digits | decimal [A-Za-z0-9_]* {
			p = rn_lex_rate(l, start, p);
			t = token(l, RN_TOK_INT, start, p);
			rn_lex_number(l, start, p, &t);
			return t;
		}
		"=" { OPERATOR(EQ); }
		"!=" { OPERATOR(NE); }
		"<" { OPERATOR(LT); }
		"<=" { OPERATOR(LE); }
		"<<" { OPERATOR(SHL); }
		">>" { OPERATOR(SHR); }
		"&" { OPERATOR(BITAND); }
		"|" { OPERATOR(BITOR); }
		"^" { OPERATOR(BITXOR); }
		">" { OPERATOR(GT); }
		">=" { OPERATOR(GE); }
		"~" { OPERATOR(GLOB); }
		"!~" { OPERATOR(NGLOB); }
		"=~" { OPERATOR(REGEX); }
		"+" { OPERATOR(PLUS); }
		"-" { OPERATOR(MINUS); }
		"*" { OPERATOR(STAR); }
		"/" { OPERATOR(SLASH); }
		"%" { OPERATOR(MOD); }
		"(" { OPERATOR(LPAREN); }
		")" { OPERATOR(RPAREN); }
		"," { OPERATOR(COMMA); }
		";" { OPERATOR(SEMI); }
		":=" { OPERATOR(ASSIGN); }
		"==" { return foreign(l, RN_TOK_EQ, start, p, "="); }
		"<>" { return foreign(l, RN_TOK_NE, start, p, "!="); }
		"&&" { return foreign(l, RN_TOK_AND, start, p, "and"); }
		"||" { return foreign(l, RN_TOK_OR, start, p, "or"); }
		"!" { return foreign(l, RN_TOK_NOT, start, p, "not"); }
		* { p = rn_lex_bad_char(l, start); continue; }
		*/
	}
}

void rn_lexer_init(struct rn_lexer *l, struct rn_arena *a, struct rn_diag *d, uint16_t src)
{
	size_t len;
	const char *text = rn_diag_text(d, src, &len);

	*l = (struct rn_lexer){.arena = a, .diag = d, .src = src};
	l->text = l->at = rn_arena_strndup(a, text, len);
	l->end = l->text + len;
	if (len >= 2 && !memcmp(l->text, "#!", 2)) { /* a script's first line is for the kernel */
		const char *eol = memchr(l->text, '\n', len);

		l->at = eol ? eol : l->end;
	}
}
