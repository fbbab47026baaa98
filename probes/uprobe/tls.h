/* tls.h - TLS libraries of this machine, whose functions take and give plaintext: OpenSSL's libssl,
 * and libraries with its interface.
 *
 * The search finds library files that some process has mapped, in any mount namespace and even if
 * deleted since. It also finds those in the usual places of each mount namespace that has a
 * process. A query misses a library that is not among them when it begins: one inside of a program
 * (static), under another name, or in a container that starts later.
 *
 * There are limits, since an unprivileged process may make as many such files and mappings as it
 * likes. Each user has a share of the places, root has its own, and the time for the search is
 * bounded. What is left out is counted. */
#ifndef RN_PROBES_UPROBE_TLS_H
#define RN_PROBES_UPROBE_TLS_H
#include <pthread.h>
#include "probes/uprobe/uprobe.h"

/* Functions; also their numbers in probes/bpf/tls.bpf.h. */
enum {
	RN_TLS_READ,
	RN_TLS_READ_EX,
	RN_TLS_WRITE,
	RN_TLS_WRITE_EX,
	RN_TLS_FREE,
	RN_TLS_CLEAR,
	RN_TLS_FUNCS
};
/* The last two end a connection: they matter when they begin. */
enum { RN_TLS_LEAVES = 32 };

struct rn_tls_lib {
	int fd;
	uint64_t dev, ino;
	/* Entries and ends of the functions; at an end the result is in its register. Cookie: the
	 * function | where its frame begins, from the stack pointer on, << 32. */
	struct rn_probe_at entry[RN_TLS_FUNCS], leave[RN_TLS_LEAVES];
	unsigned nentry, nleave;
	uint64_t off[RN_TLS_FUNCS]; /* of functions without cheap places, in the file; or 0 */
	/* Not all of its functions are probed: the kernel did not take the probes, or it is not
	 * known where a function is left. */
	bool refused;
};
enum { RN_TLS_PROBES = RN_TLS_FUNCS + RN_TLS_LEAVES };
struct rn_tls_libs {
	struct rn_tls_lib *list; /* in order of importance: root's first */
	unsigned n, cap;
	/* libraries that may be missing: beyond a limit, not readable, for another processor; a
	 * process or a mount namespace that was not searched to its end counts as one */
	int64_t left;
};

enum {
	RN_TLS_MAX = 512,      /* in all; */
	RN_TLS_ROOT_MAX = 256, /* root's among them, before those of users; */
	RN_TLS_USER_MAX = 32,  /* each other user's */
};
/* Finds the libraries; none is no error. */
void rn_tls_find(struct rn_tls_libs *libs);
/* Finds them in a thread, as that takes as long as there are many processes: the caller joins it.
 * False: they were found at once. */
bool rn_tls_begin(struct rn_tls_libs *libs, pthread_t *thread);
/* Closes the files, which are no longer needed: links hold them. */
void rn_tls_close_files(struct rn_tls_libs *libs);
void rn_tls_free(struct rn_tls_libs *libs);
#endif
