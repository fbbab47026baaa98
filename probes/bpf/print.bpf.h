/* print.bpf.h - fingerprints: does an open file still have the name that was read last?
 *
 * A name depends on a chain: from the file's dentry up through its parents, and from the root of
 * each mount to what that is mounted on. The fingerprint mixes all dentries and mounts of the
 * chain, the d_seq of each dentry, and the file's identity. A d_seq only grows while its dentry
 * lives, and a rename or an unlink makes it grow. So if a chain that was once read whole has the
 * same fingerprint again, all of it was true at one moment while it was read again. No lock is
 * needed. A fingerprint that a rename tore does not occur again.
 *
 * rn_names says which name belongs to a fingerprint. All CPUs write its slots without locks: a
 * checksum over fingerprint, name and round detects a slot that two CPUs wrote. User space begins a
 * new round when it takes texts out of `paths`; that voids all earlier entries.
 *
 * SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
#ifndef RN_PROBES_BPF_PRINT_BPF_H
#define RN_PROBES_BPF_PRINT_BPF_H
#include "probes/bpf/text.bpf.h"

enum {
	CLIMB = 20 /* steps at once; rn_resolve climbs deeper chains whole, which is slower */,
	NAME_WORDS = 5 /* in the name of an object that has no chain */
};
enum { DCACHE_OP_HASH = 1 /* of d_flags: one name may be written in several ways */ };
/* The reading is whole; a rename was under way; the name depends on more than this; there is a
 * chain to climb. */
enum print_state { PRINT_EVEN, PRINT_ODD, PRINT_PART, PRINT_CHAIN };

enum { NAME_SETS_BITS = 14, NAME_WAYS = 2 };
struct name_slot {
	struct rn_file_key name;
	__u64 sum, spare;
};
struct name_set {
	struct name_slot way[NAME_WAYS];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << NAME_SETS_BITS);
	__type(key, __u32);
	__type(value, struct name_set);
} rn_names SEC(".maps");
volatile __u64 rn_names_round;

static __always_inline void blend(struct print *p, __u64 x, __u64 y)
{
	p->a = (p->a ^ x) * 0xd6e8feb86659fd93ULL;
	p->a ^= p->a >> 32;
	p->b = (p->b ^ y) * 0x9fb21c651e98df25ULL;
	p->b ^= p->b >> 32;
}

/* Addresses are numbers here: the verifier does not allow a pointer to be mixed into a sum. */
static __always_inline __u64 word_at(__u64 at, const bool fast)
{
	__u64 w = 0;

	if (fast)
		return ((struct timespec64 *)cast(at, rn_type_word))->tv_sec;
	bpf_probe_read_kernel(&w, sizeof(w), (void *)at);
	return w;
}
#define WORD(fast, base, type, member) \
	word_at((base) + bpf_core_field_offset(struct type, member), fast)

/* The part of a dentry that a chain depends on. */
struct link {
	__u64 parent, hash_len;
	__u32 flags, seq;
};

/* head: memory for DENTRY_HEAD bytes of the dentry. They hold all members needed, unless the kernel
 * randomises the layout of its structs. */
static __always_inline void read_link(struct link *to, __u64 dentry, char *head, const bool fast)
{
	enum { HEAD = DENTRY_HEAD };
	const __u64 flags = bpf_core_field_offset(struct dentry, d_flags),
		    seq = bpf_core_field_offset(struct dentry, d_seq),
		    up = bpf_core_field_offset(struct dentry, d_parent),
		    name = bpf_core_field_offset(struct dentry, d_name);
	struct dentry *d = fast ? cast(dentry, rn_type_dentry) : (void *)dentry;

	if (!fast && flags <= HEAD - 4 && seq <= HEAD - 4 && up <= HEAD - 8 && name <= HEAD - 8) {
		if (bpf_probe_read_kernel(head, HEAD, d))
			__builtin_memset(head, 0, HEAD);
		to->flags = *(__u32 *)(head + flags);
		to->seq = *(__u32 *)(head + seq);
		to->parent = *(__u64 *)(head + up);
		to->hash_len = *(__u64 *)(head + name);
		return;
	}
	to->flags = GET(fast, d, d_flags);
	to->seq = GET(fast, d, d_seq.seqcount.sequence);
	to->hash_len = GET(fast, d, d_name.hash_len);
	to->parent = WORD(fast, dentry, dentry, d_parent);
}

/* Climb some steps of the chain. True: it goes on. */
static __always_inline bool climb(struct chain *c, const int steps, char *head, const bool fast)
{
	struct link l;
	__u64 up;

#pragma clang loop unroll(disable)
	for (int i = 0; i < steps; i++) {
		if (c->d == c->root) {
			blend(&c->print, c->d, c->m);
			up = WORD(fast, c->m, mount, mnt_parent);
			if (!up || up == c->m)
				return false;
			c->d = WORD(fast, c->m, mount, mnt_mountpoint);
			c->m = up;
			c->root = WORD(fast, up, mount, mnt.mnt_root);
			continue;
		}
		read_link(&l, c->d, head, fast);
		c->odd |= l.seq;
		c->flags |= l.flags;
		/* Addresses of dentries end with zeros and begin with ones; a name is at most 255
		 * long. */
		blend(&c->print, c->d ^ (__u64)l.seq << 46, l.hash_len ^ (__u64)l.seq << 40);
		if (c->d == l.parent) /* moved out of the mounted tree */
			return false;
		c->d = l.parent;
	}
	return true;
}

static __always_inline enum print_state state_of(const struct chain *c)
{
	return c->odd & 1 ? PRINT_ODD : c->flags & DCACHE_OP_HASH ? PRINT_PART : PRINT_EVEN;
}

/* The name of an object without a chain is part of its identity: several such objects may share an
 * inode. */
static __always_inline enum print_state print_name(struct print *p, __u64 dentry, const bool fast)
{
	struct dentry *d = fast ? cast(dentry, rn_type_dentry) : (void *)dentry;
	__u64 len = GET(fast, d, d_name.len), at = WORD(fast, dentry, dentry, d_name.name), w;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < 8 * NAME_WORDS; i += 8) {
		if (i >= len)
			break;
		w = word_at(at + i, fast);
		if (len - i < 8)
			w &= (1ULL << ((len - i) * 8 & 63)) - 1;
		blend(p, w, w);
	}
	blend(p, len, len);
	return len <= 8 * NAME_WORDS ? PRINT_EVEN : PRINT_PART;
}

/* A mapping on overlayfs is open on a file of a layer; behind that is the path that the user knows
 * (since 6.8). No flag common to all these kernels says so. But only such a struct file is followed
 * by a path of that kind of file system. */
static __always_inline bool is_backing(__u64 file, const bool fast)
{
	__u64 path, sb, vm, magic;

	if (!bpf_core_field_exists(struct backing_file, user_path))
		return false;
	path = file + bpf_core_field_offset(struct backing_file, user_path);
	vm = WORD(fast, path, path, mnt);
	sb = WORD(fast, vm, vfsmount, mnt_sb);
	if (!sb || WORD(fast, WORD(fast, path, path, dentry), dentry, d_sb) != sb)
		return false;
	magic = WORD(fast, sb, super_block, s_magic);
	return magic == OVERLAYFS_MAGIC || magic == FUSE_SUPER_MAGIC;
}

/* The file's path as its user sees it. */
static __always_inline __u64 path_of_file(__u64 file, struct rn_bpf_file *is)
{
	if (is->backing && bpf_core_field_exists(struct backing_file, user_path))
		return file + bpf_core_field_offset(struct backing_file, user_path);
	return file + bpf_core_field_offset(struct file, f_path);
}

/* The fingerprint of what a file's name depends on, without the chain. `is` identifies the file. */
static __always_inline enum print_state begin_print(struct chain *c, __u64 file,
						    struct rn_bpf_file *is, const bool fast)
{
	__u64 path = path_of_file(file, is), d = WORD(fast, path, path, dentry), vm;

	c->print.a = rn_seed[0] ^ is->ino;
	c->print.b = rn_seed[1] ^ is->ino;
	c->odd = c->flags = 0;
	blend(&c->print, (__u64)is->kind << 32 | is->dev, is->gen);
	if (is->kind == RN_FILE_ANON)
		return print_name(&c->print, d, fast);
	if (is->kind != RN_FILE_PATH)
		return PRINT_EVEN;
	vm = WORD(fast, path, path, mnt);
	c->root = WORD(fast, vm, vfsmount, mnt_root);
	if (d != c->root && d == WORD(fast, d, dentry, d_parent)) {
		/* an object of a file system inside the kernel (memfd): it is its own root */
		blend(&c->print, d, vm);
		return print_name(&c->print, d, fast);
	}
	blend(&c->print, vm, !WORD(fast, d, dentry, d_hash.pprev));
	c->d = d;
	c->m = vm - bpf_core_field_offset(struct mount, mnt);
	return PRINT_CHAIN;
}

/* Climb one step of a chain of any length: that of s->chain. */
INTRINSIC __u64 rn_climb(void)
{
	struct scratch *s = scratch();

	if (!s)
		return 0;
	return rn_cast ? climb(&s->chain, 1, s->head_of_dentry, true)
		       : climb(&s->chain, 1, s->head_of_dentry, false);
}
REPEAT(rn_climbs, WALK_SQUARED, rn_climb())

/* Put the whole fingerprint into s->chain; return an enum print_state. */
INTRINSIC __u64 rn_print(__u64 file, struct rn_bpf_file *is)
{
	struct scratch *s = scratch();
	__u64 state;

	if (!s || !is)
		return PRINT_ODD;
	state = rn_cast ? begin_print(&s->chain, file, is, true)
			: begin_print(&s->chain, file, is, false);
	if (state != PRINT_CHAIN)
		return state;
	for (__u32 i = 0; i < WALK_SQUARED; i++)
		if (!rn_climbs())
			return state_of(&s->chain);
	return PRINT_ODD;
}

/* ---- which name belongs to a fingerprint ---- */

static __always_inline __u64 sum_of(const struct print *p, const struct rn_file_key *k, __u64 round)
{
	__u64 h = ((p->a ^ k->a) * 0xd6e8feb86659fd93ULL ^ p->b) * 0x9fb21c651e98df25ULL;

	return (h ^ h >> 32 ^ round) * 0xd6e8feb86659fd93ULL + k->b;
}

static __always_inline struct name_set *names_of(const struct print *p)
{
	__u32 i = p->a >> (64 - NAME_SETS_BITS);

	return bpf_map_lookup_elem(&rn_names, &i);
}

/* Is a name noted for this fingerprint? Then put it into `name`. */
static __always_inline bool recall(const struct print *p, struct rn_file_key *name)
{
	struct name_set *set = names_of(p);
	struct rn_file_key k;
	__u64 sum;

	if (!set)
		return false;
	for (int i = 0; i < NAME_WAYS; i++) {
		k.a = *(volatile __u64 *)&set->way[i].name.a;
		k.b = *(volatile __u64 *)&set->way[i].name.b;
		sum = *(volatile __u64 *)&set->way[i].sum;
		if (sum == sum_of(p, &k, rn_names_round)) {
			*name = k;
			return true;
		}
	}
	return false;
}

/* round: its value before the text was found to be in `paths`. */
static __always_inline void note(const struct print *p, const struct rn_file_key *name, __u64 round)
{
	struct name_set *set = names_of(p);

	if (!set)
		return;
	set->way[1] = set->way[0];
	set->way[0].name = *name;
	set->way[0].sum = sum_of(p, name, round);
}
#endif
