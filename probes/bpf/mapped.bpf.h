/* mapped.bpf.h - files that a program reads and writes through memory: pages that a fault maps,
 * mappings that are synchronised or unmapped.
 *
 * Reads: tracepoints of the page cache report the pages that a fault has mapped (map_pages), or
 * will map if they are there (fault: before it reads them, and again once they are). A range that
 * maps the same pages again within a second is reported once.
 *
 * Writes leave no trace of their own. A shared mapping is searched when it is synchronised, is
 * unmapped or ends with its process. Each of these takes the address space's lock, and then
 * (mmap_lock_acquire_returned) a program can walk its tree of mappings. Each mapping is an event,
 * up to RN_AREAS; further ones are counted as uncovered. So are mappings made meanwhile and not
 * searched yet: the kernel writes them back in a thread of its own, which knows of no process.
 *
 * Much memory that processes share without a file (the buffers of a database) would be searched
 * whole at the end of each. It is searched once a second for all of them, and when the last one
 * ends.
 *
 * If the kernel does not report what it maps, maps of files are counted as uncovered (rn_scan).
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_MAPPED_BPF_H
#define RN_PROBES_BPF_MAPPED_BPF_H
#include "probes/bpf/pages.bpf.h"

enum {
	MAP_ANONYMOUS = 32,
	VM_WRITE = 2,
	VM_SHARED = 8,
	MAPLE_DEPTH = 6,
	MAPLE_NODE = 256,
	MAPLE_ARANGE = 3,
	FOLIO_ORDER = 9,
	LOOKED_AT = 32, /* squared: areas */
	LARGE = 256 << 10
};
/* numbers of system calls */
const volatile __u32 rn_nr_mmap = 0, rn_nr_msync = 0, rn_nr_munmap = 0;

/* Writable shared mappings that were made since the query began and not searched yet: by address
 * space and page cache. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct rn_unseen_key);
	__type(value, __u64);
} rn_unseen SEC(".maps");

/* When shared memory without a file was searched last: by page cache. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u64);
} rn_shared SEC(".maps");

/* The memory area of a node in a page cache's tree of areas. */
static __always_inline struct vm_area_struct *area_of(struct rb_node *n)
{
	return (void *)n - bpf_core_field_offset(struct vm_area_struct, shared);
}

/* An open file on the mapping's inode, from any memory area that maps it; 0: there is none. */
static __always_inline __u64 file_of_mapping(__u64 mapping)
{
	struct address_space *m = (void *)mapping;
	struct vm_area_struct *v = area_of(BPF_CORE_READ(m, i_mmap.rb_root.rb_node));
	struct file *f = BPF_CORE_READ(v, vm_file);

	return (__u64)BPF_CORE_READ(f, f_mapping) == mapping ? (__u64)f : 0;
}

/* Fill in the operation: n bytes of the file from `at` on, cut at the file's end; 0: nothing. */
static __always_inline __u64 mapped(struct rn_bpf_call *c, __u64 nr, __u64 file, __u64 at, __u64 n)
{
	struct file *f = (void *)file;
	__u64 size = BPF_CORE_READ(f, f_mapping, host, i_size);

	if (!file || at >= size)
		return 0;
	if (n > size - at)
		n = size - at;
	c->nr = nr;
	c->ret = n;
	c->arg[0] = file;
	c->arg[1] = 0;
	c->arg[2] = n;
	c->arg[3] = at;
	c->arg[4] = c->arg[5] = 0;
	c->begin_ns = bpf_ktime_get_ns(); /* it takes no time */
	return 1;
}

INTRINSIC __u64 rn_cached(__u64 mapping, __u64 idx)
{
	__u64 further;

	return cached_page((void *)mapping, idx, &further);
}

/* The last page of the folio that holds page `idx` of the cache. A folio's size is a power of
 * two. */
INTRINSIC __u64 rn_folio_end(__u64 mapping, __u64 idx)
{
	__u64 page = rn_cached(mapping, idx), end;
	struct folio *f = (void *)page;

	if (!page)
		return idx;
	for (__u32 k = 0; k <= FOLIO_ORDER; k++) {
		end = BPF_CORE_READ(f, index) + (1ULL << k);
		if (end > idx && rn_cached(mapping, end) != page)
			return end - 1;
	}
	return idx;
}

/* Pages first to last were mapped, with the folios that hold them: since 6.18 the kernel maps
 * folios whole. */
static __always_inline __u64 mapped_pages(struct rn_bpf_call *c, __u64 mapping, __u64 first,
					  __u64 last)
{
	struct folio *f = (void *)rn_cached(mapping, first);
	__u64 begin = f ? BPF_CORE_READ(f, index) : first;

	if (begin < first && first - begin <= 1 << FOLIO_ORDER)
		first = begin;
	last = rn_folio_end(mapping, last);
	return mapped(c, RN_OP_MMAP_READ, file_of_mapping(mapping), first * PAGE,
		      (last - first + 1) * PAGE);
}

/* arg: mapping, first page, last page. */
INTRINSIC __u64 rn_op_map(struct rn_bpf_call *c)
{
	__u64 first, last;

	if (!c)
		return 0;
	first = c->arg[1];
	last = c->arg[2];
	if (last < first)
		return 0;
	return mapped_pages(c, c->arg[0], first, last);
}

/* arg: mapping, page. */
INTRINSIC __u64 rn_op_fault(struct rn_bpf_call *c)
{
	if (!c || !is_current(rn_cached(c->arg[0], c->arg[1])))
		return 0;
	return mapped_pages(c, c->arg[0], c->arg[1], c->arg[1]);
}

/* Go one level down a tree of mappings: return what covers address `at` in the node `entry`, and
 * lower s->stop to the last address that it covers. */
INTRINSIC __u64 rn_maple(__u64 entry, __u64 at)
{
	struct scratch *s = scratch();
	__u64 arange = (entry >> 3 & 15) == MAPLE_ARANGE, pivots, slots, i, n;

	if (!s || bpf_probe_read_kernel(s->buf, MAPLE_NODE, (void *)(entry & ~255ULL)))
		return 0;
	pivots = arange ? bpf_core_field_offset(struct maple_arange_64, pivot)
			: bpf_core_field_offset(struct maple_range_64, pivot);
	slots = arange ? bpf_core_field_offset(struct maple_arange_64, slot)
		       : bpf_core_field_offset(struct maple_range_64, slot);
	n = (slots - pivots) / 8;
	for (i = 0; i < 15; i++) {
		__u64 p, o = pivots + i * 8;
		OPAQUE(o);
		if (i >= n || o > MAPLE_NODE)
			break;
		p = *(__u64 *)(s->buf + o);
		if (i && !p)
			break;
		if (at <= p) {
			if (p < s->stop)
				s->stop = p;
			break;
		}
	}
	slots += i * 8;
	OPAQUE(slots);
	return slots > MAPLE_NODE ? 0 : *(__u64 *)(s->buf + slots);
}

/* The memory area (struct vm_area_struct) that covers an address; 0: none. s->stop: the last
 * address of the area, or of the gap. */
INTRINSIC __u64 rn_area(__u64 mm, __u64 at)
{
	struct scratch *s = scratch();
	struct mm_struct *m = (void *)mm;
	__u64 e;

	if (!s || !bpf_core_field_exists(struct mm_struct, mm_mt))
		return 0;
	s->stop = ~0ULL;
	e = (__u64)BPF_CORE_READ(m, mm_mt.ma_root);
	if ((e & 3) != 2 || e <= 4096) /* a single area: no program runs with that */
		return 0;
	for (int i = 0; i < MAPLE_DEPTH; i++) {
		__u64 leaf = (e >> 3 & 15) < 2;

		e = rn_maple(e, at);
		if (!e || leaf)
			return e;
	}
	return 0;
}

/* Does the area belong to another address space than this one, of processes that run on? */
static __always_inline bool is_of_others(struct rb_node *n, __u64 mm)
{
	struct mm_struct *other;

	if (!n)
		return false;
	other = BPF_CORE_READ(area_of(n), vm_mm);
	return (__u64)other != mm && BPF_CORE_READ(other, mm_users.counter);
}

/* Do processes of other address spaces have the page cache mapped? More than three areas are taken
 * for that. */
INTRINSIC __u64 rn_has_others(__u64 mapping, __u64 mm)
{
	struct address_space *m = (void *)mapping;
	struct rb_node *root = BPF_CORE_READ(m, i_mmap.rb_root.rb_node);
	struct rb_node *l = BPF_CORE_READ(root, rb_left), *r = BPF_CORE_READ(root, rb_right);

	if ((l && (BPF_CORE_READ(l, rb_left) || BPF_CORE_READ(l, rb_right))) ||
	    (r && (BPF_CORE_READ(r, rb_left) || BPF_CORE_READ(r, rb_right))))
		return 1;
	return is_of_others(root, mm) || is_of_others(l, mm) || is_of_others(r, mm);
}

/* Is the area large, shared memory without a file, mapped by other processes as well, and searched
 * within the last second? Until it is searched again, it counts as uncovered. */
INTRINSIC __u64 rn_postponed(__u64 area)
{
	struct scratch *s = scratch();
	struct vm_area_struct *v = (void *)area;
	struct file *f = BPF_CORE_READ(v, vm_file);
	struct inode *i = BPF_CORE_READ(f, f_inode);
	struct address_space *m = BPF_CORE_READ(f, f_mapping);
	struct rn_unseen_key all = {.mapping = (__u64)m};
	__u64 now = bpf_ktime_get_ns(), at = (__u64)m, one = 1, *last;

	if (!s || s->area_bytes < LARGE || BPF_CORE_READ(i, i_sb, s_magic) != TMPFS_MAGIC ||
	    BPF_CORE_READ(i, i_nlink))
		return 0;
	last = bpf_map_lookup_elem(&rn_shared, &at);
	if (last && now - *last < AGAIN_NS && rn_has_others(at, (__u64)BPF_CORE_READ(v, vm_mm))) {
		COVER(s, postponed, 1);
		if (bpf_map_update_elem(&rn_unseen, &all, &one, BPF_ANY))
			COVER(s, uncovered, 1);
		return 1;
	}
	bpf_map_update_elem(&rn_shared, &at, &now, BPF_ANY);
	bpf_map_delete_elem(&rn_unseen, &all);
	return 0;
}

/* Is the area shared and writable? Then set s->area_... to its part in [s->area_from,
 * s->area_end). */
INTRINSIC __u64 rn_written(__u64 area)
{
	struct scratch *s = scratch();
	struct vm_area_struct *v = (void *)area;
	struct rn_unseen_key k = {};
	struct file *f;
	__u64 flags = BPF_CORE_READ(v, vm_flags), from = BPF_CORE_READ(v, vm_start),
	      to = BPF_CORE_READ(v, vm_end), at, size;

	if (!s || (flags & (VM_SHARED | VM_WRITE)) != (VM_SHARED | VM_WRITE))
		return 0;
	f = BPF_CORE_READ(v, vm_file);
	if (!f)
		return 0;
	k.space = s->space;
	k.mapping = (__u64)BPF_CORE_READ(f, f_mapping);
	bpf_map_delete_elem(&rn_unseen, &k);
	at = s->area_from > from ? s->area_from : from;
	if (s->area_end < to)
		to = s->area_end;
	s->area_file = (__u64)f;
	s->area_at = at - from + BPF_CORE_READ(v, vm_pgoff) * PAGE;
	s->area_bytes = to - at;
	size = BPF_CORE_READ(f, f_mapping, host, i_size);
	return to > at && s->area_at < size && !rn_postponed(area);
}

/* Look at the area at s->area and step past it; 0: search it, or there are no more. */
INTRINSIC __u64 rn_next_area(void)
{
	struct scratch *s = scratch();
	__u64 area, found;

	if (!s || s->area >= s->area_end)
		return 0;
	area = rn_area(s->space, s->area);
	found = area && rn_written(area);
	s->area = s->stop < s->area_end ? s->stop + 1 : s->area_end;
	if (found && s->round < RN_AREAS)
		return 0;
	if (found)
		COVER(s, uncovered, 1);
	s->area_file = 0;
	return s->area < s->area_end;
}
REPEAT(rn_next_areas, LOOKED_AT, rn_next_area())

/* A mapping is about to be made. */
INTRINSIC __u64 rn_made(__u64 mm)
{
	struct scratch *s = scratch();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 flags = BPF_CORE_READ(regs, r10), one = 1;
	struct rn_unseen_key k = {.space = mm};
	__u64 f;

	if (!s || flags & MAP_ANONYMOUS || !(flags & MAP_SHARED) ||
	    !(BPF_CORE_READ(regs, dx) & PROT_WRITE))
		return 0;
	f = file_of_fd((__u32)BPF_CORE_READ(regs, r8));
	k.mapping = f ? mapping_of(f) : 0;
	if (k.mapping && bpf_map_update_elem(&rn_unseen, &k, &one, BPF_ANY))
		COVER(s, uncovered, 1);
	return 0;
}

/* Which areas matter, now that an address space's lock was taken? 0: none. */
INTRINSIC __u64 rn_areas(__u64 space)
{
	struct scratch *s = scratch();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	struct mm_struct *mm = (void *)space;
	__u64 nr;

	if (!s)
		return 0;
	s->way = RN_PATH_MMAP;
	s->space = space;
	s->round = 0;
	s->area = s->area_from = 0;
	s->area_end = ~0ULL;
	/* no process uses it any more; it will be locked for writing as well */
	if (!BPF_CORE_READ(mm, mm_users.counter))
		return !(BPF_CORE_READ(mm, mmap_lock.count.counter) & 1);
	nr = BPF_CORE_READ(regs, orig_ax);
	if (nr == rn_nr_mmap)
		return rn_made(space);
	if (nr != rn_nr_msync && nr != rn_nr_munmap)
		return 0;
	s->area = s->area_from = BPF_CORE_READ(regs, di);
	s->area_end = s->area_from + BPF_CORE_READ(regs, si);
	return s->area < s->area_end;
}

/* arg: address space whose lock was taken. */
INTRINSIC __u64 rn_op_lock(struct rn_bpf_call *c)
{
	struct scratch *s = scratch();
	__u32 i;

	if (!s || !c)
		return 0;
	if (c->arg[5] == RN_AGAIN)
		s->round++;
	else if (!rn_areas(c->arg[0]))
		return 0;
	s->area_file = 0;
	s->way = RN_PATH_MMAP;
	for (i = 0; i < LOOKED_AT; i++)
		if (!rn_next_areas())
			break;
	if (i == LOOKED_AT)
		COVER(s, uncovered, 1); /* thousands of areas */
	return s->area_file && mapped(c, RN_OP_MMAP_WRITE, s->area_file, s->area_at, s->area_bytes);
}
#endif
