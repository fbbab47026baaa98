/* btf.c - one pass over the kernel's types; see btf.h. It remembers the wanted structures it meets and then looks their members up. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "probes/btf.h"
#include "probes/btf_image.h"

static const struct { const char *strct, *member; } wanted[RN_BM_COUNT] = {
#define X(n, s, m) {s, m},
	RN_BTF_MEMBERS(X)
#undef X
};
struct types {
	struct rn_btf_image image;
	uint32_t *at, n; /* offset of type id i, from 1 */
};

static const char *str(const struct types *m, uint32_t off)
{
	return rn_btf_image_str(&m->image, off);
}

static const struct btf_type *type_of(const struct types *m, uint32_t id)
{
	return id && id <= m->n ? rn_btf_image_at(&m->image, m->at[id]) : NULL;
}

/* Looks the wanted members of structure s up in t, which lies base_bits into it: t itself, or an anonymous part of it. */
static void take_members(const struct types *m, struct rn_btf *b, const char *s, const struct btf_type *t, uint32_t base_bits,
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

/* How many arguments a tracepoint has: the typedef's is a pointer to a function, whose first is not the tracepoint's. */
static uint8_t trace_args(const struct types *m, const struct btf_type *t)
{
	const struct btf_type *ptr = type_of(m, t->type), *proto = ptr && BTF_INFO_KIND(ptr->info) == BTF_KIND_PTR ? type_of(m, ptr->type) : NULL;

	return proto && BTF_INFO_KIND(proto->info) == BTF_KIND_FUNC_PROTO && BTF_INFO_VLEN(proto->info) ?
		(uint8_t)(BTF_INFO_VLEN(proto->info) - 1) : 0;
}

bool rn_btf_without(const char *tracepoint)
{
	const char *at = getenv("RUNNEL_WITHOUT");

	for (size_t n; at && *at; at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		if (strlen(tracepoint) == n && !strncmp(tracepoint, at, n))
			return true;
	}
	return false;
}

static void take_trace(const struct types *m, struct rn_btf *b, const struct btf_type *t, uint32_t id)
{
	const char *name = str(m, t->name_off);
	const struct rn_hook_row *row;

	if (strncmp(name, "btf_trace_", 10) || rn_btf_without(name + 10))
		return;
	for (unsigned i = 0; (row = rn_hook_row(i)); i++)
		if (row->trace && !b->trace[i] && !strcmp(name + 10, row->trace)) {
			b->trace[i] = id;
			b->nargs[i] = trace_args(m, t);
		}
}

/* Index of the first wanted member of the structure of that name; -1: not wanted. */
static int wanted_struct(const char *name)
{
	for (int w = 0; w < RN_BM_COUNT; w++)
		if (wanted[w].strct[0] == name[0] && !strcmp(wanted[w].strct, name))
			return w;
	return -1;
}

static int scan_types(struct types *m, struct rn_btf *b)
{
	uint32_t found[RN_BM_COUNT] = {0};
	bool first[256] = {false};
	int n = rn_btf_image_index(&m->image, &m->at);

	if (n < 0)
		return n;
	m->n = (uint32_t)n;
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		first[(unsigned char)wanted[w].strct[0]] = true;
	for (uint32_t id = 1; id <= m->n; id++) {
		const struct btf_type *t = type_of(m, id);
		unsigned kind = BTF_INFO_KIND(t->info);
		if (kind == BTF_KIND_TYPEDEF) {
			take_trace(m, b, t, id);
		} else if (kind == BTF_KIND_STRUCT && t->name_off && first[(unsigned char)*str(m, t->name_off)]) {
			int w = wanted_struct(str(m, t->name_off));
			if (w >= 0 && !found[w])
				found[w] = id;
		}
	}
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		if (found[w])
			take_members(m, b, wanted[w].strct, type_of(m, found[w]), 0, 0);
	return 0;
}

static int scan_image(struct rn_btf *b, const struct rn_btf_image *image, struct rn_err *err)
{
	struct types m = {.image = *image};
	int ret;

	memset(b, 0, sizeof(*b));
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		b->off[w] = -1;
	ret = scan_types(&m, b);
	free(m.at);
	return ret ? rn_err_set(err, ret, "the kernel's type information (BTF) is damaged") : 0;
}

int rn_btf_scan(struct rn_btf *b, const void *image, unsigned long bytes, struct rn_err *err)
{
	struct rn_btf_image m;
	int ret = rn_btf_image_parse(&m, image, bytes, err);

	return ret ? ret : scan_image(b, &m, err);
}

int rn_btf_read(struct rn_btf *b, struct rn_err *err)
{
	struct rn_btf_image m;
	int ret = rn_btf_image_open(&m, err);

	if (ret)
		return ret;
	ret = scan_image(b, &m, err);
	rn_btf_image_close(&m);
	return ret;
}

struct trace_name { const char *name; unsigned at; };

static int by_trace_name(const void *a, const void *b)
{
	return strcmp(((const struct trace_name *)a)->name, ((const struct trace_name *)b)->name);
}

/* Names without their system. One that stands twice is nothing's. */
static unsigned trace_names(const struct rn_tp_match *v, unsigned n, struct trace_name *names)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		names[i] = (struct trace_name){strchr(v[i].name, ':') + 1, i};
	qsort(names, n, sizeof(*names), by_trace_name);
	for (unsigned i = 0; i < n; i++)
		if ((!i || strcmp(names[i - 1].name, names[i].name)) && (i + 1 == n || strcmp(names[i + 1].name, names[i].name)))
			names[kept++] = names[i];
	return kept;
}

void rn_btf_traces(const struct rn_tp_match *v, unsigned n, bool *has)
{
	struct trace_name *names = calloc(n + 1, sizeof(*names));
	unsigned kept = names ? trace_names(v, n, names) : 0;
	struct rn_btf_image m;
	size_t bytes;

	memset(has, 0, n * sizeof(*has));
	if (kept && !rn_btf_image_open(&m, NULL)) {
		for (uint32_t off = 0; (bytes = rn_btf_image_type_bytes(&m, off)); off += (uint32_t)bytes) {
			const struct btf_type *t = rn_btf_image_at(&m, off);
			const char *name = BTF_INFO_KIND(t->info) == BTF_KIND_TYPEDEF ? rn_btf_image_str(&m, t->name_off) : "";
			const struct trace_name *found;
			struct trace_name key;

			if (strncmp(name, "btf_trace_", 10) || rn_btf_without(name + 10))
				continue;
			key = (struct trace_name){name + 10, 0};
			found = bsearch(&key, names, kept, sizeof(*names), by_trace_name);
			if (found)
				has[found->at] = true;
		}
		rn_btf_image_close(&m);
	}
	free(names);
}

uint32_t rn_btf_find(const char *name, unsigned kind)
{
	uint32_t id = 0, found = 0;
	struct rn_btf_image m;
	size_t bytes;

	if (rn_btf_image_open(&m, NULL))
		return 0;
	for (uint32_t off = 0; !found && (bytes = rn_btf_image_type_bytes(&m, off)); off += (uint32_t)bytes) {
		const struct btf_type *t = rn_btf_image_at(&m, off);
		id++;
		if (BTF_INFO_KIND(t->info) == kind && !strcmp(rn_btf_image_str(&m, t->name_off), name))
			found = id;
	}
	rn_btf_image_close(&m);
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
