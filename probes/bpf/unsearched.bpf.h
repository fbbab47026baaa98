/* unsearched.bpf.h - calls by which a process begins to use a way that is not searched. Rings of
 * packet sockets: the kernel fills them and the program empties them in shared memory. ptrace: it
 * moves the memory of another process word by word.
 *
 * The inode of its socket identifies a ring.
 *
 * Also ways that are not searched, and that tracepoints of the kernel report (probes/gen/ways.c).
 *
 * A copy-up of overlayfs: an inode is made, or changed, with the credentials of the user who
 * mounted. It is noted with the thread and its call. When the call returns, it was a copy-up if the
 * file has bytes. A file that a call creates, or truncates, is empty then. tmpfs reports no new
 * inode, but its copies have no name until they are whole. open changes no existing file, except
 * one whose data was still below.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_UNSEARCHED_BPF_H
#define RN_PROBES_BPF_UNSEARCHED_BPF_H
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

enum { FD_RETURNED = 6 /* as RN_ARG_RET */ };
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

enum { AF_PACKET = 17, SOL_PACKET = 263, PACKET_RX_RING = 5, PACKET_TX_RING = 13 };
enum { PEEKTEXT = 1, PEEKDATA = 2, POKETEXT = 4, POKEDATA = 5 };
const volatile __u32 rn_nr_ptrace = 0, rn_nr_setsockopt = 0;

static __always_inline __u64 ino_of(__u64 file)
{
	struct file *f = (void *)file;

	return BPF_CORE_READ(f, f_inode, i_ino);
}

/* setsockopt: descriptor, level, option, its value. A ring without blocks is being given back. */
static __always_inline void ring_is_made(struct rn_bpf_call *c)
{
	__u32 blocks = 0, level = c->arg[1], option = c->arg[2];
	__u64 file;

	if (level != SOL_PACKET || (option != PACKET_RX_RING && option != PACKET_TX_RING))
		return;
	if (!bpf_probe_read_user(&blocks, sizeof(blocks),
				 (void *)(c->arg[3] + 4 /* tp_block_nr */)) &&
	    !blocks)
		return;
	file = file_of_fd((__u32)c->arg[0]);
	count_once(RN_PATH_SOCKET, option == PACKET_RX_RING ? RN_ONCE_RING_RX : RN_ONCE_RING_TX,
		   file ? ino_of(file) : 0);
}

/* ptrace: request, process. Each tracer's tracees are its own, as it may have a PID namespace of
 * its own. */
static __always_inline void memory_is_peeked(struct rn_bpf_call *c)
{
	__u64 request = c->arg[0];

	if (request == PEEKTEXT || request == PEEKDATA || request == POKETEXT ||
	    request == POKEDATA)
		count_once(RN_PATH_VM, RN_ONCE_TRACEE,
			   bpf_get_current_pid_tgid() >> 32 << 32 | (__u32)c->arg[1]);
}

/* An open file: the rings that were there before the query. If the kernel does not say what a
 * packet socket has (a module has it whose types we do not read), each socket counts as having
 * one. */
INTRINSIC __u64 rn_rings(struct rn_bpf_call *c)
{
	struct packet_sock *p;
	struct socket *so;
	struct file *f;

	if (!c)
		return 0;
	f = (void *)c->arg[0];
	if (type_of(f) != S_IFSOCK)
		return 0;
	so = BPF_CORE_READ(f, private_data);
	p = (void *)BPF_CORE_READ(so, sk);
	if (!p || BPF_CORE_READ((struct sock *)p, __sk_common.skc_family) != AF_PACKET)
		return 0;
	if (!bpf_core_field_exists(p->rx_ring) || BPF_CORE_READ(p, rx_ring.pg_vec))
		count_once(RN_PATH_SOCKET, RN_ONCE_RING_RX, ino_of((__u64)f));
	if (bpf_core_field_exists(p->tx_ring) && BPF_CORE_READ(p, tx_ring.pg_vec))
		count_once(RN_PATH_SOCKET, RN_ONCE_RING_TX, ino_of((__u64)f));
	return 0;
}

INTRINSIC __u64 rn_unsearched(struct rn_bpf_call *c)
{
	if (!c)
		return 0;
	if (c->nr != rn_nr_ptrace && c->nr != rn_nr_setsockopt)
		copied_up(c);
	else if (!c->ret && c->nr == rn_nr_ptrace)
		memory_is_peeked(c);
	else if (!c->ret)
		ring_is_made(c);
	return 0;
}
#endif
