/* proc_table.c - the snapshot table `processes`: the processes of this machine as rows, read from
 * /proc.
 *
 * It reads only the files that the wanted fields come from. A process that ends meanwhile is left
 * out; a file that it may not read gives empty values. There is one snapshot per query, or one per
 * window. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "probes/catalog/catalog.h"
#include "probes/kernel/cgroups.h"
#include "probes/live/decode.h"
#include "probes/live/scope.h"
#include "probes/tables/tables.h"
#include "lang/base/clock.h"

enum { TEXT_BYTES = 8192, NS = 1000000000 };

struct proc_source {
	struct rn_source base;
	const struct rn_fragment *fragment;
	const struct rn_scope *scope;
	struct rn_scope_path cgroup;
	const char *node;
	struct rn_arena *arena; /* of one snapshot */
	bool status, cgroups;   /* do fields need the process's files of these names? */
	int64_t tick_ns, boot_ns, page_bytes;
	int64_t due_ns; /* of the next snapshot; INT64_MAX: none */
	int64_t begin_ns, end_ns, seen;
};

/* The data read about one process. */
struct process {
	int pid, dir;
	int64_t ppid, uid, gid, threads, nice, rss, vsz, utime, stime, start;
	const char *name, *cgroup, *controllers;
	char state[2];
};
static bool is_in_status(unsigned field)
{
	return field == RN_F_UID || field == RN_F_GID || field == RN_F_USER || field == RN_F_RSS;
}
static bool is_in_cgroup(unsigned field)
{
	return field == RN_F_CGROUP || field == RN_F_CONTAINER;
}

/* The time of day by the clock that stamps the query's events. */
static int64_t time_of(const struct rn_fragment *f)
{
	return f->clock_ns ? rn_mono_ns() + f->clock_ns : rn_epoch_ns();
}

/* Read a file of the process into buf, NUL-terminated; its length or -1. */
static ssize_t slurp(int dir, const char *name, char *buf, size_t cap)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t r = 0;

	if (fd < 0)
		return -1;
	while (n + 1 < cap && (r = read(fd, buf + n, cap - 1 - n)) > 0)
		n += (size_t)r;
	close(fd);
	buf[n] = 0;
	return r < 0 ? -1 : (ssize_t)n;
}

/* "PID (NAME) S PPID ...": the name may hold any byte, so parsing begins after the last ')'. */
static bool read_stat(struct proc_source *s, struct process *p)
{
	char buf[TEXT_BYTES], *open, *close;
	long long ppid, utime, stime, nice, threads, start, vsz, rss;

	if (slurp(p->dir, "stat", buf, sizeof(buf)) <= 0 || !(open = strchr(buf, '(')) ||
	    !(close = strrchr(buf, ')')))
		return false;
	p->name = rn_arena_strndup(s->arena, open + 1, (size_t)(close - open - 1));
	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote these numbers
	if (sscanf(close + 1,
		   " %c %lld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %*d %*d %*d %lld %lld "
		   "%*d %lld %lld %lld",
		   p->state, &ppid, &utime, &stime, &nice, &threads, &start, &vsz, &rss) != 9)
		return false;
	p->ppid = ppid;
	p->utime = utime * s->tick_ns;
	p->stime = stime * s->tick_ns;
	p->nice = nice;
	p->threads = threads;
	p->start = s->boot_ns + start * s->tick_ns;
	p->vsz = vsz;
	p->rss = rss * s->page_bytes;
	return true;
}

static void read_status(struct process *p)
{
	char buf[TEXT_BYTES], *at;
	long long v;

	if (slurp(p->dir, "status", buf, sizeof(buf)) <= 0)
		return;
	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote this number
	if ((at = strstr(buf, "\nUid:")) && sscanf(at, "\nUid: %lld", &v) == 1)
		p->uid = v;
	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote this number
	if ((at = strstr(buf, "\nGid:")) && sscanf(at, "\nGid: %lld", &v) == 1)
		p->gid = v;
	/* stat's rss leaves out what each CPU still holds back (proc(5)); kernel threads have
	 * none */
	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote this number
	if ((at = strstr(buf, "\nVmRSS:")) && sscanf(at, "\nVmRSS: %lld", &v) == 1)
		p->rss = v * 1024;
}

/* The path in the unified hierarchy ("0::/PATH"), else in the first one listed, whose name goes to
 * `controllers`. */
static void read_cgroup(struct proc_source *s, struct process *p)
{
	char buf[TEXT_BYTES], *at = buf, *path;

	p->cgroup = p->controllers = "";
	if (slurp(p->dir, "cgroup", buf, sizeof(buf)) <= 0)
		return;
	for (char *line = buf; *line; line = strchr(line, '\n') + 1) {
		if (!strncmp(line, "0::", 3))
			at = line;
		if (!strchr(line, '\n'))
			break;
	}
	at = strchr(at, ':');
	path = at ? strchr(at + 1, ':') : NULL;
	if (!path)
		return;
	p->controllers = rn_arena_strndup(s->arena, at + 1, (size_t)(path - at - 1));
	p->cgroup = rn_arena_strndup(s->arena, path + 1, strcspn(path + 1, "\n"));
}

/* The container of the cgroup, looked up at its hierarchy's usual mount. */
static struct rn_value container(struct proc_source *s, const struct process *p)
{
	static const char *const unified[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
	const char *named =
		strncmp(p->controllers, "name=", 5) ? p->controllers : p->controllers + 5;
	char id[RN_CONTAINER_BYTES] = "", mount[64];

	for (unsigned i = 0; i < 2 && !*id && !*named; i++)
		rn_cgroup_container(unified[i], p->cgroup, id);
	if (*named) {
		snprintf(mount, sizeof(mount), "/sys/fs/cgroup/%s", named);
		rn_cgroup_container(mount, p->cgroup, id);
	}
	return rn_strn(rn_arena_strdup(s->arena, id), strlen(id));
}

static struct rn_value text(const char *s)
{
	return rn_strn(s, strlen(s));
}

static struct rn_value link_text(struct proc_source *s, const struct process *p, const char *name)
{
	char buf[4096];
	ssize_t n = readlinkat(p->dir, name, buf, sizeof(buf));

	return n < 0 ? text("") : rn_strn(rn_arena_strndup(s->arena, buf, (size_t)n), (size_t)n);
}

static struct rn_value cmdline(struct proc_source *s, const struct process *p)
{
	char buf[TEXT_BYTES];
	ssize_t n = slurp(p->dir, "cmdline", buf, sizeof(buf));

	n = n > 0 ? (ssize_t)rn_cmdline_join(buf, (size_t)n) : 0;
	return rn_strn(rn_arena_strndup(s->arena, buf, (size_t)n), (size_t)n);
}

static struct rn_value user(struct proc_source *s, int64_t uid)
{
	char buf[4096];
	struct passwd pw, *found = NULL;

	if (!getpwuid_r((uid_t)uid, &pw, buf, sizeof(buf), &found) && found)
		return text(rn_arena_strdup(s->arena, pw.pw_name));
	return text(rn_arena_printf(s->arena, "%lld", (long long)uid));
}

static struct rn_value value(struct proc_source *s, const struct process *p, unsigned id,
			     int64_t now)
{
	struct stat st;

	switch (id) {
	case RN_F_TIME: return rn_int(now);
	case RN_F_NODE: return text(s->node);
	case RN_F_PID: return rn_int(p->pid);
	case RN_F_PPID: return rn_int(p->ppid);
	case RN_F_PROC: return text(p->name);
	case RN_F_UID: return rn_int(p->uid);
	case RN_F_GID: return rn_int(p->gid);
	case RN_F_USER: return user(s, p->uid);
	case RN_F_STATE: return rn_strn(rn_arena_strdup(s->arena, p->state), 1);
	case RN_F_THREADS: return rn_int(p->threads);
	case RN_F_NICE: return rn_int(p->nice);
	case RN_F_RSS: return rn_int(p->rss);
	case RN_F_VSZ: return rn_int(p->vsz);
	case RN_F_UTIME: return rn_int(p->utime);
	case RN_F_STIME: return rn_int(p->stime);
	case RN_F_START: return rn_int(p->start);
	case RN_F_EXE: return link_text(s, p, "exe");
	case RN_F_CMDLINE: return cmdline(s, p);
	case RN_F_CWD: return link_text(s, p, "cwd");
	case RN_F_CGROUP: return text(p->cgroup);
	case RN_F_CONTAINER: return container(s, p);
	case RN_F_NETNS: return rn_int(fstatat(p->dir, "ns/net", &st, 0) ? 0 : (int64_t)st.st_ino);
	default: return text("");
	}
}

static bool read_process(struct proc_source *s, const char *name, struct process *p)
{
	char path[300];
	bool ok;

	snprintf(path, sizeof(path), "/proc/%s", name);
	*p = (struct process){.pid = (int)strtol(name, NULL, 10),
			      .dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			      .cgroup = "",
			      .controllers = ""};
	if (p->dir < 0)
		return false;
	if (s->cgroups || (s->scope && s->scope->cgroup_id))
		read_cgroup(s, p);
	ok = rn_scope_holds(s->scope, &s->cgroup, p->pid, p->dir, p->cgroup) && read_stat(s, p);
	if (ok && s->status)
		read_status(p);
	if (!ok)
		close(p->dir);
	return ok;
}

static int snapshot(struct proc_source *s, const struct rn_sink *sink, struct rn_err *err)
{
	unsigned ncols = s->fragment->nfields, n = 0, cap = 256;
	struct rn_value *v = rn_malloc((size_t)cap * (ncols ? ncols : 1) * sizeof(*v));
	int64_t now = time_of(s->fragment), *times = NULL;
	DIR *d = opendir("/proc");
	struct dirent *e;
	struct process p;
	int ret;

	if (!d) {
		ret = rn_err_set(err, -errno, "processes cannot be listed: %s", strerror(errno));
		goto out;
	}
	rn_arena_reset(s->arena);
	while ((e = readdir(d))) {
		errno = 0;
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (!read_process(s, e->d_name, &p)) {
			if (errno != EMFILE && errno != ENFILE) /* it has ended meanwhile */
				continue;
			ret = rn_err_set(err, -errno, "processes cannot be looked at: %s",
					 strerror(errno));
			goto out;
		}
		if (n == cap) {
			cap *= 2;
			v = rn_realloc(v, (size_t)cap * (ncols ? ncols : 1) * sizeof(*v));
		}
		for (unsigned i = 0; i < ncols; i++)
			v[n * ncols + i] = value(s, &p, s->fragment->fields[i]->id, now);
		close(p.dir);
		n++;
	}
	times = RN_NEWN(s->arena, int64_t, n + 1);
	for (unsigned i = 0; i < n; i++)
		times[i] = now;
	s->seen += n;
	ret = sink->rows(
		sink->self,
		&(struct rn_rows){.nrows = n, .ncols = ncols, .values = v, .time_ns = times});
out:
	if (d)
		closedir(d);
	free(v);
	return ret;
}

static const struct rn_source_ops proc_ops;

int rn_table_open(const char *node, const struct rn_fragment *fragment,
		  const struct rn_scope *scope, struct rn_source **out, struct rn_err *err)
{
	struct proc_source *s = rn_calloc(1, sizeof(*s));

	(void)err;
	s->fragment = fragment;
	s->scope = scope;
	rn_scope_paths(&s->cgroup, scope);
	s->node = node ? node : "";
	s->arena = rn_arena_create(64 << 20);
	s->tick_ns = NS / sysconf(_SC_CLK_TCK);
	s->page_bytes = sysconf(_SC_PAGESIZE);
	s->boot_ns = time_of(fragment) - rn_clock_ns(CLOCK_BOOTTIME);
	for (unsigned i = 0; i < fragment->nfields; i++) {
		s->status |= is_in_status(fragment->fields[i]->id);
		s->cgroups |= is_in_cgroup(fragment->fields[i]->id);
	}
	s->base.ops = &proc_ops;
	*out = &s->base;
	return 0;
}

static int table_start(struct rn_source *source, struct rn_err *err)
{
	struct proc_source *s = (struct proc_source *)source;

	(void)err;
	s->begin_ns = s->due_ns = time_of(s->fragment);
	return 0;
}

static int table_poll(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		      struct rn_err *err)
{
	struct proc_source *s = (struct proc_source *)source;
	int64_t now = time_of(s->fragment), every = s->fragment->every_ns;
	int ret;

	if (s->due_ns > now) {
		int64_t wait = (s->due_ns - now) / 1000000 + 1;

		if (timeout_ms > 0)
			usleep((useconds_t)(wait < timeout_ms ? wait : timeout_ms) * 1000);
		return 0;
	}
	ret = snapshot(s, sink, err);
	if (ret < 0)
		return ret;
	s->due_ns = every ? (now / every + 1) * every : INT64_MAX;
	return every ? 0 : 1;
}

static int table_deliver_window(struct rn_source *source, const struct rn_sink *sink,
				int64_t window_ns, bool snapshot, struct rn_err *err)
{
	struct proc_source *s = (struct proc_source *)source;

	/* forms no groups of its own */
	(void)s, (void)sink, (void)window_ns, (void)snapshot, (void)err;
	return 0;
}

static int table_stop(struct rn_source *source, struct rn_err *err)
{
	struct proc_source *s = (struct proc_source *)source;

	(void)err;
	s->end_ns = time_of(s->fragment);
	if (s->due_ns > s->begin_ns) /* it has been read */
		s->due_ns = INT64_MAX;
	return 0;
}

static int64_t table_complete_until(struct rn_source *source)
{
	struct proc_source *s = (struct proc_source *)source;

	return s->due_ns > s->begin_ns ? s->due_ns : INT64_MIN;
}

static void table_ledger(struct rn_source *source, struct rn_ledger *l)
{
	struct proc_source *s = (struct proc_source *)source;

	memset(l, 0, sizeof(*l));
	l->node = s->node;
	l->n[RN_L_SEEN] = l->n[RN_L_MATCHED] = s->seen;
	l->begin_ns = s->begin_ns;
	l->end_ns = s->end_ns;
	l->answered = true;
}

static void table_close(struct rn_source *source)
{
	struct proc_source *s = (struct proc_source *)source;

	rn_arena_destroy(s->arena);
	free(s->cgroup.whole);
	free(s);
}

static const struct rn_source_ops proc_ops = {
	.start = table_start,
	.poll = table_poll,
	.deliver_window = table_deliver_window,
	.stop = table_stop,
	.ledger = table_ledger,
	.close = table_close,
	.complete_until = table_complete_until,
};

bool rn_table_is(const struct rn_fragment *fragment)
{
	return fragment->cls->kind == RN_CLASS_TABLE && fragment->cls->id == RN_CLS_PROC;
}
