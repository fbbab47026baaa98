/* tls.h - TLS libraries of this machine, whose functions take and give plaintext: OpenSSL's libssl, and what has its interface.
 *
 * Found are the library files that some process has mapped, in whatever mount namespace and even if deleted since, and those in the
 * usual places of each mount namespace that has a process. What is not among them when a query begins is not seen by it: a library
 * inside of a program (static), under another name, or in a container that starts later. */
#ifndef RN_PROBES_TLS_H
#define RN_PROBES_TLS_H
#include "probes/uprobe.h"

/* Functions; also their numbers in probes/bpf/tls.h. */
enum { RN_TLS_READ, RN_TLS_READ_EX, RN_TLS_WRITE, RN_TLS_WRITE_EX, RN_TLS_FREE, RN_TLS_CLEAR, RN_TLS_FUNCS };
/* The last two end a connection: of interest when they begin. */

struct rn_tls_lib {
	int fd;
	uint64_t dev, ino;
	/* Where the functions are entered, left (the result is in its register), and begin (to be caught at their return: those for which no
	 * place to leave is known). Cookie: the function | where its frame begins, from the stack pointer on, << 32. */
	struct rn_probe_at entry[RN_TLS_FUNCS], leave[RN_UPROBES_MAX], ret[RN_TLS_FUNCS];
	unsigned nentry, nleave, nret;
};
enum { RN_TLS_PROBES = RN_TLS_FUNCS + RN_UPROBES_MAX };
struct rn_tls_libs { struct rn_tls_lib *v; unsigned n, cap; };

/* Looks for them; finding none is no error. */
enum { RN_TLS_MAX = 128 };
void rn_tls_find(struct rn_tls_libs *l);
void rn_tls_free(struct rn_tls_libs *l);
#endif
