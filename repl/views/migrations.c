/* migrations.c - the versions of the catalogue, as a table of steps from each to the next. All
 * steps that a file needs, and the change that made them necessary, are one transaction. A new
 * version needs a row here and a new RN_CATDB_VERSION. */
#include "repl/views/catalog_db.h"
#include "repl/views/view_set.h"

enum { ARENA_CAP = 256 << 20 };

/* Write all views again with what they use. */
static int uses_of_views(sqlite3 *db)
{
	struct rn_arena *a = rn_arena_create(ARENA_CAP);
	struct rn_viewset *before = rn_viewset_new(a, NULL), *after;
	int rc = rn_catviews_rows(db, before);

	after = rn_viewset_new(a, before);
	rn_catviews_complete(after);
	if (rc == SQLITE_OK)
		rc = rn_catviews_write(db, before, after);
	rn_arena_destroy(a);
	return rc;
}

static const struct step {
	const char *sql;
	int (*then)(sqlite3 *db);
} steps[RN_CATDB_VERSION] = {
	/* steps[i]: from version i to i + 1 */
	{"create table if not exists view(name text primary key, text text not null, doc text, "
	 "saved_ns integer not null);"
	 "create table if not exists tag(bytes blob primary key, added_ns integer not null);",
	 NULL},
	/* created_ns, saves: when a view first had this name, and how often it was saved since.
	 * generation: number of changes so far. view_use repeats what the texts say, for other
	 * readers, and so that SQLite itself enforces it. */
	/* the first files of version 1 lack this table */
	{"create table if not exists tag(bytes blob primary key, added_ns integer not null);"
	 "alter table view add column created_ns integer not null default 0;"
	 "alter table view add column saves integer not null default 1;"
	 "update view set created_ns = saved_ns;"
	 "create table view_use(view text not null references view(name) deferrable initially "
	 "deferred,"
	 " uses text not null references view(name) deferrable initially deferred, primary "
	 "key(view, uses)) without rowid;"
	 "create index view_use_uses on view_use(uses);"
	 "create table catalog(generation integer not null);"
	 "insert into catalog values(0);",
	 uses_of_views},
	/* the texts are in the words of this version: carry_over.c, before the first change */
	{"", NULL},
};

int rn_catsteps_run(sqlite3 *db, int64_t from)
{
	int rc = SQLITE_OK;

	for (int64_t v = from; v < RN_CATDB_VERSION && rc == SQLITE_OK; v++) {
		rc = sqlite3_exec(db, steps[v].sql, NULL, NULL, NULL);
		if (rc == SQLITE_OK && steps[v].then)
			rc = steps[v].then(db);
	}
	return rc;
}
