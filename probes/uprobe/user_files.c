/* user_files.c - which files a name stands for: see user.h.
 *
 * /proc tells which files processes have mapped; a file is opened by its mapping, so it may be
 * deleted, or lie in another mount namespace. The loader's cache tells of libraries that no process
 * has mapped yet. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "probes/process/found.h"
#include "probes/uprobe/user_impl.h"

enum { MAPS_BYTES = 4 << 20, CACHE_BYTES = 16 << 20, PATH_BYTES = 4096, COMM_BYTES = 16 };
/* Any user may map files of such names, again and again: so much is looked at, of all processes. */
enum { OPENED_MAX = 4096, ALL_MAPS_BYTES = 256 << 20, SEEN = 256 };

struct file {
	struct rn_user_id id;
	int fd;
	char *path;
};
struct search {
	const char *where;
	rn_user_name *found; /* all names are wanted, and no file; NULL: the files of `where` */
	void *self;
	struct file file[RN_USER_FILES];
	unsigned n, opened, left; /* left: files that were not looked at, which may be meant */
	size_t maps_bytes;
	uint64_t seen[SEEN][2]; /* device and inode of mappings, the latest */
	unsigned nseen;
};

/* ---- files, each once ---- */

bool rn_user_identify(int fd, struct rn_user_id *id)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	*id = (struct rn_user_id){.dev = st.st_dev,
				  .ino = st.st_ino,
				  .bytes = (uint64_t)st.st_size,
				  .changed = {st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
					      st.st_ctim.tv_sec, st.st_ctim.tv_nsec},
				  .overlay =
					  !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC};
	return true;
}

bool rn_user_same_file(const struct rn_user_id *a, const struct rn_user_id *b)
{
	if (a->ino != b->ino)
		return false;
	return a->dev == b->dev || ((a->overlay || b->overlay) && a->bytes == b->bytes &&
				    !memcmp(a->changed, b->changed, sizeof(a->changed)));
}

static void add(struct search *s, int fd, const char *path)
{
	struct rn_user_id id;

	if (fd < 0) {
		s->left += fd != -ENOENT && fd != -ESRCH;
		return;
	}
	for (unsigned i = 0; rn_user_identify(fd, &id); i++) {
		if (i == RN_USER_FILES) {
			s->left++;
			break;
		}
		if (i == s->n) {
			s->file[s->n++] = (struct file){id, fd, rn_strdup(path)};
			return;
		}
		if (rn_user_same_file(&s->file[i].id, &id))
			break;
	}
	close(fd);
}

static void drop(struct search *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->file[i].fd >= 0)
			close(s->file[i].fd);
		free(s->file[i].path);
	}
	s->n = 0;
}

/* libssl.so.3 for libssl, and for ssl */
static bool is_library(const char *where, const char *base)
{
	size_t n = strlen(where);

	if (!strncmp(base, where, n) && !strncmp(base + n, ".so", 3))
		return true;
	return !strncmp(base, "lib", 3) && !strncmp(base + 3, where, n) &&
	       !strncmp(base + 3 + n, ".so", 3);
}

/* ---- what processes have mapped ---- */

static bool was_seen(struct search *s, uint64_t dev, uint64_t ino)
{
	for (unsigned i = 0; i < s->nseen && i < SEEN; i++)
		if (s->seen[i][0] == dev && s->seen[i][1] == ino)
			return true;
	s->seen[s->nseen % SEEN][0] = dev;
	s->seen[s->nseen++ % SEEN][1] = ino;
	return false;
}

static void give_library(const struct search *s, const char *base)
{
	const char *end = strstr(base, ".so");
	char name[256];

	if (!end || end == base || (end[3] && end[3] != '.') ||
	    (size_t)(end - base) >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(end - base), base);
	s->found(s->self, name);
}

/* A line of /proc/PID/maps: `FROM-TO r-xp OFFSET MAJOR:MINOR INODE   PATH` */
static void take_line(struct search *s, int pid, const char *line)
{
	const char *path = strchr(line, '/'), *base = strrchr(line, '/'),
		   *space = strchr(line, ' ');
	unsigned long long ino;
	unsigned major, minor;
	char link[80];
	int fd;

	if (!path || !space || space[1] == 0 || strlen(space) < 5 || space[3] != 'x')
		return;
	if (s->found) {
		give_library(s, base + 1);
		return;
	}
	if (!is_library(s->where, base + 1) ||
	    sscanf(space + 6, "%*x %x:%x %llu", &major, &minor, &ino) != 3 ||
	    was_seen(s, (uint64_t)major << 32 | minor, ino))
		return;
	if (s->opened == OPENED_MAX) {
		s->left++;
		return;
	}
	s->opened++;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%.*s", pid, (int)(space - line), line);
	fd = rn_found_open(link, major << 20 | minor);
	if (fd == -EPERM || fd == -EACCES)
		fd = rn_found_path(pid, path, major << 20 | minor);
	if (fd < 0) /* it has ended, perhaps: by another process the file may still be found */
		s->nseen--;
	add(s, fd, path);
}

static void each_mapping(struct search *s, int pid)
{
	char path[40], *line = NULL;
	size_t room = 0, total = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && (n = getline(&line, &room, f)) > 0) {
		if (total >= MAPS_BYTES || s->maps_bytes >= ALL_MAPS_BYTES) {
			s->left++; /* the rest of it */
			break;
		}
		total += (size_t)n;
		s->maps_bytes += (size_t)n;
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		take_line(s, pid, line);
	}
	free(line);
	if (f)
		(void)fclose(f);
}

/* The program of a process of that name. */
static void program_of(struct search *s, int pid)
{
	char path[40], comm[COMM_BYTES + 1] = "", target[PATH_BYTES] = "";
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	n = f ? fread(comm, 1, COMM_BYTES, f) : 0;
	if (f)
		(void)fclose(f);
	comm[n && comm[n - 1] == '\n' ? n - 1 : n] = 0;
	if (s->found) {
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		if (comm[0] && readlink(path, target, sizeof(target) - 1) > 0)
			s->found(s->self, comm);
		return;
	}
	if (strncmp(comm, s->where, COMM_BYTES - 1) != 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (readlink(path, target, sizeof(target) - 1) > 0)
		add(s, rn_found_open(path, 0), target);
}

static void each_process(struct search *s, void (*look)(struct search *s, int pid))
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			look(s, (int)strtol(e->d_name, NULL, 10));
	if (d)
		closedir(d);
}

/* ---- the loader's cache ---- */

static void take_cached(void *self, const char *path)
{
	const char *base = strrchr(path, '/');
	struct search *s = self;

	if (base && is_library(s->where, base + 1))
		add(s, rn_found_open(path, 0), path);
}

static void look_in_cache(struct search *s)
{
	FILE *f = fopen("/etc/ld.so.cache", "re");
	char *text = rn_malloc(CACHE_BYTES);

	if (f)
		rn_user_each_cached(text, fread(text, 1, CACHE_BYTES, f), take_cached, s);
	free(text);
	if (f)
		(void)fclose(f);
}

/* ---- WHERE ---- */

static int named(const char *where, rn_user_take *found, void *self, struct rn_err *err)
{
	int fd = rn_found_open(where, 0); /* a device might do something, and a server not answer */

	if (fd == -EINVAL)
		return rn_err_set(err, fd, "%s is no program and no library", where);
	if (fd == -EREMOTE)
		return rn_err_set(err, fd, "%s: its file system is a user's, and may never answer",
				  where);
	if (fd < 0)
		return rn_err_set(err, fd, "%s: %s", where, strerror(-fd));
	found(self, fd, where);
	return 1;
}

static int both(const struct search *library, const struct search *program, struct rn_err *err)
{
	rn_err_set(err, -ENOTUNIQ, "`%s` is a library and a program: %s and %s", library->where,
		   library->file[0].path, program->file[0].path);
	rn_err_hint(err, "write the path of the one that is meant: user \"%s:...\"",
		    program->file[0].path);
	return -ENOTUNIQ;
}

static int none(const struct search *s, struct rn_err *err)
{
	rn_err_set(err, -ENOENT,
		   "`%s` is no library that a process has mapped or the loader knows, and no "
		   "process is called so%s",
		   s->where, s->left ? " (not all files of such a name could be looked at)" : "");
	rn_err_hint(err, "a path of a program or library stands before the colon, too: "
			 "user \"/usr/sbin/nginx:ngx_*\"");
	return -ENOENT;
}

int rn_user_files(const char *where, rn_user_take *found, void *self, struct rn_err *err)
{
	struct search *library, *program;
	int r;

	if (strchr(where, '/'))
		return named(where, found, self, err);
	library = rn_calloc(2, sizeof(*library));
	program = library + 1;
	library->where = program->where = where;
	look_in_cache(library); /* first: what is root's finds room */
	each_process(library, each_mapping);
	each_process(program, program_of);
	if (library->n && program->n)
		r = both(library, program, err);
	else if (!library->n && !program->n)
		r = none(library, err);
	else
		r = 0;
	for (struct search *s = library; !r && s <= program; s++)
		for (unsigned i = 0; i < s->n; i++) {
			found(self, s->file[i].fd, s->file[i].path);
			s->file[i].fd = -1;
		}
	for (unsigned i = 0; !r && i < library->left + program->left; i++)
		found(self, -1, NULL);
	r = r ? r : (int)(library->n + program->n);
	drop(library);
	drop(program);
	free(library);
	return r;
}

/* ---- files that came later ---- */

struct late {
	const struct rn_user *user;
	unsigned n;
};

static void count_unknown(void *self, int fd, const char *path)
{
	struct late *l = self;
	struct rn_user_id id;
	bool known = false;

	(void)path;
	if (fd >= 0 && rn_user_identify(fd, &id))
		for (unsigned i = 0; i < l->user->nfiles; i++)
			known |= rn_user_same_file(&l->user->file[i].id, &id);
	l->n += !known;
	if (fd >= 0)
		close(fd);
}

unsigned rn_user_late(const struct rn_user *user, const char *arg)
{
	char *copy = rn_strdup(arg), *rest = copy, *part;
	struct late late = {.user = user};

	while ((part = rn_user_part(&rest)))
		if (rn_user_split(part))
			(void)rn_user_files(part, count_unknown, &late, NULL);
	free(copy);
	return late.n > user->nrefused ? late.n - user->nrefused : 0;
}

void rn_user_names(rn_user_name *found, void *self)
{
	struct search *s = rn_calloc(1, sizeof(*s));

	s->found = found;
	s->self = self;
	each_process(s, each_mapping);
	each_process(s, program_of);
	free(s);
}
