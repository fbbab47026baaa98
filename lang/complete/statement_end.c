/* statement_end.c - decides whether a text is a complete statement, for a shell that reads line by
 * line. It is a machine of three states, apart from the lexer. It must agree with the lexer only on
 * strings, comments and `;`, and never reports anything. */
#include "lang/complete/complete.h"
#include "lang/syntax/parse.h"

enum state { CODE, COMMENT, QUOTED };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\n';
}

struct rn_typed rn_parse_typed(const char *text, size_t len)
{
	struct rn_typed t = {.command = len};
	enum state s = CODE;
	char quote = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '\n') { /* ends a comment, and an unclosed string */
			t.broken |= s == QUOTED;
			s = CODE;
		} else if (s == QUOTED) {
			if (c == '\\' && i + 1 < len && text[i + 1] != '\n')
				i++;
			else if (c == quote)
				s = CODE;
		} else if (s == CODE) {
			if ((c == '-' && i + 1 < len && text[i + 1] == '-') ||
			    (i == 0 && len > 1 && c == '#' && text[1] == '!')) {
				s = COMMENT;
			} else if (c == '"' || c == '\'') {
				s = QUOTED;
				quote = c;
				t.quote = i;
				t.rest = true;
			} else if (c == ';') {
				t.whole = i + 1;
				t.rest = t.broken = false;
				t.open = 0;
			} else if (c == '\\') {
				t.command = i;
				return t;
			} else if (!is_blank(c)) {
				t.rest = true;
				t.open += c == '(';
				t.open -= c == ')' && t.open;
			}
		}
	}
	t.quoted = s == QUOTED;
	t.comment = s == COMMENT;
	return t;
}

bool rn_parse_complete(const char *text, size_t len)
{
	struct rn_typed t = rn_parse_typed(text, len);

	return t.whole && !t.rest && t.command == len;
}
