/* complete.h - for a shell: is a text whole yet, and what may stand at its cursor? Pure functions of a text and of the names
 * that are known; they print and report nothing. */
#ifndef RN_LANG_COMPLETE_H
#define RN_LANG_COMPLETE_H
#include "lang/parse.h"

/* How far a text has come that is being typed. */
struct rn_typed {
	size_t whole;   /* length of the statements at its beginning that are ended by `;`; 0: none */
	bool rest;      /* something other than blanks and comments follows them */
	size_t command; /* where the first `\` stands outside strings and comments; its length: there is none */
	bool quoted, comment; /* it ends inside a string; inside a comment */
};
struct rn_typed rn_parse_typed(const char *text, size_t len);
#endif
