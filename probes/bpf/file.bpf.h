/* file.bpf.h - what a descriptor is open on: which file, and its present name.
 *
 * (device, inode, generation) identifies the file. One file may have several names, and a name may
 * change. So each event asks for the name: by a fingerprint (print.bpf.h), and by making its text
 * (text.bpf.h) if the fingerprint is not known.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_FILE_BPF_H
#define RN_PROBES_BPF_FILE_BPF_H
#include "probes/bpf/print.bpf.h"

enum { NAME_TRIES = 3 };

/* Name the file that rn_file or rn_exe could not. The text is right if the fingerprint is the same
 * before and after it is made. */
INTRINSIC __u64 rn_resolve(struct rn_bpf_file *out)
{
	struct scratch *s = scratch();
	__u64 round = rn_names_round, state;
	struct print before;
	bool still = false;

	if (!s || !out)
		return 0;
	for (int i = 0; i < NAME_TRIES && !still; i++) {
		state = rn_print(s->opened, out);
		before = s->chain.print;
		if (state == PRINT_EVEN && recall(&before, &out->name))
			return 1;
		rn_text(s->opened, path_of_file(s->opened, out), out->kind, out->ino);
		still = state != PRINT_ODD && rn_print(s->opened, out) == state &&
			before.a == s->chain.print.a && before.b == s->chain.print.b;
	}
	if (!still)
		COUNT(unsettled, 1);
	if (rn_keep_text(&out->name) && still && state == PRINT_EVEN)
		note(&before, &out->name, round);
	return 1;
}

static __always_inline __u16 kind_of(__u64 magic)
{
	switch (magic) {
	case SOCKFS_MAGIC: return RN_FILE_SOCKET;
	case PIPEFS_MAGIC: return RN_FILE_PIPE;
	case ANON_INODE_FS_MAGIC: return RN_FILE_ANON;
	case PIDFS_MAGIC: return RN_FILE_PID;
	case NSFS_MAGIC: return RN_FILE_NS;
	default: return RN_FILE_PATH;
	}
}

/* 1: the file is named, or no name is wanted. */
static __always_inline bool name_by(__u64 file, struct rn_bpf_file *out, struct scratch *s,
				    const bool fast)
{
	struct chain c;
	enum print_state state = begin_print(&c, file, out, fast);

	if (state == PRINT_CHAIN && !climb(&c, CLIMB, s->head_of_dentry, fast))
		state = state_of(&c);
	return state == PRINT_EVEN && recall(&c.print, &out->name);
}

static __always_inline __u64 identify_by(__u64 file, __u64 want, bool mapped,
					 struct rn_bpf_file *out, const bool fast)
{
	struct file *f = fast ? cast(file, rn_type_file) : (void *)file;
	struct inode *ino = GET(fast, f, f_inode);
	struct super_block *sb = GET(fast, ino, i_sb);
	struct scratch *s;

	out->dev = GET(fast, sb, s_dev);
	out->gen = GET(fast, ino, i_generation);
	out->ino = GET(fast, ino, i_ino);
	out->mode = GET(fast, ino, i_mode);
	out->kind = kind_of(GET(fast, sb, s_magic));
	out->backing = want && mapped && is_backing(file, fast);
	if (!want)
		return 1;
	s = scratch();
	if (!s || name_by(file, out, s, fast))
		return 1;
	s->opened = file;
	return RN_UNNAMED;
}

static __always_inline __u64 identify(__u64 file, __u64 want, bool mapped, struct rn_bpf_file *out)
{
	return rn_cast ? identify_by(file, want, mapped, out, true)
		       : identify_by(file, want, mapped, out, false);
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
		return identify(f, want, f == fd, out);
	clear_file(out);
	return 0;
}

INTRINSIC __u64 rn_exe(__u64 want, struct rn_bpf_file *out)
{
	struct task_struct *t = rn_cast ? current_fast() : bpf_get_current_task_btf();
	struct mm_struct *mm;
	__u64 f = 0;

	if (!out)
		return 0;
	mm = t->mm;
	if (mm)
		bpf_probe_read_kernel(&f, sizeof(f),
				      (void *)mm +
					      bpf_core_field_offset(struct mm_struct, exe_file));
	if (f)
		return identify(f, want, false, out);
	clear_file(out);
	return 0;
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
	n = bpf_probe_read_user_str(s->walk, WALK_BYTES, (void *)addr);
	if (n < 0) {
		COUNT(faulted, 1);
		return 0;
	}
	if (n <= 1) /* older kernels return 0 for an empty string */
		return RN_NAME_EMPTY;
	out->kind = RN_FILE_NAME;
	if (!want)
		return 1;
	s->pos = 0;
	s->text_end = n - 1;
	s->complete = n < WALK_BYTES;
	rn_keep_text(&out->name);
	return 1;
}
#endif
