/* abi.h - what precompiled BPF functions (probes/bpf/), generated programs and user space share.
 *
 * clang includes it for BPF, and gcc for user space: fixed-width types only, no implicit padding.
 *
 * Calling convention: an intrinsic is a global function, verified once. It takes scalars as u64 and
 * returns a u64. `out` points to memory of at least the struct's size (zeroed stack or a map
 * value), which the caller has initialised. All intrinsics run in the context of the current task.
 * They use per-CPU scratch of their own, so at most one may run at a time on a CPU. Preemption is
 * off, except for rn_tls_enter, rn_tls_return and rn_rings: see probes/gen/preempt.c. Reads of user
 * memory never fault a page in; absent memory is counted.
 *
 *   rn_file(fd, want, out)         which file descriptor fd of the current task is open on, and its
 *                                  present name; 1, or 0 if there is none (out zeroed)
 *   rn_exe(want, out)              the same for the current task's executable (after exec). Both
 *                                  return RN_UNNAMED if the name is not known yet; rn_resolve(out),
 *                                  called at once, fills it in
 *   rn_name(addr, want, out)       a name as the caller gave it, a string in user memory; 1,
 *                                  RN_NAME_EMPTY if it is empty or NULL (out zeroed), 0 if it
 *                                  cannot be read
 *   rn_match(pattern, key)         does the text of a name match pattern (0..63)? 1 or 0; the
 *                                  verdict is kept with the text
 *   rn_glob(pattern, str)          does the text in an rn_bpf_str match?
 *   rn_glob_args(pattern, data)    does a command line match? data: its arguments, each with a NUL
 *                                  behind it; the text is that of decode_cmdline
 *                                  (probes/live/decode.c)
 *   rn_sock(fd, addr, kind, out)   both ends of a socket; addr, kind (enum rn_addr_kind): a user
 *                                  address that names the peer if the socket itself does not
 *                                  (UDP; a failed connect). 1 if fd is a socket, else 0
 *   rn_op_clone(call)              is it an ioctl that shares blocks? in: arg[0..2] and ret
 *                                  are those of the call
 *   rn_op_...(call)                the hooks of operations that are not calls (probes/gen/hooks.c):
 *                                  in: arg[] has the tracepoint's arguments; 1: `call` now
 *                                  describes the operation; 0: it moves no payload. A hook with
 *                                  rounds is called again with arg[5] = RN_AGAIN for the next
 *                                  operation
 *   rn_hash(call)                  XXH64, seed 0, of the whole payload of a finished call; 0: it
 *                                  has none, is longer than 64 MiB or cannot be read whole. If
 *                                  rn_withhold is set, the hash is keyed, and 0 for short payloads
 *                                  and for terminals: probes/bpf/hash.bpf.h
 *   rn_sketch(call, out)           its MinHash over all 8-byte sequences; all ones if it has none
 *   rn_data(call, out)             its first bytes
 *   rn_tls_enter(call)             a function of a TLS library begins: in: nr = the probe's cookie,
 *                                  arg = its arguments, arg[4] = stack pointer
 *   rn_tls_return(call)            it returns: nr, ret, arg[4]; result as for rn_op_...
 *   rn_bytes(call)                 bytes that a finished call moved, for calls that do not return
 *                                  that number: rn_sys_ret_is_bytes (probes/catalog/catalog.h)
 *   rn_offset(call)                position of the payload's first byte in its file, or in its TCP
 *                                  connection's stream; -1: it has none
 *   rn_end(call, what)             the value that pairs the two ends of a channel, enum rn_bpf_end;
 *                                  0: it has none
 *   rn_scan(call)                  searches the payload of a finished call for the query's tags. A
 *                                  mask of the tags found if the query has at most 64, else their
 *                                  number; scratch holds the rest (probes/bpf/shared.bpf.h)
 *   rn_found()                     the same result of another query's search, which was just before
 *                                  on this CPU: rn_intrinsics_opts.search
 *   rn_tags(out), rn_hits(out)     what the last rn_scan found: all tags as a mask; the first place
 *                                  of some
 *   rn_unsearched(call)            counts a way without search that a finished call began to use,
 *                                  or used
 *   rn_used(what, which)           counts such a way: enum rn_once, and what tells it from others
 *   rn_copying(call)               an inode, arg[0], is made or changed with the credentials of
 *                                  another user; 1 if that may be a copy-up, which rn_unsearched
 *                                  decides when the call returns
 *   rn_rings(call)                 counts the rings that the socket of an open file, arg[0], has
 *   rn_around(out)                 fingerprints of the bytes before and behind the first places of
 *                                  some of those tags
 *   rn_pipe_early(call)            looks at what a splice under way takes out of a pipe. arg[0]:
 *                                  the pipe's descriptor; arg[1]: bytes; arg[2]: 1 if they are
 *                                  only a guess, 2 if the guess counts only if arg[3], the
 *                                  destination, is a device.
 *                                  rn_pipe_take() at its return, before rn_scan */
#ifndef RN_PROBES_ABI_ABI_H
#define RN_PROBES_ABI_ABI_H
#include "planner/plan/paths.h"
#include "lang/values/tag.h" /* RN_MAX_TAGS, RN_TAG_MIN, RN_TAG_MAX */
#ifdef __bpf__
typedef unsigned char rn_u8;
typedef unsigned short rn_u16;
typedef unsigned int rn_u32;
typedef unsigned long long rn_u64;
#else
#include <stdint.h>
typedef uint8_t rn_u8;
typedef uint16_t rn_u16;
typedef uint32_t rn_u32;
typedef uint64_t rn_u64;
#endif

#define RN_PATH_BYTES 920 /* longer paths are cut, and counted */
#define RN_MAX_PATTERNS 64
#define RN_PATTERN_BYTES 64 /* with the final NUL */
#define RN_TAG_WORDS 16     /* in the mask of a set of tags */
#define RN_MAX_HITS 16      /* tags of one call whose first place is kept */
#define RN_AROUND_HITS 4    /* of these hits, so many have a fingerprint of what is around them */
#define RN_AROUND_STEPS 16  /* on each side, of 4 bytes */
#define RN_SCAN_IOVECS 1024 /* the kernel's own limit */
#define RN_SCAN_MSGS 1024
/* operations of one call whose bytes are added up; so many small ones are searched */
#define RN_SCAN_AIO 1024
#define RN_STREAM_SETS 8192 /* of remembered ends of streams, four each */

/* An operation that moved payload: a system call with its arguments, or an operation that stands
 * for one. Numbers from RN_OP_FIRST on are io_uring and others that do not end with a system call's
 * return; a hook's intrinsic fills these in (probes/catalog/catalog.h). The call's trait says what
 * each argument is. A descriptor argument may instead be the address of a struct file. */
struct rn_bpf_call {
	/* begin_ns: monotonic; 0: not known. An operation that is no call has it; for a call a
	 * program sets it only if it needs it. */
	rn_u64 nr, ret, arg[6], begin_ns;
};
/* A trait as the kernel's part reads it, from the table rn_traits by number: enum rn_payload, enum
 * rn_dir, enum rn_path (0: decided by the kind of the file), then numbers of arguments.
 * RN_TRAIT_NONE: there is none. */
struct rn_bpf_trait {
	rn_u8 payload, dir, path, fd, src, srcpos, topos, buf, len, off, flags, spare[5];
};
#define RN_TRAIT_NONE 7
enum { RN_SYS_FIRST_FREE = 512, RN_OP_FIRST = RN_SYS_FIRST_FREE, RN_SYS_MAX = RN_OP_FIRST + 64 };
/* Operations that are like calls but end elsewhere: X(ID, name). Their traits are in
 * probes/catalog/syscalls.c. */
#define RN_OPS(X) \
	X(URING_READ, "io_uring_read") \
	X(URING_WRITE, "io_uring_write") \
	X(URING_RECV, "io_uring_recv") \
	X(URING_SEND, "io_uring_send") \
	X(MMAP_READ, "mmap_read") \
	X(MMAP_WRITE, "mmap_write") \
	X(TLS_READ, "tls_read") \
	X(TLS_WRITE, "tls_write") \
	X(FICLONE, "FICLONE") \
	X(FICLONERANGE, "FICLONERANGE") \
	X(FIDEDUPERANGE, "FIDEDUPERANGE")
enum rn_operation {
	RN_OP_BEFORE = RN_OP_FIRST - 1,
#define X(id, name) RN_OP_##id,
	RN_OPS(X)
#undef X
		RN_OP_END
};
/* The ioctl calls that are operations: include/uapi/linux/fs.h, the same on all machines but a few
 * old ones. */
enum { RN_IOCTL_FICLONE = 0x40049409, RN_IOCTL_FICLONERANGE = 0x4020940d };
#define RN_IOCTL_FIDEDUPERANGE 0xc0189436u
enum {
	RN_SCAN_BUF = 1,
	RN_SCAN_IOVEC,
	RN_SCAN_MSGHDR,
	RN_SCAN_MMSGHDR,
	RN_SCAN_PAGES,
	RN_SCAN_PIPE,
	RN_SCAN_MAPPED,
	/* as enum rn_payload */
	RN_SCAN_ZEROCOPY = 11,
	RN_SCAN_AIO_SUBMIT = 12,
	RN_SCAN_AIO_EVENTS,
	RN_SCAN_BY_ARG = 15
};
#define RN_DATA_BYTES 256 /* of a payload, for `data` */
#define RN_SKETCH_MINS 16
#define RN_AGAIN 0x10000
#define RN_CLONES 16 /* reported files of one FIDEDUPERANGE: probes/bpf/clone.bpf.h */
/* reported memory areas of a call or of a process's end: probes/bpf/mapped.bpf.h */
#define RN_AREAS 16
#define RN_CALIBRATE_STEP 32 /* GiB tried at a time: probes/bpf/pages.bpf.h */

/* Numbers of helpers that do not exist. Functions of the kernel replace them, if it has these. */
#define RN_CAST_MARK 0x52ca57
#define RN_PREEMPT_OFF_MARK 0x52ca58
#define RN_PREEMPT_ON_MARK 0x52ca59
#define RN_SESSION_RETURN_MARK 0x52ca5a
#define RN_SESSION_COOKIE_MARK 0x52ca5b

enum rn_file_kind {
	RN_FILE_NONE,
	RN_FILE_PATH,
	RN_FILE_SOCKET,
	RN_FILE_PIPE,
	RN_FILE_ANON,
	RN_FILE_PID,
	RN_FILE_NS,
	RN_FILE_NAME
};
enum {
	RN_NAME_EMPTY = 2 /* from rn_name */,
	RN_UNNAMED = 2 /* from rn_file, rn_exe: call rn_resolve(out) to name it */
};
enum { RN_WANT_ID = 0, RN_WANT_NAME = 1 /* and its name; the map `paths` then has the text */ };

/* the key of `file` in the kernel: a hash of its name; all zero: no file, text "" */
struct rn_file_key {
	rn_u64 a, b;
};
struct rn_bpf_file {
	struct rn_file_key name; /* if it was wanted */
	rn_u32 dev;              /* major << 20 | minor */
	/* i_generation: an inode number may be given again after a file is deleted */
	rn_u32 gen;
	rn_u64 ino;  /* 0 for a name that was given */
	rn_u32 mode; /* i_mode */
	/* enum rn_file_kind; 1: a mapping of overlayfs is open on this file of a layer */
	rn_u16 kind, backing;
};
struct rn_bpf_path {           /* value of the map `paths`, keyed by rn_file_key */
	rn_u64 known, verdict; /* by pattern: rn_match's memory */
	rn_u16 len;            /* of text, without NUL */
	rn_u16 cut;            /* 1: text is a part of a longer path */
	rn_u32 spare;
	char text[RN_PATH_BYTES];
};
/* operand of rn_glob; text beyond len need not be zero */
struct rn_bpf_str {
	rn_u32 len;
	char text[124];
};
struct rn_bpf_pattern { /* a compiled glob: probes/bpf/match.bpf.h, probes/intrinsics/glob_nfa.c */
	rn_u64 accept;  /* the state that means: all matched */
	rn_u64 stay;    /* states before a `*` */
	rn_u64 move[256]; /* by byte: states whose literal accepts it */
};
struct rn_bpf_sock {
	/* address (v4-mapped), port big-endian; zeros if there is none */
	rn_u8 local[18], peer[18];
	rn_u16 family, type; /* AF_*, SOCK_* */
	rn_u32 netns;        /* inode of the socket's network namespace */
	rn_u32 proto;        /* IPPROTO_* */
};
enum rn_bpf_end { RN_END_SEQ, RN_END_PEER_INO, RN_END_FUSE_DEV, RN_END_FUSE_NODE, RN_END_FUSE_TID };
struct rn_bpf_sketch {
	rn_u32 min[RN_SKETCH_MINS];
}; /* 0xffffffff: nothing was dropped there */
struct rn_bpf_data {
	rn_u64 len;
	rn_u8 byte[RN_DATA_BYTES];
};
struct rn_bpf_tags {
	rn_u64 word[RN_TAG_WORDS];
};
/* the first tags found, each with its first place; n: number of all found */
struct rn_bpf_hits {
	rn_u64 n, pos[RN_MAX_HITS]; /* signed: from the payload's first byte */
	rn_u16 tag[RN_MAX_HITS];
};
/* The bytes next to a tag, outwards: step[side][k] is a hash of the first 4 * (k + 1) bytes, or of
 * all known bytes if they are fewer. known: bytes that the search had at hand there. Side 0 is
 * before the tag, side 1 behind it. */
struct rn_bpf_print {
	rn_u16 step[2][RN_AROUND_STEPS], tag;
	rn_u8 known[2];
	rn_u32 spare;
};
struct rn_bpf_around {
	rn_u64 n;
	struct rn_bpf_print at[RN_AROUND_HITS];
};
/* of one path: calls whose payload was searched; then bytes, but uncovered counts calls */
struct rn_bpf_cover {
	rn_u64 calls, bytes_seen, bytes_scanned, beyond_cap, faulted, uncovered;
	/* ends of streams that were forgotten: a tag across them would be missed */
	rn_u64 unjoined;
	rn_u64 known_clean; /* bytes not searched again: probes/bpf/clean.bpf.h */
	/* searches of shared memory, put off since there was one within a second */
	rn_u64 postponed;
};
/* An entry of the map rn_clean stands for 64 pages of a file, numbered `group`. The file is known
 * to be constant from the monotonic time `since` on. `bits` are the pages in which no tag ends.
 * CPUs write without a lock, so `sum` is over all of it. */
struct rn_clean_slot {
	rn_u64 inode, who, group, ctime, size, since, bits, sum;
};
enum { RN_CLEAN_SLOTS = 65536, RN_CLEAN_THREADS = 16384 }; /* powers of 2 */
enum { RN_CLEAN_LEAST = 1024 }; /* bytes; to search less takes no longer than to look it up */
/* of the map rn_aio_reads: probes/bpf/aio.bpf.h */
struct rn_aio_key {
	rn_u32 tgid, pad;
	rn_u64 context;
};
struct rn_unseen_key {
	rn_u64 space, mapping;
}; /* of the map rn_unseen: probes/bpf/mapped.bpf.h */
enum rn_once {
	RN_ONCE_RING_RX = 1,
	RN_ONCE_RING_TX,
	RN_ONCE_TRACEE,
	RN_ONCE_LOOP,
	RN_ONCE_NBD,
	RN_ONCE_NFSD
};
struct rn_once_key {
	rn_u32 path, what; /* enum rn_path, rn_once */
	rn_u64 which;
};                      /* of the map rn_once: probes/bpf/unsearched.bpf.h */
enum { RN_PATHS = 16 }; /* a power of 2, at least RN_PATH_COUNT */
struct rn_bpf_stats {   /* at the beginning of each CPU's scratch: map `rn_scratch` */
	rn_u64 empty /* calls to be searched that have no payload */, faulted /* texts */,
		truncated, lost_path, lost_call /* begun, without room to note it */;
	rn_u64 withheld;  /* hashes and surroundings of tags that the policy withholds */
	rn_u64 unsettled; /* names that changed while they were read */
	struct rn_bpf_cover path[RN_PATHS]; /* by enum rn_path */
};
#endif
