/* pipe.bpf.h - the same search in the buffers of a pipe: data that a copy inside the kernel takes
 * out of a pipe, or has put into one.
 *
 * A splice out of a pipe leaves nothing in it, so its data is searched before it returns. The usual
 * moment is while a socket's send is under way (tracepoint sock_send_length): the buffers are still
 * whole, and the length is known. On a kernel without this tracepoint it is the call's entry. The
 * result waits in the map `rn_piped` for the call's return.
 *
 * Splices into devices have only the entry, and few programs make them. That hook is attached when
 * the first one was missed (rn_missed), so that other programs' calls do not pay for it. Buffers
 * are read without the pipe's lock: data that another process takes out meanwhile is counted as out
 * of reach.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_PIPE_BPF_H
#define RN_PROBES_BPF_PIPE_BPF_H
#include "probes/bpf/stream.bpf.h"

__u64 rn_page_base; /* see pages.bpf.h; 0: not known */
enum { MAX_SLOTS = 1024 };
enum { EARLY_SENT, EARLY_GUESS, EARLY_DEVICE /* a guess, if it goes into a device */ };
__u64 rn_missed; /* there are splices into devices, and nothing looks at them */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64); /* process and thread */
	__type(value, struct piped);
} rn_piped SEC(".maps");

static __always_inline struct pipe_buffer *pipe_slot(struct scratch *s, __u64 i)
{
	return (void *)(s->ring + (i & s->ring_mask) * bpf_core_type_size(struct pipe_buffer));
}

/* Go one buffer further back; 1: s->skip bytes remain to be passed. Else s->back says whether they
 * remain, and s->skip what this buffer holds before them. */
INTRINSIC __u64 rn_pipe_back(void)
{
	struct scratch *s = scratch();
	struct pipe_buffer *b;
	__u32 len;

	if (!s || (__u32)s->slot == (__u32)s->tail)
		return 0;
	s->slot = (__u32)(s->slot - 1);
	s->slots++;
	b = pipe_slot(s, s->slot);
	len = BPF_CORE_READ(b, len);
	if (len >= s->skip) {
		s->skip = len - s->skip;
		s->back = 1;
		return 0;
	}
	s->skip -= len;
	return 1;
}
REPEAT(rn_pipe_far_back, MAX_SLOTS / 32, rn_pipe_back())

/* Make s->left bytes of a pipe next: its first ones, or, with `last`, the first of its last `last`
 * bytes. */
INTRINSIC __u64 rn_pipe_open(__u64 file, __u64 last)
{
	struct scratch *s = scratch();
	struct pipe_inode_info *p;

	if (!s)
		return 0;
	p = BPF_CORE_READ((struct file *)file, private_data);
	s->pipe = (__u64)p;
	s->ring = (__u64)BPF_CORE_READ(p, bufs);
	s->ring_mask = BPF_CORE_READ(p, ring_size) - 1;
	s->slots = BPF_CORE_READ(p, head);
	s->tail = BPF_CORE_READ(p, tail);
	s->slot = last ? s->slots : s->tail;
	s->slots = last ? 0 : (__u32)(s->slots - s->tail);
	s->skip = last;
	s->back = 0;
	if (!last)
		return 0;
	for (__u32 i = 0; i < 32; i++)
		if (!rn_pipe_far_back())
			break;
	if (!s->back) { /* the first of them have left the pipe already */
		if (s->skip > s->left)
			s->skip = s->left;
		COVER(s, faulted, s->skip);
		s->left -= s->skip;
		s->skip = 0;
	}
	return 0;
}

/* The address of the first of the last n bytes that a pipe holds; 0: it is not there any more. */
INTRINSIC __u64 rn_pipe_last(__u64 file, __u64 n)
{
	struct scratch *s = scratch();
	struct pipe_buffer *b;

	if (!s || !rn_page_base)
		return 0;
	s->left = n;
	rn_pipe_open(file, n);
	COVER(s, faulted, s->left - n); /* it will be counted when the pipe is searched */
	if (s->left != n || !s->slots)
		return 0;
	b = pipe_slot(s, s->slot);
	return ((__u64)BPF_CORE_READ(b, page) << 6) + rn_page_base + BPF_CORE_READ(b, offset) +
	       s->skip;
}

/* Has another process taken the current buffer out of the pipe by now? Then what was read there may
 * be other data. The taker sets the buffer's length to 0 before it gives the page away, and moves
 * the pipe's tail after. */
INTRINSIC __u64 rn_pipe_lost(void)
{
	struct scratch *s = scratch();
	struct pipe_inode_info *p;
	struct pipe_buffer *b;

	if (!s)
		return 0;
	p = (void *)s->pipe;
	b = pipe_slot(s, s->slot - 1);
	return !BPF_CORE_READ(b, len) || (__s32)(BPF_CORE_READ(p, tail) - (__u32)s->slot) >= 0;
}

/* Make the next buffer current; then search the next page of the current buffer, or of the next
 * one. 0: that was all. */
INTRINSIC __u64 rn_pipe_next(void)
{
	struct scratch *s = scratch();
	struct pipe_buffer *b;
	__u64 len, skip;

	if (!s || !s->left || !s->slots)
		return 0;
	b = pipe_slot(s, s->slot);
	s->slot++;
	s->slots--;
	len = BPF_CORE_READ(b, len);
	skip = s->skip < len ? s->skip : 0;
	s->skip = 0;
	s->addr = ((__u64)BPF_CORE_READ(b, page) << 6) + rn_page_base + BPF_CORE_READ(b, offset) +
		  skip;
	len -= skip;
	s->behind = (s->slot & 0xffffffff) << 32;
	if (len > s->left) {
		len = s->left;
		s->behind = ((s->slot - 1) & 0xffffffff) << 32 |
			    (BPF_CORE_READ(b, offset) + skip + len);
	}
	s->left -= len;
	s->len = len;
	return 1;
}

/* Begin with the s->ret bytes of the pipe `file`: with `last`, those that were put in last, else
 * its first ones. */
INTRINSIC __u64 rn_begin_pipe(__u64 file, __u64 last)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	s->source = SOURCE_PIPE;
	if (!rn_page_base || !file) {
		COVER(s, uncovered, 1);
		return 0;
	}
	begin(s, s->ret);
	rn_pipe_open(file, last ? s->ret : 0);
	return 0;
}

static __always_inline void forget(struct piped *p)
{
	__builtin_memset(&p->found, 0, sizeof(p->found));
	p->n = p->carried = 0;
}

/* Can data that goes there be searched on the way, or afterwards? */
static __always_inline bool is_device(__u64 file)
{
	__u32 type = file ? type_of((void *)file) : 0;

	return type && type != S_IFSOCK && type != S_IFIFO && type != S_IFREG && type != S_IFBLK;
}

/* Search the pipe behind a splice that has not returned yet. arg: its descriptor; how many bytes
 * are about to go; how that is known; at the call's entry, the descriptor that they go to. */
INTRINSIC __u64 rn_pipe_early(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	__u64 id = bpf_get_current_pid_tgid(), early;
	struct piped *p;

	if (!s || !c || (__s32)c->arg[1] <= 0)
		return 0;
	early = c->arg[2];
	forget_payload(s);
	s->ret = early ? c->arg[1] : (__u32)c->arg[1];
	s->file = file_of_fd((__u32)c->arg[0]);
	if (!s->file || type_of((void *)s->file) != S_IFIFO)
		return 0;
	s->to = early ? file_of_fd((__u32)c->arg[3]) : 0;
	if (early == EARLY_DEVICE && !is_device(s->to))
		return 0;
	p = early ? NULL : bpf_map_lookup_elem(&rn_piped, &id);
	if (p)
		s->piped = *p;
	else
		forget(&s->piped);
	s->piped.early = early;
	s->way = rn_way(RN_PATH_PAGES, 1);
	s->kind = RN_SCAN_PAGES;
	s->dir = DIR_THROUGH;
	s->flow = FLOW_NONE;
	if (!p)
		stream_look(s);
	reset(s);
	s->found = s->piped.found;
	s->whole = s->piped.n;
	rn_begin_pipe(s->file, 0);
	if (s->piped.carried) {
		s->carried = s->piped.carried;
		__builtin_memcpy(s->buf, s->piped.end, CARRY);
	}
	go_through(s);
	if (early)
		COVER(s, bytes_seen, 0 - s->left);
	else
		COVER(s, faulted, s->left);
	s->piped.found = s->found;
	s->piped.n += s->ret - (early ? s->left : 0);
	s->piped.carried = s->carried;
	__builtin_memcpy(s->piped.end, s->buf, CARRY);
	bpf_map_update_elem(&rn_piped, &id, &s->piped, BPF_ANY);
	return 0;
}

/* At the return of a splice: move what rn_pipe_early found to s->piped, where no later call finds
 * it. */
INTRINSIC __u64 rn_pipe_take(void)
{
	struct scratch *s = scratch();
	__u64 id = bpf_get_current_pid_tgid();
	struct piped *p;

	if (!s)
		return 0;
	forget(&s->piped);
	p = bpf_map_lookup_elem(&rn_piped, &id);
	if (!p)
		return 0;
	s->piped = *p;
	bpf_map_delete_elem(&rn_piped, &id);
	return 0;
}

/* Answer with what s->piped says of the s->ret bytes that left a pipe. */
static __always_inline void take_early(struct scratch *s)
{
	__u64 n = s->piped.n;

	/* was the tag in the moved bytes, or behind them? */
	if (!n || (s->piped.early && n > s->ret && s->piped.found.hits.n)) {
		COVER(s, uncovered, 1);
		if (is_device(s->to))
			rn_missed = 1;
		return;
	}
	s->found = s->piped.found;
	if (n == s->ret) { /* and what the stream ends with */
		__builtin_memcpy(s->buf, s->piped.end, CARRY);
		s->carried = s->piped.carried;
		s->next = s->whole = n;
	}
	if (n < s->ret) {
		COVER(s, bytes_seen, s->ret - n);
		COVER(s, faulted, s->ret - n);
	}
}
#endif
