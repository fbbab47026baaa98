/* btf_subset.c - a small BTF image with just the kernel types that the intrinsics are relocated against.
 *
 * libbpf looks every type of a relocation up by name among all the types it is given: over the kernel's 125,000 that takes tens of
 * milliseconds, over these hundred none. Members keep their names and offsets. Of their types is kept what relocation compares:
 * structures that are wanted or anonymous, integers, arrays; all pointers are `void *`, anything else is `void`. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "probes/btf.h"
#include "probes/btf_image.h"
#include "probes/btf_subset.h"

/* The types of probes/bpf/kernel.h. */
static const char *const wanted[] = {
	"address_space", "dentry", "fdtable", "file", "files_struct", "folio", "fuse_conn", "fuse_dev", "hlist_bl_node", "in6_addr", "inet_connection_sock",
	"inet_sock", "inode", "io_buffer_list", "io_cqe", "io_kiocb", "io_ring_ctx", "io_rw", "io_sr_msg", "kiocb",
	"maple_arange_64", "maple_range_64", "maple_tree", "mm_struct", "mount",
	"net", "ns_common", "path", "pipe_buffer", "pipe_inode_info", "pt_regs", "qstr", "rb_node", "rb_root",
	"rb_root_cached", "rw_semaphore", "sock", "sock_common", "socket", "super_block",
	"task_struct", "tcp_sock", "timespec64", "unix_sock", "vfsmount", "vm_area_struct", "xa_node", "xarray",
};
enum { WANTED = sizeof(wanted) / sizeof(*wanted), MAX_TYPES = 20000, PTR_ID = 1 };

struct buffer { char *p; size_t n, cap; };
struct subset {
	struct rn_btf_image m, module;        /* module: fuse, if it is one; its types come after the kernel's */
	uint32_t *at, n, *module_at, nmodule; /* offsets of the types */
	uint32_t *new_id;        /* by the kernel's id; 0: not taken */
	uint32_t *todo, ntodo;   /* kernel's ids in the order of their new ones, from PTR_ID + 1 */
	struct buffer types, strings;
	struct rn_btf_ids ids;
	bool failed;
};

static void put(struct subset *s, struct buffer *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		size_t cap = (b->n + n) * 2 + 4096;
		char *q = realloc(b->p, cap);
		if (!q) {
			s->failed = true;
			return;
		}
		b->p = q;
		b->cap = cap;
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static const char *string(const struct subset *s, uint32_t off)
{
	return off < s->m.str_len || !s->nmodule ? rn_btf_image_str(&s->m, off) : rn_btf_image_str(&s->module, off - s->m.str_len);
}

static uint32_t put_name(struct subset *s, uint32_t name_off)
{
	const char *name = string(s, name_off);
	uint32_t at = (uint32_t)s->strings.n;

	if (!*name)
		return 0;
	put(s, &s->strings, name, strlen(name) + 1);
	return at;
}

static const struct btf_type *type_of(const struct subset *s, uint32_t id)
{
	if (id > s->n)
		return id - s->n <= s->nmodule ? rn_btf_image_at(&s->module, s->module_at[id - s->n]) : NULL;
	return id ? rn_btf_image_at(&s->m, s->at[id]) : NULL;
}

static bool is_wanted(const char *name)
{
	for (unsigned i = 0; i < WANTED; i++)
		if (wanted[i][0] == name[0] && !strcmp(wanted[i], name))
			return true;
	return false;
}

/* The new id of a kernel type that is taken whole. */
static uint32_t take(struct subset *s, uint32_t id)
{
	if (!s->new_id[id] && s->ntodo < MAX_TYPES) {
		s->todo[s->ntodo++] = id;
		s->new_id[id] = PTR_ID + s->ntodo;
	}
	return s->new_id[id];
}

/* The new id that stands for a member's type. */
static uint32_t member_type(struct subset *s, uint32_t id)
{
	for (int depth = 0; depth < 32; depth++) {
		const struct btf_type *t = type_of(s, id);
		if (!t)
			return 0;
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF: case BTF_KIND_CONST: case BTF_KIND_VOLATILE: case BTF_KIND_RESTRICT: case BTF_KIND_TYPE_TAG:
			id = t->type;
			continue;
		case BTF_KIND_PTR: return PTR_ID;
		case BTF_KIND_INT: case BTF_KIND_ARRAY: return take(s, id);
		case BTF_KIND_STRUCT: case BTF_KIND_UNION:
			return !t->name_off || is_wanted(string(s, t->name_off)) ? take(s, id) : 0;
		default: return 0;
		}
	}
	return 0;
}

static void copy_type(struct subset *s, uint32_t id)
{
	struct btf_type t = *type_of(s, id);
	const void *rest = type_of(s, id) + 1;

	t.name_off = put_name(s, t.name_off);
	put(s, &s->types, &t, sizeof(t));
	if (BTF_INFO_KIND(t.info) == BTF_KIND_INT) {
		put(s, &s->types, rest, sizeof(uint32_t));
	} else if (BTF_INFO_KIND(t.info) == BTF_KIND_ARRAY) {
		struct btf_array a = *(const struct btf_array *)rest;
		a.type = member_type(s, a.type);
		a.index_type = 0;
		put(s, &s->types, &a, sizeof(a));
	} else {
		const struct btf_member *m = rest;
		for (unsigned i = 0; i < BTF_INFO_VLEN(t.info); i++) {
			struct btf_member x = m[i];
			x.name_off = put_name(s, x.name_off);
			x.type = member_type(s, x.type);
			put(s, &s->types, &x, sizeof(x));
		}
	}
}

/* Functions of the kernel that programs call. */
static void take_function(struct rn_btf_ids *ids, const char *name, uint32_t id)
{
	if (!strcmp(name, "bpf_rdonly_cast"))
		ids->cast = id;
	else if (!strcmp(name, "bpf_preempt_disable"))
		ids->preempt_off = id;
	else if (!strcmp(name, "bpf_preempt_enable"))
		ids->preempt_on = id;
}

/* The mask of the flag of a page whose content is what it should be. */
static void find_uptodate(struct subset *s, const struct btf_type *t)
{
	const struct btf_enum *e = (const struct btf_enum *)(t + 1);

	if (strcmp(string(s, t->name_off), "pageflags"))
		return;
	for (unsigned i = 0; i < BTF_INFO_VLEN(t->info); i++)
		if (!strcmp(string(s, e[i].name_off), "PG_uptodate") && e[i].val < 64)
			s->ids.uptodate = 1ULL << e[i].val;
}

static void build(struct subset *s)
{
	bool have[WANTED] = {false};
	struct btf_type ptr = {.info = BTF_KIND_PTR << 24};

	put(s, &s->strings, "", 1);
	put(s, &s->types, &ptr, sizeof(ptr));
	for (uint32_t id = 1; id <= s->n + s->nmodule; id++) {
		const struct btf_type *t = type_of(s, id);
		unsigned kind = BTF_INFO_KIND(t->info);
		if (kind == BTF_KIND_ENUM && t->name_off)
			find_uptodate(s, t);
		if ((kind != BTF_KIND_STRUCT && kind != BTF_KIND_FUNC) || !t->name_off)
			continue;
		const char *name = string(s, t->name_off);
		if (kind == BTF_KIND_FUNC) {
			if (!strncmp(name, "bpf_", 4))
				take_function(&s->ids, name, id);
			continue;
		}
		for (unsigned i = 0; i < WANTED; i++)
			if (!have[i] && wanted[i][0] == name[0] && !strcmp(wanted[i], name)) {
				have[i] = true;
				take(s, id);
				if (!strcmp(name, "file"))
					s->ids.file = id;
				else if (!strcmp(name, "socket"))
					s->ids.socket = id;
				else if (!strcmp(name, "sock"))
					s->ids.sock = id;
				else if (!strcmp(name, "tcp_sock"))
					s->ids.tcp = id;
				else if (!strcmp(name, "task_struct"))
					s->ids.task = id;
				else if (!strcmp(name, "timespec64"))
					s->ids.word = id;
			}
	}
	for (uint32_t i = 0; i < s->ntodo && !s->failed; i++) /* grows meanwhile */
		copy_type(s, s->todo[i]);
}

static int to_memfd(const struct subset *s)
{
	struct btf_header h = {.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h), .type_len = (uint32_t)s->types.n,
			       .str_off = (uint32_t)s->types.n, .str_len = (uint32_t)s->strings.n};
	int fd = memfd_create("btf", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, &h, sizeof(h)) == sizeof(h) && write(fd, s->types.p, s->types.n) == (ssize_t)s->types.n &&
	    write(fd, s->strings.p, s->strings.n) == (ssize_t)s->strings.n)
		return fd;
	close(fd);
	return -EIO;
}

/* Without it, what is in it is not known. */
static void open_module(struct subset *s)
{
	struct rn_err none = {0};
	int n;

	if (rn_btf_image_open_module(&s->module, "fuse", &none))
		return;
	n = rn_btf_image_index(&s->module, &s->module_at);
	s->nmodule = n < 0 ? 0 : (uint32_t)n;
}

int rn_btf_subset(struct rn_btf_ids *ids, struct rn_err *err)
{
	struct subset s = {0};
	int ret = rn_btf_image_open(&s.m, err), n;

	if (ret)
		return ret;
	n = rn_btf_image_index(&s.m, &s.at);
	s.n = n < 0 ? 0 : (uint32_t)n;
	open_module(&s);
	s.new_id = calloc(s.n + s.nmodule + 1, sizeof(*s.new_id));
	s.todo = calloc(MAX_TYPES, sizeof(*s.todo));
	if (n < 0 || !s.new_id || !s.todo) {
		ret = rn_err_set(err, n < 0 ? n : -ENOMEM, "the kernel's type information (BTF) cannot be read");
	} else {
		build(&s);
		*ids = s.ids;
		ret = s.failed ? -ENOMEM : to_memfd(&s);
		if (ret < 0)
			rn_err_set(err, ret, "a part of the kernel's type information cannot be kept: %s", strerror(-ret));
	}
	free(s.at);
	free(s.module_at);
	free(s.new_id);
	free(s.todo);
	free(s.types.p);
	free(s.strings.p);
	rn_btf_image_close(&s.module);
	rn_btf_image_close(&s.m);
	return ret;
}
