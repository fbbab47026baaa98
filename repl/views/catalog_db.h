/* catalog_db.h - the file of the catalogue: as it was named, $RUNNEL_CATALOG or
 * ~/.local/share/runnel/catalog.db, an SQLite database of saved views and of the set of tags. A
 * file that is not ours is left as it is.
 *
 * Versions: what is there is read in whatever version it has; the first change brings it to this
 * one, in the transaction of that change, so that a migration that fails leaves the file as it was.
 * A newer version is refused.
 *
 * The journal is SQLite's rollback journal, not a WAL: one file when nobody writes, readable where
 * neither the file nor its directory may be written, and on file systems without shared memory.
 * Writers are rare and hold it for milliseconds; who waits in vain is told. */
#ifndef RN_REPL_VIEWS_CATALOG_DB_H
#define RN_REPL_VIEWS_CATALOG_DB_H
#include <sqlite3.h>
#include <stdint.h>
#include "lang/base/arena.h"
#include "lang/base/err.h"

enum { RN_CATDB_VERSION = 2, RN_CATDB_APP = 0x524e4c43 /* "RNLC": PRAGMA application_id */ };

struct rn_viewset;
struct rn_catdb {
	struct rn_arena *arena;
	const char *path;
};
/* path NULL: where it is by default */
struct rn_catdb rn_catdb_of(struct rn_arena *a, const char *path);
/* Opens what is there and checks that it is ours: -EMEDIUMTYPE if it is not, or of a newer version.
 * write: makes the file and its directories; else *db is NULL if there is none. */
int rn_catdb_open(const struct rn_catdb *c, bool write, sqlite3 **db, struct rn_err *err);
/* Begins a transaction of one who writes, in which the tables are those of this version. */
int rn_catdb_begin(const struct rn_catdb *c, sqlite3 *db, struct rn_err *err);
/* The negative errno of an SQLite code, with its text and the way out. what: "read", "written". */
int rn_catdb_error(const struct rn_catdb *c, sqlite3 *db, int rc, const char *what,
		   struct rn_err *err);

/* migrations.c: brings the tables from a version (0: none yet) to this one, inside a transaction.
 * An SQLite code. */
int rn_catsteps_run(sqlite3 *db, int64_t from);
/* catalog_rows.c: the saved views, of any version, as this one understands them; or as they stand
 * there. SQLite codes. */
int rn_catviews_read(sqlite3 *db, struct rn_viewset *s);
int rn_catviews_rows(sqlite3 *db, struct rn_viewset *s);
/* A view of version 1 that was defined behind `use io` does not say so: it gets the line. */
void rn_catviews_complete(struct rn_viewset *s);
/* Writes what differs, inside a transaction, and which view uses which. */
int rn_catviews_write(sqlite3 *db, const struct rn_viewset *before, const struct rn_viewset *after);
#endif
