/* ways.bpf.h - ways that are not searched, and that tracepoints of the kernel report
 * (probes/gen/ways.c).
 *
 * A copy-up of overlayfs: an inode is made, or changed, with the credentials of the user who
 * mounted. It is noted with the thread and its call. When the call returns, it was a copy-up if the
 * file has bytes. A file that a call creates, or truncates, is empty then. tmpfs reports no new
 * inode, but its copies have no name until they are whole. open changes no existing file, except
 * one whose data was still below.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_WAYS_BPF_H
#define RN_PROBES_BPF_WAYS_BPF_H
#include "probes/bpf/payload.bpf.h"

/* Each such way (a ring, a traced process) counts as uncovered once in a query, however often it is
 * used. A map holds them, and user space counts its keys. Some programs that find them may lose the
 * CPU amid their work, and so may not add to the counters of a CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct rn_once_key);
	__type(value, __u32);
} rn_once SEC(".maps");

/* Count a way that is not searched. If the map has no room for it, it counts each time. */
static __always_inline void count_once(__u64 path, __u64 what, __u64 which)
{
	struct rn_once_key k = {.path = path, .what = what, .which = which};
	__u32 seen = 1;

	/* before 6.4 only 32 bits of it are set */
	if ((int)bpf_map_update_elem(&rn_once, &k, &seen, BPF_ANY))
		COUNT(path[path & 15].uncovered, 1);
}

enum { TMPFS_MAGIC = 0x01021994, FD_RETURNED = 6 /* as RN_ARG_RET */ };
struct changed {
	__u64 inode, nr, is_new;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64); /* thread */
	__type(value, struct changed);
} rn_changed SEC(".maps");

INTRINSIC __u64 rn_used(__u64 what, __u64 which)
{
	count_once(what == RN_ONCE_NBD ? RN_PATH_SOCKET : RN_PATH_FILE, what, which);
	return 0;
}

/* arg: inode. 1: it is noted. */
INTRINSIC __u64 rn_copying(struct rn_bpf_call *c)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 thread = bpf_get_current_pid_tgid();
	struct changed now = {}, *before;
	struct inode *ino;

	if (!c)
		return 0;
	ino = (void *)c->arg[0];
	if ((BPF_CORE_READ(ino, i_mode) & S_IFMT) != S_IFREG)
		return 0;
	now.inode = c->arg[0];
	now.nr = BPF_CORE_READ(regs, orig_ax);
	now.is_new =
		!BPF_CORE_READ(ino, i_dentry.first) ||
		(!BPF_CORE_READ(ino, i_nlink) && BPF_CORE_READ(ino, i_sb, s_magic) == TMPFS_MAGIC);
	before = bpf_map_lookup_elem(&rn_changed, &thread);
	if (before && before->nr == now.nr && before->is_new && !now.is_new)
		return 0;
	bpf_map_update_elem(&rn_changed, &thread, &now, BPF_ANY);
	return 1;
}

/* Handle the return of a call that may have had a file copied up. */
static __always_inline void copied_up(struct rn_bpf_call *c)
{
	__u64 thread = bpf_get_current_pid_tgid(), nr = c->nr;
	struct changed *v = bpf_map_lookup_elem(&rn_changed, &thread), at;
	struct inode *ino;

	if (!v || nr >= RN_SYS_MAX)
		return;
	at = *v;
	bpf_map_delete_elem(&rn_changed, &thread);
	ino = (void *)at.inode;
	if (at.nr != nr || !(at.is_new || rn_traits[nr].fd == FD_RETURNED))
		return;
	if (BPF_CORE_READ(ino, i_size) > 0)
		COUNT(path[RN_PATH_PAGES].uncovered, 1);
}
#endif
