/* btf_subset.h - the kernel types that the intrinsics need, as a BTF image of their own. */
#ifndef RN_PROBES_KERNEL_BTF_SUBSET_H
#define RN_PROBES_KERNEL_BTF_SUBSET_H
#include <stddef.h>
#include <stdint.h>
#include "lang/base/err.h"
#include "probes/kernel/btf.h"
#include "probes/kernel/btf_image.h"

struct rn_btf_ids {
	/* The kernel's ids of structs, and of bpf_rdonly_cast, bpf_preempt_disable,
	 * bpf_preempt_enable, bpf_session_is_return, bpf_session_cookie; 0: none. */
	uint32_t file, socket, sock, tcp, task, word /* a struct that begins with 64 bits */,
		dentry, regs, cast, preempt_off, preempt_on, session_return, session_cookie;
	uint64_t uptodate; /* mask of PG_uptodate in the flags of a page; 0: not known */
};
struct rn_btf_subset {
	struct rn_btf_ids ids;
	char *image;
	size_t bytes; /* malloc'ed; NULL: not made yet */
	bool no_fuse; /* types of fuse were missing: its module was not loaded */
};
/* Fill in the wanted names, for rn_btf_take. Return how many, at most RN_BTF_PARTS_MAX. */
unsigned rn_btf_parts(struct rn_btf_name *name);
/* The ids alone, but uptodate, without the subset. RUNNEL_WITHOUT may name bpf_rdonly_cast. */
void rn_btf_ids_of(struct rn_btf_ids *ids, const struct rn_btf *btf);
/* Make the subset from the kernel's image, from which rn_btf_take has filled btf, and that of the
 * module fuse over it. fuse: NULL if it is no module, or not loaded. */
void rn_btf_subset_make(struct rn_btf_subset *subset, const struct rn_btf *btf,
			const struct rn_btf_image *kernel, struct rn_btf_image *fuse);

/* ---- btf_kernel.c ---- */

/* The same; opens the module itself. */
void rn_btf_subset_of(struct rn_btf_subset *subset, const struct rn_btf *btf,
		      const struct rn_btf_image *kernel);
/* The same; reads everything it needs again. Negative errno. */
int rn_btf_subset_read(struct rn_btf_subset *subset, struct rn_err *err);
/* Has a module been loaded since, so that there is more to find? */
bool rn_btf_subset_stale(const struct rn_btf_subset *subset);

/* ---- btf_subset.c ---- */

void rn_btf_subset_free(struct rn_btf_subset *subset);

/* ---- btf_kernel.c ---- */

/* Return a memfd with the image, for libbpf's btf_custom_path through /proc/self/fd; the caller
 * closes it. Negative errno. */
int rn_btf_subset_file(const struct rn_btf_subset *subset, struct rn_err *err);
#endif
