/* scope.c - see scope.h. Each kind is a row of a table: its word, its argument, and the function
 * that checks it against this machine. */
#include "exec/node/scope.h"
#include "lang/base/memory.h"
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* Returns the mount point of the cgroup hierarchy; NULL: in none of the usual places. */
static const char *cgroup_mount(void)
{
	static const char *const usual[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

	for (unsigned i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (is_cgroup2(usual[i]))
			return usual[i];
	return NULL;
}

/* Inodes of the first namespaces: PROC_PID_INIT_INO, and PROC_NET_INIT_INO of newer kernels. */
enum { FIRST_PID_NS = 0xEFFFFFFC, FIRST_NET_NS = 0xEFFFFFF9 };

static bool first_pid_ns(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_PID_NS;
}

bool rn_scope_own_netns(void)
{
	/* init, and the parent of the kernel's threads */
	static const char *const machine[] = {"/proc/1/ns/net", "/proc/2/ns/net"};
	struct stat own, st;

	if (stat("/proc/self/ns/net", &own) || own.st_ino == FIRST_NET_NS)
		return false;
	/* elsewhere other processes have these numbers */
	for (unsigned i = 0; i < 2 && first_pid_ns(); i++)
		if (!stat(machine[i], &st))
			return st.st_ino != own.st_ino;
	return true;
}

static int take_netns(struct rn_scope *out, const char *value, struct rn_err *err)
{
	struct stat st;

	(void)value;
	if (stat("/proc/self/ns/net", &st)) {
		int r = rn_err_set(err, -errno,
				   "scope `netns`: the network namespace of this process cannot be "
				   "found: /proc/self/ns/net: %s",
				   strerror(errno));

		rn_err_hint(err, "is /proc mounted?");
		return r;
	}
	out->netns_ino = st.st_ino;
	return 0;
}

static int no_cgroup(const char *path, int code, struct rn_err *err)
{
	const char *mount = cgroup_mount();
	char inside[PATH_MAX];

	rn_err_set(err, code, "scope `cgroup=%s`: %s", path,
		   code == -ENOTDIR ? "this is no directory of a cgroup of version 2"
				    : strerror(-code));
	if (!mount) {
		rn_err_hint(err, "no hierarchy of version 2 is mounted here: mount -t cgroup2 none "
				 "/sys/fs/cgroup/unified");
		return code;
	}
	snprintf(inside, sizeof(inside), "%s/%s", mount, path + strspn(path, "/"));
	rn_err_hint(err,
		    is_cgroup2(inside) ? "did you mean cgroup=%.300s?"
				       : "cgroups of version 2 lie below %.300s",
		    is_cgroup2(inside) ? inside : mount);
	return code;
}

static int take_cgroup(struct rn_scope *out, const char *value, struct rn_err *err)
{
	char *path = realpath(value, NULL);
	struct stat st;

	if (!path || stat(path, &st))
		st.st_mode = 0;
	if (!path || !S_ISDIR(st.st_mode) || !is_cgroup2(path)) {
		int code = path ? -ENOTDIR : -errno;

		free(path);
		return no_cgroup(value, code, err);
	}
	out->cgroup = path;
	out->cgroup_id = st.st_ino;
	return 0;
}

static int take_pid(struct rn_scope *out, const char *value, struct rn_err *err)
{
	char *end;
	long pid = strtol(value, &end, 10);

	if (*end || end == value || pid <= 0 || pid > 1 << 22) {
		rn_err_set(err, -EINVAL, "scope `pid=%s`: this is no process id", value);
		rn_err_hint(err, "for instance pid=1234: that process and its descendants");
		return -EINVAL;
	}
	if (!first_pid_ns()) {
		rn_err_set(err, -ENOTSUP,
			   "scope `pid=%s`: this process is in a PID namespace, and events have "
			   "the kernel's numbers",
			   value);
		rn_err_hint(
			err,
			"start the agent outside of the container, or use cgroup=PATH or netns");
		return -ENOTSUP;
	}
	if (kill((pid_t)pid, 0) && errno == ESRCH) {
		rn_err_set(err, -ESRCH, "scope `pid=%s`: there is no such process", value);
		rn_err_hint(err, "`pgrep NAME` tells the id of a process that runs");
		return -ESRCH;
	}
	out->tree = (int32_t)pid;
	return 0;
}

static const struct {
	const char *word;
	bool value;
	int (*take)(struct rn_scope *out, const char *value, struct rn_err *err);
} kinds[] = {
	{"netns", false, take_netns},
	{"cgroup", true, take_cgroup},
	{"pid", true, take_pid},
};
enum { NKINDS = sizeof(kinds) / sizeof(*kinds) };

/* Parses one part, and changes it. given: the kinds that came before. */
static int take(struct rn_scope *out, char *part, unsigned *given, struct rn_err *err)
{
	char *eq = strchr(part, '=');
	size_t n = eq ? (size_t)(eq - part) : strlen(part);

	for (unsigned i = 0; i < NKINDS; i++) {
		if (strlen(kinds[i].word) != n || strncmp(kinds[i].word, part, n))
			continue;
		if (kinds[i].value != (eq && eq[1]))
			break;
		if (*given >> i & 1)
			return rn_err_set(err, -EINVAL, "scope `%s`: `%s` is there twice", part,
					  kinds[i].word);
		*given |= 1u << i;
		return kinds[i].take(out, eq ? eq + 1 : NULL, err);
	}
	rn_err_set(err, -EINVAL, "scope `%s`: this is no part of a kernel that can be a node",
		   part);
	rn_err_hint(
		err,
		"there are netns, cgroup=PATH and pid=N, or several of them: netns,cgroup=PATH");
	return -EINVAL;
}

int rn_scope_parse(const char *text, struct rn_scope *out, struct rn_err *err)
{
	char *copy = rn_strdup(text), *rest = copy, *part;
	unsigned given = 0;
	int r = 0;

	while (!r && (part = strsep(&rest, ",")))
		r = take(out, part, &given, err);
	free(copy);
	if (r)
		rn_scope_free(out);
	return r;
}

void rn_scope_free(struct rn_scope *scope)
{
	free((char *)scope->cgroup);
	scope->cgroup = NULL;
}
