/* child.h - the command of -c: it starts at once, is held in user space until the probes are
 * attached, and then continues.
 *
 * While held it makes no system call, so the query sees only the command. Its stdout goes to our
 * stderr, because our stdout carries rows and nothing else. */
#ifndef RN_REPL_TERMINAL_CHILD_H
#define RN_REPL_TERMINAL_CHILD_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include "lang/base/err.h"

struct rn_child;
/* Starts the command, held. files: its limit of open files. */
int rn_child_create(const char *command, const struct rlimit *files, struct rn_child **out,
		    struct rn_err *err);
int32_t rn_child_pid(const struct rn_child *child);
void rn_child_go(struct rn_child *child);
bool rn_child_exited(struct rn_child *child);      /* does not wait */
int rn_child_status(const struct rn_child *child); /* as a shell shows it; -1 while it runs */
int rn_child_signal(const struct rn_child *child); /* signal that ended it; 0: none */
/* ends the command and its descendants if it still runs; NULL is allowed */
void rn_child_destroy(struct rn_child *child);
#endif
