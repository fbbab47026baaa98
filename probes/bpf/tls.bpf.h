/* tls.bpf.h - calls of a TLS library: noted at entry, described at return.
 *
 * A call is recognised by its thread and the place of its return address. One call may be inside
 * another (TLS within TLS). A frame that was left without a return (longjmp) lies below those that
 * come after it, or at their place. If a file is found under two identities, two probes sit at one
 * place and note the same frame twice; the first return takes it.
 *
 * These functions run where another thread may take the CPU. The only per-CPU data that they use is
 * counters that one step adds to.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_TLS_BPF_H
#define RN_PROBES_BPF_TLS_BPF_H
#include "probes/bpf/stream.bpf.h"

/* functions: as in probes/uprobe/tls.h */
enum {
	TLS_DEPTH = 4,
	TLS_READ_EX = 1,
	TLS_WRITE = 2,
	TLS_WRITE_EX = 3,
	TLS_FREE = 4,
	TLS_CLEAR = 5
};
struct tls_frame {
	__u64 sp /* 0: free */, function, ssl, buf, len,
		done /* address of the number of bytes, of _ex */, begin_ns;
};
struct tls_frames {
	struct tls_frame f[TLS_DEPTH];
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tls_frames);
} rn_tls SEC(".maps");

static __always_inline struct tls_frames *tls_frames(__u64 flags)
{
	return bpf_task_storage_get(&rn_tls, bpf_get_current_task_btf(), 0, flags);
}

/* Add one to a counter of this CPU, in one step. */
#define COUNT_ALONE(member) \
	do { \
		struct scratch *s_ = scratch(); \
		if (s_) \
			__sync_fetch_and_add(&s_->stats.member, 1); \
	} while (0)

/* The place where the frame begins, from the stack pointer in arg[4] and from nr: the function |
 * the frame's distance << 32. */
static __always_inline __u64 frame_of(const struct rn_bpf_call *c)
{
	return c->arg[4] + ((__s64)c->nr >> 32);
}

/* A connection ends: a later connection at its address is another one, and does not continue it. */
INTRINSIC __u64 rn_tls_forget(__u64 conn, __u64 dir)
{
	struct tls_flow t;
	__u32 at, mine;

	tls_flow(&t, conn);
	at = set_of(hash_of_end(t.file, dir, 0));
	mine = locked_by(t.file, t.ino, TLS_FLOW | dir << 32 | t.gen);
	for (__u32 i = 0; i < WAYS; i++) {
		struct way *w = way_at(at, i);

		if (!w || w->file != t.file || w->gen_dir != (TLS_FLOW | dir << 32 | t.gen))
			continue;
		if (lock(w, mine) & BUSY) {
			__sync_fetch_and_or(&w->state, BROKEN);
			continue;
		}
		w->file = 0;
		w->len = 0;
		unlock(w, mine);
	}
	return 0;
}

/* At entry: arg = ssl, buf, len, done. */
INTRINSIC __u64 rn_tls_enter(struct rn_bpf_call *c)
{
	struct tls_frames *t = tls_frames(BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct tls_frame *to;
	__u64 sp, at = TLS_DEPTH;

	if (!c)
		return 0;
	if ((__u8)c->nr >= TLS_FREE) {
		rn_tls_forget(c->arg[0], DIR_IN);
		return rn_tls_forget(c->arg[0], DIR_OUT);
	}
	sp = frame_of(c);
	if (!t) {
		COUNT_ALONE(lost_call);
		return 0;
	}
#pragma unroll
	/* free, or left behind: frames that still run lie higher */
	for (int i = 0; i < TLS_DEPTH; i++)
		if (at == TLS_DEPTH && t->f[i].sp <= sp)
			at = i;
	OPAQUE(at);
	if (at >= TLS_DEPTH) {
		COUNT_ALONE(lost_call);
		return 0;
	}
	to = &t->f[at];
	to->sp = sp;
	to->function = c->nr & 0xff;
	to->ssl = c->arg[0];
	to->buf = c->arg[1];
	to->len = c->arg[2];
	to->done = c->arg[3];
	to->begin_ns = c->begin_ns;
	return 1;
}

/* At return: ret as the function returned it. 1: the call is described. */
INTRINSIC __u64 rn_tls_return(struct rn_bpf_call *c)
{
	struct tls_frames *t = tls_frames(0);
	struct tls_frame *f;
	__u64 function, done, sp, at = TLS_DEPTH, n = 0;
	__s32 ret;

	if (!t || !c)
		return 0;
	sp = frame_of(c);
#pragma unroll
	for (int i = 0; i < TLS_DEPTH; i++)
		if (t->f[i].sp == sp)
			at = i;
	OPAQUE(at);
	if (at >= TLS_DEPTH)
		return 0;
	f = &t->f[at];
	f->sp = 0;
	function = f->function;
	c->nr = function & TLS_WRITE ? RN_OP_TLS_WRITE : RN_OP_TLS_READ;
	c->arg[0] = f->ssl;
	c->arg[1] = f->buf;
	c->arg[2] = f->len;
	c->arg[3] = 0;
	c->arg[4] = 0;
	c->arg[5] = 0;
	c->begin_ns = f->begin_ns;
	done = f->done;
	ret = c->ret;
	if (function & 1 && ret == 1) {
		if (bpf_probe_read_user(&n, sizeof(n), (void *)done))
			COUNT_ALONE(path[RN_PATH_TLS].faulted);
		c->ret = n;
	} else {
		c->ret = function & 1 && ret > 0 ? 0 : (__s64)ret;
	}
	return 1;
}
#endif
