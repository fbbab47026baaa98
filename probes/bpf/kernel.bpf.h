/* kernel.bpf.h - the few kernel types that the intrinsics read, for CO-RE. Only names matter:
 * libbpf finds the real offsets on the kernel that it loads on. They are written by hand, so that
 * the build needs no BTF of a running kernel.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_KERNEL_BPF_H
#define RN_PROBES_BPF_KERNEL_BPF_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef _Bool bool;
enum { false, true };
#define NULL ((void *)0)

/* From the kernel's user ABI: numbers that never change. */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_TASK_STORAGE = 29
};
enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_NO_COMMON_LRU = 2,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1
};
enum {
	S_IFMT = 0170000,
	S_IFSOCK = 0140000,
	S_IFREG = 0100000,
	S_IFBLK = 0060000,
	S_IFCHR = 0020000,
	S_IFIFO = 0010000
};
enum { FUSE_MAGIC = 0x65735546 }; /* of its file systems */
enum {
	FUSE_DEVICE = 10 << 20 | 229 /* /dev/fuse, as the kernel packs major and minor */,
	MEMORY_MAJOR = 1 /* /dev/null, /dev/zero */
};
enum {
	PIPEFS_MAGIC = 0x50495045,
	ANON_INODE_FS_MAGIC = 0x09041934,
	OVERLAYFS_MAGIC = 0x794c7630,
	FUSE_SUPER_MAGIC = 0x65735546,
	TMPFS_MAGIC = 0x01021994,
	SOCKFS_MAGIC = 0x534f434b,
	NSFS_MAGIC = 0x6e736673,
	PIDFS_MAGIC = 0x50494446
};
enum { EEXIST = 17 };
enum { AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10 };

struct bpf_map;
struct pt_regs;
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct qstr {
	union {
		struct {
			__u32 hash, len;
		};
		__u64 hash_len;
	};
	const unsigned char *name;
};
struct hlist_bl_node {
	struct hlist_bl_node *next, **pprev;
};
struct seqcount {
	unsigned sequence;
};
typedef struct seqcount seqcount_t;
struct seqcount_spinlock {
	seqcount_t seqcount;
};
typedef struct seqcount_spinlock seqcount_spinlock_t;
struct dentry_operations {
	void *d_dname;
};
struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
};
struct xarray {
	void *xa_head;
};
struct xa_node {
	unsigned char shift;
	void *slots[64];
};
struct rb_node {
	struct rb_node *rb_right, *rb_left;
};
struct rb_root {
	struct rb_node *rb_node;
};
struct rb_root_cached {
	struct rb_root rb_root;
};
typedef struct {
	int counter;
} atomic_t;
typedef struct {
	long long counter;
} atomic64_t;
struct rw_semaphore {
	atomic64_t count;
};
struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};
struct inode;
struct hlist_head {
	void *first;
};
struct address_space {
	struct inode *host;
	struct xarray i_pages;
	atomic_t i_mmap_writable;
	struct rb_root_cached i_mmap;
};
struct inode {
	unsigned short i_mode;
	__u32 i_nlink;
	struct hlist_head i_dentry;
	__u32 i_rdev;
	long long i_size;
	unsigned long i_ino;
	__u32 i_generation;
	struct super_block *i_sb;
	void *i_private;
	unsigned int i_flags;
	struct rw_semaphore i_rwsem;
	atomic_t i_dio_count, i_writecount;
	long long i_ctime_sec; /* since 6.11 */
	__u32 i_ctime_nsec;
	struct timespec64 __i_ctime; /* since 6.6 */
	struct timespec64 i_ctime;   /* before */
};
struct dentry {
	unsigned d_flags;
	seqcount_spinlock_t d_seq;
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	const struct dentry_operations *d_op;
	struct super_block *d_sb;
};
struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
};
struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};
typedef struct {
	atomic64_t refcnt;
} file_ref_t;
struct file {
	file_ref_t f_ref;   /* since 6.13 */
	atomic64_t f_count; /* before */
	struct path f_path;
	struct inode *f_inode;
	struct address_space *f_mapping;
	long long f_pos;
	void *private_data;
};
struct backing_file {
	struct path user_path;
}; /* since 6.8 */
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct files_struct {
	atomic_t count;
	struct fdtable *fdt;
};
struct maple_tree {
	void *ma_root;
};
struct maple_range_64 {
	unsigned long pivot[15];
	void *slot[16];
};
struct maple_arange_64 {
	unsigned long pivot[9];
	void *slot[10];
};
struct mm_struct {
	struct maple_tree mm_mt;
	atomic_t mm_users;
	struct rw_semaphore mmap_lock;
	struct file *exe_file;
};
struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
	struct mm_struct *vm_mm;
	struct file *vm_file;
	struct {
		struct rb_node rb;
	} shared;
};
struct pt_regs {
	unsigned long orig_ax, di, si, dx, r10, r8;
};
struct task_struct {
	struct files_struct *files;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	__u64 start_time;
	int tgid;
};
struct kiocb {
	long long ki_pos;
};
struct io_cqe {
	__u64 user_data;
	int fd;
};
struct io_buffer_list {
	void *buf_ring;
	__u16 buf_nr_pages, head, mask, flags;
};
struct io_ring_ctx {
	struct io_buffer_list *io_bl;
	struct xarray io_bl_xa;
};
struct io_kiocb {
	struct file *file;
	__u8 opcode;
	__u16 buf_index;
	__u64 flags;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
};
/* the same, seen as a read or write */
struct io_rw {
	struct kiocb kiocb;
	__u64 addr;
	__u32 len;
};
struct io_sr_msg {
	void *buf;
	int len;
	__u16 flags;
}; /* as a send or receive */
struct folio {
	unsigned long index;
};
struct pipe_buffer {
	void *page;
	unsigned int offset, len;
};
struct pipe_inode_info {
	unsigned int head, tail, ring_size;
	struct pipe_buffer *bufs;
};
struct in6_addr {
	__u8 s6_addr[16];
};
struct proc_ns_operations {
	const char *name;
};
struct ns_common {
	const struct proc_ns_operations *ops;
	unsigned int inum;
};
struct net {
	struct ns_common ns;
};
typedef struct {
	struct net *net;
} possible_net_t;
struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
	unsigned long skc_flags;
};
struct socket;
struct sock {
	struct sock_common __sk_common;
	__u16 sk_protocol;
	struct socket *sk_socket;
};
struct unix_sock {
	struct sock *peer;
};
struct inet_sock {
	__be16 inet_sport;
};
struct inet_connection_sock {
	const void *icsk_ulp_ops;
};
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 copied_seq, rcv_nxt, write_seq, snd_nxt, snd_una;
	__u64 bytes_received, bytes_sent, bytes_retrans, bytes_acked;
};
struct packet_ring_buffer {
	void *pg_vec;
};
struct packet_sock {
	struct packet_ring_buffer rx_ring, tx_ring;
};
struct socket {
	short type;
	struct file *file;
	struct sock *sk;
};
struct pid_namespace {
	unsigned int level;
};
struct fuse_conn {
	__u32 dev;
	struct pid_namespace *pid_ns;
};
struct fuse_inode {
	__u64 nodeid;
};
struct fuse_dev {
	struct fuse_conn *fc;
};
#pragma clang attribute pop

/* User memory's own layouts (64-bit tasks). */
struct iovec {
	__u64 base, len;
};
struct user_msghdr {
	__u64 name;
	__u32 namelen, pad;
	__u64 iov, iovlen, control, controllen;
	__u32 flags, pad2;
};
struct user_mmsghdr {
	struct user_msghdr hdr;
	__u32 len, pad;
};

struct user_event {
	__u64 data, iocb;
	__s64 res;
	__u64 res2;
}; /* struct io_event */
/* of struct iocb, from aio_lio_opcode on */
struct aio_op {
	__u16 op;
	__s16 prio;
	__u32 fd;
	__u64 buf, nbytes, off;
};

/* Hide a value's history from clang, so that clang keeps the bound that the next line writes for
 * the verifier. */
#define OPAQUE(x) asm volatile("" : "+r"(x))
#define INTRINSIC __attribute__((noinline)) /* not static: a global function, verified once */
#endif
