/* tracefs.c - finds the tracing filesystem (mounted or private) and reads tracepoints from it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "lang/values/glob.h"
#include "probes/probes.h"
#include "probes/catalog/tracefs.h"
#include "lang/base/limits.h"
#include "lang/base/vec.h"

#ifndef FSOPEN_CLOEXEC
#define FSOPEN_CLOEXEC 1
#define FSMOUNT_CLOEXEC 1
#define FSCONFIG_CMD_CREATE 6
#endif

static const char as_root[] = "run as root, or have /sys/kernel/tracing mounted and readable";

int rn_private_mount(const char *type)
{
	int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC), fd;
	int err;

	if (fs < 0)
		return -errno;
	fd = syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0)
		     ? -1
		     : (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	err = fd < 0 ? -errno : 0;
	close(fs);
	return err ? err : fd;
}

/* A new descriptor of the private mount that this process made while it still might
 * (rn_probes_hold); -1: there is none. */
static int held(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	struct statfs fs;
	int fd = -1;

	while (fd < 0 && d && (e = readdir(d)))
		if (e->d_name[0] != '.' && !fstatfs((int)strtol(e->d_name, NULL, 10), &fs) &&
		    fs.f_type == TRACEFS_MAGIC)
			fd = openat((int)strtol(e->d_name, NULL, 10), ".",
				    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d)
		closedir(d);
	/* not the root, but a place below it that another thread reads now */
	if (fd >= 0 && faccessat(fd, "events", R_OK | X_OK, 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int rn_probes_hold(void)
{
	int fd = rn_tracefs_open(NULL);
	struct statfs fs;

	/* what is mounted can be opened again */
	if (fd >= 0 && !fstatfs(fd, &fs) && !statfs("/sys/kernel/tracing/events", &fs) &&
	    fs.f_type == TRACEFS_MAGIC) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int rn_tracefs_open(struct rn_err *err)
{
	static const char *const dirs[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	int ret, held_fd;

	for (unsigned i = 0; i < 2; i++) {
		int fd = open(dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			continue;
		if (!faccessat(fd, "events", R_OK | X_OK, 0))
			return fd;
		close(fd);
	}
	ret = rn_private_mount("tracefs");
	if (ret < 0 && (held_fd = held()) >= 0)
		return held_fd;
	if (ret >= 0)
		return ret;
	rn_err_set(err, ret, "the tracing file system cannot be opened: %s", strerror(-ret));
	if (ret == -EPERM || ret == -EACCES)
		rn_err_hint(err, "%s", as_root);
	else
		rn_err_hint(err, "this kernel may be built without CONFIG_TRACING");
	return ret;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static DIR *dir_at(int root, const char *path)
{
	int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !d)
		close(fd);
	return d;
}

struct list {
	struct rn_arena *arena;
	const char **v;
	size_t n, cap;
};

static void list_system(struct list *l, int root, const char *sys)
{
	char path[512];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "events/%s", sys);
	d = dir_at(root, path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || e->d_type != DT_DIR)
			continue;
		rn_vec_room_for_in(l->arena, l->v, l->n, l->cap, 2); /* and the NULL */
		l->v[l->n++] = rn_arena_printf(l->arena, "%s:%s", sys, e->d_name);
	}
	if (d)
		closedir(d);
}

const char *const *rn_tracefs_events(struct rn_arena *arena, int root, struct rn_err *err)
{
	struct list l = {arena, RN_NEWN(arena, const char *, 4096), 0, 4096};
	DIR *d = dir_at(root, "events");
	struct dirent *e;

	if (!d) {
		rn_err_set(err, -errno, "tracepoints cannot be listed: %s", strerror(errno));
		return NULL;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && e->d_type == DT_DIR)
			list_system(&l, root, e->d_name);
	closedir(d);
	qsort(l.v, l.n, sizeof(*l.v), by_name);
	l.v[l.n] = NULL;
	return l.v;
}

static char *read_at(struct rn_arena *arena, int root, const char *path)
{
	size_t cap = 16384, n = 0;
	char *buf = rn_arena_alloc(arena, cap);
	int fd = openat(root, path, O_RDONLY | O_CLOEXEC), saved;
	ssize_t r;

	if (fd < 0)
		return NULL;
	while ((r = read(fd, buf + n, cap - 1 - n)) > 0) {
		n += (size_t)r;
		rn_vec_room_for_in(arena, buf, n, cap, 2);
	}
	saved = errno;
	close(fd);
	errno = saved;
	buf[n] = 0;
	return r < 0 ? NULL : buf;
}

static int cannot_read(const char *sys, const char *name, struct rn_err *err)
{
	int ret = -errno;

	rn_err_set(err, ret, "tracepoint %s:%s cannot be read: %s", sys, name, strerror(-ret));
	if (ret == -EPERM || ret == -EACCES)
		rn_err_hint(err, "%s", as_root);
	return ret;
}

/* The number of an event, by which perf knows it; -1: it cannot be read. */
static int number_of(struct rn_arena *a, int root, const char *event)
{
	const char *colon = strchr(event, ':');
	char *text = read_at(
		a, root,
		rn_arena_printf(a, "events/%.*s/%s/id", (int)(colon - event), event, colon + 1));

	return text ? (int)strtol(text, NULL, 10) : -1;
}

/* The event with its own fields; NULL: they cannot be read. */
static const struct rn_tp *single(struct rn_arena *arena, int root, const char *event)
{
	const char *colon = strchr(event, ':');
	struct rn_tp *tp = RN_NEW(arena, struct rn_tp);
	const char *sys = rn_arena_strndup(arena, event, (size_t)(colon - event));

	return rn_tracefs_event(arena, root, sys, colon + 1, tp, NULL) ? NULL : tp;
}

/* The system call of an event, by the name of its tracepoint; -1: none. */
static int call_of(const char *event, bool *at_return)
{
	*at_return = !strncmp(event, "syscalls:sys_exit_", 18);
	return *at_return                                   ? rn_sys_nr_of_tracepoint(event + 18)
	       : !strncmp(event, "syscalls:sys_enter_", 19) ? rn_sys_nr_of_tracepoint(event + 19)
							    : -1;
}

/* globs: one, or several with ", " between them */
static bool matches(const char *globs, const char *event)
{
	if (!strncmp(event, "ftrace:", 7))
		return false;
	for (size_t n; *globs; globs += n + strspn(globs + n, ", ")) {
		n = strcspn(globs, ",");
		if (rn_glob(globs, n, event, strlen(event)))
			return true;
	}
	return false;
}

int rn_tracefs_match(struct rn_arena *arena, int root, const char *const *all, const char *glob,
		     struct rn_tp *tp, struct rn_err *err)
{
	struct rn_arena *text = rn_arena_create(RN_ARENA_CAP);
	struct rn_tp_match *v;
	const char **each;
	unsigned n = 0, singly = 0;
	bool at_return;

	for (const char *const *e = all; e && *e; e++)
		if (matches(glob, *e)) {
			n++;
			singly += call_of(*e, &at_return) < 0;
		}
	tp->match = v = RN_NEWN(arena, struct rn_tp_match, n);
	tp->cls.each = each = RN_NEWN(arena, const char *, n + 1);
	tp->by_nr =
		n > singly ? (void *)RN_NEWN(arena, uint16_t, (size_t)2 * RN_SYS_FIRST_FREE) : NULL;
	for (const char *const *e = all; singly <= RN_TP_MATCH_MAX && e && *e; e++)
		if (matches(glob, *e)) {
			int nr = call_of(*e, &at_return);

			const struct rn_tp *own =
				n <= RN_TP_MATCH_MAX ? single(arena, root, *e) : NULL;

			each[tp->nmatch] = *e;
			v[tp->nmatch++] = (struct rn_tp_match){*e,
							       own      ? own->id
							       : nr < 0 ? number_of(text, root, *e)
									: -1,
							       nr, own};
			if (nr >= 0 && tp->by_nr)
				tp->by_nr[at_return][nr] = (uint16_t)tp->nmatch;
		}
	rn_arena_destroy(text);
	if (!n)
		return rn_err_set(err, -ENOENT, "no tracepoint of this kernel matches \"%s\"",
				  glob);
	if (singly <= RN_TP_MATCH_MAX)
		return 0;
	rn_err_set(err, -E2BIG,
		   "\"%s\" matches %u tracepoints, more than the %d that one query may have", glob,
		   singly, RN_TP_MATCH_MAX);
	rn_err_hint(err, "narrow it: `runnel list 'sched:*'` shows tracepoints by such a glob");
	return -E2BIG;
}

/* Reads one of the event's files, id or format, into the scratch arena; NULL: err says why not. */
static const char *read_event(struct rn_arena *scratch, int root, const struct rn_tp *tp,
			      const char *file, struct rn_err *err)
{
	const char *text =
		read_at(scratch, root,
			rn_arena_printf(scratch, "events/%s/%s/%s", tp->sys, tp->name, file));

	if (!text)
		cannot_read(tp->sys, tp->name, err);
	return text;
}

int rn_tracefs_event(struct rn_arena *arena, int root, const char *sys, const char *name,
		     struct rn_tp *tp, struct rn_err *err)
{
	struct rn_arena *scratch;
	const char *id, *format;
	struct rn_err own = {0};
	int r;

	if (strchr(sys, '/') || strchr(name, '/') || sys[0] == '.' || name[0] == '.')
		return rn_err_set(err, -ENOENT, "no tracepoint %s:%s", sys, name);
	scratch = rn_arena_create(RN_ARENA_CAP);
	tp->sys = rn_arena_strdup(arena, sys);
	tp->name = rn_arena_strdup(arena, name);
	id = read_event(scratch, root, tp, "id", &own);
	format = id ? read_event(scratch, root, tp, "format", &own) : NULL;
	tp->id = id ? (int)strtol(id, NULL, 10) : -1;
	r = format ? rn_tracefs_parse(arena, format, tp, &own) : own.code;
	rn_arena_destroy(scratch);
	if (r && err)
		*err = own;
	return r;
}
