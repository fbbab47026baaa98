/* catdb.c - see catdb.h. Every error says the file's path and that it was left as it is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "repl/lib/catdb.h"

enum { CATALOG_APP = 0x524e4c43, CATALOG_VERSION = 1 }; /* "RNLC" */

static const char *path_of(struct rn_arena *a)
{
	const char *own = getenv("RUNNEL_CATALOG"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (own && *own)
		return rn_arena_strdup(a, own);
	if (data && *data)
		return rn_arena_printf(a, "%s/runnel/catalog.db", data);
	return rn_arena_printf(a, "%s/.local/share/runnel/catalog.db", home && *home ? home : "/root");
}

struct rn_catdb rn_catdb_of(struct rn_arena *a, const char *path)
{
	return (struct rn_catdb){.arena = a, .path = path ? rn_arena_strdup(a, path) : path_of(a)};
}

int rn_catdb_error(const struct rn_catdb *s, sqlite3 *db, int rc, const char *what, struct rn_err *err)
{
	int code = rc == SQLITE_BUSY ? -EBUSY : rc == SQLITE_READONLY || rc == SQLITE_CANTOPEN ? -EACCES : -EIO;
	rn_err_set(err, code, "the catalogue of views %s cannot be %s: %s", s->path, what,
		   db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
	rn_err_hint(err, rc == SQLITE_NOTADB || rc == SQLITE_CORRUPT ?
		    "the file was left as it is; move it away, restore it, or name another in RUNNEL_CATALOG" :
		    "the file was left as it is; RUNNEL_CATALOG names another");
	return code;
}

static int pragma(sqlite3 *db, const char *sql, int64_t *out)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (rc == SQLITE_OK) {
		rc = sqlite3_step(st);
		*out = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
		rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
	}
	sqlite3_finalize(st);
	return rc;
}

/* mkdir -p of the directory that holds path. */
static void make_parents(struct rn_arena *a, const char *path)
{
	char *p = rn_arena_strdup(a, path);
	for (char *q = p + 1; *q; q++) {
		if (*q != '/')
			continue;
		*q = 0;
		mkdir(p, 0755); /* what cannot be made shows when the file is opened */
		*q = '/';
	}
}

int rn_catdb_open(const struct rn_catdb *s, bool write, sqlite3 **db, struct rn_err *err)
{
	*db = NULL;
	if (!write && access(s->path, F_OK) != 0)
		return 0;
	if (write)
		make_parents(s->arena, s->path);
	int rc = sqlite3_open_v2(s->path, db, write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY, NULL);
	int64_t app = 0, version = 0, tables = 0;
	if (rc == SQLITE_OK) {
		sqlite3_busy_timeout(*db, 2000);
		rc = pragma(*db, "select count(*) from sqlite_schema", &tables);
	}
	if (rc == SQLITE_OK)
		rc = pragma(*db, "pragma application_id", &app);
	if (rc == SQLITE_OK)
		rc = pragma(*db, "pragma user_version", &version);
	int code = 0;
	if (rc != SQLITE_OK) {
		code = rn_catdb_error(s, *db, rc, rc == SQLITE_CANTOPEN ? "opened" : "read", err);
	} else if (tables && app != CATALOG_APP) {
		code = rn_err_set(err, -EINVAL, "%s is an SQLite database, but no catalogue of views", s->path);
		rn_err_hint(err, "the file was left as it is; name another in RUNNEL_CATALOG");
	} else if (version > CATALOG_VERSION) {
		code = rn_err_set(err, -EINVAL, "the catalogue of views %s was made by a newer version", s->path);
		rn_err_hint(err, "the file was left as it is; name another in RUNNEL_CATALOG");
	}
	if (code || (!tables && !write)) {
		sqlite3_close(*db);
		*db = NULL;
	}
	return code;
}

int rn_catdb_begin(sqlite3 *db)
{
	char schema[400];
	int rc = sqlite3_exec(db, "begin immediate", NULL, NULL, NULL);
	sqlite3_snprintf(sizeof schema, schema, "create table if not exists "
			 "view(name text primary key, text text not null, doc text, saved_ns integer not null);"
			 "create table if not exists tag(bytes blob primary key, added_ns integer not null);"
			 "pragma application_id = %d; pragma user_version = %d;", CATALOG_APP, CATALOG_VERSION);
	return rc == SQLITE_OK ? sqlite3_exec(db, schema, NULL, NULL, NULL) : rc;
}
