/* stream.bpf.h - joins the payload of consecutive calls, so that a tag across two or more of them
 * is found.
 *
 * A stream is the bytes that go through one struct file in one direction. Some streams have
 * positions (files: the offset; TCP: the sequence number). Then a call continues the stream only if
 * it begins where another call ended: a seek breaks it, and threads that read one file at several
 * places each have an end of their own. Streams without positions are pipes, other sockets and
 * terminals: there calls continue each other in the order in which they return. Datagrams and
 * devices with messages are no streams.
 *
 * Ends of calls are kept in a cache of sets of ways, up to the length in which a tag may begin.
 * With positions, a call's end is found by the stream and the position after it, and the call that
 * continues there takes a copy. Without positions, a stream has one way. Its state locks it while a
 * call of the stream is searched. Another call that finds it locked breaks it, because what its
 * owner leaves would not be the end. So joined bytes are always whole and were adjacent. If an end
 * had to be forgotten while it might yet be continued, it is counted.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_STREAM_BPF_H
#define RN_PROBES_BPF_STREAM_BPF_H
#include "probes/bpf/scan.bpf.h"

enum { WAYS = 4, FREE = 0, BUSY = 1, BROKEN = 2, STATE = 3, NO_WAY = WAYS };
enum { ORDER_BITS = 16 };
enum { SOCK_STREAM = 1, IPPROTO_TCP = 6, SOCK_DONE = 1 << 1 /* the peer's FIN came */ };
enum { MSG_OOB = 1, MSG_PEEK = 2, MSG_TRUNC = 0x20, MSG_ERRQUEUE = 0x2000 };
enum {
	KMSG_DEVICE = 1 << 20 | 11,
	MAJOR_MEM = 1,
	MAJOR_TTY = 4,
	MAJOR_TTYAUX = 5,
	MAJOR_PTS = 136,
	MAJOR_PTS_END = 144
};

#define TLS_FLOW (1ULL << 63)  /* in gen_dir: `file` is none */
#define FUSE_FLOW (1ULL << 62) /* data of its files goes through one device */
struct way {
	__u64 file, ino, gen_dir; /* which stream; file 0: none */
	__u64 place;              /* position of the byte after the tail */
	__u64 used;               /* when: jiffies, then order */
	__u32 state;              /* FREE, BUSY or BROKEN, and the owner while it is locked */
	/* the tail is the last `len` bytes of `tail`; has a call continued here? */
	__u16 len, continued;
	__u64 tail[CARRY / 8];
};
struct ways {
	struct way way[WAYS];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RN_STREAM_SETS);
	__type(key, __u32);
	__type(value, struct ways);
} rn_streams SEC(".maps");

/* TCP: the position of the byte after the payload, from the sequence number. A ULP (TLS in the
 * kernel) sends something else than the payload. */
static __always_inline __u64 tcp_place(struct scratch *s, __u64 sk, const bool fast)
{
	struct tcp_sock *t = fast ? cast(sk, rn_type_tcp) : (void *)sk;
	struct sock *k = fast ? cast(sk, rn_type_sock) : (void *)sk;
	__u32 at;

	if (fast ? (__u64)t->inet_conn.icsk_ulp_ops
		 : (__u64)BPF_CORE_READ(t, inet_conn.icsk_ulp_ops))
		return FLOW_ORDER;
	if (s->dir == DIR_OUT) {
		at = GET(fast, t, write_seq);
	} else {
		at = GET(fast, t, copied_seq);
		if (at == GET(fast, t, rcv_nxt) && GET(fast, k, __sk_common.skc_flags) & SOCK_DONE)
			at--; /* the call took the FIN as well, which has a sequence number */
	}
	s->seq = at;
	s->sk = sk;
	return FLOW_TCP;
}

static __always_inline __u64 socket_flow(struct scratch *s, __u64 socket, const bool fast)
{
	struct socket *so = fast ? cast(socket, rn_type_socket) : (void *)socket;
	struct sock *sk;
	__u16 family;

	if (GET(fast, so, type) != SOCK_STREAM || s->flags & (MSG_OOB | MSG_ERRQUEUE))
		return FLOW_NONE;
	sk = GET(fast, so, sk);
	if (!sk)
		return FLOW_NONE;
	s->aside = s->flags & MSG_PEEK;
	family = GET(fast, sk, __sk_common.skc_family);
	if ((family != AF_INET && family != AF_INET6) || GET(fast, sk, sk_protocol) != IPPROTO_TCP)
		return FLOW_ORDER;
	s->aside = s->flags & (MSG_PEEK | MSG_TRUNC /* discarded unseen */);
	return tcp_place(s, (__u64)sk, fast);
}

/* The devices that are streams of bytes. */
static __always_inline __u64 device_flow(__u32 rdev)
{
	__u32 major = rdev >> 20;

	if (major == MAJOR_TTY || major == MAJOR_TTYAUX ||
	    (major >= MAJOR_PTS && major < MAJOR_PTS_END))
		return FLOW_ORDER;
	return major == MAJOR_MEM && rdev != KMSG_DEVICE ? FLOW_ORDER : FLOW_NONE;
}

/* Data that a server of FUSE reads and writes for one of its files. */
static __always_inline __u64 fuse_flow(struct scratch *s)
{
	s->ino = s->node;
	s->gen_dir = FUSE_FLOW | s->dir << 32 | (__u32)s->init;
	s->seq = s->start;
	return FLOW_PLACE;
}

/* Find the stream, and the payload's place in it: s->ino, s->gen_dir; s->seq: for TCP that of the
 * payload's end, else of its beginning. */
static __always_inline __u64 flow_by(struct scratch *s, const bool fast)
{
	struct file *f = fast ? cast(s->file, rn_type_file) : (void *)s->file;
	struct inode *ino = GET(fast, f, f_inode);
	__u32 type = GET(fast, ino, i_mode) & S_IFMT;

	s->ino = GET(fast, ino, i_ino);
	s->gen_dir = s->dir << 32 | GET(fast, ino, i_generation);
	s->seq = s->start;
	if (type == S_IFREG || type == S_IFBLK)
		return s->start == NOWHERE ? FLOW_NONE : FLOW_PLACE;
	if (s->node)
		return fuse_flow(s);
	s->seq = 0;
	if (type == S_IFIFO)
		return FLOW_ORDER;
	if (type == S_IFSOCK)
		return socket_flow(s, (__u64)GET(fast, f, private_data), fast);
	return type == S_IFCHR ? device_flow(GET(fast, ino, i_rdev)) : FLOW_NONE;
}

/* A stream of plaintext is identified by its process and the connection's address there. It is
 * forgotten when the connection is freed: tls.bpf.h. */
struct tls_flow {
	__u64 file, ino, gen;
};
static __always_inline void tls_flow(struct tls_flow *to, __u64 conn)
{
	struct task_struct *t = rn_cast ? current_fast() : bpf_get_current_task_btf();

	to->gen = (__u32)t->tgid;
	to->ino = t->group_leader->start_time;
	/* forked workers have their connections at the same addresses */
	to->file = conn ^ to->gen << 47;
}

/* Marks of the ends that are kept with positions, by set and way; 0: none. Most calls ask for an
 * end that is not there. One look at the marks of a set tells that, and they fit the processor's
 * cache. A mark without its end does no harm. */
__u16 rn_marks[RN_STREAM_SETS][WAYS];
_Static_assert(sizeof(rn_marks[0]) == sizeof(__u64), "the marks of a set are one word");

/* The hash of a stream's end. From it: its set of ways, and its mark. */
#define PLACE_MULT 0xC2B2AE3D27D4EB4FULL
static __always_inline __u64 hash_of_end(__u64 file, __u64 dir, __u64 place)
{
	return (file >> 6 ^ dir ^ place * PLACE_MULT) * RN_SCAN_MULT;
}
static __always_inline __u32 set_of(__u64 hash)
{
	return hash >> 32 & (RN_STREAM_SETS - 1);
}
static __always_inline void choose_set(struct scratch *s, __u64 place)
{
	__u64 h = hash_of_end(s->file ^ (s->node + s->init) << 6, s->dir, place);

	s->set = set_of(h);
	s->mark = h >> 48 | 1;
}

/* May the set have an end with this mark? */
static __always_inline bool is_marked(struct scratch *s)
{
	const __u64 each = 0x0001000100010001ULL;
	__u64 x = *(__u64 *)rn_marks[s->set & (RN_STREAM_SETS - 1)] ^ s->mark * each;

	return ((x - each) & ~x & each << 15) != 0; /* one of four is 0 */
}

/* Data that tee copies stays in the pipe. The next tee continues it if the pipe now begins at the
 * byte where the copy ended. The end of a buffer that another one follows is the beginning of that
 * one, which, being new, begins at 0. */
static __always_inline __u64 tee_flow(struct scratch *s)
{
	struct file *f = (void *)s->file;
	struct pipe_inode_info *p = BPF_CORE_READ(f, private_data);
	__u64 tail = BPF_CORE_READ(p, tail);
	struct pipe_buffer *b = (void *)((__u64)BPF_CORE_READ(p, bufs) +
					 (tail & (BPF_CORE_READ(p, ring_size) - 1)) *
						 bpf_core_type_size(struct pipe_buffer));

	s->gen_dir += 1ULL << 32; /* and not the stream of splice */
	s->seq = tail << 32 | BPF_CORE_READ(b, offset);
	s->behind = 0;
	return FLOW_TEE;
}

static __always_inline void set_flow(struct scratch *s)
{
	s->flow = FLOW_NONE;
	s->aside = 0;
	if (s->conn) {
		struct tls_flow t;

		tls_flow(&t, s->conn);
		s->file = t.file;
		s->ino = t.ino;
		s->gen_dir = TLS_FLOW | s->dir << 32 | t.gen;
		s->seq = 0;
		s->flow = FLOW_ORDER;
		return;
	}
	if (s->file)
		s->flow = rn_cast ? flow_by(s, true) : flow_by(s, false);
	if (s->flow && s->kind == RN_SCAN_PIPE)
		s->flow = tee_flow(s);
}

/* recvmmsg, sendmmsg return a number of messages: how many bytes are they? Two nested loops, each
 * short for the verifier. */
enum { SOME = 32 };
INTRINSIC __u64 rn_bytes_of_some(__u64 from)
{
	struct scratch *s = scratch();
	__u64 sum = 0;

	if (!s)
		return 0;
	for (__u32 i = 0; i < SOME; i++) {
		__u32 len = 0;
		if (from + i >= s->ret)
			break;
		bpf_probe_read_user(&len, sizeof(len),
				    (void *)(s->base + (from + i) * sizeof(struct user_mmsghdr) +
					     __builtin_offsetof(struct user_mmsghdr, len)));
		sum += len;
	}
	return sum;
}
INTRINSIC __u64 rn_bytes_of_messages(void)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < RN_SCAN_MSGS / SOME; i++)
		sum += rn_bytes_of_some(i * SOME);
	return sum;
}

static __always_inline __u64 bytes_moved(struct scratch *s)
{
	return s->kind == RN_SCAN_MMSGHDR ? rn_bytes_of_messages() : s->ret;
}

/* The position in a TCP connection's stream of the byte after the payload, counted from 0. */
static __always_inline __u64 tcp_offset(struct scratch *s, const bool fast)
{
	struct tcp_sock *t = fast ? cast(s->sk, rn_type_tcp) : (void *)s->sk;
	__u32 end = s->seq;
	__u64 sent, acked;

	if (s->dir != DIR_OUT) /* both operands of the subtraction count a FIN */
		return GET(fast, t, bytes_received) - (__u32)(GET(fast, t, rcv_nxt) - end);
	/* bytes_acked counts the SYN of the end that connected. Sent bytes do not, but another CPU
	 * may be sending right now; then it counts bytes that are not in snd_nxt yet. */
	acked = GET(fast, t, bytes_acked) + (__u32)(end - GET(fast, t, snd_una));
	sent = GET(fast, t, bytes_sent) - GET(fast, t, bytes_retrans) +
	       (__u32)(end - GET(fast, t, snd_nxt));
	return sent == acked || sent + 1 == acked ? sent : acked;
}

INTRINSIC __u64 rn_offset(struct rn_bpf_call *call)
{
	struct scratch *s = scratch();
	__u64 end;

	if (!s || !call || !rn_payload(call))
		return NOWHERE;
	set_flow(s);
	if (s->flow == FLOW_PLACE)
		return s->seq;
	if (s->flow != FLOW_TCP)
		return NOWHERE;
	end = rn_cast ? tcp_offset(s, true) : tcp_offset(s, false);
	return s->aside & MSG_PEEK ? end : end - bytes_moved(s);
}

/* Compare by differences, 0: none. No branches, since each would double what the verifier has to
 * follow. */
static __always_inline __u64 other(struct way *w, struct scratch *s)
{
	return (w->file ^ s->file) | (w->ino ^ s->ino) | (w->gen_dir ^ s->gen_dir);
}
static __always_inline bool is_of(struct way *w, struct scratch *s)
{
	return !other(w, s);
}

/* Can the way's stream not go on? If its struct file is now open on something else, the file was
 * closed meanwhile. */
static __always_inline bool is_over(struct way *w, struct scratch *s)
{
	return !w->file || (!s->node /* one device, many files */ && w->file == s->file &&
			    (w->ino != s->ino || (__u32)w->gen_dir != (__u32)s->gen_dir));
}

/* Does a way hold the end of a stream that may yet go on? Not if its file is closed: the memory of
 * a struct file stays one, or is another's. */
INTRINSIC __u64 rn_is_open(__u64 file, __u64 ino, __u64 gen_dir)
{
	struct file *f = (void *)file;
	__s64 refs;

	if ((__s64)file >= 0 || gen_dir & TLS_FLOW)
		return 1;
	if (bpf_core_field_exists(f->f_ref))
		/* counted from 0 on; negative: none */
		refs = BPF_CORE_READ(f, f_ref.refcnt.counter) + 1;
	else
		refs = BPF_CORE_READ(f, f_count.counter);
	return refs > 0 && (gen_dir & FUSE_FLOW || BPF_CORE_READ(f, f_inode, i_ino) == ino);
}

static __always_inline __u64 now(struct scratch *s)
{
	return bpf_jiffies64() << ORDER_BITS | (++s->order & ((1 << ORDER_BITS) - 1));
}

/* May the way's content be dropped without a loss? */
static __always_inline bool is_done(struct way *w, struct scratch *s)
{
	return !w->len || w->continued || is_over(w, s);
}

/* Choose the way for a stream's end at `place`, except those in the mask `not`: the one that has
 * it, else one that is not needed, else the one not used for longest. The lowest bits of a way's
 * cost are its number. */
enum { COST_ORDER = 16, COST_NOT = 63, COST_SAME = WAYS };
static __always_inline void choose(struct ways *set, struct scratch *s, __u64 place)
{
	__u64 best = ~0ULL;

#pragma unroll
	for (int i = 0; i < WAYS; i++) {
		struct way *w = &set->way[i];
		__u64 cost = (w->used << 4) + COST_ORDER;
		if (is_done(w, s))
			cost = 2 * WAYS;
		if (!(other(w, s) | (w->place ^ place)))
			cost = COST_SAME;
		cost += i;
		cost |= (s->not >> i) << COST_NOT;
		OPAQUE(cost);
		if (cost < best)
			best = cost;
	}
	*(volatile __u64 *)&s->which = best;
	/* the verifier does not track what a value from memory depends on */
	best = *(volatile __u64 *)&s->which;
	s->same = best < COST_SAME + WAYS;
	s->which = best & (WAYS - 1);
}

/* Choose the way that has the stream's end at `place`, except those in the mask `not`. This is what
 * most calls ask, and for most of them there is none. */
static __always_inline void choose_same(struct ways *set, struct scratch *s, __u64 place)
{
	__u64 best = ~0ULL;

#pragma unroll
	for (int i = 0; i < WAYS; i++) {
		struct way *w = &set->way[i];
		__u64 diff = other(w, s) | (w->place ^ place) | (s->not >> i & 1);
		__u64 cost = ((diff | -diff) >> 63) * WAYS + i;
		OPAQUE(cost);
		if (cost < best)
			best = cost;
	}
	*(volatile __u64 *)&s->which = best;
	best = *(volatile __u64 *)&s->which;
	s->same = best < WAYS;
	s->which = best & (WAYS - 1);
}

static __always_inline struct way *way_at(__u32 set, __u64 which)
{
	struct ways *v = bpf_map_lookup_elem(&rn_streams, &set);

	if (!v || which >= WAYS)
		return NULL;
	OPAQUE(which);
	return &v->way[which & (WAYS - 1)];
}

/* A way's state while a stream owns it. */
static __always_inline __u32 locked_by(__u64 file, __u64 ino, __u64 gen_dir)
{
	return ((__u32)(((file ^ ino << 20 ^ gen_dir) * RN_SCAN_MULT) >> 32) & ~STATE) | BUSY;
}

/* Lock a way for a stream. Return its state before: if that is BUSY, another call owns it. */
static __always_inline __u32 lock(struct way *w, __u32 mine)
{
	__u32 was = __sync_val_compare_and_swap(&w->state, FREE, mine);

	return was == BROKEN ? __sync_val_compare_and_swap(&w->state, BROKEN, mine) : was;
}

static __always_inline void unlock(struct way *w, __u32 mine)
{
	/* another call of the stream came meanwhile */
	if (__sync_val_compare_and_swap(&w->state, mine, FREE) != mine) {
		w->len = 0;
		__sync_lock_test_and_set(&w->state, FREE);
	}
}

/* Lock the way for a stream's end at `place`, in s->set. BUSY: other calls were faster; or another
 * call of a stream without positions holds it, which breaks the stream. only_same: lock nothing if
 * no way has this end. */
INTRINSIC __u64 rn_way_lock(__u64 place, __u64 only_same)
{
	struct scratch *s = scratch();
	struct ways *set;
	struct way *w;
	__u64 which;
	__u32 at, was;

	if (!s)
		return BUSY;
	at = s->set;
	set = bpf_map_lookup_elem(&rn_streams, &at);
	if (!set)
		return BUSY;
	if (only_same) {
		choose_same(set, s, place);
		if (!s->same) {
			s->not = ~0ULL;
			return BUSY;
		}
	} else {
		choose(set, s, place);
	}
	which = *(volatile __u64 *)&s->which;
	w = &set->way[which & (WAYS - 1)];
	was = lock(w, s->mine);
	if (s->flow == FLOW_ORDER && (was == s->mine || was == (s->mine | BROKEN))) {
		__sync_fetch_and_or(&w->state, BROKEN);
		s->not = ~0ULL;
	}
	s->not |= 1ULL << s->which;
	return was;
}

/* The same, repeated if another call took it; returns the state before, and the locked way, or
 * NULL. */
static __always_inline struct way *take_way(struct scratch *s, __u64 place, __u64 only_same,
					    __u32 *was)
{
	s->not = 0;
	s->mine = locked_by(s->file, s->ino, s->gen_dir);
	*was = rn_way_lock(place, only_same);
	for (int i = 1; i < WAYS && *was & BUSY && s->not != ~0ULL; i++) /* rarely */
		*was = rn_way_lock(place, only_same);
	return *was & BUSY ? NULL : way_at(s->set, s->which);
}

/* Give the locked way to the stream. */
static __always_inline void own(struct way *w, struct scratch *s, __u64 place)
{
	if (!s->same && !is_done(w, s) && rn_is_open(w->file, w->ino, w->gen_dir))
		COVER(s, unjoined, 1);
	w->file = s->file;
	w->ino = s->ino;
	w->gen_dir = s->gen_dir;
	w->place = place;
	w->len = 0;
}

static __always_inline void copy_tail(struct way *w, struct scratch *s)
{
	if (w->len > CARRY)
		return;
#pragma unroll
	for (int i = 0; i < CARRY / 8; i++)
		*(volatile __u64 *)(s->buf + i * 8) = w->tail[i];
	s->carried = w->len;
}

static __always_inline bool by_place(struct scratch *s)
{
	return s->flow != FLOW_ORDER;
}

/* Find the end that the call continues, by its position. */
INTRINSIC __u64 rn_stream_find(void)
{
	struct scratch *s = scratch();
	struct way *w;
	__u32 was;

	if (!s)
		return 0;
	choose_set(s, s->seq);
	s->which = NO_WAY;
	if (!is_marked(s))
		return 0;
	w = take_way(s, s->seq, 1, &was);
	s->which = NO_WAY;
	if (!w)
		return 0;
	if (is_of(w, s) && w->place == s->seq) {
		copy_tail(w, s);
		w->continued = 1;
	}
	unlock(w, s->mine);
	return 0;
}

/* Put the stream's last bytes before the payload. */
INTRINSIC __u64 rn_stream_join(void)
{
	struct scratch *s = scratch();
	struct way *w;
	__u32 was;

	if (!s)
		return 0;
	s->which = NO_WAY;
	set_flow(s);
	if (s->aside || s->kind == RN_SCAN_MAPPED /* the bytes before it are in memory */)
		s->flow = FLOW_NONE;
	if (!s->flow)
		return 0;
	s->moved = by_place(s) ? bytes_moved(s) : 0;
	if (s->flow == FLOW_TCP)
		s->seq = (__u32)(s->seq - s->moved);
	if (by_place(s))
		return rn_stream_find();
	choose_set(s, 0);
	w = take_way(s, 0, 0, &was);
	if (!w) {
		s->which = NO_WAY;
		COVER(s, unjoined, 1);
		return 0;
	}
	if (!s->same)
		own(w, s, 0);
	else if (was != BROKEN)
		copy_tail(w, s);
	return 0;
}

/* Are the last bytes in the buffer those of the payload? If not, and the payload is one piece, read
 * them again. */
static __always_inline bool at_end(struct scratch *s)
{
	if (s->kind == RN_SCAN_MMSGHDR && s->ret > RN_SCAN_MSGS)
		return false;
	return s->whole && s->next == s->whole;
}

/* Do these bytes begin a tag? At most four; if fewer, their number goes into the hash. Seldom says
 * yes wrongly. */
static __always_inline __u64 begins_tag(__u32 x)
{
	__u32 h = RN_SCAN_HASH4(x) >> 16;

	return rn_tab.prefix[h >> 6] >> (h & 63);
}

/* May a tag begin in the stream's last bytes and go on in the next call? */
static __always_inline bool promising(struct scratch *s)
{
	__u64 n = s->carried, any = 0;

	if (n >= 1)
		any |= begins_tag(RN_SCAN_PREFIX(s->buf[CARRY - 1], 1));
	if (n >= 2)
		any |= begins_tag(RN_SCAN_PREFIX(LOAD4(s->buf + CARRY - 2) & 0xffff, 2));
	if (n >= 3)
		any |= begins_tag(RN_SCAN_PREFIX(LOAD4(s->buf + CARRY - 3) & 0xffffff, 3));
	for (__u32 i = 4; i < rn_longest && i < CARRY; i++) {
		if (i > n)
			break;
		any |= begins_tag(LOAD4(s->buf + CARRY - i));
	}
	return any & 1;
}

/* Remember the stream's present end, if it matters; forget its end there from before. */
INTRINSIC __u64 rn_stream_leave(void)
{
	struct scratch *s = scratch();
	struct way *w;
	__u64 end, keep;
	__u32 was;

	if (!s || !s->flow || (!by_place(s) && s->which >= WAYS))
		return 0;
	if (!at_end(s)) {
		s->carried = 0;
		if (s->kind == RN_SCAN_BUF && s->whole >= CARRY &&
		    !bpf_probe_read_user(s->buf, CARRY, (void *)(s->base + s->whole - CARRY)))
			s->carried = CARRY;
		else if (s->next)
			COVER(s, unjoined, 1);
	}
	keep = promising(s);
	end = 0;
	if (by_place(s)) {
		end = s->flow == FLOW_TEE   ? s->behind
		      : s->flow == FLOW_TCP ? (__u32)(s->seq + s->moved)
					    : s->seq + s->moved;
		choose_set(s, end);
		if (!keep && !is_marked(s))
			return 0;
		w = take_way(s, end, !keep, &was);
		if (w)
			own(w, s, end);
		else if (keep)
			COVER(s, unjoined, 1);
	} else {
		w = way_at(s->set, s->which);
	}
	if (!w)
		return 0;
	if (keep) {
#pragma unroll
		for (int i = 0; i < CARRY / 8; i++)
			*(volatile __u64 *)&w->tail[i] = LOAD8(s->buf + i * 8);
	}
	w->len = keep ? s->carried : 0;
	if (by_place(s))
		rn_marks[s->set & (RN_STREAM_SETS - 1)][s->which & (WAYS - 1)] =
			w->len ? s->mark : 0;
	w->continued = 0;
	w->used = now(s);
	unlock(w, s->mine);
	return 0;
}

/* Begin the search of a call's payload with the stream's end. */
static __always_inline void stream_join(struct scratch *s)
{
	s->carried = 0;
	rn_stream_join();
}

/* The same for a call that has not returned yet. */
static __always_inline void stream_look(struct scratch *s)
{
	struct way *w;

	s->carried = 0;
	rn_stream_join();
	w = way_at(s->set, s->which);
	if (w)
		unlock(w, s->mine);
}

static __always_inline void stream_leave(struct scratch *s)
{
	if (s->flow)
		rn_stream_leave();
}
#endif
