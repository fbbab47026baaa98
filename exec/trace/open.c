/* open.c - opens a recording, which is a file of a stranger: all that reads one comes here.
 *
 * The file is opened once. Its header is looked at, SQLite reads by the same descriptor
 * (fdvfs_impl.h), and its schema and its small tables are checked (schema.c) before anybody
 * asks for a row. Until rn_trace_until says otherwise, statements may take a bounded number of
 * steps: a file can be made so that a small table never ends. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/trace/fdvfs_impl.h"
#include "exec/trace/schema_impl.h"
#include "lang/base/memory.h"

enum {
	HEADER_BYTES = 100,
	PAGE_AT = 16,
	COUNT_AT = 28,
	ENCODING_AT = 56,
	VERSION_AT = 60,
	ID_AT = 68
};
/* of SQLite's machine, between two looks at the clock of a statement */
enum { STEPS_A_CALL = 500 };
/* Calls until a statement has taken too long: of the schema, which has a few rows for each table;
 * then of all that is read before events are: some seconds. */
enum { SCHEMA_CALLS = 2, OTHER_CALLS = 800 * 1000 };
/* Where SQLite's own processes lock a file (its file format, "File Locking"): a writer locks the
 * first byte and then all others, a reader one among the others. */
enum { PENDING_AT = 0x40000000, LOCK_BYTES = 512 };

struct opened {
	struct rn_fdvfs vfs; /* first: what rn_fdvfs_of gives */
	struct stat st;      /* as it was when it was opened */
	const volatile int *stop;
	int64_t calls; /* that are left; negative: as many as it takes */
	bool spent;
};

static struct opened *of(sqlite3 *db)
{
	return (struct opened *)rn_fdvfs_of(db);
}

/* ---- the file: what SQLite would also find, but told in words that fit ---- */

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int missing(const char *path, struct rn_err *err)
{
	char *part = sqlite3_mprintf("%s%s", path, RN_TRACE_PART);
	int e = errno;

	rn_err_set(err, -e, "%s: cannot be read: %s", path, strerror(e));
	if (part && e == ENOENT && !access(part, F_OK))
		rn_err_hint(err, "%s is a recording that was not finished", part);
	sqlite3_free(part);
	return -e;
}

static int check_header(const char *path, const unsigned char *h, ssize_t n, int64_t size,
			struct rn_err *err)
{
	uint32_t page, version;

	if (!size)
		return rn_err_set(err, -EBADMSG, "%s: is empty", path);
	if (n < HEADER_BYTES || memcmp(h, "SQLite format 3", 16))
		return rn_err_set(err, -EBADMSG, "%s: is no trace: not an SQLite database", path);
	if (be32(h + ID_AT) != RN_TRACE_APPLICATION_ID)
		return rn_err_set(err, -EBADMSG,
				  "%s: is no trace: an SQLite database of another program", path);
	version = be32(h + VERSION_AT);
	if (version > RN_TRACE_FORMAT)
		return rn_err_set(
			err, -EPROTONOSUPPORT,
			"%s: was recorded by a newer version (format %u; this one reads up to %u)",
			path, version, RN_TRACE_FORMAT);
	if (be32(h + ENCODING_AT) > 1)
		return rn_err_set(err, -EBADMSG, "%s: is damaged: its texts are not in UTF-8",
				  path);
	page = (uint32_t)h[PAGE_AT] << 8 | h[PAGE_AT + 1];
	if (page == 1)
		page = 65536;
	if (size < (int64_t)page * be32(h + COUNT_AT))
		return rn_err_set(err, -ENODATA, "%s: is cut short: %lld of %lld bytes", path,
				  (long long)size, (long long)page * be32(h + COUNT_AT));
	return 0;
}

/* Rows may be in a file beside this one, or this one be half changed: SQLite would put that right,
 * by writing. real: the path without symbolic links, beside which such files are. */
static int check_beside(const char *path, const char *real, struct rn_err *err)
{
	static const char *const ends[] = {"-wal", "-journal"};
	struct stat st;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		char *beside = sqlite3_mprintf("%s%s", real, ends[i]);
		bool there = beside && !lstat(beside, &st) && st.st_size > 0;

		if (there) {
			rn_err_set(err, -EBUSY, "%s: is not whole: its last changes are in %s",
				   path, beside);
			rn_err_hint(err,
				    "if you trust both files, fold it in: "
				    "sqlite3 \"%s\" 'pragma journal_mode = delete; select 1 from "
				    "meta limit 1'",
				    path);
		}
		sqlite3_free(beside);
		if (there)
			return err ? err->code : -EBUSY;
	}
	return 0;
}

/* The lock of a reader, against programs that change recordings with SQLite. Where a file system
 * has no locks, rn_trace_unchanged finds what they did. */
static int lock(const char *path, int fd, struct rn_err *err)
{
	struct flock l = {.l_type = F_RDLCK,
			  .l_whence = SEEK_SET,
			  .l_start = PENDING_AT + 2,
			  .l_len = LOCK_BYTES - 2};

	if (fcntl(fd, F_OFD_SETLK, &l) && (errno == EAGAIN || errno == EACCES))
		return rn_err_set(err, -EBUSY, "%s: is still being written", path);
	return 0;
}

static int open_file(const char *path, int *fd, struct stat *st, struct rn_err *err)
{
	unsigned char h[HEADER_BYTES] = {0};
	char *real;
	int r;

	*fd = open(path,
		   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO must not hold us up */
	if (*fd < 0)
		return missing(path, err);
	if (fstat(*fd, st) < 0 || !S_ISREG(st->st_mode))
		return rn_err_set(err, -EBADMSG, "%s: is no trace: not a regular file", path);
	r = check_header(path, h, pread(*fd, h, sizeof(h), 0), st->st_size, err);
	if (r)
		return r;
	real = realpath(path, NULL);
	r = check_beside(path, real ? real : path, err);
	free(real);
	return r;
}

int rn_trace_check(const char *path, struct rn_err *err)
{
	struct stat st;
	int fd, r = open_file(path, &fd, &st, err);

	if (fd >= 0)
		close(fd);
	return r;
}

/* ---- the connection ---- */

static int look(void *self)
{
	struct opened *o = self;

	if (rn_stopped(o->stop))
		return 1;
	if (o->calls < 0)
		return 0;
	o->spent |= !o->calls;
	o->calls -= !o->spent;
	return o->spent;
}

static const struct {
	int what, most;
} limits[] = {
	{SQLITE_LIMIT_LENGTH, RN_TRACE_ROW_MAX},
	{SQLITE_LIMIT_COLUMN, RN_TRACE_FIELDS_MAX + 16},
	{SQLITE_LIMIT_EXPR_DEPTH, 50},
	{SQLITE_LIMIT_COMPOUND_SELECT, 2},
	{SQLITE_LIMIT_FUNCTION_ARG, 8},
	{SQLITE_LIMIT_ATTACHED, 0},
	{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
	{SQLITE_LIMIT_VARIABLE_NUMBER, RN_TRACE_FIELDS_MAX + 16},
	{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
	{SQLITE_LIMIT_WORKER_THREADS, 0},
	{SQLITE_LIMIT_SQL_LENGTH, RN_TRACE_SQL_MAX},
};
static const struct {
	int what, on;
} settings[] = {
	{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
	{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
	{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
	{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
	{SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
	/* else a column that is missing is a text */
	{SQLITE_DBCONFIG_DQS_DML, 0},
	{SQLITE_DBCONFIG_DQS_DDL, 0},
};

int rn_trace_defend(sqlite3 *db, bool write)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		sqlite3_limit(db, limits[i].what, limits[i].most);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings) && rc == SQLITE_OK; i++)
		rc = sqlite3_db_config(db, settings[i].what, settings[i].on, NULL);
	return rc == SQLITE_OK && !write ? sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL)
					 : rc;
}

/* What is kept of a file's pages is few, and none is mapped: both are the defaults of SQLite, which
 * may have been built with others. */
static const char pragmas[] = "PRAGMA mmap_size = 0; PRAGMA cache_size = -2000; PRAGMA "
			      "cell_size_check = 1; SELECT 1 FROM sqlite_schema LIMIT 1";

static int is_finished(sqlite3 *db, const char *path, struct rn_err *err)
{
	struct rn_arena *a = rn_arena_create(4096);
	bool is = !strcmp(rn_trace_meta(db, a, "complete"), "1");

	rn_arena_destroy(a);
	/* without that table it is another fault, which is reported later */
	if (is || sqlite3_table_column_metadata(db, NULL, "meta", "value", NULL, NULL, NULL, NULL,
						NULL) != SQLITE_OK)
		return 0;
	return rn_err_set(err, -ENODATA,
			  "%s: was not finished: the recording ended before it was complete", path);
}

static int begin(struct opened *o, int fd, const char *path, sqlite3 **db, struct rn_err *err)
{
	int rc = rn_fdvfs_open(&o->vfs, fd, false, db), r;

	o->calls = SCHEMA_CALLS;
	if (*db)
		sqlite3_progress_handler(*db, STEPS_A_CALL, look, o);
	if (rc == SQLITE_OK)
		rc = rn_trace_defend(*db, false);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(*db, pragmas, NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return rn_trace_damaged(*db, path, err);
	o->calls = OTHER_CALLS;
	sqlite3_limit(*db, SQLITE_LIMIT_SQL_LENGTH, RN_TRACE_ROW_MAX); /* of our own statements */
	r = rn_trace_plain(*db, path, err);
	if (!r)
		r = is_finished(*db, path, err);
	if (!r)
		r = rn_trace_schema(*db, path, err);
	return r ? r : rn_trace_contents(*db, path, err);
}

int rn_trace_open(const char *path, sqlite3 **out, struct rn_err *err)
{
	struct opened *o = rn_calloc(1, sizeof(*o));
	sqlite3 *db = NULL;
	int fd, r = open_file(path, &fd, &o->st, err);

	if (!r)
		r = lock(path, fd, err);
	if (!r)
		r = begin(o, fd, path, &db, err);
	if (!r) {
		*out = db;
		return 0;
	}
	/* who records holds this lock until the file has its name */
	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		r = rn_err_set(err, -EBUSY, "%s: is still being written", path);
	rn_fdvfs_close(&o->vfs, db);
	if (fd >= 0)
		close(fd);
	free(o);
	return r;
}

void rn_trace_shut(sqlite3 *db)
{
	struct opened *o = db ? of(db) : NULL;
	int fd = o ? o->vfs.fd : -1;

	if (!o)
		return;
	rn_fdvfs_close(&o->vfs, db);
	close(fd);
	free(o);
}

void rn_trace_until(sqlite3 *db, const volatile int *stop)
{
	struct opened *o = of(db);

	o->calls = -1;
	o->stop = stop;
}

static int too_long(const char *path, struct rn_err *err)
{
	return rn_err_set(err, -EBADMSG,
			  "%s: is damaged: it takes too many steps to read what it holds", path);
}

int64_t rn_trace_bytes(sqlite3 *db)
{
	return of(db)->st.st_size;
}

int rn_trace_unchanged(sqlite3 *db, const char *path, struct rn_err *err)
{
	struct opened *o = of(db);
	struct stat st;

	if (o->spent)
		return too_long(path, err);
	if (!fstat(o->vfs.fd, &st) && st.st_size == o->st.st_size &&
	    st.st_mtim.tv_sec == o->st.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == o->st.st_mtim.tv_nsec)
		return 0;
	return rn_err_set(err, -EBADMSG, "%s: was changed while it was read", path);
}

int rn_trace_damaged(sqlite3 *db, const char *path, struct rn_err *err)
{
	switch (sqlite3_errcode(db)) {
	case SQLITE_BUSY: return rn_err_set(err, -EBUSY, "%s: is still being written", path);
	case SQLITE_NOMEM: return rn_err_set(err, -ENOMEM, "%s: no memory to read it", path);
	case SQLITE_INTERRUPT: return too_long(path, err);
	case SQLITE_TOOBIG:
		return rn_err_set(err, -EBADMSG,
				  "%s: is damaged: a row of it is longer than %d bytes", path,
				  RN_TRACE_ROW_MAX);
	default: return rn_err_set(err, -EBADMSG, "%s: is damaged: %s", path, sqlite3_errmsg(db));
	}
}
