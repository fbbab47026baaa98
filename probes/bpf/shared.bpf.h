/* shared.bpf.h - maps and per-CPU scratch of the intrinsics.
 *
 * Scratch is one element of a per-CPU array. An intrinsic runs with preemption off, and no nested
 * event calls it, so there is one user at a time.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_SHARED_BPF_H
#define RN_PROBES_BPF_SHARED_BPF_H
#include "probes/bpf/kernel.bpf.h"
#include "probes/abi/abi.h"

/* The node's policy denies payload: hashes are keyed (hash.bpf.h), and the surroundings of a tag
 * are not reported (scan.bpf.h). */
/* shortest payload that then has a hash */
const volatile __u32 rn_withhold = 0, rn_hash_least = 0;
__u64 rn_hash_key[2]; /* in .bss: the verifier knows the contents of .rodata, and its log may show
			 them */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, struct rn_file_key);
	__type(value, struct rn_bpf_path);
} paths SEC(".maps");
/* If `paths` has no room, a text stays here long enough for its event's conditions. So a process
 * that fills `paths` hides no files. Each CPU has a part of its own, so that other CPUs cannot push
 * the text out. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(map_flags, BPF_F_NO_COMMON_LRU);
	__uint(max_entries, 1024);
	__type(key, struct rn_file_key);
	__type(value, struct rn_bpf_path);
} paths_beyond SEC(".maps");
/* Kernels before 6.2 take a key only from the stack or a map, not from memory that a caller
 * passed. */
static __always_inline struct rn_bpf_path *path_of(const struct rn_file_key *key)
{
	struct rn_file_key k = *key;
	struct rn_bpf_path *path;

	if (!k.a) /* no file */
		return NULL;
	path = bpf_map_lookup_elem(&paths, &k);
	return path ? path : bpf_map_lookup_elem(&paths_beyond, &k);
}

/* A path is built backwards: from the end of `walk` down. */
enum { WALK_BYTES = 4096, NAME_MAX = 255 };
/* Scan buffer: the end of earlier data of the same call, then a chunk, then room for loads beyond
 * the end. */
enum { CARRY = 64, CHUNK = 4096, SLACK = 1024, FLAG_WORDS = 8 /* a power of 2 */ };

struct found {
	struct rn_bpf_tags tags;
	struct rn_bpf_hits hits;
	struct rn_bpf_around around;
};

/* A splice out of a pipe, as seen before it returned: afterwards the pipe is empty. */
struct piped {
	struct found found;
	__u64 n, carried, early /* seen before it was moved */;
	unsigned char end[CARRY];
};

/* Is the payload part of a stream, and how does a call continue the one before? */
enum flow { FLOW_NONE, FLOW_ORDER, FLOW_PLACE, FLOW_TCP, FLOW_TEE };

enum { DIR_IN = 1, DIR_OUT, DIR_THROUGH }; /* as enum rn_dir */
#define NOWHERE (~0ULL)
enum { NO_FILE = 0xffffffff }; /* a descriptor of nothing */

/* The first bytes of a message of /dev/fuse: fuse.bpf.h. */
union fuse_head {
	struct {
		__u32 len, opcode;
		__u64 unique, node;
		__u32 uid, gid, pid, more;
		__u64 fh, offset;
		__u32 size, flags;
		__u64 owner, spare;
	} in;
	struct {
		__u32 len;
		__s32 error;
		__u64 unique;
	} out;
};

/* print.bpf.h */
struct print {
	__u64 a, b;
};
struct chain {
	struct print print;
	__u64 d, m, root;
	__u32 odd, flags;
};
enum { DENTRY_HEAD = 48 };

/* clean.bpf.h: the state of a file, the pages of a payload in it, and what is known of them. */
struct clean {
	__u64 file; /* struct file that holds the data */
	__u64 inode, who, ctime, size;
	/* rn_clocks: when the clocks were looked at, in jiffies and ns; a time that the kernel's
	 * coarse clock has passed; what it is made of */
	__u64 looked, now, passed, seen, jiffies, floor;
	/* the next page, the last one, the payload's end; a time before the call */
	__u64 page, last, end, began;
	__u64 known, searched, failed; /* bytes; the payload has to be searched as it came */
	__u64 joined;                  /* the page that follows what is in the buffer */
	__u64 learned;                 /* the slot has something new */
	struct rn_clean_slot slot;
	/* the end of some bytes of the cache, with room behind; what the stream carried into the
	 * call */
	unsigned char tail[2 * CARRY] __attribute__((aligned(8)));
	unsigned char kept[CARRY] __attribute__((aligned(8)));
	__u64 carried;
};

struct scratch {
	struct rn_bpf_stats
		stats; /* first: user space reads them there (probes/intrinsics/intrinsics.c) */
	struct rn_bpf_path path;
	char walk[WALK_BYTES + NAME_MAX + 1];
	/* text.bpf.h: the text in `walk`; the place in a chain */
	__u64 pos, stem, text_end, dentry, mount;
	__u64 complete;     /* the text is the whole path */
	struct print print; /* of the current file */
	struct chain chain;
	__u64 opened; /* struct file that rn_resolve names */
	char head_of_dentry[DENTRY_HEAD] __attribute__((aligned(8)));
	/* payload of a call: payload.bpf.h */
	__u64 kind, dir, way; /* enum rn_payload, rn_dir, rn_path */
	__u64 file;           /* struct file of the descriptor; for a copy, of its input; 0: none */
	__u64 conn;           /* a TLS library's connection; else 0 */
	__u64 base, n, ret;   /* buffer or array, its length, and what the call returned */
	__u64 start;          /* file position of the first byte; ~0: it has none */
	__u64 by_file;        /* start was taken from the file's own position, after the call */
	/* of a message of /dev/fuse: fuse.bpf.h */
	/* the file whose data it carries, and when its file system began; 0: it has none */
	__u64 node, init;
	__u64 asker; /* the thread that asked, from the header */
	__u64 head;  /* bytes at the beginning of the iovecs that are not payload */
	union fuse_head fuse;
	/* the payload's stream: stream.bpf.h */
	__u64 flow, ino, gen_dir; /* enum flow, and what tells the stream from others */
	__u64 sk;                 /* struct sock of FLOW_TCP */
	/* flags argument of the call; those flags that take the payload out of the stream */
	__u64 flags, aside;
	__u64 seq, moved; /* position of the payload, and its bytes */
	__u64 set, which; /* where rn_streams has the stream's end */
	__u64 mark;       /* of that end, in rn_marks */
	/* state of the entry that this call has locked there; ways that others have locked; whether
	 * it was the same stream's, and place */
	__u64 mine, not, same;
	__u64 order;  /* of calls on this CPU */
	__u64 behind; /* FLOW_TEE: position of the byte after what was searched */
	/* scan */
	struct found found;        /* in this call */
	__u64 flagged[FLAG_WORDS]; /* blocks of the buffer to search again */
	__u64 first;               /* where the first of them begins */
	__s64 budget;              /* steps that may still be spent on candidates: scan.bpf.h */
	__u64 room;                /* bytes of the call that may still be searched */
	/* positions in the payload: of the current chunk's first byte, of the next chunk's, of the
	 * next message's */
	__u64 place, next, whole;
	__u64 carried;   /* bytes of buf[0, CARRY) that belong to the stream: its last ones */
	__u64 end;       /* end of the data in buf */
	__u64 left;      /* bytes of the call not searched yet */
	__u64 source;    /* where segments come from: enum source of scan.bpf.h */
	__u64 addr, len; /* the rest of the current segment */
	/* next iovec, how many to search, and whether others follow */
	__u64 iov, iovs, more;
	__u64 plain;     /* iov is the address of the data itself */
	__u64 msg, msgs; /* next struct mmsghdr, and how many */
	/* asynchronous I/O: how many are left; the current operation: aio.bpf.h */
	__u64 context, operations;
	struct user_event event;
	struct aio_op aio;
	struct iovec zero[2];    /* for TCP_ZEROCOPY_RECEIVE: payload.bpf.h */
	__u64 mapping, at, stop; /* page cache: next and last position */
	/* copies: pages.bpf.h, pipe.bpf.h */
	__u64 to, to_start; /* the output's file, and the first byte's position in it */
	/* the output's page cache, and the distance of the same bytes there; 0: none */
	__u64 other, shift;
	/* areas of an address space: the next one, and which part of it: mapped.bpf.h */
	__u64 space, area, area_from, area_end, round;
	__u64 area_file, area_at, area_bytes; /* the current area */
	__u64 mapped;                         /* maps: only pages that are in memory count */
	/* a pipe's buffers: the next one, how many, bytes to leave out of it; pipe.bpf.h */
	__u64 ring, ring_mask, slot, slots, skip, tail, back, pipe;
	struct piped piped;
	struct clean clean;
	unsigned char buf[CARRY + CHUNK + SLACK] __attribute__((aligned(8)));
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} rn_scratch SEC(".maps");

static __always_inline struct scratch *scratch(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&rn_scratch, &zero);
}

/* The tags that the last search on this CPU has found. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct found);
} rn_finds SEC(".maps");
/* The same map of another query, which searches for both: user space puts it here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct found);
} rn_finds_shared SEC(".maps");

static __always_inline struct found *finds(void)
{
	__u32 zero = 0;
	return bpf_map_lookup_elem(&rn_finds, &zero);
}

/* Read an iovec of the program, or one that an operation's intrinsic keeps in our memory: the
 * latter has an address in the kernel's half. */
static __always_inline long read_iovec(struct iovec *v, __u64 addr)
{
	return (__s64)addr < 0 ? bpf_probe_read_kernel(v, sizeof(*v), (void *)addr)
			       : bpf_probe_read_user(v, sizeof(*v), (void *)addr);
}

/* Leave s->head bytes out of iovecs. */
static __always_inline void leave_out(struct scratch *s, struct iovec *v)
{
	__u64 n = s->head < v->len ? s->head : v->len;

	v->base += n;
	v->len -= n;
	s->head -= n;
}

/* A function that takes a step up to so many times; a step ends it by saying that it was the last.
 * Short nested loops are verified faster than a long one. */
#define REPEAT(name, times, step) \
	INTRINSIC __u64 name(void) \
	{ \
		for (__u32 i = 0; i < (times); i++) \
			if (!(step)) \
				return 0; \
		return 1; \
	}

/* Add to a counter of this CPU: COUNT(faulted, n). */
#define COUNT(member, n) \
	do { \
		struct scratch *s_ = scratch(); \
		if (s_) \
			s_->stats.member += (n); \
	} while (0)

/* Add to a counter of the current payload's path: COVER(s, faulted, n). */
#define COVER(s, member, n) ((s)->stats.path[(s)->way & 15].member += (n))

/* Typed pointers. A pointer that was read from memory as a number can be followed by
 * bpf_probe_read_kernel, with a call for each member. If the kernel has bpf_rdonly_cast (6.2), the
 * number can get its type back and be read directly: an order of magnitude cheaper. User space says
 * which (rn_cast), and replaces RN_CAST_MARK by the kernel's call (probes/intrinsics/splice.c). */
const volatile __u32 rn_cast = 0;
const volatile __u32 rn_type_file = 0, rn_type_socket = 0, rn_type_sock = 0, rn_type_tcp = 0,
		     rn_type_task = 0, rn_type_dentry = 0; /* ids of struct file, ... */
/* a type that begins with 64 bits: these are then a number, no pointer */
const volatile __u32 rn_type_word = 0;
static void *(*const cast)(__u64 pointer, __u32 type) = (void *)RN_CAST_MARK;
/* The current task. Reading pointers through what bpf_get_current_task_btf returns would make the
 * verifier compare names with those of all types, each time. */
static __always_inline struct task_struct *current_fast(void)
{
	return cast(bpf_get_current_task(), rn_type_task);
}
#define GET(fast, p, member) ((fast) ? (p)->member : BPF_CORE_READ(p, member))

/* The open file of a descriptor of the current task, as a number; 0: none. A struct file's address
 * stays as it is. */
static __always_inline __u64 file_of_fd_slow(__u32 fd)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct files_struct *files = t->files;
	struct fdtable *fdt;
	__u64 f = 0;

	if (!files)
		return 0;
	fdt = files->fdt;
	if (fd >= fdt->max_fds || bpf_probe_read_kernel(&f, sizeof(f), fdt->fd + fd))
		return 0;
	return f;
}
static __always_inline __u64 file_of_fd(__u64 fd)
{
	struct task_struct *t;
	struct fdtable *fdt;

	if (fd >> 32)
		return fd;
	if (!rn_cast)
		return file_of_fd_slow(fd);
	t = current_fast();
	fdt = t->files->fdt;
	if ((__u32)fd >= fdt->max_fds)
		return 0;
	return ((struct timespec64 *)cast((__u64)(fdt->fd + (__u32)fd), rn_type_word))->tv_sec;
}

static __always_inline __u32 type_of(struct file *f)
{
	return BPF_CORE_READ(f, f_inode, i_mode) & S_IFMT;
}
#endif
