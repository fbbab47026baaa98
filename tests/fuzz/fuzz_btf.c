/* fuzz_btf.c - libFuzzer target of the kernel's types. The input is two images, the kernel's behind
 * its length in four bytes, then that of the module fuse: wanted names are looked up in them, and
 * the subset made. It must be an image that we and libbpf can read. */
#include <bpf/btf.h>
#include "probes/kernel/btf_subset.h"
#include "probes/kernel/btf_walk.h"
#include "tests/fuzz/fuzz.h"
#include "probes/gen/hooks.h"

/* An image as it comes from a file: aligned, and no byte more than there is. */
static void *image(const uint8_t *p, size_t n)
{
	void *to = malloc(n ? n : 1);

	MUST(to);
	return n ? memcpy(to, p, n) : to;
}

static void subset(const struct rn_btf *b, const struct rn_btf_image *kernel,
		   struct rn_btf_image *fuse)
{
	struct rn_err err = {0};
	struct rn_btf_subset s;
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf again;
	struct btf *theirs;
	int fd;

	rn_btf_subset_make(&s, b, kernel, fuse);
	MUST(!rn_btf_scan(&again, s.image, s.bytes, want, rn_hook_traces(want), &err));
	theirs = btf__new(s.image, (uint32_t)s.bytes);
	MUST(theirs);
	btf__free(theirs);
	fd = rn_btf_subset_file(&s, &err);
	MUST(fd >= 0 && !close(fd));
	rn_btf_subset_free(&s);
}

static void traces(const struct rn_btf_image *kernel)
{
	static const char *const v[] = {"sched:sched_switch", "a:sys_exit", "b:sys_exit",
					"raw_syscalls:sys_enter"};
	bool has[4];

	rn_btf_traces(kernel, v, 4, has);
	MUST(!has[1] && !has[2]);
}

/* From a pointer to each of the first types, to each member of it, and on from there. */
static void walks(const struct rn_btf_image *kernel)
{
	enum { TYPES = 24, STEPS = 12 };

	for (uint32_t id = 1; id <= kernel->n && id <= TYPES; id++) {
		const struct btf_type *t = rn_btf_image_type(kernel, id);
		const struct btf_member *m = (const struct btf_member *)(t + 1);
		unsigned kind = BTF_INFO_KIND(t->info),
			 n = kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION
				     ? BTF_INFO_VLEN(t->info)
				     : 0;

		for (unsigned i = 0; i <= n && i < STEPS; i++) {
			struct rn_btf_cursor at = {.image = kernel, .type = id, .points = i % 2};
			const char *name = i < n ? rn_btf_image_str(kernel, m[i].name_off) : "x";
			struct rn_err err = {0};
			struct rn_walk walk;
			char text[64];
			int r = 0;

			for (unsigned k = 0; k < STEPS && !r; k++) {
				r = k % 3 == 2   ? rn_btf_to_element(&at, i, &err)
				    : k % 5 == 4 ? rn_btf_container(&at, id, name, &err)
						 : rn_btf_to_member(&at, name, strlen(name), &err);
				MUST(!r || *err.text);
			}
			(void)rn_btf_type_text(kernel, at.type, text, sizeof(text));
			if (!r && !rn_btf_arrive(&at, &walk, &err))
				MUST(walk.nload <= RN_WALK_LOADS &&
				     (walk.kind != RN_WALK_NUMBER || walk.bytes <= 8));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rn_btf_image kernel, fuse;
	struct rn_err err = {0};
	uint32_t first = 0;
	void *one, *two;
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf b;

	if (n < sizeof(first))
		return 0;
	memcpy(&first, data, sizeof(first));
	data += sizeof(first);
	n -= sizeof(first);
	first = first < n ? first : (uint32_t)n;
	one = image(data, first);
	two = image(data + first, n - first);
	if (rn_btf_image_parse(&kernel, one, first, &err) ||
	    rn_btf_take(&b, &kernel, want, rn_hook_traces(want), &err)) {
		MUST(err.code < 0 && *err.text);
	} else {
		bool has_fuse = !rn_btf_image_parse(&fuse, two, n - first, &err);

		fuse.base = &kernel;
		subset(&b, &kernel, has_fuse ? &fuse : NULL);
		traces(&kernel);
		walks(&kernel);
		rn_btf_image_close(&fuse);
		for (unsigned i = 0; i < RN_BM_COUNT; i++)
			MUST(strchr(rn_btf_member_name((enum rn_btf_member)i), '.'));
	}
	rn_btf_image_close(&kernel);
	free(one);
	free(two);
	return 0;
}
