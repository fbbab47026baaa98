/* trace_place.c - see trace_place.h.
 *
 * A recording becomes a new file, which takes the place of the old one. So a symbolic link is
 * followed first, or the link itself would be replaced; and the new file gets the owner and the
 * mode of the old one. The unfinished file is always made anew (O_EXCL): nothing is written through
 * a link, and no mode or owner that another user chose stays. What was there under that name is
 * removed only if it is ours. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "exec/trace_place.h"

/* Of an SQLite file: its application_id, most significant byte first. */
enum { HEADER_BYTES = 72, ID_AT = 68 };

/* ---- the file that is meant --------------------------------------------------------------- */

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

char *rn_trace_place(const char *path)
{
	return is_link(path) ? realpath(path, NULL) : strdup(path);
}

int rn_trace_place_look(const char *path, struct stat *st, bool *there, struct rn_err *err)
{
	*there = !stat(path, st);
	if (*there || !is_link(path))
		return 0;
	rn_err_set(err, -EEXIST, "%s: is a symbolic link that leads to no file", path);
	rn_err_hint(err, "remove the link, or write to the name that it leads to");
	return err->code;
}

int rn_trace_place_alone(const char *path, const struct stat *st, struct rn_err *err)
{
	if (st->st_nlink <= 1)
		return 0;
	rn_err_set(err, -EMLINK,
		   "%s: has other names (hard links), which would stay with the old recording", path);
	rn_err_hint(err, "make it a file of its own first: cp \"%s\" NEW; mv NEW \"%s\"; "
		    "or write to another file", path, path);
	return err->code;
}

/* ---- the unfinished file ------------------------------------------------------------------ */

static int foreign(const char *part, const char *what, struct rn_err *err)
{
	rn_err_set(err, -EEXIST, "%s %s, and the unfinished recording would have that name",
		   part, what);
	rn_err_hint(err, "give it another name, or record into another file");
	return err->code;
}

static bool is_ours(int fd)
{
	unsigned char h[HEADER_BYTES];
	const unsigned char *id = h + ID_AT;

	if (pread(fd, h, sizeof(h), 0) != sizeof(h) || memcmp(h, "SQLite format 3", 16))
		return false;
	return ((uint32_t)id[0] << 24 | id[1] << 16 | id[2] << 8 | id[3]) == RN_TRACE_APPLICATION_ID;
}

static bool is_complete(const char *part)
{
	struct rn_err ignored = {0};
	sqlite3 *db;

	if (rn_trace_open(part, &db, &ignored))
		return false;
	sqlite3_close(db);
	return true;
}

/* *fd: what is there; -1: nothing. */
static int look_at_part(const char *part, int *fd, struct rn_err *err)
{
	struct stat st;

	*fd = open(part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT ? 0 :
			foreign(part, errno == ELOOP ? "is a symbolic link" : "cannot be looked at", err);
	if (fstat(*fd, &st) || !S_ISREG(st.st_mode))
		return foreign(part, "is no file", err);
	if (st.st_size && !is_ours(*fd))
		return foreign(part, "is no recording", err);
	return 0;
}

int rn_trace_part_allowed(const char *part, struct rn_err *err)
{
	int fd, r = look_at_part(part, &fd, err);

	if (fd >= 0)
		close(fd);
	if (!r && fd >= 0 && is_complete(part))
		r = foreign(part, "is a complete recording", err);
	return r;
}

static int busy(const char *path, struct rn_err *err)
{
	return rn_err_set(err, -EBUSY, "%s: is being written by another query", path);
}

/* One that nobody writes any more goes away. *old holds its lock until there is a new one. */
static int remove_old(const char *part, const char *path, int *old, struct rn_err *err)
{
	struct stat a, b;
	int r = look_at_part(part, old, err);

	if (r || *old < 0)
		return r;
	if (flock(*old, LOCK_EX | LOCK_NB) || fstat(*old, &a) || lstat(part, &b) ||
	    a.st_ino != b.st_ino || a.st_dev != b.st_dev)
		return busy(path, err);
	if (is_complete(part))
		return foreign(part, "is a complete recording", err);
	if (unlink(part))
		return rn_err_set(err, -errno, "%s: cannot be removed: %s", part, strerror(errno));
	return 0;
}

static int make_new(const char *part, const char *path, int *fd, struct rn_err *err)
{
	*fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, access(path, F_OK) ? 0644 : 0600);
	if (*fd < 0 && errno != EEXIST)
		return rn_err_set(err, -errno, "%s: cannot be made: %s", path, strerror(errno));
	/* another one may make or open it between these calls: then it is that one's */
	return *fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) ? busy(path, err) : 0;
}

int rn_trace_part_take(const char *part, const char *path, int *out, struct rn_err *err)
{
	int old, fd = -1, r = remove_old(part, path, &old, err);

	if (!r)
		r = make_new(part, path, &fd, err);
	if (old >= 0)
		close(old);
	if (r && fd >= 0)
		close(fd);
	*out = r ? -1 : fd;
	return r;
}

int rn_trace_part_own(int fd, const char *path, struct rn_err *err)
{
	struct stat was, is;

	if (stat(path, &was) || fstat(fd, &is))
		return 0; /* the mode is that of a new file, or the narrow one */
	if ((was.st_uid != is.st_uid || was.st_gid != is.st_gid) &&
	    fchown(fd, was.st_uid, was.st_gid)) {
		rn_err_set(err, -errno, "%s: a new recording in its place cannot get its owner: %s",
			   path, strerror(errno));
		rn_err_hint(err, "write to another file");
		return err->code;
	}
	if (fchmod(fd, was.st_mode & 0777))
		return rn_err_set(err, -errno,
				  "%s: a new recording in its place cannot get its mode: %s",
				  path, strerror(errno));
	return 0;
}
