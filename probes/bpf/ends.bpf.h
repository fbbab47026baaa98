/* ends.bpf.h - values that pair the two ends of a channel. They are the number of the payload's
 * first byte in its TCP stream; the inode of a Unix socket's other end; the file system behind
 * /dev/fuse, the file in it, and the thread that asked. For a copy inside the kernel they come from
 * whichever of its two files has them.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_ENDS_BPF_H
#define RN_PROBES_BPF_ENDS_BPF_H
#include "probes/bpf/stream.bpf.h"

/* The struct sock behind an open file; 0: it is no socket. */
static __always_inline __u64 sock_of(__u64 file)
{
	struct file *f = (void *)file;
	struct socket *so;

	if (!file || type_of(f) != S_IFSOCK)
		return 0;
	so = BPF_CORE_READ(f, private_data);
	return (__u64)BPF_CORE_READ(so, sk);
}

/* Set scratch to the socket that the call is about: for a copy, its output or its input. Return its
 * struct sock; 0: none. */
INTRINSIC __u64 rn_socket_end(__u64 through)
{
	struct scratch *s = scratch();
	__u64 sk;

	if (!s)
		return 0;
	if (!through)
		return sock_of(s->file);
	s->flags = 0;
	sk = sock_of(s->to);
	s->dir = sk ? DIR_OUT : DIR_IN;
	if (!sk)
		return sock_of(s->file);
	s->file = s->to;
	return sk;
}

INTRINSIC __u64 rn_tcp_number(void)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	set_flow(s);
	if (s->flow != FLOW_TCP)
		return 0;
	return (__u32)(s->aside & MSG_PEEK ? s->seq : s->seq - bytes_moved(s));
}

/* The sender's inode for data that was queued before accept(), keyed by the receiver's struct sock.
 * The sender may be closed by the time of accept(). */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u64);
} rn_early SEC(".maps");

/* 0: not known. An end that is closed, or not accepted yet, has no inode. */
INTRINSIC __u64 rn_unix_peer(__u64 sk)
{
	struct scratch *s = scratch();
	struct unix_sock *u = (void *)sk;
	struct file *f;
	__u64 peer, ino, *early;

	if (!s || BPF_CORE_READ((struct sock *)sk, __sk_common.skc_family) != AF_UNIX ||
	    !bpf_core_field_exists(u->peer))
		return 0;
	peer = (__u64)BPF_CORE_READ(u, peer);
	ino = peer ? BPF_CORE_READ((struct sock *)peer, sk_socket, file, f_inode, i_ino) : 0;
	if (ino)
		return ino;
	if (s->dir == DIR_IN) {
		early = bpf_map_lookup_elem(&rn_early, &sk);
		return early ? *early : 0;
	}
	f = (void *)s->file;
	ino = BPF_CORE_READ(f, f_inode, i_ino);
	if (peer)
		bpf_map_update_elem(&rn_early, &peer, &ino, BPF_ANY);
	return 0;
}

static __always_inline __u64 fuse_served(__u64 file)
{
	struct file *f = (void *)file;
	struct fuse_dev *d;

	if (!file || !is_fuse(file) || !bpf_core_field_exists(((struct fuse_conn *)0)->dev))
		return 0;
	d = BPF_CORE_READ(f, private_data);
	return d ? BPF_CORE_READ(d, fc, dev) : 0;
}

/* The message numbers a thread by the file system's pid namespace. That is the initial one, or one
 * that we do not know. */
static __always_inline __u64 fuse_asker(__u64 file, __u64 asker)
{
	struct file *f = (void *)file;
	struct pid_namespace *ns;
	struct fuse_dev *d;

	if (!asker || !bpf_core_field_exists(((struct fuse_conn *)0)->pid_ns))
		return 0;
	d = BPF_CORE_READ(f, private_data);
	ns = d ? BPF_CORE_READ(d, fc, pid_ns) : NULL;
	return ns && !BPF_CORE_READ(ns, level) ? asker : 0;
}

/* The server's number for a file of its file system. FUSE's own data begins with the inode. */
static __always_inline __u64 fuse_node(__u64 file)
{
	struct file *f = (void *)file;
	struct fuse_inode *ino;

	if (!file || type_of(f) != S_IFREG ||
	    !bpf_core_field_exists(((struct fuse_inode *)0)->nodeid))
		return 0;
	if (BPF_CORE_READ(f, f_inode, i_sb, s_magic) != FUSE_MAGIC)
		return 0;
	ino = (void *)BPF_CORE_READ(f, f_inode);
	return BPF_CORE_READ(ino, nodeid);
}

INTRINSIC __u64 rn_end(struct rn_bpf_call *call, __u64 what)
{
	struct scratch *s = scratch();
	__u64 nr, through, sk, dev;

	if (!s || !call || !rn_payload(call) || s->conn)
		return 0;
	nr = call->nr;
	if (nr >= RN_SYS_MAX)
		return 0;
	through = rn_traits[nr].dir == DIR_THROUGH;
	if (what == RN_END_FUSE_DEV) {
		dev = fuse_served(s->file);
		return dev || !through ? dev : fuse_served(s->to);
	}
	if (what == RN_END_FUSE_TID)
		return fuse_asker(s->file, s->asker);
	if (what == RN_END_FUSE_NODE)
		return s->way == RN_PATH_FUSE ? s->node : fuse_node(through ? s->to : s->file);
	sk = rn_socket_end(through);
	if (!sk)
		return 0;
	return what == RN_END_SEQ ? rn_tcp_number() : rn_unix_peer(sk);
}
#endif
