/* catalog_db.c - see catalog_db.h. Every error tells the file's path, and that the file is
 * unchanged. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lang/files/outfile.h"
#include "repl/views/catalog_db.h"

enum { WAIT_MS = 5000 };

static const char *path_of(struct rn_arena *a)
{
	const char *own = getenv("RUNNEL_CATALOG"), *data = getenv("XDG_DATA_HOME"),
		   *home = getenv("HOME");

	if (own && *own)
		return rn_arena_strdup(a, own);
	if (data && *data)
		return rn_arena_printf(a, "%s/runnel/catalog.db", data);
	return rn_arena_printf(a, "%s/.local/share/runnel/catalog.db",
			       home && *home ? home : "/root");
}

struct rn_catdb rn_catdb_of(struct rn_arena *arena, const char *path)
{
	return (struct rn_catdb){.arena = arena,
				 .path = path ? rn_arena_strdup(arena, path) : path_of(arena)};
}

/* What to do about an SQLite code: the first row that matches counts. */
static const struct {
	int rc, code;
	const char *why, *hint;
} ways[] = {
	{SQLITE_BUSY, -EBUSY, "another process is writing it",
	 "nothing was changed; try again. If that lasts, `fuser` with the file's name shows who "
	 "holds it"},
	{SQLITE_LOCKED, -EBUSY, "another process is writing it", "nothing was changed; try again"},
	{SQLITE_NOTADB, -EIO, NULL,
	 "the file was left as it is; move it away, restore it, or name another in RUNNEL_CATALOG"},
	{SQLITE_CORRUPT, -EIO, NULL,
	 "the file was left as it is; move it away, restore it, or name another in RUNNEL_CATALOG"},
	{SQLITE_READONLY, -EACCES, NULL,
	 "to save, both the file and its directory must be writable; --catalog or RUNNEL_CATALOG "
	 "names another"},
	{SQLITE_CANTOPEN, -EACCES, NULL,
	 "to save, its directory must be there and writable; --catalog or RUNNEL_CATALOG names "
	 "another"},
	{SQLITE_PERM, -EACCES, NULL, "--catalog or RUNNEL_CATALOG names another"},
	{SQLITE_FULL, -ENOSPC, NULL,
	 "nothing was changed; make room, or name another with --catalog"},
	{SQLITE_IOERR, -EIO, NULL,
	 "nothing was changed; a file system without locks (some NFS) cannot hold it: name one of "
	 "a local disk with --catalog"},
};

int rn_catdb_error(const struct rn_catdb *catdb, sqlite3 *db, int rc, const char *what,
		   struct rn_err *err)
{
	enum { WAYS = sizeof(ways) / sizeof(*ways) };
	unsigned i = 0;
	const char *why;

	while (i < WAYS && ways[i].rc != (rc & 0xff))
		i++;
	why = i < WAYS ? ways[i].why : NULL;
	if (!why)
		why = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
	rn_err_set(err, i < WAYS ? ways[i].code : -EIO,
		   "the catalogue of views %s cannot be %s: %s", catdb->path, what, why);
	rn_err_hint(err, "%s",
		    i < WAYS ? ways[i].hint
			     : "the file was left as it is; RUNNEL_CATALOG names another");
	return err->code;
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

/* ---- where the file may be ---- */

/* The absolute path: SQLite also opens files beside the catalogue by name. */
static const char *from_top(const struct rn_catdb *s)
{
	char here[PATH_MAX];

	return s->path[0] == '/' || !getcwd(here, sizeof(here))
		       ? s->path
		       : rn_arena_printf(s->arena, "%s/%s", here, s->path);
}

static int may_write_there(const struct rn_catdb *db, const struct rn_out_place *place,
			   struct rn_err *err)
{
	struct stat st;

	if (place->shared) {
		rn_err_set(err, -EEXIST,
			   "%s: other users may place files there, which would be taken for those "
			   "that SQLite keeps beside it",
			   place->path);
		rn_err_hint(err, "name one in a directory where only you and root may, with "
				 "--catalog or RUNNEL_CATALOG");
		return err->code;
	}
	if (!rn_out_stat(place, place->name, &st) ||
	    faccessat(place->dir, place->name, W_OK, AT_EACCESS))
		return 0; /* opening it tells what cannot be made or written */
	if (S_ISREG(st.st_mode))
		return rn_out_writable(place, &st, err);
	rn_err_set(err, -EEXIST, "%s: is no file", db->path);
	rn_err_hint(err, "name another with --catalog or RUNNEL_CATALOG");
	return err->code;
}

/* *path: the catalogue's path without symbolic links. NULL: SQLite must not use it, and err says
 * why (no code: the system does not let us). */
static int place_to_write(const struct rn_catdb *s, const char **path, struct rn_err *err)
{
	struct rn_out_place p;
	int r = rn_out_find(&p, from_top(s), 0755, err);

	if (!r)
		r = may_write_there(s, &p, err);
	*path = r ? NULL : rn_arena_strdup(s->arena, p.path);
	rn_out_free(&p);
	if (r == -EEXIST)
		return rn_err_wrap(err, "the catalogue of views %s cannot be written", s->path);
	return r ? rn_catdb_error(s, NULL, SQLITE_CANTOPEN, "opened", err) : 0;
}

/* May others place files beside it? Then ignore such files, and read the catalogue as it is. */
static bool is_among_others(const struct rn_catdb *s)
{
	struct rn_out_place p;
	bool shared = rn_out_find(&p, from_top(s), 0, NULL) || p.shared;

	rn_out_free(&p);
	return shared;
}

/* ---- opening it ---- */

/* Read the file into SQLite's memory; NULL: *rc is an SQLite code. Its two format versions tell
 * that there is no WAL: sqlite.org/fileformat.html. */
static unsigned char *read_file(const char *path, sqlite3_int64 *n, int *rc)
{
	enum { MOST = 256 << 20, HEADER = 100, VERSIONS_AT = 18, ROLLBACK = 1 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	unsigned char *b = NULL;
	ssize_t got = 1;

	*rc = SQLITE_CANTOPEN;
	*n = 0;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MOST)
		b = sqlite3_malloc64((sqlite3_uint64)st.st_size + HEADER);
	while (b && *n < st.st_size && (got = read(fd, b + *n, (size_t)(st.st_size - *n))) > 0)
		*n += got;
	if (fd >= 0)
		close(fd);
	if (*n >= HEADER)
		b[VERSIONS_AT] = b[VERSIONS_AT + 1] = ROLLBACK;
	return b;
}

/* Read the file as it is, without a name, so that SQLite opens no file beside it. A file that is
 * being written, or was left half-written, is refused. */
static int open_image(const struct rn_catdb *catdb, sqlite3 **db, int64_t *tables)
{
	sqlite3_int64 n;
	struct stat st;
	int rc;
	unsigned char *b = read_file(catdb->path, &n, &rc);

	if (!b)
		return rc;
	if (!stat(rn_arena_printf(catdb->arena, "%s-journal", catdb->path), &st) && st.st_size)
		rc = SQLITE_BUSY;
	else
		rc = sqlite3_open_v2(":memory:", db, SQLITE_OPEN_READWRITE, NULL);
	if (rc == SQLITE_OK && n)
		rc = sqlite3_deserialize(*db, "main", b, n, n,
					 SQLITE_DESERIALIZE_FREEONCLOSE |
						 SQLITE_DESERIALIZE_READONLY);
	else
		sqlite3_free(b);
	return rc == SQLITE_OK ? pragma(*db, "select count(*) from sqlite_schema", tables) : rc;
}

/* Defend against the content: the file may be a link to another user's. */
static void defend(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_busy_timeout(db, WAIT_MS);
}

/* A reader cannot clean up after a writer that died halfway; then open the file for writing. */
static int open_to_read(const char *path, sqlite3 **db, int64_t *tables)
{
	static const int flags[] = {SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE};
	int rc = SQLITE_OK;

	for (unsigned i = 0; i < 2; i++) {
		rc = sqlite3_open_v2(path, db, flags[i], NULL);
		if (rc == SQLITE_OK) {
			defend(*db);
			rc = pragma(*db, "select count(*) from sqlite_schema", tables);
		}
		if (i || ((rc & 0xff) != SQLITE_READONLY && (rc & 0xff) != SQLITE_CANTOPEN))
			break;
		sqlite3_close(*db);
	}
	return rc;
}

static int open_to_write(const char *path, sqlite3 **db, int64_t *tables)
{
	int rc = sqlite3_open_v2(
		path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, NULL);

	if (rc == SQLITE_OK) {
		defend(*db);
		rc = pragma(*db, "select count(*) from sqlite_schema", tables);
	}
	return rc == SQLITE_OK ? sqlite3_exec(*db, "pragma foreign_keys = on", NULL, NULL, NULL)
			       : rc;
}

static int newer(const struct rn_catdb *s, struct rn_err *err)
{
	rn_err_set(err, -EMEDIUMTYPE, "the catalogue of views %s was made by a newer version",
		   s->path);
	rn_err_hint(err, "the file was left as it is; name another in RUNNEL_CATALOG");
	return err->code;
}

int rn_catdb_open(const struct rn_catdb *catdb, bool write, sqlite3 **db, struct rn_err *err)
{
	int64_t app = 0, version = 0, tables = 0;
	const char *path;
	int rc, code;

	*db = NULL;
	if (!write && access(catdb->path, F_OK) != 0)
		return 0;
	path = catdb->path;
	if (write && place_to_write(catdb, &path, err))
		return err->code;
	rc = write                    ? open_to_write(path, db, &tables)
	     : is_among_others(catdb) ? open_image(catdb, db, &tables)
				      : open_to_read(path, db, &tables);
	if (rc == SQLITE_OK)
		rc = pragma(*db, "pragma application_id", &app);
	if (rc == SQLITE_OK)
		rc = pragma(*db, "pragma user_version", &version);
	code = 0;
	if (rc != SQLITE_OK) {
		code = rn_catdb_error(catdb, *db, rc, rc == SQLITE_CANTOPEN ? "opened" : "read",
				      err);
	} else if (tables && app != RN_CATDB_APP) {
		code = rn_err_set(err, -EMEDIUMTYPE,
				  "%s is an SQLite database, but no catalogue of views",
				  catdb->path);
		rn_err_hint(err, "the file was left as it is; name another in RUNNEL_CATALOG");
	} else if (version > RN_CATDB_VERSION) {
		code = newer(catdb, err);
	}
	if (code || (!tables && !write)) {
		sqlite3_close(*db);
		*db = NULL;
	}
	return code;
}

int64_t rn_catdb_version(sqlite3 *db)
{
	int64_t version = 0;

	return pragma(db, "pragma user_version", &version) == SQLITE_OK ? version : 0;
}

/* Make an empty file beside the catalogue, of a name that is free. Returns 0 or a negative errno.
 */
static int free_file(const struct rn_catdb *catdb, const char **path, struct rn_err *err)
{
	enum { MOST = 99 };
	struct rn_out_place place;
	struct stat st;
	int r = rn_out_find(&place, from_top(catdb), 0, err), fd = -EEXIST;

	if (!r && !rn_out_stat(&place, place.name, &st))
		st.st_mode = 0600;
	for (unsigned i = 1; !r && fd == -EEXIST && i <= MOST; i++) {
		const char *name = rn_arena_printf(catdb->arena, "%s.%u", place.name, i);

		fd = rn_out_make(&place, name, st.st_mode & 0777);
		*path = rn_arena_printf(catdb->arena, "%s.%u", place.path, i);
	}
	rn_out_free(&place);
	if (r)
		return r;
	if (fd < 0)
		return rn_err_set(err, fd, "%s cannot be made: %s", *path, strerror(-fd));
	close(fd);
	return 0;
}

int rn_catdb_keep(const struct rn_catdb *catdb, sqlite3 *db, const char **kept, struct rn_err *err)
{
	int rc = free_file(catdb, kept, err);
	char *sql;

	if (rc) {
		*kept = NULL;
		return rc;
	}
	sql = sqlite3_mprintf("vacuum into %Q", *kept); /* an empty file may be there */
	rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc == SQLITE_OK ? 0 : rn_catdb_error(catdb, db, rc, "copied", err);
}

int rn_catdb_begin(const struct rn_catdb *catdb, sqlite3 *db, struct rn_err *err)
{
	int64_t version = 0;
	char ids[100];
	int rc = sqlite3_exec(db, "begin immediate", NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = pragma(db, "pragma user_version", &version);
	/* another process migrated it since it was opened */
	if (rc == SQLITE_OK && version > RN_CATDB_VERSION)
		return newer(catdb, err);
	if (rc == SQLITE_OK && version == RN_CATDB_VERSION)
		return 0;
	if (rc == SQLITE_OK)
		rc = rn_catsteps_run(db, version < 0 ? 0 : version);
	sqlite3_snprintf(sizeof(ids), ids, "pragma application_id = %d; pragma user_version = %d;",
			 RN_CATDB_APP, RN_CATDB_VERSION);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, ids, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		return 0;
	return rn_catdb_error(catdb, db, rc,
			      version ? rn_arena_printf(catdb->arena,
							"brought from version %d to %d",
							(int)version, RN_CATDB_VERSION)
				      : "written",
			      err);
}
