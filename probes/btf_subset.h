/* btf_subset.h - the kernel types that the intrinsics need, as a BTF image of their own. */
#ifndef RN_PROBES_BTF_SUBSET_H
#define RN_PROBES_BTF_SUBSET_H
#include <stdint.h>
#include "lang/err.h"

struct rn_btf_ids {
	/* The kernel's ids of structs, of bpf_rdonly_cast, bpf_preempt_disable, bpf_preempt_enable; 0: none. */
	uint32_t file, socket, sock, tcp, task, word /* a struct that begins with 64 bits */, cast, preempt_off, preempt_on;
	uint64_t uptodate; /* mask of PG_uptodate in the flags of a page; 0: not known */
};
/* A memfd with the image, for libbpf's btf_custom_path through /proc/self/fd; the caller closes it. Negative errno. */
int rn_btf_subset(struct rn_btf_ids *ids, struct rn_err *err);
#endif
