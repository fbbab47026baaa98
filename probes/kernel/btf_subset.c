/* btf_subset.c - a small BTF image with just the kernel types that the intrinsics are relocated
 * against.
 *
 * libbpf looks up every type of a relocation by name among all given types. Over the kernel's
 * 125,000 that takes tens of milliseconds, over these hundred none. Members keep their names and
 * offsets. Their types are reduced to what relocation compares: structures that are wanted or
 * anonymous, integers, arrays. All pointers are `void *`; anything else is `void`. */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "probes/kernel/btf_subset.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

/* The types of probes/bpf/kernel.bpf.h. */
static const char *const wanted[] = {
	"address_space",
	"backing_file",
	"dentry",
	"dentry_operations",
	"fdtable",
	"file",
	"files_struct",
	"folio",
	"fuse_conn",
	"fuse_dev",
	"fuse_inode",
	"hlist_bl_node",
	"hlist_head",
	"in6_addr",
	"inet_connection_sock",
	"inet_sock",
	"inode",
	"io_buffer_list",
	"io_cqe",
	"io_kiocb",
	"io_ring_ctx",
	"io_rw",
	"io_sr_msg",
	"kiocb",
	"maple_arange_64",
	"maple_range_64",
	"maple_tree",
	"mm_struct",
	"mount",
	"net",
	"ns_common",
	"packet_ring_buffer",
	"packet_sock",
	"path",
	"pid_namespace",
	"pipe_buffer",
	"pipe_inode_info",
	"proc_ns_operations",
	"pt_regs",
	"qstr",
	"rb_node",
	"rb_root",
	"rb_root_cached",
	"rw_semaphore",
	"seqcount",
	"seqcount_spinlock",
	"sock",
	"sock_common",
	"socket",
	"super_block",
	"task_struct",
	"tcp_sock",
	"timespec64",
	"unix_sock",
	"vfsmount",
	"vm_area_struct",
	"xa_node",
	"xarray",
};
/* Other wanted types. An id without a member has another use. */
static const struct {
	const char *name;
	unsigned kind;
	size_t member;
} others[] = {
#define ID(m) offsetof(struct rn_btf_ids, m)
	{"bpf_rdonly_cast", BTF_KIND_FUNC, ID(cast)},
	{"bpf_preempt_disable", BTF_KIND_FUNC, ID(preempt_off)},
	{"bpf_preempt_enable", BTF_KIND_FUNC, ID(preempt_on)},
	{"bpf_session_is_return", BTF_KIND_FUNC, ID(session_return)},
	{"bpf_session_cookie", BTF_KIND_FUNC, ID(session_cookie)},
	{"file", BTF_KIND_STRUCT, ID(file)},
	{"socket", BTF_KIND_STRUCT, ID(socket)},
	{"sock", BTF_KIND_STRUCT, ID(sock)},
	{"tcp_sock", BTF_KIND_STRUCT, ID(tcp)},
	{"task_struct", BTF_KIND_STRUCT, ID(task)},
	{"timespec64", BTF_KIND_STRUCT, ID(word)},
	{"dentry", BTF_KIND_STRUCT, ID(dentry)},
	{"pt_regs", BTF_KIND_STRUCT, ID(regs)},
};
enum {
	WANTED = sizeof(wanted) / sizeof(*wanted),
	OTHERS = sizeof(others) / sizeof(*others),
	PARTS = WANTED + 1 + OTHERS /* 1: pageflags */,
	MAX_TYPES = 20000,
	PTR_ID = 1
};
static_assert((int)PARTS <= (int)RN_BTF_PARTS_MAX, "parts");

struct buffer {
	char *p;
	size_t n, cap;
};
struct subset {
	/* the kernel's; or that of the module fuse over it */
	const struct rn_btf_image *image;
	uint32_t *new_id;      /* by the kernel's id; 0: not taken */
	uint32_t *todo, ntodo; /* kernel's ids in the order of their new ones, from PTR_ID + 1 */
	struct buffer types, strings;
};

static void put(struct buffer *b, const void *p, size_t n)
{
	rn_vec_room_for(b->p, b->n, b->cap, n);
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static uint32_t put_name(struct subset *s, uint32_t name_off)
{
	const char *name = rn_btf_image_str(s->image, name_off);
	uint32_t at = (uint32_t)s->strings.n;

	if (!*name)
		return 0;
	put(&s->strings, name, strlen(name) + 1);
	return at;
}

static bool is_wanted(const char *name)
{
	for (unsigned i = 0; i < WANTED; i++)
		if (wanted[i][0] == name[0] && !strcmp(wanted[i], name))
			return true;
	return false;
}

/* Take a whole kernel type; return its new id. */
static uint32_t take(struct subset *s, uint32_t id)
{
	if (!s->new_id[id] && s->ntodo < MAX_TYPES) {
		s->todo[s->ntodo++] = id;
		s->new_id[id] = PTR_ID + s->ntodo;
	}
	return s->new_id[id];
}

/* Return the new id that stands for a member's type. */
static uint32_t member_type(struct subset *s, uint32_t id)
{
	for (int depth = 0; depth < 32; depth++) {
		const struct btf_type *t = rn_btf_image_type(s->image, id);

		if (!t)
			return 0;
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: id = t->type; continue;
		case BTF_KIND_PTR: return PTR_ID;
		case BTF_KIND_INT:
		case BTF_KIND_ARRAY: return take(s, id);
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			return !t->name_off || is_wanted(rn_btf_image_str(s->image, t->name_off))
				       ? take(s, id)
				       : 0;
		default: return 0;
		}
	}
	return 0;
}

static void copy_type(struct subset *s, uint32_t id)
{
	struct btf_type t = *rn_btf_image_type(s->image, id);
	const void *rest = rn_btf_image_type(s->image, id) + 1;

	t.name_off = put_name(s, t.name_off);
	put(&s->types, &t, sizeof(t));
	if (BTF_INFO_KIND(t.info) == BTF_KIND_INT) {
		put(&s->types, rest, sizeof(uint32_t));
	} else if (BTF_INFO_KIND(t.info) == BTF_KIND_ARRAY) {
		struct btf_array a = *(const struct btf_array *)rest;

		a.type = member_type(s, a.type);
		a.index_type = 0;
		put(&s->types, &a, sizeof(a));
	} else {
		const struct btf_member *m = rest;

		for (unsigned i = 0; i < BTF_INFO_VLEN(t.info); i++) {
			struct btf_member x = m[i];

			x.name_off = put_name(s, x.name_off);
			x.type = member_type(s, x.type);
			put(&s->types, &x, sizeof(x));
		}
	}
}

unsigned rn_btf_parts(struct rn_btf_name *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < WANTED; i++)
		name[n++] = (struct rn_btf_name){wanted[i], BTF_KIND_STRUCT, 0};
	name[n++] = (struct rn_btf_name){"pageflags", BTF_KIND_ENUM, 0};
	for (unsigned i = 0; i < OTHERS; i++)
		name[n++] = (struct rn_btf_name){others[i].name, others[i].kind, 0};
	return n;
}

/* The mask of the flag that marks a page as up to date. */
static uint64_t uptodate(const struct rn_btf_image *m, uint32_t pageflags)
{
	const struct btf_type *t = rn_btf_image_type(m, pageflags);
	const struct btf_enum *e = t ? (const struct btf_enum *)(t + 1) : NULL;

	for (unsigned i = 0; t && i < BTF_INFO_VLEN(t->info); i++)
		if (!strcmp(rn_btf_image_str(m, e[i].name_off), "PG_uptodate") && e[i].val >= 0 &&
		    e[i].val < 64)
			return 1ULL << e[i].val;
	return 0;
}

static void build(struct subset *s, const struct rn_btf_name *v)
{
	struct btf_type ptr = {.info = BTF_KIND_PTR << 24};

	put(&s->strings, "", 1);
	put(&s->types, &ptr, sizeof(ptr));
	for (unsigned i = 0; i < WANTED; i++)
		if (v[i].id)
			take(s, v[i].id);
	for (uint32_t i = 0; i < s->ntodo; i++) /* it grows meanwhile */
		copy_type(s, s->todo[i]);
}

/* Join all of it in one piece of memory. */
static void join(const struct subset *s, struct rn_btf_subset *out)
{
	struct btf_header h = {.magic = BTF_MAGIC,
			       .version = BTF_VERSION,
			       .hdr_len = sizeof(h),
			       .type_len = (uint32_t)s->types.n,
			       .str_off = (uint32_t)s->types.n,
			       .str_len = (uint32_t)s->strings.n};

	out->bytes = sizeof(h) + s->types.n + s->strings.n;
	out->image = rn_malloc(out->bytes);
	memcpy(out->image, &h, sizeof(h));
	memcpy(out->image + sizeof(h), s->types.p, s->types.n);
	memcpy(out->image + sizeof(h) + s->types.n, s->strings.p, s->strings.n);
}

void rn_btf_ids_of(struct rn_btf_ids *ids, const struct rn_btf *btf)
{
	memset(ids, 0, sizeof(*ids));
	for (unsigned i = 0; i < OTHERS; i++)
		*(uint32_t *)((char *)ids + others[i].member) = btf->part[WANTED + 1 + i];
	if (rn_btf_without("bpf_rdonly_cast"))
		ids->cast = 0;
}

void rn_btf_subset_make(struct rn_btf_subset *out, const struct rn_btf *btf,
			const struct rn_btf_image *kernel, struct rn_btf_image *fuse)
{
	struct rn_btf_name name[PARTS];
	struct subset s = {.image = kernel};

	memset(out, 0, sizeof(*out));
	rn_btf_parts(name);
	for (unsigned i = 0; i < PARTS; i++)
		name[i].id = btf->part[i];
	rn_btf_ids_of(&out->ids, btf);
	out->ids.uptodate = uptodate(kernel, btf->part[WANTED]);
	if (fuse && !rn_btf_image_find(fuse, name, WANTED))
		s.image = fuse;
	/* if the module is missing or damaged, its types are not known */
	for (unsigned i = 0; s.image == kernel && i < WANTED; i++)
		name[i].id = name[i].id <= kernel->n ? name[i].id : 0;
	for (unsigned i = 0; i < WANTED; i++)
		out->no_fuse |= !name[i].id && !strcmp(wanted[i], "fuse_conn");
	s.new_id = rn_calloc(kernel->n + (s.image == kernel ? 0 : fuse->n) + 1, sizeof(*s.new_id));
	s.todo = rn_calloc(MAX_TYPES, sizeof(*s.todo));
	build(&s, name);
	join(&s, out);
	free(s.new_id);
	free(s.todo);
	free(s.types.p);
	free(s.strings.p);
}

void rn_btf_subset_free(struct rn_btf_subset *subset)
{
	free(subset->image);
	memset(subset, 0, sizeof(*subset));
}
