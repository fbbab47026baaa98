/* confine.c - see confine.h. Two tables: the capabilities that are kept, and the system calls that
 * are allowed. */
#include "exec/node/confine.h"
#include "lang/base/memory.h"
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The capabilities that an agent needs, and why. A process that was started with fewer keeps
 * fewer. */
static const unsigned kept[] = {
	CAP_BPF,        /* maps and programs */
	CAP_PERFMON,    /* programs that trace, perf events, uprobes */
	CAP_SYS_PTRACE, /* /proc/PID of others: maps, exe, namespaces */
	/* /proc/PID/map_files: libraries of programs in containers, as they are mapped */
	CAP_CHECKPOINT_RESTORE,
	CAP_DAC_READ_SEARCH, /* libraries and symbol tables that only some users may read */
	/* addresses in /proc/kallsyms, if kernel.kptr_restrict is 1 or tracing is restricted */
	CAP_SYSLOG, CAP_SYS_RESOURCE, /* locked memory for maps, before Linux 5.11 */
};

/* Before 5.8 there is no CAP_BPF: CAP_SYS_ADMIN covers all of it. */
static bool has_cap_bpf(void)
{
	return prctl(PR_CAPBSET_READ, CAP_BPF, 0, 0, 0) >= 0;
}

/* Debian's 6.1, and other kernels with kernel.perf_event_paranoid above 2, let only CAP_SYS_ADMIN
 * open perf events, and so uprobes, whatever CAP_PERFMON says. This tries it without that
 * capability: there is no other way to know. */
static bool perf_needs_admin(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1};
	int fd;

	capng_update(CAPNG_DROP, CAPNG_EFFECTIVE, CAP_SYS_ADMIN);
	if (capng_apply(CAPNG_SELECT_CAPS))
		return false;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return false;
}

static int drop_capabilities(struct rn_err *err)
{
	bool had[CAP_LAST_CAP + 1], bounding = capng_get_caps_process() == 0 &&
					       capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP);
	bool admin;
	int r;

	for (unsigned c = 0; c <= CAP_LAST_CAP; c++)
		had[c] = capng_have_capability(CAPNG_PERMITTED, c);
	admin = had[CAP_SYS_ADMIN] && (!has_cap_bpf() || perf_needs_admin());
	capng_clear(CAPNG_SELECT_ALL);
	for (unsigned i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (had[kept[i]])
			capng_updatev(CAPNG_ADD,
				      CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET,
				      kept[i], -1);
	if (admin)
		capng_updatev(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET,
			      CAP_SYS_ADMIN, -1);
	r = capng_apply(bounding ? CAPNG_SELECT_ALL : CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT);
	if (!r)
		return 0;
	rn_err_set(err, -EPERM, "the agent cannot give up capabilities (libcap-ng: %d)", r);
	rn_err_hint(err, "start it with CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE and "
			 "CAP_DAC_READ_SEARCH, or as root");
	return -EPERM;
}

/* ---- system calls ---- */

enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND };

/* Allowed whatever the arguments are. */
static const int plain[] = {
	/* memory, time, threads, signals to itself */
	SCMP_SYS(brk),
	SCMP_SYS(mmap),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(mprotect),
	SCMP_SYS(madvise),
	SCMP_SYS(msync),
	SCMP_SYS(memfd_create),
	SCMP_SYS(futex),
	SCMP_SYS(futex_waitv),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(get_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(set_tid_address),
	SCMP_SYS(arch_prctl),
	SCMP_SYS(membarrier),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(getcpu),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(times),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(wait4),
	SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime),
	SCMP_SYS(timerfd_gettime),
	SCMP_SYS(signalfd4),
	/* its ids and rights */
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(getppid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(getgroups),
	SCMP_SYS(getpgrp),
	SCMP_SYS(getrlimit),
	SCMP_SYS(getrusage),
	SCMP_SYS(sysinfo),
	SCMP_SYS(uname),
	SCMP_SYS(getrandom),
	SCMP_SYS(capget),
	/* open files, and looking at files */
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(pread64),
	SCMP_SYS(preadv),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pwrite64),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(close_range),
	SCMP_SYS(dup),
	SCMP_SYS(dup2),
	SCMP_SYS(dup3),
	SCMP_SYS(pipe),
	SCMP_SYS(pipe2),
	SCMP_SYS(eventfd2),
	SCMP_SYS(ftruncate),
	SCMP_SYS(flock),
	SCMP_SYS(fadvise64),
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(statfs),
	SCMP_SYS(fstatfs),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(getdents64),
	SCMP_SYS(getcwd),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(select),
	SCMP_SYS(pselect6),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_pwait2),
	/* connections that it makes */
	SCMP_SYS(socketpair),
	SCMP_SYS(connect),
	SCMP_SYS(bind) /* for resolvers */,
	SCMP_SYS(getsockname),
	SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt),
	SCMP_SYS(setsockopt),
	SCMP_SYS(sendto),
	SCMP_SYS(sendmsg),
	SCMP_SYS(sendmmsg),
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(recvmmsg),
	SCMP_SYS(shutdown),
	/* its task */
	SCMP_SYS(perf_event_open),
};

/* Allowed if an argument is as given. */
static const struct {
	int nr;
	unsigned n;
	struct scmp_arg_cmp arg[2];
} some[] = {
	{SCMP_SYS(open), 1, {{1, SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY}}},
	{SCMP_SYS(openat), 1, {{2, SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY}}},
	/* threads only */
	{SCMP_SYS(clone),
	 1,
	 {{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_NEWNS | CLONE_NEWUSER, CLONE_THREAD}}},
	{SCMP_SYS(socket), 1, {{0, SCMP_CMP_EQ, AF_UNIX}}},
	{SCMP_SYS(socket), 1, {{0, SCMP_CMP_EQ, AF_INET}}},
	{SCMP_SYS(socket), 1, {{0, SCMP_CMP_EQ, AF_INET6}}},
	/* getaddrinfo asks for the machine's addresses */
	{SCMP_SYS(socket), 1, {{0, SCMP_CMP_EQ, AF_NETLINK}}},
	/* Not F_SETOWN, F_SETSIG and O_ASYNC: with them the kernel signals any process when data
	 * comes. Not leases and F_NOTIFY either. */
	{SCMP_SYS(fcntl), 1, {{1, SCMP_CMP_EQ, F_GETFL}}},
	{SCMP_SYS(fcntl), 2, {{1, SCMP_CMP_EQ, F_SETFL}, {2, SCMP_CMP_MASKED_EQ, O_ASYNC, 0}}},
	{SCMP_SYS(fcntl), 1, {{1, SCMP_CMP_EQ, F_GETFD}}},
	{SCMP_SYS(fcntl), 1, {{1, SCMP_CMP_EQ, F_SETFD}}},
	{SCMP_SYS(fcntl), 1, {{1, SCMP_CMP_EQ, F_DUPFD}}},
	{SCMP_SYS(fcntl), 1, {{1, SCMP_CMP_EQ, F_DUPFD_CLOEXEC}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, TCGETS}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, FIONREAD}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, FIONBIO}}},
	/* a process's user namespace */
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, NS_GET_USERNS}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, NS_GET_PARENT}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, NS_GET_OWNER_UID}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, PERF_EVENT_IOC_ENABLE}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, PERF_EVENT_IOC_DISABLE}}},
	{SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, PERF_EVENT_IOC_SET_BPF}}},
	{SCMP_SYS(prctl), 1, {{0, SCMP_CMP_EQ, PR_SET_NAME}}},
	{SCMP_SYS(prctl), 1, {{0, SCMP_CMP_EQ, PR_CAPBSET_READ}}},
	{SCMP_SYS(prctl), 1, {{0, SCMP_CMP_EQ, PR_GET_NO_NEW_PRIVS}}},
	/* glibc and allocators name their memory */
	{SCMP_SYS(prctl), 1, {{0, SCMP_CMP_EQ, PR_SET_VMA}}},
	{SCMP_SYS(prlimit64), 1, {{0, SCMP_CMP_EQ, 0}}},
	{SCMP_SYS(setrlimit), 0, {{0}}},
	{SCMP_SYS(kill), 1, {{1, SCMP_CMP_EQ, 0}}}, /* does a process exist? */
};

/* Allowed uses of BPF objects: making them, and using one's own. Not pinning them, and not finding
 * others'. */
static const unsigned bpf_commands[] = {
	BPF_MAP_CREATE,
	BPF_MAP_LOOKUP_ELEM,
	BPF_MAP_UPDATE_ELEM,
	BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY,
	BPF_MAP_LOOKUP_BATCH,
	BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	BPF_MAP_UPDATE_BATCH,
	BPF_MAP_DELETE_BATCH,
	BPF_MAP_FREEZE,
	BPF_PROG_LOAD,
	BPF_PROG_TEST_RUN,
	BPF_PROG_BIND_MAP,
	BPF_BTF_LOAD,
	BPF_OBJ_GET_INFO_BY_FD,
	BPF_RAW_TRACEPOINT_OPEN,
	BPF_LINK_CREATE,
	BPF_LINK_DETACH,
};

static int add_rules(scmp_filter_ctx f)
{
	int r = 0;

	for (unsigned i = 0; !r && i < sizeof(plain) / sizeof(*plain); i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, plain[i], 0);
	for (unsigned i = 0; !r && i < sizeof(some) / sizeof(*some); i++)
		r = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, some[i].nr, some[i].n, some[i].arg);
	for (unsigned i = 0; !r && i < sizeof(bpf_commands) / sizeof(*bpf_commands); i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1,
				     SCMP_A0(SCMP_CMP_EQ, bpf_commands[i]));
	for (int sig = 0; !r && sig < 2; sig++) /* abort(), and waking a thread of its own */
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW,
				     sig ? SCMP_SYS(tgkill) : SCMP_SYS(rt_tgsigqueueinfo), 1,
				     SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
	/* the other filter handles it */
	return r ? r : seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clone3), 0);
}

/* The flags of clone3 are in memory, where a filter does not see them. If it is reported as
 * unknown, glibc uses clone instead. It has its own filter, so that the kernel's log is not told of
 * each thread. */
static int add_clone3(scmp_filter_ctx f)
{
	return seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

static int load(uint32_t otherwise, int (*rules)(scmp_filter_ctx f))
{
	scmp_filter_ctx f = seccomp_init(otherwise);
	int r = f ? 0 : -ENOMEM;

	if (!r && otherwise != SCMP_ACT_ALLOW)
		/* for kernels that cannot run without */
		seccomp_attr_set(f, SCMP_FLTATR_CTL_LOG, 1);
	if (!r)
		/* a tree instead of a list: some 150 numbers */
		seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!r)
		r = seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!r)
		r = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (!r)
		r = rules(f);
	if (!r)
		r = seccomp_load(f);
	seccomp_release(f);
	return r;
}

static int filter_calls(struct rn_err *err)
{
	int r = load(SCMP_ACT_ALLOW, add_clone3);

	if (!r)
		r = load(SCMP_ACT_ERRNO(EPERM), add_rules);
	if (!r)
		return 0;
	rn_err_set(err, r, "the agent's filter of system calls is not accepted: %s", strerror(-r));
	rn_err_hint(err, "is the kernel built with CONFIG_SECCOMP_FILTER, and is seccomp allowed "
			 "here (docker: --security-opt seccomp=unconfined)?");
	return r;
}

int rn_confine(struct rn_err *err)
{
	int r = drop_capabilities(err);

	if (!r && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		r = rn_err_set(err, -errno, "the agent cannot do without new privileges: %s",
			       strerror(errno));
	return r ? r : filter_calls(err);
}

char *rn_confine_has(void)
{
	char *text = rn_calloc(1, 1), *more;

	if (capng_get_caps_process()) {
		free(text);
		return NULL;
	}
	for (unsigned c = 0; c <= CAP_LAST_CAP; c++)
		if (capng_have_capability(CAPNG_EFFECTIVE, c)) {
			more = rn_asprintf("%s%s%s", text, *text ? ", " : "",
					   capng_capability_to_name(c));
			free(text);
			text = more;
		}
	return text;
}
