/* btf.h - offsets of kernel structure members and ids of tracepoint prototypes, from
 * /sys/kernel/btf/vmlinux.
 *
 * One pass over the types with a small table of wanted names takes milliseconds; a general BTF
 * library takes tens. Here is only what generated code loads itself. libbpf relocates the
 * precompiled intrinsics (CO-RE). */
#ifndef RN_PROBES_KERNEL_BTF_H
#define RN_PROBES_KERNEL_BTF_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/base/err.h"

/* Wanted members: X(name, struct, member). Members of anonymous unions and structs inside count as
 * the outer struct's own. */
#define RN_BTF_MEMBERS(X) \
	X(TASK_PID, "task_struct", "pid") \
	X(TASK_TGID, "task_struct", "tgid") \
	X(TASK_COMM, "task_struct", "comm") \
	X(TASK_LEADER, "task_struct", "group_leader") \
	X(TASK_REAL_PARENT, "task_struct", "real_parent") \
	X(TASK_CRED, "task_struct", "cred") \
	X(TASK_REAL_CRED, "task_struct", "real_cred") \
	X(TASK_MM, "task_struct", "mm") \
	X(TASK_FLAGS, "task_struct", "flags") \
	X(TASK_NSPROXY, "task_struct", "nsproxy") \
	X(TASK_CGROUPS, "task_struct", "cgroups") \
	X(TASK_FILES, "task_struct", "files") \
	X(TASK_SIGNAL, "task_struct", "signal") \
	X(TASK_EXIT_CODE, "task_struct", "exit_code") \
	X(TASK_START_TIME, "task_struct", "start_time") \
	X(TASK_START_BOOT, "task_struct", "start_boottime") \
	X(TASK_THREAD_INFO, "task_struct", "thread_info") \
	X(TASK_EXEC_ID, "task_struct", "self_exec_id") \
	X(TASK_STATE, "task_struct", "__state") \
	X(CRED_UID, "cred", "uid") \
	X(CRED_GID, "cred", "gid") \
	X(CRED_EUID, "cred", "euid") \
	X(NSPROXY_NET, "nsproxy", "net_ns") \
	X(NET_NS, "net", "ns") \
	X(NSC_INUM, "ns_common", "inum") \
	X(CSS_SET_DFL, "css_set", "dfl_cgrp") \
	X(CGROUP_KN, "cgroup", "kn") \
	X(CGROUP_SELF, "cgroup", "self") \
	X(CSS_PARENT, "cgroup_subsys_state", "parent") \
	X(CSS_CGROUP, "cgroup_subsys_state", "cgroup") \
	X(KN_ID, "kernfs_node", "id") \
	X(SIGNAL_EXIT_CODE, "signal_struct", "group_exit_code") \
	X(SIGNAL_FLAGS, "signal_struct", "flags") \
	X(SIGNAL_EXEC, "signal_struct", "group_exec_task") \
	X(THREAD_INFO_STATUS, "thread_info", "status") \
	X(THREAD_INFO_WORK, "thread_info", "syscall_work") \
	X(REGS_ORIG_AX, "pt_regs", "orig_ax") \
	X(REGS_AX, "pt_regs", "ax") \
	X(REGS_DI, "pt_regs", "di") \
	X(REGS_SI, "pt_regs", "si") \
	X(REGS_DX, "pt_regs", "dx") \
	X(REGS_R10, "pt_regs", "r10") \
	X(REGS_R8, "pt_regs", "r8") \
	X(REGS_R9, "pt_regs", "r9") \
	X(REGS_CS, "pt_regs", "cs") \
	X(REGS_CX, "pt_regs", "cx") \
	X(REGS_SP, "pt_regs", "sp") \
	X(BIO_BDEV, "bio", "bi_bdev") \
	X(BIO_OPF, "bio", "bi_opf") \
	X(BDEV_DISK, "block_device", "bd_disk") \
	X(DISK_MAJOR, "gendisk", "major") \
	X(DISK_MINOR, "gendisk", "first_minor") \
	X(MM_ARG_START, "mm_struct", "arg_start") \
	X(MM_ARG_END, "mm_struct", "arg_end")

enum { RN_BTF_PARTS_MAX = 80, RN_BTF_TRACES_MAX = 48 };
enum rn_btf_member {
#define X(n, s, m) RN_BM_##n,
	RN_BTF_MEMBERS(X)
#undef X
		RN_BM_COUNT
};
struct rn_btf {
	int32_t off[RN_BM_COUNT]; /* bytes; -1: this kernel has no such member */
	/* by its number among the wanted ones: BTF id of typedef btf_trace_X, or of the iterator,
	 * for attach_btf_id; 0: none */
	uint32_t trace[RN_BTF_TRACES_MAX];
	uint8_t nargs[RN_BTF_TRACES_MAX]; /* its number of arguments; 0: not known */
	uint32_t part[RN_BTF_PARTS_MAX];  /* ids of the types for btf_subset.h; 0: none */
};
/* The hooks that programs attach to. */
struct rn_btf_trace {
	const char *name; /* of a tracepoint without its system, or of an iterator; NULL: nothing */
	bool iterator;
};
struct rn_btf_image;

const char *rn_btf_member_name(enum rn_btf_member m); /* "task_struct.pid" */

/* ---- btf_kernel.c ---- */

/* Read the wanted offsets and ids. want: at most RN_BTF_TRACES_MAX, in the order of rn_btf.trace.
 * Return 0, or negative errno: -ENOENT without BTF. Reads the file each time: keep the result. */
int rn_btf_read(struct rn_btf *btf, const struct rn_btf_trace *want, unsigned nwant,
		struct rn_err *err);

/* ---- btf.c ---- */

/* The same from the open kernel's image image; image is then ready for lookups (btf_image.h). */
int rn_btf_take(struct rn_btf *btf, struct rn_btf_image *image, const struct rn_btf_trace *want,
		unsigned nwant, struct rn_err *err);
/* The same from a BTF image in memory. Every length and offset is checked; -EBADMSG if it is
 * damaged. */
int rn_btf_scan(struct rn_btf *btf, const void *image, unsigned long bytes,
		const struct rn_btf_trace *want, unsigned nwant, struct rn_err *err);
/* Tell which of these tracepoints ("sched:sched_switch") programs may be attached to by name: those
 * whose name is unique and has a prototype. kernel: its types, if they are open; NULL: read the
 * file. */
void rn_btf_traces(const struct rn_btf_image *kernel, const char *const *v, unsigned n, bool *has);
/* RUNNEL_WITHOUT names tracepoints, separated by commas, which are treated as missing in this
 * kernel. So a newer kernel shows what an older one covers, and what it counts. */
bool rn_btf_without(const char *tracepoint);

/* ---- btf_kernel.c ---- */

/* The id of the type of that name and kind (BTF_KIND_*) in the running kernel's BTF; 0: none, or no
 * BTF. Reads the file each time. */
uint32_t rn_btf_find(const char *name, unsigned kind);

/* ---- btf_enum.c ---- */

/* Is called with each name of an enumeration, which lasts as long as the call, and its number. */
typedef void rn_btf_enumerator(void *self, const char *name, int64_t number);
/* Tell the numbers of the enumeration in its order. False: the image has none of that name, or
 * several. */
bool rn_btf_image_enum(const struct rn_btf_image *image, const char *name, rn_btf_enumerator *each,
		       void *self);
/* The same for the running kernel. Reads the file each time. */
bool rn_btf_enum(const char *name, rn_btf_enumerator *each, void *self);
#endif
