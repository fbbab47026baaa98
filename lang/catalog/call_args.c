/* call_args.c - see call_args.h. */
#include "lang/catalog/call_args.h"
#include <string.h>

/* The calls by their arguments: `*` is a pointer, and those that follow the last pointer are left
 * out. */
static const struct {
	const char *args, *calls;
} pointers[] = {
	{"*", "access acct adjtimex chdir chmod chown chroot clone3 creat"},
	{"*", "delete_module fsopen"},
	{"*", "futex_requeue futex_wake getcwd getrandom landlock_create_ruleset lchown"},
	{"*", "memfd_create mkdir mknod mq_unlink open perf_event_open pipe pipe2 poll"},
	{"*", "rmdir rseq rt_sigpending rt_sigsuspend set_robust_list set_tid_address"},
	{"*", "setdomainname sethostname shmdt swapoff swapon sysinfo time times"},
	{"*", "truncate umount2 uname unlink"},
	{"-*", "bind bpf clock_adjtime clock_getres clock_gettime clock_settime connect"},
	{"-*", "epoll_wait faccessat faccessat2 fchmodat fchmodat2 fchownat"},
	{"-*", "finit_module flistxattr"},
	{"-*", "fremovexattr fspick fstat fstatfs getdents getdents64 getgroups"},
	{"-*", "getitimer getrlimit getrusage inotify_add_watch io_setup io_uring_setup"},
	{"-*", "lsm_set_self_attr mkdirat mknodat modify_ldt mq_notify msgrcv msgsnd"},
	{"-*", "open_by_handle_at open_tree openat pread64 preadv preadv2"},
	{"-*", "process_madvise pwrite64 pwritev pwritev2 read readv recvmsg"},
	{"-*", "sched_getattr sched_getparam sched_rr_get_interval sched_setattr"},
	{"-*", "sched_setparam semop sendmmsg sendmsg set_mempolicy setgroups setrlimit"},
	{"-*", "shmat signalfd signalfd4 syslog timer_gettime timerfd_gettime unlinkat"},
	{"-*", "ustat vmsplice write writev"},
	{"--*", "io_submit io_uring_register kexec_load landlock_add_rule mincore msgctl"},
	{"--*", "pidfd_send_signal rt_sigqueueinfo sched_getaffinity sched_setaffinity"},
	{"--*", "sched_setscheduler seccomp sendfile shmctl"},
	{"---*", "epoll_ctl kexec_file_load mbind quotactl_fd reboot rt_tgsigqueueinfo setsockopt"},
	{"---*", "socketpair"},
	{"----*", "fanotify_mark io_uring_enter"},
	{"**", "get_mempolicy gettimeofday link listmount listxattr llistxattr"},
	{"**", "lremovexattr lsm_list_modules lstat nanosleep pivot_root readlink"},
	{"**", "removexattr rename settimeofday sigaltstack stat statfs statmount"},
	{"**", "symlink utime utimes"},
	{"*-*", "init_module symlinkat"},
	{"*--*", "futex_waitv mq_open"},
	{"*---*", "futex_wait"},
	{"-**", "accept accept4 cachestat fgetxattr file_getattr file_setattr fsetxattr"},
	{"-**", "futimesat get_robust_list getpeername getsockname io_cancel"},
	{"-**", "lsm_get_self_attr mq_getsetattr newfstatat openat2 readlinkat"},
	{"-**", "rt_sigaction rt_sigprocmask setitimer timer_create utimensat"},
	{"-*-*", "copy_file_range linkat listxattrat mount_setattr move_mount"},
	{"-*-*", "open_tree_attr process_vm_readv process_vm_writev quotactl removexattrat"},
	{"-*-*", "renameat renameat2 semtimedop splice wait4"},
	{"-*--*", "epoll_pwait mq_timedsend recvmmsg sendto statx"},
	{"--**", "clock_nanosleep clone fsconfig migrate_pages prlimit64 timer_settime"},
	{"--**", "timerfd_settime"},
	{"--*-*", "waitid"},
	{"---**", "getsockopt io_getevents"},
	{"***", "add_key execve getcpu getresgid getresuid getxattr lgetxattr lsetxattr"},
	{"***", "request_key rt_sigtimedwait setxattr"},
	{"*-**", "ppoll"},
	{"*--**", "futex"},
	{"-***", "execveat name_to_handle_at"},
	{"-*-**", "epoll_pwait2 getxattrat mq_timedreceive setxattrat"},
	{"-*--**", "recvfrom"},
	{"--***", "move_pages"},
	{"---***", "io_pgetevents"},
	{"***-*", "mount"},
	{"-****", "select"},
	{"-*****", "pselect6"},
};

static bool is_among(const char *words, const char *word, size_t n)
{
	for (const char *at = words; (at = strchr(at, *word)); at++)
		if ((at == words || at[-1] == ' ') && !strncmp(at, word, n) &&
		    (!at[n] || at[n] == ' '))
			return true;
	return false;
}

unsigned rn_call_pointers(const char *call, size_t n)
{
	unsigned bits = 0;

	for (size_t i = 0; n && i < sizeof(pointers) / sizeof(*pointers); i++) {
		if (!is_among(pointers[i].calls, call, n))
			continue;
		for (unsigned k = 0; pointers[i].args[k]; k++)
			bits |= (unsigned)(pointers[i].args[k] == '*') << k;
	}
	return bits;
}

enum rn_words rn_class_words(const struct rn_class *cls, const struct rn_field *field)
{
	unsigned all = ~0u, some = 0, bit;

	if (field->words < RN_WORDS_ARG || field->words >= RN_WORDS_POINTER || !cls->calls)
		return field->words;
	for (const char *const *call = cls->calls; *call; call++) {
		unsigned bits = rn_call_pointers(*call, strlen(*call));

		all &= bits;
		some |= bits;
	}
	bit = 1u << (field->words - RN_WORDS_ARG);
	return all & bit ? RN_WORDS_POINTER : some & bit ? field->words : RN_WORDS_PLAIN;
}
