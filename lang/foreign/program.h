/* program.h - texts of other languages that people type here: SQL, PromQL, KQL, LINQ, and
 * programs of bpftrace and DTrace. One error says what it is and which query to write instead. */
#ifndef RN_LANG_FOREIGN_PROGRAM_H
#define RN_LANG_FOREIGN_PROGRAM_H
#include "lang/base/arena.h"
#include "lang/base/span.h"

struct rn_foreign_answer {
	struct rn_span span; /* in the text, of source 0 */
	const char *text, *hint;
};
/* Returns the canonical text of a statement, in the arena; NULL if it does not parse. */
typedef const char *rn_canonical_fn(struct rn_arena *arena, const char *text);
/* Is the text, which is no statement of this language, one of another? Then *answer stands for all
 * that was wrong with it. Its hint ends in "query: " and a query that parses, unless there is none
 * that comes near. All is in the arena. */
bool rn_foreign_program(struct rn_arena *arena, const char *text, size_t len,
			rn_canonical_fn *canonical, struct rn_foreign_answer *answer);
#endif
