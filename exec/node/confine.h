/* confine.h - makes an agent give up what it does not need, for good, before it listens to any
 * peer.
 *
 * Capabilities: of those it has, it keeps the ones that tracing needs (the table in confine.c says
 * for what). All others go, also from the bounding set if that is allowed. No new privileges: no
 * program that it could run would have more than the agent. System calls: it keeps a list of those
 * that an agent makes. Any other fails with EPERM, and the kernel's log (audit) names it. So a
 * confined process
 *
 *   starts no program and no process, only threads;
 *   opens no file for writing, removes, renames and makes none;
 *   changes no file system, namespace, clock, user or kernel setting, and traces no process by
 *     ptrace;
 *   pins no BPF object, and takes none that it has not made itself;
 *   signals no other process, also not by having the kernel do so (F_SETOWN, O_ASYNC, leases), and
 *     listens on no socket.
 *
 * It still reads files, and uses connections that it makes itself. Confinement cannot be undone,
 * and holds for all threads. Call it in the main thread before there are others, and after all that
 * it would prevent (opening logs, rn_probes_hold, rn_probes_measure). */
#ifndef RN_EXEC_NODE_CONFINE_H
#define RN_EXEC_NODE_CONFINE_H
#include "lang/base/err.h"

/* Returns 0 or a negative errno. After an error the process may be confined in part, and must not
 * go on as if it were confined. */
int rn_confine(struct rn_err *err);
/* Names the capabilities that this process has now, for people: "bpf, perfmon, sys_ptrace". NULL:
 * they cannot be read. The caller frees it. */
char *rn_confine_has(void);
#endif
