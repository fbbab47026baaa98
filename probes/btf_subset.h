/* btf_subset.h - the kernel types that the intrinsics need, as a BTF image of their own. */
#ifndef RN_PROBES_BTF_SUBSET_H
#define RN_PROBES_BTF_SUBSET_H
#include "lang/err.h"

/* A memfd with the image, for libbpf's btf_custom_path through /proc/self/fd; the caller closes it. Negative errno. */
int rn_btf_subset(struct rn_err *err);
#endif
