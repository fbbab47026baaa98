/* parallel.h - the same work on several things at once, if each of them makes the kernel take time:
 * to verify a program, to detach one. */
#ifndef RN_PROBES_LIVE_PARALLEL_H
#define RN_PROBES_LIVE_PARALLEL_H

/* Calls work(self, i) for every i < n, on as many threads as there are CPUs, at most RN_EACH_MAX
 * with the calling one; returns when all are done. In no order: work must not touch the data of
 * another i. Signals go to other threads. Never fails: without threads, it does one after the
 * other. */
enum { RN_EACH_MAX = 8 };
void rn_parallel_for(unsigned n, void (*work)(void *self, unsigned i), void *self);
/* The same for work that waits for the kernel and needs no CPU meanwhile: on up to
 * RN_EACH_WAITING_MAX threads. */
enum { RN_EACH_WAITING_MAX = 128 };
void rn_each_waiting(unsigned n, void (*work)(void *self, unsigned i), void *self);
#endif
