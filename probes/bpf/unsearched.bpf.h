/* unsearched.bpf.h - calls by which a process begins to use a way that is not searched. Rings of
 * packet sockets: the kernel fills them and the program empties them in shared memory. ptrace: it
 * moves the memory of another process word by word.
 *
 * The inode of its socket identifies a ring.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_UNSEARCHED_BPF_H
#define RN_PROBES_BPF_UNSEARCHED_BPF_H
#include "probes/bpf/payload.bpf.h"
#include "probes/bpf/ways.bpf.h"

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
