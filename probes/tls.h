/* tls.h - TLS libraries of this machine, whose functions take and give plaintext: OpenSSL's libssl, and what has its interface.
 *
 * Found are the library files that some process has mapped, in whatever mount namespace and even if deleted since, and those in the
 * usual places of each mount namespace that has a process. What is not among them when a query begins is not seen by it: a library
 * inside of a program (static), under another name, or in a container that starts later. */
#ifndef RN_PROBES_TLS_H
#define RN_PROBES_TLS_H
#include <stdint.h>

/* Functions, in the order of offsets; also their numbers in probes/bpf/tls.h. */
enum { RN_TLS_READ, RN_TLS_READ_EX, RN_TLS_WRITE, RN_TLS_WRITE_EX, RN_TLS_FUNCS };

struct rn_tls_lib {
	int fd;
	uint64_t dev, ino;
	uint64_t off[RN_TLS_FUNCS]; /* of the functions in the file; 0: it has none of that name */
};
struct rn_tls_libs { struct rn_tls_lib *v; unsigned n, cap; };

/* Looks for them; finding none is no error. */
enum { RN_TLS_MAX = 128 };
void rn_tls_find(struct rn_tls_libs *l);
void rn_tls_free(struct rn_tls_libs *l);
#endif
