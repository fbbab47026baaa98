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
	struct pollfd polled[];
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
	struct rn_pid_watch *w = rn_calloc(1, sizeof(*w) + n * sizeof(*w->polled));

	for (unsigned i = 0; i < n; i++) {
		int fd = (int)syscall(SYS_pidfd_open, pids[i], 0);

		if (fd < 0) {
			int code = errno;

			rn_pid_watch_destroy(w);
			return no_process(pids[i], code, err);
		}
		w->polled[w->n++] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
	*out = w;
	return 0;
}

bool rn_pid_watch_ended(struct rn_pid_watch *watch)
{
	if (!watch)
		return false;
	if (watch->n && poll(watch->polled, watch->n, 0) > 0) {
		for (unsigned i = 0; i < watch->n;) {
			if (!watch->polled[i].revents) {
				i++;
				continue;
			}
			close(watch->polled[i].fd);
			watch->polled[i] = watch->polled[--watch->n];
		}
	}
	return !watch->n;
}

void rn_pid_watch_destroy(struct rn_pid_watch *watch)
{
	if (!watch)
		return;
	for (unsigned i = 0; i < watch->n; i++)
		close(watch->polled[i].fd);
	free(watch);
}
