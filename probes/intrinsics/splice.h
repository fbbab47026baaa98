/* splice.h - precompiled BPF functions ("intrinsics") appended to generated programs.
 *
 * build/gen/probes/intrinsics/intrinsics.skel.h holds one object with every intrinsic and, for
 * each, a tiny donor program that calls it. libbpf relocates the wanted donors against this
 * kernel's types and against the maps; we take their code at the moment of loading. A generated
 * program calls an intrinsic by a placeholder (BPF_PSEUDO_CALL, imm = enum rn_intrinsic). rn_splice
 * appends the code and sets the calls. The kernel verifies an intrinsic with each program that
 * holds it. The object must outlive the programs' loading, and owns the maps; each query opens its
 * own. */
#ifndef RN_PROBES_INTRINSICS_SPLICE_H
#define RN_PROBES_INTRINSICS_SPLICE_H
#include <linux/bpf.h>
#include <stdbool.h>
#include "lang/base/err.h"
#include "probes/abi/abi.h"
#include "probes/kernel/btf_subset.h"

enum rn_intrinsic {
	RN_I_FILE,
	RN_I_EXE,
	RN_I_NAME,
	RN_I_MATCH,
	RN_I_GLOB,
	RN_I_SOCK,
	RN_I_SCAN,
	RN_I_FOUND,
	RN_I_TAGS,
	RN_I_HITS,
	RN_I_AROUND,
	RN_I_HASH,
	RN_I_SKETCH,
	RN_I_DATA,
	RN_I_PIPE_EARLY,
	RN_I_PIPE_TAKE,
	RN_I_TLS_ENTER,
	RN_I_TLS_RETURN,
	RN_I_URING_SUBMIT,
	RN_I_URING_DONE,
	RN_I_OFFSET,
	RN_I_BYTES,
	RN_I_AIO_FD,
	RN_I_PATH_HASH,
	RN_I_OP_MAP,
	RN_I_OP_FAULT,
	RN_I_OP_LOCK,
	RN_I_END,
	RN_I_UNSEARCHED,
	RN_I_RINGS,
	RN_I_OP_CLONE,
	RN_I_RESOLVE,
	RN_I_USED,
	RN_I_COPYING,
	RN_I_GLOB_ARGS,
	RN_I_COUNT
};

/* ---- intrinsics.c ---- */

const char *rn_intrinsic_name(enum rn_intrinsic i); /* "rn_file" */

struct rn_intrinsics;
struct rn_btf_subset;
struct rn_intrinsics_opts {
	const struct rn_btf_subset *types; /* the kernel's; NULL: they are read */
	uint64_t wanted;                   /* set of 1 << enum rn_intrinsic */
	const struct rn_tag *tags;
	unsigned ntags; /* for SCAN */
	/* bytes of a call, of a second; 0: RN_SCAN_CAP_DEFAULT, no limit */
	uint64_t scan_cap_bytes, scan_rate_bytes;
	const struct rn_withhold *withhold; /* data that the policy withholds; NULL: none */
	/* for FOUND: those of the query that searches */
	const struct rn_intrinsics *search;
	/* for MATCH and GLOB: globs with * and ?, at most 63 bytes */
	const char *const *patterns;
	unsigned npatterns;
	unsigned max_paths; /* 0: 65536 */
	/* reads through memory are not reported: calls of mmap are uncovered */
	bool no_map_reads;
	/* search everything, also pages that are known to hold no tag */
	bool no_clean;
	/* note what is around tags, also if AROUND is not wanted */
	bool prints;
	/* as on a kernel without bpf_rdonly_cast (before 6.2): for tests */
	bool no_casts;
	/* load the donors too: does this kernel accept each? (doctor, and after a failure) */
	bool verify;
};
/* Opens the intrinsics of a query. -EINVAL for a tag or pattern out of bounds. With verify,
 * -ENOTSUP if an intrinsic does not load here, with the verifier's last lines. */
int rn_intrinsics_open(const struct rn_intrinsics_opts *opts, struct rn_intrinsics **out,
		       struct rn_err *err);
/* Is the JIT compiler on? The interpreter cannot call kernel functions. */
bool rn_intrinsics_jit(void);
void rn_intrinsics_close(struct rn_intrinsics *intrinsics);
/* returns the fd of a map: "paths"...; -ENOENT */
int rn_intrinsics_map(const struct rn_intrinsics *intrinsics, const char *name);
int64_t rn_intrinsics_memory(const struct rn_intrinsics *intrinsics); /* bytes of its maps */
/* Sums the counters of all CPUs. Adds what is uncovered by now: ways that are not searched, memory
 * that waits for a search; not so the other one, which has the counters alone. */
void rn_intrinsics_stats(const struct rn_intrinsics *intrinsics, struct rn_bpf_stats *out);
void rn_intrinsics_counts(const struct rn_intrinsics *intrinsics, struct rn_bpf_stats *out);
/* Another query comes to share the search of these. */
void rn_intrinsics_joined(struct rn_intrinsics *intrinsics);
/* Returns in key the key of a path's text, as programs have it; of an empty text that of no
 * file. */
void rn_intrinsics_key(const struct rn_intrinsics *intrinsics, const char *text, size_t n,
		       struct rn_file_key *key);
/* Copies the path of a key into out (RN_PATH_BYTES); returns its length, or -1 if it is not known.
 * cut as in rn_bpf_path. */
int rn_intrinsics_path(const struct rn_intrinsics *intrinsics, const struct rn_file_key *key,
		       char *out, bool *cut);
/* Forgets a path; it is made again when the file occurs next. */
void rn_intrinsics_forget(const struct rn_intrinsics *intrinsics, const struct rn_file_key *key);
/* Were the addresses of the page cache found, so that SCAN can search it? If not, SCAN counts such
 * calls as uncovered. */
bool rn_intrinsics_pages(const struct rn_intrinsics *intrinsics);
/* Has a splice gone into a device unsearched? */
bool rn_intrinsics_missed(const struct rn_intrinsics *intrinsics);

/* ---- glob_nfa.c ---- */

/* Does the text match the pattern, by the rules of rn_match (fnmatch without FNM_PATHNAME, no
 * brackets, no escapes)? */
bool rn_glob_text(const char *pattern, const char *text, unsigned len);

/* A program ready for bpf_prog_load. */
struct rn_spliced {
	struct bpf_insn *insn;
	unsigned ninsn; /* malloc'ed */
	/* malloc'ed; for .func_info; 0 without intrinsics */
	struct bpf_func_info *func;
	unsigned nfunc;
	/* for .prog_btf_fd; owned by the rn_intrinsics; 0 without */
	int btf_fd;
};
/* insn[n] may contain calls {BPF_JMP | BPF_CALL, src_reg = BPF_PSEUDO_CALL, imm = enum
 * rn_intrinsic, off = RN_CALL_MARK}. */
#define RN_CALL_MARK 0x524e

/* ---- splice.c ---- */

/* How many instructions a program has with all that it calls. */
unsigned rn_splice_size(const struct rn_intrinsics *intrinsics, const struct bpf_insn *insn,
			unsigned n);
int rn_splice(const struct rn_intrinsics *intrinsics, const struct bpf_insn *insn, unsigned n,
	      struct rn_spliced *out, struct rn_err *err);
/* Replaces their marks by bpf_preempt_disable and bpf_preempt_enable, or (not use) by nothing.
 * False: this kernel lacks them, so the marks became nothing. */
bool rn_splice_preempt(const struct rn_btf_ids *ids, struct rn_spliced *spliced, bool use);
/* The same for bpf_session_is_return and bpf_session_cookie. False: this kernel lacks them, so the
 * program is of no use. insn may be NULL if n is 0. */
bool rn_splice_session(const struct rn_btf_ids *ids, struct bpf_insn *insn, unsigned n);
/* The same for bpf_rdonly_cast, in code that is there only if the kernel has it. */
void rn_splice_cast(const struct rn_btf_ids *ids, struct bpf_insn *insn, unsigned n);
void rn_spliced_free(struct rn_spliced *spliced);
#endif
