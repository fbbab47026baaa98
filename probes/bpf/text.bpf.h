/* text.bpf.h - the text of an open file's name, as /proc/PID/fd/N shows it, seen from the whole
 * machine: the walk goes up through dentries and mounts until a mount is its own parent.
 *
 * A path is built backwards: the finished part is s->walk[s->pos, s->text_end). The steps are
 * functions of their own with their state in scratch, so that the verifier follows each once. A
 * hash of the whole text identifies it; the map `paths` keeps at most RN_PATH_BYTES of it.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_TEXT_BPF_H
#define RN_PROBES_BPF_TEXT_BPF_H
#include "probes/bpf/shared.bpf.h"

static const char deleted[10] = " (deleted)", socket[7] = "socket:", pipe[5] = "pipe:",
		  anon[11] = "anon_inode:", pidfd[18] = "anon_inode:[pidfd]";
/* random, the last two odd: no attacker can make two names with one hash */
const volatile __u64 rn_seed[4] = {};

enum { WALK_SQUARED = 46 /* squared: components that a text may have, parts that are hashed */ };
_Static_assert(WALK_SQUARED *WALK_SQUARED > WALK_BYTES / 2, "a component has two bytes or more");

/* Prepend n bytes at `from` in kernel memory; 1, or 0 if they do not fit. */
static __always_inline __u64 prepend(struct scratch *s, __u64 from, __u64 n)
{
	__u64 at;

	if (n > NAME_MAX)
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

/* Prepend the last digit of s->dentry and take it away; 0 when none is left. */
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

/* Prepend "[INO]": an object without a path has a number. */
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

static __always_inline __u64 prepend_name(struct scratch *s, struct dentry *d)
{
	return prepend(s, (__u64)BPF_CORE_READ(d, d_name.name), BPF_CORE_READ(d, d_name.len));
}

/* Go one step up: a component, or from a mount to what it is mounted on. 0 at the top, or if there
 * is no more room. */
INTRINSIC __u64 rn_step(void)
{
	struct scratch *s = scratch();
	struct dentry *d, *parent;
	struct mount *m, *up;

	if (!s)
		return 0;
	d = (void *)s->dentry;
	m = (void *)s->mount;
	if (d == BPF_CORE_READ(m, mnt.mnt_root)) {
		up = BPF_CORE_READ(m, mnt_parent);
		s->dentry = (__u64)BPF_CORE_READ(m, mnt_mountpoint);
		s->mount = (__u64)up;
		s->complete = !up || up == m;
		return !s->complete;
	}
	parent = BPF_CORE_READ(d, d_parent);
	/* it was moved out of the mounted tree: the kernel, too, shows only "/" */
	if (d == parent) {
		s->complete = 1;
		s->pos = s->stem;
		return 0;
	}
	s->dentry = (__u64)parent;
	if (!prepend_name(s, d))
		return 0;
	prepend_byte(s, '/');
	return 1;
}

REPEAT(rn_steps, WALK_SQUARED, rn_step())

#define PREPEND(s, text) \
	do { \
		__u64 at_ = s->pos - sizeof(text); \
		if (at_ < WALK_BYTES) { \
			__builtin_memcpy(s->walk + at_, text, sizeof(text)); \
			s->pos = at_; \
		} \
	} while (0)

/* Build the path of an open file, whose struct path is at `at`. */
static __always_inline void walk(struct scratch *s, struct path *at)
{
	struct dentry *d = BPF_CORE_READ(at, dentry);
	struct vfsmount *vm = BPF_CORE_READ(at, mnt);
	bool top = BPF_CORE_READ(d, d_parent) == d;

	if (top && BPF_CORE_READ(vm, mnt_root) != d && BPF_CORE_READ(d, d_op, d_dname)) {
		s->complete = 1; /* an object of a file system inside the kernel (memfd) */
		PREPEND(s, deleted);
		prepend_name(s, d);
		prepend_byte(s, '/');
		return;
	}
	if (!top && !BPF_CORE_READ(d, d_hash.pprev))
		PREPEND(s, deleted);
	s->stem = s->pos;
	s->dentry = (__u64)d;
	s->mount = (__u64)vm - bpf_core_field_offset(struct mount, mnt);
	for (__u32 i = 0; i < WALK_SQUARED; i++)
		if (!rn_steps())
			break;
	if (s->pos == s->stem)
		prepend_byte(s, '/');
	if (!s->complete) { /* longer than what the kernel itself shows */
		s->pos &= WALK_BYTES - 4;
		__builtin_memcpy(s->walk + s->pos, "...", 3);
	}
}

/* "net:[4026531840]": the name of a descriptor on a namespace. */
static __always_inline void name_namespace(struct scratch *s, struct file *f, __u64 ino)
{
	struct ns_common *ns = (void *)BPF_CORE_READ(f, f_inode, i_private);
	__u64 name = (__u64)BPF_CORE_READ(ns, ops, name), n;

	rn_number(ino);
	prepend_byte(s, ':');
	n = bpf_probe_read_kernel_str(s->path.text, 32, (void *)name);
	if (n > 1 && n <= 32)
		prepend(s, name, n - 1);
}

/* Build the text of an open file's name. */
INTRINSIC __u64 rn_text(__u64 file, __u64 path, __u64 kind, __u64 ino)
{
	struct scratch *s = scratch();
	struct path *at = (void *)path;

	if (!s)
		return 0;
	s->pos = s->text_end = WALK_BYTES;
	s->complete = kind != RN_FILE_PATH;
	switch (kind) {
	case RN_FILE_SOCKET:
		rn_number(ino);
		PREPEND(s, socket);
		break;
	case RN_FILE_PIPE:
		rn_number(ino);
		PREPEND(s, pipe);
		break;
	case RN_FILE_ANON:
		prepend_name(s, BPF_CORE_READ(at, dentry));
		PREPEND(s, anon);
		break;
	case RN_FILE_PID: PREPEND(s, pidfd); break;
	case RN_FILE_NS: name_namespace(s, (void *)file, ino); break;
	default: walk(s, at);
	}
	return 1;
}

/* Hash the next 8 bytes of the text: s->dentry is their place, s->print the hash so far. */
INTRINSIC __u64 rn_hash_step(void)
{
	struct scratch *s = scratch();
	__u64 x, at, rest;

	if (!s)
		return 0;
	at = s->dentry;
	if (at >= s->text_end || at >= WALK_BYTES)
		return 0;
	rest = s->text_end - at;
	x = *(__u64 *)(s->walk + at);
	if (rest < 8)
		x &= (1ULL << (rest * 8 & 63)) - 1;
	s->print.a = (s->print.a ^ x) * rn_seed[2];
	s->print.a ^= s->print.a >> 32;
	s->print.b = (s->print.b ^ x) * rn_seed[3];
	s->print.b ^= s->print.b >> 29;
	s->dentry = at + 8;
	return rest > 8;
}

REPEAT(rn_hash_steps, WALK_SQUARED, rn_hash_step())

/* Copy the text, cut to the length that is kept. */
static __always_inline void take_text(struct scratch *s)
{
	__u64 pos = s->pos, n = s->text_end - pos;

	s->path.cut = n > RN_PATH_BYTES - 1 || !s->complete;
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

/* Make the key of the text and store the text: 1: in `paths`; 0: in `paths_beyond`, as there is no
 * room. */
INTRINSIC __u64 rn_keep_text(struct rn_file_key *key)
{
	struct scratch *s = scratch();
	struct rn_file_key k;
	int bad; /* an int, not a long: kernels before 6.4 return an int, whose upper half is not
		    its sign */

	if (!s || !key)
		return 0;
	s->dentry = s->pos;
	s->print.a = rn_seed[0] ^ (s->text_end - s->pos);
	s->print.b = rn_seed[1] + (s->text_end - s->pos);
	for (__u32 i = 0; i < WALK_SQUARED; i++)
		if (!rn_hash_steps())
			break;
	k.a = s->print.a | 1; /* never the key of no file */
	k.b = s->print.b;
	*key = k;
	if (bpf_map_lookup_elem(&paths, &k))
		return 1;
	take_text(s);
	s->path.known = s->path.verdict = 0;
	if (s->path.cut)
		COUNT(truncated, 1);
	bad = bpf_map_update_elem(&paths, &k, &s->path, BPF_NOEXIST);
	if (!bad || bad == -EEXIST /* another CPU was faster */)
		return 1;
	bpf_map_update_elem(&paths_beyond, &k, &s->path, BPF_ANY);
	COUNT(lost_path, 1);
	return 0;
}
#endif
