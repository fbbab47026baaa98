/* btf_walk.c - see btf_walk.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "lang/base/nearest.h"
#include "probes/kernel/btf_walk.h"

enum { DEPTH = 8, NAMES = 512 }; /* of anonymous parts; of names to choose the nearest from */

static unsigned kind_of(const struct btf_type *t)
{
	return t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;
}

/* The type behind typedefs and qualifiers; *id becomes its own. big: is a typedef among them for
 * numbers in the order of the network? NULL: there is none. */
static const struct btf_type *bare(const struct rn_btf_image *image, uint32_t *id, bool *big)
{
	for (unsigned i = 0; i < 32; i++) {
		const struct btf_type *t = rn_btf_image_type(image, *id);
		const char *name = t ? rn_btf_image_str(image, t->name_off) : "";

		switch (kind_of(t)) {
		case BTF_KIND_TYPEDEF:
			if (big)
				*big |= !strncmp(name, "__be", 4);
			break;
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: break;
		default: return t;
		}
		*id = t->type;
	}
	return NULL;
}

/* Has a pointer's target this tag? Compilers other than GCC write them. */
static bool is_tagged(const struct rn_btf_image *image, uint32_t id, const char *tag)
{
	for (unsigned i = 0; i < 32; i++) {
		const struct btf_type *t = rn_btf_image_type(image, id);

		if (kind_of(t) == BTF_KIND_TYPE_TAG &&
		    !strcmp(rn_btf_image_str(image, t->name_off), tag))
			return true;
		if (kind_of(t) != BTF_KIND_TYPE_TAG && kind_of(t) != BTF_KIND_CONST)
			return false;
		id = t->type;
	}
	return false;
}

static bool is_struct(const struct btf_type *t)
{
	return kind_of(t) == BTF_KIND_STRUCT || kind_of(t) == BTF_KIND_UNION;
}

const char *rn_btf_type_text(const struct rn_btf_image *image, uint32_t type, char *text,
			     size_t room)
{
	static const char stars[] = "********";
	unsigned nstars = 0;
	char tail[32] = "";
	const struct btf_type *t = NULL;

	for (unsigned i = 0; i < 32 && (t = rn_btf_image_type(image, type)); i++) {
		unsigned kind = kind_of(t);

		if (kind == BTF_KIND_PTR) {
			nstars += nstars < sizeof(stars) - 1;
		} else if (kind == BTF_KIND_ARRAY) {
			const struct btf_array *a = (const struct btf_array *)(t + 1);

			snprintf(tail, sizeof(tail), "[%u]", a->nelems);
			type = a->type;
			continue;
		} else if (kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE &&
			   kind != BTF_KIND_RESTRICT && kind != BTF_KIND_TYPE_TAG) {
			break;
		}
		type = t->type;
	}
	snprintf(text, room, "%s%s%s%.*s%s",
		 kind_of(t) == BTF_KIND_STRUCT                                  ? "struct "
		 : kind_of(t) == BTF_KIND_UNION                                 ? "union "
		 : kind_of(t) == BTF_KIND_FWD                                   ? "struct "
		 : kind_of(t) == BTF_KIND_ENUM || kind_of(t) == BTF_KIND_ENUM64 ? "enum "
										: "",
		 !type                               ? "void"
		 : kind_of(t) == BTF_KIND_FUNC_PROTO ? "function"
		 : t && rn_btf_image_str(image, t->name_off)[0]
			 ? rn_btf_image_str(image, t->name_off)
			 : "(unnamed)",
		 nstars ? " " : "", (int)nstars, stars, tail);
	return text;
}

/* ---- members ---- */

struct looking {
	const struct rn_btf_image *image;
	const char *name;
	size_t len;
	/* what was found */
	const struct btf_member *member;
	uint64_t bits;
	bool field;              /* of bits */
	const char *near[NAMES]; /* all names */
	unsigned n;
};

static void look_in(struct looking *l, const struct btf_type *t, uint64_t base, unsigned depth)
{
	const struct btf_member *m = (const struct btf_member *)(t + 1);
	bool kflag = BTF_INFO_KFLAG(t->info);

	for (unsigned i = 0; i < BTF_INFO_VLEN(t->info) && !l->member; i++, m++) {
		uint64_t bits = base + (kflag ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset);
		const char *name = rn_btf_image_str(l->image, m->name_off);

		if (!name[0]) {
			uint32_t id = m->type;
			const struct btf_type *in = bare(l->image, &id, NULL);

			if (is_struct(in) && depth < DEPTH)
				look_in(l, in, bits, depth + 1);
			continue;
		}
		if (l->n < NAMES - 1)
			l->near[l->n++] = name;
		if (strlen(name) != l->len || memcmp(name, l->name, l->len) != 0)
			continue;
		l->member = m;
		l->bits = bits;
		l->field = kflag && BTF_MEMBER_BITFIELD_SIZE(m->offset);
	}
}

static int no_member(struct looking *l, uint32_t type, struct rn_err *err)
{
	char of[128], name[128];
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)l->len, l->name);
	l->near[l->n] = NULL;
	near = rn_nearest(name, l->near);
	rn_btf_type_text(l->image, type, of, sizeof(of));
	rn_err_set(err, -ENOENT, "%s has no member `%s`", of, name);
	if (near)
		rn_err_hint(err, "did you mean `%s`?", near);
	else if (l->n)
		rn_err_hint(err, "it has `%s`%s%s%s%s", l->near[0], l->n > 1 ? ", `" : "",
			    l->n > 1 ? l->near[1] : "", l->n > 1 ? "`" : "",
			    l->n > 2 ? ", ..." : "");
	return -ENOENT;
}

/* Pointers that are an offset into each CPU's own memory. GCC does not tell them from others. */
static bool is_per_cpu(const char *of, const char *member)
{
	static const struct {
		const char *of, *member;
	} known[] = {
		{"kmem_cache", "cpu_slab"},
		{"percpu_counter", "counters"},
		{"percpu_ref", "percpu_count_ptr"},
		{"net_device", "pcpu_refcnt"},
		{"net_device", "lstats"},
		{"net_device", "tstats"},
		{"net_device", "dstats"},
		{"block_device", "bd_stats"},
		{"mount", "mnt_pcp"},
		{"cgroup", "rstat_cpu"},
		{"mem_cgroup", "vmstats_percpu"},
		{"psi_group", "pcpu"},
		{"workqueue_struct", "cpu_pwq"},
		{"zone", "per_cpu_pageset"},
		{"zone", "per_cpu_zonestats"},
		{"pglist_data", "per_cpu_nodestats"},
		{"neigh_table", "stats"},
		{"fib_nh_common", "nhc_pcpu_rth_output"},
		{"blk_mq_hw_ctx", "cpumask"},
		{"request_queue", "queue_ctx"},
		{"perf_event_pmu_context", "task_ctx_data"},
		{"pmu", "cpu_pmu_context"},
		{"cpuacct", "cpuusage"},
		{"cpuacct", "cpustat"},
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].of, of) && !strcmp(known[i].member, member))
			return true;
	return false;
}

/* The value is a pointer: what it points to is at off 0 behind one more load. */
static int follow(struct rn_btf_cursor *at, struct rn_err *err)
{
	uint32_t id = at->type;
	const struct btf_type *t = bare(at->image, &id, NULL);
	uint32_t target = at->points ? at->type : t ? t->type : 0;

	if (!at->points && is_tagged(at->image, target, "percpu"))
		return rn_err_set(err, -EINVAL,
				  "it points into the memory that each CPU has of its own: which "
				  "CPU is meant is not known");
	if (!at->points && is_tagged(at->image, target, "user"))
		return rn_err_set(err, -EINVAL, "it points into a program's memory");
	if (at->in_memory) {
		if (at->walk.nload == RN_WALK_LOADS)
			return rn_err_set(err, -E2BIG, "more than %d pointers on the way",
					  RN_WALK_LOADS);
		at->walk.off[at->walk.nload++] = at->off;
		at->off = 0;
	}
	at->type = target;
	at->points = false;
	at->in_memory = true;
	return 0;
}

int rn_btf_to_member(struct rn_btf_cursor *at, const char *name, size_t len, struct rn_err *err)
{
	struct looking l = {.image = at->image, .name = name, .len = len};
	uint32_t id = at->type;
	const struct btf_type *t = bare(at->image, &id, NULL);
	char text[128], of[128];
	int r;

	if (at->points || kind_of(t) == BTF_KIND_PTR) {
		r = follow(at, err);
		if (r)
			return r;
		id = at->type;
		t = bare(at->image, &id, NULL);
	}
	if (!is_struct(t) || !at->in_memory || at->bits) {
		rn_err_set(err, -EINVAL, "%s has no members",
			   rn_btf_type_text(at->image, at->type, text, sizeof(text)));
		if (kind_of(t) == BTF_KIND_INT || !t || kind_of(t) == BTF_KIND_FWD)
			rn_err_hint(err, "if it is an address, name its struct: "
					 "cast(arg0, \"struct sock\").sk_rcvbuf");
		return -EINVAL;
	}
	look_in(&l, t, 0, 0);
	if (!l.member)
		return no_member(&l, id, err);
	snprintf(of, sizeof(of), "%s", rn_btf_image_str(at->image, t->name_off));
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	if (is_per_cpu(of, text))
		return rn_err_set(err, -EINVAL,
				  "`%s` points into the memory that each CPU has of its own: which "
				  "CPU is meant is not known",
				  text);
	at->bits = l.field ? (uint8_t)BTF_MEMBER_BITFIELD_SIZE(l.member->offset) : 0;
	at->first_bit = (uint8_t)(l.bits % 8);
	if (l.bits / 8 > INT32_MAX / 2 || at->off > INT32_MAX / 2 || (!at->bits && at->first_bit))
		return rn_err_set(err, -EBADMSG, "`%s` lies at no place", text);
	at->off += (int32_t)(l.bits / 8);
	at->type = l.member->type;
	return 0;
}

/* Bytes of a type; 0: it has no size. */
static uint32_t bytes_of(const struct rn_btf_image *image, uint32_t id)
{
	uint64_t times = 1;

	for (unsigned i = 0; i < DEPTH; i++) {
		const struct btf_type *t = bare(image, &id, NULL);

		switch (kind_of(t)) {
		case BTF_KIND_PTR: return times * 8 <= UINT32_MAX ? (uint32_t)times * 8 : 0;
		case BTF_KIND_INT:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			times *= t->size;
			return times <= UINT32_MAX ? (uint32_t)times : 0;
		case BTF_KIND_ARRAY: {
			const struct btf_array *a = (const struct btf_array *)(t + 1);

			times *= a->nelems;
			if (times > UINT32_MAX)
				return 0;
			id = a->type;
			break;
		}
		default: return 0;
		}
	}
	return 0;
}

int rn_btf_to_element(struct rn_btf_cursor *at, uint32_t n, struct rn_err *err)
{
	uint32_t id = at->type, bytes;
	const struct btf_type *t = bare(at->image, &id, NULL);
	char text[128];
	int r;

	if (at->points || kind_of(t) == BTF_KIND_PTR) {
		r = follow(at, err);
		if (r)
			return r;
	} else if (kind_of(t) == BTF_KIND_ARRAY && at->in_memory) {
		const struct btf_array *a = (const struct btf_array *)(t + 1);

		if (a->nelems && n >= a->nelems)
			return rn_err_set(err, -ERANGE, "it has %u elements, from [0] on",
					  a->nelems);
		at->type = a->type;
	} else {
		return rn_err_set(err, -EINVAL, "%s has no elements",
				  rn_btf_type_text(at->image, at->type, text, sizeof(text)));
	}
	bytes = bytes_of(at->image, at->type);
	if (!bytes || (uint64_t)n * bytes > INT32_MAX / 2 || at->off > INT32_MAX / 2)
		return rn_err_set(err, -ERANGE, "[%u] lies too far away", n);
	at->off += (int32_t)(n * bytes);
	return 0;
}

int rn_btf_cast(struct rn_btf_cursor *at, uint32_t type, struct rn_err *err)
{
	uint32_t id = at->type;
	const struct btf_type *t = bare(at->image, &id, NULL);
	char text[128];

	if (!at->points && kind_of(t) != BTF_KIND_PTR && (at->type || at->in_memory) &&
	    !(kind_of(t) == BTF_KIND_INT && t->size == 8 && !at->bits))
		return rn_err_set(err, -EINVAL, "%s is no address",
				  rn_btf_type_text(at->image, at->type, text, sizeof(text)));
	at->type = type;
	at->points = true;
	return 0;
}

int rn_btf_container(struct rn_btf_cursor *at, uint32_t type, const char *path, struct rn_err *err)
{
	struct rn_btf_cursor in = {.image = at->image, .type = type, .in_memory = true};
	int r = 0;

	while (!r && *path) {
		size_t n = strcspn(path, ".");

		r = rn_btf_to_member(&in, path, n, err);
		path += n + (path[n] == '.');
	}
	if (!r && in.walk.nload)
		r = rn_err_set(err, -EINVAL,
			       "a pointer lies between: it is no part of that struct");
	if (!r && in.bits)
		r = rn_err_set(err, -EINVAL, "nothing points to some bits of a number");
	if (!r)
		r = rn_btf_cast(at, type, err);
	if (!r) /* the struct begins so far before the address */
		r = follow(at, err);
	if (!r)
		at->off = -in.off;
	return r;
}

/* ---- the end ---- */

static bool is_char(const struct rn_btf_image *image, uint32_t id)
{
	const struct btf_type *t = NULL;
	const char *name;

	for (unsigned i = 0; i < 32; i++) { /* a typedef of it is for numbers: u8 */
		t = rn_btf_image_type(image, id);
		if (kind_of(t) != BTF_KIND_CONST && kind_of(t) != BTF_KIND_VOLATILE &&
		    kind_of(t) != BTF_KIND_TYPE_TAG)
			break;
		id = t->type;
	}
	name = t ? rn_btf_image_str(image, t->name_off) : "";
	return kind_of(t) == BTF_KIND_INT && t->size == 1 &&
	       (!strcmp(name, "char") || !strcmp(name, "unsigned char"));
}

static int arrive_number(struct rn_btf_cursor *at, const struct btf_type *t, uint32_t id,
			 struct rn_walk *w, struct rn_err *err)
{
	uint32_t encoding = kind_of(t) == BTF_KIND_INT ? *(const uint32_t *)(t + 1) : 0;

	w->kind = RN_WALK_NUMBER;
	w->bytes = kind_of(t) == BTF_KIND_PTR ? 8 : t->size;
	if (!w->bytes || w->bytes > 8 || (w->bytes & (w->bytes - 1)))
		return rn_err_set(err, -EINVAL, "it is a number of %u bytes, which is too wide",
				  w->bytes);
	w->is_signed = BTF_INT_ENCODING(encoding) & BTF_INT_SIGNED;
	w->is_bool = BTF_INT_ENCODING(encoding) & BTF_INT_BOOL;
	if (kind_of(t) == BTF_KIND_ENUM || kind_of(t) == BTF_KIND_ENUM64) {
		w->enumeration = id;
		w->is_signed = BTF_INFO_KFLAG(t->info);
	}
	if (kind_of(t) == BTF_KIND_INT && !at->bits && BTF_INT_BITS(encoding) < 8 * w->bytes) {
		at->bits = (uint8_t)BTF_INT_BITS(encoding); /* an older form of bit fields */
		at->first_bit = (uint8_t)BTF_INT_OFFSET(encoding);
	}
	w->bits = at->bits;
	w->first_bit = at->first_bit;
	if (w->bits) {
		w->bytes = (uint32_t)(w->first_bit + w->bits + 7) / 8;
		if (w->bytes > 8 || w->bits > 64)
			return rn_err_set(err, -EINVAL, "it is a bit field that is too wide");
	}
	return 0;
}

int rn_btf_arrive(struct rn_btf_cursor *at, struct rn_walk *walk, struct rn_err *err)
{
	bool big = false;
	uint32_t id = at->type;
	const struct btf_type *t = bare(at->image, &id, &big), *a = t;
	char text[128];

	*walk = at->walk;
	walk->off[walk->nload] = at->off;
	walk->in_register = !at->in_memory;
	walk->big_endian = big;
	if (at->points) {
		walk->bytes = 8;
		return 0;
	}
	switch (kind_of(t)) {
	case BTF_KIND_PTR:
		if (is_char(at->image, t->type)) {
			walk->kind = RN_WALK_STRING;
			walk->bytes = 8;
			return 0;
		}
		/* fall through */
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return arrive_number(at, t, id, walk, err);
	case BTF_KIND_ARRAY:
		if (is_char(at->image, ((const struct btf_array *)(a + 1))->type)) {
			walk->kind = RN_WALK_CHARS;
			walk->bytes = ((const struct btf_array *)(a + 1))->nelems;
			return walk->bytes ? 0
					   : rn_err_set(err, -EINVAL, "its length is not known");
		}
		rn_err_set(err, -EINVAL, "it is an array: %s",
			   rn_btf_type_text(at->image, at->type, text, sizeof(text)));
		rn_err_hint(err, "name one of its elements: [0]");
		return -EINVAL;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		rn_err_set(err, -EINVAL, "it is a %s, not a number or a text",
			   rn_btf_type_text(at->image, at->type, text, sizeof(text)));
		rn_err_hint(err, "name one of its members behind a dot");
		return -EINVAL;
	default:
		return rn_err_set(err, -EINVAL, "%s is neither a number nor a text",
				  rn_btf_type_text(at->image, at->type, text, sizeof(text)));
	}
}

struct rn_btf_param rn_btf_param_of(const struct rn_btf_image *image, uint32_t prototype,
				    unsigned n)
{
	const struct btf_type *t = rn_btf_image_type(image, prototype);
	const struct btf_param *p = t ? (const struct btf_param *)(t + 1) : NULL;
	const char *name;

	if (kind_of(t) != BTF_KIND_FUNC_PROTO || n >= BTF_INFO_VLEN(t->info) || !p[n].type)
		return (struct rn_btf_param){0};
	name = rn_btf_image_str(image, p[n].name_off);
	return (struct rn_btf_param){name[0] ? name : NULL, p[n].type};
}
