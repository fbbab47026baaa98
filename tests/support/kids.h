/* kids.h - for tests of a node that is a part of a kernel. Processes (kids) take a place in a
 * network namespace or a cgroup and say so. Then they wait to be let go, make a known number of
 * calls and end. Static functions, as they fail the test that includes them. */
#ifndef RN_TESTS_SUPPORT_KIDS_H
#define RN_TESTS_SUPPORT_KIDS_H
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include "tests/support/live.h"

/* arg0 of the calls that are asked for; how many it makes besides */
enum { MAGIC = 4711, OTHERS = 30 };
struct kid {
	int32_t pid;
	int go;
};

static inline void wait_for(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(1);
}

static inline void make_calls(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid, MAGIC);
	for (int i = 0; i < OTHERS; i++)
		syscall(SYS_getppid, MAGIC + 1);
}

/* Starts a kid that makes n calls; place: puts it where it belongs, false if it cannot. With body,
 * that instead of the calls. */
static inline bool kid_start(struct kid *k, bool (*place)(const void *arg), const void *arg, int n,
			     void (*body)(int n))
{
	int ready[2], go[2];
	char c = 0;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	k->pid = fork();
	if (!k->pid) {
		/* other kids' ends are inherited: each kid is let go by a byte, not by the end of
		 * its pipe */
		close(go[1]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		c = place && !place(arg) ? 'n' : 'y';
		if (write(ready[1], &c, 1) != 1 || c == 'n')
			_exit(1);
		wait_for(go[0]);
		(body ? body : make_calls)(n);
		_exit(0);
	}
	close(go[0]);
	close(ready[1]);
	k->go = go[1];
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return c == 'y';
}

static inline void kid_go(struct kid *k)
{
	assert_int_equal(write(k->go, "x", 1), 1);
}

static inline void kid_end(struct kid *k)
{
	int status;

	close(k->go);
	assert_int_equal(waitpid(k->pid, &status, 0), k->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline void kid_stop(struct kid *k) /* one that could not take its place */
{
	close(k->go);
	waitpid(k->pid, NULL, 0);
}

static inline bool new_netns(const void *arg)
{
	(void)arg;
	return unshare(CLONE_NEWNET) == 0;
}

static inline uint64_t netns_of(int32_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}
struct found {
	int32_t pid;
	int64_t events;
};

static inline int look(void *self, const struct rn_partials *p)
{
	struct found *f = self;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->parts[i].key[0].i == f->pid)
			f->events += p->parts[i].events;
	return 0;
}

static inline int64_t events_of(struct live *l, int32_t pid)
{
	struct found f = {.pid = pid};

	rn_groups_visit(l->groups, INT64_MAX, false, look, &f);
	return f.events;
}
/* one, one below it, one beside it whose name begins alike, and below that */
static char cgroup[4][300];

static inline bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == 0x63677270;
}

static inline bool cgroups_make(void)
{
	const char *root =
		is_cgroup2("/sys/fs/cgroup") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/unified";

	if (!is_cgroup2(root))
		return false;
	snprintf(cgroup[0], sizeof(*cgroup), "%s/runnel-test-%d", root, getpid());
	snprintf(cgroup[1], sizeof(*cgroup), "%.200s/below", cgroup[0]);
	snprintf(cgroup[2], sizeof(*cgroup), "%.200s-beside", cgroup[0]);
	snprintf(cgroup[3], sizeof(*cgroup), "%.200s/below", cgroup[2]);
	for (int i = 0; i < 4; i++)
		if (mkdir(cgroup[i], 0755))
			return false;
	return true;
}

static inline int cgroups_remove(void **state)
{
	(void)state;
	for (int i = 4; i-- > 0;)
		for (int tries = 0;
		     cgroup[i][0] && rmdir(cgroup[i]) && errno == EBUSY && tries < 500; tries++)
			/* a process that has been waited for may still be on its way out */
			usleep(10000);
	memset(cgroup, 0, sizeof(cgroup));
	return 0;
}

static inline bool into_cgroup(const void *path)
{
	char file[320];
	int fd;
	bool fine;

	snprintf(file, sizeof(file), "%s/cgroup.procs", (const char *)path);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	fine = fd >= 0 && write(fd, "0", 1) == 1;
	close(fd);
	return fine;
}

static inline struct rn_scope cgroup_scope(int i)
{
	struct stat st;

	assert_int_equal(stat(cgroup[i], &st), 0);
	return (struct rn_scope){.cgroup_id = st.st_ino, .cgroup = cgroup[i]};
}
#endif
