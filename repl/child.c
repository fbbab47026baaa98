/* child.c - the command of -c.
 *
 * Holding: the child spins on a shared word and is stopped with SIGSTOP while it does, in user space. A pipe or a futex would
 * do as well, but the return of that call would be an event of the very query that is about to count events.
 * The child dies with us (PR_SET_PDEATHSIG), so that kill -9 of runnel leaves no stopped process behind. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "repl/child.h"
#include "repl/signals.h"

enum { MAX_DEPTH = 16 }; /* generations below the shell that are ended with it */

struct rn_child {
	pid_t pid;
	bool exited, let_go;
	int status;
	atomic_int *gate; /* shared: 0 until ready, 1 held, 2 go */
};

_Noreturn static void be_child(const char *command, atomic_int *gate, pid_t parent)
{
	rn_signals_default();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	atomic_store(gate, 1);
	while (atomic_load(gate) != 2)
		__asm__ volatile("" ::: "memory");
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void nap(long ns)
{
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

int rn_child_create(const char *command, struct rn_child **out, struct rn_err *err)
{
	atomic_int *gate = mmap(NULL, sizeof *gate, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gate == MAP_FAILED)
		return rn_err_set(err, -errno, "cannot start `%s`: no memory", command);
	pid_t parent = getpid(), pid = fork();
	if (pid < 0) {
		int code = -errno;
		munmap(gate, sizeof *gate);
		return rn_err_set(err, code, "cannot start `%s`: fork failed", command);
	}
	if (pid == 0)
		be_child(command, gate, parent);
	struct rn_child *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->pid = pid;
	c->gate = gate;
	c->status = -1;
	while (!atomic_load(gate) && !rn_child_exited(c))
		nap(100000);
	int st;
	if (!c->exited) {
		kill(pid, SIGSTOP);
		while (waitpid(pid, &st, WUNTRACED) < 0 && errno == EINTR)
			;
	}
	*out = c;
	return 0;
}

int32_t rn_child_pid(const struct rn_child *c)
{
	return c->pid;
}

void rn_child_go(struct rn_child *c)
{
	c->let_go = true;
	atomic_store(c->gate, 2);
	kill(c->pid, SIGCONT);
}

bool rn_child_exited(struct rn_child *c)
{
	int st;
	if (!c->exited && waitpid(c->pid, &st, WNOHANG) == c->pid) {
		c->exited = true;
		c->status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
	}
	return c->exited;
}

int rn_child_status(const struct rn_child *c)
{
	return c->status;
}

/* The shell and what it has started: a signal to the shell alone would leave its command running. Descendants first, while
 * the kernel still lists them under their parent. */
static void signal_tree(pid_t pid, int sig, unsigned depth)
{
	char path[64];
	int child;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *f = depth ? fopen(path, "re") : NULL;
	while (f && fscanf(f, "%d", &child) == 1)
		signal_tree(child, sig, depth - 1);
	if (f)
		fclose(f);
	kill(pid, sig);
}

void rn_child_destroy(struct rn_child *c)
{
	if (!c)
		return;
	if (!rn_child_exited(c)) {
		signal_tree(c->pid, c->let_go ? SIGTERM : SIGKILL, MAX_DEPTH);
		for (int i = 0; i < 100 && !rn_child_exited(c); i++)
			nap(10000000);
		if (!c->exited) {
			signal_tree(c->pid, SIGKILL, MAX_DEPTH);
			waitpid(c->pid, NULL, 0);
		}
	}
	munmap(c->gate, sizeof *c->gate);
	free(c);
}
