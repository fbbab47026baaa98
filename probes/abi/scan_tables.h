/* scan_tables.h - tables of the tag search: made in user space, read by probes/bpf/scan.bpf.h.
 * Shared with BPF; see there.
 *
 * The search asks the filter for every sample of the payload. Up to RN_SCAN_FEW tags the filter is
 * a table of bytes, indexed by 16 bits of the sample's hash: one load each. With more tags that
 * table would let too much pass. The filter is then a bitmap by 19 bits of the hash, of the same
 * size. */
#ifndef RN_PROBES_ABI_SCAN_TABLES_H
#define RN_PROBES_ABI_SCAN_TABLES_H
#include "probes/abi/abi.h"

enum {
	RN_SCAN_FEW = 64,
	RN_SCAN_HEADS = 16384,
	RN_SCAN_SLOTS = 1024 /* of tags */,
	RN_SCAN_ENTRIES = 8192, /* places of tags; entry 0 is none */
	/* the same for the table of bytes: more would let too much pass */
	RN_SCAN_FEW_ENTRIES = 512,
	RN_SCAN_STRIDE_MAX = 32
};
#define RN_SCAN_MULT 0x9E3779B97F4A7C15ULL
/* A q-gram's hash, of 32 bits. From it: the byte in the table, or the word and bit in the bitmap;
 * the chain. */
#define RN_SCAN_HASH8(x) ((rn_u32)((x)*RN_SCAN_MULT >> 32))
#define RN_SCAN_HASH4(x) ((rn_u32)(x) * (rn_u32)RN_SCAN_MULT)
/* The first n bytes of a tag, for the table `prefix`: 4, or fewer and then marked by their
 * number. */
#define RN_SCAN_PREFIX(x, n) ((n) == 4 ? (rn_u32)(x) : (rn_u32)(x) | (rn_u32)(n) << 29)
#define RN_SCAN_BYTE(h) ((h) >> 16)
#define RN_SCAN_WORD(h) ((h) >> 19)
#define RN_SCAN_BIT(h) ((h) >> 13 & 63)
#define RN_SCAN_HEAD(h) ((h) >> 16 & (RN_SCAN_HEADS - 1))

struct rn_scan_entry {
	rn_u64 gram;
	rn_u16 next, tag;
	rn_u8 off, spare[3];
};
struct rn_scan_tag {
	rn_u64 word[8], care[8];
	rn_u64 len;
};
struct rn_scan_tables {
	/* is there a tag with such a q-gram? */
	union {
		rn_u8 byte[65536];
		rn_u64 word[8192];
	} hit;
	rn_u16 head[RN_SCAN_HEADS]; /* first entry of the chain */
	struct rn_scan_entry entry[RN_SCAN_ENTRIES];
	struct rn_scan_tag tag[RN_SCAN_SLOTS];
	/* by 16 bits of the hash: does a tag begin like this? RN_SCAN_PREFIX */
	rn_u64 prefix[1024];
	rn_u64 ntags;
	rn_u64 shortest, longest; /* lengths of tags */
	rn_u64 chain;             /* length of the longest chain */
	rn_u64 bitmap;            /* 1: `hit` is the bitmap */
	rn_u64 gram;              /* bytes of a q-gram: 4 or 8 */
};
#ifndef __bpf__
#include "lang/base/err.h"

/* ---- probes/intrinsics/scan_tables.c ---- */

/* Fills tables, which the caller has zeroed. Returns the stride, from 1 to RN_SCAN_STRIDE_MAX, or
 * -EINVAL: no tags, too many, too short or too long. */
int rn_scan_tables_fill(struct rn_scan_tables *tables, const struct rn_tag *tags, unsigned ntags,
			struct rn_err *err);
#endif
#endif
