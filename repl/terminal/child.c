/* child.c - the command of -c.
 *
 * Holding: the child spins on a shared word in user space, and is stopped with SIGSTOP while it
 * does. A pipe or a futex would work too, but its return would be an event of the very query that
 * is about to count events. For the same reason the child has no handler for SIGCONT: returning
 * from a handler is a call. The first call that the query sees is the execve of the shell. The
 * child dies with runnel (PR_SET_PDEATHSIG), so kill -9 of runnel leaves no stopped process
 * behind. */
#include <dirent.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "repl/terminal/child.h"
#include "lang/base/memory.h"
#include "repl/terminal/signals.h"
#include "lang/base/vec.h"

enum { HALTING = 20 }; /* tries to stop all of them */

/* below: the process descends from the shell */
struct process {
	pid_t pid, parent;
	char state;
	bool below;
};

struct rn_child {
	pid_t pid;
	bool exited, let_go;
	int status, signal; /* signal: what ended it; 0 if it ended by itself */
	atomic_int *gate;   /* shared: 0 until ready, 1 held, 2 go */
};

/* Bring all of the program into memory before it is held. A page that is mapped later would be an
 * event of the query. */
static int be_in_memory(struct dl_phdr_info *info, size_t size, void *self)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size, (void)self;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t begin = (info->dlpi_addr + h->p_vaddr) & ~(page - 1),
			  end = info->dlpi_addr + h->p_vaddr + h->p_memsz;

		if (h->p_type == PT_LOAD)
			/* kernels before 5.14 refuse this, which does no harm */
			madvise((void *)begin, end - begin, MADV_POPULATE_READ);
	}
	return 0;
}

_Noreturn static void be_child(const char *command, const struct rlimit *files, atomic_int *gate,
			       pid_t parent)
{
	rn_signals_default();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	setrlimit(RLIMIT_NOFILE, files);
	dl_iterate_phdr(be_in_memory, NULL);
	atomic_store(gate, 1);
	while (atomic_load(gate) != 2)
		__asm__ volatile("" ::: "memory");
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(errno == ENOENT ? 127 : 126);
}

static void nap(long ns)
{
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

int rn_child_create(const char *command, const struct rlimit *files, struct rn_child **out,
		    struct rn_err *err)
{
	atomic_int *gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent, pid;
	struct rn_child *child;
	int st;

	if (gate == MAP_FAILED)
		return rn_err_set(err, -errno, "cannot start `%s`: no memory", command);
	parent = getpid();
	pid = fork();
	if (pid < 0) {
		int code = -errno;

		munmap(gate, sizeof(*gate));
		return rn_err_set(err, code, "cannot start `%s`: fork failed", command);
	}
	if (pid == 0)
		be_child(command, files, gate, parent);
	child = rn_calloc(1, sizeof(*child));
	child->pid = pid;
	child->gate = gate;
	child->status = -1;
	while (!atomic_load(gate) && !rn_child_exited(child))
		nap(100000);
	if (!child->exited) {
		kill(pid, SIGSTOP);
		while (waitpid(pid, &st, WUNTRACED) < 0 && errno == EINTR)
			;
	}
	*out = child;
	return 0;
}

int32_t rn_child_pid(const struct rn_child *child)
{
	return child->pid;
}

void rn_child_go(struct rn_child *child)
{
	child->let_go = true;
	atomic_store(child->gate, 2);
	kill(child->pid, SIGCONT);
}

bool rn_child_exited(struct rn_child *child)
{
	int st;

	if (!child->exited && waitpid(child->pid, &st, WNOHANG) == child->pid) {
		child->exited = true;
		child->signal = WIFSIGNALED(st) ? WTERMSIG(st) : 0;
		child->status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + child->signal;
	}
	return child->exited;
}

int rn_child_status(const struct rn_child *child)
{
	return child->status;
}

int rn_child_signal(const struct rn_child *child)
{
	return child->signal;
}

/* Read the state and the parent of a process. Both stand behind its name, which is in parentheses
 * and may hold any byte. False: the process is gone. */
static bool look_at(struct process *p)
{
	char path[64], stat[512], *after;
	int parent = 0;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)p->pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(stat, 1, sizeof(stat) - 1, f);
	(void)fclose(f);
	stat[n] = 0;
	after = strrchr(stat, ')');
	// NOLINTNEXTLINE(cert-err34-c): the kernel wrote this number
	if (!after || sscanf(after + 1, " %c %d", &p->state, &parent) != 2)
		return false;
	p->parent = parent;
	return true;
}

/* List all processes with their parents; return their number. (/proc/PID/task/PID/children would be
 * shorter, but not all kernels have it.) */
static size_t list_processes(struct process **out)
{
	size_t n = 0, cap = 0;
	DIR *dir = opendir("/proc");

	*out = NULL;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct process p = {.pid = (int)strtol(e->d_name, NULL, 10)};

		if (p.pid <= 0 || !look_at(&p))
			continue;
		rn_vec_room(*out, n, cap);
		(*out)[n++] = p;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* List the shell and all its descendants. */
static size_t list_tree(pid_t root, struct process **out)
{
	struct process *p;
	size_t n = list_processes(&p), below = 0;

	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			if (p[i].below)
				continue;
			p[i].below = p[i].pid == root;
			for (size_t k = 0; k < n && !p[i].below; k++)
				p[i].below = p[k].below && p[k].pid == p[i].parent;
			more |= p[i].below;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (p[i].below)
			p[below++] = p[i];
	}
	*out = p;
	return below;
}

/* Send a signal to the shell and all its descendants. All are stopped before the first gets the
 * signal. Otherwise processes would escape that start after the listing, or are listed under
 * another parent because their own has ended. A process that waits for its child to exec, as after
 * vfork, does not stop, but starts nothing meanwhile. */
static void signal_tree(pid_t root, int sig)
{
	struct process *p;
	size_t n = list_tree(root, &p);
	bool moving = true;

	for (int turn = 0; moving && turn < HALTING; turn++) {
		moving = false;
		for (size_t i = 0; i < n; i++) {
			if (strchr("TtZX", p[i].state))
				continue;
			moving = true;
			kill(p[i].pid, SIGSTOP);
		}
		if (!moving)
			break;
		nap(1000000);
		free(p);
		n = list_tree(root, &p);
	}
	for (size_t i = 0; i < n; i++)
		kill(p[i].pid, sig);
	for (size_t i = 0; i < n; i++)
		kill(p[i].pid, SIGCONT);
	free(p);
}

void rn_child_destroy(struct rn_child *child)
{
	if (!child)
		return;
	if (!rn_child_exited(child)) {
		signal_tree(child->pid, child->let_go ? SIGTERM : SIGKILL);
		for (int i = 0; i < 100 && !rn_child_exited(child); i++)
			nap(10000000);
		if (!child->exited) {
			signal_tree(child->pid, SIGKILL);
			waitpid(child->pid, NULL, 0);
		}
	}
	munmap(child->gate, sizeof(*child->gate));
	free(child);
}
