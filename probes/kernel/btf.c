/* btf.c - one pass over the kernel's types; see btf.h. It finds all wanted names, then looks up the
 * members of structures. */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "probes/kernel/btf.h"
#include "probes/kernel/btf_image.h"
#include "probes/kernel/btf_subset.h"
#include "lang/base/memory.h"

static const struct {
	const char *strct, *member;
} wanted[RN_BM_COUNT] = {
#define X(n, s, m) {s, m},
	RN_BTF_MEMBERS(X)
#undef X
};
/* Look up the wanted members of structure s in t, which lies base_bits into it: t is s itself, or
 * an anonymous part of it. */
static void take_members(const struct rn_btf_image *image, struct rn_btf *btf, const char *s,
			 const struct btf_type *t, uint32_t base_bits, int depth)
{
	const struct btf_member *mem = (const struct btf_member *)(t + 1);

	for (unsigned i = 0; i < BTF_INFO_VLEN(t->info); i++, mem++) {
		uint32_t bits =
			base_bits + (BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(mem->offset)
							     : mem->offset);
		const char *name;

		if (!mem->name_off) {
			const struct btf_type *in = rn_btf_image_type(image, mem->type);
			unsigned kind = in ? BTF_INFO_KIND(in->info) : 0;

			if ((kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) && depth < 8)
				take_members(image, btf, s, in, bits, depth + 1);
			continue;
		}
		name = rn_btf_image_str(image, mem->name_off);
		for (unsigned w = 0; w < RN_BM_COUNT; w++)
			if (btf->off[w] < 0 && wanted[w].member[0] == name[0] &&
			    !strcmp(wanted[w].strct, s) && !strcmp(wanted[w].member, name))
				btf->off[w] = (int32_t)(bits / 8);
	}
}

/* The number of a tracepoint's arguments: its typedef is a pointer to a function, whose first
 * argument is not the tracepoint's. */
static uint8_t trace_args(const struct rn_btf_image *m, const struct btf_type *t)
{
	/* an iterator: the prototype of its function */
	const struct btf_type *ptr = rn_btf_image_type(m, t->type);
	const struct btf_type *proto = ptr && BTF_INFO_KIND(ptr->info) == BTF_KIND_PTR
					       ? rn_btf_image_type(m, ptr->type)
					       : NULL;

	return proto && BTF_INFO_KIND(proto->info) == BTF_KIND_FUNC_PROTO &&
			       BTF_INFO_VLEN(proto->info)
		       ? (uint8_t)(BTF_INFO_VLEN(proto->info) - 1)
		       : 0;
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

/* All names that the pass looks for, in this order: the structures of the wanted members, one by
 * one; the tracepoints and iterators, by number; the names for rn_btf_subset. */
enum { NAMES = RN_BM_COUNT + RN_BTF_TRACES_MAX + RN_BTF_PARTS_MAX };
static_assert((int)NAMES <= (int)RN_BTF_NAMES_MAX, "names");
struct names {
	struct rn_btf_name list[NAMES];
	char trace[RN_BTF_TRACES_MAX][64];
	unsigned n;
};

static void list_names(struct names *f, const struct rn_btf_trace *want, unsigned nwant)
{
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		f->list[w] = (struct rn_btf_name){wanted[w].strct, BTF_KIND_STRUCT, 0};
	for (unsigned i = 0; i < nwant; i++) {
		if (want[i].name && !rn_btf_without(want[i].name))
			snprintf(f->trace[i], sizeof(f->trace[0]), "%s%s",
				 want[i].iterator ? "bpf_iter_" : "btf_trace_", want[i].name);
		f->list[RN_BM_COUNT + i] = (struct rn_btf_name){
			f->trace[i], want[i].iterator ? BTF_KIND_FUNC : BTF_KIND_TYPEDEF, 0};
	}
	f->n = RN_BM_COUNT + nwant;
	f->n += rn_btf_parts(f->list + f->n);
}

int rn_btf_take(struct rn_btf *btf, struct rn_btf_image *image, const struct rn_btf_trace *want,
		unsigned nwant, struct rn_err *err)
{
	struct names *f = rn_calloc(1, sizeof(*f));
	int ret;

	assert(nwant <= RN_BTF_TRACES_MAX);
	memset(btf, 0, sizeof(*btf));
	for (unsigned w = 0; w < RN_BM_COUNT; w++)
		btf->off[w] = -1;
	list_names(f, want, nwant);
	ret = rn_btf_image_find(image, f->list, f->n);
	for (unsigned w = 0; !ret && w < RN_BM_COUNT; w++)
		/* a structure's first wanted member finds all of them */
		if (f->list[w].id && btf->off[w] < 0)
			take_members(image, btf, wanted[w].strct,
				     rn_btf_image_type(image, f->list[w].id), 0, 0);
	for (unsigned i = 0; !ret && i < nwant; i++) {
		btf->trace[i] = f->list[RN_BM_COUNT + i].id;
		btf->nargs[i] = btf->trace[i]
					? trace_args(image, rn_btf_image_type(image, btf->trace[i]))
					: 0;
	}
	for (unsigned i = RN_BM_COUNT + nwant; !ret && i < f->n; i++)
		btf->part[i - RN_BM_COUNT - nwant] = f->list[i].id;
	free(f);
	return ret ? rn_err_set(err, ret, "the kernel's type information (BTF) is damaged") : 0;
}

int rn_btf_scan(struct rn_btf *btf, const void *image, unsigned long bytes,
		const struct rn_btf_trace *want, unsigned nwant, struct rn_err *err)
{
	struct rn_btf_image m;
	int ret = rn_btf_image_parse(&m, image, bytes, err);

	if (!ret)
		ret = rn_btf_take(btf, &m, want, nwant, err);
	rn_btf_image_close(&m);
	return ret;
}

struct trace_name {
	const char *name;
	unsigned at;
};

static int by_trace_name(const void *a, const void *b)
{
	return strcmp(((const struct trace_name *)a)->name, ((const struct trace_name *)b)->name);
}

/* Names without their system. A name that occurs twice counts for no tracepoint. */
static unsigned trace_names(const char *const *v, unsigned n, struct trace_name *names)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		names[i] = (struct trace_name){strchr(v[i], ':') + 1, i};
	qsort(names, n, sizeof(*names), by_trace_name);
	for (unsigned i = 0; i < n; i++)
		if ((!i || strcmp(names[i - 1].name, names[i].name)) &&
		    (i + 1 == n || strcmp(names[i + 1].name, names[i].name)))
			names[kept++] = names[i];
	return kept;
}

void rn_btf_traces(const struct rn_btf_image *kernel, const char *const *v, unsigned n, bool *has)
{
	struct trace_name *names = rn_calloc(n + 1, sizeof(*names));
	unsigned kept = trace_names(v, n, names);
	const struct rn_btf_image *image = kernel;
	struct rn_btf_image own;
	size_t bytes;

	memset(has, 0, n * sizeof(*has));
	if (kept && !image)
		image = rn_btf_image_open(&own, NULL) ? NULL : &own;
	if (kept && image) {
		for (uint32_t off = 0; (bytes = rn_btf_image_type_bytes(image, off));
		     off += (uint32_t)bytes) {
			const struct btf_type *t = rn_btf_image_at(image, off);
			const char *name = BTF_INFO_KIND(t->info) == BTF_KIND_TYPEDEF
						   ? rn_btf_image_str(image, t->name_off)
						   : "";
			const struct trace_name *found;
			struct trace_name key;

			if (strncmp(name, "btf_trace_", 10) || rn_btf_without(name + 10))
				continue;
			key = (struct trace_name){name + 10, 0};
			found = bsearch(&key, names, kept, sizeof(*names), by_trace_name);
			if (found)
				has[found->at] = true;
		}
	}
	if (image == &own)
		rn_btf_image_close(&own);
	free(names);
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
