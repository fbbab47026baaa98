/* complete.c - "is this a whole statement yet?", for a shell that reads line by line. A machine of four states, apart from
 * the lexer: it must agree with it on strings, comments and `;` only, and never reports anything. */
#include "lang/parse.h"

enum state { CODE, COMMENT, QUOTED };

bool rn_parse_complete(const char *text, size_t len)
{
	enum state s = CODE;
	char quote = 0;
	bool whole = false; /* the last thing that is neither blank nor comment was a `;` */

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '\n') { /* ends a comment, and a string that was not closed */
			s = CODE;
		} else if (s == QUOTED) {
			if (c == '\\' && i + 1 < len && text[i + 1] != '\n')
				i++;
			else if (c == quote)
				s = CODE;
		} else if (s == CODE) {
			if ((c == '-' && i + 1 < len && text[i + 1] == '-') || (i == 0 && len > 1 && c == '#' && text[1] == '!')) {
				s = COMMENT;
			} else if (c == '"' || c == '\'') {
				s = QUOTED;
				quote = c;
				whole = false;
			} else if (c == ';') {
				whole = true;
			} else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v') {
				whole = false;
			}
		}
	}
	return whole && s != QUOTED;
}
