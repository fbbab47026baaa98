/* stopped.c - makes calls of getsid that do not reach the kernel's function of getsid. A test sees
 * them in two ways, and compares what it saw.
 *
 *     stopped NAME=COUNT...
 *
 *     refused   seccomp gives E2BIG
 *     trapped   seccomp sends SIGSYS
 *     emulated  a tracer does the call (PTRACE_SYSEMU), and gives 42
 *     changed   a tracer makes it a getppid
 *     skipped   a tracer makes it no call (number -1), and gives 43
 *     traced    a tracer looks on, nothing more
 *
 * A child makes the calls of each NAME. It ends before the next one begins. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_calls(long n)
{
	while (n-- > 0)
		syscall(SYS_getsid, 0);
}

static void on_sigsys(int sig)
{
	(void)sig;
}

static void under_seccomp(unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

	signal(SIGSYS, on_sigsys);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		abort();
}

enum how { LOOK, EMULATE, CHANGE, SKIP };

/* Lead the child through its calls, as the way says. */
static void lead(pid_t child, enum how how)
{
	int status, at_entry = 1, ours = 0;
	struct user_regs_struct regs;

	while (!ptrace(PTRACE_SYSCALL, child, 0, 0) && waitpid(child, &status, 0) == child &&
	       WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, child, 0, &regs);
		if (at_entry && regs.orig_rax == SYS_getsid && how != LOOK) {
			ours = 1;
			regs.orig_rax = how == CHANGE ? SYS_getppid : -1ull;
			ptrace(PTRACE_SETREGS, child, 0, &regs);
		} else if (!at_entry && ours) {
			ours = 0;
			if (how == SKIP)
				regs.rax = 43;
			ptrace(PTRACE_SETREGS, child, 0, &regs);
		}
		at_entry = !at_entry;
	}
}

/* Do the calls of getsid. The child begins any other call a second time, for the kernel to do. */
static void lead_emulated(pid_t child)
{
	struct user_regs_struct regs;
	int status;

	while (!ptrace(PTRACE_SYSEMU, child, 0, 0) && waitpid(child, &status, 0) == child &&
	       WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, child, 0, &regs);
		if (regs.orig_rax == SYS_getsid) {
			regs.rax = 42;
			ptrace(PTRACE_SETREGS, child, 0, &regs);
			continue;
		}
		regs.rip -= 2;
		regs.rax = regs.orig_rax;
		ptrace(PTRACE_SETREGS, child, 0, &regs);
		ptrace(PTRACE_SYSCALL, child, 0, 0); /* to its entry */
		waitpid(child, &status, 0);
		ptrace(PTRACE_SYSCALL, child, 0, 0); /* to its return */
		if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			return;
	}
}

static void traced(long n, enum how how)
{
	pid_t child = fork();
	int status;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		make_calls(n);
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (how == EMULATE)
		lead_emulated(child);
	else
		lead(child, how);
}

static void alone(long n, unsigned action)
{
	pid_t child = fork();

	if (!child) {
		under_seccomp(action);
		make_calls(n);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *eq = strchr(argv[i], '=');
		long n = eq ? atol(eq + 1) : 0;

		if (!strncmp(argv[i], "refused=", 8))
			alone(n, SECCOMP_RET_ERRNO | E2BIG);
		else if (!strncmp(argv[i], "trapped=", 8))
			alone(n, SECCOMP_RET_TRAP);
		else if (!strncmp(argv[i], "emulated=", 9))
			traced(n, EMULATE);
		else if (!strncmp(argv[i], "changed=", 8))
			traced(n, CHANGE);
		else if (!strncmp(argv[i], "skipped=", 8))
			traced(n, SKIP);
		else if (!strncmp(argv[i], "traced=", 7))
			traced(n, LOOK);
		else
			return 2;
	}
	return 0;
}
