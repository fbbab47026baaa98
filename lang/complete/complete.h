/* complete.h - for a shell: is a text complete yet, and what can stand at its cursor? Pure
 * functions of a text and of the known names. They print and report nothing. */
#ifndef RN_LANG_COMPLETE_COMPLETE_H
#define RN_LANG_COMPLETE_COMPLETE_H
#include "lang/resolve/names.h"

/* The state of a text that a user is typing. */
struct rn_typed {
	/* length of the complete statements at its beginning, each with its `;`; 0: none */
	size_t whole;
	bool rest; /* something other than blanks and comments follows them */
	/* offset of the first `\` outside strings and comments; the text's length if there is
	 * none */
	size_t command;
	bool quoted, comment; /* it ends inside a string; inside a comment */
	size_t quote;         /* where that string begins */
	/* after the complete statements, a string is not closed on its line: no further text can
	 * mend it */
	bool broken;
	unsigned open; /* parentheses that are open in the incomplete rest */
};

/* ---- statement_end.c ---- */

struct rn_typed rn_parse_typed(const char *text, size_t len);

/* ---- what can stand at the cursor ---- */

enum rn_candidate_kind {
	RN_CAND_KEYWORD,
	RN_CAND_CLASS,
	RN_CAND_TABLE,
	RN_CAND_VIEW,
	RN_CAND_FIELD,
	RN_CAND_COLUMN,
	RN_CAND_AGGREGATE,
	RN_CAND_FUNCTION,
	RN_CAND_PARAM, /* with its `$` */
	/* argument of a class: the name of a tracepoint, or its group with the `:` */
	RN_CAND_ARG,
	RN_CAND_VALUE, /* a value of a field: the name of an error, of a system call */
};
struct rn_candidate {
	const char *text;
	enum rn_candidate_kind kind;
};

/* Other things that can stand there, which only the caller can list: a set. */
enum rn_completion_wants {
	RN_WANT_MODULE = 1,
	RN_WANT_NODE = 2,
	RN_WANT_FILE = 4,
	RN_WANT_PROCESS = 8,
	RN_WANT_USER = 16,
	RN_WANT_TAG = 32,
	RN_WANT_FUNCTION = 64, /* of functions_of: in a string */
};

struct rn_completion {
	/* start of the word that ends at the cursor; inside a string: just after its quote */
	size_t start;
	/* the quote of the string around the word; 0: it is in no string */
	char quote;
	const struct rn_candidate *candidates;
	unsigned n; /* candidates that begin with the word; sorted, each once */
	unsigned wants;
	const char *functions_of; /* the class of functions that is meant: "user", "kernel" */
	/* what is expected if it has no list: "a duration, as 10ms"; NULL: nothing to say */
	const char *note;
};

/* ---- cursor.c ---- */

/* Completes a text of one or more statements, typed in part; text after the cursor counts, too. The
 * result is in the arena. There always is one. */
struct rn_completion rn_complete_at(struct rn_arena *arena, const char *text, size_t len,
				    size_t cursor, const struct rn_names *names);

/* ---- statement_end.c ---- */

/* True if text is one or more complete statements: it ends with `;` outside strings and comments.
 * For interactive input. */
bool rn_parse_complete(const char *text, size_t len);
#endif
