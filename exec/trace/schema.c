/* schema.c - see schema_impl.h.
 *
 * Invariant of who reads a recording: what has passed here is a table with plain columns, so a
 * statement over it reads bytes of the file and runs nothing that the file says. */
#include <errno.h>
#include <string.h>
#include "exec/trace/schema_impl.h"

/* What a column may hold. */
enum holds { TEXT, TEXT_OR_NULL, NUMBER, NUMBER_OR_NULL, COUNT, ANY_KEY, ANYTHING };
static const char *const meant[] = {
	[TEXT] = "a text",     [TEXT_OR_NULL] = "a text or NULL",
	[NUMBER] = "a number", [NUMBER_OR_NULL] = "a number or NULL",
	[COUNT] = "a count",   [ANY_KEY] = "a text or a number",
};
enum { COLUMNS_MAX = 6, CONTENTS_BYTES = 64 << 20, UNREAD = -1 };
/* Counts of an item add up to less than this: sums over several recordings fit 64 bits. */
#define COUNT_MAX (1LL << 60)

static const struct table {
	const char *name;
	bool optional;
	/* rows; UNREAD: they are not looked at here */
	int most;
	/* the first ones that have a name */
	struct {
		const char *name;
		enum holds holds;
	} col[COLUMNS_MAX];
} tables[] = {
	{"meta", false, 1 << 14, {{"key", TEXT}, {"value", ANY_KEY}}},
	{"fields",
	 false,
	 RN_TRACE_FIELDS_MAX,
	 {{"position", NUMBER}, {"name", TEXT}, {"type", TEXT}, {"unit", TEXT}, {"doc", TEXT}}},
	{"nodes",
	 false,
	 1 << 16,
	 {{"node", TEXT_OR_NULL},
	  {"begin", NUMBER_OR_NULL},
	  {"end", NUMBER_OR_NULL},
	  {"answered", NUMBER},
	  {"why", TEXT_OR_NULL}}},
	{"ledger", false, 1 << 22, {{"node", TEXT}, {"item", TEXT}, {"count", COUNT}}},
	{"coverage", true, 1 << 20, {{"node", TEXT}, {"begin", NUMBER}, {"end", NUMBER}}},
	{"processes", true, UNREAD, {{"node", ANYTHING}}},
	{"events", false, UNREAD, {{"time", ANYTHING}, {"node", ANYTHING}, {"name", ANYTHING}}},
};
enum { NTABLES = sizeof(tables) / sizeof(*tables) };

static unsigned width(const struct table *t)
{
	unsigned n = 0;

	while (n < COLUMNS_MAX && t->col[n].name)
		n++;
	return n;
}

/* ---- the schema ---- */

static const char *text(sqlite3_stmt *st, int c)
{
	const char *s = (const char *)sqlite3_column_text(st, c);

	return s ? s : "";
}

static bool begins(const char *sql, const char *with)
{
	return !sqlite3_strnicmp(sql, with, (int)strlen(with));
}

/* SQLite goes by the text, whatever the type says. An index that a constraint makes has none. */
static bool is_plain(const char *type, const char *sql)
{
	if (!strcmp(type, "table"))
		return begins(sql, "CREATE TABLE ");
	return !strcmp(type, "index") &&
	       (!*sql || begins(sql, "CREATE INDEX ") || begins(sql, "CREATE UNIQUE INDEX "));
}

static int has_object(const char *path, const char *type, const char *name, const char *sql,
		      struct rn_err *err)
{
	bool known = !strcmp(type, "view") || !strcmp(type, "trigger");

	rn_err_set(err, -EBADMSG,
		   "%s: is refused: `%s` is no table, and a recording has tables and indexes alone",
		   path, name);
	if (known || begins(sql, "CREATE VIRTUAL TABLE "))
		rn_err_hint(err,
			    "if the file is yours, take it out: sqlite3 \"%s\" 'drop %s \"%s\"'",
			    path, known ? type : "table", name);
	return -EBADMSG;
}

int rn_trace_plain(sqlite3 *db, const char *path, struct rn_err *err)
{
	sqlite3_stmt *st = NULL;
	int r = 0,
	    rc = sqlite3_prepare_v2(db, "SELECT type, name, sql FROM sqlite_schema", -1, &st, NULL);

	while (!r && rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		if (!is_plain(text(st, 0), text(st, 2)))
			r = has_object(path, text(st, 0), text(st, 1), text(st, 2), err);
	}
	if (!r && rc != SQLITE_DONE)
		r = rn_trace_damaged(db, path, err);
	sqlite3_finalize(st);
	return r;
}

static unsigned bit_of(const struct table *t, const char *column)
{
	unsigned i = 0, n = width(t);

	while (i < n && strcmp(t->col[i].name, column))
		i++;
	return i < n ? 1u << i : 0;
}

/* *has: bits of the columns that the table must have and has; *n: all of its columns. */
static int look_at_columns(sqlite3 *db, const char *path, const struct table *t, unsigned *has,
			   unsigned *n, struct rn_err *err)
{
	char *sql = sqlite3_mprintf("PRAGMA main.table_xinfo(%Q)", t->name);
	sqlite3_stmt *st = NULL;
	int r = 0, rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	sqlite3_free(sql);
	while (!r && rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		++*n;
		*has |= bit_of(t, text(st, 1));
		if (sqlite3_column_int(st, 6))
			r = rn_err_set(err, -EBADMSG,
				       "%s: is damaged: the column `%s` of %s is computed", path,
				       text(st, 1), t->name);
	}
	if (!r && rc != SQLITE_DONE)
		r = rn_trace_damaged(db, path, err);
	sqlite3_finalize(st);
	return r;
}

int rn_trace_schema(sqlite3 *db, const char *path, struct rn_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < NTABLES && !r; i++) {
		const struct table *t = &tables[i];
		unsigned has = 0, n = 0, want = (1u << width(t)) - 1;

		r = look_at_columns(db, path, t, &has, &n, err);
		if (!r && !n && !t->optional)
			r = rn_err_set(err, -EBADMSG, "%s: is damaged: no such table: %s", path,
				       t->name);
		if (!r && n && has != want)
			r = rn_err_set(err, -EBADMSG,
				       "%s: is damaged: the table %s has no column `%s`", path,
				       t->name, t->col[__builtin_ctz(want & ~has)].name);
	}
	return r;
}

/* ---- the contents of small tables ---- */

static bool may_hold(enum holds holds, sqlite3_stmt *st, int c)
{
	switch (sqlite3_column_type(st, c)) {
	case SQLITE_TEXT: return holds == TEXT || holds == TEXT_OR_NULL || holds == ANY_KEY;
	case SQLITE_NULL: return holds == TEXT_OR_NULL || holds == NUMBER_OR_NULL;
	case SQLITE_INTEGER:
		if (holds == COUNT)
			return sqlite3_column_int64(st, c) >= 0;
		return holds == NUMBER || holds == NUMBER_OR_NULL || holds == ANY_KEY;
	default: return false;
	}
}

static const char *found(sqlite3_stmt *st, int c)
{
	switch (sqlite3_column_type(st, c)) {
	case SQLITE_TEXT: return "a text";
	case SQLITE_BLOB: return "bytes";
	case SQLITE_FLOAT: return "a fraction";
	case SQLITE_INTEGER:
		return sqlite3_column_int64(st, c) < 0 ? "a negative number" : "a number";
	default: return "NULL";
	}
}

/* Which columns of the table are read, in order: they are ours, not the file's. */
static sqlite3_stmt *read_all(sqlite3 *db, const struct table *t)
{
	sqlite3_str *s = sqlite3_str_new(db);
	sqlite3_stmt *st = NULL;
	char *sql;

	for (unsigned i = 0; i < width(t); i++)
		sqlite3_str_appendf(s, "%s\"%w\"", i ? ", " : "SELECT ", t->col[i].name);
	sqlite3_str_appendf(s, " FROM \"%w\" LIMIT %d", t->name, t->most + 1);
	sql = sqlite3_str_finish(s);
	if (sql && sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		st = NULL;
	sqlite3_free(sql);
	return st;
}

static int check_row(sqlite3_stmt *st, const char *path, const struct table *t, int64_t *bytes,
		     struct rn_err *err)
{
	for (unsigned i = 0; i < width(t); i++) {
		if (!may_hold(t->col[i].holds, st, (int)i))
			return rn_err_set(err, -EBADMSG, "%s: is damaged: %s.%s holds %s, not %s",
					  path, t->name, t->col[i].name, found(st, (int)i),
					  meant[t->col[i].holds]);
		*bytes += sqlite3_column_bytes(st, (int)i);
	}
	return 0;
}

static int check_contents(sqlite3 *db, const char *path, const struct table *t, int64_t *bytes,
			  struct rn_err *err)
{
	sqlite3_stmt *st = read_all(db, t);
	int r = 0, n = 0, rc = SQLITE_ERROR;

	while (!r && st && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		r = check_row(st, path, t, bytes, err);
		if (!r && (++n > t->most || *bytes > CONTENTS_BYTES))
			r = rn_err_set(
				err, -EBADMSG,
				"%s: is damaged: its table %s is longer than any that is recorded",
				path, t->name);
	}
	if (!r && rc != SQLITE_DONE)
		r = rn_trace_damaged(db, path, err);
	sqlite3_finalize(st);
	return r;
}

/* Counts of an item, of all nodes. A reader may add up some of them without a check. */
static int check_counts(sqlite3 *db, const char *path, struct rn_err *err)
{
	static const char sums[] = "SELECT item FROM ledger GROUP BY item HAVING total(count) >= ?";
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sums, -1, &st, NULL), r = 0;

	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, COUNT_MAX);
		rc = sqlite3_step(st);
	}
	if (rc == SQLITE_ROW)
		r = rn_err_set(err, -EBADMSG,
			       "%s: is damaged: the counts of `%s` in its ledger add up to more "
			       "than can be",
			       path, text(st, 0));
	else if (rc != SQLITE_DONE)
		r = rn_trace_damaged(db, path, err);
	sqlite3_finalize(st);
	return r;
}

int rn_trace_contents(sqlite3 *db, const char *path, struct rn_err *err)
{
	int64_t bytes = 0;
	int r = 0;

	for (unsigned i = 0; i < NTABLES && !r; i++)
		if (tables[i].most != UNREAD &&
		    (!tables[i].optional ||
		     sqlite3_table_column_metadata(db, NULL, tables[i].name, NULL, NULL, NULL, NULL,
						   NULL, NULL) == SQLITE_OK))
			r = check_contents(db, path, &tables[i], &bytes, err);
	return r ? r : check_counts(db, path, err);
}
