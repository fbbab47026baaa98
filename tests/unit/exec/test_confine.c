/* test_confine.c - what a confined process can no longer do, and what it still can: each in a
 * process of its own. Needs no rights; what is about capabilities is seen only by root. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/node/confine.h"

static char place[] = "/tmp/runnel-confine-XXXXXX", file[64];

/* ---- refused: each returns what the call returned ---- */

static long forks(void)
{
	long r = fork();

	if (!r)
		_exit(0);
	return r;
}
static long vforks(void)
{
	return syscall(SYS_vfork);
}
static long runs(void)
{
	return execl("/bin/true", "true", (char *)NULL);
}
static long creates(void)
{
	return open(file, O_RDONLY | O_CREAT, 0600);
}
static long writes(void)
{
	return open(file, O_WRONLY);
}
static long appends(void)
{
	return openat(AT_FDCWD, file, O_RDWR | O_APPEND);
}
static long truncates(void)
{
	return open(file, O_RDONLY | O_TRUNC);
}
static long opens_by_struct(void)
{
	return syscall(SYS_openat2, AT_FDCWD, file, NULL, 0);
}
static long removes(void)
{
	return unlink(file);
}
static long renames(void)
{
	return rename(file, file);
}
static long makes_dir(void)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/d", place);
	return mkdir(path, 0700);
}
static long changes_mode(void)
{
	return chmod(file, 0777);
}
static long mounts(void)
{
	return mount("none", place, "tmpfs", 0, NULL);
}
static long opens_fs(void)
{
	return syscall(SYS_fsopen, "tracefs", 0);
}
static long unshares(void)
{
	return unshare(CLONE_NEWUSER);
}
static long sets_ns(void)
{
	return setns(0, CLONE_NEWNET);
}
static long roots(void)
{
	return chroot("/");
}
static long traces(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}
static long reads_others(void)
{
	return syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0);
}
static long kills(void)
{
	return kill(getppid(), SIGCONT);
}
static long signals(void)
{
	return syscall(SYS_tgkill, getppid(), getppid(), SIGCONT);
}
static long sets_clock(void)
{
	return settimeofday(&(struct timeval){0}, NULL);
}
static long sets_user(void)
{
	return setuid(getuid());
}
static long sets_name(void)
{
	return sethostname("x", 1);
}
static long loads_module(void)
{
	return syscall(SYS_init_module, "", 0, "");
}
static long listens(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd < 0 ? fd : listen(fd, 1);
}
static long raw_packets(void)
{
	return socket(AF_PACKET, SOCK_RAW, 0);
}
static long pins(void)
{
	union bpf_attr a = {.pathname = (uint64_t)(uintptr_t) "/sys/fs/bpf/runnel-test"};

	return syscall(SYS_bpf, BPF_OBJ_PIN, &a, sizeof(a));
}
static long takes_others_maps(void)
{
	union bpf_attr a = {.map_id = 1};

	return syscall(SYS_bpf, BPF_MAP_GET_FD_BY_ID, &a, sizeof(a));
}
static long types_for_terminal(void)
{
	return syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, "x");
}
static long dumps_core(void)
{
	return prctl(PR_SET_DUMPABLE, 1);
}
static long writes_others_limits(void)
{
	return syscall(SYS_prlimit64, getppid(), 7, NULL, NULL);
}
static long new_filter(void)
{
	return syscall(SYS_seccomp, 1, 0, NULL);
}
/* Ways to have the kernel send a signal to somebody, when something comes or is opened. */
static long owns_pipe(void)
{
	int p[2];

	return pipe(p) ? 0 : fcntl(p[0], F_SETOWN, getppid());
}
static long owns_by_struct(void)
{
	struct f_owner_ex owner = {F_OWNER_PID, getppid()};
	int p[2];

	return pipe(p) ? 0 : fcntl(p[0], F_SETOWN_EX, &owner);
}
static long chooses_signal(void)
{
	int p[2];

	return pipe(p) ? 0 : fcntl(p[0], F_SETSIG, SIGKILL);
}
static long turns_async_on(void)
{
	int p[2];

	return pipe(p) ? 0 : fcntl(p[0], F_SETFL, O_NONBLOCK | O_ASYNC);
}
static long turns_async_on_by_ioctl(void)
{
	int p[2], on = 1;

	return pipe(p) ? 0 : ioctl(p[0], FIOASYNC, &on);
}
static long owns_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), pid = getppid();

	return fd < 0 ? 0 : ioctl(fd, SIOCSPGRP, &pid);
}
static long owns_file(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), pid = getppid();

	return fd < 0 ? 0 : ioctl(fd, FIOSETOWN, &pid);
}
static long notes_changes(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY);

	return fd < 0 ? 0 : fcntl(fd, F_NOTIFY, DN_CREATE);
}
static long takes_lease(void)
{
	int fd = open(file, O_RDONLY);

	return fd < 0 ? 0 : fcntl(fd, F_SETLEASE, F_RDLCK);
}
static long locks_file(void)
{
	struct flock whole = {.l_type = F_RDLCK};
	int fd = open("/proc/self/status", O_RDONLY);

	return fd < 0 ? 0 : fcntl(fd, F_SETLK, &whole);
}
static long dies_with_parent(void)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL);
}
static long asks_uring(void)
{
	return syscall(SYS_io_uring_setup, 1, NULL);
}

static const struct {
	const char *what;
	long (*try)(void);
} refused[] = {
#define X(f) \
	{ \
#f, f \
	}
	X(forks),
	X(vforks),
	X(runs),
	X(creates),
	X(writes),
	X(appends),
	X(truncates),
	X(opens_by_struct),
	X(removes),
	X(renames),
	X(makes_dir),
	X(changes_mode),
	X(mounts),
	X(opens_fs),
	X(unshares),
	X(sets_ns),
	X(roots),
	X(traces),
	X(reads_others),
	X(kills),
	X(signals),
	X(sets_clock),
	X(sets_user),
	X(sets_name),
	X(loads_module),
	X(listens),
	X(raw_packets),
	X(pins),
	X(takes_others_maps),
	X(types_for_terminal),
	X(dumps_core),
	X(writes_others_limits),
	X(new_filter),
	X(asks_uring),
	X(owns_pipe),
	X(owns_by_struct),
	X(chooses_signal),
	X(turns_async_on),
	X(turns_async_on_by_ioctl),
	X(owns_socket),
	X(owns_file),
	X(notes_changes),
	X(takes_lease),
	X(locks_file),
	X(dies_with_parent),
#undef X
};

/* ---- still possible: true if it worked ---- */

static void *thread(void *arg)
{
	*(int *)arg = 1;
	return NULL;
}
static bool starts_threads(void)
{
	pthread_t t;
	int ran = 0;

	return !pthread_create(&t, NULL, thread, &ran) && !pthread_join(t, NULL) && ran;
}
static bool reads_files(void)
{
	char c;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read(fd, &c, 1) == 1;
}
static bool looks_up_users(void)
{
	return getpwuid(0) != NULL || errno != EPERM;
}
static bool connects(void)
{
	struct sockaddr a = {.sa_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd >= 0 && socket(AF_INET, SOCK_STREAM, 0) >= 0 &&
	       connect(fd, &a, sizeof(a.sa_family)) && errno != EPERM;
}
static bool makes_memory_files(void)
{
	int fd = memfd_create("x", 0);

	return fd >= 0 && !ftruncate(fd, 4096) && write(fd, "x", 1) == 1;
}
static bool asks_for_bpf(void)
{
	union bpf_attr a = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1};

	return syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof(a)) >= 0 || geteuid();
}
static bool copies_descriptors(void)
{
	int fd = fcntl(0, F_DUPFD_CLOEXEC, 10), other = fcntl(0, F_DUPFD, 10);

	return fd >= 10 && other > fd && fcntl(other, F_SETFD, FD_CLOEXEC) == 0 &&
	       fcntl(other, F_GETFD) == FD_CLOEXEC;
}
static bool stops_waiting(void)
{
	int p[2];

	return !pipe(p) && !fcntl(p[0], F_SETFL, fcntl(p[0], F_GETFL) | O_NONBLOCK) &&
	       fcntl(p[0], F_GETFL) & O_NONBLOCK;
}
static bool no_new_privileges(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static const struct {
	const char *what;
	bool (*try)(void);
} possible[] = {
	{"threads", starts_threads},
	{"files", reads_files},
	{"users", looks_up_users},
	{"connections", connects},
	{"files in memory", makes_memory_files},
	{"copies of descriptors", copies_descriptors},
	{"reads that do not wait", stops_waiting},
	{"bpf", asks_for_bpf},
	{"no new privileges", no_new_privileges},
};

/* Runs one in a confined child; its exit status: 0 fine, 1 not, 2 could not be confined. */
static int confined(int i, bool no)
{
	int pid = fork(), status;

	if (!pid) {
		struct rn_err err = {0};

		if (rn_confine(&err)) {
			dprintf(2, "%s\n%s\n", err.text, err.hint);
			_exit(2);
		}
		errno = 0;
		if (no)
			_exit(refused[i].try() == -1 && errno == EPERM ? 0 : 1);
		_exit(possible[i].try() ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void what_is_refused(void **state)
{
	(void)state;
	for (int i = 0; i < (int)(sizeof(refused) / sizeof(*refused)); i++) {
		int r = confined(i, true);

		if (r)
			fail_msg("%s: %d", refused[i].what, r);
	}
	assert_int_equal(access(file, F_OK), 0);
}

static void what_is_possible(void **state)
{
	(void)state;
	for (int i = 0; i < (int)(sizeof(possible) / sizeof(*possible)); i++) {
		int r = confined(i, false);

		if (r)
			fail_msg("%s: %d", possible[i].what, r);
	}
}

/* Those that are left are among the ones that are needed, and in the bounding set there are no
 * others either. */
static void only_needed_capabilities_are_left(void **state)
{
	int p[2], pid, status;
	char text[600] = "";

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (!pid) {
		struct rn_err err = {0};
		char *has;
		int others = 0;

		if (rn_confine(&err))
			_exit(2);
		for (int c = 0; c < 64; c++)
			others += c != CAP_BPF && c != CAP_PERFMON && c != CAP_SYS_PTRACE &&
				  c != CAP_DAC_READ_SEARCH && c != CAP_SYSLOG &&
				  c != CAP_SYS_RESOURCE && c != CAP_CHECKPOINT_RESTORE &&
				  prctl(PR_CAPBSET_READ, c, 0, 0, 0) == 1;
		has = rn_confine_has();
		if (!has || write(p[1], has, strlen(has)) < 0)
			_exit(3);
		_exit(others ? 4 : 0);
	}
	close(p[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(read(p[0], text, sizeof(text) - 1) >= 0);
	close(p[0]);
	assert_int_equal(status, 0);
	for (char *rest = text, *name; (name = strsep(&rest, ","));) {
		static const char needed[] = " bpf perfmon sys_ptrace dac_read_search syslog "
					     "sys_resource checkpoint_restore ";
		char word[64];

		snprintf(word, sizeof(word), " %s ", name + strspn(name, " "));
		if (*name && !strstr(needed, word))
			fail_msg("it still has %s", name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_refused),
					   cmocka_unit_test(what_is_possible),
					   cmocka_unit_test(only_needed_capabilities_are_left)};
	int failed, fd;

	if (!mkdtemp(place))
		return 1;
	snprintf(file, sizeof(file), "%s/f", place);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	failed = fd < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
	close(fd);
	unlink(file);
	rmdir(place);
	return failed;
}
