/* coverage.c - which time a recording covers, node by node: its table `coverage`. Recordings of
 * 0.1.0 have none: each of their nodes covers from its begin to its end, and a node that says
 * neither covers what the recording does. */
#include <stdlib.h>
#include <string.h>
#include <string.h>
#include "exec/groups/cover.h"
#include "exec/trace/trace_impl.h"
#include "lang/base/vec.h"

enum { UNANSWERED_MAX = 1000 };
enum { SPANS_MAX = 1 << 20 }; /* a recording that says more of them has been tampered with */

/* The rows (node, begin, end) of a recording. */
static const char *source_of(sqlite3 *db)
{
	return sqlite3_table_column_metadata(db, NULL, "coverage", "begin", NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK
		       ? "(SELECT node, begin, \"end\" FROM coverage)"
		       : "(SELECT node, coalesce(nullif(begin, 0), (SELECT value FROM meta WHERE "
			 "key = 'begin')) AS begin, coalesce(nullif(\"end\", 0), "
			 "(SELECT value FROM meta WHERE key = 'end')) AS \"end\" FROM nodes)";
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *format, const char *nodes)
{
	char *sql = sqlite3_mprintf(format, source_of(db));
	sqlite3_stmt *st = NULL;

	if (sql && sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK)
		sqlite3_bind_text(st, 1, nodes, -1, SQLITE_STATIC);
	sqlite3_free(sql);
	return st;
}

static int64_t meta_ns(sqlite3 *db, struct rn_arena *a, const char *key)
{
	return strtoll(rn_trace_meta(db, a, key), NULL, 10);
}

const struct rn_cover *rn_trace_cover(sqlite3 *db, struct rn_arena *arena, const char *nodes)
{
	sqlite3_stmt *st = prepare(db,
				   "SELECT begin, \"end\" FROM %s WHERE ?1 IS NULL OR instr(',' || "
				   "?1 || ',', ',' || node || ',')",
				   nodes);
	struct rn_cover *cover = RN_NEW(arena, struct rn_cover);
	struct rn_span_ns *span = RN_NEWN(arena, struct rn_span_ns, 16);
	unsigned n = 0, cap = 16;

	for (; st && sqlite3_step(st) == SQLITE_ROW && n < SPANS_MAX; n++) {
		rn_vec_room_in(arena, span, n, cap);
		span[n] = (struct rn_span_ns){sqlite3_column_int64(st, 0),
					      sqlite3_column_int64(st, 1)};
	}
	sqlite3_finalize(st);
	n = rn_cover_tidy(span, n);
	if (!n) {
		span[0] =
			(struct rn_span_ns){meta_ns(db, arena, "begin"), meta_ns(db, arena, "end")};
		n = rn_cover_tidy(span, 1);
	}
	*cover = (struct rn_cover){span, n};
	return cover;
}

int rn_trace_cover_each(sqlite3 *db,
			int (*each)(void *self, const char *node, const struct rn_span_ns *span),
			void *self)
{
	sqlite3_stmt *st =
		prepare(db, "SELECT node, begin, \"end\" FROM %s ORDER BY 1, 2, 3", NULL);
	int r = 0;

	while (!r && st && sqlite3_step(st) == SQLITE_ROW) {
		const char *node = (const char *)sqlite3_column_text(st, 0);

		r = each(self, node ? node : "",
			 &(struct rn_span_ns){sqlite3_column_int64(st, 1),
					      sqlite3_column_int64(st, 2)});
	}
	sqlite3_finalize(st);
	return r;
}

void rn_trace_unanswered(sqlite3 *db, struct rn_arena *arena, struct rn_ledgers *ledgers)
{
	struct rn_unanswered *list =
		RN_NEWN(arena, struct rn_unanswered, ledgers->nunanswered + UNANSWERED_MAX);
	sqlite3_stmt *st = NULL;
	unsigned n = ledgers->nunanswered;

	if (n)
		memcpy(list, ledgers->unanswered, n * sizeof(*list));
	if (sqlite3_prepare_v2(db,
			       "SELECT node, coalesce(why, 'no answer') FROM nodes "
			       "WHERE NOT answered ORDER BY node LIMIT ?1",
			       -1, &st, NULL) == SQLITE_OK)
		sqlite3_bind_int(st, 1, UNANSWERED_MAX);
	while (st && sqlite3_step(st) == SQLITE_ROW) {
		const char *node = (const char *)sqlite3_column_text(st, 0),
			   *why = (const char *)sqlite3_column_text(st, 1);

		list[n++] = (struct rn_unanswered){rn_arena_strdup(arena, node ? node : ""),
						   rn_arena_strdup(arena, why ? why : "")};
	}
	sqlite3_finalize(st);
	ledgers->unanswered = list;
	ledgers->nunanswered = n;
}

const char *const *rn_trace_cover_shares(sqlite3 *db, struct rn_arena *arena, const char *nodes,
					 unsigned *n)
{
	static const char format[] =
		"SELECT group_concat(node) FROM (SELECT n.node AS node, (SELECT group_concat(begin "
		"|| '-' || \"end\") FROM "
		"(SELECT c.begin AS begin, c.\"end\" AS \"end\" FROM %s AS c WHERE c.node = n.node "
		"ORDER BY 1, 2)) AS spans FROM nodes AS n "
		"WHERE ?1 IS NULL OR instr(',' || ?1 || ',', ',' || n.node || ',')) GROUP BY spans "
		"ORDER BY 1";
	sqlite3_stmt *st = prepare(db, format, nodes);
	const char **v = RN_NEWN(arena, const char *, 16);
	unsigned cap = 16;

	for (*n = 0; st && sqlite3_step(st) == SQLITE_ROW; ++*n) {
		rn_vec_room_in(arena, v, *n, cap);
		v[*n] = rn_arena_strdup(arena, sqlite3_column_text(st, 0)
						       ? (const char *)sqlite3_column_text(st, 0)
						       : "");
	}
	sqlite3_finalize(st);
	return v;
}
