/* splice_impl.h - inside probes/: the intrinsics of a query, shared by the code that opens them
 * (intrinsics.c) and the code that moves them from their donors into programs (splice.c). */
#ifndef RN_PROBES_INTRINSICS_SPLICE_IMPL_H
#define RN_PROBES_INTRINSICS_SPLICE_IMPL_H
#include <bpf/libbpf.h>
#include "probes/kernel/btf_subset.h"
#include "probes/intrinsics/splice.h"

struct rn_skel;
enum { RN_SUBS_MAX = 64, RN_DONOR_LOG_BYTES = 1 << 16 };
struct rn_code { /* one intrinsic, as found in its donor */
	struct bpf_insn *insn;
	unsigned n, entry; /* entry: instruction where the intrinsic itself begins */
	unsigned nsubs, start[RN_SUBS_MAX];
	uint32_t type[RN_SUBS_MAX], main_type;
};
struct rn_intrinsics {
	struct rn_skel *skel;
	int btf_fd; /* the object, and the fd of the types of its functions */
	uint64_t wanted;
	bool verify, jit, why;
	int types; /* the kernel's, reduced to what is needed: btf_subset.h */
	struct rn_btf_ids ids;
	struct rn_code code[RN_I_COUNT];
	struct bpf_func_info func[RN_SUBS_MAX + 1]; /* of the donor being verified */
	/* every donor's log buffer: on_load finds a donor's owner by it */
	char log[RN_DONOR_LOG_BYTES];
};

/* libbpf calls this when it is about to load a donor; a rn_intrinsics' log is its log. Takes the
 * intrinsic's code, and makes libbpf load an empty program or, to verify the code, the donor with
 * it. */
int rn_splice_on_load(struct bpf_program *donor, struct bpf_prog_load_opts *opts, long cookie);
#endif
