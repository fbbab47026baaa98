/* clean.bpf.h - pages of files that are known to hold no tag are not searched again.
 *
 * Twenty programs that start map the same libraries: their pages are searched for the first, and
 * looked up for the others. A slot of rn_clean stands for 64 pages of a file. It holds the file's
 * state (inode, ctime, size), since when the content has been constant, and a bit for each page in
 * which no tag ends.
 *
 * Why that is exact. All writers of ext4, XFS and btrfs hold i_rwsem from before they set ctime
 * until their data is copied (direct I/O: i_dio_count). Stores through memory need a writable
 * shared mapping, and set ctime before the first store to each page. So a file without either,
 * whose ctime the kernel's coarse clock has left behind, is quiet: any later write sets another
 * ctime. Its content is constant from then on, as long as ctime and size are the same and nobody
 * maps it writable. A clone replaces content before it sets ctime, so while i_rwsem is held nothing
 * is looked up either. Other file systems (tmpfs, FUSE, those of networks) change content without
 * ctime: they are not looked up.
 *
 * A read has copied its data before it is looked at. It counts only if it began after `since`:
 * rn_began knows when the thread last returned from a read. Its descriptor and position must be
 * those that the call had: is_ours (search.bpf.h). Mapped pages are looked at as they are.
 *
 * What this does not see: who writes to the device beneath a file system, calls of XFS that set no
 * ctime (open by handle), and DMA into a mapping that is gone.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_CLEAN_BPF_H
#define RN_PROBES_BPF_CLEAN_BPF_H
#include "probes/bpf/pages.bpf.h"

const volatile __u32 rn_keep_clean = 1; /* 0: search everything */
/* Clocks at the beginning: the coarse real time; what to add to the monotonic clock for real time,
 * and for TAI. The latter shows if somebody sets the clock. */
const volatile __u64 rn_coarse = 0, rn_real = 0, rn_tai = 0;

enum {
	EXT4_MAGIC = 0xef53,
	XFS_MAGIC = 0x58465342,
	S_SWAPFILE = 1 << 8,
	S_DAX = 1 << 13,
	GROUP_PAGES = 64,
	LOOKED_UP = 64, /* pages at a time, and so often */
	CLEAN_AT_MOST = LOOKED_UP * LOOKED_UP / 4
};
#define BTRFS_MAGIC 0x9123683eULL
#define CLOCK_SET_NS 1000000000ULL /* a clock that was set by less is allowed for */
#define ALWAYS (~0ULL)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RN_CLEAN_SLOTS);
	__type(key, __u32);
	__type(value, struct rn_clean_slot);
} rn_clean SEC(".maps");

/* When threads returned from a read. sum: of the other two, since CPUs write without a lock. */
struct returned {
	__u64 who, ns, sum, spare;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RN_CLEAN_THREADS);
	__type(key, __u32);
	__type(value, struct returned);
} rn_returned SEC(".maps");

static __always_inline __u64 stir(__u64 h, __u64 x)
{
	h = (h ^ x) * RN_SCAN_MULT;
	return h ^ h >> 29;
}

static __always_inline __u64 seal(struct rn_clean_slot *c)
{
	__u64 h = stir(RN_SCAN_MULT, c->inode);

	h = stir(h, c->who);
	h = stir(h, c->group);
	h = stir(h, c->ctime);
	h = stir(h, c->size);
	h = stir(h, c->since);
	return stir(h, c->bits) | 1;
}

/* Looks at the clocks: when it is, and a time that the kernel's coarse clock has passed, so that it
 * gives no file an older ctime. It moves with jiffies: when these have moved by two, the clock has
 * ticked since the first was seen. passed is 0 if somebody has set the clock. */
INTRINSIC __u64 rn_clocks(void)
{
	struct scratch *s = scratch();
	__u64 now = bpf_ktime_get_ns(), jiffies = bpf_jiffies64(), floor;

	if (!s)
		return 0;
	s->clean.now = now;
	s->clean.looked = jiffies;
	s->clean.passed = 0;
	if (bpf_ktime_get_tai_ns() - now - rn_tai + CLOCK_SET_NS > 2 * CLOCK_SET_NS)
		return 0;
	if (jiffies - s->clean.jiffies >= 2) {
		s->clean.floor = s->clean.seen;
		s->clean.seen = now;
		s->clean.jiffies = jiffies;
	}
	floor = s->clean.floor ? s->clean.floor + rn_real : 0;
	s->clean.passed = (floor > rn_coarse ? floor : rn_coarse) - CLOCK_SET_NS;
	return 0;
}

/* The time of the last change, in ns since 1970. Bits above 30 of its nanoseconds mean something
 * else. */
static __always_inline __u64 ctime_of(struct inode *i, const bool fast)
{
	__u64 sec, ns;

	if (bpf_core_field_exists(struct inode, i_ctime_nsec)) { /* since 6.11 */
		sec = GET(fast, i, i_ctime_sec);
		ns = GET(fast, i, i_ctime_nsec);
	} else if (bpf_core_field_exists(struct inode, __i_ctime)) {
		sec = GET(fast, i, __i_ctime.tv_sec);
		ns = GET(fast, i, __i_ctime.tv_nsec);
	} else {
		sec = GET(fast, i, i_ctime.tv_sec);
		ns = GET(fast, i, i_ctime.tv_nsec);
	}
	return sec * SECOND_NS + (ns & 0x3fffffff);
}

/* No write is under way. If the kernel's locks are built in another way (PREEMPT_RT): nobody has
 * the file open for writing. */
static __always_inline bool no_writer(struct inode *i, const bool fast)
{
	if (!bpf_core_field_exists(struct rw_semaphore, count))
		return GET(fast, i, i_writecount.counter) <= 0;
	return !GET(fast, i, i_rwsem.count.counter) && !GET(fast, i, i_dio_count.counter);
}

/* Notes the state of the file whose data s->clean.file holds; 0: nothing may be known of it. The
 * order counts: writers first, then ctime. */
static __always_inline __u64 read_state(struct scratch *s, const bool fast)
{
	struct file *f = fast ? cast(s->clean.file, rn_type_file) : (void *)s->clean.file;
	struct address_space *m = GET(fast, f, f_mapping);
	struct inode *i = GET(fast, m, host);
	struct super_block *sb = GET(fast, i, i_sb);
	__u64 magic = GET(fast, sb, s_magic);

	if ((magic != EXT4_MAGIC && magic != XFS_MAGIC && magic != BTRFS_MAGIC) ||
	    GET(fast, i, i_flags) & (S_SWAPFILE | S_DAX) ||
	    GET(fast, m, i_mmap_writable.counter) > 0 || !no_writer(i, fast))
		return 0;
	s->clean.ctime = ctime_of(i, fast);
	s->clean.size = GET(fast, i, i_size);
	s->clean.inode = (__u64)i;
	s->clean.who = (__u64)sb; /* from memory it comes back as a number */
	s->clean.who = stir(stir(*(volatile __u64 *)&s->clean.who, GET(fast, i, i_ino)),
			    GET(fast, i, i_generation));
	s->mapping = (__u64)m;
	return 1;
}

/* The same. The clocks of this jiffy will do: a new slot looks at them again. */
INTRINSIC __u64 rn_state(void)
{
	struct scratch *s = scratch();

	if (!s || !(rn_cast ? read_state(s, true) : read_state(s, false)))
		return 0;
	if (bpf_jiffies64() != s->clean.looked)
		rn_clocks();
	return s->clean.passed != 0;
}

static __always_inline struct rn_clean_slot *slot_of(struct scratch *s, __u64 group)
{
	__u32 at = stir(stir(s->clean.who, s->clean.inode), group) & (RN_CLEAN_SLOTS - 1);

	return bpf_map_lookup_elem(&rn_clean, &at);
}

/* Keeps what was learned of the current group of pages. */
static __always_inline void put_slot(struct scratch *s)
{
	struct rn_clean_slot *to;

	if (!s->clean.learned)
		return;
	s->clean.learned = 0;
	to = slot_of(s, s->clean.slot.group);
	if (!to)
		return;
	s->clean.slot.sum = seal(&s->clean.slot);
	*to = s->clean.slot;
}

/* Makes the slot of a group of pages current, or a new one if the file is quiet; 0: there is none.
 */
INTRINSIC __u64 rn_slot(__u64 group)
{
	struct scratch *s = scratch();
	struct rn_clean_slot *from, *c;

	if (!s)
		return 0;
	put_slot(s);
	c = &s->clean.slot;
	from = slot_of(s, group);
	if (!from)
		return 0;
	*c = *from;
	if (c->inode == s->clean.inode && c->who == s->clean.who && c->group == group &&
	    c->ctime == s->clean.ctime && c->size == s->clean.size && c->sum == seal(c))
		return 1;
	c->group = NOWHERE;
	rn_clocks();
	if (s->clean.ctime >= s->clean.passed)
		return 0;
	c->inode = s->clean.inode;
	c->who = s->clean.who;
	c->group = group;
	c->ctime = s->clean.ctime;
	c->size = s->clean.size;
	c->since = s->clean.now;
	c->bits = 0;
	s->clean.learned = 1;
	return 1;
}

/* Reads the bytes of the cache before position `at` to the end of s->clean.tail, at most CARRY; how
 * many. They may lie on two pages. */
INTRINSIC __u64 rn_cache_tail(__u64 at)
{
	struct scratch *s = scratch();
	__u64 further, page, n = 0, k, end = at, to;

	if (!s)
		return 0;
	for (int i = 0; i < 2 && end && n < CARRY; i++) {
		page = cached_page((void *)s->mapping, (end - 1) / PAGE, &further);
		if (!is_current(page))
			break;
		k = ((end - 1) & (PAGE - 1)) + 1;
		if (k > CARRY - n)
			k = CARRY - n;
		end -= k;
		n += k;
		to = CARRY - n;
		OPAQUE(to);
		OPAQUE(k);
		if (to > CARRY || !k || k > CARRY ||
		    bpf_probe_read_kernel(s->clean.tail + to, k,
					  (void *)((page << 6) + rn_page_base + further * PAGE +
						   (end & (PAGE - 1)))))
			return 0;
	}
	return n;
}

static __always_inline void copy_carry(unsigned char *to, unsigned char *from)
{
#pragma unroll
	for (int i = 0; i < CARRY / 8; i++)
		*(volatile __u64 *)(to + i * 8) = LOAD8(from + i * 8);
}

/* Searches a page of the cache for tags that end in it; 1: there is none. */
static __always_inline __u64 is_clean(struct scratch *s, __u64 idx)
{
	__u64 further, page, n = s->clean.size - idx * PAGE;

	if (n > PAGE)
		n = PAGE;
	if (s->clean.joined == idx) {
		carry(s);
	} else {
		if (idx && rn_cache_tail(idx * PAGE) != CARRY)
			return 0;
		copy_carry(s->buf, s->clean.tail);
		s->carried = idx ? CARRY : 0;
	}
	page = cached_page((void *)s->mapping, idx, &further);
	if (!is_current(page) || !in_rate(n) ||
	    copy(s, n, (page << 6) + rn_page_base + further * PAGE, 1))
		return 0;
	s->clean.joined = idx + 1;
	s->end = CARRY + n;
	s->place = 0;
	s->budget = BUDGET_CALL + BUDGET_BYTE * PAGE;
	search(s);
	return !s->found.hits.n && s->budget > 0;
}

/* The next page of the payload; 0: that was all, or the payload has to be searched as it came. */
INTRINSIC __u64 rn_clean_page(void)
{
	struct scratch *s = scratch();
	__u64 idx, from, to, bit;

	if (!s || s->clean.failed || s->clean.page > s->clean.last)
		return 0;
	idx = s->clean.page++;
	from = idx * PAGE > s->start ? idx * PAGE : s->start;
	to = (idx + 1) * PAGE < s->clean.end ? (idx + 1) * PAGE : s->clean.end;
	bit = 1ULL << (idx & (GROUP_PAGES - 1));
	s->clean.failed = 1;
	if ((s->clean.slot.group != idx / GROUP_PAGES && !rn_slot(idx / GROUP_PAGES)) ||
	    s->clean.began <= s->clean.slot.since)
		return 0;
	if (s->clean.slot.bits & bit) {
		s->clean.known += to - from;
	} else {
		if (!is_clean(s, idx))
			return 0;
		s->clean.slot.bits |= bit;
		s->clean.learned = 1;
		s->clean.searched += to - from;
	}
	s->clean.failed = 0;
	return 1;
}
REPEAT(rn_clean_pages, LOOKED_UP, rn_clean_page())

/* A time at which the current thread was not yet in the call that has just returned: when it last
 * returned from another read, or when it was made. */
INTRINSIC __u64 rn_began(void)
{
	struct scratch *s = scratch();
	struct task_struct *t = bpf_get_current_task_btf();
	__u64 tid = (__u32)bpf_get_current_pid_tgid(), start = t->start_time;
	__u64 who = stir(stir(RN_SCAN_MULT, start), tid), last = start;
	__u32 at = tid & (RN_CLEAN_THREADS - 1);
	struct returned *r = bpf_map_lookup_elem(&rn_returned, &at), was;

	if (!r || !s)
		return 0;
	was = *r;
	if (was.who == who && was.sum == stir(who, was.ns))
		last = was.ns;
	was.who = who;
	was.ns = s->clean.now;
	was.sum = stir(who, was.ns);
	*r = was;
	return last;
}

/* Are the bytes that the stream carries those before the payload in the file? */
INTRINSIC __u64 rn_continues(void)
{
	struct scratch *s = scratch();
	__u64 diff = 0;

	if (!s)
		return 0;
	s->clean.carried = s->carried;
	if (!s->carried)
		return 1;
	if (s->carried != CARRY || rn_cache_tail(s->start) != CARRY)
		return 0;
#pragma unroll
	for (int i = 0; i < CARRY / 8; i++)
		diff |= LOAD8(s->clean.tail + i * 8) ^ LOAD8(s->buf + i * 8);
	copy_carry(s->clean.kept, s->buf);
	return !diff;
}

/* Leaves the end of the payload in the buffer, for the stream. rn_stream_leave reads it itself if
 * the payload is one piece. */
INTRINSIC __u64 rn_leave_end(void)
{
	struct scratch *s = scratch();
	__u64 n;

	if (!s)
		return 0;
	n = s->kind == RN_SCAN_BUF ? 0 : rn_cache_tail(s->clean.end);
	s->whole = s->ret;
	s->next = n && (n == CARRY || n == s->clean.end) ? s->whole : 1;
	copy_carry(s->buf, s->clean.tail);
	s->carried = n;
	return 0;
}

/* Is all of the payload, s->ret bytes at s->start of the file s->clean.file, free of tags? Pages
 * that are not known are searched here, where they lie. as_they_are: the payload is these pages;
 * else a call has copied them. 0: the payload has to be searched as it came; the buffer is as it
 * was. */
INTRINSIC __u64 rn_is_clean(__u64 as_they_are)
{
	struct scratch *s = scratch();

	if (!s || !rn_keep_clean || !rn_page_base || !s->clean.file || s->ret < RN_CLEAN_LEAST ||
	    s->ret > rn_scan_cap || s->start == NOWHERE || !rn_state() || !rn_continues())
		return 0;
	s->clean.end = s->start + s->ret;
	if (s->clean.end > s->clean.size)
		return 0;
	s->clean.began = as_they_are ? ALWAYS : rn_began();
	s->clean.page = s->start / PAGE;
	s->clean.last = (s->clean.end - 1) / PAGE;
	s->clean.slot.group = s->clean.joined = NOWHERE;
	s->clean.learned = s->clean.known = s->clean.searched = s->clean.failed = 0;
	if (s->clean.last - s->clean.page >= CLEAN_AT_MOST)
		return 0;
	for (int i = 0; i < CLEAN_AT_MOST / LOOKED_UP; i++)
		if (!rn_clean_pages())
			break;
	put_slot(s);
	s->budget = 0;
	if (s->clean.failed) {
		reset(s);
		copy_carry(s->buf, s->clean.kept);
		s->carried = s->clean.carried;
		return 0;
	}
	COVER(s, bytes_seen, s->ret);
	COVER(s, bytes_scanned, s->clean.searched);
	COVER(s, known_clean, s->clean.known);
	if (s->flow)
		rn_leave_end();
	return 1;
}
#endif
