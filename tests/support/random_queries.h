/* random_queries.h - queries made at random over a generated recording, with the same in SQL if SQL
 * can say it. */
#ifndef RN_TESTS_SUPPORT_RANDOM_QUERIES_H
#define RN_TESTS_SUPPORT_RANDOM_QUERIES_H
#include "lang/base/arena.h"

struct rn_random_query {
	const char *text;
	const char *sql; /* NULL: SQL has no word for a part of it */
};

/* Makes one in the arena. The same seed gives the same query; *seed is then that of the next. */
struct rn_random_query rn_random_query(struct rn_arena *arena, unsigned *seed);
#endif
