/* catalog_db.h - the file of the catalogue: the path given, $RUNNEL_CATALOG or
 * ~/.local/share/runnel/catalog.db. It is an SQLite database of saved views and of the set of tags.
 * A file that is not ours is left as it is.
 *
 * Versions: a file of any older version can be read. The first change migrates it to this version
 * in the transaction of that change, so a migration that fails leaves the file as it was. A newer
 * version is refused.
 *
 * The journal is SQLite's rollback journal, not a WAL. So there is one file when nobody writes. It
 * can be read if neither the file nor its directory may be written, and on file systems without
 * shared memory. Writers are rare and lock the file for milliseconds. A caller that waits in vain
 * gets an error. */
#ifndef RN_REPL_VIEWS_CATALOG_DB_H
#define RN_REPL_VIEWS_CATALOG_DB_H
#include <sqlite3.h>
#include <stdint.h>
#include "lang/base/arena.h"
#include "lang/base/err.h"

enum { RN_CATDB_VERSION = 3, RN_CATDB_APP = 0x524e4c43 /* "RNLC": PRAGMA application_id */ };

struct rn_viewset;
struct rn_catdb {
	struct rn_arena *arena;
	const char *path;
};
/* path NULL: its default place */
struct rn_catdb rn_catdb_of(struct rn_arena *arena, const char *path);
/* Opens the file and checks that it is ours: -EMEDIUMTYPE if it is not, or is of a newer version.
 * write: makes the file and its directories; else *db is NULL if there is no file. */
int rn_catdb_open(const struct rn_catdb *catdb, bool write, sqlite3 **db, struct rn_err *err);
/* The version of an open file; 0: there is none yet. */
int64_t rn_catdb_version(sqlite3 *db);
/* Copies the open file to PATH.1, or to the first free one of PATH.2 and so on. *kept: its path, in
 * catdb's arena; NULL: it was not made. Returns 0, or a negative errno with err set: then *kept, if
 * any, is to be removed. */
int rn_catdb_keep(const struct rn_catdb *catdb, sqlite3 *db, const char **kept, struct rn_err *err);
/* Begins a transaction that writes; migrates the tables to this version in it. */
int rn_catdb_begin(const struct rn_catdb *catdb, sqlite3 *db, struct rn_err *err);
/* Sets err to an SQLite code, with its text and the way out. Returns the negative errno. what:
 * "read", "written". */
int rn_catdb_error(const struct rn_catdb *catdb, sqlite3 *db, int rc, const char *what,
		   struct rn_err *err);

/* migrations.c: migrates the tables from a version (0: none yet) to this one, inside a transaction.
 * Returns an SQLite code. */
int rn_catsteps_run(sqlite3 *db, int64_t from);
/* catalog_rows.c: read the saved views of any version, as this version understands them; or as the
 * rows are. Return SQLite codes. */
int rn_catviews_read(sqlite3 *db, struct rn_viewset *views);
int rn_catviews_rows(sqlite3 *db, struct rn_viewset *views);
/* Adds missing `use` lines: a view of version 1 that was defined behind `use io` has none. */
void rn_catviews_complete(struct rn_viewset *views);
/* Writes the differences, inside a transaction, and which view uses which. */
int rn_catviews_write(sqlite3 *db, const struct rn_viewset *before, const struct rn_viewset *after);
#endif
