/* pages.h - the same search in the page cache: data that a copy inside the kernel moved without passing through user memory.
 *
 * A page's address is (struct page << 6) + rn_page_base on kernels with a virtual memory map (x86-64, arm64). The base is in no symbol
 * that we may read, so it is found once: user space writes random bytes to a memfd and runs rn_calibrate, which looks for
 * them at every address that base could give (both maps are placed at multiples of 1 GiB).
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_BPF_PAGES_H
#define RN_BPF_PAGES_H
#include "probes/bpf/scan.h"

__u64 rn_page_base;  /* 0: not known */
__u64 rn_magic[4];   /* calibration: the first bytes of the memfd */
enum { PAGE = 4096, XA_LEVELS = 8 };

/* Looks page idx of a file's cache up: a struct page (of a folio's first page), and how many pages further it is. */
static __always_inline __u64 cached_page(struct address_space *m, __u64 idx, __u64 *further)
{
	__u64 e = (__u64)BPF_CORE_READ(m, i_pages.xa_head), begin;
	struct folio *f;

	*further = 0;
	for (int level = 0; level < XA_LEVELS; level++) {
		struct xa_node *node = (void *)(e - 2);
		__u8 shift = 0;
		__u32 slot;
		if ((e & 3) != 2)
			break;
		if (e < 4096)
			return 0;
		bpf_core_read(&shift, 1, &node->shift);
		if (shift > 58 || (!level && idx >> shift > 63))
			return 0;
		slot = idx >> (shift & 63) & 63;
		bpf_probe_read_kernel(&e, 8, (void *)node + bpf_core_field_offset(struct xa_node, slots) + slot * 8);
		if ((e & 3) == 2 && e < (64 << 2) + 2) { /* a sibling: part of a folio that begins at another slot */
			slot = e >> 2 & 63;
			bpf_probe_read_kernel(&e, 8, (void *)node + bpf_core_field_offset(struct xa_node, slots) + slot * 8);
		}
	}
	if (!e || e & 3) /* a hole, or a shadow of a page that was evicted */
		return 0;
	f = (void *)e;
	begin = BPF_CORE_READ(f, index);
	if (begin <= idx)
		*further = idx - begin;
	return e;
}

/* The next page of [s->at, s->stop) in the cache of s->mapping; 0: that was all. */
INTRINSIC __u64 rn_page(void)
{
	struct scratch *s = scratch();
	__u64 further, page, at, from, n;

	if (!s)
		return 0;
	at = s->at;
	if (at >= s->stop || s->mask == s->wanted)
		return 0;
	from = at & (PAGE - 1);
	n = PAGE - from;
	if (n > s->stop - at)
		n = s->stop - at;
	s->at = at + n;
	page = cached_page((void *)s->mapping, at / PAGE, &further);
	if (!page) {
		s->carried = 0;
		COVER(s, faulted, n);
		return 1;
	}
	s->addr = (page << 6) + rn_page_base + further * PAGE + from;
	s->len = n;
	piece(s, 1);
	return 1;
}

/* Searches the page cache behind s->file: [s->start, s->start + s->ret). */
INTRINSIC __u64 rn_scan_pages(void)
{
	struct scratch *s = scratch();
	struct file *f;
	struct inode *ino;

	if (!s)
		return 0;
	f = (void *)s->file;
	ino = BPF_CORE_READ(f, f_inode);
	if (!f || !rn_page_base || (BPF_CORE_READ(ino, i_mode) & S_IFMT) != S_IFREG) {
		COVER(s, uncovered, 1);
		return 0;
	}
	s->mapping = (__u64)BPF_CORE_READ(f, f_mapping);
	begin(s, s->ret);
	s->at = s->start;
	s->stop = s->at + s->left;
	for (__u32 i = 0; i <= RN_SCAN_CAP / PAGE; i++)
		if (!rn_page())
			break;
	COVER(s, bytes_scanned, s->stop - s->at); /* all tags are found before the end */
	return 0;
}

INTRINSIC __u64 rn_scan(struct rn_bpf_call *call)
{
	struct scratch *s = scratch();

	if (!s || !call || !rn_payload(call))
		return 0;
	s->mask = s->iovs = s->msgs = s->plain = s->len = s->more = 0;
	s->wanted = rn_tab.all;
	COVER(s, calls, 1);
	if (s->kind == RN_SCAN_PAGES)
		rn_scan_pages();
	else if (s->kind >= RN_SCAN_BUF && s->kind <= RN_SCAN_MMSGHDR)
		rn_scan_user();
	else
		COVER(s, uncovered, 1);
	return s->mask;
}

/* Could the page's bytes be at `virt`? Then the base is known. */
INTRINSIC __u64 rn_try_base(__u64 page, __u64 virt)
{
	__u64 x[4] = {};

	if (bpf_probe_read_kernel(x, sizeof(x), (void *)virt))
		return 0;
	if (x[0] != rn_magic[0] || x[1] != rn_magic[1] || x[2] != rn_magic[2] || x[3] != rn_magic[3])
		return 0;
	rn_page_base = virt - (page << 6);
	return 1;
}

/* Tries RN_CALIBRATE_STEP distances from `from` on, in GiB, on both sides of where we would expect the page; 1 when it is found. User
 * space calls it with growing distances: one loop over all of them would take long to verify. */
INTRINSIC __u64 rn_calibrate(__u64 fd, __u64 from)
{
	struct file *f = (void *)file_of_fd(fd);
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
