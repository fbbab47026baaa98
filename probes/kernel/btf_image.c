/* btf_image.c - see btf_image.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "probes/kernel/btf_image.h"
#include "lang/base/memory.h"

const char *rn_btf_image_str(const struct rn_btf_image *image, uint32_t off)
{
	if (image->base) {
		if (off < image->base->str_len)
			return image->base->strings + off;
		off -= image->base->str_len;
	}
	return off < image->str_len ? image->strings + off : "";
}

const struct btf_type *rn_btf_image_type(const struct rn_btf_image *image, uint32_t id)
{
	if (image->base) {
		if (id <= image->base->n)
			return rn_btf_image_type(image->base, id);
		id -= image->base->n;
	}
	return id && id <= image->n ? rn_btf_image_at(image, image->at[id]) : NULL;
}

/* Bytes of a description: a fixed part for each kind, and what each member adds. Unknown kinds have
 * none. */
static const struct {
	uint8_t head, each;
} sizes[32] = {
#define HEAD(kind, more) [kind] = {sizeof(struct btf_type) + (more), 0}
#define MEMBERS(kind, bytes) [kind] = {sizeof(struct btf_type), bytes}
	HEAD(BTF_KIND_INT, 4),
	HEAD(BTF_KIND_VAR, 4),
	HEAD(BTF_KIND_DECL_TAG, 4),
	HEAD(BTF_KIND_ARRAY, sizeof(struct btf_array)),
	MEMBERS(BTF_KIND_STRUCT, sizeof(struct btf_member)),
	MEMBERS(BTF_KIND_UNION, sizeof(struct btf_member)),
	MEMBERS(BTF_KIND_ENUM, sizeof(struct btf_enum)),
	MEMBERS(BTF_KIND_FUNC_PROTO, sizeof(struct btf_param)),
	MEMBERS(BTF_KIND_DATASEC, sizeof(struct btf_var_secinfo)),
	MEMBERS(BTF_KIND_ENUM64, 12),
	HEAD(BTF_KIND_PTR, 0),
	HEAD(BTF_KIND_FWD, 0),
	HEAD(BTF_KIND_TYPEDEF, 0),
	HEAD(BTF_KIND_VOLATILE, 0),
	HEAD(BTF_KIND_CONST, 0),
	HEAD(BTF_KIND_RESTRICT, 0),
	HEAD(BTF_KIND_FUNC, 0),
	HEAD(BTF_KIND_FLOAT, 0),
	HEAD(BTF_KIND_TYPE_TAG, 0),
};

size_t rn_btf_image_type_bytes(const struct rn_btf_image *image, uint32_t off)
{
	size_t room = off < image->type_len ? image->type_len - off : 0, n;
	uint32_t info;

	if (room < sizeof(struct btf_type))
		return 0;
	info = rn_btf_image_at(image, off)->info;
	n = sizes[BTF_INFO_KIND(info)].head +
	    (size_t)BTF_INFO_VLEN(info) * sizes[BTF_INFO_KIND(info)].each;
	return n <= room ? n : 0;
}

/* ---- finding by name ----
 *
 * Almost no type is wanted, so the cost lies in rejecting types: by the kind, by the first two
 * bytes of the name, by a hash of the whole name. */
enum { STARTS = 1024, BUCKETS = 1024 };
struct finder {
	uint32_t kinds;                   /* set of 1 << kind */
	uint32_t starts[32][STARTS / 32]; /* by kind: set of starts of names */
	/* lists of names with the same hash: index + 1 */
	uint16_t first[BUCKETS], next[RN_BTF_NAMES_MAX];
};

static unsigned start_of(const char *name)
{
	return name[0] ? ((unsigned char)name[0] * 37u + (unsigned char)name[1]) % STARTS : 0;
}

static unsigned bucket_of(const char *name, unsigned kind)
{
	uint32_t h = 2166136261u ^ kind;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (h ^ h >> 15) % BUCKETS;
}

static void want(struct finder *f, const struct rn_btf_name *v, unsigned i)
{
	unsigned start = start_of(v[i].name), bucket = bucket_of(v[i].name, v[i].kind);

	f->kinds |= 1u << v[i].kind;
	f->starts[v[i].kind][start / 32] |= 1u << start % 32;
	f->next[i] = f->first[bucket];
	f->first[bucket] = (uint16_t)(i + 1);
}

static void meet(const struct finder *f, struct rn_btf_name *v, const char *name, unsigned kind,
		 uint32_t id)
{
	unsigned start = start_of(name);

	if (!(f->starts[kind][start / 32] >> start % 32 & 1))
		return;
	for (unsigned i = f->first[bucket_of(name, kind)]; i; i = f->next[i - 1])
		if (!v[i - 1].id && v[i - 1].kind == kind && !strcmp(v[i - 1].name, name))
			v[i - 1].id = id;
}

int rn_btf_image_find(struct rn_btf_image *image, struct rn_btf_name *name, unsigned n)
{
	struct finder f = {0};
	uint32_t base = image->base ? image->base->n : 0;

	for (unsigned i = 0; i < n && i < RN_BTF_NAMES_MAX; i++)
		if (!name[i].id)
			want(&f, name, i);
	free(image->at);
	image->n = 0;
	image->at = rn_malloc((image->type_len / sizeof(struct btf_type) + 2) * sizeof(*image->at));
	for (uint32_t off = 0, bytes; off < image->type_len; off += bytes) {
		const struct btf_type *t = rn_btf_image_at(image, off);
		unsigned kind;

		bytes = (uint32_t)rn_btf_image_type_bytes(image, off);
		if (!bytes)
			return -EBADMSG;
		image->at[++image->n] = off;
		kind = BTF_INFO_KIND(t->info);
		if (f.kinds >> kind & 1 && t->name_off)
			meet(&f, name, rn_btf_image_str(image, t->name_off), kind, base + image->n);
	}
	return 0;
}

int rn_btf_image_parse(struct rn_btf_image *out, const void *image, size_t bytes,
		       struct rn_err *err)
{
	const struct btf_header *h = image;
	size_t room;

	memset(out, 0, sizeof(*out));
	if (bytes < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h) ||
	    h->hdr_len > bytes)
		return rn_err_set(err, -EBADMSG,
				  "the kernel's type information (BTF) has a bad header");
	room = bytes - h->hdr_len;
	if (h->type_off > room || h->type_len > room - h->type_off || h->str_off > room ||
	    h->str_len > room - h->str_off || (h->hdr_len + h->type_off) % 4 || !h->str_len)
		return rn_err_set(
			err, -EBADMSG,
			"the kernel's type information (BTF) has a section out of bounds");
	out->types = (const char *)image + h->hdr_len + h->type_off;
	out->type_len = h->type_len;
	out->strings = (const char *)image + h->hdr_len + h->str_off;
	out->str_len = h->str_len;
	if (out->strings[out->str_len - 1])
		return rn_err_set(err, -EBADMSG,
				  "the kernel's type information (BTF) has an unfinished string");
	return 0;
}

void rn_btf_image_close(struct rn_btf_image *image)
{
	if (image->map)
		munmap(image->map, image->bytes);
	free(image->copy);
	free(image->at);
	memset(image, 0, sizeof(*image));
}
