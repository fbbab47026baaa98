/* search.bpf.h - rn_scan: the search of one finished call, wherever its payload lies.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_SEARCH_BPF_H
#define RN_PROBES_BPF_SEARCH_BPF_H
#include "probes/bpf/clean.bpf.h"

/* Mapped pages: those that are in memory. */
static __always_inline void begin_mapped(struct scratch *s)
{
	struct file *f = (void *)s->file;

	if (!f || !rn_page_base) {
		COVER(s, uncovered, 1);
		return;
	}
	s->mapping = (__u64)BPF_CORE_READ(f, f_mapping);
	s->mapped = 1;
	s->other = 0;
	rn_begin_pages();
}

static __always_inline void begin_copy(struct scratch *s)
{
	__u64 place = rn_place();

	if (place == PLACE_CACHE)
		rn_begin_pages();
	else if (place == PLACE_INTO_PIPE)
		rn_begin_pipe(s->to, 1);
	else if (place == PLACE_OUT_OF_PIPE)
		take_early(s);
	else
		COVER(s, uncovered, 1);
}

/* Count a call that moves payload unseen: io_uring_enter and mmap, on kernels that report too
 * little of what follows. Reads through a map may be reported though writes are not. */
static __always_inline void unseen(struct scratch *s, struct rn_bpf_call *c)
{
	if (s->way == RN_PATH_MMAP &&
	    (!s->file || (rn_map_reads && !(c->arg[2] & PROT_WRITE && c->arg[3] & MAP_SHARED)))) {
		s->stats.empty++;
		return;
	}
	COVER(s, calls, 1);
	COVER(s, uncovered, 1);
}

/* The file that holds the data of a regular file; 0: it is none. */
static __always_inline __u64 data_file(__u64 file, const bool fast)
{
	struct file *f = fast ? cast(file, rn_type_file) : (void *)file;
	struct inode *i = GET(fast, f, f_inode);
	struct super_block *sb;

	if ((GET(fast, i, i_mode) & S_IFMT) != S_IFREG)
		return 0;
	sb = GET(fast, i, i_sb);
	return GET(fast, sb, s_magic) == OVERLAYFS_MAGIC ? rn_real_file(file) : file;
}

/* Is what we see of the call's file what the call saw? Tasks that share the table of descriptors
 * may have given the descriptor to another file since. A process that has the same open file may
 * have moved its position. */
static __always_inline bool is_ours(struct scratch *s)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct file *f = (void *)s->file;

	if (BPF_CORE_READ(t, files, count.counter) != 1)
		return false;
	if (!s->by_file)
		return true;
	if (bpf_core_field_exists(f->f_ref)) /* it counts from 0 */
		return !BPF_CORE_READ(f, f_ref.refcnt.counter);
	return BPF_CORE_READ(f, f_count.counter) == 1;
}

/* Was all that the call read searched before, and held no tag? */
static __always_inline bool known_clean(struct scratch *s)
{
	bool mapped = s->kind == RN_SCAN_MAPPED && s->dir == DIR_IN;

	if (!rn_keep_clean || !s->file || s->ret < RN_CLEAN_LEAST ||
	    (!mapped && s->kind != RN_SCAN_PAGES &&
	     (s->way != RN_PATH_FILE || s->dir != DIR_IN ||
	      (s->kind != RN_SCAN_BUF && s->kind != RN_SCAN_IOVEC))))
		return false;
	if (!mapped && !is_ours(s))
		return false;
	s->clean.file = mapped    ? s->file
			: rn_cast ? data_file(s->file, true)
				  : data_file(s->file, false);
	return rn_is_clean(mapped);
}

INTRINSIC __u64 rn_scan(struct rn_bpf_call *call)
{
	struct scratch *s = scratch();

	if (!s || !call)
		return 0;
	/* a FUSE message that is only a header, a call that moved nothing */
	if (!rn_payload(call)) {
		s->stats.empty++;
		return 0;
	}
	if (!s->kind) {
		unseen(s, call);
		return 0;
	}
	reset(s);
	stream_join(s);
	COVER(s, calls, 1);
	if (known_clean(s)) {
		stream_leave(s);
		return 0;
	}
	if (s->kind == RN_SCAN_PAGES) {
		begin_copy(s);
	} else if (s->kind == RN_SCAN_PIPE) {
		rn_begin_pipe(s->file, 0);
	} else if (s->kind == RN_SCAN_MAPPED) {
		begin_mapped(s);
	} else if ((s->kind >= RN_SCAN_BUF && s->kind <= RN_SCAN_MMSGHDR) ||
		   s->kind == RN_SCAN_AIO_SUBMIT || s->kind == RN_SCAN_AIO_EVENTS) {
		s->context = call->arg[0];
		begin_user(s);
	}
	go_through(s);
	if (s->source == SOURCE_PIPE)
		COVER(s, faulted, s->left);
	if (s->kind == RN_SCAN_MAPPED && s->found.hits.n && rn_told())
		__builtin_memset(&s->found, 0, sizeof(s->found));
	stream_leave(s);
	return show_finds(s);
}

#endif
