/* place.c - see place_impl.h.
 *
 * A recording becomes a new file, which takes the place of the old one. So a symbolic link is
 * followed first, or the link itself would be replaced; and the new file gets the owner and the
 * mode of the old one. The unfinished file is always a new one (O_EXCL): nothing is written through
 * a link, and no mode or owner that another user chose stays. What was there under that name is
 * removed only if it is ours. */
#include "exec/trace/place_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "exec/trace/fdvfs_impl.h"
#include "exec/trace/schema_impl.h"
#include "lang/base/memory.h"

/* Bytes of an SQLite file: its application_id, most significant byte first, and the versions of
 * format that write and read it. */
enum { HEADER_BYTES = 72, ID_AT = 68, VERSIONS_AT = 18, ROLLBACK = 1, COPY_BYTES = 1 << 20 };

/* ---- the file that is meant ---- */

static char *joined(const char *a, const char *b)
{
	char *s = rn_malloc(strlen(a) + strlen(b) + 1);

	stpcpy(stpcpy(s, a), b);
	return s;
}

int rn_trace_place_find(struct rn_trace_place *place, const char *path, struct rn_err *err)
{
	int r;

	*place = (struct rn_trace_place){0};
	r = rn_out_find(&place->at, path, 0, err);
	if (r)
		return r;
	place->part = joined(place->at.name, RN_TRACE_PART);
	place->part_path = joined(place->at.path, RN_TRACE_PART);
	return 0;
}

void rn_trace_place_free(struct rn_trace_place *place)
{
	rn_out_free(&place->at);
	free(place->part);
	free(place->part_path);
	place->part = place->part_path = NULL;
}

int rn_trace_place_look(const struct rn_trace_place *place, const char *path, struct stat *st,
			bool *there, struct rn_err *err)
{
	struct stat link;

	*there = rn_out_stat(&place->at, place->at.name, st);
	if (*there || lstat(path, &link) || !S_ISLNK(link.st_mode))
		return 0;
	rn_err_set(err, -EEXIST, "%s: is a symbolic link that leads to no file", path);
	rn_err_hint(err, "remove the link, or write to the name that it leads to");
	return err->code;
}

int rn_trace_place_alone(const struct rn_trace_place *place, const struct stat *st,
			 struct rn_err *err)
{
	const char *path = place->at.path;

	if (place->at.shared && st->st_uid != geteuid()) {
		rn_err_set(
			err, -EEXIST,
			"%s: belongs to another user, and others may place files in its directory",
			path);
		rn_err_hint(err, "remove it first, or write to another file");
		return err->code;
	}
	if (st->st_nlink <= 1)
		return 0;
	rn_err_set(err, -EMLINK,
		   "%s: has other names (hard links), which would stay with the old recording",
		   path);
	rn_err_hint(err,
		    "make it a file of its own first: cp \"%s\" NEW; mv NEW \"%s\"; "
		    "or write to another file",
		    path, path);
	return err->code;
}

/* ---- the copy ---- */

/* By way of this process, where the file systems cannot do it between themselves. */
static int copy_through(int from, int to)
{
	char *buf = rn_malloc(COPY_BYTES);
	ssize_t n;

	while ((n = read(from, buf, COPY_BYTES)) > 0)
		for (ssize_t at = 0, k; at < n; at += k)
			if ((k = write(to, buf + at, (size_t)(n - at))) < 0) {
				free(buf);
				return -errno;
			}
	free(buf);
	return n < 0 ? -errno : 0;
}

/* A recording that somebody gave a WAL has none in the copy, and needs none:
 * sqlite.org/fileformat.html. */
static int without_wal(int fd)
{
	const unsigned char versions[2] = {ROLLBACK, ROLLBACK};

	return pwrite(fd, versions, sizeof(versions), VERSIONS_AT) == sizeof(versions) ? 0 : -EIO;
}

int rn_trace_place_copy(const struct rn_trace_place *place, int to, struct rn_err *err)
{
	int from = openat(place->at.dir, place->at.name,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int r = from < 0 ? -errno : 0;
	struct stat st;
	ssize_t n = 1;

	if (!r && fstat(from, &st))
		r = -errno;
	else if (!r && !S_ISREG(st.st_mode))
		r = -EBUSY;
	if (r)
		rn_err_set(err, r, "%s: cannot be copied, to be added to: %s", place->at.path,
			   strerror(-r));
	else
		r = rn_trace_place_alone(place, &st, err);
	if (r) {
		if (from >= 0)
			close(from);
		return r;
	}
	while (!r && (n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
		;
	if (n < 0) /* it goes on where both descriptors stand */
		r = copy_through(from, to);
	if (!r)
		r = without_wal(to);
	close(from);
	return r ? rn_err_set(err, r, "%s: cannot be copied, to be added to: %s", place->at.path,
			      strerror(-r))
		 : 0;
}

/* ---- the unfinished file ---- */

static int foreign(const struct rn_trace_place *p, const char *what, struct rn_err *err)
{
	rn_err_set(err, -EEXIST, "%s %s, and the unfinished recording would have that name",
		   p->part_path, what);
	rn_err_hint(err, "give it another name, or record into another file");
	return err->code;
}

static bool is_ours(int fd)
{
	unsigned char h[HEADER_BYTES];
	const unsigned char *id = h + ID_AT;

	if (pread(fd, h, sizeof(h), 0) != sizeof(h) || memcmp(h, "SQLite format 3", 16) != 0)
		return false;
	return ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) ==
	       RN_TRACE_APPLICATION_ID;
}

static bool is_complete(int fd)
{
	struct rn_arena *a = rn_arena_create(4096);
	struct rn_fdvfs v;
	sqlite3 *db;
	bool complete = rn_fdvfs_open(&v, fd, false, &db) == SQLITE_OK &&
			rn_trace_defend(db, false) == SQLITE_OK &&
			!strcmp(rn_trace_meta(db, a, "complete"), "1");

	rn_fdvfs_close(&v, db);
	rn_arena_destroy(a);
	return complete;
}

/* *fd: what is there; -1: nothing. */
static int look_at_part(const struct rn_trace_place *place, int *fd, struct rn_err *err)
{
	struct stat st;

	*fd = openat(place->at.dir, place->part,
		     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT ? 0
				       : foreign(place,
						 errno == ELOOP ? "is a symbolic link"
								: "cannot be looked at",
						 err);
	if (fstat(*fd, &st) || !S_ISREG(st.st_mode))
		return foreign(place, "is no file", err);
	if (st.st_uid != geteuid())
		return foreign(place, "belongs to another user", err);
	if (st.st_size && !is_ours(*fd))
		return foreign(place, "is no recording", err);
	if (st.st_nlink > 1)
		return foreign(place, "has other names (hard links)", err);
	return 0;
}

int rn_trace_part_allowed(const struct rn_trace_place *place, struct rn_err *err)
{
	int fd, r = look_at_part(place, &fd, err);

	if (!r && fd >= 0 && is_complete(fd))
		r = foreign(place, "is a complete recording", err);
	if (fd >= 0)
		close(fd);
	return r;
}

static int busy(const struct rn_trace_place *p, struct rn_err *err)
{
	return rn_err_set(err, -EBUSY, "%s: is being written by another query", p->at.path);
}

/* Is the unfinished name still the file that fd is open on? */
static bool is_part(const struct rn_trace_place *p, int fd)
{
	struct stat a, b;

	return !fstat(fd, &a) && rn_out_stat(&p->at, p->part, &b) && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

/* One that nobody writes any more goes away. *old holds its lock until there is a new one. */
static int remove_old(const struct rn_trace_place *p, int *old, struct rn_err *err)
{
	int r = look_at_part(p, old, err);

	if (r || *old < 0)
		return r;
	if (flock(*old, LOCK_EX | LOCK_NB) || !is_part(p, *old))
		return busy(p, err);
	if (is_complete(*old))
		return foreign(p, "is a complete recording", err);
	if (unlinkat(p->at.dir, p->part, 0))
		return rn_err_set(err, -errno, "%s: cannot be removed: %s", p->part_path,
				  strerror(errno));
	return 0;
}

static int make_new(const struct rn_trace_place *p, int *fd, struct rn_err *err)
{
	struct stat st;

	*fd = rn_out_make(&p->at, p->part, rn_out_stat(&p->at, p->at.name, &st) ? 0600 : 0644);
	if (*fd < 0 && *fd != -EEXIST)
		return rn_err_set(err, *fd, "%s: cannot be made: %s", p->at.path, strerror(-*fd));
	/* another one may make or open it between these calls: then it is that one's */
	return *fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) ? busy(p, err) : 0;
}

int rn_trace_part_take(const struct rn_trace_place *place, int *out, struct rn_err *err)
{
	int old, fd = -1, r = remove_old(place, &old, err);

	if (!r)
		r = make_new(place, &fd, err);
	if (old >= 0)
		close(old);
	if (r && fd >= 0)
		close(fd);
	*out = r ? -1 : fd;
	return r;
}

void rn_trace_part_remove(const struct rn_trace_place *place, int fd)
{
	if (is_part(place, fd))
		unlinkat(place->at.dir, place->part, 0);
}

/* ---- what it becomes ---- */

static int cannot_get(const struct rn_trace_place *p, const char *what, int e, struct rn_err *err)
{
	rn_err_set(err, -e, "%s: a new recording in its place cannot get its %s: %s", p->at.path,
		   what, strerror(e));
	rn_err_hint(err, "write to another file");
	return -e;
}

int rn_trace_part_own(const struct rn_trace_place *place, int fd, struct rn_err *err)
{
	struct stat was, is;

	if (!rn_out_stat(&place->at, place->at.name, &was) || fstat(fd, &is))
		return 0; /* the mode is that of a new file, or the narrow one */
	if ((was.st_uid != is.st_uid && geteuid() != 0) ||
	    (was.st_gid != is.st_gid && fchown(fd, (uid_t)-1, was.st_gid)))
		return cannot_get(place, "owner", EPERM, err);
	return 0;
}

static int get_owner(const struct rn_trace_place *p, int fd, struct rn_err *err)
{
	struct stat was, is;
	int r;

	if (!rn_out_stat(&p->at, p->at.name, &was) || !S_ISREG(was.st_mode) || fstat(fd, &is))
		return 0;
	r = rn_trace_place_alone(p, &was, err);
	if (r)
		return r;
	if ((was.st_uid != is.st_uid || was.st_gid != is.st_gid) &&
	    fchown(fd, was.st_uid, was.st_gid))
		return cannot_get(p, "owner", errno, err);
	return fchmod(fd, was.st_mode & 0777) ? cannot_get(p, "mode", errno, err) : 0;
}

/* Its rows are whole, but not where they belong. */
static int stays(const struct rn_trace_place *p, bool *leave, struct rn_err *err)
{
	*leave = true;
	rn_err_hint(err, "what was recorded is complete, in %s: give it another name",
		    p->part_path);
	return err->code;
}

static bool is_named(const struct rn_trace_place *p, int fd)
{
	struct stat a, b;

	return !fstat(fd, &a) && rn_out_stat(&p->at, p->at.name, &b) && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

int rn_trace_part_name(const struct rn_trace_place *place, int fd, bool fresh, bool *leave,
		       struct rn_err *err)
{
	const char *path = place->at.path;
	int dir = place->at.dir, r;

	if (!is_part(place, fd)) {
		*leave = true; /* what has that name now is not ours to remove */
		return rn_err_set(err, -EBUSY,
				  "%s: another program moved the unfinished recording %s", path,
				  place->part_path);
	}
	if (!fresh && get_owner(place, fd, err))
		return stays(place, leave, err);
	r = fresh ? renameat2(dir, place->part, dir, place->at.name, RENAME_NOREPLACE) : -1;
	if (fresh && r < 0 && errno == EEXIST) {
		rn_err_set(err, -EEXIST, "%s was made by another program meanwhile", path);
		return stays(place, leave, err);
	}
	if (r < 0 && renameat(dir, place->part, dir, place->at.name) < 0)
		return rn_err_set(err, -errno, "%s: cannot be given its name: %s", path,
				  strerror(errno));
	if (is_named(place, fd))
		return 0;
	*leave = true;
	return rn_err_set(err, -EBUSY, "%s: another program put another file there meanwhile",
			  path);
}
