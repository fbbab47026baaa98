/* scantab.h - tables of the tag search: made in user space, read by probes/bpf/scan.h. Shared with BPF; see there. */
#ifndef RN_PROBES_SCANTAB_H
#define RN_PROBES_SCANTAB_H
#include "probes/intrinsics.h"

enum { RN_SCAN_HEADS = 4096, RN_SCAN_ENTRIES = 1024 /* at most 64 tags x 8 offsets, and 0 is none */ };
struct rn_scan_entry { rn_u64 gram; rn_u16 next; rn_u8 tag, off; rn_u32 spare; };
struct rn_scan_tag { rn_u64 word[8], care[8]; rn_u64 len; };
struct rn_scan_tables {
	rn_u8 hit[65536];               /* by the upper 16 bits of the hash: 1 if some tag has a q-gram there */
	rn_u16 head[RN_SCAN_HEADS];     /* by the lower bits of that: first entry of the chain */
	struct rn_scan_entry entry[RN_SCAN_ENTRIES];
	struct rn_scan_tag tag[RN_MAX_TAGS];
	rn_u64 all;                     /* mask of all tags */
	rn_u64 shortest;                /* length of the shortest tag */
	rn_u64 chain;                   /* length of the longest chain */
};
#ifndef __bpf__
#include "lang/err.h"
/* Fills t (zeroed by the caller); the stride (8, 3, 1) for the shortest of the tags, or -EINVAL: none, too many, too short or too
 * long. */
int rn_scan_tables_fill(struct rn_scan_tables *t, const struct rn_tag *tags, unsigned ntags, struct rn_err *err);
#endif
#endif
