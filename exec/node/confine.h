/* confine.h - an agent gives up what it does not need, for good, before it listens to anybody.
 *
 * Capabilities: of those it has, it keeps what tracing needs (the table in confine.c says what
 * for); all others go, from the bounding set too where that is allowed. No new privileges: nothing
 * that it could run would have more than it has. System calls: a list of those that an agent makes;
 * any other fails with EPERM, and the kernel's log (audit) names it. So a confined process
 *
 *   starts no program and no process, only threads;
 *   opens no file for writing, removes, renames and makes none;
 *   changes no file system, namespace, clock, user or kernel setting, and traces no process by
 *     ptrace;
 *   pins no BPF object, and takes none that it has not made itself;
 *   signals nobody but itself, also not by having the kernel do so (F_SETOWN, O_ASYNC, leases), and
 *     listens on no socket.
 *
 * It still reads files, and goes on connections that it makes itself. It cannot be undone, and
 * holds for all threads: call it in the main thread before there are others, after what it takes
 * away has been done (opening logs, rn_probes_hold, rn_probes_measure). */
#ifndef RN_EXEC_NODE_CONFINE_H
#define RN_EXEC_NODE_CONFINE_H
#include "lang/base/err.h"

/* 0, or a negative errno: then the process may be confined in part, and must not go on as if it
 * were. */
int rn_confine(struct rn_err *err);
/* "bpf, perfmon, sys_ptrace": the capabilities that this process has now. For people; NULL: they
 * cannot be read. To be freed. */
char *rn_confine_has(void);
#endif
