/* pid_watch.h - the processes of -p: they must exist when the query begins; the query ends when the
 * last of them has ended. */
#ifndef RN_REPL_ENGINE_PID_WATCH_H
#define RN_REPL_ENGINE_PID_WATCH_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/base/err.h"

struct rn_pid_watch;
/* Returns -ESRCH, and a message that names the process, if one does not exist. */
int rn_pid_watch_create(const int32_t *pids, unsigned n, struct rn_pid_watch **out,
			struct rn_err *err);
/* have all ended? watch NULL: none is watched, false */
bool rn_pid_watch_ended(struct rn_pid_watch *watch);
void rn_pid_watch_destroy(struct rn_pid_watch *watch);
#endif
