/* complete.h - for a shell: is a text whole yet, and what may stand at its cursor? Pure functions
 * of a text and of the names that are known; they print and report nothing. */
#ifndef RN_LANG_COMPLETE_COMPLETE_H
#define RN_LANG_COMPLETE_COMPLETE_H
#include "lang/resolve/names.h"

/* How far a text has come that is being typed. */
struct rn_typed {
	/* length of the statements at its beginning that are ended by `;`; 0: none */
	size_t whole;
	bool rest; /* something other than blanks and comments follows them */
	/* where the first `\` stands outside strings and comments; its length: there is none */
	size_t command;
	bool quoted, comment; /* it ends inside a string; inside a comment */
	size_t quote;         /* where that string begins */
	/* behind what is whole, a string is not closed on its line: nothing that follows can mend
	 * that */
	bool broken;
	unsigned open; /* parentheses of what is not whole that are not closed yet */
};
struct rn_typed rn_parse_typed(const char *text, size_t len);

/* ---- what may stand at the cursor ---- */

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
	RN_CAND_ARG,   /* of a class: the name of a tracepoint, or its group with the `:` */
	RN_CAND_VALUE, /* that a field can have: the name of an error, of a system call */
};
struct rn_candidate {
	const char *text;
	enum rn_candidate_kind kind;
};

/* What can stand there too, and only the caller knows: a set. */
enum rn_completion_wants {
	RN_WANT_MODULE = 1,
	RN_WANT_NODE = 2,
	RN_WANT_FILE = 4,
	RN_WANT_PROCESS = 8,
	RN_WANT_USER = 16,
	RN_WANT_TAG = 32,
};

struct rn_completion {
	/* of the word that ends at the cursor; inside a string: behind its quote */
	size_t start;
	/* it stands in a string that begins with this; 0: it does not */
	char quote;
	const struct rn_candidate *c;
	unsigned n; /* that begin with the word; sorted, each once */
	unsigned wants;
	/* what is expected there that has no list: "a duration, as 10ms"; NULL: nothing to say */
	const char *note;
};
/* text: one statement or more, as far as it is known, and what follows the cursor. In the arena;
 * always a result. */
struct rn_completion rn_complete_at(struct rn_arena *a, const char *text, size_t len, size_t cursor,
				    const struct rn_names *names);

/* True if text is one or more whole statements (ends outside strings and comments with `;`): for
 * interactive input. */
bool rn_parse_complete(const char *text, size_t len);
#endif
