/* pid_watch.h - the processes of -p: they must exist when the query begins, and it ends when the
 * last of them has ended. */
#ifndef RN_REPL_ENGINE_PID_WATCH_H
#define RN_REPL_ENGINE_PID_WATCH_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/base/err.h"

struct rn_pid_watch;
/* -ESRCH, and a message that names it, if there is no such process. */
int rn_pid_watch_create(const int32_t *pids, unsigned n, struct rn_pid_watch **out,
			struct rn_err *err);
/* all of them; w may be NULL: nobody is watched, nothing ends */
bool rn_pid_watch_ended(struct rn_pid_watch *w);
void rn_pid_watch_destroy(struct rn_pid_watch *w);
#endif
