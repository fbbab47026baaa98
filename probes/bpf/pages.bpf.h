/* pages.bpf.h - the same search in the page cache: data that a copy inside the kernel moved without
 * passing through user memory.
 *
 * A page's address is (struct page << 6) + rn_page_base on kernels with a virtual memory map
 * (x86-64, arm64). No symbol that we may read holds the base, so it is found once. User space
 * writes random bytes to a memfd and runs rn_calibrate. That looks for the bytes at every address
 * that a base could give (both maps are placed at multiples of 1 GiB).
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_PAGES_BPF_H
#define RN_PROBES_BPF_PAGES_BPF_H
#include "probes/bpf/pipe.bpf.h"

__u64 rn_magic[4]; /* calibration: the first bytes of the memfd */
enum { PAGE = 4096, XA_LEVELS = 8, PROT_WRITE = 2, MAP_SHARED = 1 };
const volatile __u32 rn_map_reads = 1; /* report what is read through a map of a file */
#define AGAIN_NS 1000000000ULL

/* Go one level down the tree of a page cache, from the node `e` on. top: its first level, which may
 * be too low for the page. */
INTRINSIC __u64 rn_xa_down(__u64 e, __u64 idx, __u64 top)
{
	struct xa_node *node = (void *)(e - 2);
	__u8 shift = 0;
	__u32 slot;

	if (e < 4096)
		return 0;
	bpf_core_read(&shift, 1, &node->shift);
	if (shift > 58 || (top && idx >> shift > 63))
		return 0;
	slot = idx >> (shift & 63) & 63;
	bpf_probe_read_kernel(
		&e, 8, (void *)node + bpf_core_field_offset(struct xa_node, slots) + slot * 8);
	/* a sibling: part of a folio that begins at another slot */
	if ((e & 3) == 2 && e < (64 << 2) + 2) {
		slot = e >> 2 & 63;
		bpf_probe_read_kernel(&e, 8,
				      (void *)node + bpf_core_field_offset(struct xa_node, slots) +
					      slot * 8);
	}
	return e;
}

/* Look up page idx of a file's cache: a struct page (of a folio's first page), and how many pages
 * further the wanted one is. */
static __always_inline __u64 cached_page(struct address_space *m, __u64 idx, __u64 *further)
{
	__u64 e = (__u64)BPF_CORE_READ(m, i_pages.xa_head), begin;
	struct folio *f;

	*further = 0;
	if (idx && !(e & 3)) /* a single page has no tree */
		return 0;
	for (int level = 0; level < XA_LEVELS && (e & 3) == 2; level++)
		e = rn_xa_down(e, idx, !level);
	if (!e || e & 3) /* a hole, or a shadow of a page that was evicted */
		return 0;
	f = (void *)e;
	begin = BPF_CORE_READ(f, index);
	if (begin <= idx)
		*further = idx - begin;
	return e;
}

static __always_inline bool is_file(__u64 p)
{
	struct file *f = (void *)p;
	__u64 ino = (__u64)BPF_CORE_READ(f, f_inode);

	return ino && (__u64)BPF_CORE_READ(f, f_mapping, host) == ino;
}

/* The file that holds the data of an open file of overlayfs. It is the open file's private data, or
 * what that points to (since 6.13, with the upper layer's second file). A struct file of a regular
 * file tells them apart: its mapping belongs to its inode. */
INTRINSIC __u64 rn_real_file(__u64 file)
{
	struct file *f = (void *)file;
	__u64 p = (__u64)BPF_CORE_READ(f, private_data), real[2] = {};

	if (is_file(p))
		return p;
	bpf_probe_read_kernel(real, sizeof(real), (void *)p);
	if (real[1] && is_file(real[1]))
		return real[1];
	return is_file(real[0]) ? real[0] : 0;
}

/* The page cache that holds a file's data; 0: it has none. */
static __always_inline __u64 mapping_of(__u64 file)
{
	struct file *f = (void *)file;
	__u32 type = type_of(f);

	if (type != S_IFREG && type != S_IFBLK)
		return 0;
	if (BPF_CORE_READ(f, f_inode, i_sb, s_magic) == OVERLAYFS_MAGIC) {
		f = (void *)rn_real_file(file);
		if (!f)
			return 0;
	}
	return (__u64)BPF_CORE_READ(f, f_mapping);
}

const volatile __u64 rn_uptodate = 0;
/* Is the page up to date? It is not while it is being read in. Its flags are the first word. */
static __always_inline bool is_current(__u64 page)
{
	__u64 flags = 0;

	if (!page || bpf_probe_read_kernel(&flags, sizeof(flags), (void *)page))
		return false;
	return !rn_uptodate || flags & rn_uptodate;
}

/* The next page of [s->at, s->stop) in the cache of s->mapping; 0: that was all. */
INTRINSIC __u64 rn_page_next(void)
{
	struct scratch *s = scratch();
	__u64 further, page, at, from, n;

	if (!s)
		return 0;
	at = s->at;
	if (at >= s->stop)
		return 0;
	from = at & (PAGE - 1);
	n = PAGE - from;
	if (n > s->stop - at)
		n = s->stop - at;
	s->at = at + n;
	page = cached_page((void *)s->mapping, at / PAGE, &further);
	if (s->mapped && !is_current(page)) {
		s->carried = 0;
		COVER(s, bytes_seen, 0 - n);
		return 1;
	}
	if (!page && s->other) { /* it is not in the input's cache: the output's may have it */
		s->at = at + s->shift;
		s->stop += s->shift;
		s->mapping = s->other;
		s->other = 0;
		return 1;
	}
	if (!page) {
		s->carried = 0;
		COVER(s, faulted, n);
		return 1;
	}
	s->addr = (page << 6) + rn_page_base + further * PAGE + from;
	s->len = n;
	return 1;
}

/* Where can the data of a copy be read? In the page cache of the input, or of the output for pages
 * that the input's lacks; in the pipe that it went into; or it was searched while still in the pipe
 * that it came out of. Returns an enum place; sets s->mapping and s->other for PLACE_CACHE. */
enum place { PLACE_NONE, PLACE_CACHE, PLACE_INTO_PIPE, PLACE_OUT_OF_PIPE };
INTRINSIC __u64 rn_place(void)
{
	struct scratch *s = scratch();
	__u64 further;
	__u32 from, to;

	if (!s || !s->file || !rn_page_base)
		return PLACE_NONE;
	from = type_of((void *)s->file);
	to = s->to ? type_of((void *)s->to) : 0;
	s->other = s->mapped = 0;
	s->mapping = from == S_IFIFO ? 0 : mapping_of(s->file);
	if (to == S_IFIFO &&
	    (!s->mapping || !cached_page((void *)s->mapping, s->start / PAGE, &further)))
		return PLACE_INTO_PIPE;
	if (to == S_IFREG || to == S_IFBLK) {
		s->other = mapping_of(s->to);
		s->shift = s->to_start - s->start;
	}
	if (!s->mapping) {
		s->mapping = s->other;
		s->start = s->to_start;
		s->other = 0;
	}
	return s->mapping ? PLACE_CACHE : from == S_IFIFO ? PLACE_OUT_OF_PIPE : PLACE_NONE;
}

/* When a query last came to share this search, in monotonic ns: what was reported before is new to
 * it. */
__u64 rn_joined;

struct again {
	__u64 mapping, at, process, tags;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct again);
	__type(value, __u64);
} rn_again SEC(".maps");

/* Was just this finding of tags in these pages reported for this process a moment ago? The same
 * pages are mapped again while those around them come in. */
INTRINSIC __u64 rn_told(void)
{
	struct scratch *s = scratch();
	struct again k = {.process = bpf_get_current_pid_tgid() >> 32};
	__u64 now = bpf_ktime_get_ns(), *then;

	if (!s || s->dir != DIR_IN)
		return 0;
	k.mapping = s->mapping;
	k.at = s->start;
	for (int i = 0; i < RN_TAG_WORDS; i++)
		k.tags = (k.tags ^ s->found.tags.word[i]) * RN_SCAN_MULT;
	then = bpf_map_lookup_elem(&rn_again, &k);
	if (then && now - *then<AGAIN_NS && * then> rn_joined)
		return 1;
	bpf_map_update_elem(&rn_again, &k, &now, BPF_ANY);
	return 0;
}

/* A tag that ends in mapped pages may begin in the page before them, if it is there. */
INTRINSIC __u64 rn_before(void)
{
	struct scratch *s = scratch();
	__u64 further, page;

	if (!s || s->start < PAGE || s->start & (PAGE - 1))
		return 0;
	page = cached_page((void *)s->mapping, s->start / PAGE - 1, &further);
	if (is_current(page) && !bpf_probe_read_kernel(s->buf, CARRY,
						       (void *)((page << 6) + rn_page_base +
								(further + 1) * PAGE - CARRY)))
		s->carried = CARRY;
	return 0;
}

/* Begin with [s->start, s->start + s->ret) of the page cache s->mapping. */
INTRINSIC __u64 rn_begin_pages(void)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	s->source = SOURCE_CACHE;
	begin(s, s->ret);
	if (s->mapped)
		rn_before();
	s->at = s->start;
	s->stop = s->at + s->left;
	s->left = 0;
	return 0;
}

/* Could the page's bytes be at `virt`? Then the base is known. */
INTRINSIC __u64 rn_try_base(__u64 page, __u64 virt)
{
	__u64 x[4] = {};

	if (bpf_probe_read_kernel(x, sizeof(x), (void *)virt))
		return 0;
	if (x[0] != rn_magic[0] || x[1] != rn_magic[1] || x[2] != rn_magic[2] ||
	    x[3] != rn_magic[3])
		return 0;
	rn_page_base = virt - (page << 6);
	return 1;
}

/* Try RN_CALIBRATE_STEP distances from `from` on, in GiB, on both sides of the expected address;
 * return 1 when the page is found. User space calls this with growing distances: one loop over all
 * of them would take long to verify. */
INTRINSIC __u64 rn_calibrate(__u64 fd, __u64 from)
{
	/* the program that calls this is loaded without splicing */
	struct file *f = (void *)file_of_fd_slow(fd);
	const __u64 gib = 1ULL << 30;
	__u64 further, page, guess, d;

	if (!f)
		return 0;
	page = cached_page((void *)BPF_CORE_READ(f, f_mapping), 0, &further);
	if (!page)
		return 0;
	/* The file structure lies in the same direct map, at an address we know. */
	guess = ((__u64)f & ~(gib - 1)) + ((page & (gib - 1)) << 6);
	d = from * gib;
	for (__u32 i = 0; i < RN_CALIBRATE_STEP; i++) {
		if (rn_try_base(page, guess - d) || rn_try_base(page, guess + d))
			return 1;
		d += gib;
	}
	return 0;
}
#endif
