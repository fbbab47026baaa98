/* catdb.h - the file of the catalogue: as it was named, $RUNNEL_CATALOG or ~/.local/share/runnel/catalog.db, an SQLite database of saved views
 * and of the set of tags. A file that is not ours is left as it is. Internal to repl/lib/. */
#ifndef RN_LIB_CATDB_H
#define RN_LIB_CATDB_H
#include <sqlite3.h>
#include "lang/arena.h"
#include "lang/err.h"

struct rn_catdb { struct rn_arena *arena; const char *path; };
struct rn_catdb rn_catdb_of(struct rn_arena *a, const char *path); /* path NULL: where it is by default */
/* Opens what is there and checks that it is ours. write: makes the file and its directories; else *db is NULL if there is none. */
int rn_catdb_open(const struct rn_catdb *c, bool write, sqlite3 **db, struct rn_err *err);
/* Begins a transaction, in which the tables are there. An SQLite code. */
int rn_catdb_begin(sqlite3 *db);
/* The negative errno of an SQLite code, with its text. what: "read", "written". */
int rn_catdb_error(const struct rn_catdb *c, sqlite3 *db, int rc, const char *what, struct rn_err *err);
#endif
