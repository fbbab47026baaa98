/* complete_impl.h - shared by the files of completion; no other file includes it.
 *
 * cursor.c cuts the statement out, asks the grammar what can follow, and decides which kind of word
 * that is. candidates.c knows the names of each kind. */
#ifndef RN_LANG_COMPLETE_COMPLETE_IMPL_H
#define RN_LANG_COMPLETE_COMPLETE_IMPL_H
#include "lang/complete/complete.h"
#include "lang/syntax/token.h"

struct completer {
	struct rn_arena *arena;
	const struct rn_names *names;
	const char *word;
	size_t nword; /* length of the word to complete */
	bool quoted;
	/* the statement without the word; spans of t refer to it */
	const char *text;
	struct rn_token *tokens;
	unsigned n;        /* its tokens, the last is of kind 0 */
	unsigned at;       /* index of the first token after the cursor */
	bool accepts[128]; /* by kind of token: true if it can follow t[at - 1] */
	struct rn_candidate *candidates;
	unsigned nc, cap;
	unsigned wants;
	const char *note;
};

/* In candidates.c: adds the text if it begins with the word. */
void complete_add(struct completer *completer, enum rn_candidate_kind kind, const char *text);
/* all that the grammar accepts, except clauses that the query already has */
void complete_keywords(struct completer *completer);
void complete_sources(struct completer *completer);
void complete_views(struct completer *completer);
void complete_results(struct completer *completer); /* results of lets */
/* aggs: aggregates can stand here; outputs: so can the names that the query gives its columns. */
void complete_expression(struct completer *completer, bool aggs, bool outputs);
void complete_values(struct completer *completer, const char *field);
void complete_args(struct completer *completer, const char *class_name);
/* If a class takes an argument, notes which one; false: it takes none. */
bool complete_which(struct completer *completer, const char *class_name);
void complete_params(struct completer *completer);
void complete_signature(struct completer *completer,
			const char *view); /* its parameters, as a note */
/* Notes the unit of numbers that are compared with the field. */
void complete_unit(struct completer *completer, const char *field);

/* Finds the query around token i. begin: the `(` that opens it, or -1. end: the token after its
 * last one. of: its `of`. Returns true if it has one. */
bool complete_query(const struct completer *completer, unsigned i, int *begin, unsigned *end,
		    unsigned *of);
/* The `(` that is open before token i, not searching before `from`; -1: none. */
int complete_open(const struct completer *completer, unsigned i);
#endif
