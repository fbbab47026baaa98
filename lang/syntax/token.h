/* token.h - the tokens that the lexer hands to the parser. Internal to lang/: others see only
 * trees.
 *
 * The lexer never stops at an error. It reports the error and gives the token that was most likely
 * meant, or none. */
#ifndef RN_LANG_SYNTAX_TOKEN_H
#define RN_LANG_SYNTAX_TOKEN_H
#include "lang/base/diag.h"
#include "lang/values/value.h"

struct rn_token {
	int kind; /* RN_TOK_* of grammar.h; 0: the end of the text */
	struct rn_span span;
	/* names and strings: their content; numbers: as written; NUL-terminated, in the arena */
	const char *text;
	uint32_t len;          /* of text */
	struct rn_value value; /* numbers */
	uint8_t unit;          /* enum rn_unit of DURATION and SIZE */
	const char *doc;       /* the `--|` lines just above; NULL if none */
	/* text before it was reported and left out: a syntax error here would only follow from
	 * that */
	bool after_error;
};

struct rn_lexer {
	struct rn_arena *arena;
	struct rn_diag *diag;
	uint16_t src;
	const char *text, *end; /* a copy that ends in NUL */
	const char *at;
	const char *doc; /* gathered since the last token */
	bool skipped;    /* see after_error */
	bool in_tags;    /* all tokens since `tag` or `tags` can be part of a list of tags */
	bool quiet;      /* report nothing: the text is being read a second time */
};

void rn_lexer_init(struct rn_lexer *lexer, struct rn_arena *arena, struct rn_diag *diag,
		   uint16_t src);
struct rn_token rn_lexer_next(struct rn_lexer *lexer);

/* ---- parse.c ---- */

/* In parse.c: some keywords depend on the next token or on their place. The grammar cannot tell
 * them apart with one token. */
int rn_token_demote(const struct rn_token *token, int next, bool first);

/* literals.c: the values of literals; they report on l->diag. */
/* returns where to continue */
const char *rn_lex_string(struct rn_lexer *lexer, const char *open, struct rn_token *token);
const char *rn_lex_hex(struct rn_lexer *lexer, const char *open, struct rn_token *token);
/* The end of a number: beyond `/s` if it is a rate. */
const char *rn_lex_rate(const struct rn_lexer *lexer, const char *start, const char *end);
void rn_lex_number(struct rn_lexer *lexer, const char *start, const char *end,
		   struct rn_token *token);
void rn_lex_hex_number(struct rn_lexer *lexer, const char *start, const char *end,
		       struct rn_token *token);
/* E-LIMIT-STRING */
void rn_lex_length(struct rn_lexer *lexer, const char *from, const char *to, size_t len);
const char *rn_lex_bad_char(struct rn_lexer *lexer, const char *at);
struct rn_diag_item *rn_lex_error(struct rn_lexer *lexer, const char *code, const char *from,
				  const char *to, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Adds a `--|` line to the doc comment of the next token. */
void rn_lex_doc(struct rn_lexer *lexer, const char *from, const char *to);
#endif
