/* scope.c - the processes that a query watches when it begins, and the same question for one
 * process. */
#include "probes/live/scope.h"
#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "probes/kernel/maps.h"

/* ---- user space: the processes in scope when the query begins ---- */

/* The parent of a process, from /proc; 0: none, or it has ended. */
static int32_t parent(int32_t pid)
{
	char path[64], buf[1024], *end;
	int32_t ppid = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	buf[n > 0 ? n : 0] = 0;
	end = strrchr(buf, ')'); /* the name before it may hold anything */
	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote this number
	return end && sscanf(end + 1, " %*c %d", &ppid) == 1 ? ppid : 0;
}

/* Is it `of`, or one of its descendants? */
static bool descends(int32_t pid, int32_t of)
{
	for (int hops = 0; pid > 0 && hops < 4096; hops++, pid = parent(pid))
		if (pid == of)
			return true;
	return false;
}

static int in_range(int32_t pid, struct rn_err *err)
{
	return pid > 0 && pid < RN_SCOPE_PIDS
		       ? 0
		       : rn_err_set(err, -EINVAL, "%d is not a process id", pid);
}

static void mark(uint64_t *bits, int32_t pid)
{
	__atomic_fetch_or(&bits[pid / 64], 1ULL << (pid % 64), __ATOMIC_SEQ_CST);
}

static bool marked(const uint64_t *bits, int32_t pid)
{
	return __atomic_load_n(&bits[pid / 64], __ATOMIC_SEQ_CST) >> (pid % 64) & 1;
}

/* If the process has ended meanwhile, its id may be given again, and nobody clears its bit. */
static bool mark_if_alive(uint64_t *bits, int32_t pid)
{
	char path[64];

	mark(bits, pid);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (!access(path, F_OK))
		return true;
	__atomic_fetch_and(&bits[pid / 64], ~(1ULL << (pid % 64)), __ATOMIC_SEQ_CST);
	return false;
}

int rn_scope_fill(uint64_t *bits, const struct rn_scope *scope, struct rn_err *err)
{
	int r = 0;

	for (unsigned i = 0; i < scope->npids && !r; i++) {
		r = in_range(scope->pids[i], err);
		if (!r && (!scope->tree || descends(scope->pids[i], scope->tree)))
			mark(bits, scope->pids[i]);
	}
	if (r || scope->npids || !scope->tree)
		return r;
	r = in_range(scope->tree, err);
	if (!r && !parent(scope->tree) && kill(scope->tree, 0) && errno == ESRCH) {
		rn_err_set(
			err, -ESRCH,
			"the node is process %d and its descendants, but there is no such process",
			scope->tree);
		rn_err_hint(
			err,
			"start the agent again with the process that now is the root of that tree");
		return -ESRCH;
	}
	if (!r)
		mark(bits, scope->tree);
	return r;
}

/* Marks the descendants of marked processes. The kernel marks children of marked processes from
 * their birth on. Those born before their parent was marked are found here; a round that finds none
 * is the last. */
static void mark_descendants(uint64_t *bits)
{
	bool again = true;

	while (again) {
		DIR *d = opendir("/proc");
		struct dirent *e;

		again = false;
		while (d && (e = readdir(d))) {
			int32_t pid = isdigit((unsigned char)e->d_name[0])
					      ? (int)strtol(e->d_name, NULL, 10)
					      : 0,
				up;

			if (pid <= 0 || pid >= RN_SCOPE_PIDS || marked(bits, pid))
				continue;
			up = parent(pid);
			if (up > 0 && up < RN_SCOPE_PIDS && marked(bits, up))
				again |= mark_if_alive(bits, pid);
		}
		if (d)
			closedir(d);
	}
}

void rn_scope_fill_tree(uint64_t *bits, const struct rn_scope *scope)
{
	if (scope && scope->tree && !scope->npids)
		mark_descendants(bits);
}

void rn_scope_mark(uint64_t *bits, const int64_t *pids, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (pids[i] > 0 && pids[i] < RN_SCOPE_PIDS)
			mark_if_alive(bits, (int32_t)pids[i]);
	mark_descendants(bits);
}

int rn_scope_cgroup(int map_fd, const struct rn_scope *scope, struct rn_err *err)
{
	int fd = open(scope->cgroup ? scope->cgroup : "", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    r = 0;
	uint32_t zero = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_ino != scope->cgroup_id ||
	    bpf_map_update_elem(map_fd, &zero, &fd, BPF_ANY)) {
		r = fd < 0 || st.st_ino == scope->cgroup_id ? -errno : -ESTALE;
		rn_err_set(err, r, "the node is the cgroup %s, but %s",
			   scope->cgroup ? scope->cgroup : "(no path)",
			   r == -ESTALE ? "that is another one by now" : strerror(-r));
		rn_err_hint(err, "start the agent again with the cgroup that is meant");
	}
	if (fd >= 0)
		close(fd);
	return r;
}

/* ---- the same question about one process, for the table ---- */

void rn_scope_paths(struct rn_scope_path *list, const struct rn_scope *scope)
{
	char *path =
		scope && scope->cgroup_id && scope->cgroup ? realpath(scope->cgroup, NULL) : NULL;
	size_t n = path ? strlen(path) : 0;
	struct statfs fs;

	*list = (struct rn_scope_path){.whole = path, .below = path};
	while (n > 1) { /* up to where the hierarchy is mounted */
		char *slash = memrchr(path, '/', n), was = (char)(slash ? *slash : 0);
		int r;

		if (!slash)
			break;
		list->below = path + n;
		if (slash == path)
			break;
		*slash = 0;
		r = statfs(path, &fs);
		*slash = was;
		if (r || fs.f_type != CGROUP2_SUPER_MAGIC)
			break;
		n = (size_t)(slash - path);
	}
}

bool rn_scope_holds(const struct rn_scope *scope, const struct rn_scope_path *path, int32_t pid,
		    int dir, const char *cgroup)
{
	bool named = !scope || !scope->npids;
	struct stat st;
	size_t n;

	for (unsigned i = 0; !named && i < scope->npids; i++)
		named = scope->follow ? descends(pid, scope->pids[i]) : pid == scope->pids[i];
	if (!named || !scope)
		return named;
	if (scope->tree && !descends(pid, scope->tree))
		return false;
	if (scope->netns_ino && (fstatat(dir, "ns/net", &st, 0) || st.st_ino != scope->netns_ino))
		return false;
	if (!scope->cgroup_id)
		return true;
	n = path->below ? strlen(path->below) : 0;
	return path->below && !strncmp(cgroup, path->below, n) && (!cgroup[n] || cgroup[n] == '/');
}
