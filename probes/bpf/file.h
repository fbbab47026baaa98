/* file.h - what a descriptor is open on: identity at once, its text once per file.
 *
 * Identity is (device, inode, generation). The text is what /proc/PID/fd/N shows, from the view of the whole machine: the walk goes
 * up through dentries and mounts until a mount is its own parent. SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_BPF_FILE_H
#define RN_BPF_FILE_H
#include "probes/bpf/shared.h"

enum { MAX_DEPTH = 128 }; /* components and mounts of one path */
static const char deleted[10] = " (deleted)", socket[7] = "socket:", pipe[5] = "pipe:", anon[11] = "anon_inode:";

/* A path is put together backwards in s->walk, the part done so far being s->walk[s->pos, WALK_BYTES). The steps are functions of
 * their own with their state in scratch, so that the verifier looks at each once. */

/* Prepends n bytes at `from` in kernel memory; 1, or 0 if they do not fit. */
INTRINSIC __u64 rn_prepend(__u64 from, __u64 n)
{
	struct scratch *s = scratch();
	__u64 at;

	if (!s || n > NAME_MAX)
		return 0;
	at = s->pos - n;
	if (at >= WALK_BYTES)
		return 0;
	s->pos = at;
	OPAQUE(at);
	at &= WALK_BYTES - 1;
	OPAQUE(n);
	n &= NAME_MAX;
	bpf_probe_read_kernel(s->walk + at, n, (void *)from);
	return 1;
}

static __always_inline void prepend_byte(struct scratch *s, char c)
{
	__u64 at = s->pos - 1;

	if (at < WALK_BYTES) {
		s->walk[at] = c;
		s->pos = at;
	}
}

/* Prepends the last digit of s->dentry and takes it away; 0 when none is left. */
INTRINSIC __u64 rn_digit(void)
{
	struct scratch *s = scratch();
	__u64 n;

	if (!s)
		return 0;
	n = s->dentry;
	prepend_byte(s, '0' + n % 10);
	s->dentry = n / 10;
	return n / 10;
}

/* Prepends "[INO]": what has no path has a number. */
INTRINSIC __u64 rn_number(__u64 ino)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	prepend_byte(s, ']');
	s->dentry = ino;
	for (int i = 0; i < 20; i++)
		if (!rn_digit())
			break;
	prepend_byte(s, '[');
	return 0;
}

/* One step up: a component, or from a mount to what it is mounted on. 0 at the top. */
INTRINSIC __u64 rn_step(void)
{
	struct scratch *s = scratch();
	struct dentry *d, *parent;
	struct mount *m, *up;

	if (!s)
		return 0;
	d = (void *)s->dentry;
	m = (void *)s->mount;
	parent = BPF_CORE_READ(d, d_parent);
	if (d == parent || d == BPF_CORE_READ(m, mnt.mnt_root)) {
		up = BPF_CORE_READ(m, mnt_parent);
		s->dentry = (__u64)BPF_CORE_READ(m, mnt_mountpoint);
		s->mount = (__u64)up;
		return up && up != m;
	}
	s->dentry = (__u64)parent;
	if (!rn_prepend((__u64)BPF_CORE_READ(d, d_name.name), BPF_CORE_READ(d, d_name.len)))
		return 0;
	prepend_byte(s, '/');
	return 1;
}

/* Eight steps; 0 at the top. Two short loops are verified faster than a long one. */
INTRINSIC __u64 rn_steps(void)
{
	for (int i = 0; i < 8; i++)
		if (!rn_step())
			return 0;
	return 1;
}

#define PREPEND(s, text) \
	do { \
		__u64 at_ = s->pos - sizeof(text); \
		if (at_ < WALK_BYTES) { \
			__builtin_memcpy(s->walk + at_, text, sizeof(text)); \
			s->pos = at_; \
		} \
	} while (0)

/* The path of an open file. */
static __always_inline void walk(struct scratch *s, struct file *f)
{
	struct dentry *d = BPF_CORE_READ(f, f_path.dentry);
	struct vfsmount *vm = BPF_CORE_READ(f, f_path.mnt);
	bool alone = BPF_CORE_READ(d, d_parent) == d;

	if (alone && BPF_CORE_READ(vm, mnt_root) != d) {
		/* An object of a file system inside the kernel (memfd): it is its own root. */
		PREPEND(s, deleted);
		rn_prepend((__u64)BPF_CORE_READ(d, d_name.name), BPF_CORE_READ(d, d_name.len));
		prepend_byte(s, '/');
		return;
	}
	if (!alone && !BPF_CORE_READ(d, d_hash.pprev))
		PREPEND(s, deleted);
	s->dentry = (__u64)d;
	s->mount = (__u64)vm - bpf_core_field_offset(struct mount, mnt);
	for (int i = 0; i < MAX_DEPTH / 8; i++)
		if (!rn_steps())
			break;
	if (s->pos == WALK_BYTES)
		prepend_byte(s, '/');
}

/* Copies s->walk[s->pos, WALK_BYTES) to the text. */
static __always_inline void take_walk(struct scratch *s)
{
	__u64 pos = s->pos, n = WALK_BYTES - pos;

	s->path.cut = n > RN_PATH_BYTES - 1;
	if (n > RN_PATH_BYTES - 1)
		n = RN_PATH_BYTES - 1;
	s->path.len = n;
	OPAQUE(n);
	if (n > RN_PATH_BYTES - 1)
		return;
	OPAQUE(pos);
	pos &= WALK_BYTES - 1;
	bpf_probe_read_kernel(s->path.text, n, s->walk + pos);
	s->path.text[n] = 0;
}

static __always_inline void store_path(struct scratch *s, const struct rn_file_key *key)
{
	struct rn_file_key k = *key;
	int bad; /* not long: kernels before 6.4 give an int, whose upper half is not its sign */

	s->path.known = 0;
	s->path.verdict = 0;
	if (s->path.cut)
		COUNT(truncated, 1);
	bad = bpf_map_update_elem(&paths, &k, &s->path, BPF_NOEXIST);
	if (bad && bad != -17 /* EEXIST: another CPU was faster; else there is no room, or none yet */)
		COUNT(lost_path, 1);
}

/* Makes the text of a file and keeps it. */
INTRINSIC __u64 rn_resolve(__u64 file, struct rn_bpf_file *out)
{
	struct scratch *s = scratch();
	struct file *f = (void *)file;
	struct dentry *d;

	if (!s || !out)
		return 0;
	s->pos = WALK_BYTES;
	s->path.kind = out->kind;
	if (out->kind == RN_FILE_SOCKET) {
		rn_number(out->key.ino);
		PREPEND(s, socket);
	} else if (out->kind == RN_FILE_PIPE) {
		rn_number(out->key.ino);
		PREPEND(s, pipe);
	} else if (out->kind == RN_FILE_ANON) {
		d = BPF_CORE_READ(f, f_path.dentry);
		rn_prepend((__u64)BPF_CORE_READ(d, d_name.name), BPF_CORE_READ(d, d_name.len));
		PREPEND(s, anon);
	} else {
		walk(s, f);
	}
	take_walk(s);
	store_path(s, &out->key);
	return 1;
}

static __always_inline __u64 identify_by(__u64 file, __u64 want, struct rn_bpf_file *out, const bool fast)
{
	struct file *f = fast ? cast(file, rn_type_file) : (void *)file;
	struct inode *ino = GET(fast, f, f_inode);
	struct super_block *sb = GET(fast, ino, i_sb);
	__u64 magic = GET(fast, sb, s_magic);
	__u32 type;

	out->ptr = file;
	out->pos = GET(fast, f, f_pos);
	out->mode = GET(fast, ino, i_mode);
	out->key.dev = GET(fast, sb, s_dev);
	out->key.ino = GET(fast, ino, i_ino);
	out->key.gen = GET(fast, ino, i_generation);
	type = out->mode & S_IFMT;
	out->kind = RN_FILE_PATH;
	if (type == S_IFSOCK) {
		out->kind = RN_FILE_SOCKET;
	} else if (type == S_IFIFO) {
		if (magic == PIPEFS_MAGIC)
			out->kind = RN_FILE_PIPE;
	} else if (magic == ANON_INODE_FS_MAGIC) {
		/* All anonymous objects may share one inode: what they are is in their name. */
		struct dentry *d = GET(fast, f, f_path.dentry);
		out->kind = RN_FILE_ANON;
		out->key.gen = GET(fast, d, d_name.hash);
	}
	if (want && !path_of(&out->key))
		rn_resolve(file, out);
	return 1;
}

static __always_inline __u64 identify(__u64 file, __u64 want, struct rn_bpf_file *out)
{
	return rn_cast ? identify_by(file, want, out, true) : identify_by(file, want, out, false);
}

static __always_inline void clear_file(struct rn_bpf_file *out)
{
	__builtin_memset(out, 0, sizeof(*out));
}

INTRINSIC __u64 rn_file(__u64 fd, __u64 want, struct rn_bpf_file *out)
{
	__u64 f;

	if (!out)
		return 0;
	f = file_of_fd(fd);
	if (f)
		return identify(f, want, out);
	clear_file(out);
	return 0;
}

INTRINSIC __u64 rn_exe(__u64 want, struct rn_bpf_file *out)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct mm_struct *mm;
	__u64 f = 0;

	if (!out)
		return 0;
	mm = t->mm;
	if (mm)
		bpf_probe_read_kernel(&f, sizeof(f), (void *)mm + bpf_core_field_offset(struct mm_struct, exe_file));
	if (f)
		return identify(f, want, out);
	clear_file(out);
	return 0;
}

/* Hashes the next 8 bytes of the text; s->pos, s->mount and s->dentry are position, length and hash. */
INTRINSIC __u64 rn_hash_step(void)
{
	struct scratch *s = scratch();
	__u64 h, x, at, rest;

	if (!s)
		return 0;
	at = s->pos;
	if (at >= s->mount || at > RN_PATH_BYTES - 8)
		return 0;
	rest = s->mount - at;
	x = *(__u64 *)(s->path.text + at);
	if (rest < 8)
		x &= (1ULL << (rest * 8 & 63)) - 1;
	h = (s->dentry ^ x) * 0xd6e8feb86659fd93ULL;
	s->dentry = h ^ h >> 32;
	s->pos = at + 8;
	return 1;
}

INTRINSIC __u64 rn_name(__u64 addr, __u64 want, struct rn_bpf_file *out)
{
	struct scratch *s = scratch();
	long n;

	if (!out)
		return 0;
	clear_file(out);
	if (!addr)
		return RN_NAME_EMPTY;
	if (!s)
		return 0;
	n = bpf_probe_read_user_str(s->path.text, RN_PATH_BYTES, (void *)addr);
	if (n < 0) {
		COUNT(faulted, 1);
		return 0;
	}
	if (n <= 1) /* 0 is what older kernels return for an empty string */
		return RN_NAME_EMPTY;
	s->pos = 0; /* of the hash, and the hash so far */
	s->dentry = 0x9E3779B97F4A7C15ULL;
	s->mount = n - 1;
	for (__u32 i = 0; i < RN_PATH_BYTES / 8; i++)
		if (!rn_hash_step())
			break;
	out->key.dev = RN_DEV_NAME;
	out->key.ino = s->dentry;
	out->kind = RN_FILE_NAME;
	s->path.len = n - 1;
	s->path.kind = RN_FILE_NAME;
	s->path.cut = n == RN_PATH_BYTES;
	if (want && !path_of(&out->key))
		store_path(s, &out->key);
	return 1;
}
#endif
