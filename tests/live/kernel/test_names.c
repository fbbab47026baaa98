/* test_names.c - the name of an open file at each event, against readlink of /proc/self/fd: random
 * renames, exchanges, links, unlinks, mounts and files without a name; all that has no path; and
 * while somebody else renames as fast as it can. In a mount namespace of its own. SEED=N begins
 * elsewhere. Skipped where BPF is not permitted. */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <cmocka.h>
#include "probes/probes.h"
#include "tests/support/harness.h"

enum { STEPS = 6000, FILES = 12, NAMES = 6, DIRS = 5, DEEP = 100, READS = 60000 };
static char top[64];
static const struct rn_intrinsics_opts plain, no_casts = {.no_casts = true};
static unsigned long long seed;

static unsigned dice(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 11) % n;
}

/* Names are those of the whole machine, /proc shows them from our root: in a chroot (a test
 * machine) they begin with its path. */
static char root[RN_PATH_BYTES + 1];

/* How a descriptor is named, as the kernel's side sees it at a call with it. */
static void ask(struct harness *h, int fd, char got[RN_PATH_BYTES + 1])
{
	struct rn_bpf_file f;
	bool cut;
	int n;

	lseek(fd, 0, SEEK_CUR);
	memcpy(&f, harness_out(h), sizeof(f));
	n = rn_intrinsics_path(harness_intrinsics(h), &f.name, got, &cut);
	got[n < 0 ? 0 : n] = 0;
	n = (int)strlen(root);
	if (n && !strncmp(got, root, (size_t)n))
		memmove(got, got[n] ? got + n : "/", got[n] ? strlen(got + n) + 1 : 2);
}

static void find_root(struct harness *h)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	char got[RN_PATH_BYTES + 1];

	root[0] = 0;
	ask(h, fd, got);
	strcpy(root, got[1] ? got : "");
	close(fd);
}

static struct harness *open_or_fail(const struct rn_intrinsics_opts *o)
{
	static const int args[] = {0, ARG_CONST(RN_WANT_NAME), ARG_OUT, ARG_END};
	struct rn_err err = {0};
	struct harness *h;

	if (rn_probes_permitted(&err))
		skip();
	h = harness_open(__NR_lseek, RN_I_FILE, args, o, &err);
	if (!h)
		fail_msg("%s", err.text);
	find_root(h);
	return h;
}

static void check(struct harness *h, int fd, const char *after)
{
	char link[40], want[4096], got[RN_PATH_BYTES + 1];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, want, sizeof(want) - 1);
	assert_true(n > 0 && n < RN_PATH_BYTES);
	want[n] = 0;
	ask(h, fd, got);
	if (strcmp(got, want))
		fail_msg("after %s: '%s', but /proc has '%s'", after, got, want);
}

/* ---- random operations ---- */

static const char *dir_name(unsigned i)
{
	static const char *const in[DIRS] = {"d0", "d1", "d0/s", "d1/s", "d0/s/t"};

	return in[i];
}

static void some_dir(char *to, size_t cap)
{
	snprintf(to, cap, "%s/%s", top, dir_name(dice(DIRS)));
}

static void some_name(char *to, size_t cap)
{
	int n = snprintf(to, cap, "%s/%s", top, dir_name(dice(DIRS)));

	snprintf(to + n, cap - (size_t)n, "/f%u", dice(NAMES));
}

static void open_one(int *fd, const char *a, const char *b)
{
	char self[40];

	if (*fd >= 0)
		close(*fd);
	switch (dice(6)) {
	case 0: *fd = open(b, O_TMPFILE | O_RDWR, 0600); break;
	case 1: *fd = open(b, O_RDONLY | O_DIRECTORY); break;
	case 2: *fd = memfd_create(b + strlen(top), 0); break;
	default: *fd = open(a, O_CREAT | O_RDWR, 0600);
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", *fd);
	if (!dice(4))
		linkat(AT_FDCWD, self, AT_FDCWD, a, AT_SYMLINK_FOLLOW);
}

/* One operation, which may fail; what it was. */
static const char *operate(int *fd)
{
	char a[128], b[128], c[128], d[128];

	some_name(a, sizeof(a));
	some_name(b, sizeof(b));
	some_dir(c, sizeof(c));
	some_dir(d, sizeof(d));
	switch (dice(12)) {
	case 0:
	case 1:
	case 2: open_one(&fd[dice(FILES)], a, c); return "open";
	case 3:
	case 4: rename(a, b); return "rename";
	case 5:
		syscall(__NR_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2 /* RENAME_EXCHANGE */);
		return "exchange";
	case 6: link(a, b); return "link";
	case 7: unlink(a); return "unlink";
	case 8: rename(c, d); return "rename of a directory";
	case 9: mkdir(c, 0700); return "mkdir";
	case 10:
		if (dice(4))
			mount(c, d, NULL, MS_BIND, NULL);
		else
			mount("none", d, "tmpfs", 0, "size=1m");
		return "mount";
	default:
		if (dice(3))
			umount2(c, MNT_DETACH);
		else
			mount(c, d, NULL, MS_MOVE, NULL);
		return "umount";
	}
}

static void no_mounts(void)
{
	for (unsigned i = 0; i < 64 * DIRS; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", top, dir_name(i % DIRS));
		umount2(path, MNT_DETACH);
	}
}

static void random_by(const struct rn_intrinsics_opts *o)
{
	struct harness *h = open_or_fail(o);
	int fd[FILES];

	for (unsigned i = 0; i < FILES; i++)
		fd[i] = -1;
	for (unsigned i = 0; i < STEPS; i++) {
		const char *what = operate(fd);

		if (i % 500 == 0)
			no_mounts();
		for (unsigned k = 0; k < FILES; k++)
			if (fd[k] >= 0)
				check(h, fd[k], what);
	}
	for (unsigned i = 0; i < FILES; i++)
		close(fd[i]);
	no_mounts();
	harness_close(h);
}

static void random_operations(void **state)
{
	(void)state;
	random_by(&plain);
}
static void random_operations_without_casts(void **state)
{
	(void)state;
	random_by(&no_casts);
}

/* ---- what has no path ---- */

static int shm_area(void)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600), fd = -1;
	void *at = shmat(id, NULL, 0);
	char path[80];

	shmctl(id, IPC_RMID, NULL);
	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (unsigned long)at,
		 (unsigned long)at + 4096);
	fd = open(path, O_RDWR);
	shmdt(at);
	return fd;
}

static void pathless_by(const struct rn_intrinsics_opts *o)
{
	struct harness *h = open_or_fail(o);
	sigset_t none;
	int p[2], fd[32], n = 0;

	sigemptyset(&none);
	assert_int_equal(pipe(p), 0);
	for (int i = 0; i < 3; i++) {
		fd[n++] = eventfd(0, 0);
		fd[n++] = timerfd_create(CLOCK_MONOTONIC, 0);
		fd[n++] = epoll_create1(0);
	}
	fd[n++] = signalfd(-1, &none, 0);
	fd[n++] = inotify_init();
	fd[n++] = p[0];
	fd[n++] = p[1];
	fd[n++] = socket(AF_UNIX, SOCK_STREAM, 0);
	fd[n++] = memfd_create(
		"a name of a memory file that is longer than forty bytes, all in all", 0);
	fd[n++] = memfd_create("", 0);
	fd[n++] = open("/proc/self/ns/net", O_RDONLY);
	fd[n++] = open("/proc/self/ns/mnt", O_RDONLY);
	fd[n++] = (int)syscall(__NR_pidfd_open, getpid(), 0);
	fd[n++] = (int)syscall(447 /* memfd_secret */, 0);
	fd[n++] = shm_area();
	fd[n++] = open("/", O_PATH);
	fd[n++] = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	fd[n++] = open("/dev/ptmx", O_RDWR);
	for (int i = 0; i < n; i++)
		if (fd[i] >= 0)
			check(h, fd[i], "opening what has no path");
	for (int i = 0; i < n; i++)
		close(fd[i]);
	harness_close(h);
}

static void pathless(void **state)
{
	(void)state;
	pathless_by(&plain);
	pathless_by(&no_casts);
}

/* ---- while somebody renames ---- */

/* top/p0/c/.../c/x0, where the file and the topmost directory take turns: x1, p1, x2, p2, x0, p0.
 * So p0/x2, p1/x0 and p2/x1 are never there: a name that is put together of two moments is seen. */
struct turns {
	char prefix[80], middle[2 * DEEP + 1];
	unsigned depth;
	volatile int stop;
};

static void turn_path(const struct turns *t, char *to, size_t cap, int p, int x)
{
	snprintf(to, cap, "%s/p%d%s/x%d", t->prefix, p, t->middle, x);
}

static void *take_turns(void *arg)
{
	struct turns *t = arg;
	char from[400], to[400];
	int at = 0;

	while (!t->stop) {
		int next = (at + 1) % 3;

		turn_path(t, from, sizeof(from), at, at);
		turn_path(t, to, sizeof(to), at, next);
		rename(from, to);
		snprintf(from, sizeof(from), "%s/p%d", t->prefix, at);
		snprintf(to, sizeof(to), "%s/p%d", t->prefix, next);
		rename(from, to);
		at = next;
	}
	return NULL;
}

static bool possible(const struct turns *t, const char *got)
{
	char path[400];

	for (int p = 0; p < 3; p++)
		for (int k = 0; k < 2; k++) {
			turn_path(t, path, sizeof(path), p, (p + k) % 3);
			if (!strcmp(path, got))
				return true;
		}
	return false;
}

static int make_turns(struct turns *t, unsigned depth)
{
	char path[400];
	int n;

	t->depth = depth;
	snprintf(t->prefix, sizeof(t->prefix), "%s/turns%u", top, dice(1u << 30));
	mkdir(t->prefix, 0700);
	for (unsigned i = 0; i < depth; i++)
		memcpy(t->middle + 2 * i, "/c", 3);
	n = snprintf(path, sizeof(path), "%s/p0", t->prefix);
	mkdir(path, 0700);
	for (unsigned i = 0; i < depth; i++, n += 2) {
		memcpy(path + n, "/c", 3);
		mkdir(path, 0700);
	}
	turn_path(t, path, sizeof(path), 0, 0);
	return open(path, O_CREAT | O_RDWR, 0600);
}

static void renamed_meanwhile(const struct rn_intrinsics_opts *o, unsigned depth)
{
	struct harness *h = open_or_fail(o);
	struct turns t = {.stop = 0};
	struct rn_bpf_stats stats;
	unsigned wrong = 0, names = 0;
	char got[RN_PATH_BYTES + 1], last[RN_PATH_BYTES + 1] = "";
	pthread_t other;
	int fd = make_turns(&t, depth);

	assert_true(fd >= 0);
	assert_int_equal(pthread_create(&other, NULL, take_turns, &t), 0);
	for (unsigned i = 0; i < READS; i++) {
		ask(h, fd, got);
		wrong += !possible(&t, got);
		names += strcmp(got, last) != 0;
		strcpy(last, got);
	}
	t.stop = 1;
	pthread_join(other, NULL);
	check(h, fd, "the last turn");
	close(fd);
	rn_intrinsics_stats(harness_intrinsics(h), &stats);
	printf("depth %u: %u changes seen, %llu of %u names unsettled, %u impossible\n", depth,
	       names, (unsigned long long)stats.unsettled, (unsigned)READS, wrong);
	assert_true(names > 2);
	assert_true(wrong <= stats.unsettled);
	if (depth < 10)
		assert_true(stats.unsettled < READS / 10);
	harness_close(h);
}

static void while_renamed(void **state)
{
	(void)state;
	renamed_meanwhile(&plain, 1);
	renamed_meanwhile(&plain, DEEP);
	renamed_meanwhile(&no_casts, 1);
}

/* Deeper than what is read at once, up to what fits into a path. */
static void deep(void **state)
{
	struct harness *h = open_or_fail(&plain);
	int at = open(top, O_RDONLY | O_DIRECTORY), fd;

	(void)state;

	for (int i = 1; i <= 400; i++) {
		mkdirat(at, "e", 0700);
		fd = openat(at, "e", O_RDONLY | O_DIRECTORY);
		close(at);
		at = fd;
		if (i % 50 == 0 || i < 30)
			check(h, at, "going down");
	}
	check(h, at, "going down");
	close(at);
	harness_close(h);
}

static int setup(void **state)
{
	const char *s = getenv("SEED");
	char path[128];

	(void)state;
	seed = s ? strtoull(s, NULL, 0) * 2 + 1 : 0x9E3779B97F4A7C15ULL;
	strcpy(top, "/tmp/runnel-names-XXXXXX");
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !mkdtemp(top))
		return rn_probes_permitted(NULL) ? 0 : -1;
	for (unsigned i = 0; i < DIRS; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, dir_name(i));
		mkdir(path, 0700);
	}
	return 0;
}

static int teardown(void **state)
{
	char cmd[128];

	(void)state;
	no_mounts();
	snprintf(cmd, sizeof(cmd), "rm -rf --one-file-system '%s'", top);
	return system(cmd) ? 0 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations),
		cmocka_unit_test(random_operations_without_casts),
		cmocka_unit_test(pathless),
		cmocka_unit_test(deep),
		cmocka_unit_test(while_renamed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
