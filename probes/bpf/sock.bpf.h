/* sock.bpf.h - both ends of a socket, as they are when the call returns.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_SOCK_BPF_H
#define RN_PROBES_BPF_SOCK_BPF_H
#include "probes/bpf/shared.bpf.h"

static __always_inline void put_port(__u8 *end, __u16 port_be)
{
	/* x86 and arm64 are little-endian: the first byte in memory is the low one */
	end[16] = port_be & 255;
	end[17] = port_be >> 8;
}

static __always_inline void put_v4(__u8 *end, __u32 addr_be, __u16 port_be)
{
	if (!addr_be && !port_be)
		return; /* no such end: it stays all zeros */
	end[10] = 255;
	end[11] = 255;
	end[12] = addr_be & 255;
	end[13] = addr_be >> 8 & 255;
	end[14] = addr_be >> 16 & 255;
	end[15] = addr_be >> 24;
	put_port(end, port_be);
}

/* Take the peer from a struct sockaddr in user memory. */
static __always_inline void peer_from_user(struct rn_bpf_sock *out, __u64 addr)
{
	struct {
		__u16 family, port;
		__u32 v4;
		__u8 v6[16];
		__u32 scope;
	} sa = {};

	if (bpf_probe_read_user(&sa, 8, (void *)addr))
		return;
	if (sa.family == AF_INET) {
		put_v4(out->peer, sa.v4, sa.port);
	} else if (sa.family == AF_INET6 && !bpf_probe_read_user(&sa, 24, (void *)addr)) {
		__builtin_memcpy(out->peer, sa.v6, 16);
		put_port(out->peer, sa.port);
	}
}

/* 0: the descriptor is no socket. */
static __always_inline __u64 ends_by(__u64 file, struct rn_bpf_sock *out, const bool fast)
{
	struct file *f = fast ? cast(file, rn_type_file) : (void *)file;
	struct inode *ino = GET(fast, f, f_inode);
	struct socket *so;
	struct sock *sk;
	__u16 port;

	if ((GET(fast, ino, i_mode) & S_IFMT) != S_IFSOCK)
		return 0;
	so = GET(fast, f, private_data);
	if (fast)
		so = cast((__u64)so, rn_type_socket);
	sk = GET(fast, so, sk);
	if (!sk)
		return 1;
	out->type = GET(fast, so, type);
	out->family = GET(fast, sk, __sk_common.skc_family);
	out->netns = fast ? sk->__sk_common.skc_net.net->ns.inum
			  : BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	out->proto = GET(fast, sk, sk_protocol);
	if (out->family != AF_INET && out->family != AF_INET6)
		return 1;
	port = __builtin_bswap16(GET(fast, sk, __sk_common.skc_num));
	/* both ends have closed: the port is free again, but received data can still be read */
	if (!port)
		port = BPF_CORE_READ((struct inet_sock *)sk, inet_sport);
	if (out->family == AF_INET) {
		put_v4(out->local, GET(fast, sk, __sk_common.skc_rcv_saddr), port);
		put_v4(out->peer, GET(fast, sk, __sk_common.skc_daddr),
		       GET(fast, sk, __sk_common.skc_dport));
	} else {
		bpf_core_read(out->local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(out->peer, 16, &sk->__sk_common.skc_v6_daddr);
		put_port(out->local, port);
		put_port(out->peer, GET(fast, sk, __sk_common.skc_dport));
	}
	return 1;
}

INTRINSIC __u64 rn_sock(__u64 fd, __u64 addr, __u64 kind, struct rn_bpf_sock *out)
{
	__u64 f;

	if (!out)
		return 0;
	__builtin_memset(out, 0, sizeof(*out));
	f = file_of_fd(fd);
	if (!f || !(rn_cast ? ends_by(f, out, true) : ends_by(f, out, false)))
		return 0;
	if (kind && addr && (out->family == AF_INET || out->family == AF_INET6) && !out->peer[16] &&
	    !out->peer[17]) {
		/* msghdr.msg_name is its first member */
		if (kind == 2 && bpf_probe_read_user(&addr, sizeof(addr), (void *)addr))
			addr = 0;
		if (addr)
			peer_from_user(out, addr);
	}
	return 1;
}
#endif
