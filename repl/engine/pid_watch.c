/* pid_watch.c - one descriptor for each process (pidfd). It becomes readable when the process ends.
 * A reused id, or a parent that does not collect its child, does not confuse it. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "repl/engine/pid_watch.h"

struct rn_pid_watch {
	unsigned n; /* those that have not ended */
	struct pollfd p[];
};

static int no_process(int32_t pid, int code, struct rn_err *err)
{
	if (code == ESRCH)
		return rn_err_set(err, -ESRCH, "there is no process %d", pid);
	if (code == EINVAL || code == ENOENT) {
		rn_err_set(err, -ESRCH, "%d is a thread, not a process", pid);
		rn_err_hint(err, "give the id of its process: Tgid in /proc/%d/status", pid);
		return err->code;
	}
	return rn_err_set(err, -code, "cannot watch process %d: %s", pid, strerror(code));
}

int rn_pid_watch_create(const int32_t *pids, unsigned n, struct rn_pid_watch **out,
			struct rn_err *err)
{
	struct rn_pid_watch *w = rn_calloc(1, sizeof(*w) + n * sizeof(*w->p));

	for (unsigned i = 0; i < n; i++) {
		int fd = (int)syscall(SYS_pidfd_open, pids[i], 0);

		if (fd < 0) {
			int code = errno;

			rn_pid_watch_destroy(w);
			return no_process(pids[i], code, err);
		}
		w->p[w->n++] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
	*out = w;
	return 0;
}

bool rn_pid_watch_ended(struct rn_pid_watch *w)
{
	if (!w)
		return false;
	if (w->n && poll(w->p, w->n, 0) > 0) {
		for (unsigned i = 0; i < w->n;) {
			if (!w->p[i].revents) {
				i++;
				continue;
			}
			close(w->p[i].fd);
			w->p[i] = w->p[--w->n];
		}
	}
	return !w->n;
}

void rn_pid_watch_destroy(struct rn_pid_watch *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->n; i++)
		close(w->p[i].fd);
	free(w);
}
