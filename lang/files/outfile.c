/* outfile.c - see outfile.h. The walk goes from directory to directory by descriptors. The rest of
 * the path stays text, and the target of a link is inserted there. */
#include "lang/files/outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "lang/base/memory.h"

enum { LINKS_MAX = 40 /* as in the kernel */ };

static const char way_out[] =
	"name the file itself, or one in a directory where only you and root may place names";

/* ---- who placed a file ---- */

bool rn_out_trusted(uid_t uid)
{
	struct stat top;

	return uid == geteuid() || uid == 0 || (!stat("/", &top) && uid == top.st_uid);
}

/* Can others move names in this directory, or put others in their place? A group with the owner's
 * number counts as the owner's own. */
static bool lets_move(const struct stat *dir)
{
	mode_t loose = dir->st_mode & (dir->st_gid == dir->st_uid ? S_IWOTH : S_IWGRP | S_IWOTH);

	return !rn_out_trusted(dir->st_uid) || (loose && !(dir->st_mode & S_ISVTX));
}

static bool lets_place(const struct stat *dir)
{
	return lets_move(dir) ||
	       (dir->st_mode & (dir->st_gid == dir->st_uid ? S_IWOTH : S_IWGRP | S_IWOTH));
}

/* ---- the walk ---- */

struct walk {
	const char *path;
	int dir;
	mode_t dirs; /* mode for missing directories, which are made; 0: none are made */
	bool moved;  /* a directory so far lets others move names */
	char *rest;  /* the path still ahead */
	char *real;  /* the path of dir, without links */
	unsigned links;
	struct rn_err *err;
};

static int refuse(const struct walk *w, int e)
{
	return rn_err_set(w->err, -e, "cannot write %s: %s", w->path, strerror(e));
}

static bool on(int fd, long type)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (long)fs.f_type == type;
}

static int enter(struct walk *w, int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		int e = errno;

		if (fd >= 0)
			close(fd);
		return -e;
	}
	if (w->dir >= 0)
		close(w->dir);
	w->dir = fd;
	w->moved |= lets_move(&st);
	return 0;
}

static void push(struct walk *w, const char *name)
{
	char *was = w->real;
	size_t n = strlen(was);
	bool up = !strcmp(name, "..") && n > 1 && was[0] == '/';

	if (up) {
		char *cut = strrchr(was, '/');

		cut[cut == was] = 0;
		return;
	}
	if (!strcmp(name, "..") && !strcmp(was, "/"))
		return;
	w->real = rn_malloc(n + strlen(name) + 2);
	stpcpy(stpcpy(stpcpy(w->real, was), n && was[n - 1] != '/' ? "/" : ""), name);
	free(was);
}

static int start(struct walk *w, bool top)
{
	int r = enter(w, open(top ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));

	free(w->real);
	w->real = rn_strdup(top ? "/" : "");
	return r ? refuse(w, -r) : 0;
}

/* Takes the next component off the rest; "" at the end. *last: it was the last one. */
static char *next(struct walk *w, bool *last)
{
	char *from = w->rest + strspn(w->rest, "/"), *to = from + strcspn(from, "/"), *name;

	*last = !*to;
	name = rn_strndup(from, (size_t)(to - from));
	to = rn_strdup(to);
	free(w->rest);
	w->rest = to;
	return name;
}

static int foreign_link(const struct walk *w, const char *name, const char *why)
{
	rn_err_set(w->err, -EEXIST, "%s: nothing is written through the symbolic link %s%s%s, %s",
		   w->path, w->real, *w->real && strcmp(w->real, "/") ? "/" : "", name, why);
	rn_err_hint(w->err, "%s", way_out);
	return -EEXIST;
}

/* Follows the link `name` of w->dir, open at fd: puts its target before the rest. */
static int follow(struct walk *w, const char *name, int fd, const struct stat *st)
{
	char target[PATH_MAX], *rest;
	ssize_t n;

	if (!rn_out_trusted(st->st_uid))
		return foreign_link(w, name, "which belongs to another user");
	if (w->moved)
		return foreign_link(w, name, "since other users may have moved it there");
	if (st->st_nlink != 1)
		return foreign_link(w, name, "which has other names (hard links)");
	if (on(w->dir, FUSE_SUPER_MAGIC))
		return foreign_link(w, name, "and a file system in user space made up its owner");
	if (++w->links > LINKS_MAX)
		return refuse(w, ELOOP);
	n = readlinkat(fd, "", target, sizeof(target) - 1);
	if (n < 0)
		return refuse(w, errno);
	target[n] = 0;
	rest = rn_malloc((size_t)n + strlen(w->rest) + 2);
	stpcpy(stpcpy(stpcpy(rest, target), "/"), w->rest + strspn(w->rest, "/"));
	if (!w->rest[strspn(w->rest, "/")])
		rest[n] = 0;
	free(w->rest);
	w->rest = rest;
	return target[0] == '/' ? start(w, true) : 0;
}

/* Follows a link of /proc through the kernel, because its text may not say where it leads. */
static int go_by_kernel(struct walk *w, const char *name, const struct stat *st)
{
	int r;

	if (!rn_out_trusted(st->st_uid) || w->moved)
		return foreign_link(w, name, "which belongs to the process of another user");
	r = enter(w, openat(w->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	push(w, name);
	return r ? refuse(w, -r) : 0;
}

/* Does dir hold the descriptors of this process? */
static bool is_own_fds(int dir)
{
	struct stat a, own;

	return !fstat(dir, &a) && ((!stat("/proc/self/fd", &own) && own.st_ino == a.st_ino &&
				    own.st_dev == a.st_dev) ||
				   (!stat("/proc/thread-self/fd", &own) && own.st_ino == a.st_ino &&
				    own.st_dev == a.st_dev));
}

/* Walks one component. Returns 1 if it is the file's name. */
static int step(struct walk *w, const char *name, bool last, struct rn_out_place *place)
{
	struct stat st = {0};
	int fd, r;

	if (w->dirs && !last)
		mkdirat(w->dir, name, w->dirs); /* if this fails, the next call reports it */
	fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && last && errno == ENOENT)
		return 1;
	if (fd < 0 || fstat(fd, &st)) {
		r = refuse(w, errno);
	} else if (S_ISLNK(st.st_mode) && on(w->dir, PROC_SUPER_MAGIC)) {
		place->own_fd = last && is_own_fds(w->dir);
		r = place->own_fd ? 1
		    : last        ? foreign_link(w, name, "which is a link of /proc")
				  : go_by_kernel(w, name, &st);
	} else if (S_ISLNK(st.st_mode)) {
		r = follow(w, name, fd, &st);
	} else if (last) {
		r = 1;
	} else {
		r = enter(w, fd);
		fd = -1;
		push(w, name);
		r = r ? refuse(w, -r) : 0;
	}
	if (fd >= 0)
		close(fd);
	return r;
}

static int walk(struct walk *w, struct rn_out_place *p)
{
	int r = start(w, w->path[0] == '/');

	while (!r) {
		bool last;
		char *name = next(w, &last);

		if (*name && strcmp(name, ".") != 0)
			r = step(w, name, last, p);
		else if (last)
			r = refuse(w, *w->path ? EISDIR : ENOENT);
		if (r == 1)
			p->name = name;
		else
			free(name);
	}
	return r == 1 ? 0 : r;
}

int rn_out_find(struct rn_out_place *place, const char *path, mode_t dirs, struct rn_err *err)
{
	struct walk w = {.path = path,
			 .dir = -1,
			 .dirs = dirs,
			 .rest = rn_strdup(path),
			 .real = rn_strdup(""),
			 .err = err};
	struct stat st;
	int r;

	*place = (struct rn_out_place){.dir = -1};
	r = walk(&w, place);
	if (!r && fstat(w.dir, &st))
		r = refuse(&w, errno);
	if (!r) {
		place->dir = w.dir;
		place->moved = w.moved;
		place->shared = lets_place(&st) || w.moved;
		push(&w, place->name);
		place->path = rn_strdup(w.links ? w.real : path);
	} else if (w.dir >= 0) {
		close(w.dir);
	}
	free(w.rest);
	free(w.real);
	return r;
}

void rn_out_free(struct rn_out_place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	free(place->name);
	free(place->path);
	*place = (struct rn_out_place){.dir = -1};
}

bool rn_out_stat(const struct rn_out_place *place, const char *name, struct stat *st)
{
	return !fstatat(place->dir, name, st, place->own_fd ? 0 : AT_SYMLINK_NOFOLLOW);
}

/* ---- opening ---- */

int rn_out_make(const struct rn_out_place *place, const char *name, mode_t mode)
{
	int fd = openat(place->dir, name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, mode);

	return fd < 0 ? -errno : fd;
}

int rn_out_writable(const struct rn_out_place *place, const struct stat *st, struct rn_err *err)
{
	bool regular = S_ISREG(st->st_mode), fifo = S_ISFIFO(st->st_mode);
	const char *why = NULL;

	if (place->own_fd)
		return 0;
	if (S_ISDIR(st->st_mode))
		return rn_err_set(err, -EISDIR, "%s: %s", place->path, strerror(EISDIR));
	if (S_ISLNK(st->st_mode))
		why = "is a symbolic link that was placed meanwhile";
	else if (!regular && !fifo && !S_ISCHR(st->st_mode))
		why = "is neither a file nor a FIFO nor a device for characters";
	else if (st->st_nlink != 1)
		why = "has other names (hard links), which would be written to as well";
	else if ((regular && st->st_uid != geteuid()) || (fifo && !rn_out_trusted(st->st_uid)))
		why = "belongs to another user";
	if (!why)
		return 0;
	rn_err_set(err, -EEXIST, "%s: %s", place->path, why);
	rn_err_hint(err, "remove it first, or write to another file");
	return -EEXIST;
}

/* Opens an existing file. O_NONBLOCK: a FIFO may have replaced the file, and must not block. */
static int open_old(const struct rn_out_place *place, const struct stat *was, int flags,
		    struct rn_err *err)
{
	int fd = openat(place->dir, place->name,
			(flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC | O_NOCTTY |
				(place->own_fd ? 0 : O_NOFOLLOW) |
				(S_ISREG(was->st_mode) ? O_NONBLOCK : 0)),
	    e;
	struct stat is;

	if (fd < 0)
		return rn_err_set(err, -errno, "cannot write %s: %s", place->path, strerror(errno));
	e = fstat(fd, &is)                                         ? errno
	    : is.st_dev != was->st_dev || is.st_ino != was->st_ino ? EBUSY
								   : 0;
	if (!e && S_ISREG(is.st_mode) && (flags & O_TRUNC) && ftruncate(fd, 0))
		e = errno;
	if (!e)
		return fd;
	close(fd);
	return rn_err_set(err, -e, "cannot write %s: %s", place->path,
			  e == EBUSY ? "it became another file meanwhile" : strerror(e));
}

int rn_out_open_at(const struct rn_out_place *place, int flags, mode_t mode, struct rn_err *err)
{
	struct stat st;
	int r;

	if (rn_out_stat(place, place->name, &st)) {
		r = rn_out_writable(place, &st, err);
		return r ? r : open_old(place, &st, flags, err);
	}
	if (errno != ENOENT || !(flags & O_CREAT))
		return rn_err_set(err, -errno, "cannot write %s: %s", place->path, strerror(errno));
	r = openat(place->dir, place->name,
		   flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, mode);
	return r < 0 ? rn_err_set(err, -errno, "cannot write %s: %s", place->path, strerror(errno))
		     : r;
}

FILE *rn_out_create(const char *path, struct rn_err *err)
{
	struct rn_out_place p;
	int fd = rn_out_find(&p, path, 0, err);
	FILE *f;

	if (!fd)
		fd = rn_out_open_at(&p, O_WRONLY | O_CREAT | O_TRUNC, 0666, err);
	rn_out_free(&p);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (fd >= 0 && !f) {
		rn_err_set(err, -errno, "cannot write %s: %s", path, strerror(errno));
		close(fd);
	}
	return f;
}

int rn_out_temporary(char *path, int suffix, struct rn_err *err)
{
	struct rn_out_place p;
	int fd, r = rn_out_find(&p, path, 0, err);

	if (!r && p.moved) {
		r = rn_err_set(err, -EEXIST, "cannot write %s: other users may move files there",
			       path);
		rn_err_hint(err, "name another directory in TMPDIR");
	}
	rn_out_free(&p);
	if (r)
		return r;
	fd = mkostemps(path, suffix, O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? rn_err_set(err, -errno, "cannot write %s: %s", path, strerror(errno)) : fd;
}

bool rn_out_same(const char *a, const char *b)
{
	struct stat x, y;
	struct rn_out_place p, q;
	bool same = !strcmp(a, b) ||
		    (!stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino);

	if (same)
		return true;
	same = !rn_out_find(&p, a, 0, NULL);
	same = !rn_out_find(&q, b, 0, NULL) && same && p.name && q.name &&
	       !strcmp(p.name, q.name) && !fstat(p.dir, &x) && !fstat(q.dir, &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	rn_out_free(&p);
	rn_out_free(&q);
	return same;
}
