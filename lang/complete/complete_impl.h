/* complete_impl.h - shared by the files of completion; no other file includes it.
 *
 * cursor.c cuts the statement out, asks the grammar what can follow, and decides which kind of word
 * that is. candidates.c knows the names of each kind, call.c the parameters of views. */
#ifndef RN_LANG_COMPLETE_COMPLETE_IMPL_H
#define RN_LANG_COMPLETE_COMPLETE_IMPL_H
#include "lang/complete/complete.h"
#include "lang/syntax/token.h"

struct rn_completer {
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
	const char *functions_of;
	const char *note;
};

enum rn_source_place {
	RN_SOURCE_ALONE,
	RN_SOURCE_LISTED,  /* in a list of classes */
	RN_SOURCE_ARGUMENT /* of a view: a name alone */
};

/* ---- candidates.c ---- */

/* In candidates.c: adds the text if it begins with the word. */
void rn_complete_add(struct rn_completer *completer, enum rn_candidate_kind kind, const char *text);
/* all that the grammar accepts, except clauses that the query already has */
void rn_complete_keywords(struct rn_completer *completer);
void rn_complete_sources(struct rn_completer *completer, enum rn_source_place place);
void rn_complete_views(struct rn_completer *completer);
void rn_complete_results(struct rn_completer *completer); /* results of lets */
/* aggs: aggregates can stand here; outputs: so can the names that the query gives its columns. */
void rn_complete_expression(struct rn_completer *completer, bool aggs, bool outputs);
void rn_complete_values(struct rn_completer *completer, const char *field);
void rn_complete_args(struct rn_completer *completer, const char *class_name);
/* If a class takes an argument, notes which one; false: it takes none. */
bool rn_complete_which(struct rn_completer *completer, const char *class_name);
void rn_complete_params(struct rn_completer *completer);
/* Adds the fields of a source, which is a text; false: the text is not understood. */
bool rn_complete_fields_of(struct rn_completer *completer, const char *source);
void rn_complete_common_fields(struct rn_completer *completer); /* what most sources have */
void rn_complete_functions(struct rn_completer *completer, bool aggs);
/* Returns the view of that name, parsed, and its text; NULL: there is none. */
struct rn_ast_stmt *rn_complete_view(const struct rn_completer *completer, const char *name,
				     const char **text);
/* Notes the unit of numbers that are compared with the field. */
void rn_complete_unit(struct rn_completer *completer, const char *field);

/* ---- call.c ---- */

struct rn_call {
	struct rn_ast_stmt *view;
	const char *text;                 /* of the view */
	unsigned first;                   /* the token where its arguments begin */
	const struct rn_ast_param *param; /* at the cursor; NULL: the view has no more */
};
/* Finds the call of a view that has an argument at the cursor; false: there is none. */
bool rn_complete_call(struct rn_completer *completer, struct rn_call *call);
/* Adds what can stand for the parameter, and notes which one it is. */
void rn_complete_argument(struct rn_completer *completer, const struct rn_call *call);

/* ---- cursor.c ---- */

/* Finds the query around token i. begin: the `(` that opens it, or -1. end: the token after its
 * last one. of: its `of`. Returns true if it has one. */
bool rn_complete_query(const struct rn_completer *completer, unsigned i, int *begin, unsigned *end,
		       unsigned *of);
/* The `(` that is open before token i, not searching before `from`; -1: none. */
int rn_complete_open(const struct rn_completer *completer, unsigned i);
#endif
