/* complete_impl.h - what the files of completion share; nobody else includes it.
 *
 * cursor.c cuts the statement out, asks the grammar what may follow and decides what kind of
 * word that is; candidates.c knows the names of each kind. */
#ifndef RN_LANG_COMPLETE_COMPLETE_IMPL_H
#define RN_LANG_COMPLETE_COMPLETE_IMPL_H
#include "lang/complete/complete.h"
#include "lang/syntax/token.h"

struct completer {
	struct rn_arena *a;
	const struct rn_names *names;
	const char *word;
	size_t nword; /* what candidates begin with */
	bool quoted;
	/* of the statement without the word; spans of t are in it */
	const char *text;
	struct rn_token *t;
	unsigned n;        /* its tokens, the last is of kind 0 */
	unsigned at;       /* those before this one stand before the cursor */
	bool accepts[128]; /* by kind of token: what may follow t[at - 1] */
	struct rn_candidate *c;
	unsigned nc, cap;
	unsigned wants;
	const char *note;
};

/* candidates.c: adds what begins with the word. */
void complete_add(struct completer *k, enum rn_candidate_kind kind, const char *text);
/* that the grammar accepts, but clauses that the query has already */
void complete_keywords(struct completer *k);
void complete_sources(struct completer *k);
void complete_views(struct completer *k);
void complete_results(struct completer *k); /* of lets */
/* aggs: aggregates may stand here; outputs: names that the query gives its columns, too. */
void complete_expression(struct completer *k, bool aggs, bool outputs);
void complete_values(struct completer *k, const char *field);
void complete_args(struct completer *k, const char *class_name);
/* Says of a class that goes with an argument which one that is; false: it is none. */
bool complete_which(struct completer *k, const char *class_name);
void complete_params(struct completer *k);
void complete_signature(struct completer *k, const char *view); /* its parameters, as a note */
/* The unit of numbers that are compared with the field, as a note. */
void complete_unit(struct completer *k, const char *field);

/* The query around token i: the `(` that opens it, or -1; the token behind its last one. True: its
 * `of` is *of. */
bool complete_query(const struct completer *k, unsigned i, int *begin, unsigned *end, unsigned *of);
/* The `(` before token i that is open there, not before `from`; -1: none. */
int complete_open(const struct completer *k, unsigned i);
#endif
