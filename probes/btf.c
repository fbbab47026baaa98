/* btf.c - one pass over the kernel's types; see btf.h.
 *
 * The image is checked as it is read: no offset leaves its section, so that a damaged image gives an error, not a crash. The pass
 * notes where each type begins (anonymous members are followed by id) and remembers the wanted structures it meets. */
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "probes/btf.h"

static const struct { const char *strct, *member; } wanted[RN_BM_COUNT] = {
#define X(n, s, m) {s, m},
	RN_BTF_MEMBERS(X)
#undef X
};
static const char *const traces[RN_BT_COUNT] = {
#define X(n) #n,
	RN_BTF_TRACES(X)
#undef X
};

struct image {
	const char *types, *strings;
	uint32_t type_len, str_len, ntypes;
	uint32_t *at; /* offset of type id i, from 1 */
};

static const char *str(const struct image *m, uint32_t off)
{
	return off < m->str_len ? m->strings + off : "";
}

/* Bytes of a type's description; 0 for a kind that is not known. */
static size_t type_bytes(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info), head = sizeof(*t);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT: case BTF_KIND_VAR: case BTF_KIND_DECL_TAG: return head + 4;
	case BTF_KIND_ARRAY: return head + sizeof(struct btf_array);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION: return head + n * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return head + n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO: return head + n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return head + n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64: return head + n * 12;
	case BTF_KIND_PTR: case BTF_KIND_FWD: case BTF_KIND_TYPEDEF: case BTF_KIND_VOLATILE: case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT: case BTF_KIND_FUNC: case BTF_KIND_FLOAT: case BTF_KIND_TYPE_TAG: return head;
	default: return 0;
	}
}

static const struct btf_type *type_of(const struct image *m, uint32_t id)
{
	return id && id <= m->ntypes ? (const struct btf_type *)(m->types + m->at[id]) : NULL;
}

/* Looks the wanted members of structure s up in t, which lies base_bits into it: t itself, or an anonymous part of it. */
static void take_members(const struct image *m, struct rn_btf *b, const char *s, const struct btf_type *t, uint32_t base_bits,
			 int depth)
{
	const struct btf_member *mem = (const struct btf_member *)(t + 1);

	for (unsigned i = 0; i < BTF_INFO_VLEN(t->info); i++, mem++) {
		uint32_t bits = base_bits + (BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(mem->offset) : mem->offset);
		if (!mem->name_off) {
			const struct btf_type *in = type_of(m, mem->type);
			unsigned kind = in ? BTF_INFO_KIND(in->info) : 0;
			if ((kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) && depth < 8)
				take_members(m, b, s, in, bits, depth + 1);
			continue;
		}
		const char *name = str(m, mem->name_off);
		for (unsigned w = 0; w < RN_BM_COUNT; w++)
			if (b->off[w] < 0 && wanted[w].member[0] == name[0] && !strcmp(wanted[w].strct, s) &&
			    !strcmp(wanted[w].member, name))
				b->off[w] = (int32_t)(bits / 8);
	}
}

static void take_trace(const struct image *m, struct rn_btf *b, const struct btf_type *t, uint32_t id)
{
	const char *name = str(m, t->name_off);

	if (strncmp(name, "btf_trace_", 10))
		return;
	for (unsigned i = 0; i < RN_BT_COUNT; i++)
		if (!b->trace[i] && !strcmp(name + 10, traces[i]))
			b->trace[i] = id;
}

/* Index of the first wanted member of the structure of that name; -1: not wanted. */
static int wanted_struct(const char *name)
{
	for (int w = 0; w < RN_BM_COUNT; w++)
		if (wanted[w].strct[0] == name[0] && !strcmp(wanted[w].strct, name))
			return w;
	return -1;
}

static int scan_types(struct image *m, struct rn_btf *b)
{
	uint32_t found[RN_BM_COUNT] = {0}, cap = m->type_len / sizeof(struct btf_type) + 2;
	bool first[256] = {false};

	m->at = malloc(cap * sizeof(*m->at));
	if (!m->at)
		return -ENOMEM;
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		first[(unsigned char)wanted[w].strct[0]] = true;
	for (uint32_t off = 0; off < m->type_len;) {
		const struct btf_type *t = (const struct btf_type *)(m->types + off);
		size_t n = m->type_len - off < sizeof(*t) ? 0 : type_bytes(t);
		if (!n || n > m->type_len - off)
			return -EBADMSG;
		m->at[++m->ntypes] = off;
		off += (uint32_t)n;
		unsigned kind = BTF_INFO_KIND(t->info);
		if (kind == BTF_KIND_TYPEDEF) {
			take_trace(m, b, t, m->ntypes);
		} else if (kind == BTF_KIND_STRUCT && t->name_off && first[(unsigned char)*str(m, t->name_off)]) {
			int w = wanted_struct(str(m, t->name_off));
			if (w >= 0 && !found[w])
				found[w] = m->ntypes;
		}
	}
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		if (found[w])
			take_members(m, b, wanted[w].strct, type_of(m, found[w]), 0, 0);
	return 0;
}

/* Finds the sections of a BTF image. */
static int open_image(struct image *m, const void *image, size_t bytes, struct rn_err *err)
{
	const struct btf_header *h = image;

	memset(m, 0, sizeof(*m));
	if (bytes < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h) || h->hdr_len > bytes)
		return rn_err_set(err, -EBADMSG, "the kernel's type information (BTF) has a bad header");
	size_t room = bytes - h->hdr_len;
	if (h->type_off > room || h->type_len > room - h->type_off || h->str_off > room || h->str_len > room - h->str_off ||
	    (h->hdr_len + h->type_off) % 4 || !h->str_len)
		return rn_err_set(err, -EBADMSG, "the kernel's type information (BTF) has a section out of bounds");
	m->types = (const char *)image + h->hdr_len + h->type_off;
	m->type_len = h->type_len;
	m->strings = (const char *)image + h->hdr_len + h->str_off;
	m->str_len = h->str_len;
	if (m->strings[m->str_len - 1])
		return rn_err_set(err, -EBADMSG, "the kernel's type information (BTF) has an unfinished string");
	return 0;
}

int rn_btf_scan(struct rn_btf *b, const void *image, unsigned long bytes, struct rn_err *err)
{
	struct image m;
	int ret = open_image(&m, image, bytes, err);

	memset(b, 0, sizeof(*b));
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		b->off[w] = -1;
	if (ret)
		return ret;
	ret = scan_types(&m, b);
	free(m.at);
	return ret ? rn_err_set(err, ret, "the kernel's type information (BTF) is damaged") : 0;
}

/* The kernel's own BTF in memory. */
struct file { void *map, *copy; size_t bytes; };

static int open_file(struct file *f, struct rn_err *err)
{
	static const char path[] = "/sys/kernel/btf/vmlinux";
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	struct stat st;
	size_t got = 0;

	*f = (struct file){.map = MAP_FAILED};
	if (fd < 0) {
		ret = -errno;
		rn_err_set(err, ret, "the kernel's type information cannot be opened: %s: %s", path, strerror(-ret));
		rn_err_hint(err, "the kernel must be built with CONFIG_DEBUG_INFO_BTF=y");
		return ret;
	}
	if (fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return rn_err_set(err, -EIO, "%s is empty", path);
	}
	f->bytes = (size_t)st.st_size;
	/* Kernels from 6.16 on let it be mapped; others make us copy. */
	f->map = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	f->copy = f->map == MAP_FAILED ? malloc(f->bytes) : NULL;
	while (f->copy && got < f->bytes) {
		ssize_t r = read(fd, (char *)f->copy + got, f->bytes - got);
		if (r <= 0)
			break;
		got += (size_t)r;
	}
	close(fd);
	if (f->map == MAP_FAILED && got < f->bytes) {
		free(f->copy);
		return rn_err_set(err, -EIO, "%s cannot be read", path);
	}
	return 0;
}

static void close_file(struct file *f)
{
	if (f->map != MAP_FAILED)
		munmap(f->map, f->bytes);
	free(f->copy);
}

int rn_btf_read(struct rn_btf *b, struct rn_err *err)
{
	struct file f;
	int ret = open_file(&f, err);

	if (ret)
		return ret;
	ret = rn_btf_scan(b, f.copy ? f.copy : f.map, f.bytes, err);
	close_file(&f);
	return ret;
}

uint32_t rn_btf_find(const char *name, unsigned kind)
{
	uint32_t id = 0, found = 0;
	struct image m;
	struct file f;

	if (open_file(&f, NULL))
		return 0;
	if (!open_image(&m, f.copy ? f.copy : f.map, f.bytes, NULL)) {
		for (uint32_t off = 0; off < m.type_len && !found;) {
			const struct btf_type *t = (const struct btf_type *)(m.types + off);
			size_t n = m.type_len - off < sizeof(*t) ? 0 : type_bytes(t);
			if (!n || n > m.type_len - off)
				break;
			id++;
			off += (uint32_t)n;
			if (BTF_INFO_KIND(t->info) == kind && !strcmp(str(&m, t->name_off), name))
				found = id;
		}
	}
	close_file(&f);
	return found;
}

const char *rn_btf_member_name(enum rn_btf_member i)
{
	static const char *const names[RN_BM_COUNT] = {
#define X(n, s, m) s "." m,
		RN_BTF_MEMBERS(X)
#undef X
	};
	return names[i];
}
